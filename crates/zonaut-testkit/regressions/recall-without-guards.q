E<> P1.l1 && P2.l1
