//! Syntax trees of declarations, types, functions and statements.

use super::{Binder, ExpressionId, Name};
use std::sync::Arc;
use zonaut_base::Span;

/// A declaration and its position.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The kind of declaration, with its parts.
    pub kind: DeclarationKind,
    /// The whole declaration.
    pub span: Span,
}

/// The kind of a declaration, with its parts.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// Variables, constants, clocks or channels of one type.
    Variables(TypeExpression, Vec<Declarator>),
    /// `typedef`.
    Typedef(TypeExpression, Vec<Declarator>),
    /// A function.
    Function(Function),
    /// `P(parameters) = T(arguments);`
    Instantiation(Instantiation),
    /// `chan priority a < default < b;`
    ChannelPriority(ChannelPriority),
    /// `before_update { ... }`
    BeforeUpdate(Vec<ExpressionId>),
    /// `after_update { ... }`
    AfterUpdate(Vec<ExpressionId>),
    /// `import "library" { ... }`
    Import(Import),
    /// `dynamic T(parameters);`
    Dynamic(Name, Vec<Parameter>),
    /// A comment between declarations, preserved for the printers.
    Comment(Comment),
}

/// External functions of a library.
#[derive(Clone, Debug)]
pub struct Import {
    /// The path of the library as written, without its quotes.
    pub library: Arc<str>,
    /// Its functions.
    pub functions: Vec<ExternalFunction>,
}

/// The declaration of an external function: `[alias =] result name(parameters);`.
#[derive(Clone, Debug)]
pub struct ExternalFunction {
    /// Its name in the model, if that differs from the one in the library.
    pub alias: Option<Name>,
    /// The type of its result.
    pub result: TypeExpression,
    /// Its name in the library.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The whole text, with its delimiters.
    pub text: String,
    /// Whether it trails a construct on the same line.
    pub behind: bool,
}

impl Comment {
    /// The text without its delimiters.
    #[must_use]
    pub fn content(&self) -> &str {
        let text = self.text.strip_prefix("//").unwrap_or(&self.text);
        text.strip_prefix("/*").map_or(text, |text| text.strip_suffix("*/").unwrap_or(text)).trim()
    }
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpression {
    /// The words before the type.
    pub prefix: Prefix,
    /// The type itself.
    pub kind: TypeKind,
    /// The whole type.
    pub span: Span,
}

/// The words before a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Prefix {
    /// `const`
    pub constant: bool,
    /// `meta`
    pub meta: bool,
    /// `urgent`
    pub urgent: bool,
    /// `broadcast`
    pub broadcast: bool,
    /// `hybrid`
    pub hybrid: bool,
}

/// A type without its prefix.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `int`, or `int[low, high]`.
    Integer(Option<(ExpressionId, ExpressionId)>),
    /// `bool`
    Boolean,
    /// `clock`
    Clock,
    /// `chan`
    Channel,
    /// `void`
    Void,
    /// `double`
    Double,
    /// `string`
    Text,
    /// `scalar[size]`
    Scalar(ExpressionId),
    /// `struct { ... }`
    Struct(Vec<Field>),
    /// The name of a typedef.
    Named(Arc<str>),
}

/// One line of a struct: fields of one type.
#[derive(Clone, Debug)]
pub struct Field {
    /// Their type.
    pub ty: TypeExpression,
    /// The fields, without initialisers.
    pub declarators: Vec<Declarator>,
}

/// A declared name with its array dimensions and initial value.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Name,
    /// Array dimensions, outermost first.
    pub dimensions: Vec<Dimension>,
    /// The initial value.
    pub initializer: Option<Initializer>,
}

/// The size of an array dimension. `a[N]` is parsed as a size, also if `N` names a type.
#[derive(Clone, Debug)]
pub enum Dimension {
    /// A number of elements, or the name of a type.
    Size(ExpressionId),
    /// A type written out, such as `int[3,5]`.
    Type(TypeExpression),
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// One expression.
    Value(ExpressionId),
    /// `{ a, field: b }`
    List(Vec<InitializerItem>, Span),
}

/// One entry of an initialiser list.
#[derive(Clone, Debug)]
pub struct InitializerItem {
    /// The field that it initialises, if named.
    pub field: Option<Name>,
    /// The value.
    pub value: Initializer,
}

/// A parameter of a function, a template or an instantiation.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its type.
    pub ty: TypeExpression,
    /// Whether it is passed by reference.
    pub by_reference: bool,
    /// Its name and array dimensions, without initialiser.
    pub declarator: Declarator,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The type of its result.
    pub result: TypeExpression,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its body, a block.
    pub body: Statement,
}

/// A statement and its position.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The kind of statement, with its parts.
    pub kind: StatementKind,
    /// The whole statement.
    pub span: Span,
}

/// The kind of a statement, with its parts. The parser limits nesting, so recursion over it is
/// safe.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `{ declarations statements }`
    Block(Vec<Declaration>, Vec<Statement>),
    /// `;`
    Empty,
    /// An expression that is evaluated for its effect.
    Expression(ExpressionId),
    /// `if (condition) then else otherwise`
    If(ExpressionId, Box<Statement>, Option<Box<Statement>>),
    /// `while (condition) body`
    While(ExpressionId, Box<Statement>),
    /// `do body while (condition);`
    DoWhile(Box<Statement>, ExpressionId),
    /// `for (start; condition; step) body`; any part may be missing.
    For([Option<ExpressionId>; 3], Box<Statement>),
    /// `for (name : type) body`
    Iterate(Box<Binder>, Box<Statement>),
    /// `return value;`
    Return(Option<ExpressionId>),
    /// `assert condition;`
    Assert(ExpressionId),
    /// A comment between statements, preserved for the printers.
    Comment(Comment),
}

/// `P(parameters) = T(arguments);`
#[derive(Clone, Debug)]
pub struct Instantiation {
    /// The new template's name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The instantiated template.
    pub template: Name,
    /// The arguments of that template's parameters.
    pub arguments: Vec<ExpressionId>,
}

/// A `chan priority` declaration.
#[derive(Clone, Debug)]
pub struct ChannelPriority {
    /// The levels, lowest first.
    pub levels: Vec<Vec<PriorityLevel>>,
}

/// One entry of a priority level.
#[derive(Clone, Debug)]
pub enum PriorityLevel {
    /// `default`: all channels that are not listed, and internal transitions.
    Default,
    /// A channel, an array of channels, or an element of one.
    Channel(ExpressionId),
}
