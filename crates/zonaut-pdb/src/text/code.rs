//! Expressions and functions as text.

use super::locals_of;
use super::names::Names;
use std::fmt::Write;
use zonaut_base::Id;
use zonaut_model::{
    Argument, BinaryOperator, ChannelId, ClockConstraint, ClockId, Expression, ExpressionId,
    Formula, FunctionId, Model, Parameter, Place, PlaceIndex, QuantifierKind, Relation, Statement,
    Storage, UnaryOperator, ValueOf, interpret,
};

/// Writes code of a model.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) model: &'a Model,
    pub(super) names: &'a Names,
}

impl Code<'_> {
    /// A formula, as queries write it.
    pub(super) fn formula(self, formula: &Formula) -> String {
        let all = |parts: &[Formula], word: &str, empty: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.formula(part)).collect();
            if parts.is_empty() { empty.to_owned() } else { format!("({})", parts.join(word)) }
        };
        match formula {
            Formula::Data(id) => self.expression(*id),
            Formula::Clock(constraint) => self.constraint(constraint),
            Formula::Deadlock => "deadlock".to_owned(),
            Formula::Not(inner) => format!("not ({})", self.formula(inner)),
            Formula::And(parts) => all(parts, " and ", "true"),
            Formula::Or(parts) => all(parts, " or ", "false"),
        }
    }

    /// A clock constraint.
    pub(super) fn constraint(self, constraint: &ClockConstraint) -> String {
        let relation = match constraint.relation {
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Equal => "==",
            Relation::GreaterEqual => ">=",
            Relation::Greater => ">",
        };
        let left = self.clock(&constraint.left);
        let right =
            constraint.right.as_ref().map_or(String::new(), |y| format!(" - {}", self.clock(y)));
        let plain = format!("{left}{right} {relation} {}", self.expression(constraint.bound));
        match constraint.condition {
            Some(condition) => format!("({} imply {plain})", self.expression(condition)),
            None => plain,
        }
    }

    /// A channel.
    pub(super) fn channel(self, place: &Place<ChannelId>) -> String {
        self.names.channels.element(place.root.index(), &self.computed(&place.indices))
    }

    fn clock(self, place: &Place<ClockId>) -> String {
        self.names.clocks.element(place.root.index(), &self.computed(&place.indices))
    }

    fn place(self, place: &Place<Storage>) -> String {
        let computed = self.computed(&place.indices);
        match place.root {
            Storage::Cell(id) => self.names.cells.element(id.index(), &computed),
            Storage::Local(id) => self.names.locals.element(id.index(), &computed),
            Storage::Constant(id) if computed.is_empty() => number(self.model.constants[id]),
            Storage::Constant(id) => self.names.constants.element(id.index(), &computed),
        }
    }

    /// The displacement that indices make.
    fn computed(self, indices: &[PlaceIndex]) -> String {
        let term = |index: &PlaceIndex| {
            let value = self.expression(index.value);
            let moved =
                if index.low == 0 { value } else { format!("({value} - {})", number(index.low)) };
            if index.stride == 1 { moved } else { format!("{moved} * {}", index.stride) }
        };
        indices.iter().map(term).collect::<Vec<_>>().join(" + ")
    }

    /// An update of an edge.
    pub(super) fn update(self, id: ExpressionId) -> String {
        match &self.model.expressions[id] {
            Expression::CopyContent(target, source, length) => {
                self.copies(target, source, *length).join(", ")
            }
            Expression::Sequence(parts) => {
                parts.iter().map(|&part| self.update(part)).collect::<Vec<_>>().join(", ")
            }
            _ => self.expression(id),
        }
    }

    /// The assignments that copy content.
    fn copies(self, target: &Place<Storage>, source: &Place<Storage>, length: u32) -> Vec<String> {
        (0..length as usize)
            .map(|k| {
                let (target, source) = (displaced(target, k), displaced(source, k));
                format!("{} = {}", self.place(&target), self.place(&source))
            })
            .collect()
    }

    /// An expression, in parentheses where it needs them.
    pub(super) fn expression(self, id: ExpressionId) -> String {
        match &self.model.expressions[id] {
            Expression::Constant(value) => number(*value),
            Expression::Read(place) => self.place(place),
            Expression::At(process, location) => {
                format!(
                    "{}.{}",
                    self.names.process(*process),
                    self.names.location(*process, *location)
                )
            }
            Expression::Unary(UnaryOperator::Negate, inner) => {
                format!("(-{})", self.expression(*inner))
            }
            Expression::Unary(UnaryOperator::Not, inner) => {
                format!("!({})", self.expression(*inner))
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.expression(*left), self.expression(*right));
                format!("({left} {} {right})", symbol(*operator))
            }
            Expression::And(left, right) => {
                format!("({} && {})", self.expression(*left), self.expression(*right))
            }
            Expression::Or(left, right) => {
                format!("({} || {})", self.expression(*left), self.expression(*right))
            }
            Expression::Conditional(condition, yes, no) => {
                let [condition, yes, no] = [*condition, *yes, *no].map(|id| self.expression(id));
                format!("({condition} ? {yes} : {no})")
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                let word = match kind {
                    QuantifierKind::ForAll => "forall",
                    QuantifierKind::Exists => "exists",
                    QuantifierKind::Sum => "sum",
                };
                let (name, body) = (self.names.local(binder.index()), self.expression(*body));
                format!("({word} ({name} : int[{low},{high}]) {body})")
            }
            Expression::SameContent(left, right, length) => {
                let same = |k| {
                    let (left, right) = (displaced(left, k), displaced(right, k));
                    format!("{} == {}", self.place(&left), self.place(&right))
                };
                let all: Vec<String> = (0..*length as usize).map(same).collect();
                if all.is_empty() { "true".to_owned() } else { format!("({})", all.join(" && ")) }
            }
            Expression::Assign { place, operator, value, result } => {
                self.assignment(place, *operator, *value, *result)
            }
            Expression::CopyContent(..) | Expression::Sequence(_) => self.update(id),
            Expression::Call(function, arguments) => self.call(*function, arguments),
            Expression::AssignClock(clock, value) => {
                format!("{} = {}", self.clock(clock), self.expression(*value))
            }
            Expression::CopyClock(target, source) => {
                format!("{} = {}", self.clock(target), self.clock(source))
            }
            Expression::AddCost(value) => format!("cost += {}", self.expression(*value)),
        }
    }

    fn assignment(
        self,
        place: &Place<Storage>,
        operator: Option<BinaryOperator>,
        value: ExpressionId,
        result: ValueOf,
    ) -> String {
        let (target, text) = (self.place(place), self.expression(value));
        match operator {
            None => format!("{target} = {text}"),
            Some(BinaryOperator::Add) if result == ValueOf::Before => format!("{target}++"),
            Some(BinaryOperator::Subtract) if result == ValueOf::Before => format!("{target}--"),
            Some(operator) => format!("{target} = ({target} {} {text})", symbol(operator)),
        }
    }

    fn call(self, function: FunctionId, arguments: &[Argument]) -> String {
        let parameters = &self.model.functions[function].parameters;
        let mut all = Vec::new();
        for (argument, parameter) in arguments.iter().zip(parameters) {
            match argument {
                Argument::Value(value) => all.push(self.expression(*value)),
                Argument::Content(place) => all.extend(
                    (0..parameter.length as usize).map(|k| self.place(&displaced(place, k))),
                ),
            }
        }
        format!("{}({})", self.names.functions[function.index()], all.join(", "))
    }

    /// A function. Parameters are numbers, and copied to where the body expects them.
    pub(super) fn function(self, id: FunctionId) -> String {
        let function = &self.model.functions[id];
        let result = match function.result {
            Some(result) => self.range(result.first.index()),
            None => "void".to_owned(),
        };
        let parameters: Vec<usize> =
            function.parameters.iter().flat_map(|&p| elements(p)).collect();
        let declared: Vec<String> =
            parameters.iter().map(|&k| format!("{} argument_{k}", self.range(k))).collect();
        let name = &self.names.functions[id.index()];
        let mut text = format!("{result} {name}({})\n{{\n", declared.join(", "));
        let (mut locals, _) = locals_of(self.model, id);
        locals.extend(&parameters);
        locals.sort_unstable();
        locals.dedup();
        let mut known: Option<std::ops::Range<usize>> = None;
        for local in locals {
            let block = self.names.locals.block(local);
            if known.as_ref() == Some(block) {
                continue;
            }
            let _ = writeln!(
                text,
                "    {} {};",
                self.range_of_block(block),
                self.names.locals.declared(block)
            );
            known = Some(block.clone());
        }
        for &k in &parameters {
            let _ = writeln!(text, "    {} = argument_{k};", self.names.local(k));
        }
        self.body(&function.body, 1, &mut text);
        text + "}"
    }

    fn range(self, local: usize) -> String {
        format!("int{}", self.model.locals[Id::from_index(local)].range)
    }

    fn range_of_block(self, block: &std::ops::Range<usize>) -> String {
        let ranges = block.clone().map(|k| self.model.locals[Id::from_index(k)].range);
        let range = ranges.reduce(super::hull).unwrap_or(zonaut_model::Range::BOOLEAN);
        format!("int{range}")
    }

    fn body(self, body: &[Statement], depth: usize, text: &mut String) {
        let indent = "    ".repeat(depth);
        for statement in body {
            let _ = match statement {
                Statement::Expression(id) => match &self.model.expressions[*id] {
                    Expression::CopyContent(target, source, length) => {
                        let copies = self.copies(target, source, *length);
                        writeln!(text, "{indent}{};", copies.join("; "))
                    }
                    _ => writeln!(text, "{indent}{};", self.expression(*id)),
                },
                Statement::If(condition, yes, no) => {
                    let _ = writeln!(text, "{indent}if ({}) {{", self.expression(*condition));
                    self.body(yes, depth + 1, text);
                    let _ = writeln!(text, "{indent}}} else {{");
                    self.body(no, depth + 1, text);
                    writeln!(text, "{indent}}}")
                }
                Statement::While(condition, body) => {
                    let _ = writeln!(text, "{indent}while ({}) {{", self.expression(*condition));
                    self.body(body, depth + 1, text);
                    writeln!(text, "{indent}}}")
                }
                Statement::DoWhile(body, condition) => {
                    let _ = writeln!(text, "{indent}do {{");
                    self.body(body, depth + 1, text);
                    writeln!(text, "{indent}}} while ({});", self.expression(*condition))
                }
                Statement::Iterate { binder, low, high, body } => {
                    let name = self.names.local(binder.index());
                    let _ = writeln!(text, "{indent}for ({name} : int[{low},{high}]) {{");
                    self.body(body, depth + 1, text);
                    writeln!(text, "{indent}}}")
                }
                Statement::Return(value) => {
                    let value =
                        value.map_or(String::new(), |id| format!(" {}", self.expression(id)));
                    writeln!(text, "{indent}return{value};")
                }
                Statement::ReturnContent { source, .. } => {
                    writeln!(text, "{indent}return {};", self.place(source))
                }
                Statement::Assert(id) => {
                    writeln!(text, "{indent}assert({});", self.expression(*id))
                }
            };
        }
    }
}

fn elements(parameter: Parameter) -> std::ops::Range<usize> {
    parameter.first.index()..parameter.first.index() + parameter.length as usize
}

fn displaced(place: &Place<Storage>, distance: usize) -> Place<Storage> {
    Place { root: interpret::offset(place.root, distance), indices: place.indices.clone() }
}

fn number(value: i32) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

fn symbol(operator: BinaryOperator) -> &'static str {
    use BinaryOperator as B;
    match operator {
        B::Add => "+",
        B::Subtract => "-",
        B::Multiply => "*",
        B::Divide => "/",
        B::Remainder => "%",
        B::Power => "**",
        B::ShiftLeft => "<<",
        B::ShiftRight => ">>",
        B::Minimum => "<?",
        B::Maximum => ">?",
        B::BitAnd => "&",
        B::BitOr => "|",
        B::BitXor => "^",
        B::Less => "<",
        B::LessEqual => "<=",
        B::Equal => "==",
        B::NotEqual => "!=",
        B::GreaterEqual => ">=",
        B::Greater => ">",
    }
}
