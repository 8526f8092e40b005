// Tea is reachable.
E<> Customer.happy

// But not at once: choosing takes 1 and brewing 4.
E<> Customer.happy and Customer.y < 5

// No customer waits for longer than patience and brewing together.
A[] Customer.waiting imply Customer.y <= 14
E<> Customer.waiting and Customer.y == 14

// The machine never holds more than one coin, and holds it while the customer waits.
A[] money >= 0 and money <= 1
A[] Customer.waiting imply money == 1
