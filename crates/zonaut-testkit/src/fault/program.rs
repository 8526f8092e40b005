//! Faults in the translation of programs: the engine is given a different syntax tree.
//!
//! Each changed tree is a valid program. It is equivalent to the original wherever the faulty part
//! does not matter, and different where it does.

use std::collections::HashMap;
use std::sync::Arc;
use zonaut_base::Id;
use zonaut_syntax::tree::{
    AssignmentOperator, BinaryOperator, DeclarationKind, Document, Edge, Expression, ExpressionId,
    ExpressionKind, Expressions, Function, Node, Template, TypeExpression, TypeKind,
};

/// A fault in the translation of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramFault {
    /// The right operand is evaluated before the left one.
    OperandsBackwards,
    /// The lvalue of a compound assignment is evaluated twice.
    PlaceTwice,
    /// `&&` and `||` evaluate both sides.
    BothSides,
    /// The updates of an edge run from right to left.
    UpdatesBackwards,
    /// The range of a returned value is not checked.
    ReturnUnchecked,
    /// The range of a value argument is not checked.
    ArgumentUnchecked,
    /// Arrays and structs are passed by reference instead of by value.
    ArgumentShared,
    /// The range of a value assigned to a template parameter is not checked.
    ParameterUnchecked,
    /// The guard of a branch is evaluated after the updates of the edge before it.
    BranchGuardLate,
    /// The updates of a branch run before those of the edge before it.
    BranchUpdatesFirst,
}

impl ProgramFault {
    /// The program as given to the engine.
    #[must_use]
    pub fn applied(self, right: &Document) -> Document {
        let mut seen = right.clone();
        match self {
            Self::OperandsBackwards => seen.expressions.iter_mut().for_each(swap_operands),
            Self::PlaceTwice => write_out_assignments(&mut seen),
            Self::BothSides => evaluate_both_sides(&mut seen),
            Self::UpdatesBackwards => {
                let edges = seen.templates.iter_mut().flat_map(|template| &mut template.edges);
                edges.for_each(|edge| edge.updates.reverse());
            }
            Self::ReturnUnchecked => {
                let ranges = ranges(right);
                for_each_function(&mut seen, |function| widen(&mut function.result, &ranges));
            }
            Self::ArgumentUnchecked => {
                let ranges = ranges(right);
                for_each_function(&mut seen, |function| {
                    let values = function.parameters.iter_mut().filter(|p| !p.by_reference);
                    values.for_each(|parameter| widen(&mut parameter.ty, &ranges));
                });
            }
            Self::ParameterUnchecked => {
                let ranges = ranges(right);
                let templates = seen.templates.iter_mut();
                let parameters = templates.flat_map(|template| &mut template.parameters);
                let values = parameters.filter(|parameter| !parameter.by_reference);
                values.for_each(|parameter| widen(&mut parameter.ty, &ranges));
            }
            Self::BranchGuardLate => delay_branch_guards(&mut seen),
            Self::BranchUpdatesFirst => swap_branch_updates(&mut seen),
            Self::ArgumentShared => {
                let ranges = ranges(right);
                for_each_function(&mut seen, |function| {
                    let shared = |ty: &TypeExpression| match &ty.kind {
                        TypeKind::Named(name) => !ranges.contains(name),
                        _ => false,
                    };
                    for parameter in &mut function.parameters {
                        parameter.by_reference |= shared(&parameter.ty);
                    }
                });
            }
        }
        seen
    }
}

/// Swaps operands: `a + b` becomes `b + a`, and `a < b` becomes `b > a`, which differ only in the
/// order of evaluation.
fn swap_operands(expression: &mut Expression) {
    use BinaryOperator as B;
    let ExpressionKind::Binary(operator, left, right) = &mut expression.kind else { return };
    let swapped = match *operator {
        B::Less => B::Greater,
        B::LessEqual => B::GreaterEqual,
        B::Greater => B::Less,
        B::GreaterEqual => B::LessEqual,
        same @ (B::Add
        | B::Multiply
        | B::Minimum
        | B::Maximum
        | B::Equal
        | B::NotEqual
        | B::Xor) => same,
        same @ (B::BitAnd | B::BitOr | B::BitXor) => same,
        _ => return,
    };
    *operator = swapped;
    std::mem::swap(left, right);
}

/// Rewrites `a += b` as `a = a + b`.
fn write_out_assignments(document: &mut Document) {
    for position in 0..document.expressions.len() {
        let id = ExpressionId::from_index(position);
        let Expression { kind: ExpressionKind::Assignment(operator, place, value), span } =
            document.expressions[id].clone()
        else {
            continue;
        };
        let operator = match operator {
            AssignmentOperator::Add => BinaryOperator::Add,
            AssignmentOperator::Subtract => BinaryOperator::Subtract,
            AssignmentOperator::Multiply => BinaryOperator::Multiply,
            AssignmentOperator::Divide => BinaryOperator::Divide,
            AssignmentOperator::Remainder => BinaryOperator::Remainder,
            AssignmentOperator::BitAnd => BinaryOperator::BitAnd,
            AssignmentOperator::BitOr => BinaryOperator::BitOr,
            AssignmentOperator::BitXor => BinaryOperator::BitXor,
            AssignmentOperator::ShiftRight => BinaryOperator::ShiftRight,
            AssignmentOperator::ShiftLeft => BinaryOperator::ShiftLeft,
            AssignmentOperator::Set => continue,
        };
        let kind = ExpressionKind::Binary(operator, place, value);
        let both = document.expressions.push(Expression { kind, span });
        document.expressions[id].kind =
            ExpressionKind::Assignment(AssignmentOperator::Set, place, both);
    }
}

