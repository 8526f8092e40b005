//! Packed sets of nodes: zones and nodes as records of bytes, read where they stand in the
//! certificate.
//!
//! Every zone is the closed matrix of the clocks that its table names, and is stored once however
//! many nodes have it. Nothing is copied: the certificate itself is the set.

use crate::certificate::Lines;
use crate::refusal::Refusal;
use crate::simulation::Simulation;
use crate::zone::{Bound, Zone};

/// The zones with one number of rows.
struct Class {
    /// The number of the first zone.
    first: usize,
    rows: usize,
    /// The position of its first byte.
    start: usize,
}

/// The announced form of the zones.
pub(crate) struct Form {
    /// The bytes of a bound: 1, 2, 4 or 8.
    width: usize,
    classes: Vec<Class>,
    /// The number of zones.
    count: usize,
    /// Their bytes.
    length: usize,
}

/// The bytes of a node: the number of its zone and that of its table.
const NODE: usize = 8;

impl Form {
    /// Reads `WIDTH ROWS:COUNT ...`, rows ascending, for at most `size` rows.
    pub(crate) fn read(lines: &Lines<'_>, words: &[&str], size: usize) -> Result<Self, Refusal> {
        let form = "zones are announced as WIDTH ROWS:COUNT, rows ascending";
        let Some((width, classes)) = words.split_first() else { return Err(lines.malformed(form)) };
        let width: usize = lines.natural(width)?;
        lines.require([1, 2, 4, 8].contains(&width), "a bound has 1, 2, 4 or 8 bytes")?;
        let mut all = Self { width, classes: Vec::new(), count: 0, length: 0 };
        for word in classes {
            let (rows, count) = word.split_once(':').ok_or_else(|| lines.malformed(form))?;
            let rows = lines.natural(rows)?;
            let count: usize = lines.natural(count)?;
            let last = all.classes.last().map_or(0, |class| class.rows);
            lines.require(last < rows && rows <= size && count > 0, form)?;
            all.classes.push(Class { first: all.count, rows, start: all.length });
            all.count = all.count.saturating_add(count);
            let length = count.saturating_mul(rows * rows).saturating_mul(width);
            all.length = all.length.saturating_add(length);
        }
        Ok(all)
    }

    /// The number of all bounds.
    pub(crate) fn bounds(&self) -> usize {
        self.length / self.width
    }

    /// The bytes of all zones and of this number of nodes.
    pub(crate) fn length(&self, nodes: usize) -> usize {
        nodes.saturating_mul(NODE).saturating_add(self.length)
    }
}

/// The zones and nodes of a packed set.
pub(crate) struct Packed<'t> {
    form: Form,
    zones: &'t [u8],
    nodes: &'t [u8],
}

/// The packed matrix of a zone.
pub(crate) struct PackedZone<'t> {
    rows: usize,
    width: usize,
    bytes: &'t [u8],
}

/// Calls `$function` with the bounds of a packed matrix, as arrays of bytes.
macro_rules! with_bounds {
    ($zone:expr, $function:ident, $($argument:expr),*) => {
        match $zone.width {
            1 => $function($zone.bytes.as_chunks::<1>().0, $($argument),*),
            2 => $function($zone.bytes.as_chunks::<2>().0, $($argument),*),
            4 => $function($zone.bytes.as_chunks::<4>().0, $($argument),*),
            _ => $function($zone.bytes.as_chunks::<8>().0, $($argument),*),
        }
    };
}

impl<'t> Packed<'t> {
    /// The zones and nodes in `bytes`, which have the length that `form` demands. `rows` are the
    /// numbers of rows of the tables.
    pub(crate) fn new(form: Form, bytes: &'t [u8], rows: &[usize]) -> Result<Self, &'static str> {
        let (zones, nodes) = bytes.split_at(form.length);
        let packed = Self { form, zones, nodes };
        for number in 0..packed.form.count {
            if !packed.zone(number).is_closed() {
                return Err("the matrix of a zone is empty or not closed");
            }
        }
        for node in 0..packed.len() {
            let (zone, table) = packed.node(node);
            let (true, Some(&rows)) = (zone < packed.form.count, rows.get(table)) else {
                return Err("a node names a zone or a table that does not exist");
            };
            if packed.zone(zone).rows != rows {
                return Err("the zone and the table of a node have different clocks");
            }
        }
        Ok(packed)
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() / NODE
    }

    /// The numbers of the zone and of the table of a node.
    fn node(&self, node: usize) -> (usize, usize) {
        (number(self.nodes, node * NODE), number(self.nodes, node * NODE + 4))
    }

    /// The number of the table of a node.
    pub(crate) fn table(&self, node: usize) -> usize {
        self.node(node).1
    }

    /// The zone of a node.
    pub(crate) fn zone_of(&self, node: usize) -> PackedZone<'t> {
        self.zone(self.node(node).0)
    }

    fn zone(&self, number: usize) -> PackedZone<'t> {
        let Form { width, classes, .. } = &self.form;
        let class = classes.partition_point(|class| class.first <= number).saturating_sub(1);
        let Class { first, rows, start } = classes[class];
        let length = rows * rows * width;
        let start = start + (number - first) * length;
        PackedZone { rows, width: *width, bytes: &self.zones[start..start + length] }
    }
}

/// The number of four bytes, the lowest first.
pub(crate) fn number(bytes: &[u8], at: usize) -> usize {
    bytes[at..at + 4].iter().rev().fold(0, |number, &byte| (number << 8) | usize::from(byte))
}

