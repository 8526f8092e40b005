E<> Traveller.gate
A[] Traveller.gate imply y > 6
E<> Traveller.gate and y > 7
E<> Traveller.hall and y > 5
