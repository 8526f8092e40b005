// The lift gets to the top.
E<> Lift.open and cabin.at == FLOORS - 1

// All buttons can be lit at the same time.
E<> board.count == FLOORS

// The count equals the number of waiting floors.
A[] board.count == (sum (f : floor_t) board.wanted[f])

// The lift moves only towards a floor that exists.
A[] Lift.moving imply cabin.heading != 0 and cabin.at + cabin.heading >= 0 and cabin.at + cabin.heading < FLOORS

// And only while a call is pending.
A[] Lift.moving imply board.count > 0

// It passes a floor with a pending call only if the button was pressed too late.
E<> Lift.moving and Lift.x == 0 and board.wanted[cabin.at]

// There may be no call for an arbitrary time.
E<> Lift.resting and Lift.x > 100 and board.count == 0

// While a call is pending, it does not rest.
E<> Lift.resting and Lift.x > 3 and board.count > 0 and People.p > 0
