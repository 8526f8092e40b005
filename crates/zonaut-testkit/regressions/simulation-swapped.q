E<> P1.l1 && P0.l2
