//! Random job shops: each job needs each machine once, in a random order, for 2 to 40 units.

use crate::arguments::Arguments;
use crate::family::{DefaultValue, Family, Generated, Parameter};
use crate::job_shop::{JobShop, Operation};

const fn parameter(name: &'static str, meaning: &'static str, default: u32) -> Parameter {
    Parameter { name, meaning, default: DefaultValue::Fixed(default), minimum: 1, maximum: 100 }
}

pub(crate) const FAMILY: Family = Family {
    name: "random-shop",
    summary: "a job shop with JOBS jobs and MACHINES machines in random orders",
    parameters: &[
        parameter("JOBS", "number of jobs", 10),
        parameter("MACHINES", "number of machines", 10),
        Parameter { maximum: 1_000_000_000, ..parameter("SEED", "seed of the random numbers", 1) },
    ],
    write,
};

/// The shortest and the longest duration.
const DURATIONS: [u64; 2] = [2, 40];

/// The generator SplitMix64 (G. Steele, D. Lea, C. Flood: "Fast splittable pseudorandom number
/// generators", DOI 10.1145/2660193.2660195), whose numbers do not depend on a library's version.
struct SplitMix(u64);

impl SplitMix {
    /// A number from 0 to `count` - 1.
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % count
    }
}

fn write(arguments: &Arguments) -> Generated {
    let value = |name| arguments.value(name);
    let mut random = SplitMix(u64::from(value("SEED")));
    let machines = value("MACHINES") as usize;
    let jobs = (0..value("JOBS")).map(|_| job(machines, &mut random)).collect();
    JobShop { machines, jobs }.generate()
}

/// The operations of a job.
fn job(machines: usize, random: &mut SplitMix) -> Vec<Operation> {
    let mut order: Vec<usize> = (0..machines).collect();
    for last in (1..machines).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    let [shortest, longest] = DURATIONS;
    let mut length = || (shortest + random.below(longest - shortest + 1)) as u32;
    order.into_iter().map(|machine| Operation { machine, length: length() }).collect()
}
