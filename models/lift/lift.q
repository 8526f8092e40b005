// The lift gets to the top.
E<> Lift.open and cabin.at == FLOORS - 1

// All buttons can be lit at the same time.
E<> board.count == FLOORS

// The count tells the truth.
A[] board.count == (sum (f : floor_t) board.wanted[f])

// The lift moves only towards a floor that exists.
A[] Lift.moving imply cabin.heading != 0 and cabin.at + cabin.heading >= 0 and cabin.at + cabin.heading < FLOORS

// And only while somebody waits.
A[] Lift.moving imply board.count > 0

// It passes a floor where somebody waits only if the button was pressed too late.
E<> Lift.moving and Lift.x == 0 and board.wanted[cabin.at]

// People may leave it alone for as long as they like.
E<> Lift.resting and Lift.x > 100 and board.count == 0

// When somebody waits, it does not.
E<> Lift.resting and Lift.x > 3 and board.count > 0 and People.p > 0
