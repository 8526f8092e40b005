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

const HEURISTIC: Parameter = Parameter { name: "", meaning: "the heuristic", default: "" };
const HEURISTICS: Parameter =
    Parameter { name: "", meaning: "two or more heuristics", default: "" };
const PARTITION: Parameter = Parameter {
    name: "partition",
    meaning: "shared: the cost of each transition is partitioned among the heuristics (rd, \
              cone(d=N) or hl, one per conjunct of the goal), so that the sum is admissible; or \
              off",
    default: "off",
};
const TIES: Parameter = Parameter {
    name: "ties",
    meaning: "tie-breaking between states of equal priority: fifo, lifo or random (by --seed)",
    default: "lifo",
};
const PREFER: Parameter = Parameter {
    name: "prefer",
    meaning: "what is compared before ties: estimate (lower first), depth (smaller first) or \
              nothing",
    default: "estimate",
};
const WEIGHT: Parameter =
    Parameter { name: "weight", meaning: "the factor of the estimate", default: "3" };
const CACHE: Parameter = Parameter {
    name: "cache",
    meaning: "the number of cached estimates; 0 disables the cache",
    default: "262144",
};
const STATES: Parameter =
    Parameter { name: "states", meaning: "limit of states of the database", default: "50000" };
const SECONDS: Parameter = Parameter {
    name: "seconds",
    meaning: "time limit of the construction, in seconds",
    default: "none",
};
const MEMORY: Parameter = Parameter {
    name: "memory",
    meaning: "memory limit of the construction, in megabytes",
    default: "none",
};

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

