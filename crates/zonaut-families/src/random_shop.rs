//! Random shops: job shops, in which each job needs each machine once, in a random order, and
//! [other shops](crate::workshop).

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::job_shop::{JobShop, Operation};
use crate::split_mix::SplitMix;
use crate::workshop::{CrewShop, NoWaitShop, OpenShop, SetupShop, WindowShop};

const fn parameter(name: &'static str, meaning: &'static str, default: u32) -> Parameter {
    Parameter { name, meaning, default: DefaultValue::Fixed(default), minimum: 1, maximum: 100 }
}

const SEED: Parameter =
    Parameter { maximum: 1_000_000_000, ..parameter("SEED", "seed of the random numbers", 1) };

/// The families of random shops.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "random-shop",
        summary: "a job shop with JOBS jobs and MACHINES machines in random orders",
        parameters: &[
            parameter("JOBS", "number of jobs", 10),
            parameter("MACHINES", "number of machines", 10),
            SEED,
        ],
        write: |arguments| write(arguments, |size, random| job_shop(size, LONG, random).generate()),
    },
    Family {
        name: "random-open-shop",
        summary: "a shop whose jobs need all machines, in an order of their choice",
        parameters: &SMALL,
        write: |arguments| write(arguments, |size, random| open_shop(size, random).generate()),
    },
    Family {
        name: "random-crew-shop",
        summary: "a shop whose operations need one or more members of a crew",
        parameters: &SMALL,
        write: |arguments| write(arguments, |size, random| crew_shop(size, random).generate()),
    },
    Family {
        name: "random-setup-shop",
        summary: "a shop whose machines need time to change their colour",
        parameters: &SMALL,
        write: |arguments| write(arguments, |size, random| setup_shop(size, random).generate()),
    },
    Family {
        name: "random-no-wait-shop",
        summary: "a shop whose jobs must not wait between operations",
        parameters: &SMALL,
        write: |arguments| {
            let shop = |size, random: &mut _| NoWaitShop { shop: job_shop(size, SHORT, random) };
            write(arguments, |size, random| shop(size, random).generate())
        },
    },
    Family {
        name: "random-window-shop",
        summary: "a shop whose jobs have release dates and deadlines",
        parameters: &SMALL,
        write: |arguments| write(arguments, |size, random| window_shop(size, random).generate()),
    },
];

const SMALL: [Parameter; 3] = [
    parameter("JOBS", "number of jobs", 3),
    parameter("MACHINES", "number of machines, and of operations of a job", 3),
    SEED,
];

/// The numbers of jobs and machines of a shop.
#[derive(Clone, Copy)]
struct Size {
    jobs: usize,
    machines: usize,
}

/// A range of durations.
#[derive(Clone, Copy)]
struct Durations {
    shortest: u32,
    longest: u32,
}

const LONG: Durations = Durations { shortest: 2, longest: 40 };
const SHORT: Durations = Durations { shortest: 1, longest: 9 };

impl Durations {
    fn draw(self, random: &mut SplitMix) -> u32 {
        random.between(self.shortest, self.longest)
    }
}

fn write(arguments: &Arguments, shop: impl Fn(Size, &mut SplitMix) -> Generated) -> Generated {
    let value = |name| arguments.value(name) as usize;
    let size = Size { jobs: value("JOBS"), machines: value("MACHINES") };
    shop(size, &mut SplitMix::new(arguments.value("SEED")))
}

fn job_shop(size: Size, durations: Durations, random: &mut SplitMix) -> JobShop {
    let Size { jobs, machines } = size;
    JobShop { machines, jobs: (0..jobs).map(|_| job(machines, durations, random)).collect() }
}

/// The operations of a job.
fn job(machines: usize, durations: Durations, random: &mut SplitMix) -> Vec<Operation> {
    let mut order: Vec<usize> = (0..machines).collect();
    for last in (1..machines).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    let mut length = || durations.draw(random);
    order.into_iter().map(|machine| Operation { machine, length: length() }).collect()
}

fn open_shop(size: Size, random: &mut SplitMix) -> OpenShop {
    let job = |random: &mut SplitMix| (0..size.machines).map(|_| SHORT.draw(random)).collect();
    OpenShop { durations: (0..size.jobs).map(|_| job(random)).collect() }
}

fn crew_shop(size: Size, random: &mut SplitMix) -> CrewShop {
    // Fewer crews than machines of other shops, so that operations compete.
    let count = size.machines.div_ceil(2);
    let crews: Vec<u32> = (0..count).map(|_| random.between(2, 4)).collect();
    let machines = size.machines;
    let mut shop = job_shop(Size { machines, ..size }, SHORT, random);
    shop.machines = count;
    let mut needs = Vec::new();
    for job in &mut shop.jobs {
        job.iter_mut().for_each(|operation| operation.machine %= count);
        let need = |operation: &Operation| random.between(1, crews[operation.machine]);
        needs.push(job.iter().map(need).collect());
    }
    CrewShop { crews, needs, shop }
}

fn setup_shop(size: Size, random: &mut SplitMix) -> SetupShop {
    const COLOURS: usize = 3;
    let shop = job_shop(size, SHORT, random);
    let colours = (0..size.jobs).map(|_| random.below(COLOURS as u64) as usize).collect();
    let row = |from: usize, random: &mut SplitMix| {
        let setup = |to: usize| if from == to { 0 } else { random.between(0, 6) };
        (0..COLOURS).map(setup).collect()
    };
    let setups = (0..COLOURS).map(|from| row(from, random)).collect();
    SetupShop { shop, colours, setups }
}

fn window_shop(size: Size, random: &mut SplitMix) -> WindowShop {
    let shop = job_shop(size, SHORT, random);
    let releases: Vec<u32> = shop.jobs.iter().map(|_| random.between(0, 12)).collect();
    let deadline = |(job, release): (&Vec<Operation>, &u32)| {
        let work: u32 = job.iter().map(|operation| operation.length).sum();
        release + work + random.between(0, 2 * work)
    };
    let deadlines = shop.jobs.iter().zip(&releases).map(deadline).collect();
    WindowShop { shop, releases, deadlines }
}
