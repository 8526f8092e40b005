//! Edge finding on one lock: uses that certainly come after a set of others.
//!
//! If a use cannot be before the last of a set of others without the set being late, it comes after
//! all of them. This is the form of P. Baptiste, C. Le Pape and W. Nuijten ("Constraint-based
//! scheduling", DOI 10.1007/978-1-4615-1479-4, section 2.2), which takes quadratic time.
//!
//! Every result names the set that implies it, so that a search can learn from conflicts.

use zonaut_cost::tasks::Span;

/// A use on one lock: the first and the last date that it may occupy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The number of the use.
    pub(crate) index: usize,
    pub(crate) start: Span,
    pub(crate) length: Span,
    pub(crate) end: Span,
}

/// The uses at positions `from` and later, in the order of starts, that have to be over by `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UseSet {
    from: usize,
    end: Span,
}

/// A set of uses that cannot be over in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overload(pub(crate) UseSet);

/// A later start of a use, and the set after which it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raise {
    /// The position of the use in the order of starts.
    pub(crate) position: usize,
    pub(crate) start: Span,
    pub(crate) after: UseSet,
}

/// The windows of one lock, and buffers.
#[derive(Debug, Default)]
pub(crate) struct EdgeFinder {
    windows: Vec<Window>,
    completions: Vec<Span>,
    raises: Vec<Raise>,
}

impl EdgeFinder {
    /// Replaces the windows.
    pub(crate) fn fill(&mut self, windows: impl Iterator<Item = Window>) {
        self.windows.clear();
        self.windows.extend(windows);
        self.windows.sort_unstable_by_key(|window| window.start);
    }

    /// The windows in the order of their starts.
    pub(crate) fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// The windows of a set.
    pub(crate) fn members(&self, set: UseSet) -> impl Iterator<Item = &Window> {
        self.windows[set.from..].iter().filter(move |window| window.end <= set.end)
    }

    /// Finds later starts of uses, at most one for each use and end.
    ///
    /// For each end, the set is made of the uses that have to be over by then, from the one with the
    /// latest start on. A use that is not in the set and does not fit into it comes after it.
    pub(crate) fn find(&mut self) -> Result<(), Overload> {
        let windows = &self.windows;
        self.raises.clear();
        for last in windows {
            let is_in = |window: &Window| window.end <= last.end;
            let set = |from: usize| UseSet { from, end: last.end };
            let (mut work, mut completion) = (0, Span::MIN);
            self.completions.clear();
            self.completions.resize(windows.len(), Span::MIN);
            for (position, window) in windows.iter().enumerate().rev() {
                if is_in(window) {
                    work += window.length;
                    completion = completion.max(window.start + work);
                    if completion > last.end {
                        return Err(Overload(set(position)));
                    }
                }
                self.completions[position] = completion;
            }
            // The completion of the set with the uses seen so far, which start before those to come,
            // and the position from which it is greatest.
            let (mut earlier, mut from) = (Span::MIN, 0);
            for (position, window) in windows.iter().enumerate() {
                if is_in(window) {
                    if window.start + work > earlier {
                        (earlier, from) = (window.start + work, position);
                    }
                    work -= window.length;
                    continue;
                }
                let fits = |begin: Span| {
                    #[cfg(feature = "faults")]
                    if crate::faults::Fault::EdgeFoundTooSoon.is_selected() {
                        return begin == Span::MIN || begin + 2 * window.length <= last.end;
                    }
                    begin == Span::MIN || begin + window.length <= last.end
                };
                let raise = if !fits(earlier) {
                    Raise { position, start: completion, after: set(from) }
                } else if work > 0 && !fits(window.start + work) {
                    let start = self.completions[position];
                    Raise { position, start, after: set(position + 1) }
                } else {
                    continue;
                };
                if raise.start > window.start {
                    self.raises.push(raise);
                }
            }
        }
        Ok(())
    }

    /// The results of [`Self::find`].
    pub(crate) fn raises(&self) -> &[Raise] {
        &self.raises
    }
}
