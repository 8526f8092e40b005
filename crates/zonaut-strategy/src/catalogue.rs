//! The catalogue: a description of every part of strategy expressions.

/// The role of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A search for verdicts: determines the next state to expand.
    Search,
    /// A heuristic: estimates the distance to the goal.
    Heuristic,
    /// A combinator: a heuristic made of heuristics.
    Combinator,
    /// A search for a cheapest run: determines the next state to expand.
    CostSearch,
    /// An estimate of the remaining cost.
    Estimate,
}

impl Kind {
    /// Whether the part belongs to searches for cheapest runs, not for verdicts.
    #[must_use]
    pub fn is_about_costs(self) -> bool {
        matches!(self, Self::CostSearch | Self::Estimate)
    }
}

/// The conditions under which a heuristic is admissible, or a search finds shortest paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarantee {
    /// Always.
    Yes,
    /// No.
    No,
    /// If all its heuristics are.
    LikeParts,
    /// For some values of its parameters.
    ByParameters,
}

/// One part of a strategy.
#[derive(Debug)]
pub struct Part {
    /// Its canonical name.
    pub name: &'static str,
    /// Its role.
    pub kind: Kind,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// For a heuristic: whether it is admissible. For a search: whether it finds shortest paths.
    pub guarantee: Guarantee,
    /// For a heuristic: whether it detects dead ends.
    pub sees_dead_ends: bool,
    /// A description of its behaviour.
    pub summary: &'static str,
    /// The literature.
    pub source: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
}

/// One parameter of a part.
#[derive(Debug)]
pub struct Parameter {
    /// Its name; empty for heuristics and estimates, which are positional.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Its default value; empty if it is mandatory.
    pub default: &'static str,
}

const HEURISTIC: Parameter = Parameter { name: "", meaning: "the guide", default: "" };
const HEURISTICS: Parameter = Parameter { name: "", meaning: "two guides or more", default: "" };
const PARTITION: Parameter = Parameter {
    name: "partition",
    meaning: "shared: every transition is shared out among the guides, rd, cone(d=N) or hl, one for \
              each conjunct of the goal, so that the sum never overestimates; or off",
    default: "off",
};
const TIES: Parameter = Parameter {
    name: "ties",
    meaning: "which of equal states leaves first: fifo, lifo or random (by --seed)",
    default: "lifo",
};
const PREFER: Parameter = Parameter {
    name: "prefer",
    meaning: "what is compared before age: estimate, depth or nothing",
    default: "estimate",
};
const WEIGHT: Parameter =
    Parameter { name: "weight", meaning: "how much an estimate counts", default: "3" };
const CACHE: Parameter = Parameter {
    name: "cache",
    meaning: "how many values are remembered; 0 is none",
    default: "262144",
};
const STATES: Parameter =
    Parameter { name: "states", meaning: "stop building at so many states", default: "50000" };
const SECONDS: Parameter =
    Parameter { name: "seconds", meaning: "stop building after so many seconds", default: "none" };
const MEMORY: Parameter =
    Parameter { name: "memory", meaning: "stop building at so many megabytes", default: "none" };

const EDELKAMP: &str = "Edelkamp, Lluch-Lafuente, Leue: Directed explicit model checking with \
                        HSF-SPIN (SPIN 2001)";
const KUPFERSCHMID: &str = "Kupferschmid, Hoffmann, Dierks, Behrmann: Adapting an AI planning \
                            heuristic for directed model checking (SPIN 2006)";
const ABSTRACT_ERROR_PATH: &str = "Kupferschmid, Hoffmann, Larsen: Fast directed model checking via \
                            Russian Doll abstraction (TACAS 2008)";
const LAZY: &str = "T\u{f3}th, Majzik: Lazy reachability checking for timed automata with discrete \
                    variables (SPIN 2018)";
const QIAN: &str = "Qian, Nymeyer, Susanto: Abstraction-guided model checking using symbolic IDA* \
                    and heuristic synthesis (FORTE 2005)";

const USELESS: &str = "Wehrle, Kupferschmid, Podelski: Transition-based directed model checking \
                       (TACAS 2009)";
const CONTEXT: &str = "Wehrle, Kupferschmid: Context-enhanced directed model checking (SPIN 2010)";
const STRUCTURE: &str =
    "Groce, Visser: Model checking Java programs using structural heuristics (ISSTA 2002)";
const PREDICATES: &str = "Hoffmann, Smaus, Rybalchenko, Kupferschmid, Podelski: Using predicate \
                          abstraction to generate heuristic functions in UPPAAL (MoChArt 2006)";
const MERGING: &str = "Dräger, Finkbeiner, Podelski: Directed model checking with \
                       distance-preserving abstractions (SPIN 2006)";

