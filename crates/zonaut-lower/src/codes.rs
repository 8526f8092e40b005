//! The codes of the diagnostics of lowering, in one table.

macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$attribute])* pub const $name: &str = $code;)*

        /// Every code, in order.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

codes! {
    /// A name that nothing declares.
    UNKNOWN_NAME = "TA0501";
    /// A second declaration of a name.
    DUPLICATE_NAME = "TA0502";
    /// A name that is used before its declaration, or by itself.
    USED_BEFORE_DECLARATION = "TA0503";
    /// A name of another kind than the context requires.
    WRONG_KIND_OF_NAME = "TA0504";
    /// A field or a member of a process that does not exist.
    UNKNOWN_MEMBER = "TA0505";
    /// A location of the template used as a value.
    LOCATION_AS_VALUE = "TA0506";

    /// An operand of the wrong type.
    WRONG_TYPE = "TA0601";
    /// Two incompatible types.
    TYPE_MISMATCH = "TA0602";
    /// An assignment to something that cannot be assigned.
    NOT_ASSIGNABLE = "TA0603";
    /// A side effect where side effects are not allowed.
    SIDE_EFFECT = "TA0604";
    /// A clock constraint where clock constraints are not allowed.
    CLOCK_CONSTRAINT_HERE = "TA0605";
    /// A disjunction of clock constraints outside a query.
    CLOCK_DISJUNCTION = "TA0606";
    /// `x != e` on a clock outside a query.
    CLOCK_INEQUALITY = "TA0607";
    /// A rate outside an invariant or below an operator other than a conjunction.
    RATE_HERE = "TA0608";
    /// Arithmetic that mixes too many clocks.
    CLOCK_ARITHMETIC = "TA0609";
    /// Floating point where an integer is needed.
    FLOATING_POINT = "TA0610";
    /// The wrong number of arguments.
    ARGUMENT_COUNT = "TA0611";
    /// An argument that cannot be bound to a reference parameter.
    REFERENCE_ARGUMENT = "TA0612";
    /// A `return` that does not fit its function.
    RETURN = "TA0613";
    /// The cost used as an ordinary variable.
    COST_USE = "TA0614";
    /// A form that Zonaut does not support.
    UNSUPPORTED = "TA0615";

    /// A value that is needed before the model runs but depends on its state.
    NOT_CONSTANT = "TA0701";
    /// The evaluation of a constant failed.
    CONSTANT_FAILS = "TA0702";
    /// A constant that lies outside its range.
    CONSTANT_RANGE = "TA0703";
    /// An empty range.
    EMPTY_RANGE = "TA0704";
    /// An array or a scalar set without a usable size.
    ARRAY_SIZE = "TA0705";
    /// A constant without a value.
    MISSING_INITIALISER = "TA0706";
    /// An initialiser of the wrong shape.
    INITIALISER_SHAPE = "TA0707";
    /// More storage than the limit allows.
    STORAGE_LIMIT = "TA0708";
    /// More clocks than the limit allows.
    CLOCK_LIMIT = "TA0709";
    /// More processes than the limit allows.
    PROCESS_LIMIT = "TA0710";
    /// A quantifier whose expansion exceeds the limit.
    EXPANSION_LIMIT = "TA0711";
    /// A constant index outside its array.
    INDEX_RANGE = "TA0712";
    /// A type that is not allowed here.
    TYPE_HERE = "TA0713";
    /// A prefix that does not fit its type.
    PREFIX = "TA0714";
    /// `--define` names no constant.
    DEFINE = "TA0715";
    /// Iteration over a type without a bounded set of values.
    UNBOUNDED_ITERATION = "TA0716";

    /// A template without an initial location.
    NO_INITIAL_LOCATION = "TA0801";
    /// A process whose free parameter has too many or unknown values.
    FREE_PARAMETER = "TA0802";
    /// A model without a `system` line or without processes.
    NO_SYSTEM = "TA0803";
    /// A process listed twice.
    DUPLICATE_PROCESS = "TA0804";
    /// A synchronisation on something that is not a channel.
    SYNCHRONISATION = "TA0805";
    /// A second `chan priority` declaration or a channel with two priorities.
    PRIORITY = "TA0806";
    /// A branchpoint in a use without meaning.
    BRANCHPOINT = "TA0807";
    /// The initial state violates an invariant.
    INITIAL_INVARIANT = "TA0808";
    /// Two cost rates in one location.
    COST_RATE = "TA0809";
    /// A clock compared with or set to a constant that is too large.
    CLOCK_CONSTANT = "TA0810";
    /// An expression without effect that is evaluated for its effect.
    NO_EFFECT = "TA0851";
    /// A strict upper bound in an invariant.
    STRICT_INVARIANT = "TA0852";
    /// A lower bound or an equality in an invariant.
    INVARIANT_BOUND = "TA0853";
    /// A clock guard on an urgent channel.
    URGENT_CLOCK_GUARD = "TA0855";
    /// An update hook of simulation, which verification ignores.
    HOOK_IGNORED = "TA0856";
    /// A function with a result that never returns one.
    NO_RETURN = "TA0857";
    /// An error in a section that has no effect on verdicts.
    IGNORED_SECTION = "TA0858";
    /// A random number in a condition.
    RANDOM_HERE = "TA0859";
    /// A guard, an invariant or a query that reads a `meta` variable.
    META_READ = "TA0860";

    /// A process of a query that does not exist.
    UNKNOWN_PROCESS = "TA0901";
    /// A process used as a value.
    PROCESS_AS_VALUE = "TA0902";
    /// `deadlock` outside a query.
    DEADLOCK_HERE = "TA0903";
    /// An expression that has no supremum or infimum.
    EXTREMUM = "TA0904";
    /// A number of runs, a probability or a formula that a statistical query cannot have.
    STATISTICAL_QUERY = "TA0905";
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_are_unique_and_ascending() {
        assert!(super::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
