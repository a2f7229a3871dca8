//! Lets the code tell a free-threaded interpreter, `cfg(Py_GIL_DISABLED)`, from others.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