const ESTIMATE: Parameter =
    Parameter { name: "", meaning: "the estimate that drops what is too dear", default: "rem" };
const NO_ESTIMATE: Parameter = Parameter {
    name: "",
    meaning: "an estimate that drops what is too dear; without it nothing is estimated",
    default: "none",
};
const OVER: Parameter = Parameter {
    name: "over",
    meaning: "what is explored: zones, or auto, which is points where the model is a network of tasks",
    default: "auto",
};

const BEHRMANN: &str = "Behrmann, Fehnker, Hune, Larsen, Pettersson, Romijn: Efficient guiding \
                        towards cost-optimality in UPPAAL (TACAS 2001)";

/// All parts: searches, heuristics, combinators, then those of cost searches.
pub const PARTS: &[Part] = &[
    Part {
        name: "auto",
        kind: Kind::Search,
        parameters: &[Parameter {
            name: "first",
            meaning: "how much is explored breadth first before anything else is tried",
            default: "32768",
        }],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "breadth first at first, then several searches take turns until one answers; \
                  with --trace shortest it finds a shortest run",
        source: "",
        example: "auto",
    },
    Part {
        name: "bfs",
        kind: Kind::Search,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "breadth first; with --trace shortest it finds a shortest run",
        source: "",
        example: "bfs",
    },
    Part {
        name: "dfs",
        kind: Kind::Search,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "depth first",
        source: "",
        example: "dfs",
    },
    Part {
        name: "rdfs",
        kind: Kind::Search,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "depth first, successors in the random order of --seed",
        source: "",
        example: "rdfs",
    },
    Part {
        name: "astar",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "A*: the lowest sum of depth and estimate first; finds a shortest run",
        source: "Hart, Nilsson, Raphael: A formal basis for the heuristic determination of \
                 minimum cost paths (1968)",
        example: "astar(hl)",
    },
    Part {
        name: "greedy",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "greedy best-first search: the lowest estimate first",
        source: "",
        example: "greedy(hu)",
    },
    Part {
        name: "useful",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "greedy search with hl or hu, with the depth added where a transition leads to a \
                  state that is no nearer than the state before would be without it",
        source: USELESS,
        example: "useful(hu)",
    },
    Part {
        name: "context",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "context-enhanced search: first what has most to do with the transition before, and \
                  of that the lowest estimate",
        source: CONTEXT,
        example: "context(hu)",
    },
    Part {
        name: "coverage",
        kind: Kind::Search,
        parameters: &[TIES],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "the state first whose edges and locations were taken least often; for goals that \
                  say little",
        source: STRUCTURE,
        example: "coverage",
    },
    Part {
        name: "wastar",
        kind: Kind::Search,
        parameters: &[HEURISTIC, WEIGHT, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "weighted A*: the lowest sum of depth and weighted estimate first",
        source: "Pohl: Heuristic search viewed as path finding in a graph (1970)",
        example: "wastar(hl, weight=3)",
    },
    Part {
        name: "alternate",
        kind: Kind::Search,
        parameters: &[HEURISTICS, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "multi-queue search: greedy searches with a guide each take turns",
        source: "Helmert: The Fast Downward planning system (2006)",
        example: "alternate(hu, du)",
    },
    Part {
        name: "restarts",
        kind: Kind::Search,
        parameters: &[
            HEURISTIC,
            Parameter {
                name: "patience",
                meaning: "a descent ends after so many states without a lower estimate",
                default: "50",
            },
            Parameter {
                name: "perturb",
                meaning: "one choice in so many is random; 0 is never",
                default: "20",
            },
        ],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "randomised greedy descents with restarts, by --seed",
        source: KUPFERSCHMID,
        example: "restarts(hu)",
    },
    Part {
        name: "lazy",
        kind: Kind::Search,
        parameters: &[
            Parameter {
                name: "data",
                meaning: "what is remembered of data: visible (the variables that were needed), \
                          interval (ranges of them) or explicit (all)",
                default: "visible",
            },
            Parameter {
                name: "clocks",
                meaning: "what is remembered of clocks: zone (interpolants), lu (bounds that \
                          were needed) or eager (as --abstraction says)",
                default: "zone",
            },
            Parameter {
                name: "order",
                meaning: "what is expanded next: any search that is not lazy",
                default: "bfs",
            },
            Parameter {
                name: "covering",
                meaning: "which states are tried first to cover another: newest, oldest, \
                          nearest or general",
                default: "newest",
            },
            Parameter {
                name: "refine",
                meaning: "when states learn why a step is impossible, and how that is taken to \
                          those before: at once, backward or forward, or late, when nothing \
                          else is left to do",
                default: "backward",
            },
        ],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "lazy abstraction: states remember only what the proof needs; with --trace \
                  shortest it finds a shortest run",
        source: LAZY,
        example: "lazy(order=dfs)",
    },
    Part {
        name: "blind",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "knows nothing; A* with it is breadth-first search",
        source: "",
        example: "astar(blind)",
    },
    Part {
        name: "hamming",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "the number of conditions of the goal that do not hold",
        source: "Yang, Dill: Validation with guided search of the state space (DAC 1998)",
        example: "greedy(hamming)",
    },
    Part {
        name: "dl",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "the greatest distance of a process to its target location in its own graph",
        source: EDELKAMP,
        example: "astar(dl)",
    },
    Part {
        name: "du",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: true,
        summary: "the sum of the distances of all processes to their target locations",
        source: EDELKAMP,
        example: "greedy(du)",
    },
    Part {
        name: "hl",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "clocks",
                meaning: "what guards say of clocks: ignored, or by what clocks are and by the \
                          invariants of the locations that processes can be in (location)",
                default: "ignored",
            },
            Parameter {
                name: "values",
                meaning: "which values variables can have where an edge starts: ignored or location",
                default: "ignored",
            },
            CACHE,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "steps to the goal if variables kept all values they ever had: the lower bound",
        source: KUPFERSCHMID,
        example: "astar(hl)",
    },
    Part {
        name: "hu",
        kind: Kind::Heuristic,
        parameters: &[CACHE],
        guarantee: Guarantee::No,
        sees_dead_ends: true,
        summary: "transitions of one way to the goal if variables kept all values they ever had",
        source: KUPFERSCHMID,
        example: "greedy(hu)",
    },
    Part {
        name: "rd",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "inputs",
                meaning: "whether processes that nothing else influences are dropped or kept; or direct: kept, but on a path without steps that only right sides of assignments need",
                default: "dropped",
            },
            STATES,
            SECONDS,
            MEMORY,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "distances in the part of the model that one abstract error path touches",
        source: ABSTRACT_ERROR_PATH,
        example: "astar(rd)",
    },
    Part {
        name: "cone",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "d",
                meaning: "the layers of influence kept, or auto: one more as long as the database \
                          is complete",
                default: "2",
            },
            STATES,
            SECONDS,
            MEMORY,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "distances in the part of the model that may influence the goal soon",
        source: QIAN,
        example: "astar(cone(d=1))",
    },
    Part {
        name: "pa",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "split",
                meaning: "the most processes of a part; all is one part, and never overestimates",
                default: "2",
            },
            Parameter {
                name: "sum",
                meaning: "whether parts are added, or shared so that they never overestimate",
                default: "added",
            },
            Parameter {
                name: "refine",
                meaning: "find predicates by refuting abstract ways, so many times, or auto: as long as \
                          that makes them longer",
                default: "none",
            },
            Parameter {
                name: "ways",
                meaning: "which shortest ways a round refutes: one, all, or the most that the same \
                          predicates refute",
                default: "most",
            },
            Parameter {
                name: "learn",
                meaning: "what refutes a way: what is needed where it gets stuck and before, or the \
                          guards that do not hold on it",
                default: "needed",
            },
            Parameter {
                name: "perimeter",
                meaning: "so many transitions around the goal, the predicates of the text count beside \
                          those of refine",
                default: "3",
            },
            Parameter {
                name: "near",
                meaning: "so many abstract states around the goal know all processes, where the \
                          predicates are those of the text",
                default: "200",
            },
            Parameter {
                name: "states",
                meaning: "stop building a part at so many abstract states",
                default: "20000",
            },
            SECONDS,
            Parameter {
                name: "memory",
                meaning: "stop building a part at so many megabytes",
                default: "none",
            },
        ],
        guarantee: Guarantee::ByParameters,
        sees_dead_ends: true,
        summary: "distances in an abstraction by what guards, invariants and the goal test",
        source: PREDICATES,
        example: "greedy(pa(split=2))",
    },
    Part {
        name: "merge",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "n",
                meaning: "the most locations that an automaton keeps before it is multiplied",
                default: "50",
            },
            Parameter {
                name: "variables",
                meaning: "how many variables with few values are automata of their own",
                default: "5",
            },
            Parameter {
                name: "states",
                meaning: "stop merging at so many states of all automata together",
                default: "1000000",
            },
            SECONDS,
            MEMORY,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "distances in the product of all automata, with locations merged",
        source: MERGING,
        example: "astar(merge(n=50))",
    },
    Part {
        name: "max",
        kind: Kind::Combinator,
        parameters: &[HEURISTICS],
        guarantee: Guarantee::LikeParts,
        sees_dead_ends: true,
        summary: "the greatest of the estimates",
        source: "",
        example: "astar(max(hl, dl))",
    },
    Part {
        name: "sum",
        kind: Kind::Combinator,
        parameters: &[HEURISTICS, PARTITION],
        guarantee: Guarantee::ByParameters,
        sees_dead_ends: true,
        summary: "the sum of the estimates",
        source: "",
        example: "greedy(sum(hu, du))",
    },
    Part {
        name: "weighted",
        kind: Kind::Combinator,
        parameters: &[HEURISTIC, WEIGHT],
        guarantee: Guarantee::No,
        sees_dead_ends: true,
        summary: "a multiple of the estimate",
        source: "",
        example: "greedy(sum(weighted(hu, weight=2), du))",
    },
    Part {
        name: "auto",
        kind: Kind::CostSearch,
        parameters: &[],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "beam where the model is a network of tasks, astar(rem) elsewhere",
        source: "",
        example: "auto",
    },
    Part {
        name: "beam",
        kind: Kind::CostSearch,
        parameters: &[
            Parameter {
                name: "width",
                meaning: "how many points of a layer the first beam keeps",
                default: "1",
            },
            Parameter {
                name: "growth",
                meaning: "how many times as many the next one keeps",
                default: "4",
            },
            Parameter {
                name: "widest",
                meaning: "after a beam of this width, astar(rem(auto)) goes on below the best cost",
                default: "65536",
            },
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "beams of growing width through a network of tasks; one that drops nothing is complete",
        source: "Ow, Morton: Filtered beam search in scheduling (1988)",
        example: "beam(width=4)",
    },
    Part {
        name: "bfs",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "breadth first",
        source: BEHRMANN,
        example: "bfs(rem)",
    },
    Part {
        name: "dfs",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth first",
        source: BEHRMANN,
        example: "dfs(rem(auto))",
    },
    Part {
        name: "rdfs",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth first, successors in the random order of --seed",
        source: BEHRMANN,
        example: "rdfs",
    },
    Part {
        name: "mc",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "the least cost first; no order that knows costs alone explores fewer states",
        source: BEHRMANN,
        example: "mc(over=zones)",
    },
    Part {
        name: "astar",
        kind: Kind::CostSearch,
        parameters: &[ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "the least sum of cost and estimate first",
        source: BEHRMANN,
        example: "astar(rem(auto))",
    },
    Part {
        name: "mc+",
        kind: Kind::CostSearch,
        parameters: &[ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "another name of astar",
        source: BEHRMANN,
        example: "mc+",
    },
    Part {
        name: "best-dfs",
        kind: Kind::CostSearch,
        parameters: &[
            ESTIMATE,
            Parameter {
                name: "total",
                meaning: "how much the sum of cost and estimate counts among successors",
                default: "1",
            },
            Parameter {
                name: "work",
                meaning: "how much the ways count that all processes have to go, added up",
                default: "0",
            },
            OVER,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth first, of the successors of a state the least weighted sum first",
        source: BEHRMANN,
        example: "best-dfs(rem, total=8, work=1)",
    },
    Part {
        name: "heur",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "the least `heur` of the model first, or the greatest `priority`",
        source: BEHRMANN,
        example: "heur",
    },
    Part {
        name: "heur-dfs",
        kind: Kind::CostSearch,
        parameters: &[ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth first, of the successors of a state the least `heur` first",
        source: BEHRMANN,
        example: "heur-dfs",
    },
    Part {
        name: "rem",
        kind: Kind::Estimate,
        parameters: &[Parameter {
            name: "",
            meaning: "what is asked, the greatest counts: auto, the way of each process and what has \
                      to use each resource; remaining, what the author of the model believes; \
                      smaller, a search in a part of the model for each combination of locations and \
                      values",
            default: "auto, remaining",
        }],
        guarantee: Guarantee::ByParameters,
        sees_dead_ends: true,
        summary: "what is left to pay at least",
        source: "Carlier: The one-machine sequencing problem (1982)",
        example: "astar(rem(remaining))",
    },
];

/// An alternative name of a part: the term of the literature for a part with a short name.
///
/// Strategies are printed with the canonical name of the part, so that records do not depend on
/// the name that the user typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The alternative name, which no part has.
    pub name: &'static str,
    /// The canonical name of the part.
    pub part: &'static str,
}

/// All alternative names.
pub const ALIASES: &[Alias] = &[
    // "Transition-based directed model checking" defers states behind useless transitions.
    Alias { name: "transition-based", part: "useful" },
    // "Structural heuristics" prefer edges and locations that are covered least.
    Alias { name: "structural", part: "coverage" },
];

/// The part called `name`, or with this alternative name, with a role that `fits` accepts.
#[must_use]
pub fn find(name: &str, fits: impl Fn(Kind) -> bool) -> Option<&'static Part> {
    let alias = ALIASES.iter().find(|alias| alias.name == name);
    let name = alias.map_or(name, |alias| alias.part);
    PARTS.iter().find(|part| part.name == name && fits(part.kind))
}
