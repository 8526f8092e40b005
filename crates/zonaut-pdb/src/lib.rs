//! Abstractions of models by leaving parts out, and databases of their distances.
