Pr[<=200]([] forall (i : id_t) forall (j : id_t) Train(i).crossing and Train(j).crossing imply i == j) >= 0.98
Pr[<=100](<> Train(0).crossing) >= 0.9
Pr[<=20](<> Train(5).crossing) >= 0.5
Pr[<=100](<> Train(0).crossing) >= Pr[<=100](<> Train(5).crossing)
E[<=200; 500](max: waiting)
simulate[<=100; 1]{waiting, Gate.length}
E<> waiting == 3
