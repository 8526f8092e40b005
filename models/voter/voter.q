// The reports can agree, and can disagree.
E<> Voter.resting
E<> Voter.alarm

// Not symmetric: the left sensor may be 5 units earlier, but at most 2 later.
E<> Voter.alarm and a - b == 5
A[] Voter.alarm imply a - b > 2 and a - b <= 5
E<> Voter.alarm and b - a > 2

// Judging and logging happen at the instant of the second report.
A[] (Voter.judging or Voter.logging) imply (a == 0 or b == 0)

// A new round begins every 10 units.
A[] Voter.resting imply t <= 10
E<> Voter.collecting and t > 6
