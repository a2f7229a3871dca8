//! Archives made here and read back; what the ordinary tools make of the same is tested in Python.

mod building;
mod cutting;
mod shapes;
