//! The expression grammar: precedence, associativity, and printing as its inverse.

#![cfg(test)]

use proptest::prelude::*;
use zonaut_base::{FileId, Id, SourceFile, SourceMap, Span};
use zonaut_syntax::tree::{
    AssignmentOperator, BinaryOperator, Binder, DeclarationKind, Expression, ExpressionId,
    ExpressionKind, Expressions, Initializer, Name, Prefix, QuantifierKind, StepOperator,
    TypeExpression, TypeKind, UnaryOperator,
};
use zonaut_syntax::{ParseOptions, parse_model, print_expression};

/// Parses `text` as an expression; `None` if it has an error.
fn parse(text: &str) -> Option<(Expressions, ExpressionId)> {
    let model = format!("int v = {text};\nprocess P() {{ state a; init a; }}\nsystem P;\n");
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("m.xta", model));
    let options = ParseOptions {
        dialect: Some(zonaut_syntax::tree::Dialect::Current),
        ..ParseOptions::default()
    };
    let (document, diagnostics) = parse_model(&mut sources, file, &options);
    if diagnostics.has_errors() || document.declarations.len() != 1 {
        return None;
    }
    let DeclarationKind::Variables(_, declarators) = &document.declarations[0].kind else {
        return None;
    };
    let Some(Initializer::Value(id)) = declarators[0].initializer else { return None };
    (declarators.len() == 1).then_some((document.expressions, id))
}

/// The structure of an expression with all brackets.
fn structure(expressions: &Expressions, id: ExpressionId) -> String {
    let inner = |id: ExpressionId| structure(expressions, id);
    match &expressions[id].kind {
        ExpressionKind::Unary(op, a) => format!("({op:?} {})", inner(*a)),
        ExpressionKind::Binary(op, a, b) => format!("({op:?} {} {})", inner(*a), inner(*b)),
        ExpressionKind::Conditional(a, b, c) => {
            format!("(if {} {} {})", inner(*a), inner(*b), inner(*c))
        }
        ExpressionKind::Assignment(op, a, b) => format!("({op:?}Set {} {})", inner(*a), inner(*b)),
        ExpressionKind::Step(op, a) => format!("({op:?} {})", inner(*a)),
        ExpressionKind::Index(a, b) => format!("(index {} {})", inner(*a), inner(*b)),
        ExpressionKind::Field(a, name) => format!("(field {} {})", inner(*a), name.text),
        ExpressionKind::Rate(a) => format!("(rate {})", inner(*a)),
        ExpressionKind::Call(a, list) => {
            let arguments: Vec<String> = list.iter().map(|&id| inner(id)).collect();
            format!("(call {} {})", inner(*a), arguments.join(" "))
        }
        ExpressionKind::Quantifier(kind, binder, body) => {
            format!("({kind:?} {} {})", binder.name.text, inner(*body))
        }
        ExpressionKind::Integer(value) => value.to_string(),
        ExpressionKind::Name(name) => name.to_string(),
        other => format!("{other:?}"),
    }
}

fn check(text: &str, expected: &str) {
    let (expressions, id) = parse(text).unwrap_or_else(|| panic!("{text} does not parse"));
    assert_eq!(structure(&expressions, id), expected, "{text}");
}

#[test]
fn operators_have_the_precedence_of_the_language() {
    check("a imply b imply c", "(Imply (Imply a b) c)");
    check("a or b imply c xor d", "(Xor (Imply (Or a b) c) d)");
    check("a && b || c and d", "(Or (And a b) (And c d))");
    check("not x == y", "(Equal (Not x) y)");
    check("a <? b << 1 < c", "(Less (Minimum a (ShiftLeft b 1)) c)");
    check("a | b ^ c & d == e", "(BitOr a (BitXor b (BitAnd c (Equal d e))))");
    check("-a ** b ** c", "(Power (Power (Minus a) b) c)");
    check("a - b - c * d % e", "(Subtract (Subtract a b) (Remainder (Multiply c d) e))");
    check("a ? b : c ? d : e", "(if a b (if c d e))");
    check("a ? b = 1 : c = d", "(SetSet (if a (SetSet b 1) c) d)");
    check("a = b += c", "(SetSet a (AddSet b c))");
    check("forall (i : T) p[i] && q", "(ForAll i (And (index p i) q))");
    check("a && exists (i : T) p || q", "(And a (Exists i (Or p q)))");
    check("-sum (i : T) p + q", "(Minus (Sum i (Add p q)))");
    check(
        "x' == 1 && f(a, b).c[2]++ < 3",
        "(And (Equal (rate x) 1) (Less (IncrementAfter (index (field (call f a b) c) 2)) 3))",
    );
    check("++a[1]", "(IncrementBefore (index a 1))");
    check("-2147483648", "(Minus 2147483648)");
    check("xor xor xor", "(Xor xor xor)");
    check("0007", "7");
}

/// A random tree, as the choices that build it.
#[derive(Clone, Debug)]
enum Shape {
    Name(u8),
    Number(u32),
    Unary(UnaryOperator, Box<Shape>),
    Step(StepOperator, Box<Shape>),
    Binary(BinaryOperator, Box<Shape>, Box<Shape>),
    Assignment(AssignmentOperator, Box<Shape>, Box<Shape>),
    Conditional(Box<Shape>, Box<Shape>, Box<Shape>),
    Index(Box<Shape>, Box<Shape>),
    Field(Box<Shape>),
    Rate(Box<Shape>),
    Call(Box<Shape>, Vec<Shape>),
    Quantifier(QuantifierKind, Box<Shape>),
}

