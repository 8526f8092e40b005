//! Specifications as XTA text.

use super::{
    Atom, ChannelPriority, ChannelSpecification, Comparison, EdgeSpecification, Function, Label,
    Operator, ProcessSpecification, Specification, Update, Value, VariableSpecification,
};
use std::fmt::Write;
use zonaut_model::{Direction, LocationKind, Relation};

impl Specification {
    /// The model as XTA text, without its query.
    #[must_use]
    pub fn to_xta(&self) -> String {
        let mut text = String::new();
        let printed = self.print(&mut text);
        debug_assert!(printed.is_ok(), "writing to a string cannot fail");
        text
    }

    /// The query.
    #[must_use]
    pub fn query_text(&self) -> String {
        let query = &self.query;
        let mut parts: Vec<String> = query
            .locations
            .iter()
            .map(|(process, location)| format!("P{process}.l{location}"))
            .collect();
        parts.extend(query.atoms.iter().map(|atom| self.atom(atom, None)));
        parts.extend(query.data.as_ref().map(comparison));
        let not_at = |(process, location): &(usize, usize)| format!("not P{process}.l{location}");
        parts.extend(query.elsewhere.iter().map(not_at));
        let of_deadlock = |is_dead| if is_dead { "deadlock" } else { "not deadlock" }.to_owned();
        parts.extend(query.deadlock.map(of_deadlock));
        if parts.is_empty() {
            parts.push("true".to_owned());
        }
        let mut goal = parts.join(" && ");
        if let Some((process, location)) = query.alternative {
            goal = format!("P{process}.l{location} || ({goal})");
        }
        if query.possibly { format!("E<> {goal}") } else { format!("A[] not ({goal})") }
    }

    fn print(&self, text: &mut String) -> std::fmt::Result {
        for (clock, specification) in self.clocks.iter().enumerate() {
            if specification.owner.is_none() {
                writeln!(text, "clock x{clock};")?;
            }
        }
        for (position, variable) in self.variables.iter().enumerate() {
            let prefix = if variable.meta { "meta " } else { "" };
            let VariableSpecification { high, initial, .. } = variable;
            writeln!(text, "{prefix}int[0,{high}] v{position} = {initial};")?;
        }
        for (position, channel) in self.channels.iter().enumerate() {
            writeln!(text, "{}", channel_declaration(position, *channel))?;
        }
        if self.orders_channels() {
            writeln!(text, "chan priority {};", self.channel_levels())?;
        }
        if self.uses_array() {
            writeln!(text, "int[0,3] a[3];")?;
        }
        for function in self.functions() {
            writeln!(text, "{}", definition(function))?;
        }
        for (position, process) in self.processes.iter().enumerate() {
            self.print_process(text, position, process)?;
        }
        write!(text, "system ")?;
        for (position, process) in self.processes.iter().enumerate() {
            let separator = if process.rises { " < " } else { ", " };
            write!(text, "{}P{position}", if position > 0 { separator } else { "" })?;
        }
        writeln!(text, ";")
    }

    /// The channels by their priorities, the lowest first.
    fn channel_levels(&self) -> String {
        let level = |wanted: ChannelPriority| {
            let channels = self.channels.iter().enumerate();
            let wanted = channels.filter(move |(_, channel)| channel.priority == wanted);
            let elements = |(position, channel): (usize, &ChannelSpecification)| match channel.size
            {
                None => vec![format!("c{position}")],
                Some(size) => (0..size).map(|k| format!("c{position}[{k}]")).collect(),
            };
            wanted.flat_map(elements).collect::<Vec<_>>().join(", ")
        };
        let levels =
            [level(ChannelPriority::Low), "default".to_owned(), level(ChannelPriority::High)];
        let levels: Vec<String> = levels.into_iter().filter(|level| !level.is_empty()).collect();
        levels.join(" < ")
    }

