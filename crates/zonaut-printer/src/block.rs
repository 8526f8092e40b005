//! Statements for expressions that the language cannot express.
//!
//! [`Block::value`] writes the statements that have to run first, and returns an expression for the
//! rest, which must be evaluated once, and next. Operands to the left of an operand that needs
//! statements are therefore saved in a variable before these statements.

use crate::code::{self, Code, displaced, number, symbol, unary};
use crate::shape::{compound, is_step};
use std::fmt::Write;
use zonaut_base::Id;
use zonaut_model::{
    Argument, BinaryOperator, Expression, ExpressionId, FunctionId, LocalId, Place, PlaceIndex,
    QuantifierKind, Statement, Storage, ValueOf,
};

/// The body of a function.
pub(crate) struct Block<'a> {
    code: Code<'a>,
    text: String,
    depth: usize,
    /// The number of variables for parts of expressions.
    parts: usize,
}

impl<'a> Block<'a> {
    pub(crate) fn new(code: Code<'a>) -> Self {
        Self { code, text: String::new(), depth: 1, parts: 0 }
    }

    /// The statements, preceded by the variables that they need.
    pub(crate) fn finish(self) -> String {
        let names = &self.code.context.names;
        let declare = |k| format!("    {ANY} {};\n", names.part(k));
        (0..self.parts).map(declare).collect::<String>() + &self.text
    }

    pub(crate) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    /// Statements inside of others.
    fn nested(&mut self, opening: &str, inside: impl FnOnce(&mut Self)) {
        self.line(opening);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
    }

    fn new_part(&mut self) -> String {
        self.parts += 1;
        self.code.context.names.part(self.parts - 1)
    }

    /// A variable that holds a value.
    fn kept(&mut self, value: &str) -> String {
        let part = self.new_part();
        self.line(&format!("{part} = {value};"));
        part
    }

    fn is_plain(&self, id: ExpressionId) -> bool {
        self.code.context.shapes.plain[id]
    }

