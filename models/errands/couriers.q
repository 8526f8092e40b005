E<> Courier(0).Home && Courier(1).Home && Courier(2).Home
A[] not (Courier(0).Lost && Courier(0).x > 3)