    fn print_process(
        &self,
        text: &mut String,
        position: usize,
        process: &ProcessSpecification,
    ) -> std::fmt::Result {
        writeln!(text, "process P{position}() {{")?;
        for (clock, specification) in self.clocks.iter().enumerate() {
            if specification.owner == Some(position) {
                writeln!(text, "    clock x{clock};")?;
            }
        }
        let locations: Vec<String> = (process.locations.iter().enumerate())
            .map(|(l, location)| {
                let mut parts: Vec<String> = location.data.iter().map(comparison).collect();
                parts.extend(location.invariant.iter().map(|atom| self.atom(atom, Some(position))));
                if parts.is_empty() {
                    format!("l{l}")
                } else {
                    format!("l{l} {{ {} }}", parts.join(" && "))
                }
            })
            .collect();
        writeln!(text, "    state {};", locations.join(", "))?;
        for (keyword, kind) in
            [("commit", LocationKind::Committed), ("urgent", LocationKind::Urgent)]
        {
            let names: Vec<String> = (process.locations.iter().enumerate())
                .filter(|(_, location)| location.kind == kind)
                .map(|(l, _)| format!("l{l}"))
                .collect();
            if !names.is_empty() {
                writeln!(text, "    {keyword} {};", names.join(", "))?;
            }
        }
        writeln!(text, "    init l0;")?;
        let edges: Vec<String> =
            process.edges.iter().map(|edge| self.edge(edge, position)).collect();
        if !edges.is_empty() {
            writeln!(text, "    trans\n{};", edges.join(",\n"))?;
        }
        writeln!(text, "}}")
    }

    fn edge(&self, edge: &EdgeSpecification, process: usize) -> String {
        let mut labels = String::new();
        if let Some(high) = edge.select {
            labels += &format!(" select s : int[0,{high}];");
        }
        let mut guard: Vec<String> = edge.data.iter().map(comparison).collect();
        guard.extend(edge.guard.iter().map(|atom| self.atom(atom, Some(process))));
        if !guard.is_empty() {
            labels += &format!(" guard {};", guard.join(" && "));
        }
        if let Some(label) = &edge.synchronisation {
            labels += &format!(" sync {};", synchronisation(label));
        }
        let updates: Vec<String> = edge.updates.iter().map(update).collect();
        if !updates.is_empty() {
            labels += &format!(" assign {};", updates.join(", "));
        }
        format!("        l{} -> l{} {{{labels} }}", edge.source, edge.target)
    }

    /// A clock constraint as it is written inside `process`, or in the query.
    fn atom(&self, atom: &Atom, process: Option<usize>) -> String {
        let clock = |clock: usize| match self.clocks[clock].owner {
            Some(owner) if process.is_none() => format!("P{owner}.x{clock}"),
            _ => format!("x{clock}"),
        };
        let right = atom.right.map_or(String::new(), |right| format!(" - {}", clock(right)));
        let relation = match atom.relation {
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Equal => "==",
            Relation::GreaterEqual => ">=",
            Relation::Greater => ">",
        };
        format!("{}{right} {relation} {}", clock(atom.left), value(&atom.bound))
    }
}

fn channel_declaration(position: usize, channel: ChannelSpecification) -> String {
    let urgent = if channel.urgent { "urgent " } else { "" };
    let broadcast = if channel.broadcast { "broadcast " } else { "" };
    let size = channel.size.map_or(String::new(), |size| format!("[{size}]"));
    format!("{urgent}{broadcast}chan c{position}{size};")
}

fn synchronisation(label: &Label) -> String {
    let index = label.index.as_ref().map_or(String::new(), |index| format!("[{}]", value(index)));
    let side = if label.direction == Direction::Send { "!" } else { "?" };
    format!("c{}{index}{side}", label.channel)
}

fn comparison(comparison: &Comparison) -> String {
    let operator = match comparison.operator {
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
    };
    format!("{} {operator} {}", value(&comparison.left), value(&comparison.right))
}

fn update(update: &Update) -> String {
    match update {
        Update::Set(variable, to) => format!("v{variable} = {}", value(to)),
        Update::SetElement(index, to) => format!("a[{}] = {}", value(index), value(to)),
        Update::Reset(clock, to) => format!("x{clock} = {}", value(to)),
        Update::Copy(to, from) => format!("x{to} = x{from}"),
    }
}

fn value(number: &Value) -> String {
    match number {
        Value::Constant(number) => number.to_string(),
        Value::Variable(variable) => format!("v{variable}"),
        Value::Selected => "s".to_owned(),
        Value::Element(index) => format!("a[{}]", value(index)),
        Value::Sum(left, right) => format!("({} + {})", value(left), value(right)),
        Value::Remainder(number, by) => format!("({} % {by})", value(number)),
        Value::Call(function, argument) => format!("{}({})", name(*function), value(argument)),
    }
}

fn name(function: Function) -> &'static str {
    match function {
        Function::Clip => "clip",
        Function::Triangle => "triangle",
    }
}

fn definition(function: Function) -> &'static str {
    match function {
        Function::Clip => "int clip(int n) { if (n > 2) return 2; return n; }",
        Function::Triangle => {
            "int triangle(int n) { int total = 0; int i = 0; \
             while (i < n && i < 2) { i++; total += i; } return total; }"
        }
    }
}
