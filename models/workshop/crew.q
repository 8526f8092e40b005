E<> forall (i : task_t) Task(i).done
E<> (forall (i : task_t) Task(i).done) and time <= 5
A[] (forall (i : task_t) Task(i).done) imply time >= 5
