A[] not Link.collision
A[] not verbose
E<> lost == 20 and late == 20
