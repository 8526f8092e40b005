//! Unique names for the declarations of a model's text.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use zonaut_base::Id;
use zonaut_model::{
    Argument, ChannelId, Expression, ExpressionId, LocationId, Model, Place, ProcessId, QueryKind,
    Statement, Storage,
};

/// Reserved words.
const KEYWORDS: &str = "after_update and assert assign before_update bool branchpoint break \
    broadcast case chan clock commit const continue default deadlock do double else enum exists \
    false for forall gantt guard hybrid if imply import init int invariant location meta not or \
    priority probability process progress query rate return scalar select state string struct sum \
    switch sync system trans true typedef urgent void while xor";

/// Storage of one kind: elements that are selected by computed indices share a block.
pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Range<usize>>,
    /// By element, its block.
    of: Vec<usize>,
    names: Vec<String>,
    /// By block, whether it is an array: one of a single element may be, too.
    arrays: Vec<bool>,
}

impl Blocks {
    fn new(
        count: usize,
        joined: &[Range<usize>],
        name: impl Fn(usize) -> String,
        taken: &mut UsedNames,
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
        let mut arrays = vec![false; blocks.len()];
        joined.iter().for_each(|range| arrays[of[range.start]] = true);
        let named = |(block, is_array): (&Range<usize>, &bool)| {
            let name = name(block.start);
            // An array has the name of its first element, without its index.
            let stem = if *is_array { name.split('[').next().unwrap_or(&name) } else { &name };
            taken.claim(stem)
        };
        let names = blocks.iter().zip(&arrays).map(named).collect();
        Self { blocks, of, names, arrays }
    }

    /// The declarator of a block.
    pub(crate) fn declared(&self, block: &Range<usize>) -> String {
        let name = &self.names[self.of[block.start]];
        if self.is_array(block.start) { format!("{name}[{}]", block.len()) } else { name.clone() }
    }

    /// Whether an element is one of an array.
    pub(crate) fn is_array(&self, element: usize) -> bool {
        self.arrays[self.of[element]]
    }

    /// The element at the offset `computed` from `root`.
    pub(crate) fn element(&self, root: usize, computed: &str) -> String {
        let block = &self.blocks[self.of[root]];
        let (name, offset) = (&self.names[self.of[root]], root - block.start);
        match (self.is_array(root), computed.is_empty()) {
            (false, _) => name.clone(),
            (true, true) => format!("{name}[{offset}]"),
            (true, false) if offset == 0 => format!("{name}[{computed}]"),
            (true, false) => format!("{name}[{offset} + {computed}]"),
        }
    }

    /// The block of an element.
    pub(crate) fn block(&self, element: usize) -> &Range<usize> {
        &self.blocks[self.of[element]]
    }

    /// The index of the block of an element.
    pub(crate) fn number(&self, element: usize) -> usize {
        self.of[element]
    }

    /// The name of a block.
    pub(crate) fn name(&self, number: usize) -> &str {
        &self.names[number]
    }
}

/// All names of a text.
pub(crate) struct Names {
    pub(crate) cells: Blocks,
    pub(crate) locals: Blocks,
    pub(crate) constants: Blocks,
    pub(crate) clocks: Blocks,
    pub(crate) channels: Blocks,
    pub(crate) functions: Vec<String>,
    processes: Vec<String>,
    locations: Vec<Vec<String>>,
    stems: Stems,
}

/// The prefixes of names that the model does not have; no other name begins with them.
struct Stems {
    argument: String,
    check: String,
    part: String,
    presence: String,
    update: String,
    value: String,
}

impl Names {
    pub(crate) fn new(model: &Model) -> Self {
        let joined = ArrayGroups::new(model);
        let mut taken = UsedNames::default();
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
        let locations: Vec<Vec<String>> = locations.collect();
        let all = locations.iter().flatten().chain(&taken.0);
        let all: Vec<&str> = all.map(String::as_str).collect();
        let stems = Stems {
            argument: free_stem("argument", &all),
            check: free_stem("within", &all),
            part: free_stem("part", &all),
            presence: free_stem("present", &all),
            update: free_stem("update", &all),
            value: free_stem("value", &all),
        };
        Self { cells, locals, constants, clocks, channels, functions, processes, locations, stems }
    }

    pub(crate) fn process(&self, process: ProcessId) -> &str {
        &self.processes[process.index()]
    }

    pub(crate) fn location(&self, process: ProcessId, location: LocationId) -> &str {
        &self.locations[process.index()][location.index()]
    }

    pub(crate) fn local(&self, local: usize) -> String {
        self.locals.element(local, "")
    }

    /// The parameter whose value is copied to temporary storage.
    pub(crate) fn argument(&self, local: usize) -> String {
        format!("{}_{local}", self.stems.argument)
    }

    /// The function that checks a range.
    pub(crate) fn check(&self, low: i64, high: i64) -> String {
        let end = |value: i64| value.to_string().replace('-', "m");
        format!("{}_{}_{}", self.stems.check, end(low), end(high))
    }

    /// A variable for a part of an expression.
    pub(crate) fn part(&self, number: usize) -> String {
        format!("{}_{number}", self.stems.part)
    }