impl PackedZone<'_> {
    /// Whether the matrix is canonical, and the zone has valuations.
    fn is_closed(&self) -> bool {
        with_bounds!(self, is_closed, self.rows)
    }

    /// The zone over `size` clocks; those without a row can have any value.
    pub(crate) fn unpacked(&self, rows: &[usize], size: usize) -> Zone {
        with_bounds!(self, unpacked, rows, size)
    }

    /// Whether the zone, which has these rows, includes `small`.
    pub(crate) fn includes(&self, rows: &[usize], small: &Zone) -> bool {
        with_bounds!(self, includes, rows, small)
    }

    /// Whether every valuation of `small` is below some valuation of the zone, which has these rows;
    /// only their clocks have constants.
    pub(crate) fn simulates(&self, rows: &[usize], constants: &Simulation, small: &Zone) -> bool {
        with_bounds!(self, simulates, rows, constants, small)
    }
}

/// The code of a bound; the greatest number stands for none.
#[inline]
fn code<const N: usize>(bytes: [u8; N]) -> i64 {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(&bytes);
    let unused = 64 - 8 * N as u32;
    (i64::from_le_bytes(wide) << unused) >> unused
}

/// The code of no bound.
const fn no_bound(width: usize) -> i64 {
    i64::MAX >> (64 - 8 * width)
}

#[inline]
fn bound<const N: usize>(bytes: [u8; N]) -> Bound {
    let code = code(bytes);
    if code == no_bound(N) { Bound::NONE } else { Bound::of_code(code) }
}

/// Whether no bound exceeds the sum of two others, no clock is negative, and all finite bounds have
/// an acceptable size.
fn is_closed<const N: usize>(bounds: &[[u8; N]], rows: usize) -> bool {
    /// Greater than all sums of two finite bounds, and so are its sums with finite ones.
    const NONE: i64 = 1 << 60;
    const LARGEST: u64 = 2 * Bound::LARGEST.unsigned_abs() + 1;
    let zero = Bound::ZERO.code();
    let is_small = |&bytes: &[u8; N]| {
        let bound = bound(bytes);
        bound.is_none() || bound.code().unsigned_abs() <= LARGEST
    };
    if !bounds.iter().all(is_small) {
        return false;
    }
    let plain = |&bytes: &[u8; N]| Some(bound(bytes)).filter(|bound| !bound.is_none());
    let matrix = bounds.iter().map(|bytes| plain(bytes).map_or(NONE, Bound::code));
    let matrix: Vec<i64> = matrix.collect();
    let is_sound = (0..rows).all(|x| matrix[x * rows + x] == zero && matrix[x] <= zero);
    is_sound
        && (0..rows).all(|x| {
            let row = &matrix[x * rows..(x + 1) * rows];
            row.iter().zip(matrix.chunks(rows)).all(|(&first, via)| {
                let mut is_shorter = false;
                for (&direct, &second) in row.iter().zip(via) {
                    let sum = (first & !1) + (second & !1) + (first & second & 1);
                    is_shorter |= direct > sum && sum < NONE / 2;
                }
                !is_shorter
            })
        })
}

fn unpacked<const N: usize>(bounds: &[[u8; N]], rows: &[usize], size: usize) -> Zone {
    let mut matrix = vec![Bound::NONE; size * size];
    for (row, &x) in bounds.chunks(rows.len()).zip(rows) {
        // No clock is negative, so `x - y` is at most `x` for every clock `y` without a row.
        matrix[x * size..(x + 1) * size].fill(bound(row[0]));
        for (&bytes, &y) in row.iter().zip(rows) {
            matrix[x * size + y] = bound(bytes);
        }
    }
    for x in 0..size {
        matrix[x * size + x] = Bound::ZERO;
    }
    Zone::of_bounds(size, matrix)
}

/// Whether the matrix includes `small`. Clocks without a row need no comparison: `x - y` is bounded
/// by `x` alone, and `small` has a bound at most as large.
fn includes<const N: usize>(large: &[[u8; N]], rows: &[usize], small: &Zone) -> bool {
    large.chunks(rows.len()).zip(rows).all(|(row, &x)| {
        let small = small.row(x);
        row.iter().zip(rows).all(|(&large, &y)| bound(large) >= small[y])
    })
}

/// Whether every valuation of `small` is below some valuation of the matrix, as in
/// [`Simulation::covers`]; clocks without a row have no constants, and do not matter there.
fn simulates<const N: usize>(
    large: &[[u8; N]],
    rows: &[usize],
    simulation: &Simulation,
    small: &Zone,
) -> bool {
    let least = small.row(0);
    for (column, &x) in rows.iter().enumerate() {
        let upper = simulation.0[x].upper;
        let is_beyond = x != 0 && (upper < 0 || least[x].code() < 1 - 2 * upper);
        if is_beyond {
            continue;
        }
        for (row, &y) in large.chunks(rows.len()).zip(rows) {
            let lower = if y == 0 { 0 } else { simulation.0[y].lower };
            let large = bound(row[column]);
            if y == x || lower < 0 || large >= small.bound(y, x) {
                continue;
            }
            // The sum of the bound and `< -lower`, which is strict; it is finite, since it is less
            // than another bound.
            if (large.code() & !1) - 2 * lower < least[x].code() {
                return false;
            }
        }
    }
    true
}
