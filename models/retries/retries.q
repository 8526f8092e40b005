Pr[<=10](<> Sender.done) >= 0.97
Pr[<=10](<> Sender.failed) <= 0.03
Pr[<=2](<> Sender.done) >= Pr[<=2](<> Sender.sending and tries == 1)
A[] tries == 3 imply not Sender.sending
