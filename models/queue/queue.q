Pr[<=50](<> time >= 50 and customers == 0) >= 0.45
Pr[<=50](<> time >= 50 and customers == 0) <= 0.55
Pr[<=50](<> customers >= 10) >= 0.5
E[<=50; 200](max: customers)
E<> customers == 3
