E<> P0.l1 && not P0.l0
