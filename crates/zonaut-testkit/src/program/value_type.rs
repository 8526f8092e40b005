//! The types of a program.

/// A type; its definition is in the tables of [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Number(usize),
    Boolean,
    Aggregate(usize),
}

/// A range of numbers with a name.
#[derive(Clone, Debug)]
pub(super) struct NumberType {
    pub(super) name: String,
    pub(super) low: i64,
    pub(super) high: i64,
}

impl NumberType {
    /// Whether increments are unlikely to leave the range.
    pub(super) fn is_wide(&self) -> bool {
        self.high - self.low > 1_000
    }
}

/// An array or a struct with a name.
#[derive(Clone, Debug)]
pub(super) struct AggregateType {
    pub(super) name: String,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Struct(Vec<(String, Ty)>),
    Array { low: i64, size: i64, element: Ty },
}

/// One step from a value to a part of it.
#[derive(Clone, Debug)]
pub(super) enum PathStep {
    Member(String),
    Element { low: i64, size: i64 },
}

/// A part of a variable.
#[derive(Clone, Debug)]
pub(super) struct VariablePart {
    pub(super) variable: String,
    pub(super) path: Vec<PathStep>,
    pub(super) ty: Ty,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    pub(super) numbers: Vec<NumberType>,
    pub(super) aggregates: Vec<AggregateType>,
}

impl Types {
    pub(super) fn name(&self, ty: Ty) -> &str {
        match ty {
            Ty::Number(number) => &self.numbers[number].name,
            Ty::Boolean => "bool",
            Ty::Aggregate(aggregate) => &self.aggregates[aggregate].name,
        }
    }

    /// The least and the greatest number of a type.
    pub(super) fn range(&self, ty: Ty) -> (i64, i64) {
        match ty {
            Ty::Number(number) => (self.numbers[number].low, self.numbers[number].high),
            Ty::Boolean | Ty::Aggregate(_) => (0, 1),
        }
    }

    /// The paths from a value of `ty` to its parts, itself included, with their types.
    pub(super) fn parts(&self, ty: Ty) -> Vec<(Vec<PathStep>, Ty)> {
        let mut parts = vec![(Vec::new(), ty)];
        let mut add = |step: PathStep, inner: Ty| {
            for (mut path, ty) in self.parts(inner) {
                path.insert(0, step.clone());
                parts.push((path, ty));
            }
        };
        if let Ty::Aggregate(aggregate) = ty {
            match &self.aggregates[aggregate].shape {
                Shape::Struct(members) => members
                    .iter()
                    .for_each(|(name, inner)| add(PathStep::Member(name.clone()), *inner)),
                Shape::Array { low, size, element } => {
                    add(PathStep::Element { low: *low, size: *size }, *element);
                }
            }
        }
        parts
    }
}
