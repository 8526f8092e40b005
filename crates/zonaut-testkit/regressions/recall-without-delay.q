E<> P1.l2
