//! Lowering of the `system` line, and of priorities of processes and channels.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::Operand;
use crate::scope::Level;
use crate::templates::SystemEntry;
use std::collections::BTreeMap;
use zonaut_base::{Diagnostic, Id, Span};
use zonaut_model::ChannelId;
use zonaut_syntax::tree::{ChannelPriority, PriorityLevel};

impl<'a> Lowering<'a> {
    /// Lowers the whole document: declarations, templates, system.
    pub(crate) fn whole_document(&mut self) {
        self.predeclare();
        self.is_priced = self.uses_cost();
        let document = self.document;
        self.declare_templates();
        self.declarations(&document.declarations, Level::Global);
        self.scope.sees_system = true;
        self.declarations(&document.system.declarations, Level::System);
        self.check_defines();
        self.system_line();
        self.check_unused_templates();
        self.scope.sees_system = true;
        for entry in &document.system.progress {
            entry.guard.into_iter().chain([entry.measure]).for_each(|id| self.check_ignored(id));
        }
    }

    fn system_line(&mut self) {
        let system = &self.document.system;
        for (priority, level) in system.levels.iter().enumerate() {
            for process in level {
                self.scope.sees_system = true;
                let name = &process.name;
                if self.process_sets.contains_key(&name.text) {
                    let message = format!("the process `{}` is listed twice", name.text);
                    let help = "make a second instance under another name";
                    self.error(codes::DUPLICATE_PROCESS, name.span, message, help);
                    continue;
                }
                match self.template_named(name) {
                    Some(template) => {
                        self.processes(template, SystemEntry { name, priority: priority as u32 });
                    }
                    None => self.mark_processes_damaged(name),
                }
            }
        }
        if self.model.processes.is_empty() && !self.diagnostics.has_errors() {
            let file = self.document.file;
            let span = system.span.unwrap_or(Span { file, start: 0, end: 0 });
            let help = "write `system P;` with the processes that run";
            self.error(codes::NO_SYSTEM, span, "the system has no processes", help);
        }
    }

    /// Lowers `chan priority`.
    pub(crate) fn channel_priority(&mut self, written: &'a ChannelPriority, span: Span) {
        if let Some(first) = self.has_channel_priority.replace(span) {
            let message = "the priorities of channels are declared twice";
            let diagnostic = Diagnostic::error(codes::PRIORITY, span, message)
                .with_label(first, "first declared here")
                .with_help("join the two declarations");
            self.report(diagnostic);
        }
        let is_default = |entry: &PriorityLevel| matches!(entry, PriorityLevel::Default);
        let default = written.levels.iter().position(|level| level.iter().any(is_default));
        // Without `default`, channels that are not listed have the lowest priority.
        let shift = u32::from(default.is_none());
        self.model.default_priority = default.unwrap_or(0) as u32;
        for (level, entries) in written.levels.iter().enumerate() {
            for entry in entries {
                if let PriorityLevel::Channel(channel) = entry {
                    self.set_priority(*channel, level as u32 + shift);
                }
            }
        }
    }

    fn set_priority(&mut self, channel: zonaut_syntax::tree::ExpressionId, level: u32) {
        let span = self.span_of(channel);
        match self.operand(channel) {
            Operand::Channel(place, ty) if place.is_fixed() => {
                for position in 0..ty.size() as usize {
                    let id = ChannelId::from_index(place.root.index() + position);
                    if self.channel_levels.insert(id, level).is_some() {
                        let message = "this channel has a priority already";
                        self.error(codes::PRIORITY, span, message, "name every channel once");
                        return;
                    }
                }
            }
            Operand::Damaged => {}
            Operand::Channel(..) => {
                let message = "the index of a channel with a priority must be constant";
                self.error(codes::NOT_CONSTANT, span, message, "use a constant index");
            }
            other => {
                let message = format!("{} has no priority", other.describe());
                let help = "name channels, or `default`";
                self.error(codes::PRIORITY, span, message, help);
            }
        }
    }

    /// Sets the priority of every channel.
    pub(crate) fn apply_priorities(&mut self) {
        let levels: &BTreeMap<ChannelId, u32> = &self.channel_levels;
        let default = self.model.default_priority;
        for (index, channel) in self.model.channels.iter_mut().enumerate() {
            let id = ChannelId::from_index(index);
            channel.priority = levels.get(&id).copied().unwrap_or(default);
        }
    }
}
