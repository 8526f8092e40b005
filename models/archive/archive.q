A[] not Valve.stuck
A[] not maintenance