const ESTIMATE: Parameter = Parameter {
    name: "",
    meaning: "the lower bound of the remaining cost, for pruning by branch \
                                    and bound",
    default: "rem",
};
const NO_ESTIMATE: Parameter = Parameter {
    name: "",
    meaning: "a lower bound of the remaining cost, for pruning by branch and bound; without it, \
              states are pruned by their cost alone",
    default: "none",
};
const OVER: Parameter = Parameter {
    name: "over",
    meaning: "the explored states: zones, or auto: integer points if the model is a network of \
              tasks, otherwise zones",
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
            meaning: "the head start of breadth-first search, in work units",
            default: "32768",
        }],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "a portfolio: breadth-first search with a head start, then interleaved with \
                  heuristic and lazy searches until one of them decides; finds a shortest path \
                  with --trace shortest",
        source: "",
        example: "auto",
    },
    Part {
        name: "bfs",
        kind: Kind::Search,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "breadth-first search; finds a shortest path with --trace shortest",
        source: "",
        example: "bfs",
    },
    Part {
        name: "dfs",
        kind: Kind::Search,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "depth-first search",
        source: "",
        example: "dfs",
    },
    Part {
        name: "rdfs",
        kind: Kind::Search,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "depth-first search, with the successors of each state in random order (--seed)",
        source: "",
        example: "rdfs",
    },
    Part {
        name: "astar",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "A*: expands the least sum of depth and estimate first",
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
        summary: "greedy best-first search: expands the least estimate first",
        source: "",
        example: "greedy(hu)",
    },
    Part {
        name: "useful",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "greedy best-first search that defers the states behind useless transitions, \
                  which bring the goal no nearer; the heuristic is hl or hu",
        source: USELESS,
        example: "useful(hu)",
    },
    Part {
        name: "context",
        kind: Kind::Search,
        parameters: &[HEURISTIC, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "context-enhanced search: prefers transitions that interfere most with the \
                  previous one, then the least estimate",
        source: CONTEXT,
        example: "context(hu)",
    },
    Part {
        name: "coverage",
        kind: Kind::Search,
        parameters: &[TIES],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "structural coverage: expands the state whose edges and locations were visited \
                  least often; for goals that give heuristics no estimates",
        source: STRUCTURE,
        example: "coverage",
    },
    Part {
        name: "wastar",
        kind: Kind::Search,
        parameters: &[HEURISTIC, WEIGHT, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "weighted A*: expands the least sum of depth and weighted estimate first",
        source: "Pohl: Heuristic search viewed as path finding in a graph (1970)",
        example: "wastar(hl, weight=3)",
    },
    Part {
        name: "alternate",
        kind: Kind::Search,
        parameters: &[HEURISTICS, TIES, PREFER],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "multi-queue search: alternates between greedy open lists, one for each heuristic",
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
                meaning: "the number of states without a lower estimate after which a descent ends",
                default: "50",
            },
            Parameter {
                name: "perturb",
                meaning: "one in this many choices is random; 0: none",
                default: "20",
            },
        ],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "randomised greedy descents with restarts (--seed)",
        source: KUPFERSCHMID,
        example: "restarts(hu)",
    },
    Part {
        name: "lazy",
        kind: Kind::Search,
        parameters: &[
            Parameter {
                name: "data",
                meaning: "the data domain of labels: visible (values of the relevant variables), \
                          interval (their ranges) or explicit (all values)",
                default: "visible",
            },
            Parameter {
                name: "clocks",
                meaning: "the clock domain of labels: zone (interpolants), lu (relevant LU \
                          bounds) or eager (the abstraction of --abstraction)",
                default: "zone",
            },
            Parameter {
                name: "order",
                meaning: "the search that orders expansions: any single search except lazy",
                default: "bfs",
            },
            Parameter {
                name: "covering",
                meaning: "the order in which covering nodes are tried: newest, oldest, nearest or \
                          general first",
                default: "newest",
            },
            Parameter {
                name: "refine",
                meaning: "the propagation of a refinement along the path: backward or forward, at \
                          once; or late, when the frontier is empty",
                default: "backward",
            },
        ],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "lazy abstraction: labels keep only the data and clock constraints that the \
                  proof needs; finds a shortest path with --trace shortest",
        source: LAZY,
        example: "lazy(order=dfs)",
    },
    Part {
        name: "blind",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "0 for every state; A* with it is breadth-first search",
        source: "",
        example: "astar(blind)",
    },
    Part {
        name: "hamming",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: false,
        summary: "Hamming distance: the number of violated conditions of the goal",
        source: "Yang, Dill: Validation with guided search of the state space (DAC 1998)",
        example: "greedy(hamming)",
    },
    Part {
        name: "dl",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "graph distance: the maximum over the processes of the distance to the target \
                  location in the graph of the process",
        source: EDELKAMP,
        example: "astar(dl)",
    },
    Part {
        name: "du",
        kind: Kind::Heuristic,
        parameters: &[],
        guarantee: Guarantee::No,
        sees_dead_ends: true,
        summary: "graph distance: the sum over the processes of the distances to their target \
                  locations",
        source: EDELKAMP,
        example: "greedy(du)",
    },
    Part {
        name: "hl",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "clocks",
                meaning: "clock constraints of guards: ignored, or evaluated with clock ranges by \
                          location (location)",
                default: "ignored",
            },
            Parameter {
                name: "values",
                meaning: "values of variables at the source of an edge: ignored, or restricted by \
                          location (location)",
                default: "ignored",
            },
            CACHE,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "monotonicity abstraction (variables keep all their values): a lower bound of \
                  the length of a path to the goal",
        source: KUPFERSCHMID,
        example: "astar(hl)",
    },
    Part {
        name: "hu",
        kind: Kind::Heuristic,
        parameters: &[CACHE],
        guarantee: Guarantee::No,
        sees_dead_ends: true,
        summary: "monotonicity abstraction (variables keep all their values): the length of one \
                  abstract path to the goal",
        source: KUPFERSCHMID,
        example: "greedy(hu)",
    },
    Part {
        name: "rd",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "inputs",
                meaning: "processes that no other part influences: dropped, kept, or direct \
                          (kept, with the abstract path reduced to steps that conditions need)",
                default: "dropped",
            },
            STATES,
            SECONDS,
            MEMORY,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "pattern database (Russian Doll): distances in the abstract model of the symbols \
                  on one abstract error path",
        source: ABSTRACT_ERROR_PATH,
        example: "astar(rd)",
    },
    Part {
        name: "cone",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "d",
                meaning: "the number of layers of the cone of influence, or auto: as many as give \
                          a complete database",
                default: "2",
            },
            STATES,
            SECONDS,
            MEMORY,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "pattern database: distances in the abstract model of the cone of influence of \
                  the goal",
        source: QIAN,
        example: "astar(cone(d=1))",
    },
    Part {
        name: "pa",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "split",
                meaning: "the maximal number of processes in a part; all: a single part, which is \
                          admissible",
                default: "2",
            },
            Parameter {
                name: "sum",
                meaning: "the combination of the parts: added, or shared (cost partitioning, \
                          which is admissible)",
                default: "added",
            },
            Parameter {
                name: "refine",
                meaning: "the number of refinement rounds, each of which refutes spurious \
                          abstract paths by new predicates; or auto: as long as abstract paths \
                          become longer",
                default: "none",
            },
            Parameter {
                name: "ways",
                meaning: "the shortest abstract paths that a round refutes: one, all, or the most \
                          that the same predicates refute",
                default: "most",
            },
            Parameter {
                name: "learn",
                meaning: "the new predicates: needed (the conditions needed along the path up to \
                          the blocked transition) or guards (the violated guards)",
                default: "needed",
            },
            Parameter {
                name: "perimeter",
                meaning: "the distance from the goal within which the predicates of the model are \
                          used beside those of refine",
                default: "3",
            },
            Parameter {
                name: "near",
                meaning: "the number of abstract states nearest to the goal that include all \
                          processes; only without refine",
                default: "200",
            },
            Parameter {
                name: "states",
                meaning: "limit of abstract states of a part",
                default: "20000",
            },
            SECONDS,
            Parameter {
                name: "memory",
                meaning: "memory limit of a part, in megabytes",
                default: "none",
            },
        ],
        guarantee: Guarantee::ByParameters,
        sees_dead_ends: true,
        summary: "predicate abstraction: distances between abstract states over the predicates of \
                  guards, invariants and the goal",
        source: PREDICATES,
        example: "greedy(pa(split=2))",
    },
    Part {
        name: "merge",
        kind: Kind::Heuristic,
        parameters: &[
            Parameter {
                name: "n",
                meaning: "the maximal number of locations of an automaton before it enters the \
                          product",
                default: "50",
            },
            Parameter {
                name: "variables",
                meaning: "the number of variables with small domains that become automata",
                default: "5",
            },
            Parameter {
                name: "states",
                meaning: "limit of the states of all automata together",
                default: "1000000",
            },
            SECONDS,
            MEMORY,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: true,
        summary: "merging (distance-preserving abstraction): distances in the product of all \
                  automata, with locations merged",
        source: MERGING,
        example: "astar(merge(n=50))",
    },
    Part {
        name: "max",
        kind: Kind::Combinator,
        parameters: &[HEURISTICS],
        guarantee: Guarantee::LikeParts,
        sees_dead_ends: true,
        summary: "the maximum of the estimates",
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
        summary: "beam if the model is a network of tasks, otherwise astar(rem)",
        source: "",
        example: "auto",
    },
    Part {
        name: "beam",
        kind: Kind::CostSearch,
        parameters: &[
            Parameter {
                name: "width",
                meaning: "the width of the first beam: the number of states kept in each layer",
                default: "1",
            },
            Parameter {
                name: "growth",
                meaning: "the factor from one width to the next",
                default: "4",
            },
            Parameter {
                name: "widest",
                meaning: "the largest width; after it, astar(rem(auto)) continues with the \
                          incumbent as upper bound",
                default: "65536",
            },
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "beam search with increasing widths in a network of tasks; complete once a beam \
                  drops no state",
        source: "Ow, Morton: Filtered beam search in scheduling (1988)",
        example: "beam(width=4)",
    },
    Part {
        name: "bfs",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "breadth-first search",
        source: BEHRMANN,
        example: "bfs(rem)",
    },
    Part {
        name: "dfs",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth-first search",
        source: BEHRMANN,
        example: "dfs(rem(auto))",
    },
    Part {
        name: "rdfs",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth-first search, with the successors of each state in random order (--seed)",
        source: BEHRMANN,
        example: "rdfs",
    },
    Part {
        name: "mc",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "minimum cost first: expands the least cost first",
        source: BEHRMANN,
        example: "mc(over=zones)",
    },
    Part {
        name: "astar",
        kind: Kind::CostSearch,
        parameters: &[ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "A*: expands the least sum of cost and estimate first",
        source: BEHRMANN,
        example: "astar(rem(auto))",
    },
    Part {
        name: "mc+",
        kind: Kind::CostSearch,
        parameters: &[ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "minimum cost plus remaining cost first: the same as astar",
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
                meaning: "the weight of the sum of cost and estimate",
                default: "1",
            },
            Parameter {
                name: "work",
                meaning: "the weight of the remaining work: the sum of the remaining costs of all \
                          processes",
                default: "0",
            },
            OVER,
        ],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth-first search, the successor with the least weighted sum first",
        source: BEHRMANN,
        example: "best-dfs(rem, total=8, work=1)",
    },
    Part {
        name: "heur",
        kind: Kind::CostSearch,
        parameters: &[NO_ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "expands the least `heur` of the model first, or the greatest `priority`",
        source: BEHRMANN,
        example: "heur",
    },
    Part {
        name: "heur-dfs",
        kind: Kind::CostSearch,
        parameters: &[ESTIMATE, OVER],
        guarantee: Guarantee::Yes,
        sees_dead_ends: false,
        summary: "depth-first search, the successor with the least `heur` first",
        source: BEHRMANN,
        example: "heur-dfs",
    },
    Part {
        name: "rem",
        kind: Kind::Estimate,
        parameters: &[Parameter {
            name: "",
            meaning: "the lower bounds, of which the maximum is used: auto, computed from the \
                      paths of the processes and the load of the resources; remaining, the \
                      annotation of the model; smaller, optimal costs in an abstract model for \
                      each combination of locations and values",
            default: "auto, remaining",
        }],
        guarantee: Guarantee::ByParameters,
        sees_dead_ends: true,
        summary: "a lower bound of the remaining cost",
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