/// Rewrites `a && b` as `(a != 0) & (b != 0)`.
fn evaluate_both_sides(document: &mut Document) {
    for position in 0..document.expressions.len() {
        let id = ExpressionId::from_index(position);
        let Expression { kind: ExpressionKind::Binary(operator, left, right), span } =
            document.expressions[id].clone()
        else {
            continue;
        };
        let operator = match operator {
            BinaryOperator::And => BinaryOperator::BitAnd,
            BinaryOperator::Or => BinaryOperator::BitOr,
            _ => continue,
        };
        let expressions = &mut document.expressions;
        let zero = expressions.push(Expression { kind: ExpressionKind::Integer(0), span });
        let mut is_true = |side| {
            let kind = ExpressionKind::Binary(BinaryOperator::NotEqual, side, zero);
            expressions.push(Expression { kind, span })
        };
        let (left, right) = (is_true(left), is_true(right));
        expressions[id].kind = ExpressionKind::Binary(operator, left, right);
    }
}

/// The first edge that leads to the branchpoint of a branch.
fn stem_of(template: &Template, branch: &Edge) -> Option<usize> {
    let point @ Some(Node::Branchpoint(_)) = branch.source.node else { return None };
    template.edges.iter().position(|edge| edge.target.node == point)
}

/// Makes guards of branches read the values that the edge before them assigns, for plain
/// assignments.
fn delay_branch_guards(document: &mut Document) {
    let Document { templates, expressions, .. } = document;
    for template in templates {
        for position in 0..template.edges.len() {
            let Some(stem) = stem_of(template, &template.edges[position]) else { continue };
            let mut assigned = HashMap::new();
            for &update in &template.edges[stem].updates {
                if let ExpressionKind::Assignment(AssignmentOperator::Set, place, value) =
                    expressions[update].kind
                    && let ExpressionKind::Name(name) = &expressions[place].kind
                    && matches!(expressions[value].kind, ExpressionKind::Integer(_))
                {
                    assigned.insert(name.clone(), value);
                }
            }
            let guard = template.edges[position].guard.clone();
            let guard = guard.into_iter().map(|part| substituted(expressions, part, &assigned));
            template.edges[position].guard = guard.collect();
        }
    }
}

/// A copy of a comparison or conjunction in which names are replaced by expressions.
fn substituted(
    expressions: &mut Expressions,
    id: ExpressionId,
    by: &HashMap<Arc<str>, ExpressionId>,
) -> ExpressionId {
    let Expression { mut kind, span } = expressions[id].clone();
    match &mut kind {
        ExpressionKind::Name(name) => return by.get(name).copied().unwrap_or(id),
        ExpressionKind::Binary(_, left, right) => {
            *left = substituted(expressions, *left, by);
            *right = substituted(expressions, *right, by);
        }
        ExpressionKind::Unary(_, inner) => *inner = substituted(expressions, *inner, by),
        _ => return id,
    }
    expressions.push(Expression { kind, span })
}

/// Moves the updates of an edge behind those of each of its branches.
fn swap_branch_updates(document: &mut Document) {
    for template in &mut document.templates {
        for position in 0..template.edges.len() {
            let Some(stem) = stem_of(template, &template.edges[position]) else { continue };
            let mut branches = template.edges.iter().enumerate();
            let point = template.edges[position].source.node;
            let is_last = branches
                .rfind(|(_, edge)| edge.source.node == point)
                .is_some_and(|(last, _)| last == position);
            let first = std::mem::take(&mut template.edges[stem].updates);
            let edge = &mut template.edges[position];
            edge.updates.extend(first.iter().copied());
            if !is_last {
                template.edges[stem].updates = first;
            }
        }
    }
}

/// The names of types that are ranges of numbers.
fn ranges(document: &Document) -> Vec<Arc<str>> {
    let mut names = Vec::new();
    for declaration in &document.declarations {
        if let DeclarationKind::Typedef(written, declarators) = &declaration.kind
            && matches!(written.kind, TypeKind::Integer(_))
        {
            let plain = declarators.iter().filter(|declarator| declarator.dimensions.is_empty());
            names.extend(plain.map(|declarator| declarator.name.text.clone()));
        }
    }
    names
}

fn widen(ty: &mut TypeExpression, ranges: &[Arc<str>]) {
    if let TypeKind::Named(name) = &mut ty.kind
        && ranges.contains(name)
    {
        *name = "int32_t".into();
    }
}

fn for_each_function(document: &mut Document, mut visit: impl FnMut(&mut Function)) {
    let templates = document.templates.iter_mut().flat_map(|template| &mut template.declarations);
    for declaration in document.declarations.iter_mut().chain(templates) {
        if let DeclarationKind::Function(function) = &mut declaration.kind {
            visit(function);
        }
    }
}
