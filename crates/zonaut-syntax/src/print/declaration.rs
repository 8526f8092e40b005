//! Printing of types, declarations and parameters.

use super::expression::print_above;
use super::{Printer, join, print_expression, spelled};
use crate::parser::level;
use crate::tree::{
    Binder, Declaration, DeclarationKind, Declarator, Dimension, ExpressionId, Expressions,
    Initializer, InitializerItem, Instantiation, Parameter, PriorityLevel, TypeExpression,
    TypeKind,
};
use std::fmt::Write as _;

/// `name : type`
pub(super) fn binder(expressions: &Expressions, binder: &Binder) -> String {
    format!("{} : {}", spelled(&binder.name.text), ty(expressions, &binder.ty))
}

/// Binders, separated by commas.
pub(super) fn binders(expressions: &Expressions, list: &[Binder]) -> String {
    join(list.iter().map(|b| binder(expressions, b)))
}

/// Expressions, separated by commas.
pub(super) fn list(expressions: &Expressions, ids: &[ExpressionId]) -> String {
    join(ids.iter().map(|&id| print_expression(expressions, id)))
}

pub(super) fn ty(expressions: &Expressions, ty: &TypeExpression) -> String {
    let mut out = String::new();
    let words = [
        (ty.prefix.constant, "const "),
        (ty.prefix.meta, "meta "),
        (ty.prefix.urgent, "urgent "),
        (ty.prefix.broadcast, "broadcast "),
        (ty.prefix.hybrid, "hybrid "),
    ];
    words.iter().filter(|(present, _)| *present).for_each(|(_, word)| out.push_str(word));
    match &ty.kind {
        TypeKind::Integer(None) => out.push_str("int"),
        TypeKind::Integer(Some((low, high))) => {
            let (low, high) =
                (print_expression(expressions, *low), print_expression(expressions, *high));
            let _ = write!(out, "int[{low},{high}]");
        }
        TypeKind::Boolean => out.push_str("bool"),
        TypeKind::Clock => out.push_str("clock"),
        TypeKind::Channel => out.push_str("chan"),
        TypeKind::Void => out.push_str("void"),
        TypeKind::Double => out.push_str("double"),
        TypeKind::Text => out.push_str("string"),
        TypeKind::Scalar(size) => {
            let _ = write!(out, "scalar[{}]", print_expression(expressions, *size));
        }
        TypeKind::Struct(fields) => {
            out.push_str("struct { ");
            for field in fields {
                let names = join(field.declarators.iter().map(|d| declarator(expressions, d)));
                let _ = write!(out, "{} {names}; ", self::ty(expressions, &field.ty));
            }
            out.push('}');
        }
        TypeKind::Named(name) => out.push_str(&spelled(name)),
    }
    out
}

fn declarator(expressions: &Expressions, declarator: &Declarator) -> String {
    let mut out = spelled(&declarator.name.text).into_owned();
    for dimension in &declarator.dimensions {
        let size = match dimension {
            Dimension::Size(size) => print_expression(expressions, *size),
            Dimension::Type(index) => ty(expressions, index),
        };
        let _ = write!(out, "[{size}]");
    }
    if let Some(value) = &declarator.initializer {
        let _ = write!(out, " = {}", initializer(expressions, value));
    }
    out
}

fn initializer(expressions: &Expressions, value: &Initializer) -> String {
    let item = |item: &InitializerItem| {
        let value = initializer(expressions, &item.value);
        match &item.field {
            Some(field) => format!("{}: {value}", spelled(&field.text)),
            None => value,
        }
    };
    match value {
        Initializer::Value(id) => print_expression(expressions, *id),
        Initializer::List(items, _) => format!("{{{}}}", join(items.iter().map(item))),
    }
}

/// Parameters, separated by commas.
pub(super) fn parameters(expressions: &Expressions, parameters: &[Parameter]) -> String {
    join(parameters.iter().map(|parameter| {
        let reference = if parameter.by_reference { "&" } else { "" };
        let ty = ty(expressions, &parameter.ty);
        format!("{ty} {reference}{}", declarator(expressions, &parameter.declarator))
    }))
}

fn instantiation(expressions: &Expressions, instance: &Instantiation) -> String {
    let mut out = spelled(&instance.name.text).into_owned();
    if !instance.parameters.is_empty() {
        let _ = write!(out, "({})", parameters(expressions, &instance.parameters));
    }
    let arguments = list(expressions, &instance.arguments);
    let _ = write!(out, " = {}({arguments});", spelled(&instance.template.text));
    out
}

fn priority(expressions: &Expressions, entry: &PriorityLevel) -> String {
    match entry {
        PriorityLevel::Default => "default".to_owned(),
        PriorityLevel::Channel(id) => {
            let mut out = String::new();
            print_above(expressions, *id, level::POSTFIX, &mut out);
            out
        }
    }
}

impl Printer<'_> {
    pub(super) fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            self.declaration(&declaration.kind);
        }
    }

    fn declaration(&mut self, kind: &DeclarationKind) {
        let expressions = self.expressions;
        let names = |list: &[Declarator]| join(list.iter().map(|d| declarator(expressions, d)));
        match kind {
            DeclarationKind::Variables(ty, list) => {
                self.line(&format!("{} {};", self::ty(expressions, ty), names(list)));
            }
            DeclarationKind::Typedef(ty, list) => {
                self.line(&format!("typedef {} {};", self::ty(expressions, ty), names(list)));
            }
            DeclarationKind::Function(function) => {
                let result = ty(expressions, &function.result);
                let name = spelled(&function.name.text);
                let parameters = parameters(expressions, &function.parameters);
                self.line(&format!("{result} {name}({parameters})"));
                self.statement(&function.body);
            }
            DeclarationKind::Instantiation(instance) => {
                self.line(&instantiation(expressions, instance));
            }
            DeclarationKind::ChannelPriority(priorities) => {
                let level = |level: &Vec<PriorityLevel>| {
                    join(level.iter().map(|entry| priority(expressions, entry)))
                };
                let levels: Vec<String> = priorities.levels.iter().map(level).collect();
                self.line(&format!("chan priority {};", levels.join(" < ")));
            }
            DeclarationKind::BeforeUpdate(updates) => {
                self.line(&format!("before_update {{ {} }}", list(expressions, updates)));
            }
            DeclarationKind::AfterUpdate(updates) => {
                self.line(&format!("after_update {{ {} }}", list(expressions, updates)));
            }
            DeclarationKind::Import(import) => {
                self.line(&format!("import \"{}\" {{", import.library));
                self.indented(|printer| {
                    for function in &import.functions {
                        let alias = function.alias.as_ref();
                        let alias = alias.map(|name| format!("{} = ", spelled(&name.text)));
                        let result = ty(expressions, &function.result);
                        let name = spelled(&function.name.text);
                        let parameters = parameters(expressions, &function.parameters);
                        let alias = alias.unwrap_or_default();
                        printer.line(&format!("{alias}{result} {name}({parameters});"));
                    }
                });
                self.line("}");
            }
            DeclarationKind::Dynamic(name, list) => {
                let parameters = parameters(expressions, list);
                self.line(&format!("dynamic {}({parameters});", spelled(&name.text)));
            }
            DeclarationKind::Comment(comment) => self.comment(comment),
        }
    }
}