    /// The parameter for whether a process is in a location.
    pub(crate) fn presence(&self, process: ProcessId, location: LocationId) -> String {
        format!("{}_{}_{}", self.stems.presence, process.index(), location.index())
    }

    /// The function that executes updates.
    pub(crate) fn update(&self, whose: &str) -> String {
        format!("{}_{whose}", self.stems.update)
    }

    /// The function that computes the value of an expression.
    pub(crate) fn value(&self, id: ExpressionId) -> String {
        format!("{}_{}", self.stems.value, id.index())
    }

    /// The range of a place, if the array that contains it has a wider one. A place denotes
    /// variables of one type, so all of them have the same range.
    pub(crate) fn narrower_range(
        &self,
        model: &Model,
        place: &Place<Storage>,
    ) -> Option<zonaut_model::Range> {
        let (blocks, first) = match place.root {
            Storage::Cell(id) => (&self.cells, id.index()),
            Storage::Local(id) => (&self.locals, id.index()),
            Storage::Constant(_) => return None,
        };
        let range = |k: usize| match place.root {
            Storage::Cell(_) => model.cells[Id::from_index(k)].range,
            _ => model.locals[Id::from_index(k)].range,
        };
        let mut reached = BTreeSet::from([first]);
        for index in place.indices.iter().filter(|index| index.stride != 0) {
            let steps = || (0..index.size as usize).map(|k| k * index.stride as usize);
            reached = reached.iter().flat_map(|&at| steps().map(move |by| at + by)).collect();
        }
        let own = reached.into_iter().map(range).reduce(crate::hull)?;
        let whole = blocks.block(first).clone().map(range).reduce(crate::hull)?;
        (own != whole).then_some(own)
    }
}

/// `wanted`, or a variant of it that no name begins with.
fn free_stem(wanted: &str, taken: &[&str]) -> String {
    let mut stem = wanted.to_owned();
    while taken.iter().any(|name| name.strip_prefix(&stem).is_some_and(|r| r.starts_with('_'))) {
        stem.push('x');
    }
    stem
}

/// Whether the channels that a place can denote differ in attributes: then they cannot be in one
/// array.
pub(crate) fn unlike_channels(model: &Model, place: &Place<ChannelId>) -> bool {
    let mut kinds = place.elements().map(|id| {
        let channel = &model.channels[id];
        (channel.broadcast, channel.urgent)
    });
    let first = kinds.next();
    kinds.any(|kind| Some(kind) != first)
}

/// Names that are in use.
#[derive(Clone)]
struct UsedNames(HashSet<String>);

impl Default for UsedNames {
    fn default() -> Self {
        Self(KEYWORDS.split_whitespace().map(str::to_owned).collect())
    }
}

impl UsedNames {
    /// `wanted` as an identifier, or a similar one that is free.
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
struct ArrayGroups {
    cells: Vec<Range<usize>>,
    locals: Vec<Range<usize>>,
    constants: Vec<Range<usize>>,
    clocks: Vec<Range<usize>>,
    channels: Vec<Range<usize>>,
}

impl ArrayGroups {
    fn new(model: &Model) -> Self {
        let mut this = Self::default();
        for expression in &model.expressions {
            match expression {
                Expression::Read(place) | Expression::Assign { place, .. } => {
                    this.storage(place, 1);
                }
                Expression::SameContent(a, b, length) | Expression::CopyContent(a, b, length) => {
                    this.storage(a, *length);
                    this.storage(b, *length);
                }
                Expression::Call(function, arguments) => {
                    let parameters = &model.functions[*function].parameters;
                    for (argument, parameter) in arguments.iter().zip(parameters) {
                        if let Argument::Content(place) = argument {
                            this.storage(place, parameter.length);
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
            function.for_each_statement(|statement| {
                if let Statement::ReturnContent { source, target, .. } = statement {
                    this.storage(source, target.length);
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
                if !unlike_channels(model, &sync.channel) {
                    join(&mut this.channels, &sync.channel);
                }
            }
        }
        for query in &model.queries {
            if let QueryKind::Possibly(formula) | QueryKind::Always(formula) = &query.kind {
                formula.for_each_constraint(&mut |constraint| {
                    join(&mut this.clocks, &constraint.left);
                    constraint.right.iter().for_each(|right| join(&mut this.clocks, right));
                });
            }
        }
        this
    }

    /// Joins the integers that `length` integers from a place on can denote.
    fn storage(&mut self, place: &Place<Storage>, length: u32) {
        if is_computed(place) {
            let (list, first) = match place.root {
                Storage::Cell(id) => (&mut self.cells, id.index()),
                Storage::Local(id) => (&mut self.locals, id.index()),
                Storage::Constant(id) => (&mut self.constants, id.index()),
            };
            list.push(first..first + place.extent() + length.max(1) as usize);
        }
    }
}

/// Whether some index selects the element. An index of stride 0 does not: it is evaluated for its
/// effect.
fn is_computed<Root>(place: &Place<Root>) -> bool {
    place.indices.iter().any(|index| index.stride != 0)
}

fn join<I: Id>(list: &mut Vec<Range<usize>>, place: &Place<I>) {
    if is_computed(place) {
        list.push(place.root.index()..place.root.index() + place.extent() + 1);
    }
}
