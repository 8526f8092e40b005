E<> dial[0] == 5 && dial[1] == 4 && dial[2] == 6 && dial[3] == 3
A[] dial[0] + dial[1] <= 14
