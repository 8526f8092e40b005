E<> P0.l1 && P1.l0
