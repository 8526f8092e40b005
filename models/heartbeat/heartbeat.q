// A follower that misses a beat raises a false alarm: the lease is shorter than two beats.
E<> Leader.alive and Follower(0).alarmed

// After a crash every follower notices in time.
A[] Leader.crashed and since > LEASE + 1 imply forall (i : follower_t) Follower(i).alarmed

// Noticing takes a while, but may be quick if beats were missed before.
E<> Leader.crashed and since < 3 and (forall (i : follower_t) Follower(i).alarmed)

// The beat is not heard by a follower whose lease has run out, even when it listens.
E<> Leader.alive and Leader.t == 0 and Follower(0).listening and Follower(0).x > LEASE

// One beat, heard by one follower and not by the other, which listens again.
E<> Leader.alive and Follower(0).listening and Follower(1).listening and Follower(0).x == 0 and Follower(1).x == LEASE + 1

// No follower is without alarm for longer than the lease and one unit.
A[] forall (i : follower_t) not Follower(i).alarmed imply Follower(i).x <= LEASE + 1
