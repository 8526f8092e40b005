//! Lowering of statements of functions.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, Operand, RealPlace, Side};
use crate::scope::{Access, Entity, Level, ScopeNames};
use crate::value_type::{StorageClass, Type};
use zonaut_base::Span;
use zonaut_model::interpret::offset;
use zonaut_model::statistical::{RealRole, RealUse};
use zonaut_model::{
    Effects, Expression, ExpressionId, LocalId, Place, ScalarUseKind, Statement, Storage, ValueOf,
};
use zonaut_syntax::tree::{
    self, Declaration, DeclarationKind, Declarator, Initializer, StatementKind, TypeExpression,
};

impl<'a> Lowering<'a> {
    /// Lowers a statement and appends it to `out`.
    pub(crate) fn statement(&mut self, statement: &'a tree::Statement, out: &mut Vec<Statement>) {
        match &statement.kind {
            StatementKind::Empty | StatementKind::Comment(_) => {}
            StatementKind::Block(declarations, body) => {
                self.scope.inner.push(ScopeNames::new());
                self.local_declarations(declarations, out);
                for statement in body {
                    self.statement(statement, out);
                }
                self.scope.inner.pop();
            }
            StatementKind::Expression(id) => {
                if let Some(id) = self.effect(*id) {
                    out.push(Statement::Expression(id));
                }
            }
            StatementKind::If(condition, yes, no) => {
                let span = self.span_of(*condition);
                let condition = self.number(*condition);
                let known = match condition {
                    Some(Code::Constant(value)) => Some(value != 0),
                    _ => None,
                };
                let yes = self.perhaps_dead(known == Some(false), |this| this.nested(yes));
                let no = no.as_ref().map_or_else(Vec::new, |no| {
                    self.perhaps_dead(known == Some(true), |this| this.nested(no))
                });
                match condition {
                    Some(condition) => {
                        let condition = self.expression_of(condition, span);
                        out.push(Statement::If(condition, yes, no));
                    }
                    None => self.record_loss(span),
                }
            }
            StatementKind::While(condition, body) => {
                let condition = self.condition(*condition);
                let body = self.nested(body);
                out.extend(condition.map(|condition| Statement::While(condition, body)));
            }
            StatementKind::DoWhile(body, condition) => {
                let body = self.nested(body);
                let condition = self.condition(*condition);
                out.extend(condition.map(|condition| Statement::DoWhile(body, condition)));
            }
            StatementKind::For(header, body) => {
                self.for_loop(header, body, statement.span, out);
            }
            StatementKind::Iterate(binder, body) => {
                let Some(values) = self.values_of(&binder.ty) else {
                    return self.record_loss(binder.ty.span);
                };
                if let Type::Scalar(set, _) = values.ty {
                    self.note_use(set, ScalarUseKind::Iteration);
                }
                let (binder, body) = self.with_bound(binder, &values, |this| this.nested(body));
                let (low, high) = (values.low, values.high);
                out.push(Statement::Iterate { binder, low, high, body });
            }
            StatementKind::Return(value) => self.return_statement(*value, statement.span, out),
            StatementKind::Assert(condition) => {
                self.effects.asserts = true;
                let condition = self.condition(*condition);
                out.extend(condition.map(Statement::Assert));
            }
        }
    }

    fn nested(&mut self, statement: &'a tree::Statement) -> Vec<Statement> {
        let mut out = Vec::new();
        self.statement(statement, &mut out);
        out
    }

    /// A condition on data.
    fn condition(&mut self, id: tree::ExpressionId) -> Option<ExpressionId> {
        let Some(code) = self.number(id) else {
            self.record_loss(self.span_of(id));
            return None;
        };
        Some(self.expression_of(code, self.span_of(id)))
    }

    fn for_loop(
        &mut self,
        [start, condition, step]: &'a [Option<tree::ExpressionId>; 3],
        body: &'a tree::Statement,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let start = start.and_then(|start| self.effect(start));
        out.extend(start.map(Statement::Expression));
        let condition = match condition {
            Some(condition) => self.condition(*condition),
            None => Some(self.push(Expression::Constant(1), span)),
        };
        let mut body = self.nested(body);
        let step = step.and_then(|step| self.effect(step));
        body.extend(step.map(Statement::Expression));
        out.extend(condition.map(|condition| Statement::While(condition, body)));
    }

