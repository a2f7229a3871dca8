//! Canonical JSON: of a text, and of Python's own values.

#[cfg(not(any(Py_GIL_DISABLED, PyPy, GraalPy)))]
#[expect(unsafe_code, reason = "it holds what it looks at by borrowed references, as it says why it may")]
mod quick;

use std::borrow::Cow;
use std::cell::Cell;

use pyo3::exceptions::{PyRecursionError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use versiondiff_engine::json::MAX_BYTES;
use versiondiff_engine::json::canonical::{
    self, Canonical, Options, Pieces, Profile, Repeated, Step, Workspace, grouped, pointer, sort_key,
    utf16_order,
};

use crate::door::{Error, enter, enter_attached};

/// What is wrong with a text or a value: line, column (both 0 where there is no text), pointer,
/// rule, and whether it is a limit that was met.
type Fault = (usize, usize, String, String, bool);

#[derive(IntoPyObject)]
pub(crate) enum Outcome<'py> {
    Done(Bound<'py, PyBytes>),
    Wrong(Fault),
}

fn options(jcs: bool, last: bool, max_depth: usize) -> Options {
    Options {
        profile: if jcs { Profile::Jcs } else { Profile::Canonical },
        repeated: if last { Repeated::LastCounts } else { Repeated::Refused },
        max_depth,
    }
}

/// The canonical form of a JSON text, or what is wrong with the text.
#[pyfunction]
#[pyo3(signature = (text, *, jcs, last, max_depth))]
pub(crate) fn canonical_text<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
    jcs: bool,
    last: bool,
    max_depth: usize,
) -> PyResult<Outcome<'py>> {
    let options = options(jcs, last, max_depth);
    WORKSPACE.with(|kept| {
        let mut workspace = kept.take().unwrap_or_default();
        let outcome = written(py, text, options, &mut workspace);
        if workspace.size() <= KEPT_BYTES {
            kept.set(Some(workspace));
        }
        outcome
    })
}

thread_local! {
    /// What this thread's next text is written in.
    static WORKSPACE: Cell<Option<Box<Workspace>>> = const { Cell::new(None) };
    /// What this thread's next value is written in.
    static MEMORY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// How much memory a thread keeps for its next text, and for its next value, in bytes.
const KEPT_BYTES: usize = 1 << 20;

fn written<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
    options: Options,
    workspace: &mut Workspace,
) -> PyResult<Outcome<'py>> {
    let bytes = text.as_bytes();
    match enter(py, || Ok(Canonical::of(bytes, options, workspace)))? {
        Ok(form) if form.is_unchanged() => Ok(Outcome::Done(text.clone())),
        Ok(form) => {
            if let Some(bytes) = form.bytes() {
                return Ok(Outcome::Done(PyBytes::new(py, bytes)));
            }
            let write = |memory: &mut [u8]| {
                enter(py, || {
                    form.write_into(memory);
                    Ok(())
                })
            };
            Ok(Outcome::Done(PyBytes::new_with(py, form.length(), write)?))
        }
        Err(error) => Ok(Outcome::Wrong((
            error.line,
            error.column,
            error.pointer,
            error.rule.into_owned(),
            error.is_limit,
        ))),
    }
}

/// Whether a text is in its canonical form.
#[pyfunction]
#[pyo3(signature = (text, *, jcs, max_depth))]
pub(crate) fn is_canonical(py: Python<'_>, text: &[u8], jcs: bool, max_depth: usize) -> PyResult<bool> {
    enter(py, || Ok(canonical::is_canonical(text, options(jcs, false, max_depth))))
}

