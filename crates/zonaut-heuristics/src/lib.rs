//! Estimates of the distance to a goal, computed from a model.
