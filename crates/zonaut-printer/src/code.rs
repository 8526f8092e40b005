//! Printing of expressions.

use crate::context::Context;
use crate::names::Blocks;
use crate::shape::{compound, is_step};
use zonaut_base::Id;
use zonaut_model::{
    Argument, BinaryOperator, ChannelId, ClockConstraint, ClockId, Expression, ExpressionId,
    Formula, FunctionId, Place, PlaceIndex, QuantifierKind, Relation, Storage, UnaryOperator,
    ValueOf, interpret,
};

/// A printer of expressions.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) context: &'a Context<'a>,
    /// Whether it is outside of functions, where temporary storage cannot be declared: an
    /// expression that needs some becomes a function call.
    pub(crate) is_outside: bool,
}

impl Code<'_> {
    /// A formula, in the syntax of queries.
    pub(crate) fn formula(self, formula: &Formula) -> String {
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
    pub(crate) fn constraint(self, constraint: &ClockConstraint) -> String {
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
    pub(crate) fn channel(self, place: &Place<ChannelId>) -> String {
        let indices = self.indices(&place.indices);
        self.element(&self.context.names.channels, place, &indices)
    }

    /// The offset of the selected element from the root; every index is checked.
    pub(crate) fn displacement(self, indices: &[PlaceIndex]) -> String {
        let texts = self.indices(indices);
        let terms: Vec<String> =
            indices.iter().zip(&texts).map(|(index, text)| self.term(index, text, true)).collect();
        terms.join(" + ")
    }

    fn clock(self, place: &Place<ClockId>) -> String {
        self.clock_at(place, &self.indices(&place.indices))
    }

    /// A clock with these indices.
    pub(crate) fn clock_at(self, place: &Place<ClockId>, indices: &[String]) -> String {
        self.element(&self.context.names.clocks, place, indices)
    }

    fn place(self, place: &Place<Storage>) -> String {
        self.place_at(place, &self.indices(&place.indices))
    }

    /// A place with these indices.
    pub(crate) fn place_at(self, place: &Place<Storage>, indices: &[String]) -> String {
        let names = &self.context.names;
        match place.root {
            Storage::Cell(id) => self.element(&names.cells, &moved(place, id.index()), indices),
            Storage::Local(id) => self.element(&names.locals, &moved(place, id.index()), indices),
            Storage::Constant(id) if !names.constants.is_array(id.index()) => {
                number(self.context.model.constants[id])
            }
            Storage::Constant(id) => {
                self.element(&names.constants, &moved(place, id.index()), indices)
            }
        }
    }

    fn indices(self, indices: &[PlaceIndex]) -> Vec<String> {
        indices.iter().map(|index| self.expression(index.value)).collect()
    }

    /// An element of an array. An index is out of range in the text whenever it is in the model:
    /// either it is the only one of the whole array, or it is checked before it is used.
    fn element<Root: Id>(self, blocks: &Blocks, place: &Place<Root>, indices: &[String]) -> String {
        let root = place.root.index();
        let block = blocks.block(root);
        let is_checked = |index: &PlaceIndex| {
            let is_whole = place.indices.len() == 1
                && index.stride == 1
                && block.start == root
                && block.len() == index.size as usize;
            // The parser rejects a constant that is out of range.
            let is_number = self.context.shapes.constant[index.value];
            !self.context.index_fits(index) && (!is_whole || is_number)
        };
        let terms = place.indices.iter().zip(indices);
        let terms: Vec<String> = terms
            .filter(|(index, _)| index.stride != 0)
            .map(|(index, text)| self.term(index, text, is_checked(index)))
            .collect();
        blocks.element(root, &terms.join(" + "))
    }

    /// The contribution of an index to the displacement.
    fn term(self, index: &PlaceIndex, text: &str, is_checked: bool) -> String {
        let high = i64::from(index.low) + i64::from(index.size) - 1;
        let value = if is_checked {
            self.context.checked(i64::from(index.low), high, text)
        } else {
            text.to_owned()
        };
        let moved =
            if index.low == 0 { value } else { format!("({value} - {})", number(index.low)) };
        if index.stride == 1 { moved } else { format!("{moved} * {}", index.stride) }
    }

    /// An expression for its effect, without parentheses around it.
    pub(crate) fn effect(self, id: ExpressionId) -> String {
        match &self.context.model.expressions[id] {
            Expression::Assign { place, operator, value, result } => {
                let (target, value) = (self.place(place), self.expression(*value));
                self.assignment(place, &target, *operator, *result, &value)
            }
            Expression::AssignClock(clock, value) => {
                format!("{} = {}", self.clock(clock), self.expression(*value))
            }
            Expression::CopyClock(target, source) => {
                format!("{} = {}", self.clock(target), self.clock(source))
            }
            Expression::AddCost(value) => format!("cost += {}", self.expression(*value)),
            _ => self.expression(id),
        }
    }

    /// An expression, in parentheses if it needs them.
    pub(crate) fn expression(self, id: ExpressionId) -> String {
        let context = self.context;
        if self.is_outside && !context.shapes.plain_outside[id] && !context.is_divisible(id) {
            return context.value_call(id);
        }
        match &context.model.expressions[id] {
            Expression::Constant(value) => number(*value),
            Expression::Read(place) => self.place(place),
            Expression::At(process, location) if self.is_outside => {
                let names = &context.names;
                format!("{}.{}", names.process(*process), names.location(*process, *location))
            }
            Expression::At(process, location) => context.names.presence(*process, *location),
            Expression::Unary(operator, inner) => unary(*operator, &self.expression(*inner)),
            Expression::Binary(..) | Expression::And(..) | Expression::Or(..) => self.chain(id),
            Expression::Conditional(condition, yes, no) => {
                let [condition, yes, no] = [*condition, *yes, *no].map(|id| self.expression(id));
                format!("({condition} ? {yes} : {no})")
            }
            Expression::Quantifier { kind, low, high, .. } if low > high => {
                i32::from(*kind == QuantifierKind::ForAll).to_string()
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                let word = match kind {
                    QuantifierKind::ForAll => "forall",
                    QuantifierKind::Exists => "exists",
                    QuantifierKind::Sum => "sum",
                };
                let (name, body) = (context.names.local(binder.index()), self.expression(*body));
                format!("({word} ({name} : int[{low},{high}]) {body})")
            }
            Expression::SameContent(left, right, length) => {
                let [left, right] = [left, right]
                    .map(|place| self.contents(place, &self.indices(&place.indices), *length));
                same(&left, &right)
            }
            Expression::Call(function, arguments) => {
                let parameters = &context.model.functions[*function].parameters;
                let texts =
                    arguments.iter().zip(parameters).map(|(argument, parameter)| match argument {
                        Argument::Value(value) => vec![self.expression(*value)],
                        Argument::Content(place) => {
                            self.contents(place, &self.indices(&place.indices), parameter.length)
                        }
                    });
                self.call(*function, texts.flatten().collect())
            }
            Expression::Assign { .. }
            | Expression::AssignClock(..)
            | Expression::CopyClock(..)
            | Expression::AddCost(_) => format!("({})", self.effect(id)),
            Expression::CopyContent(..) | Expression::Sequence(_) => {
                unreachable!("invariant: statements are written for it")
            }
        }
    }

    /// A left-leaning chain, which may be very long.
    fn chain(self, id: ExpressionId) -> String {
        let context = self.context;
        let is_simple = |id: ExpressionId| !self.is_outside || context.shapes.plain_outside[id];
        let (mut links, mut left) = (Vec::new(), id);
        loop {
            let (sign, next, right) = match context.model.expressions[left] {
                Expression::And(left, right) => ("&&", left, right),
                Expression::Or(left, right) => ("||", left, right),
                Expression::Binary(operator, left, right) => (symbol(operator), left, right),
                _ => break,
            };
            if left != id && !is_simple(left) {
                break;
            }
            links.push((sign, right));
            left = next;
        }
        let mut text = "(".repeat(links.len()) + &self.expression(left);
        for (sign, right) in links.into_iter().rev() {
            text = text + " " + sign + " " + &self.expression(right) + ")";
        }
        text
    }

    /// The integers from a place on.
    pub(crate) fn contents(
        self,
        place: &Place<Storage>,
        indices: &[String],
        length: u32,
    ) -> Vec<String> {
        (0..length as usize).map(|k| self.place_at(&displaced(place, k), indices)).collect()
    }

    /// The value assigned to a place, checked if the array that contains it has a wider range.
    pub(crate) fn narrowed(self, place: &Place<Storage>, value: &str) -> String {
        match self.context.names.narrower_range(self.context.model, place) {
            Some(range) => self.context.checked(range.low.into(), range.high.into(), value),
            None => value.to_owned(),
        }
    }

    /// An assignment that the language can express.
    pub(crate) fn assignment(
        self,
        place: &Place<Storage>,
        target: &str,
        operator: Option<BinaryOperator>,
        result: ValueOf,
        value: &str,
    ) -> String {
        match operator {
            None => format!("{target} = {}", self.narrowed(place, value)),
            Some(BinaryOperator::Add) if is_step(BinaryOperator::Add, result) => {
                format!("{target}++")
            }
            Some(operator) if is_step(operator, result) => format!("{target}--"),
            Some(operator) => {
                let sign = compound(operator).expect("invariant: there is such an assignment");
                format!("{target} {sign} {value}")
            }
        }
    }

    /// A call with these arguments, and with the storage that is passed in addition.
    pub(crate) fn call(self, function: FunctionId, mut arguments: Vec<String>) -> String {
        let context = self.context;
        let passed = &context.scopes.functions[function].passed;
        arguments
            .extend(passed.blocks.iter().map(|&block| context.names.locals.name(block).into()));
        arguments.extend(passed.bound.iter().map(|&local| context.names.local(local)));
        format!("{}({})", context.names.functions[function.index()], arguments.join(", "))
    }
}

/// The comparison of two contents for equality.
pub(crate) fn same(left: &[String], right: &[String]) -> String {
    let equal = left.iter().zip(right).map(|(left, right)| format!("{left} == {right}"));
    let all: Vec<String> = equal.collect();
    if all.is_empty() { "true".to_owned() } else { format!("({})", all.join(" && ")) }
}

/// The place `distance` integers after another one.
pub(crate) fn displaced(place: &Place<Storage>, distance: usize) -> Place<Storage> {
    Place { root: interpret::offset(place.root, distance), indices: place.indices.clone() }
}

fn moved(place: &Place<Storage>, root: usize) -> Place<zonaut_model::CellId> {
    Place { root: Id::from_index(root), indices: place.indices.clone() }
}

pub(crate) fn number(value: i32) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

/// The symbol of an operator.
pub(crate) fn symbol(operator: BinaryOperator) -> &'static str {
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

/// A prefix operator with its operand.
pub(crate) fn unary(operator: UnaryOperator, operand: &str) -> String {
    match operator {
        UnaryOperator::Negate => format!("(-({operand}))"),
        UnaryOperator::Not => format!("!({operand})"),
    }
}