    /// The statements of a body.
    pub(crate) fn statements(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.written(statement));
    }

    fn written(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(id) => self.statement(*id),
            Statement::If(condition, yes, no) => {
                let condition = self.value(*condition);
                self.nested(&format!("if ({condition}) {{"), |this| this.statements(yes));
                if !no.is_empty() {
                    self.nested("} else {", |this| this.statements(no));
                }
                self.line("}");
            }
            Statement::While(condition, body) if self.is_plain(*condition) => {
                let condition = self.value(*condition);
                self.nested(&format!("while ({condition}) {{"), |this| this.statements(body));
                self.line("}");
            }
            Statement::While(condition, body) => {
                let goes_on = self.kept("1");
                self.nested(&format!("while ({goes_on} != 0) {{"), |this| {
                    let value = this.value(*condition);
                    this.line(&format!("{goes_on} = ({value} ? 1 : 0);"));
                    this.nested(&format!("if ({goes_on} != 0) {{"), |this| this.statements(body));
                    this.line("}");
                });
                self.line("}");
            }
            Statement::DoWhile(body, condition) if self.is_plain(*condition) => {
                self.nested("do {", |this| this.statements(body));
                let condition = self.value(*condition);
                self.line(&format!("}} while ({condition});"));
            }
            Statement::DoWhile(body, condition) => {
                let goes_on = self.new_part();
                self.nested("do {", |this| {
                    this.statements(body);
                    let value = this.value(*condition);
                    this.line(&format!("{goes_on} = ({value} ? 1 : 0);"));
                });
                self.line(&format!("}} while ({goes_on} != 0);"));
            }
            Statement::Iterate { binder, low, high, body } => {
                self.iterate(*binder, *low, *high, |this| this.statements(body));
            }
            Statement::Return(None) => self.line("return;"),
            Statement::Return(Some(value)) => {
                let value = self.value(*value);
                self.line(&format!("return {value};"));
            }
            Statement::ReturnContent { source, target, .. } => {
                let to = Place::fixed(Storage::Local(target.first));
                self.copy(&to, source, target.length);
                self.line("return;");
            }
            Statement::Assert(condition) => {
                let condition = self.value(*condition);
                self.line(&format!("assert({condition});"));
            }
        }
    }

    fn iterate(&mut self, binder: LocalId, low: i32, high: i32, body: impl FnOnce(&mut Self)) {
        // The parser rejects an empty range.
        if low > high {
            return;
        }
        let name = self.code.context.names.local(binder.index());
        self.nested(&format!("for ({name} : int[{low},{high}]) {{"), body);
        self.line("}");
    }

    /// Evaluates an expression for its effect, or for its run-time error.
    pub(crate) fn statement(&mut self, id: ExpressionId) {
        let context = self.code.context;
        match &context.model.expressions[id] {
            Expression::Sequence(parts) => parts.iter().for_each(|&part| self.statement(part)),
            Expression::Conditional(condition, yes, no) => {
                let condition = self.value(*condition);
                self.nested(&format!("if ({condition}) {{"), |this| this.statement(*yes));
                self.nested("} else {", |this| this.statement(*no));
                self.line("}");
            }
            Expression::CopyContent(target, source, length) => self.copy(target, source, *length),
            Expression::Assign { place, operator, value, result } if !self.is_plain(id) => {
                if let (text, true) = self.assign(place, *operator, *result, *value) {
                    self.line(&format!("{text};"));
                }
            }
            Expression::Assign { .. }
            | Expression::AssignClock(..)
            | Expression::CopyClock(..)
            | Expression::AddCost(_)
            | Expression::Call(..) => {
                let text = if self.is_plain(id) { self.code.effect(id) } else { self.value(id) };
                self.line(&format!("{text};"));
            }
            _ if self.is_plain(id) && context.shapes.repeatable[id] && !context.may_fail(id) => {}
            _ => {
                let value = self.value(id);
                self.kept(&value);
            }
        }
    }

    /// An expression for the value of `id`, after the statements that it needs.
    pub(crate) fn value(&mut self, id: ExpressionId) -> String {
        if self.is_plain(id) {
            return self.code.expression(id);
        }
        match &self.code.context.model.expressions[id] {
            Expression::Unary(operator, inner) => {
                let inner = self.value(*inner);
                unary(*operator, &inner)
            }
            Expression::Binary(..) | Expression::And(..) | Expression::Or(..) => self.chain(id),
            Expression::Conditional(condition, yes, no) => {
                let (condition, chosen) = (self.value(*condition), self.new_part());
                for (opening, side) in
                    [(format!("if ({condition}) {{"), *yes), ("} else {".to_owned(), *no)]
                {
                    self.nested(&opening, |this| {
                        let value = this.value(side);
                        this.line(&format!("{chosen} = {value};"));
                    });
                }
                self.line("}");
                chosen
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                self.quantifier(*kind, *binder, *low, *high, *body)
            }
            Expression::Read(place) => {
                let indices = self.indices(&place.indices, false);
                self.code.place_at(place, &indices)
            }
            Expression::SameContent(left, right, length) => {
                let [of_left, of_right] =
                    [left, right].map(|place| self.indices(&place.indices, true));
                let left = self.code.contents(left, &of_left, *length);
                let right = self.code.contents(right, &of_right, *length);
                code::same(&left, &right)
            }
            Expression::Assign { place, operator, value, result } => {
                match self.assign(place, *operator, *result, *value) {
                    (text, true) => format!("({text})"),
                    (text, false) => text,
                }
            }
            Expression::Call(function, arguments) => self.call(*function, arguments),
            Expression::AssignClock(clock, value) => {
                let indices = self.indices(&clock.indices, !self.is_plain(*value));
                let value = self.value(*value);
                format!("{} = {value}", self.code.clock_at(clock, &indices))
            }
            Expression::CopyClock(target, source) => {
                let to = self.indices(&target.indices, true);
                let from = self.indices(&source.indices, false);
                let target = self.code.clock_at(target, &to);
                format!("{target} = {}", self.code.clock_at(source, &from))
            }
            Expression::AddCost(value) => format!("cost += {}", self.value(*value)),
            Expression::Sequence(parts) => match parts.split_last() {
                Some((last, first)) => {
                    first.iter().for_each(|&part| self.statement(part));
                    self.value(*last)
                }
                None => "0".to_owned(),
            },
            Expression::CopyContent(target, source, length) => {
                self.copy(target, source, *length);
                "0".to_owned()
            }
            Expression::Constant(value) => number(*value),
            Expression::At(..) => self.code.expression(id),
        }
    }

    /// A left-leaning chain of which some part needs statements.
    fn chain(&mut self, id: ExpressionId) -> String {
        let expressions = &self.code.context.model.expressions;
        let (mut links, mut left) = (Vec::new(), id);
        while !self.is_plain(left) {
            links.push(left);
            left = match expressions[left] {
                Expression::And(left, _)
                | Expression::Or(left, _)
                | Expression::Binary(_, left, _) => left,
                _ => {
                    links.pop();
                    break;
                }
            };
        }
        let mut value = self.value(left);
        for link in links.into_iter().rev() {
            value = match expressions[link] {
                Expression::Binary(operator, _, right) => {
                    if !self.is_plain(right) {
                        value = self.kept(&value);
                    }
                    let right = self.value(right);
                    format!("({value} {} {right})", symbol(operator))
                }
                Expression::And(_, right) => self.decided(&value, right, true),
                Expression::Or(_, right) => self.decided(&value, right, false),
                _ => value,
            };
        }
        value
    }

    /// A conjunction or a disjunction: the right side is evaluated if the left one does not decide.
    fn decided(&mut self, left: &str, right: ExpressionId, is_conjunction: bool) -> String {
        let sign = if is_conjunction { "&&" } else { "||" };
        if self.is_plain(right) {
            let right = self.value(right);
            return format!("({left} {sign} {right})");
        }
        let result = self.kept(&format!("({left} ? 1 : 0)"));
        let goes_on = if is_conjunction { "!=" } else { "==" };
        self.nested(&format!("if ({result} {goes_on} 0) {{"), |this| {
            let right = this.value(right);
            this.line(&format!("{result} = ({right} ? 1 : 0);"));
        });
        self.line("}");
        result
    }

    fn quantifier(
        &mut self,
        kind: QuantifierKind,
        binder: LocalId,
        low: i32,
        high: i32,
        body: ExpressionId,
    ) -> String {
        let result = self.kept(if kind == QuantifierKind::ForAll { "1" } else { "0" });
        self.iterate(binder, low, high, |this| {
            if kind == QuantifierKind::Sum {
                let value = this.value(body);
                this.line(&format!("{result} = {result} + {value};"));
                return;
            }
            let undecided = i32::from(kind == QuantifierKind::ForAll);
            this.nested(&format!("if ({result} == {undecided}) {{"), |this| {
                let value = this.value(body);
                this.line(&format!("{result} = ({value} ? 1 : 0);"));
            });
            this.line("}");
        });
        result
    }

    /// Indices, saved in variables if they are used several times or if other code runs before.
    fn indices(&mut self, indices: &[PlaceIndex], is_kept: bool) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for (position, index) in indices.iter().enumerate() {
            if index.stride == 0 {
                // It selects nothing, and is evaluated for its effect.
                self.statement(index.value);
                texts.push("0".to_owned());
                continue;
            }
            let text = self.value(index.value);
            let runs_before = |next: &PlaceIndex| next.stride == 0 || !self.is_plain(next.value);
            let is_kept = is_kept || indices[position + 1..].iter().any(runs_before);
            let is_constant = self.code.context.shapes.constant[index.value];
            texts.push(if is_kept && !is_constant { self.kept(&text) } else { text });
        }
        texts
    }

    /// An assignment that remains to be evaluated, or its value, if it was executed already.
    fn assign(
        &mut self,
        place: &Place<Storage>,
        operator: Option<BinaryOperator>,
        result: ValueOf,
        value: ExpressionId,
    ) -> (String, bool) {
        let context = self.code.context;
        let is_narrow = context.names.narrower_range(context.model, place).is_some();
        let is_one = matches!(context.model.expressions[value], Expression::Constant(1));
        let has_form = match operator {
            None => result == ValueOf::After,
            Some(_) if is_narrow => false,
            Some(operator) => {
                is_step(operator, result) && is_one
                    || result == ValueOf::After && compound(operator).is_some()
            }
        };
        let indices = self.indices(&place.indices, !has_form || !self.is_plain(value));
        let target = self.code.place_at(place, &indices);
        let value = self.value(value);
        if has_form {
            return (self.code.assignment(place, &target, operator, result, &value), true);
        }
        let value = self.kept(&value);
        let before = self.kept(&target);
        let after = match operator {
            Some(operator) => format!("({before} {} {value})", symbol(operator)),
            None => value,
        };
        let after = self.kept(&after);
        let stored = self.code.narrowed(place, &after);
        self.line(&format!("{target} = {stored};"));
        (if result == ValueOf::Before { before } else { after }, false)
    }

    /// Copies content. If the places may overlap, everything is read before anything is written.
    fn copy(&mut self, target: &Place<Storage>, source: &Place<Storage>, length: u32) {
        let to = self.indices(&target.indices, true);
        let from = self.indices(&source.indices, true);
        let mut content = self.code.contents(source, &from, length);
        if may_overlap(target, source, length) {
            content = content.iter().map(|element| self.kept(element)).collect();
        }
        for (k, value) in content.iter().enumerate() {
            let element = displaced(target, k);
            let (element, value) =
                (self.code.place_at(&element, &to), self.code.narrowed(&element, value));
            self.line(&format!("{element} = {value};"));
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument]) -> String {
        let parameters = &self.code.context.model.functions[function].parameters;
        let needs_statements = |argument: &Argument| match argument {
            Argument::Value(value) => !self.is_plain(*value),
            Argument::Content(place) => {
                let is_plain = |index: &PlaceIndex| self.is_plain(index.value);
                !place.indices.iter().all(is_plain)
                    || !self.code.context.shapes.is_repeatable(place)
            }
        };
        let needs: Vec<bool> = arguments.iter().map(needs_statements).collect();
        let mut texts = Vec::new();
        for (position, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            let mut values = match argument {
                Argument::Value(value) => vec![self.value(*value)],
                Argument::Content(place) => {
                    let indices = self.indices(&place.indices, needs[position]);
                    self.code.contents(place, &indices, parameter.length)
                }
            };
            if needs[position + 1..].contains(&true) {
                values = values.iter().map(|value| self.kept(value)).collect();
            }
            texts.extend(values);
        }
        self.code.call(function, texts)
    }
}

/// The type that holds every number.
pub(crate) const ANY: &str = "int[-2147483648,2147483647]";

/// Whether content can be copied integer by integer, without preparation.
pub(crate) fn is_simple_copy(
    target: &Place<Storage>,
    source: &Place<Storage>,
    length: u32,
) -> bool {
    target.is_fixed() && source.is_fixed() && !may_overlap(target, source, length)
}

/// Whether an integer may be in both places.
fn may_overlap(target: &Place<Storage>, source: &Place<Storage>, length: u32) -> bool {
    let ends = |place: &Place<Storage>| {
        let (space, first) = match place.root {
            Storage::Cell(id) => (0, id.index()),
            Storage::Local(id) => (1, id.index()),
            Storage::Constant(id) => (2, id.index()),
        };
        (space, first, first + place.extent() + length as usize)
    };
    let (a, b) = (ends(target), ends(source));
    a.0 == b.0 && a.1 < b.2 && b.1 < a.2
}
