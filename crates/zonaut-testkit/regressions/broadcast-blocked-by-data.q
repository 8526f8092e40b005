E<> C.e
