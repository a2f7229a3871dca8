//! The quick walk over values of Python's: without counting references.

use std::marker::PhantomData;
use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;
use versiondiff_engine::json::MAX_BYTES;
use versiondiff_engine::json::canonical::{Pieces, Profile, sort_key, utf16_order};

const DEEPEST: usize = 100;

pub(super) fn write(value: &Bound<'_, PyAny>, profile: Profile, max_depth: usize) -> Option<Vec<u8>> {
    let root = Value { object: NonNull::new(value.as_ptr())?, held: PhantomData };
    let mut walk = Walk { known: [Known { object: std::ptr::null_mut(), key: 0, name: "" }; 128], out: Pieces::new(profile), members: Vec::new(), max_depth: max_depth.min(DEEPEST) };
    walk.value(root, root.class(), 0)?;
    Some(walk.out.finish())
}

#[derive(Clone, Copy)]
struct Value<'h> {
    object: NonNull<ffi::PyObject>,
    held: PhantomData<&'h ()>,
}

impl<'h> Value<'h> {
    fn new(object: *mut ffi::PyObject) -> Option<Self> {
        NonNull::new(object).map(|object| Self { object, held: PhantomData })
    }
    #[inline]
    fn is(self, object: *mut ffi::PyObject) -> bool {
        self.object.as_ptr() == object
    }

    #[inline]
    fn class(self) -> *mut ffi::PyTypeObject {
        unsafe { ffi::Py_TYPE(self.object.as_ptr()) }
    }

    #[inline]
    fn text(self) -> Option<&'h str> {
        if self.class() != &raw mut ffi::PyUnicode_Type {
            return None;
        }
        let mut length = 0;
        unsafe {
            let start = ffi::PyUnicode_AsUTF8AndSize(self.object.as_ptr(), &raw mut length);
            if start.is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            Some(std::str::from_utf8_unchecked(std::slice::from_raw_parts(start.cast(), length as usize)))
        }
    }
}

#[derive(Clone, Copy)]
struct Member<'h> {
    key: u64,
    name: &'h str,
    value: Value<'h>,
    class: *mut ffi::PyTypeObject,
}

#[derive(Clone, Copy)]
struct Known<'h> {
    object: *mut ffi::PyObject,
    key: u64,
    name: &'h str,
}

struct Walk<'h> {
    known: [Known<'h>; 128],
    out: Pieces,
    members: Vec<Member<'h>>,
    max_depth: usize,
}

impl<'h> Walk<'h> {
    #[inline]
    fn name(&mut self, name: Value<'h>) -> Option<Known<'h>> {
        let object = name.object.as_ptr();
        let hash = (object.addr() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57;
        let known = &mut self.known[hash as usize];
        if known.object != object {
            let name = name.text()?;
            *known = Known { object, key: sort_key(name.as_bytes()), name };
        }
        Some(*known)
    }

    fn value(&mut self, value: Value<'h>, class: *mut ffi::PyTypeObject, depth: usize) -> Option<()> {
        if class == &raw mut ffi::PyUnicode_Type {
            self.out.put_string(value.text()?);
        } else if class == &raw mut ffi::PyDict_Type {
            self.object(value, depth)?;
        } else if class == &raw mut ffi::PyList_Type {
            let length = unsafe { ffi::PyList_Size(value.object.as_ptr()) };
            self.array(length, depth, |index| unsafe { ffi::PyList_GetItem(value.object.as_ptr(), index) })?;
        } else if value.is(unsafe { ffi::Py_None() }) {
            self.out.put(b"null");
        } else if value.is(unsafe { ffi::Py_True() }) {
            self.out.put(b"true");
        } else if value.is(unsafe { ffi::Py_False() }) {
            self.out.put(b"false");
        } else if class == &raw mut ffi::PyLong_Type {
            let mut overflow = 0;
            let whole = unsafe { ffi::PyLong_AsLongLongAndOverflow(value.object.as_ptr(), &raw mut overflow) };
            if overflow != 0 {
                return None;
            }
            self.out.put_whole(whole);
        } else if class == &raw mut ffi::PyFloat_Type {
            self.out.put_double(unsafe { ffi::PyFloat_AsDouble(value.object.as_ptr()) })?;
        } else if class == &raw mut ffi::PyTuple_Type {
            let length = unsafe { ffi::PyTuple_Size(value.object.as_ptr()) };
            self.array(length, depth, |index| unsafe { ffi::PyTuple_GetItem(value.object.as_ptr(), index) })?;
        } else {
            return None;
        }
        Some(())
    }

    fn array(&mut self, length: isize, depth: usize, item: impl Fn(isize) -> *mut ffi::PyObject) -> Option<()> {
        if depth >= self.max_depth || self.out.length() > MAX_BYTES {
            return None;
        }
        if length == 0 {
            self.out.put(b"[]");
            return Some(());
        }
        self.out.put(b"[");
        for index in 0..length {
            self.out.separate(index > 0, depth + 1);
            let value = Value::new(item(index))?;
            self.value(value, value.class(), depth + 1)?;
        }
        self.out.separate(false, depth);
        self.out.put(b"]");
        Some(())
    }

    fn object(&mut self, object: Value<'h>, depth: usize) -> Option<()> {
        if depth >= self.max_depth || self.out.length() > MAX_BYTES {
            return None;
        }
        let first = self.members.len();
        let mut at = 0;
        let (mut name, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        while unsafe { ffi::PyDict_Next(object.object.as_ptr(), &raw mut at, &raw mut name, &raw mut value) } != 0 {
            let value = Value::new(value)?;
            let Known { name, key, .. } = self.name(Value::new(name)?)?;
            self.members.push(Member { key, name, value, class: value.class() });
        }
        let end = self.members.len();
        if first == end {
            self.out.put(b"{}");
            return Some(());
        }
        let order = |a: &Member<'_>, b: &Member<'_>| {
            a.key.cmp(&b.key).then_with(|| utf16_order(a.name.as_bytes(), b.name.as_bytes()))
        };
        self.members[first..].sort_unstable_by(order);
        self.out.put(b"{");
        for index in first..end {
            let Member { name, value, class, .. } = self.members[index];
            self.out.separate(index > first, depth + 1);
            self.out.put_string(name);
            self.out.put_colon();
            self.value(value, class, depth + 1)?;
        }
        self.members.truncate(first);
        self.out.separate(false, depth);
        self.out.put(b"}");
        Some(())
    }
}
