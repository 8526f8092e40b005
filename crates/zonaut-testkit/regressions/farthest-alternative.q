E<> P0.l1 || (true)
