E<> P.c