/// The canonical form of a value of Python's, or what is wrong with it.
///
/// The interpreter stays held: the values are its own.
#[pyfunction]
#[pyo3(signature = (value, *, jcs, max_depth, decimal, builtins))]
pub(crate) fn canonical_value<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    jcs: bool,
    max_depth: usize,
    decimal: &Bound<'py, PyType>,
    builtins: &Bound<'py, PyAny>,
) -> PyResult<Outcome<'py>> {
    let profile = options(jcs, false, max_depth).profile;
    enter_attached(|| {
        let out = Pieces::new(profile, MEMORY.take());
        #[cfg(not(any(Py_GIL_DISABLED, PyPy, GraalPy)))]
        let out = match quick::write(value, max_depth, out) {
            (out, true) => return Ok(Outcome::Done(finished(py, out))),
            (mut out, false) => {
                out.restart();
                out
            }
        };
        let mut walk = Walk { out, max_depth, decimal, builtins, open: Vec::new(), members: Vec::new() };
        match walk.all(value) {
            Ok(()) => Ok(Outcome::Done(finished(py, walk.out))),
            Err(Stop::Python(error)) => Err(Error::Python(error)),
            Err(Stop::Rule(rule)) => Ok(Outcome::Wrong(walk.fault(rule.into_owned(), false))),
            Err(Stop::Limit(rule)) => Ok(Outcome::Wrong(walk.fault(rule.into_owned(), true))),
        }
    })
}

fn finished(py: Python<'_>, mut out: Pieces) -> Bound<'_, PyBytes> {
    let bytes = PyBytes::new(py, out.finish());
    let memory = out.into_memory();
    if memory.capacity() <= KEPT_BYTES {
        MEMORY.set(memory);
    }
    bytes
}

/// Why a value is not written.
enum Stop {
    Rule(Cow<'static, str>),
    Limit(Cow<'static, str>),
    Python(PyErr),
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

fn rule(text: &'static str) -> Stop {
    Stop::Rule(Cow::Borrowed(text))
}

/// A name.
enum Name<'py> {
    Utf8(Bound<'py, PyString>),
    /// With lone surrogates, as the three bytes that would encode them.
    Wtf8(Box<[u8]>),
}

impl Name<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            // It was looked at once already, and stays the same.
            Self::Utf8(text) => text.to_str().unwrap_or_default().as_bytes(),
            Self::Wtf8(bytes) => bytes,
        }
    }
}

struct Member<'py> {
    /// Sorts as the name's first bytes do.
    key: u64,
    name: Name<'py>,
    /// `None` once it is being written.
    value: Option<Bound<'py, PyAny>>,
}

