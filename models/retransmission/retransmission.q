A[] not There.collision and not Back.collision
A[] Receiver.gaveUp imply Sender.failure
E<> Sender.success and chunk == N
E<> Sender.failure and chunk == N
A[] Sender.failure imply tries == MAX
