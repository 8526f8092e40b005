// Each process can enter.
E<> P(1).critical

// Mutual exclusion: never are two inside.
A[] forall (i : id_t) forall (j : id_t) P(i).critical and P(j).critical imply i == j

// All may wait at the same time, and one of them will find its number.
E<> forall (i : id_t) P(i).waiting

// A process inside has the turn.
A[] forall (i : id_t) P(i).critical imply turn == i
