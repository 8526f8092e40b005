E<> forall (i : parcel_t) Parcel(i).door
E<> (forall (i : parcel_t) Parcel(i).door) and time <= 7
A[] (forall (i : parcel_t) Parcel(i).door) imply time >= 7
