//! Types of the input language with known sizes.

use std::fmt;
use std::sync::Arc;
use zonaut_base::Span;
use zonaut_model::{CellKind, Range, ScalarSetId};

/// The largest size of a type; larger ones exceed every reasonable limit.
const LARGEST: u64 = 1 << 32;

/// A type. Sizes and ranges are constants here: each template instance has types of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Integer(Range),
    Boolean,
    /// A scalar set and its size.
    Scalar(ScalarSetId, u32),
    Clock,
    Channel {
        urgent: bool,
        broadcast: bool,
    },
    /// `double`: not supported by symbolic analysis.
    Floating,
    /// `hybrid clock`: not supported by symbolic analysis.
    HybridClock,
    Text,
    Void,
    Array(Arc<ArrayType>),
    Struct(Arc<StructType>),
    /// A type with an error that has been reported.
    Damaged,
}

/// An array with indices `low .. low + size`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ArrayType {
    pub(crate) element: Type,
    pub(crate) low: i32,
    pub(crate) size: u32,
    /// The scalar set of its indices.
    pub(crate) scalar: Option<ScalarSetId>,
    /// The number of integers, clocks or channels in it, saturating.
    total: u64,
    /// Whether a scalar set occurs in it.
    has_scalars: bool,
}

/// A struct: its fields with their offsets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StructType {
    pub(crate) fields: Vec<FieldType>,
    total: u64,
    /// Computed at construction: nested structs share their types and can be exponentially large.
    class: StorageClass,
    /// Whether a scalar set occurs in it; computed at construction as well.
    has_scalars: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FieldType {
    pub(crate) name: Arc<str>,
    pub(crate) place: FieldPlace,
    pub(crate) ty: Type,
    pub(crate) offset: u64,
}

/// A field without its offset.
#[derive(Clone, Debug)]
pub(crate) struct NamedField {
    pub(crate) name: Arc<str>,
    pub(crate) place: FieldPlace,
    pub(crate) ty: Type,
}

/// The position of a field's declaration. All are equal: types are compared by their content, and
/// two structs with the same fields are the same type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldPlace(pub(crate) Span);

impl PartialEq for FieldPlace {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for FieldPlace {}

/// The kind of storage for the values of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StorageClass {
    Data,
    Clock,
    Channel,
    Floating,
    Text,
    Void,
    Damaged,
}

impl Type {
    /// The type of a computed number.
    pub(crate) const NUMBER: Self = Self::Integer(Range::ALL);

    pub(crate) fn array(element: Self, low: i32, size: u32, scalar: Option<ScalarSetId>) -> Self {
        let total = element.size().saturating_mul(u64::from(size));
        let has_scalars = scalar.is_some() || element.has_scalars();
        Self::Array(Arc::new(ArrayType { element, low, size, scalar, total, has_scalars }))
    }

    pub(crate) fn structure(fields: Vec<NamedField>) -> Self {
        let mut total = 0_u64;
        let mut laid_out = Vec::with_capacity(fields.len());
        for NamedField { name, place, ty } in fields {
            let offset = total;
            total = total.saturating_add(ty.size());
            laid_out.push(FieldType { name, place, ty, offset });
        }
        let mut classes = laid_out.iter().map(|field| field.ty.class());
        let class =
            classes.find(|class| *class != StorageClass::Data).unwrap_or(StorageClass::Data);
        let has_scalars = laid_out.iter().any(|field| field.ty.has_scalars());
        Self::Struct(Arc::new(StructType { fields: laid_out, total, class, has_scalars }))
    }

