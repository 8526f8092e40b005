//! The keywords of each language.

use super::{Mode, TokenKind};

/// Whether `word` is reserved in models of the current language.
pub(crate) fn is_reserved(word: &str) -> bool {
    keyword(word, Mode::Current).is_some()
}

/// The keyword that `word` is in `mode`, if any.
pub(super) fn keyword(word: &str, mode: Mode) -> Option<TokenKind> {
    let kind = everywhere(word);
    if kind.is_some() {
        return kind;
    }
    match mode {
        Mode::Current => models(word).or_else(|| current(word)).or_else(|| quantifiers(word)),
        Mode::Old => models(word),
        Mode::Query => quantifiers(word),
    }
}

fn everywhere(word: &str) -> Option<TokenKind> {
    let kind = match word {
        "and" => TokenKind::And,
        "false" => TokenKind::False,
        "imply" => TokenKind::Imply,
        "int" => TokenKind::Int,
        "not" => TokenKind::Not,
        "or" => TokenKind::Or,
        "true" => TokenKind::True,
        _ => return None,
    };
    Some(kind)
}

fn quantifiers(word: &str) -> Option<TokenKind> {
    let kind = match word {
        "exists" => TokenKind::Exists,
        "forall" => TokenKind::Forall,
        "scalar" => TokenKind::Scalar,
        "sum" => TokenKind::Sum,
        _ => return None,
    };
    Some(kind)
}

fn models(word: &str) -> Option<TokenKind> {
    let kind = match word {
        "assign" => TokenKind::Assign,
        "broadcast" => TokenKind::Broadcast,
        "chan" => TokenKind::Chan,
        "clock" => TokenKind::Clock,
        "commit" => TokenKind::Commit,
        "const" => TokenKind::Const,
        "guard" => TokenKind::Guard,
        "init" => TokenKind::Init,
        "process" => TokenKind::Process,
        "state" => TokenKind::State,
        "sync" => TokenKind::Sync,
        "system" => TokenKind::System,
        "trans" => TokenKind::Trans,
        "urgent" => TokenKind::Urgent,
        _ => return None,
    };
    Some(kind)
}

fn current(word: &str) -> Option<TokenKind> {
    let kind = match word {
        "bool" => TokenKind::Bool,
        "do" => TokenKind::Do,
        "else" => TokenKind::Else,
        "for" => TokenKind::For,
        "if" => TokenKind::If,
        "meta" => TokenKind::Meta,
        "return" => TokenKind::Return,
        "struct" => TokenKind::Struct,
        "typedef" => TokenKind::Typedef,
        "void" => TokenKind::Void,
        "while" => TokenKind::While,
        _ => return None,
    };
    Some(kind)
}