    fn return_statement(
        &mut self,
        value: Option<tree::ExpressionId>,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let Some(context) = &mut self.return_context else { return };
        context.has_return = true;
        let (ty, result, real_result) = (context.ty.clone(), context.result, context.real_result);
        match (value, ty.class()) {
            (None, StorageClass::Void) => out.push(Statement::Return(None)),
            (None, _) => {
                let message = format!("a value of type {ty} must be returned");
                self.error(codes::RETURN, span, message, "write a value after `return`");
            }
            (Some(value), StorageClass::Void) => {
                let span = self.span_of(value);
                let help = "remove the value, or change the type of the function";
                self.error(codes::RETURN, span, "a void function returns no value", help);
            }
            (Some(value), StorageClass::Data) => {
                let value_span = self.span_of(value);
                let operand = self.operand(value);
                match (operand, result) {
                    (Operand::Data(data), Some(target)) if ty.is_aggregate() => {
                        if !data.ty.matches(&ty) {
                            let message = format!("a {} is not a {ty}", data.ty);
                            let help = "return a value of the type of the function";
                            self.error(codes::TYPE_MISMATCH, value_span, message, help);
                            return;
                        }
                        out.extend(data.prelude.into_iter().map(Statement::Expression));
                        let read = Place { root: data.place.root, indices: data.place.indices };
                        let at = self.push(Expression::Read(read.clone()), value_span);
                        out.push(Statement::ReturnContent { source: read, target, at });
                    }
                    (operand, _) if !ty.is_aggregate() => {
                        let Some(code) = self.converted(operand, &ty, value_span) else {
                            return self.record_loss(value_span);
                        };
                        let id = self.expression_of(code, value_span);
                        out.push(Statement::Return(Some(id)));
                    }
                    (Operand::Damaged, _) => self.record_loss(value_span),
                    (operand, _) => {
                        let message = format!("{} is not a {ty}", operand.describe());
                        let help = "return a value of the type of the function";
                        self.error(codes::TYPE_MISMATCH, value_span, message, help);
                    }
                }
            }
            (Some(value), StorageClass::Floating) => {
                let value_span = self.span_of(value);
                let operand = self.operand(value);
                let (Some(block), false) = (real_result, matches!(operand, Operand::Damaged))
                else {
                    return self.record_loss(value_span);
                };
                let target = RealPlace::fixed(block.first, ty);
                let value = Side { operand, span: value_span };
                match self.assign_real(target, value, value_span) {
                    Operand::Effect(id) => out.push(Statement::Expression(id)),
                    Operand::Real(code) => {
                        let stored = self.real_effect(code, Effects::default(), value_span);
                        out.extend(stored.map(Statement::Expression));
                    }
                    _ => self.record_loss(value_span),
                }
                out.push(Statement::Return(None));
            }
            (Some(value), _) => {
                self.operand(value);
                out.push(Statement::Return(None));
            }
        }
    }

    fn local_declarations(&mut self, declarations: &'a [Declaration], out: &mut Vec<Statement>) {
        for declaration in declarations {
            match &declaration.kind {
                DeclarationKind::Variables(ty, declarators) => {
                    let base = self.type_of(ty, None);
                    for declarator in declarators {
                        self.local_variable(&base, ty, declarator, out);
                    }
                }
                DeclarationKind::Typedef(ty, declarators) => {
                    self.typedef(ty, declarators, Level::Inner);
                }
                DeclarationKind::Comment(_) => {}
                _ => {
                    let message = "only variables and types can be declared in a function";
                    let help = "move the declaration out of the function";
                    self.error(codes::TYPE_HERE, declaration.span, message, help);
                }
            }
        }
    }

    fn local_variable(
        &mut self,
        base: &Type,
        written: &'a TypeExpression,
        declarator: &'a Declarator,
        out: &mut Vec<Statement>,
    ) {
        let name = &declarator.name;
        let ty = self.dimensioned(base.clone(), declarator);
        let entity = match ty.class() {
            StorageClass::Damaged => Entity::Damaged,
            StorageClass::Text if !ty.is_aggregate() => self.text_entity(declarator),
            StorageClass::Floating | StorageClass::Text => {
                self.local_reals(ty, written, declarator, out)
            }
            StorageClass::Data => {
                let is_constant = written.prefix.constant;
                self.local_data(ty, is_constant, declarator, out).unwrap_or(Entity::Damaged)
            }
            StorageClass::Clock | StorageClass::Channel | StorageClass::Void => {
                let message = format!("a function cannot have a local {ty}");
                let help = "declare it outside, and pass it by reference if need be";
                self.error(codes::TYPE_HERE, name.span, message, help);
                Entity::Damaged
            }
        };
        self.declare(Level::Inner, name, entity);
    }

    /// Floating-point storage for a local variable, initialised at every entry of its block.
    fn local_reals(
        &mut self,
        ty: Type,
        written: &'a TypeExpression,
        declarator: &'a Declarator,
        out: &mut Vec<Statement>,
    ) -> Entity {
        let name = &declarator.name;
        let access = if written.prefix.constant { Access::Constant } else { Access::Writable };
        let role = RealRole::Local;
        let Some(first) = self.allocate_reals(&name.text, &ty, role, &[], name.span) else {
            return Entity::Damaged;
        };
        let mut run = Vec::new();
        match &declarator.initializer {
            None => {
                let clear = RealUse::Clear(Place::fixed(first), ty.size() as u32);
                run.push(self.stand_in(clear, name.span));
            }
            Some(initializer) => self.initialise_reals(first, &ty, initializer, &mut run),
        }
        out.extend(run.into_iter().map(Statement::Expression));
        Entity::Real(Place::fixed(first), ty, access)
    }