    /// The number of integers, clocks or channels in a value, saturating.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Array(array) => array.total,
            Self::Struct(structure) => structure.total,
            Self::Void | Self::Damaged => 0,
            _ => 1,
        }
    }

    pub(crate) fn is_aggregate(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Struct(_))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::Boolean)
    }

    /// Whether it is a floating-point number.
    pub(crate) fn is_real_number(&self) -> bool {
        matches!(self, Self::Floating | Self::HybridClock)
    }

    pub(crate) fn class(&self) -> StorageClass {
        match self {
            Self::Integer(_) | Self::Boolean | Self::Scalar(..) => StorageClass::Data,
            Self::Clock => StorageClass::Clock,
            Self::Channel { .. } => StorageClass::Channel,
            Self::Floating | Self::HybridClock => StorageClass::Floating,
            Self::Text => StorageClass::Text,
            Self::Void => StorageClass::Void,
            Self::Damaged => StorageClass::Damaged,
            Self::Array(array) => array.element.class(),
            Self::Struct(structure) => structure.class,
        }
    }

    /// The values that a single integer of this type can hold.
    pub(crate) fn range(&self) -> Range {
        match self {
            Self::Integer(range) => *range,
            Self::Boolean => Range::BOOLEAN,
            Self::Scalar(_, size) => Range { low: 0, high: (*size).cast_signed() - 1 },
            _ => Range::ALL,
        }
    }

    pub(crate) fn cell_kind(&self) -> CellKind {
        match self {
            Self::Boolean => CellKind::Boolean,
            Self::Scalar(set, _) => CellKind::Scalar(*set),
            _ => CellKind::Integer,
        }
    }

    /// The value of a variable without an initialiser: 0, or the lower bound if 0 is not in the
    /// range.
    pub(crate) fn default_value(&self) -> i32 {
        let range = self.range();
        if range.contains(0) { 0 } else { range.low }
    }

    /// The type of a constant declared with this type: a plain `int` constant has 32 bits.
    pub(crate) fn of_constant(&self) -> Self {
        match self {
            Self::Integer(range) if *range == Range::DEFAULT_INTEGER => Self::NUMBER,
            _ if self.class() != StorageClass::Data || self.size() > LARGEST => self.clone(),
            Self::Array(array) => {
                Self::array(array.element.of_constant(), array.low, array.size, array.scalar)
            }
            Self::Struct(structure) => Self::structure(
                structure
                    .fields
                    .iter()
                    .map(|field| NamedField {
                        name: field.name.clone(),
                        place: field.place,
                        ty: field.ty.of_constant(),
                    })
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// Whether values of one type can be copied to the other. Integers are compatible whatever
    /// their ranges, because a store checks the range.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Damaged, _) | (_, Self::Damaged) => true,
            (Self::Array(a), Self::Array(b)) => {
                (a.low, a.size, a.scalar) == (b.low, b.size, b.scalar)
                    && a.element.matches_as_element(&b.element)
            }
            (Self::Struct(a), Self::Struct(b)) => {
                a.fields.len() == b.fields.len()
                    && a.fields
                        .iter()
                        .zip(&b.fields)
                        .all(|(x, y)| x.name == y.name && x.ty.matches_as_element(&y.ty))
            }
            (Self::Channel { .. }, Self::Channel { .. }) => true,
            (a, b) if a.is_number() && b.is_number() => true,
            (a, b) => a == b,
        }
    }

    fn matches_as_element(&self, other: &Self) -> bool {
        matches!(self, Self::Boolean) == matches!(other, Self::Boolean) && self.matches(other)
    }

    /// Whether a scalar set occurs in the type.
    pub(crate) fn has_scalars(&self) -> bool {
        match self {
            Self::Scalar(..) => true,
            Self::Array(array) => array.has_scalars,
            Self::Struct(structure) => structure.has_scalars,
            _ => false,
        }
    }

    /// Calls `visit` with every scalar set in the type and a flag: `true` if the set indexes parts
    /// of a value, `false` if it is the type of a part.
    pub(crate) fn for_each_scalar_set(&self, visit: &mut impl FnMut(ScalarSetId, bool)) {
        match self {
            _ if !self.has_scalars() => {}
            Self::Scalar(set, _) => visit(*set, false),
            Self::Array(array) => {
                if let Some(set) = array.scalar {
                    visit(set, true);
                }
                array.element.for_each_scalar_set(visit);
            }
            Self::Struct(structure) => {
                for field in &structure.fields {
                    field.ty.for_each_scalar_set(visit);
                }
            }
            _ => {}
        }
    }

    /// Calls `visit` with the name and the type of every scalar inside a value of this type.
    pub(crate) fn for_each_leaf(&self, name: &mut String, visit: &mut impl FnMut(&str, &Self)) {
        let length = name.len();
        match self {
            Self::Array(array) => {
                for position in 0..i64::from(array.size) {
                    name.push_str(&format!("[{}]", i64::from(array.low) + position));
                    array.element.for_each_leaf(name, visit);
                    name.truncate(length);
                }
            }
            Self::Struct(structure) => {
                for field in &structure.fields {
                    name.push('.');
                    name.push_str(&field.name);
                    field.ty.for_each_leaf(name, visit);
                    name.truncate(length);
                }
            }
            leaf => visit(name, leaf),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(Range::ALL) => f.write_str("int"),
            Self::Integer(range) if *range == Range::DEFAULT_INTEGER => f.write_str("int"),
            Self::Integer(range) => write!(f, "int{range}"),
            Self::Boolean => f.write_str("bool"),
            Self::Scalar(_, size) => write!(f, "scalar[{size}]"),
            Self::Clock => f.write_str("clock"),
            Self::Channel { urgent, broadcast } => {
                let urgent = if *urgent { "urgent " } else { "" };
                let broadcast = if *broadcast { "broadcast " } else { "" };
                write!(f, "{urgent}{broadcast}chan")
            }
            Self::Floating => f.write_str("double"),
            Self::HybridClock => f.write_str("hybrid clock"),
            Self::Text => f.write_str("string"),
            Self::Void => f.write_str("void"),
            Self::Damaged => f.write_str("unknown"),
            Self::Array(array) => write!(f, "{}[{}]", array.element, array.size),
            Self::Struct(structure) => {
                // Only the names: nested structs can be exponentially large.
                let names = structure.fields.iter().take(5).map(|field| field.name.as_ref());
                let names: Vec<&str> = names.collect();
                let more = if structure.fields.len() > 5 { ", ..." } else { "" };
                write!(f, "struct {{{}{more}}}", names.join(", "))
            }
        }
    }
}
