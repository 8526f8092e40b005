E<> forall (i : sheet_t) Sheet(i).done
E<> (forall (i : sheet_t) Sheet(i).done) and time <= 10
A[] (forall (i : sheet_t) Sheet(i).done) imply time >= 10
