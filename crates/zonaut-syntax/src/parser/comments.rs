//! Comments that printers preserve. Those between declarations, statements, edges and sections keep
//! their positions; those inside a declaration move before it.

use super::Parser;
use crate::lexer::TokenKind;
use crate::tree::{Comment, Declaration, DeclarationKind};
use std::ops::Range;
use std::sync::Arc;

impl Parser<'_> {
    /// The comments right before the current token. `follows` is set if they may trail a preceding
    /// construct.
    pub(super) fn comments(&mut self, follows: bool) -> Vec<Comment> {
        self.comments_until(self.current.start, follows)
    }

    fn comments_until(&mut self, end: u32, follows: bool) -> Vec<Comment> {
        let mut found = self.comments_in(self.previous_end, end);
        for (position, comment) in found.iter_mut().enumerate() {
            comment.behind &= follows && position == 0;
        }
        found
    }

    /// Adds the comments right before the current token to `list`.
    pub(super) fn comments_into(&mut self, list: &mut Vec<Declaration>) {
        let comments = self.comments(!list.is_empty());
        self.add_comments(comments, list);
    }

    /// Adds the comments right before the current token that do not belong to it: trailing comments
    /// of the construct before it, and those before a blank line.
    pub(super) fn detached_comments_into(&mut self, list: &mut Vec<Declaration>) {
        let start = self.previous_end as usize;
        let gap = self.fragment.text().get(start..self.current.start as usize).unwrap_or_default();
        let first_line = gap.find('\n').unwrap_or(gap.len());
        let blank_line = gap.rfind("\n\n").or_else(|| gap.rfind("\n\r\n"));
        let end = (start + first_line.max(blank_line.unwrap_or(0))) as u32;
        let comments = self.comments_until(end, !list.is_empty());
        self.add_comments(comments, list);
    }

    /// Adds the comments inside the construct that started at `start`, unless they are in the tree.
    pub(super) fn inner_comments_into(&mut self, start: u32, list: &mut Vec<Declaration>) {
        let mut comments = self.comments_in(start, self.previous_end.max(start));
        comments.iter_mut().for_each(|comment| comment.behind = false);
        self.add_comments(comments, list);
    }

    pub(super) fn add_comments(&mut self, comments: Vec<Comment>, list: &mut Vec<Declaration>) {
        let span = self.span(self.previous_end, self.current.start);
        let declared = comments.into_iter().map(DeclarationKind::Comment);
        list.extend(declared.map(|kind| Declaration { kind, span }));
    }

    /// The comments right before the current token, as a note of XML.
    pub(super) fn note(&mut self) -> Option<(Arc<str>, String)> {
        let comments = self.comments(false);
        let text: Vec<&str> = comments.iter().map(Comment::content).collect();
        (!text.is_empty()).then(|| (Arc::from("comments"), text.join("\n")))
    }

    /// The comments between two positions that are not in the tree yet.
    fn comments_in(&mut self, start: u32, end: u32) -> Vec<Comment> {
        let text = self.fragment.text();
        let range = text.get(start as usize..end as usize).unwrap_or_default();
        if !range.contains("//") && !range.contains("/*") {
            return Vec::new();
        }
        let mut found = Vec::new();
        let (mut lexer, mut from) = (self.lexer.at(start), start);
        while from < end {
            // Text with an error is not printed, so its comments are not needed.
            let Ok(token) = lexer.next() else { break };
            self.comments_of_gap(from..token.start, end, &mut found);
            if token.kind == TokenKind::End {
                break;
            }
            from = token.end;
        }
        found
    }

    /// The comments between two tokens that start before `end`.
    fn comments_of_gap(&mut self, gap: Range<u32>, end: u32, found: &mut Vec<Comment>) {
        let start = gap.start;
        let gap = &self.fragment.text()[start as usize..gap.end as usize];
        let (mut at, mut behind) = (0, true);
        while let Some(next) = gap[at..].find(['/', '\n', '\r']) {
            at += next;
            let rest = &gap[at..];
            if !rest.starts_with('/') {
                (at, behind) = (at + 1, false);
                continue;
            }
            let length = match rest.starts_with("//") {
                true => rest.find(['\n', '\r']),
                false => rest.find("*/").map(|length| length + 2),
            };
            let length = length.unwrap_or(rest.len());
            if start + at as u32 >= end {
                return;
            }
            if self.kept_comments.insert(start + at as u32) {
                found.push(Comment { text: printable(&rest[..length]), behind });
            }
            at += length;
        }
    }
}

/// The text of a comment in a form that all formats can hold.
fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let allowed = |c: char| if c.is_control() && c != '\n' && c != '\t' { '?' } else { c };
    text.trim_end().chars().map(allowed).collect()
}