/// A list or an object that is being written.
enum Frame<'py> {
    List(Bound<'py, PyList>, usize),
    Tuple(Bound<'py, PyTuple>, usize),
    /// Its members are `members[first..]`, of which the next one is at `next`.
    Object {
        first: usize,
        next: usize,
    },
}

struct Walk<'a, 'py> {
    out: Pieces,
    max_depth: usize,
    decimal: &'a Bound<'py, PyType>,
    /// Turns dataclasses, structs and members of enums into what JSON has.
    builtins: &'a Bound<'py, PyAny>,
    open: Vec<Frame<'py>>,
    members: Vec<Member<'py>>,
}

impl<'py> Walk<'_, 'py> {
    fn all(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Stop> {
        self.value(value)?;
        loop {
            let depth = self.open.len();
            let (value, is_first) = match self.open.last_mut() {
                None => return Ok(()),
                Some(Frame::List(list, next)) => {
                    // Looked up anew each time: what is called on the way may change the list.
                    let value = if *next < list.len() { Some(list.get_item(*next)?) } else { None };
                    *next += 1;
                    (value, *next == 1)
                }
                Some(Frame::Tuple(tuple, next)) => {
                    let value = if *next < tuple.len() { Some(tuple.get_item(*next)?) } else { None };
                    *next += 1;
                    (value, *next == 1)
                }
                Some(Frame::Object { first, next }) => {
                    let index = *next;
                    *next += 1;
                    let is_first = index == *first;
                    let Some(member) = self.members.get_mut(index) else {
                        self.members.truncate(*first);
                        self.close(b"}");
                        continue;
                    };
                    self.out.separate(!is_first, depth);
                    match &member.name {
                        Name::Utf8(name) => self.out.put_string(name.to_str()?),
                        Name::Wtf8(name) => self.out.put_wtf8(name).map_err(|_| rule(SURROGATE))?,
                    }
                    self.out.put_colon();
                    if let Some(value) = member.value.take() {
                        self.value(&value)?;
                    }
                    continue;
                }
            };
            match value {
                Some(value) => {
                    self.out.separate(!is_first, depth);
                    self.value(&value)?;
                }
                None => self.close(b"]"),
            }
        }
    }

    fn close(&mut self, bracket: &[u8]) {
        self.open.pop();
        self.out.separate(false, self.open.len());
        self.out.put(bracket);
    }

    fn open(&mut self, frame: Frame<'py>, bracket: &[u8]) -> Result<(), Stop> {
        if self.out.length() > MAX_BYTES {
            return Err(Stop::Limit(Cow::Borrowed("the canonical form is longer than 1 GiB")));
        }
        self.open.push(frame);
        self.out.put(bracket);
        Ok(())
    }

    fn limit_depth(&self) -> Result<(), Stop> {
        if self.open.len() >= self.max_depth {
            return Err(Stop::Limit(Cow::Owned(format!("nested deeper than {}", grouped(self.max_depth)))));
        }
        Ok(())
    }

    /// Write a value that is whole at once, or the start of a list or an object.
    fn value(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Stop> {
        if let Ok(text) = value.cast_exact::<PyString>() {
            self.string(text)
        } else if let Ok(object) = value.cast_exact::<PyDict>() {
            self.object(object)
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            self.list(list)
        } else if value.is_none() {
            self.out.put(b"null");
            Ok(())
        } else if let Ok(boolean) = value.cast_exact::<PyBool>() {
            self.out.put(if boolean.is_true() { b"true" } else { b"false" });
            Ok(())
        } else if let Ok(whole) = value.cast_exact::<PyInt>() {
            self.whole(whole)
        } else if let Ok(double) = value.cast_exact::<PyFloat>() {
            self.double(double.value())
        } else {
            self.other(value)
        }
    }

    /// Subclasses, and what is turned into something else first.
    #[inline(never)]
    fn other(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Stop> {
        if value.is_instance(self.decimal)? {
            return self.decimal(value);
        }
        // Members of enums that are strings or numbers too are written as these.
        if let Ok(text) = value.cast::<PyString>() {
            self.string(text)
        } else if let Ok(object) = value.cast::<PyDict>() {
            self.object(object)
        } else if let Ok(list) = value.cast::<PyList>() {
            self.list(list)
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            self.limit_depth()?;
            if tuple.is_empty() {
                self.out.put(b"[]");
                return Ok(());
            }
            self.open(Frame::Tuple(tuple.clone(), 0), b"[")
        } else if let Ok(whole) = value.cast::<PyInt>() {
            self.whole(whole)
        } else if let Ok(double) = value.cast::<PyFloat>() {
            self.double(double.value())
        } else {
            let py = value.py();
            let plain = match self.builtins.call1((value,)) {
                Ok(plain) => plain,
                Err(error) if error.is_instance_of::<PyRecursionError>(py) => {
                    return Err(Stop::Limit(Cow::Borrowed("nested too deeply")));
                }
                Err(error)
                    if error.is_instance_of::<PyTypeError>(py)
                        || error.is_instance_of::<PyValueError>(py) =>
                {
                    return Err(rule("a value of a type that JSON has not"));
                }
                Err(error) => return Err(error.into()),
            };
            if plain.is(value) {
                return Err(rule("a value of a type that JSON has not"));
            }
            self.value(&plain)
        }
    }

    fn list(&mut self, list: &Bound<'py, PyList>) -> Result<(), Stop> {
        self.limit_depth()?;
        if list.is_empty() {
            self.out.put(b"[]");
            return Ok(());
        }
        self.open(Frame::List(list.clone(), 0), b"[")
    }

    fn object(&mut self, object: &Bound<'py, PyDict>) -> Result<(), Stop> {
        self.limit_depth()?;
        if object.is_empty() {
            self.out.put(b"{}");
            return Ok(());
        }
        let first = self.members.len();
        // Nothing that is called on the way can change the dict.
        for (name, value) in object {
            let name = name.cast_into::<PyString>().map_err(|_| rule("a key that is no string"))?;
            let key = name.to_str().ok().map(|text| sort_key(text.as_bytes()));
            let (key, name) = if let Some(key) = key {
                (key, Name::Utf8(name))
            } else {
                let bytes = with_surrogates(&name)?.into_boxed_slice();
                (sort_key(&bytes), Name::Wtf8(bytes))
            };
            self.members.push(Member { key, name, value: Some(value) });
        }
        let members = &mut self.members[first..];
        let order = |a: &Member<'_>, b: &Member<'_>| {
            a.key.cmp(&b.key).then_with(|| utf16_order(a.name.bytes(), b.name.bytes()))
        };
        if !members.is_sorted_by(|a, b| order(a, b).is_lt()) {
            members.sort_unstable_by(order);
            if members.windows(2).any(|pair| order(&pair[0], &pair[1]).is_eq()) {
                return Err(rule("two keys that are the same name"));
            }
        }
        self.open(Frame::Object { first, next: first }, b"{")
    }

    fn string(&mut self, text: &Bound<'py, PyString>) -> Result<(), Stop> {
        match text.to_str() {
            Ok(text) => self.out.put_string(text),
            Err(_) => self.out.put_wtf8(&with_surrogates(text)?).map_err(|_| rule(SURROGATE))?,
        }
        Ok(())
    }

    fn whole(&mut self, whole: &Bound<'py, PyInt>) -> Result<(), Stop> {
        if let Ok(small) = whole.extract::<i64>() {
            self.out.put_whole(small);
            return Ok(());
        }
        // Python limits how many digits it makes of a whole number; of a decimal it does not.
        let decimal = self.decimal.call1((whole,))?;
        self.decimal(&decimal)
    }

    fn double(&mut self, double: f64) -> Result<(), Stop> {
        self.out.put_double(double).ok_or_else(|| rule("NaN and Infinity are no JSON"))
    }

    fn decimal(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Stop> {
        // The class's own way, whatever a subclass does.
        let spelled = self.decimal.call_method1("__str__", (value,))?;
        let spelled = spelled.cast::<PyString>().map_err(PyErr::from)?;
        let spelled = spelled.to_str()?.as_bytes();
        if !spelled.last().is_some_and(u8::is_ascii_digit)
            || spelled.iter().any(|byte| matches!(byte, b'N' | b'I'))
        {
            return Err(rule("NaN and Infinity are no JSON"));
        }
        self.out.put_number(spelled).ok_or_else(|| rule("a number that no double holds"))
    }

    fn fault(&self, rule: String, is_limit: bool) -> Fault {
        let steps: Vec<Step<'_>> = self
            .open
            .iter()
            .filter_map(|frame| match frame {
                Frame::List(_, next) | Frame::Tuple(_, next) => Some(Step::Index(next.saturating_sub(1))),
                Frame::Object { next, .. } => {
                    let member = self.members.get(next.checked_sub(1)?)?;
                    Some(Step::Name(Cow::Borrowed(member.name.bytes())))
                }
            })
            .collect();
        (0, 0, pointer(steps.into_iter()), rule, is_limit)
    }
}

const SURROGATE: &str = "half of a pair of surrogates";

/// A string that holds surrogates: those that make a pair are joined, as in JavaScript.
#[inline(never)]
fn with_surrogates(text: &Bound<'_, PyString>) -> Result<Vec<u8>, Stop> {
    let string = text.py().get_type::<PyString>();
    let encoded = string.call_method1("encode", (text, "utf-16-le", "surrogatepass"))?;
    let encoded = encoded.cast::<PyBytes>().map_err(PyErr::from)?;
    let (units, _) = encoded.as_bytes().as_chunks::<2>();
    let mut out = Vec::with_capacity(encoded.as_bytes().len() * 3 / 2);
    for letter in char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit))) {
        match letter {
            Ok(letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                let tail = |bits: u16| 0x80 | (bits & 0x3f) as u8;
                out.extend_from_slice(&[0xe0 | (unit >> 12) as u8, tail(unit >> 6), tail(unit)]);
            }
        }
    }
    Ok(out)
}
