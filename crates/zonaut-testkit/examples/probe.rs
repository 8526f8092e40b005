//! probe
use std::time::Instant;
use zonaut_testkit::differential::*;
use zonaut_testkit::generate::*;
use zonaut_base::Id;
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let s = generate(seed);
    eprintln!("{:?}\n{}\n{}", Stratum::of(seed), s.to_xta(), s.query_text());
    let model = s.to_model();
    let t = Instant::now();
    let truth = zonaut_testkit::judge::truth(&model, &model.queries[zonaut_model::QueryId::from_index(0)].kind, zonaut_testkit::oracle::Limits::default());
    eprintln!("truth {:?} {:?}", truth.map(|t| (t.0, t.1.goal, t.1.states)), t.elapsed());
    for c in Examination::of(seed).configurations {
        let t = Instant::now();
        let e = Examination { configurations: vec![c], change: None, fault: None };
        let r = e.examine_specification(&s, &mut Tally::default());
        eprintln!("{c:?} {:?} {:?}", r.is_ok(), t.elapsed());
    }
}
