//! The quick walk over values of Python's: it counts no references.
//!
//! Counting them, through a stable interface, is most of what the careful walk does. This one holds
//! none but the caller's to the outermost value. It may, because while it runs nothing can change or
//! free what that value holds:
//!
//! - The interpreter is held from beginning to end, and no other thread can run. A free-threaded
//!   interpreter has no such promise: there this module is not built.
//! - Only values of the very classes str, dict, list, tuple, int, float, bool and None are looked
//!   at. What is called on them is C that runs no code of theirs: none of it compares, hashes or
//!   converts, and none makes an object that the collector of garbage counts, so no collection
//!   starts and no finalizer runs. The one exception is a string that is not UTF-8: making its
//!   error may do so. After it nothing is looked at any more.
//!
//! Whatever else there is ends the walk, and the careful one starts anew. It alone says what is
//! wrong with a value.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use pyo3::ffi;
use pyo3::prelude::*;
use versiondiff_engine::json::MAX_BYTES;
use versiondiff_engine::json::canonical::{Pieces, sort_key, utf16_order};

/// How deep this walk goes, as it recurses.
const DEEPEST: usize = 100;

/// How many names are remembered: the same string often names members of many objects.
const KNOWN: usize = 128;

/// Write a value, if it is one for the quick walk; whether it is.
pub(super) fn write(value: &Bound<'_, PyAny>, max_depth: usize, out: Pieces) -> (Pieces, bool) {
    let mut walk =
        Walk { out, max_depth: max_depth.min(DEEPEST), members: Vec::new(), known: [const { None }; KNOWN] };
    let written = Value::new(value.as_ptr()).and_then(|value| walk.value(value, 0));
    (walk.out, written.is_some())
}

/// A value that is held by the one that is being written: for the time `'h` of a walk, which is
/// that of [`write`].
///
/// Made in this module only, of what was borrowed from such a value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Value<'h> {
    object: NonNull<ffi::PyObject>,
    held: PhantomData<&'h ()>,
}

impl<'h> Value<'h> {
    #[inline]
    fn new(object: *mut ffi::PyObject) -> Option<Self> {
        Some(Self { object: NonNull::new(object)?, held: PhantomData })
    }

    #[inline]
    fn pointer(self) -> *mut ffi::PyObject {
        self.object.as_ptr()
    }

    #[inline]
    fn class(self) -> *mut ffi::PyTypeObject {
        // SAFETY: the object is alive, and its class is a field of it.
        unsafe { ffi::Py_TYPE(self.pointer()) }
    }

    /// Have the processor fetch the value from memory while other things are done: values are
    /// written in another order than they were made, and waiting for each took a fifth of the time.
    #[inline]
    fn fetch(self) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let start = self.pointer().cast::<i8>();
            // SAFETY: a hint, which is allowed for any address; SSE is part of x86-64.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start);
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64));
            }
        }
    }

    /// Its text, if it is a string, and UTF-8. Where there is none, the walk has to end.
    #[inline]
    fn text(self) -> Option<&'h str> {
        if self.class() != &raw mut ffi::PyUnicode_Type {
            return None;
        }
        let mut length = 0;
        // SAFETY: it is a string, which can't be changed. At most, memory is allocated to keep its
        // UTF-8 in, which lives as long as the string.
        let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(self.pointer(), &raw mut length) };
        if start.is_null() {
            // SAFETY: the interpreter is held.
            unsafe { ffi::PyErr_Clear() };
            return None;
        }
        // SAFETY: so many bytes are there, and they are UTF-8, as Python made them.
        Some(unsafe {
            std::str::from_utf8_unchecked(std::slice::from_raw_parts(start.cast(), length.cast_unsigned()))
        })
    }
}

#[derive(Clone, Copy)]
struct Name<'h> {
    /// Sorts as the name's first bytes do.
    key: u64,
    text: &'h str,
}

#[derive(Clone, Copy)]
struct Member<'h> {
    name: Name<'h>,
    value: Value<'h>,
}

struct Walk<'h> {
    out: Pieces,
    max_depth: usize,
    /// Of the objects that are being written, the innermost last.
    members: Vec<Member<'h>>,
    /// Names that were seen, each where its address says.
    known: [Option<(Value<'h>, Name<'h>)>; KNOWN],
}

