//! Random models as text in which processes work for a time and exclude each other: networks of
//! tasks, and job shops as users write them.

use crate::random::Random;

/// The text of a random network of tasks, and its query.
#[must_use]
pub fn random_tasks(seed: u64) -> (String, String) {
    let mut random = Random::new(seed ^ 0x7a5c);
    let processes = 2 + random.below(2);
    let mut text = "int[0,2] s[2]; ".to_owned();
    let mut wanted = Vec::new();
    for process in 0..processes {
        let (process_text, rests) = random_process(&mut random, process);
        text.push_str(&process_text);
        wanted.push(format!("P{process}.r{}", random.below(rests)));
    }
    let names: Vec<String> = (0..processes).map(|process| format!("P{process}")).collect();
    text.push_str(&format!("system {};", names.join(", ")));
    let all = wanted.join(" && ");
    let query = match random.chance(20) {
        true => format!("E<> {} || {all}", wanted[0]),
        false => format!("E<> {all}"),
    };
    (text, query)
}

/// A process of a random network, and the number of its rests: rests and tasks in any order, with
/// choices, semaphores that are held over several tasks, clocks that rests wait for, and cells of
/// its own.
fn random_process(random: &mut Random, name: usize) -> (String, usize) {
    let mut places = vec!["r0".to_owned()];
    let mut edges = Vec::new();
    let rests = 2 + random.below(3);
    for rest in 0..rests {
        if rest > 0 {
            places.push(format!("r{rest}"));
        }
        for way in 0..=random.below(2) {
            let next = if rest + 1 < rests { rest + 1 } else { random.below(rests) };
            let (lock, length) = (random.below(2), random.between(0, 4));
            let age = match random.chance(30) {
                true => format!(" && y >= {}", random.between(1, 6)),
                false => String::new(),
            };
            let reset = if random.chance(40) { ", y = 0" } else { "" };
            let count = if random.chance(30) { ", n = 1 - n" } else { "" };
            let own = if random.chance(20) { " && n == 0" } else { "" };
            places.push(format!("t{rest}{way} {{ x <= {length} }}"));
            edges.push(format!(
                "r{rest} -> t{rest}{way} {{ guard s[{lock}] == 0{own}{age}; \
                 assign s[{lock}] = {}, x = 0{reset}; }}",
                random.between(1, 2)
            ));
            edges.push(format!(
                "t{rest}{way} -> r{next} {{ guard x >= {length}; assign s[{lock}] = 0{count}; }}"
            ));
        }
    }
    let (places, edges) = (places.join(", "), edges.join(", "));
    let text = format!(
        "process P{name}() {{ clock x, y; int[0,1] n; state {places}; init r0; trans {edges}; }} "
    );
    (text, rests)
}

/// The representation of a resource that one job at a time may use.
#[derive(Clone, Copy)]
enum Resource {
    Cell,
    Process,
    Semaphore,
}

/// The text of a random shop, and its query: jobs that need two resources one after the other, in
/// several representations, occasionally with a modelling error.
#[must_use]
pub fn random_shop(seed: u64) -> (String, String) {
    let mut random = Random::new(seed ^ 0x5409);
    let resources = [(); 2].map(|()| {
        random.choose(&[Resource::Cell, Resource::Process, Resource::Process, Resource::Semaphore])
    });
    let mut text = "chan take[2], give[2]; int[0,1] free[2] = { 1, 1 }; ".to_owned();
    let mut system = Vec::new();
    for (thing, resource) in resources.into_iter().enumerate() {
        if let Some(keeper) = keeper(&mut random, thing, resource) {
            text.push_str(&keeper);
            system.push(format!("K{thing}"));
        }
    }
    if random.chance(15) {
        let wrong = random.choose(&["sync give[0]!;", "sync take[1]!;", "assign free[0] = 1;"]);
        text.push_str(&format!(
            "process Cat() {{ state c, d; init c; trans c -> d {{ {wrong} }}; }} "
        ));
        system.push("Cat".to_owned());
    }
    let jobs = 2 + random.below(2);
    for job in 0..jobs {
        text.push_str(&random_job(&mut random, job, resources));
        system.push(format!("J{job}"));
    }
    text.push_str(&format!("system {};", system.join(", ")));
    let done: Vec<String> = (0..jobs).map(|job| format!("J{job}.done")).collect();
    (text, format!("E<> {}", done.join(" && ")))
}

/// The process that represents a resource, if there is one.
fn keeper(random: &mut Random, thing: usize, resource: Resource) -> Option<String> {
    let (take, give) = (format!("sync take[{thing}]?;"), format!("sync give[{thing}]?;"));
    let mistake = if random.chance(15) { 1 + random.below(3) } else { 0 };
    let edges = match resource {
        Resource::Cell => return None,
        Resource::Process => {
            let more = match mistake {
                1 => format!(", taken -> taken {{ {take} }}"),
                2 => ", taken -> idle { }".to_owned(),
                3 => format!(", idle -> idle {{ {give} }}"),
                _ => String::new(),
            };
            format!("idle -> taken {{ {take} }}, taken -> idle {{ {give} }}{more}")
        }
        Resource::Semaphore => {
            let guard =
                if mistake == 1 { String::new() } else { format!("guard free[{thing}] > 0;") };
            let down = if mistake == 2 { "= 1" } else { "= 0" };
            format!(
                "idle -> idle {{ {guard} {take} assign free[{thing}] {down}; }}, \
                 idle -> idle {{ {give} assign free[{thing}] = 1; }}"
            )
        }
    };
    let states = if matches!(resource, Resource::Process) { "idle, taken" } else { "idle" };
    Some(format!("process K{thing}() {{ state {states}; init idle; trans {edges}; }} "))
}

/// A job that needs both resources.
fn random_job(random: &mut Random, job: usize, resources: [Resource; 2]) -> String {
    let first = random.below(2);
    let mut edges = Vec::new();
    for (step, thing) in [first, 1 - first].into_iter().enumerate() {
        let next = ["w1", "done"][step];
        let length = random.between(0, 4);
        let mistake = if random.chance(10) { 1 + random.below(4) } else { 0 };
        let reset = if mistake == 1 { "" } else { "assign x = 0;" };
        let guard = if mistake == 2 { "x >= 0".to_owned() } else { format!("x >= {length}") };
        let (take, give) = match resources[thing] {
            Resource::Cell => (
                format!("guard free[{thing}] == 1; assign free[{thing}] = 0, x = 0;"),
                format!("guard {guard}; assign free[{thing}] = 1;"),
            ),
            Resource::Process | Resource::Semaphore => (
                format!("sync take[{thing}]!; {reset}"),
                format!("guard {guard}; sync give[{thing}]!;"),
            ),
        };
        edges.push(format!("w{step} -> u{step} {{ {take} }}, u{step} -> {next} {{ {give} }}"));
        if mistake == 3 {
            edges.push(format!("w{step} -> {next} {{ guard x >= {length}; }}"));
        }
        if mistake == 4 {
            edges.push(format!("u{step} -> {next} {{ guard x >= {length}; }}"));
        }
    }
    let edges = edges.join(", ");
    format!("process J{job}() {{ clock x; state w0, u0, w1, u1, done; init w0; trans {edges}; }} ")
}
