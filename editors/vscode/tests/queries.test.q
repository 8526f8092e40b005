// SYNTAX TEST "source.uppaal-queries" "queries of all kinds"

A[] not deadlock
// <--- keyword.control.path.uppaal-queries
//  ^^^ keyword.operator.logical.xta
//      ^^^^^^^^ constant.language.deadlock.uppaal-queries

P.a --> P.b
//  ^^^ keyword.control.path.uppaal-queries

sup{P.a}: x
// <--- keyword.control.path.uppaal-queries
//  ^ - keyword

/* several
lines */
// <----- comment.block.xta
E[] forall (i : id_t) P(i).waiting imply x < 3
// <--- keyword.control.path.uppaal-queries
//                         ^^^^^^^ variable.other.member.uppaal-queries
//                                 ^^^^^ keyword.operator.logical.xta
