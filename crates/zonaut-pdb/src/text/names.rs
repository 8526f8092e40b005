//! Names for what a model's text declares, each given once.

use std::collections::HashSet;
use std::ops::Range;
use zonaut_base::Id;
use zonaut_model::{Argument, Expression, LocationId, Model, Place, ProcessId, Statement, Storage};

/// Words that no variable may have as its name.
const KEYWORDS: &str = "after_update and assert assign before_update bool branchpoint break \
    broadcast case chan clock commit const continue default deadlock do double else enum exists \
    false for forall gantt guard hybrid if imply import init int invariant location meta not or \
    priority probability process progress query rate return scalar select state string struct sum \
    switch sync system trans true typedef urgent void while xor";

/// Storage of one kind: elements that are chosen by computed indices share a block.
pub(super) struct Blocks {
    pub(super) blocks: Vec<Range<usize>>,
    /// By element, its block.
    of: Vec<usize>,
    names: Vec<String>,
}

impl Blocks {
    fn new(
        count: usize,
        joined: &[Range<usize>],
        name: impl Fn(usize) -> String,
        taken: &mut Taken,
    ) -> Self {
        let mut starts = vec![true; count];
        for range in joined {
            starts[range.start + 1..range.end].fill(false);
        }
        let (mut blocks, mut of): (Vec<Range<usize>>, _) = (Vec::new(), Vec::new());
        for (element, is_start) in starts.into_iter().enumerate() {
            match blocks.last_mut() {
                Some(last) if !is_start => last.end = element + 1,
                _ => blocks.push(element..element + 1),
            }
            of.push(blocks.len() - 1);
        }
        let named = |block: &Range<usize>| {
            let name = name(block.start);
            // An array is called by the name of its first element, without its index.
            let stem =
                if block.len() > 1 { name.split('[').next().unwrap_or(&name) } else { &name };
            taken.claim(stem)
        };
        let names = blocks.iter().map(named).collect();
        Self { blocks, of, names }
    }

    /// What is declared for a block.
    pub(super) fn declared(&self, block: &Range<usize>) -> String {
        let name = &self.names[self.of[block.start]];
        if block.len() == 1 { name.clone() } else { format!("{name}[{}]", block.len()) }
    }

    /// The element displaced from `root` by what `computed` says.
    pub(super) fn element(&self, root: usize, computed: &str) -> String {
        let block = &self.blocks[self.of[root]];
        let (name, offset) = (&self.names[self.of[root]], root - block.start);
        match (block.len(), computed.is_empty()) {
            (1, _) => name.clone(),
            (_, true) => format!("{name}[{offset}]"),
            (_, false) if offset == 0 => format!("{name}[{computed}]"),
            (_, false) => format!("{name}[{offset} + {computed}]"),
        }
    }

    /// The block of an element.
    pub(super) fn block(&self, element: usize) -> &Range<usize> {
        &self.blocks[self.of[element]]
    }
}

/// All names of a text.
pub(super) struct Names {
    pub(super) cells: Blocks,
    pub(super) locals: Blocks,
    pub(super) constants: Blocks,
    pub(super) clocks: Blocks,
    pub(super) channels: Blocks,
    pub(super) functions: Vec<String>,
    processes: Vec<String>,
    locations: Vec<Vec<String>>,
}

impl Names {
    pub(super) fn new(model: &Model) -> Self {
        let joined = Joined::new(model);
        let mut taken = Taken::default();
        let cells = Blocks::new(
            model.cells.len(),
            &joined.cells,
            |k| model.cells[Id::from_index(k)].name.clone(),
            &mut taken,
        );
        let clocks = Blocks::new(
            model.clocks.len(),
            &joined.clocks,
            |k| model.clocks[Id::from_index(k)].name.clone(),
            &mut taken,
        );
        let channels = Blocks::new(
            model.channels.len(),
            &joined.channels,
            |k| model.channels[Id::from_index(k)].name.clone(),
            &mut taken,
        );
        let constants = Blocks::new(
            model.constants.len(),
            &joined.constants,
            |k| format!("constant_{k}"),
            &mut taken,
        );
        let locals = Blocks::new(
            model.locals.len(),
            &joined.locals,
            |k| model.locals[Id::from_index(k)].name.clone(),
            &mut taken,
        );
        let functions =
            model.functions.iter().map(|function| taken.claim(&function.name)).collect();
        let processes = model.processes.iter().map(|process| taken.claim(&process.name)).collect();
        let locations = model.processes.iter().map(|process| {
            let mut own = taken.clone();
            process.locations.iter().map(|location| own.claim(&location.name)).collect()
        });
        let locations = locations.collect();
        Self { cells, locals, constants, clocks, channels, functions, processes, locations }
    }