fn binary_operator() -> impl Strategy<Value = BinaryOperator> {
    use BinaryOperator::*;
    prop::sample::select(vec![
        Power,
        Multiply,
        Divide,
        Remainder,
        Add,
        Subtract,
        ShiftLeft,
        ShiftRight,
        Minimum,
        Maximum,
        Less,
        LessEqual,
        GreaterEqual,
        Greater,
        Equal,
        NotEqual,
        BitAnd,
        BitXor,
        BitOr,
        And,
        Or,
        Xor,
        Imply,
    ])
}

fn assignment_operator() -> impl Strategy<Value = AssignmentOperator> {
    use AssignmentOperator::*;
    prop::sample::select(vec![
        Set, Add, Subtract, Multiply, Divide, Remainder, BitAnd, BitOr, BitXor, ShiftLeft,
        ShiftRight,
    ])
}

fn step_operator() -> impl Strategy<Value = StepOperator> {
    use StepOperator::*;
    prop::sample::select(vec![IncrementBefore, DecrementBefore, IncrementAfter, DecrementAfter])
}

fn shape() -> impl Strategy<Value = Shape> {
    use UnaryOperator::{Minus, Not, Plus};
    let unary = || prop::sample::select(vec![Plus, Minus, Not]);
    let quantifier = || {
        let kinds = vec![QuantifierKind::ForAll, QuantifierKind::Exists, QuantifierKind::Sum];
        prop::sample::select(kinds)
    };
    let leaf = prop_oneof![(0..6u8).prop_map(Shape::Name), (0..9u32).prop_map(Shape::Number)];
    leaf.prop_recursive(6, 40, 3, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            2 => (unary(), boxed()).prop_map(|(op, a)| Shape::Unary(op, a)),
            1 => (step_operator(), boxed()).prop_map(|(op, a)| Shape::Step(op, a)),
            8 => (binary_operator(), boxed(), boxed())
                .prop_map(|(op, a, b)| Shape::Binary(op, a, b)),
            2 => (assignment_operator(), boxed(), boxed())
                .prop_map(|(op, a, b)| Shape::Assignment(op, a, b)),
            2 => (boxed(), boxed(), boxed())
                .prop_map(|(a, b, c)| Shape::Conditional(a, b, c)),
            1 => (boxed(), boxed()).prop_map(|(a, b)| Shape::Index(a, b)),
            1 => boxed().prop_map(Shape::Field),
            1 => boxed().prop_map(Shape::Rate),
            1 => (boxed(), prop::collection::vec(inner.clone(), 0..3))
                .prop_map(|(a, list)| Shape::Call(a, list)),
            2 => (quantifier(), boxed()).prop_map(|(kind, a)| Shape::Quantifier(kind, a)),
        ]
    })
}

fn nowhere() -> Span {
    Span { file: FileId::from_index(0), start: 0, end: 0 }
}

fn name(text: &str) -> Name {
    Name { text: text.into(), span: nowhere() }
}

fn build(shape: &Shape, out: &mut Expressions) -> ExpressionId {
    let mut child = |shape: &Shape| build(shape, out);
    let kind = match shape {
        Shape::Name(index) => {
            let names = ["a", "b", "exit", "U", "select", "x1"];
            ExpressionKind::Name(names[usize::from(*index)].into())
        }
        Shape::Number(value) => ExpressionKind::Integer(i64::from(*value)),
        Shape::Unary(op, a) => ExpressionKind::Unary(*op, child(a)),
        Shape::Step(op, a) => ExpressionKind::Step(*op, child(a)),
        Shape::Binary(op, a, b) => ExpressionKind::Binary(*op, child(a), child(b)),
        Shape::Assignment(op, a, b) => ExpressionKind::Assignment(*op, child(a), child(b)),
        Shape::Conditional(a, b, c) => ExpressionKind::Conditional(child(a), child(b), child(c)),
        Shape::Index(a, b) => ExpressionKind::Index(child(a), child(b)),
        Shape::Field(a) => ExpressionKind::Field(child(a), name("f")),
        Shape::Rate(a) => ExpressionKind::Rate(child(a)),
        Shape::Call(a, list) => {
            let function = child(a);
            ExpressionKind::Call(function, list.iter().map(child).collect())
        }
        Shape::Quantifier(kind, body) => {
            let kind_of = TypeKind::Named("T".into());
            let ty = TypeExpression { prefix: Prefix::default(), kind: kind_of, span: nowhere() };
            let binder = Box::new(Binder { name: name("i"), ty });
            ExpressionKind::Quantifier(*kind, binder, child(body))
        }
    };
    out.push(Expression { kind, span: nowhere() })
}

/// The pairs of round brackets of `text`.
fn brackets(text: &str) -> Vec<(usize, usize)> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => pairs.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_printed_expression_parses_to_itself_and_needs_all_its_brackets(shape in shape()) {
        let mut expressions = Expressions::default();
        let root = build(&shape, &mut expressions);
        let expected = structure(&expressions, root);
        let printed = print_expression(&expressions, root);
        let Some((parsed, id)) = parse(&printed) else {
            return Err(TestCaseError::fail(format!("does not parse: {printed}")));
        };
        prop_assert_eq!(structure(&parsed, id), expected.clone(), "{}", printed);
        for (open, close) in brackets(&printed) {
            let mut without = printed.clone();
            without.replace_range(close..=close, " ");
            without.replace_range(open..=open, " ");
            let same = parse(&without).is_some_and(|(parsed, id)| structure(&parsed, id) == expected);
            prop_assert!(!same, "superfluous brackets: {}", printed);
        }
    }
}
