//! A collection of sets that finds the members which are subsets of a given set.
//!
//! J. Hoffmann, J. Koehler: *A new method to query and index sets*, IJCAI 1999. Sets are sequences
//! of ascending elements in a tree with one branch for each next element. A look-up descends only
//! into branches whose element is in the given set and whose least distance is below the best
//! found.

/// A node of the tree: the sets that begin with the elements on the path to it.
#[derive(Clone, Debug)]
struct Node {
    element: u32,
    /// The least distance of a set at this node or below it.
    least: u32,
    /// The set that ends here.
    end: Option<Member>,
    /// The children, by ascending element.
    children: Vec<u32>,
}

/// A set in the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    /// The number of the set.
    pub(crate) number: u32,
    pub(crate) distance: u32,
}

/// Sets of small numbers with their distances.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    nodes: Vec<Node>,
}

impl Default for Index {
    fn default() -> Self {
        Self { nodes: vec![Node { element: 0, least: u32::MAX, end: None, children: Vec::new() }] }
    }
}

/// Whether an element is in a set of bits.
#[inline]
pub(crate) fn contains(bits: &[u64], element: u32) -> bool {
    bits[element as usize / 64] >> (element % 64) & 1 == 1
}

/// The elements of a set of bits, ascending.
pub(crate) fn elements(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                word as u32 * 64 + bit
            })
        })
    })
}

impl Index {
    /// Adds a set, given by its ascending elements. A set that is already present keeps the lower
    /// distance.
    pub(crate) fn insert(&mut self, set: impl Iterator<Item = u32>, member: Member) {
        let mut node = 0;
        self.nodes[0].least = self.nodes[0].least.min(member.distance);
        for element in set {
            let children = &self.nodes[node].children;
            let found =
                children.binary_search_by_key(&element, |&c| self.nodes[c as usize].element);
            node = match found {
                Ok(position) => children[position] as usize,
                Err(position) => {
                    let new = self.nodes.len();
                    let least = member.distance;
                    self.nodes.push(Node { element, least, end: None, children: Vec::new() });
                    self.nodes[node].children.insert(position, new as u32);
                    new
                }
            };
            self.nodes[node].least = self.nodes[node].least.min(member.distance);
        }
        let end = &mut self.nodes[node].end;
        if end.is_none_or(|known| known.distance > member.distance) {
            *end = Some(member);
        }
    }

    /// The nearest set that is a subset of `bits`, is nearer than `bound` and is accepted by
    /// `accept`.
    pub(crate) fn least(
        &self,
        bits: &[u64],
        bound: u32,
        accept: &mut dyn FnMut(u32) -> bool,
    ) -> Option<Member> {
        let (mut best, mut found) = (bound, None);
        let mut open = vec![0_u32];
        while let Some(node) = open.pop() {
            let node = &self.nodes[node as usize];
            if node.least >= best {
                continue;
            }
            if let Some(member) = node.end
                && member.distance < best
                && accept(member.number)
            {
                best = member.distance;
                found = Some(member);
            }
            let may_help = |child: &&u32| {
                let child = &self.nodes[**child as usize];
                child.least < best && contains(bits, child.element)
            };
            open.extend(node.children.iter().filter(may_help));
        }
        found
    }

    /// All sets, by their ascending elements.
    pub(crate) fn members(&self) -> Vec<(Vec<u32>, Member)> {
        let mut all = Vec::new();
        let mut open = vec![(0_u32, Vec::new())];
        while let Some((number, elements)) = open.pop() {
            let node = &self.nodes[number as usize];
            for &child in node.children.iter().rev() {
                let element = self.nodes[child as usize].element;
                open.push((child, [elements.as_slice(), &[element]].concat()));
            }
            all.extend(node.end.map(|member| (elements, member)));
        }
        all
    }

    pub(crate) fn bytes(&self) -> usize {
        let children: usize = self.nodes.iter().map(|node| node.children.capacity() * 4).sum();
        self.nodes.capacity() * size_of::<Node>() + children
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers below `end`, the same in every run.
    fn below(state: &mut u64, end: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 33) % end
    }

    #[test]
    fn an_index_agrees_with_a_scan() {
        let mut random = 1;
        for round in 0..50 {
            let words = 1 + round % 3;
            let draw = |random: &mut u64, chance: u64| -> Vec<u64> {
                let mut bits = vec![0; words];
                for element in 0..words as u64 * 64 {
                    if below(random, 100) < chance {
                        bits[element as usize / 64] |= 1 << (element % 64);
                    }
                }
                bits
            };
            let mut index = Index::default();
            let mut all: Vec<(Vec<u64>, u32)> = Vec::new();
            for number in 0..200 {
                let set = draw(&mut random, 1 + round as u64 % 7);
                let distance = below(&mut random, 30) as u32;
                index.insert(elements(&set), Member { number, distance });
                all.push((set, distance));
            }
            for _ in 0..200 {
                let asked = draw(&mut random, 60);
                let is_within = |set: &[u64]| set.iter().zip(&asked).all(|(a, b)| a & !b == 0);
                let scanned = all.iter().filter(|(set, _)| is_within(set)).map(|(_, d)| *d).min();
                let found = |bound| index.least(&asked, bound, &mut |_| true).map(|m| m.distance);
                assert_eq!(found(u32::MAX), scanned);
                let limited = scanned.filter(|&distance| distance < 10);
                assert_eq!(found(10), limited);
            }
        }
    }

    #[test]
    fn elements_are_ascending() {
        assert_eq!(elements(&[1 << 63 | 1, 4]).collect::<Vec<_>>(), [0, 63, 66]);
    }
}
