E<> P.end and a == 1 and v == 0
