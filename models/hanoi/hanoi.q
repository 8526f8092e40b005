// All discs get to the last peg,
E<> forall (i : disc_t) Disc(i).third

// and not in fewer than 15 moves.
A[] (forall (i : disc_t) Disc(i).third) imply moves >= 15

// The largest disc never lies on another one.
A[] under[N] == N + 1
