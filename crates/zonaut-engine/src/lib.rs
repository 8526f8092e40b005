//! Part of Zonaut.