impl<'h> Walk<'h> {
    /// Write a value. `None` ends the walk.
    fn value(&mut self, value: Value<'h>, depth: usize) -> Option<()> {
        let object = value.pointer();
        let class = value.class();
        if class == &raw mut ffi::PyUnicode_Type {
            self.out.put_string(value.text()?);
        } else if class == &raw mut ffi::PyDict_Type {
            self.object(value, depth)?;
        } else if class == &raw mut ffi::PyList_Type {
            // SAFETY: it is a list, and alive.
            let length = unsafe { ffi::PyList_Size(object) };
            // SAFETY: the list is as long as it was, since nothing can have changed it.
            self.array(length, depth, |index| unsafe { ffi::PyList_GetItem(object, index) })?;
        // SAFETY: the interpreter is there, and so are its constants.
        } else if object == unsafe { ffi::Py_None() } {
            self.out.put(b"null");
        // SAFETY: as above.
        } else if object == unsafe { ffi::Py_True() } {
            self.out.put(b"true");
        // SAFETY: as above.
        } else if object == unsafe { ffi::Py_False() } {
            self.out.put(b"false");
        } else if class == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            // SAFETY: it is an int, and alive. What is too large is said in `overflow` only.
            let whole = unsafe { ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow) };
            if overflow != 0 {
                return None;
            }
            self.out.put_whole(whole);
        } else if class == &raw mut ffi::PyFloat_Type {
            // SAFETY: it is a float, and alive.
            self.out.put_double(unsafe { ffi::PyFloat_AsDouble(object) })?;
        } else if class == &raw mut ffi::PyTuple_Type {
            // SAFETY: it is a tuple, and alive.
            let length = unsafe { ffi::PyTuple_Size(object) };
            // SAFETY: the tuple is so long.
            self.array(length, depth, |index| unsafe { ffi::PyTuple_GetItem(object, index) })?;
        } else {
            return None;
        }
        Some(())
    }

    /// Write a list or tuple of this length, whose items are borrowed from it.
    #[inline(never)]
    fn array(
        &mut self,
        length: isize,
        depth: usize,
        item: impl Fn(isize) -> *mut ffi::PyObject,
    ) -> Option<()> {
        self.is_within_limits(depth)?;
        if length == 0 {
            self.out.put(b"[]");
            return Some(());
        }
        self.out.put(b"[");
        for index in 0..length {
            self.out.separate(index > 0, depth + 1);
            self.value(Value::new(item(index))?, depth + 1)?;
        }
        self.out.separate(false, depth);
        self.out.put(b"]");
        Some(())
    }

    /// Write a dict.
    #[inline(never)]
    fn object(&mut self, dict: Value<'h>, depth: usize) -> Option<()> {
        self.is_within_limits(depth)?;
        let first = self.members.len();
        let mut at = 0;
        let (mut name, mut value) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: it is a dict, and alive, and nothing can change it between the calls.
        while unsafe { ffi::PyDict_Next(dict.pointer(), &raw mut at, &raw mut name, &raw mut value) != 0 } {
            let value = Value::new(value)?;
            value.fetch();
            let name = self.name(Value::new(name)?)?;
            self.members.push(Member { name, value });
        }
        let end = self.members.len();
        if first == end {
            self.out.put(b"{}");
            return Some(());
        }
        // No two names are the same: they are keys of one dict, and none holds surrogates.
        self.members[first..].sort_unstable_by(|Member { name: a, .. }, Member { name: b, .. }| {
            a.key.cmp(&b.key).then_with(|| utf16_order(a.text.as_bytes(), b.text.as_bytes()))
        });
        self.out.put(b"{");
        for index in first..end {
            let Member { name, value } = self.members[index];
            self.out.separate(index > first, depth + 1);
            self.out.put_name(name.text);
            self.value(value, depth + 1)?;
        }
        self.members.truncate(first);
        self.out.separate(false, depth);
        self.out.put(b"}");
        Some(())
    }

    #[inline]
    fn name(&mut self, object: Value<'h>) -> Option<Name<'h>> {
        // The upper bits of a product depend on all bits of the address.
        let place = (object.pointer().addr() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let known = &mut self.known[place as usize % KNOWN];
        if let Some((seen, name)) = known
            && *seen == object
        {
            return Some(*name);
        }
        let text = object.text()?;
        let name = Name { key: sort_key(text.as_bytes()), text };
        *known = Some((object, name));
        Some(name)
    }

    #[inline]
    fn is_within_limits(&self, depth: usize) -> Option<()> {
        (depth < self.max_depth && self.out.length() <= MAX_BYTES).then_some(())
    }
}
