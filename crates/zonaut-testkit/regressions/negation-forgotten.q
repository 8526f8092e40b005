E<> not P0.l0
