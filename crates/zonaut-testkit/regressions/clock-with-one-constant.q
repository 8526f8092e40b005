E<> x0 >= 0 && deadlock
