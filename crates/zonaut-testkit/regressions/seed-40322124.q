E<> P0.l1
