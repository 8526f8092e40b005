//! The codes of this crate's diagnostics, one per line.

macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*

        /// Every code with its meaning, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    ILLEGAL_CHARACTER = "TA0101", "A character that no token starts with.";
    UNTERMINATED_COMMENT = "TA0102", "A comment without an end.";
    UNTERMINATED_STRING = "TA0103", "A string without a closing quote.";
    INTEGER_TOO_LARGE = "TA0104", "An integer literal above 2147483647.";
    IDENTIFIER_TOO_LONG = "TA0105", "An identifier longer than the limit.";
    EMPTY_FILE = "TA0106", "A model file without content.";

    UNEXPECTED = "TA0201", "Something other than what the grammar asks for here.";
    NESTING = "TA0202", "Nesting deeper than the limit.";
    TOO_MANY_ITEMS = "TA0203", "More names, types, operators and statements than the limit.";
    TOO_MANY_ERRORS = "TA0204", "More errors than the limit; the rest was not read.";
    NOT_SUPPORTED = "TA0205", "A part of the language that Zonaut does not support.";
    ASSIGNMENT_IN_CONDITION = "TA0206", "An assignment where a condition is meant.";
    UNKNOWN_LOCATION = "TA0207", "A location that the process does not declare.";
    NO_INITIAL_LOCATION = "TA0208", "A template without an initial location.";
    NO_SYSTEM_LINE = "TA0209", "A model without a system line.";
    REPEATED_SECTION = "TA0210", "A section or label given twice.";
    MISPLACED_DECLARATION = "TA0211", "A declaration where none is allowed.";
    REPEATED_LOCATION = "TA0212", "A location declared twice.";
    READ_AS_OLD = "TA0213", "A model that is only correct in the language of UPPAAL 3.x.";

    XML_SYNTAX = "TA0301", "XML that is not well-formed.";
    XML_MISMATCHED_TAG = "TA0302", "An end tag that does not match its start tag.";
    XML_UNCLOSED = "TA0303", "A file that ends inside an element.";
    XML_ENTITY_DECLARATION = "TA0304", "An internal document type, which could declare entities.";
    XML_UNKNOWN_ENTITY = "TA0305", "A reference to an entity other than the five standard ones.";
    XML_DEPTH = "TA0306", "Elements nested deeper than the limit.";
    XML_ROOT = "TA0307", "A root element other than `nta` or `project`.";
    XML_MISSING = "TA0308", "A required element or attribute that is not there.";
    XML_UNKNOWN_ID = "TA0309", "A reference to an id that the template does not have.";
    XML_IGNORED = "TA0310", "An element that Zonaut ignores.";
    XML_REPEATED_ID = "TA0311", "An id that is given twice in a template.";
    XML_TOO_MANY_ITEMS = "TA0312", "More elements and attributes than the limit.";

    QUERY_UNEXPECTED = "TA0401", "Something that is not part of a query here.";
    QUERY_NESTED = "TA0402", "A path quantifier inside a formula.";
    TOO_MANY_QUERIES = "TA0403", "More queries than the limit.";
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_are_unique_and_ascending() {
        let codes: Vec<&str> = super::ALL.iter().map(|(code, _)| *code).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    }
}
