//! Lowering of the `gantt` section: rows of a chart, expanded for every value of their parameters.

use crate::codes;
use crate::lowering::Lowering;
use crate::scope::{Entity, Level, ScopeNames};
use crate::templates::process_name;
use zonaut_model::{ChartBar, ChartRow, Expression, ExpressionId, Formula};
use zonaut_syntax::print_expression;
use zonaut_syntax::tree::{Binder, GanttBar, GanttRow};

/// The maximum number of rows and bars of a chart.
const MOST: u64 = 10_000;

impl<'a> Lowering<'a> {
    /// Lowers the chart. Parts with errors are omitted.
    pub(crate) fn chart(&mut self) {
        if self.diagnostics.has_errors() {
            return;
        }
        let uses = self.model.scalar_uses.len();
        self.expansions = 0;
        self.scope.sees_system = true;
        for row in &self.document.system.gantt {
            self.for_all_values(&row.binders, &mut Vec::new(), &mut |this, values| {
                let name = process_name(&row.name.text, values);
                let bars = this.bars(row, &name);
                this.model.chart.push(ChartRow { name, bars });
            });
        }
        // The chart shows concrete runs, in which elements of scalar sets are fixed: symmetry does
        // not depend on its uses of scalar sets.
        self.model.scalar_uses.truncate(uses);
    }

    fn bars(&mut self, row: &'a GanttRow, name: &str) -> Vec<ChartBar> {
        let mut bars = Vec::new();
        for bar in &row.bars {
            self.for_all_values(&bar.binders, &mut Vec::new(), &mut |this, _| {
                let made = this.leniently(|this| this.bar(bar));
                bars.extend(made.map(|(condition, colour)| {
                    let label = this.label(row, name, bar, &condition);
                    ChartBar { label, condition, colour }
                }));
            });
        }
        bars
    }

    fn bar(&mut self, bar: &'a GanttBar) -> Option<(Formula, ExpressionId)> {
        let span = self.span_of(bar.condition);
        let (made, effects) = self.observing(|this| {
            this.without_effects(span, "a chart", |this| {
                let condition = this.formula(bar.condition);
                let colour = this.number(bar.colour)?;
                Some((condition?, this.expression_of(colour, this.span_of(bar.colour))))
            })
        });
        let (condition, colour) = made?;
        let Some(condition) = condition.filter(|_| !effects.reals) else {
            let help = "compare integers and clocks";
            self.error(codes::UNSUPPORTED, span, "a chart has no floating point", help);
            return None;
        };
        Some((condition, colour))
    }

    /// The label of a bar: the location that it is about, or its condition. The name of the row's
    /// own process is omitted.
    fn label(&self, row: &GanttRow, name: &str, bar: &GanttBar, condition: &Formula) -> String {
        if let Formula::Data(id) = *condition
            && let Expression::At(process, at) = self.model.expressions[id]
        {
            let process = &self.model.processes[process];
            let location = &process.locations[at].name;
            let is_here = process.name == name;
            return if is_here { location.clone() } else { format!("{}.{location}", process.name) };
        }
        let binders: Vec<&str> = row.binders.iter().map(|it| &*it.name.text).collect();
        let here = process_name(&row.name.text, &binders);
        print_expression(self.source, bar.condition).replace(&format!("{here}."), "")
    }

    /// Runs `work` for every choice of values of `binders`, appended to the values in `chosen`.
    fn for_all_values(
        &mut self,
        binders: &'a [Binder],
        chosen: &mut Vec<i32>,
        work: &mut dyn FnMut(&mut Self, &[i32]),
    ) {
        let Some((binder, rest)) = binders.split_first() else { return work(self, chosen) };
        let Some(values) = self.leniently(|this| this.values_of(&binder.ty)) else { return };
        for value in values.low..=values.high {
            self.expansions += 1;
            if self.expansions > MOST {
                let message = format!("the chart has more than {MOST} rows and bars");
                let help = "use smaller types; the rest is not drawn";
                self.warning(codes::IGNORED_SECTION, binder.name.span, message, help);
                return;
            }
            self.scope.inner.push(ScopeNames::new());
            self.declare(Level::Inner, &binder.name, Entity::Constant(value, values.ty.clone()));
            chosen.push(value);
            self.for_all_values(rest, chosen, work);
            chosen.pop();
            self.scope.inner.pop();
        }
    }
}
