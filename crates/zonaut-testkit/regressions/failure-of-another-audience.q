E<> deadlock
