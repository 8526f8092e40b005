E<> things[0] == FULL && things[1] == FULL && things[2] == FULL
A[] forall (i : id_t) Buyer(i).Content imply things[i] < FULL