    /// Storage for a local variable, initialised at every entry of its block.
    fn local_data(
        &mut self,
        ty: Type,
        is_constant: bool,
        declarator: &'a Declarator,
        out: &mut Vec<Statement>,
    ) -> Option<Entity> {
        let span = declarator.name.span;
        let ty = if is_constant { ty.of_constant() } else { ty };
        let first = self.allocate_locals(&declarator.name.text, &ty, span)?;
        let access = if is_constant { Access::Constant } else { Access::Writable };
        match &declarator.initializer {
            None => {
                self.note_start(&ty);
                self.initialise_by_default(first, &ty, span, out);
            }
            Some(Initializer::Value(id)) if !ty.is_aggregate() && is_constant => {
                // A local constant may depend on parameters; it is folded only if it does not.
                let value_span = self.span_of(*id);
                let operand = self.operand(*id);
                let code = self.converted(operand, &ty, value_span)?;
                if let Code::Constant(value) = code
                    && ty.range().contains(value.into())
                {
                    return Some(Entity::Constant(value, ty));
                }
                let assign = self.store(Storage::Local(first), code, value_span);
                out.push(Statement::Expression(assign));
            }
            Some(initializer) => {
                if matches!(initializer, Initializer::List(..)) {
                    self.note_list(&ty, ScalarUseKind::Start);
                }
                self.initialise(Storage::Local(first), &ty, initializer, out);
            }
        }
        Some(Entity::Data(Place::fixed(Storage::Local(first)), ty, access))
    }

    fn store(&mut self, to: Storage, code: Code, span: Span) -> ExpressionId {
        let value = self.expression_of(code, span);
        let place = Place::fixed(to);
        let assign = Expression::Assign { place, operator: None, value, result: ValueOf::After };
        self.push(assign, span)
    }

    fn initialise_by_default(
        &mut self,
        first: LocalId,
        ty: &Type,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let id = if ty.is_aggregate() {
            let block = self.constant_block(Self::default_values(ty));
            let source = Place::fixed(Storage::Constant(block));
            let target = Place::fixed(Storage::Local(first));
            self.push(Expression::CopyContent(target, source, ty.size() as u32), span)
        } else {
            self.store(Storage::Local(first), Code::Constant(ty.default_value()), span)
        };
        out.push(Statement::Expression(id));
    }

    /// Assigns an initial value, which may depend on the state, element by element.
    fn initialise(
        &mut self,
        to: Storage,
        ty: &Type,
        initializer: &'a Initializer,
        out: &mut Vec<Statement>,
    ) {
        match (initializer, ty) {
            (Initializer::Value(id), _) if ty.is_aggregate() => {
                let span = self.span_of(*id);
                match self.operand(*id) {
                    Operand::Data(data) if data.ty.matches(ty) => {
                        let length = ty.size() as u32;
                        let copy = Expression::CopyContent(Place::fixed(to), data.place, length);
                        let copy = self.push(copy, span);
                        let copy = self.after(data.prelude, copy, span);
                        out.push(Statement::Expression(copy));
                    }
                    Operand::Damaged => self.record_loss(span),
                    other => {
                        let message = format!("{} is not a {ty}", other.describe());
                        let help = "use a list in braces or a value of the same type";
                        self.error(codes::TYPE_MISMATCH, span, message, help);
                    }
                }
            }
            (Initializer::Value(id), _) => {
                let span = self.span_of(*id);
                let operand = self.operand(*id);
                let Some(code) = self.converted(operand, ty, span) else {
                    return self.record_loss(span);
                };
                let assign = self.store(to, code, span);
                out.push(Statement::Expression(assign));
            }
            (Initializer::List(items, span), Type::Array(array)) => {
                if !self.check_list(items, array.size as usize, *span) {
                    return;
                }
                let stride = array.element.size() as usize;
                for (position, item) in items.iter().enumerate() {
                    let element = offset(to, position * stride);
                    self.initialise(element, &array.element, &item.value, out);
                }
            }
            (Initializer::List(items, span), Type::Struct(structure)) => {
                let Some(order) = self.field_order(items, structure, *span) else { return };
                let mut fields: Vec<_> = order.into_iter().zip(&structure.fields).collect();
                // Values are evaluated in source order.
                fields.sort_unstable_by_key(|(item, _)| *item);
                for (item, field) in fields {
                    let element = offset(to, field.offset as usize);
                    self.initialise(element, &field.ty, &items[item].value, out);
                }
            }
            (Initializer::List(_, span), _) => {
                let message = format!("a list cannot initialise a {ty}");
                let help = "lists are for arrays and structs";
                self.error(codes::INITIALISER_SHAPE, *span, message, help);
            }
        }
    }
}
