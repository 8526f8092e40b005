//! Printing of expressions with the fewest brackets that the grammar allows.
//!
//! The printer has an explicit stack: chains of operators are as deep as they are long.

use super::{declaration::binder, spelled};
use crate::parser::level;
use crate::tree::{
    AssignmentOperator, BinaryOperator, ExpressionId, ExpressionKind, Expressions, QuantifierKind,
    StepOperator, UnaryOperator,
};

/// The text of an expression.
#[must_use]
pub fn print_expression(expressions: &Expressions, id: ExpressionId) -> String {
    let mut out = String::new();
    print_above(expressions, id, level::ANY, &mut out);
    out
}

/// The text of a conjunction of expressions.
pub(super) fn print_conjunction(expressions: &Expressions, conjuncts: &[ExpressionId]) -> String {
    let mut out = String::new();
    match conjuncts {
        [] => {}
        [single] => print_above(expressions, *single, level::ANY, &mut out),
        [first, rest @ ..] => {
            let mut writer = Writer { expressions, out: &mut out, work: Vec::new() };
            for (count, &conjunct) in rest.iter().rev().enumerate() {
                let is_last = count == 0;
                writer.work.push(Item::Operand(conjunct, level::AND + 1, is_last));
                writer.work.push(Item::Text(" && "));
            }
            writer.work.push(Item::Operand(*first, level::AND, false));
            writer.run();
        }
    }
    out
}

/// Appends the text of an expression; operators that bind less tightly than `minimum` need
/// brackets.
pub(super) fn print_above(
    expressions: &Expressions,
    id: ExpressionId,
    minimum: u8,
    out: &mut String,
) {
    let work = vec![Item::Operand(id, minimum, true)];
    Writer { expressions, out, work }.run();
}

enum Item<'d> {
    Text(&'d str),
    Owned(String),
    /// An expression, its least binding strength without brackets, and whether it is the last part
    /// of the enclosing expression: a quantifier elsewhere would absorb the text after it.
    Operand(ExpressionId, u8, bool),
}

struct Writer<'d, 'o> {
    expressions: &'d Expressions,
    out: &'o mut String,
    work: Vec<Item<'d>>,
}

