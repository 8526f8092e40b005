E<> P.b && v == 0