    pub(super) fn process(&self, process: ProcessId) -> &str {
        &self.processes[process.index()]
    }

    pub(super) fn location(&self, process: ProcessId, location: LocationId) -> &str {
        &self.locations[process.index()][location.index()]
    }

    pub(super) fn local(&self, local: usize) -> String {
        self.locals.element(local, "")
    }
}

/// Names that are in use.
#[derive(Clone)]
struct Taken(HashSet<String>);

impl Default for Taken {
    fn default() -> Self {
        Self(KEYWORDS.split_whitespace().map(str::to_owned).collect())
    }
}

impl Taken {
    /// `wanted` as a word, or a word like it that is free.
    fn claim(&mut self, wanted: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word: String = wanted.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let word = word.trim_end_matches('_');
        let mut word = match word.chars().next() {
            Some(first) if !first.is_ascii_digit() => word.to_owned(),
            _ => format!("_{word}"),
        };
        while !self.0.insert(word.clone()) {
            word.push('_');
        }
        word
    }
}

/// Elements that have to be in one array.
#[derive(Default)]
struct Joined {
    cells: Vec<Range<usize>>,
    locals: Vec<Range<usize>>,
    constants: Vec<Range<usize>>,
    clocks: Vec<Range<usize>>,
    channels: Vec<Range<usize>>,
}

impl Joined {
    fn new(model: &Model) -> Self {
        let mut this = Self::default();
        for expression in &model.expressions {
            match expression {
                Expression::Read(place) | Expression::Assign { place, .. } => this.storage(place),
                Expression::SameContent(a, b, _) | Expression::CopyContent(a, b, _) => {
                    this.storage(a);
                    this.storage(b);
                }
                Expression::Call(_, arguments) => {
                    for argument in arguments {
                        if let Argument::Content(place) = argument {
                            this.storage(place);
                        }
                    }
                }
                Expression::AssignClock(clock, _) => join(&mut this.clocks, clock),
                Expression::CopyClock(a, b) => {
                    join(&mut this.clocks, a);
                    join(&mut this.clocks, b);
                }
                _ => {}
            }
        }
        for function in &model.functions {
            crate::access::for_each_statement(&function.body, &mut |statement| {
                if let Statement::ReturnContent { source, .. } = statement {
                    this.storage(source);
                }
            });
        }
        for process in &model.processes {
            let invariants = process.locations.iter().map(|location| &location.invariant);
            let guards = process.edges.iter().map(|edge| &edge.guard);
            for constraint in invariants.chain(guards).flat_map(|condition| &condition.clocks) {
                join(&mut this.clocks, &constraint.left);
                constraint.right.iter().for_each(|right| join(&mut this.clocks, right));
            }
            for sync in process.edges.iter().filter_map(|edge| edge.synchronisation.as_ref()) {
                join(&mut this.channels, &sync.channel);
            }
        }
        this
    }

    fn storage(&mut self, place: &Place<Storage>) {
        if !place.is_fixed() {
            let (list, first) = match place.root {
                Storage::Cell(id) => (&mut self.cells, id.index()),
                Storage::Local(id) => (&mut self.locals, id.index()),
                Storage::Constant(id) => (&mut self.constants, id.index()),
            };
            list.push(first..first + place.extent() + 1);
        }
    }
}

fn join<I: Id>(list: &mut Vec<Range<usize>>, place: &Place<I>) {
    if !place.is_fixed() {
        list.push(place.root.index()..place.root.index() + place.extent() + 1);
    }
}
