//! Postfix code: its operations, and their parser.

use crate::machine::{Operator, operator};

/// The storage class of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// In the state.
    Cell(usize),
    /// In working storage.
    Local(usize),
    /// Among the constants.
    Constant(usize),
}

/// The result of a loop over a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    ForAll,
    Exists,
    Sum,
    /// No result: the body is a statement.
    Each,
}

/// A variable of working storage that takes each value of a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) local: usize,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// One operation of the stack machine. Jumps name the operation to continue with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Push(i64),
    /// Pops an index, checks it, and adds its part to the displacement below.
    Index {
        low: i64,
        size: i64,
        stride: i64,
    },
    Read(Root),
    /// Pops a displacement.
    Load(Root),
    /// Pops a value and a displacement.
    Store {
        root: Root,
        operator: Option<Operator>,
        old: bool,
    },
    /// Pops two displacements.
    Same(Root, Root, usize),
    /// Pops two displacements, that of the target first.
    Copy(Root, Root, usize),
    /// Pops a displacement and pushes the content from there on.
    Content(Root, usize),
    Call(usize),
    Return,
    /// Pops a value and a displacement.
    Reset(usize),
    /// Pops two displacements, that of the target first.
    CopyClock(usize, usize),
    Cost,
    Drop,
    At(usize, usize),
    Negate,
    Not,
    Binary(Operator),
    /// Pops a condition; if it has the given truth value, pushes it back and jumps.
    Decide(bool, usize),
    /// Normalises the top to 0 or 1.
    Truth,
    Jump(usize),
    /// Pops a condition and jumps where it is false.
    Unless(usize),
    /// Starts a loop, or jumps behind it if the range is empty.
    Begin(Over, Range, usize),
    /// Continues with the next value, or ends the loop.
    Next(Over, Range, usize),
    Missing,
    Assert,
}

impl Operation {
    /// The target of a jump.
    fn target(&mut self) -> Option<&mut usize> {
        match self {
            Self::Decide(_, to)
            | Self::Unless(to)
            | Self::Jump(to)
            | Self::Begin(_, _, to)
            | Self::Next(_, _, to) => Some(to),
            _ => None,
        }
    }
}

/// Code, with the line of the core text that contains it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) line: usize,
    pub(crate) operations: Vec<Operation>,
}

/// An unclosed block.
struct Open {
    block: Block,
    /// Its first operation.
    start: usize,
    /// The jumps out of it.
    leaving: Vec<usize>,
}

enum Block {
    Junction,
    Then,
    Else,
    Over(Over, Range),
    Loop,
}

impl Code {
    /// Whether the code has the same value in all states.
    pub(crate) fn is_constant(&self) -> bool {
        let is_plain = |operation: &Operation| {
            matches!(
                operation,
                Operation::Push(_)
                    | Operation::Read(Root::Constant(_))
                    | Operation::Negate
                    | Operation::Not
                    | Operation::Binary(_)
            )
        };
        self.operations.iter().all(is_plain)
    }

    /// Parses code from words.
    pub(crate) fn read(line: usize, words: &[&str]) -> Result<Self, String> {
        let mut reader = Reader { operations: Vec::new(), open: Vec::new() };
        for word in words {
            reader.word(word).ok_or_else(|| format!("the word `{word}` is not understood here"))?;
        }
        if !reader.open.is_empty() {
            return Err("a block is not closed".to_owned());
        }
        Ok(Self { line, operations: reader.operations })
    }

    /// The conjuncts of this condition: the operands of its top-level `and` operations, which are
    /// evaluated in order up to the first that fails. Long code is returned whole.
    pub(crate) fn conjuncts(self) -> Vec<Self> {
        if self.operations.len() > LONG {
            return vec![self];
        }
        let (mut open, mut conjuncts) = (vec![self], Vec::new());
        while let Some(mut code) = open.pop() {
            // Normalising the operand of a junction to 0 or 1 does not change its truth.
            while let Some(Operation::Truth) = code.operations.last() {
                code.operations.pop();
                let end = code.operations.len();
                let targets = code.operations.iter_mut().filter_map(Operation::target);
                targets.for_each(|to| *to = end.min(*to));
            }
            let Some(cut) = code.last_and() else {
                conjuncts.push(code);
                continue;
            };
            let mut rest = code.operations.split_off(cut);
            rest.remove(0);
            rest.iter_mut().filter_map(Operation::target).for_each(|to| *to -= cut + 1);
            let line = code.line;
            open.extend([code, Self { line, operations: rest }]);
        }
        conjuncts.reverse();
        conjuncts
    }

    /// The last top-level `and`.
    fn last_and(&self) -> Option<usize> {
        let end = self.operations.len();
        let (mut farthest, mut last) = (0, None);
        for (position, mut operation) in self.operations.iter().copied().enumerate() {
            let is_outermost = farthest <= position;
            if matches!(operation, Operation::Decide(false, to) if to == end && is_outermost) {
                last = Some(position);
            }
            farthest = farthest.max(operation.target().map_or(0, |to| *to));
        }
        last
    }
}

/// The maximal number of operations that [`Code::conjuncts`] splits: its time is not linear.
const LONG: usize = 1 << 10;

