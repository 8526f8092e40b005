// All can cross, and 22 time units are enough: 0 and 1 go, 0 returns, 2 and 3 go, 1 returns, 0 and 1 go.
E<> (forall (i : person_t) Person(i).far) and time <= 22

// The bound is tight: less is not enough.
A[] (forall (i : person_t) Person(i).far) imply time >= 22

// Never do three people walk.
A[] (sum (i : person_t) (Person(i).over or Person(i).back)) <= 2
