//! Memory given back to the system.

use libmimalloc_sys::mi_collect;

/// From how many bytes of freed memory on giving it back is worth the walk through the allocator's lists.
const WORTH: usize = 4 << 20;

/// Give freed memory back to the system now, where it was so much that it matters.
///
/// The allocator keeps large blocks for a tenth of a second, in case they are asked for again. Until then
/// what was read of two large files would be there beside what Python holds of them: at the peak 110 MB
/// more for 20 MB each. Never keeping any would make loops slow that ask for large blocks and free them.
#[expect(unsafe_code, reason = "a foreign function without arguments that could be wrong")]
pub(crate) fn give_back(freed: usize) {
    if freed >= WORTH {
        // SAFETY: it may be called at any time, from any thread, and touches no block that is in use.
        unsafe { mi_collect(true) };
    }
}
