E<> P1.l1
