//! Postfix code: its operations, and how they are read from words.

/// Where a number is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// In the state.
    Cell(usize),
    /// In working storage.
    Local(usize),
    /// Among the constants.
    Constant(usize),
}

/// An infix operator, one of [`OPERATORS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operator(pub(crate) &'static str);

/// The sum.
pub(crate) const PLUS: Operator = Operator("+");

const OPERATORS: [&str; 19] = [
    "+", "-", "*", "/", "%", "**", "<<", ">>", "<?", ">?", "&", "|", "^", "<", "<=", "==", "!=",
    ">=", ">",
];

/// What a loop over a range computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    ForAll,
    Exists,
    Sum,
    /// Nothing: the body is a statement.
    Each,
}

/// The variable and the values of a loop over a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) over: Over,
    pub(crate) local: usize,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// One operation of the stack machine. Jumps name the operation to go on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// Pops a condition; where it is false, pushes 0 and jumps.
    And(usize),
    /// Pops a condition; where it is true, pushes 1 and jumps.
    Or(usize),
    /// Makes the top 0 or 1.
    Truth,
    Jump(usize),
    /// Pops a condition and jumps where it is false.
    Unless(usize),
    /// Starts a loop, or jumps behind it if there are no values.
    Begin(Span, usize),
    /// Goes on with the next value, or ends the loop.
    Next(Span, usize),
    Missing,
    Assert,
}

/// Code, with the line that it stands in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Code {
    pub(crate) line: usize,
    pub(crate) operations: Vec<Operation>,
}

/// A block that is not closed yet, with the operation that it starts with.
enum Open {
    Junction(usize),
    Then(usize),
    Else(usize),
    Range(Span, usize),
    Loop { start: usize, leaving: Vec<usize> },
}

impl Code {
    /// Reads code from words.
    pub(crate) fn read<'w>(
        line: usize,
        words: impl IntoIterator<Item = &'w str>,
    ) -> Result<Self, String> {
        let mut reader = Reader { operations: Vec::new(), open: Vec::new() };
        for word in words {
            reader.word(word).ok_or_else(|| format!("the word `{word}` is not understood here"))?;
        }
        if !reader.open.is_empty() {
            return Err("a block is not closed".to_owned());
        }
        Ok(Self { line, operations: reader.operations })
    }
}

struct Reader {
    operations: Vec<Operation>,
    open: Vec<Open>,
}

impl Reader {
    /// Reads one word; nothing if it makes no sense here.
    fn word(&mut self, word: &str) -> Option<()> {
        use Operation as O;
        let here = self.operations.len();
        let operation = match word {
            "and{" => {
                self.open.push(Open::Junction(here));
                O::And(0)
            }
            "or{" => {
                self.open.push(Open::Junction(here));
                O::Or(0)
            }
            "if{" => {
                self.open.push(Open::Then(here));
                O::Unless(0)
            }
            "}else{" => {
                let Some(Open::Then(start)) = self.open.pop() else { return None };
                self.operations[start] = O::Unless(here + 1);
                self.open.push(Open::Else(here));
                O::Jump(0)
            }
            "loop{" => {
                self.open.push(Open::Loop { start: here, leaving: Vec::new() });
                return Some(());
            }
            "while" => {
                let Some(Open::Loop { leaving, .. }) = self.open.last_mut() else { return None };
                leaving.push(here);
                O::Unless(0)
            }
            "}" => return self.close(here),
            _ => match word.split_once("{:") {
                Some((name, rest)) => {
                    let span = span(name, rest)?;
                    self.open.push(Open::Range(span, here));
                    O::Begin(span, 0)
                }
                None => plain(word)?,
            },
        };
        self.operations.push(operation);
        Some(())
    }

    fn close(&mut self, here: usize) -> Option<()> {
        use Operation as O;
        match self.open.pop()? {
            Open::Junction(start) => {
                self.operations[start] = match self.operations[start] {
                    O::And(_) => O::And(here + 1),
                    _ => O::Or(here + 1),
                };
                self.operations.push(O::Truth);
            }
            Open::Then(_) => return None,
            Open::Else(start) => self.operations[start] = O::Jump(here),
            Open::Range(span, start) => {
                self.operations[start] = O::Begin(span, here + 1);
                self.operations.push(O::Next(span, start + 1));
            }
            Open::Loop { start, leaving } => {
                self.operations.push(O::Jump(start));
                for position in leaving {
                    self.operations[position] = O::Unless(here + 1);
                }
            }
        }
        Some(())
    }
}

fn span(name: &str, rest: &str) -> Option<Span> {
    let over = match name {
        "forall" => Over::ForAll,
        "exists" => Over::Exists,
        "sum" => Over::Sum,
        "each" => Over::Each,
        _ => return None,
    };
    let [local, low, high] = fields(rest)?;
    Some(Span { over, local: local.parse().ok()?, low: number(low)?, high: number(high)? })
}

/// Reads a word that is one operation and neither opens nor closes anything.
fn plain(word: &str) -> Option<Operation> {
    use Operation as O;
    let operation = match word {
        "return" => O::Return,
        "cost" => O::Cost,
        "drop" => O::Drop,
        "neg" => O::Negate,
        "not" => O::Not,
        "missing" => O::Missing,
        "assert" => O::Assert,
        _ => {
            if let Some(value) = number(word) {
                O::Push(value)
            } else if let Some(operator) = operator(word) {
                O::Binary(operator)
            } else if let Some((name, rest)) = word.split_once(':') {
                with_fields(name, rest)?
            } else {
                O::Read(root(word)?)
            }
        }
    };
    Some(operation)
}

fn with_fields(name: &str, rest: &str) -> Option<Operation> {
    use Operation as O;
    let operation = match name {
        "index" => {
            let [low, size, stride] = fields(rest)?;
            O::Index { low: number(low)?, size: large(size)?, stride: large(stride)? }
        }
        "load" => O::Load(root(rest)?),
        "store" => {
            let [place, symbol, which] = fields(rest)?;
            let operator = if symbol == "=" { None } else { Some(operator(symbol)?) };
            let old = match which {
                "old" => true,
                "new" => false,
                _ => return None,
            };
            O::Store { root: root(place)?, operator, old }
        }
        "same" | "copy" => {
            let [left, right, length] = fields(rest)?;
            let (left, right, length) = (root(left)?, root(right)?, length.parse().ok()?);
            if name == "same" { O::Same(left, right, length) } else { O::Copy(left, right, length) }
        }
        "content" => {
            let [place, length] = fields(rest)?;
            O::Content(root(place)?, length.parse().ok()?)
        }
        "call" => O::Call(rest.parse().ok()?),
        "reset" => O::Reset(rest.parse().ok()?),
        "copy-clock" => {
            let [target, source] = fields(rest)?;
            O::CopyClock(target.parse().ok()?, source.parse().ok()?)
        }
        "at" => {
            let [process, location] = fields(rest)?;
            O::At(process.parse().ok()?, location.parse().ok()?)
        }
        _ => return None,
    };
    Some(operation)
}

/// Exactly as many fields as wanted, between colons.
fn fields<const N: usize>(text: &str) -> Option<[&str; N]> {
    text.split(':').collect::<Vec<_>>().try_into().ok()
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

fn operator(word: &str) -> Option<Operator> {
    OPERATORS.into_iter().find(|&symbol| symbol == word).map(Operator)
}
