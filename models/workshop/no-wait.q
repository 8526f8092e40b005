E<> forall (i : job_t) Job(i).done
E<> (forall (i : job_t) Job(i).done) and time <= 9
A[] (forall (i : job_t) Job(i).done) imply time >= 9