impl<'d> Writer<'d, '_> {
    fn run(&mut self) {
        while let Some(item) = self.work.pop() {
            match item {
                Item::Text(text) => self.text(text),
                Item::Owned(text) => self.text(&text),
                Item::Operand(id, minimum, is_last) => self.operand(id, minimum, is_last),
            }
        }
    }

    /// Appends `text`, after a blank if two operators would become one token.
    fn text(&mut self, text: &str) {
        let joint = (self.out.as_bytes().last(), text.as_bytes().first());
        if matches!(joint, (Some(b'-'), Some(b'-')) | (Some(b'+'), Some(b'+'))) {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    /// Pushes `items` on the stack, the first on top.
    fn push(&mut self, items: impl DoubleEndedIterator<Item = Item<'d>>) {
        self.work.extend(items.rev());
    }

    fn operand(&mut self, id: ExpressionId, minimum: u8, is_last: bool) {
        let kind: &'d ExpressionKind = &self.expressions[id].kind;
        let bracketed = match kind {
            ExpressionKind::Quantifier(..) => !is_last || minimum >= level::POSTFIX,
            _ => level_of(kind) < minimum,
        };
        if bracketed {
            self.push(
                [Item::Text("("), Item::Operand(id, level::ANY, true), Item::Text(")")].into_iter(),
            );
        } else {
            self.contents(kind, is_last);
        }
    }

    fn contents(&mut self, kind: &'d ExpressionKind, is_last: bool) {
        use Item::{Operand, Owned, Text};
        match kind {
            ExpressionKind::Integer(value) => self.text(&value.to_string()),
            ExpressionKind::Float(text) => self.text(text),
            ExpressionKind::Boolean(value) => self.text(if *value { "true" } else { "false" }),
            ExpressionKind::Text(text) => self.text(&format!("\"{text}\"")),
            ExpressionKind::Name(name) => self.text(&spelled(name)),
            ExpressionKind::Deadlock => self.text("deadlock"),
            ExpressionKind::Damaged => self.text("?"),
            ExpressionKind::Unary(operator, operand) => {
                let sign = unary_text(*operator);
                self.push([Text(sign), Operand(*operand, level::PREFIX, is_last)].into_iter());
            }
            ExpressionKind::Binary(operator, left, right) => {
                let above = crate::parser::binary_level(*operator);
                let items = [
                    Operand(*left, above, false),
                    Text(binary_text(*operator)),
                    Operand(*right, above + 1, is_last),
                ];
                self.push(items.into_iter());
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let items = [
                    Operand(*condition, level::CONDITIONAL + 1, false),
                    Text(" ? "),
                    Operand(*yes, level::ANY, true),
                    Text(" : "),
                    Operand(*no, level::CONDITIONAL, is_last),
                ];
                self.push(items.into_iter());
            }
            ExpressionKind::Assignment(operator, left, right) => {
                let items = [
                    Operand(*left, level::CONDITIONAL, false),
                    Text(assignment_text(*operator)),
                    Operand(*right, level::ASSIGNMENT, is_last),
                ];
                self.push(items.into_iter());
            }
            ExpressionKind::Step(operator, operand) => self.step(*operator, *operand, is_last),
            ExpressionKind::Index(array, index) => {
                let array = Operand(*array, level::POSTFIX, false);
                let index = Operand(*index, level::ANY, true);
                self.push([array, Text("["), index, Text("]")].into_iter());
            }
            ExpressionKind::Field(value, name) => {
                let value = Operand(*value, level::POSTFIX, false);
                self.push([value, Text("."), Owned(spelled(&name.text).into_owned())].into_iter());
            }
            ExpressionKind::Rate(clock) => {
                self.push([Operand(*clock, level::POSTFIX, false), Text("'")].into_iter());
            }
            ExpressionKind::Call(function, arguments) => {
                self.work.push(Text(")"));
                self.list(arguments);
                self.push([Operand(*function, level::POSTFIX, false), Text("(")].into_iter());
            }
            ExpressionKind::Spawn(template, arguments) => {
                self.work.push(Text(")"));
                self.list(arguments);
                self.work.push(Owned(format!("spawn {}(", spelled(&template.text))));
            }
            ExpressionKind::Quantifier(quantifier, bound, body) => {
                let head = format!(
                    "{} ({}) ",
                    quantifier_text(*quantifier),
                    binder(self.expressions, bound)
                );
                self.push([Owned(head), Operand(*body, level::ANY, true)].into_iter());
            }
            ExpressionKind::Sequence(list) => self.list(list),
        }
    }

    fn step(&mut self, operator: StepOperator, operand: ExpressionId, is_last: bool) {
        use Item::{Operand, Text};
        let (sign, before) = match operator {
            StepOperator::IncrementBefore => ("++", true),
            StepOperator::DecrementBefore => ("--", true),
            StepOperator::IncrementAfter => ("++", false),
            StepOperator::DecrementAfter => ("--", false),
        };
        if before {
            self.push([Text(sign), Operand(operand, level::PREFIX, is_last)].into_iter());
        } else {
            self.push([Operand(operand, level::POSTFIX, false), Text(sign)].into_iter());
        }
    }

    /// Pushes `list` on the stack, separated by commas.
    fn list(&mut self, list: &'d [ExpressionId]) {
        for (index, &id) in list.iter().enumerate().rev() {
            self.work.push(Item::Operand(id, level::ANY, true));
            if index > 0 {
                self.work.push(Item::Text(", "));
            }
        }
    }
}

fn level_of(kind: &ExpressionKind) -> u8 {
    match kind {
        ExpressionKind::Sequence(_) | ExpressionKind::Quantifier(..) => level::ANY,
        ExpressionKind::Assignment(..) => level::ASSIGNMENT,
        ExpressionKind::Conditional(..) => level::CONDITIONAL,
        ExpressionKind::Binary(operator, ..) => crate::parser::binary_level(*operator),
        ExpressionKind::Unary(..)
        | ExpressionKind::Step(StepOperator::IncrementBefore | StepOperator::DecrementBefore, _) => {
            level::PREFIX
        }
        _ => level::POSTFIX,
    }
}

fn quantifier_text(quantifier: QuantifierKind) -> &'static str {
    match quantifier {
        QuantifierKind::ForAll => "forall",
        QuantifierKind::Exists => "exists",
        QuantifierKind::Sum => "sum",
    }
}

fn unary_text(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::Plus => "+",
        UnaryOperator::Minus => "-",
        UnaryOperator::Not => "!",
    }
}

fn binary_text(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Power => " ** ",
        BinaryOperator::Multiply => " * ",
        BinaryOperator::Divide => " / ",
        BinaryOperator::Remainder => " % ",
        BinaryOperator::Add => " + ",
        BinaryOperator::Subtract => " - ",
        BinaryOperator::ShiftLeft => " << ",
        BinaryOperator::ShiftRight => " >> ",
        BinaryOperator::Minimum => " <? ",
        BinaryOperator::Maximum => " >? ",
        BinaryOperator::Less => " < ",
        BinaryOperator::LessEqual => " <= ",
        BinaryOperator::GreaterEqual => " >= ",
        BinaryOperator::Greater => " > ",
        BinaryOperator::Equal => " == ",
        BinaryOperator::NotEqual => " != ",
        BinaryOperator::BitAnd => " & ",
        BinaryOperator::BitXor => " ^ ",
        BinaryOperator::BitOr => " | ",
        BinaryOperator::And => " && ",
        BinaryOperator::Or => " || ",
        BinaryOperator::Xor => " xor ",
        BinaryOperator::Imply => " imply ",
    }
}

fn assignment_text(operator: AssignmentOperator) -> &'static str {
    match operator {
        AssignmentOperator::Set => " = ",
        AssignmentOperator::Add => " += ",
        AssignmentOperator::Subtract => " -= ",
        AssignmentOperator::Multiply => " *= ",
        AssignmentOperator::Divide => " /= ",
        AssignmentOperator::Remainder => " %= ",
        AssignmentOperator::BitAnd => " &= ",
        AssignmentOperator::BitOr => " |= ",
        AssignmentOperator::BitXor => " ^= ",
        AssignmentOperator::ShiftLeft => " <<= ",
        AssignmentOperator::ShiftRight => " >>= ",
    }
}
