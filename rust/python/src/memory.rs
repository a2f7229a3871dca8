//! How the allocator gives memory back.

use libmimalloc_sys::{mi_option_set, mi_option_t};

/// How many times as long as other memory a freed block of its largest kind is kept. Its place in
/// mimalloc's list of options, which its Rust interface leaves out.
const ARENA_PURGE_MULT: mi_option_t = 24;

/// Give large blocks back as soon as they are freed.
///
/// Kept for a tenth of a second, as by default, what was read of two large files is still there when
/// Python holds what came of it: 110 MB more at the peak for 20 MB each.
#[expect(unsafe_code, reason = "a foreign function; it writes one number, and may be called at any time")]
pub(crate) fn give_back_at_once() {
    // SAFETY: the option exists in every version of mimalloc that has arenas, and any number is valid.
    unsafe { mi_option_set(ARENA_PURGE_MULT, 0) };
}
