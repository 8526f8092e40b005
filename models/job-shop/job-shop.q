// A schedule with makespan 12.
E<> (forall (j : job_t) Job(j).done) and time <= 12

// It is optimal, although no job needs more than 11 and no machine more than 10.
A[] (forall (j : job_t) Job(j).done) imply time >= 12

// Two jobs at work use different machines.
A[] forall (i : job_t) forall (j : job_t) i < j and Job(i).working and Job(j).working imply MACHINE[i][Job(i).step] != MACHINE[j][Job(j).step]