struct Reader {
    operations: Vec<Operation>,
    open: Vec<Open>,
}

impl Reader {
    /// Parses one word; `None` if it is not valid here.
    fn word(&mut self, word: &str) -> Option<()> {
        use Operation as O;
        let here = self.operations.len();
        let fields: Vec<&str> = word.split(':').collect();
        let operation = match fields[..] {
            ["and{"] => self.open(Block::Junction, O::Decide(false, 0)),
            ["or{"] => self.open(Block::Junction, O::Decide(true, 0)),
            ["if{"] => self.open(Block::Then, O::Unless(0)),
            ["}else{"] => {
                let then = self.open.pop().filter(|open| matches!(open.block, Block::Then))?;
                self.land(&then.leaving, here + 1);
                self.open(Block::Else, O::Jump(0))
            }
            ["loop{"] => {
                let (block, leaving) = (Block::Loop, Vec::new());
                self.open.push(Open { block, start: here, leaving });
                return Some(());
            }
            ["while"] => {
                let innermost = self.open.last_mut();
                let inside = innermost.filter(|open| matches!(open.block, Block::Loop))?;
                inside.leaving.push(here);
                O::Unless(0)
            }
            ["}"] => return self.close(),
            [name, local, low, high] if name.ends_with('{') => {
                let over = over(name)?;
                let (local, low, high) = (local.parse().ok()?, number(low)?, number(high)?);
                let range = Range { local, low, high };
                self.open(Block::Over(over, range), O::Begin(over, range, 0))
            }
            _ => plain(&fields)?,
        };
        self.operations.push(operation);
        Some(())
    }

    /// Opens a block with an operation that can jump out of it.
    fn open(&mut self, block: Block, operation: Operation) -> Operation {
        let start = self.operations.len();
        self.open.push(Open { block, start, leaving: vec![start] });
        operation
    }

    fn close(&mut self) -> Option<()> {
        let Open { block, start, leaving } = self.open.pop()?;
        match block {
            Block::Junction => self.operations.push(Operation::Truth),
            Block::Then => return None,
            Block::Else => {}
            Block::Over(over, range) => {
                self.operations.push(Operation::Next(over, range, start + 1));
            }
            Block::Loop => self.operations.push(Operation::Jump(start)),
        }
        self.land(&leaving, self.operations.len());
        Some(())
    }

    /// Sets the target of jumps.
    fn land(&mut self, jumps: &[usize], place: usize) {
        for &jump in jumps {
            if let Some(to) = self.operations[jump].target() {
                *to = place;
            }
        }
    }
}

fn over(name: &str) -> Option<Over> {
    match name {
        "forall{" => Some(Over::ForAll),
        "exists{" => Some(Over::Exists),
        "sum{" => Some(Over::Sum),
        "each{" => Some(Over::Each),
        _ => None,
    }
}

/// Parses a word that is one operation and neither opens nor closes a block.
fn plain(fields: &[&str]) -> Option<Operation> {
    use Operation as O;
    Some(match *fields {
        ["return"] => O::Return,
        ["cost"] => O::Cost,
        ["drop"] => O::Drop,
        ["neg"] => O::Negate,
        ["not"] => O::Not,
        ["missing"] => O::Missing,
        ["assert"] => O::Assert,
        ["index", low, size, stride] => {
            O::Index { low: number(low)?, size: large(size)?, stride: large(stride)? }
        }
        ["load", place] => O::Load(root(place)?),
        ["store", place, symbol, which @ ("old" | "new")] => {
            let operator = if symbol == "=" { None } else { Some(operator(symbol)?) };
            O::Store { root: root(place)?, operator, old: which == "old" }
        }
        ["same", left, right, n] => O::Same(root(left)?, root(right)?, n.parse().ok()?),
        ["copy", target, source, n] => O::Copy(root(target)?, root(source)?, n.parse().ok()?),
        ["content", place, n] => O::Content(root(place)?, n.parse().ok()?),
        ["call", function] => O::Call(function.parse().ok()?),
        ["reset", clock] => O::Reset(clock.parse().ok()?),
        ["copy-clock", target, source] => O::CopyClock(target.parse().ok()?, source.parse().ok()?),
        ["at", process, location] => O::At(process.parse().ok()?, location.parse().ok()?),
        [word] => {
            let pushed = number(word).map(O::Push);
            let applied = pushed.or_else(|| operator(word).map(O::Binary));
            applied.or_else(|| root(word).map(O::Read))?
        }
        _ => return None,
    })
}

/// A 32-bit number.
fn number(word: &str) -> Option<i64> {
    word.parse::<i32>().ok().map(i64::from)
}

/// A size or a distance.
fn large(word: &str) -> Option<i64> {
    word.parse::<u32>().ok().map(i64::from)
}

fn root(word: &str) -> Option<Root> {
    let kind = word.chars().next()?;
    let place = word.get(1..)?.parse().ok()?;
    match kind {
        'c' => Some(Root::Cell(place)),
        'l' => Some(Root::Local(place)),
        'k' => Some(Root::Constant(place)),
        _ => None,
    }
}
