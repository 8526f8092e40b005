// All loaves are baked after nine hours: three for the oven, and two for each loaf.
E<> (forall (i : loaf_t) Loaf(i).bread) and day <= 9

// No schedule has a smaller makespan.
A[] (forall (i : loaf_t) Loaf(i).bread) imply day >= 9

// The oven holds one loaf at a time.
A[] forall (i : loaf_t) forall (j : loaf_t) i < j and Loaf(i).baking imply not Loaf(j).baking
