//! The backend over an object of Python, `versiondiff.pygit2_store.Pygit2Store`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, ByteSlice as _};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use versiondiff_engine::snapshot::{ContentId, ReadError};
use versiondiff_git::Error;
use versiondiff_git::durable::{Durability, DurableWriter};
use versiondiff_git::loose::LooseObjects;
use versiondiff_git::store::{self, Backend, Kind, Reference, Store, Swap, Swapped, Target};

use crate::door;

/// A repository that an object of Python gives access to: its packed objects and its references.
///
/// Every call takes hold of the interpreter for as long as it lasts; the object itself lets one
/// thread in at a time.
pub(crate) struct Foreign {
    shared: Arc<Shared>,
}

struct Shared {
    object: Py<PyAny>,
    git_dir: PathBuf,
    common_dir: PathBuf,
    loose: LooseObjects,
    object_memory: usize,
    durability: Durability,
}

/// What the object says of a reference: its name, the id it holds, the name it holds.
type PythonReference = (PyBackedBytes, Option<PyBackedBytes>, Option<PyBackedBytes>);

impl Foreign {
    /// `make` makes the object when it is told the common directory and those of objects.
    pub(crate) fn new(
        git_dir: PathBuf,
        object_memory: usize,
        durability: Durability,
        make: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let common_dir = store::common_dir_of(&git_dir);
        let loose = LooseObjects::of(&common_dir, object_memory);
        let directories: Vec<&Path> = loose.directories().collect();
        let object = make.call1((&common_dir, directories))?.unbind();
        let shared = Shared { object, git_dir, common_dir, loose, object_memory, durability };
        Ok(Self { shared: Arc::new(shared) })
    }
}

impl Backend for Foreign {
    fn git_dir(&self) -> &Path {
        &self.shared.git_dir
    }

    fn common_dir(&self) -> &Path {
        &self.shared.common_dir
    }

    fn store(&self) -> Box<dyn Store> {
        let shared = Arc::clone(&self.shared);
        let durable = match shared.durability {
            Durability::Process => None,
            Durability::Power => Some(DurableWriter::open(&shared.git_dir, &shared.common_dir)),
        };
        Box::new(ForeignStore { shared, durable })
    }
}

struct ForeignStore {
    shared: Arc<Shared>,
    /// What writes in the object's place where a power cut must not take anything.
    durable: Option<DurableWriter>,
}

impl ForeignStore {
    /// Call the object; what it raises comes back as text, and an interrupt waits at the door.
    fn call<T>(&self, work: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, String> {
        let done = Python::try_attach(|py| {
            work(py, self.shared.object.bind(py)).map_err(|error| {
                if !error.is_instance_of::<PyException>(py) {
                    door::keep_interrupt(error);
                    return "interrupted".to_owned();
                }
                error.value(py).to_string()
            })
        });
        done.unwrap_or_else(|| Err("the interpreter is shutting down".to_owned()))
    }

    /// Read an object that is in a pack.
    fn read_packed(
        &self,
        path: &BStr,
        id: &ContentId,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<Kind>, ReadError> {
        let found = self.call(|py, object| {
            let raw = PyBytes::new(py, &id.0);
            let found = object.call_method1("read", (raw, self.shared.object_memory))?;
            let (what, content): (String, PyBackedBytes) = found.extract()?;
            if kind(&what).is_some() {
                buffer.clear();
                buffer.extend_from_slice(&content);
            }
            Ok(what)
        });
        let what = found.map_err(|reason| ReadError::Source { path: path.into(), reason })?;
        match (kind(&what), what.as_str()) {
            (Some(kind), _) => Ok(Some(kind)),
            (None, "missing") => Ok(None),
            (None, "limit") => Err(ReadError::Limit {
                path: path.into(),
                rule: format!("object {id} takes more memory than one object may"),
            }),
            (None, _) => {
                Err(ReadError::Corrupt { path: path.into(), id: *id, rule: "it can't be decoded".to_owned() })
            }
        }
    }
}

impl Store for ForeignStore {
    fn read(&self, path: &BStr, id: &ContentId, buffer: &mut Vec<u8>) -> Result<Option<Kind>, ReadError> {
        if let Some(kind) = self.read_packed(path, id, buffer)? {
            return Ok(Some(kind));
        }
        if let Some(kind) = self.shared.loose.read(path, id, buffer)? {
            return Ok(Some(kind));
        }
        // Where git packed it between the two looks, it is there now.
        self.read_packed(path, id, buffer)
    }

    fn write(&self, kind: Kind, content: &[u8]) -> Result<ContentId, Error> {
        if let Some(durable) = &self.durable {
            // An object that is in a pack too does no harm.
            return durable.write(kind, content, |_| false);
        }
        let written = self.call(|py, object| {
            let id = object.call_method1("write", (kind.name(), PyBytes::new(py, content)))?;
            Ok(id.extract::<PyBackedBytes>()?.as_ref().to_vec())
        });
        written
            .and_then(|raw| content_id(&raw).ok_or_else(|| "the id of an object has 20 bytes".to_owned()))
            .map_err(|reason| Error::Write { path: self.shared.git_dir.clone(), reason })
    }

    fn shallow_commits(&self) -> Vec<ContentId> {
        store::listed_shallow_commits(&self.shared.common_dir)
    }

    fn reference(&self, name: &BStr) -> Result<Option<Reference>, Error> {
        store::check_reference_name(name)?;
        let found = self.call(|py, object| {
            object.call_method1("reference", (PyBytes::new(py, name),))?.extract::<Option<PythonReference>>()
        });
        Ok(found.map_err(|reason| reference_error(name, &reason))?.and_then(reference))
    }

    fn references(&self, prefix: &BStr) -> Result<Vec<Reference>, Error> {
        let found = self.call(|py, object| {
            object.call_method1("references", (PyBytes::new(py, prefix),))?.extract::<Vec<PythonReference>>()
        });
        let found = found.map_err(|reason| reference_error(prefix, &reason))?;
        Ok(found.into_iter().filter_map(reference).collect())
    }

    fn swap(&self, swap: &Swap<'_>) -> Result<Swapped, Error> {
        store::check_reference_name(swap.name)?;
        if let Some(durable) = &self.durable {
            return durable.swap(swap);
        }
        let done = self.call(|py, object| {
            let who = (
                PyBytes::new(py, &swap.who.name),
                PyBytes::new(py, &swap.who.email),
                swap.who.time,
                swap.who.offset,
            );
            let expected = swap.expected.map(|id| PyBytes::new(py, &id.0));
            let new = PyBytes::new(py, &swap.new.0);
            object
                .call_method1("swap", (PyBytes::new(py, swap.name), expected, new, who, swap.log))?
                .extract::<String>()
        });
        match done.as_deref() {
            Ok("done") => Ok(Swapped::Done),
            Ok("moved") => Ok(Swapped::Moved),
            Ok(_) => Ok(Swapped::Locked),
            Err(reason) => Err(reference_error(swap.name, reason)),
        }
    }

    fn ids(&self, digits: &str) -> Vec<ContentId> {
        let packed =
            self.call(|_, object| object.call_method1("ids", (digits,))?.extract::<Vec<PyBackedBytes>>());
        let mut ids = self.shared.loose.ids(digits);
        ids.extend(packed.unwrap_or_default().iter().filter_map(|raw| content_id(raw)));
        ids
    }

    fn git_dir(&self) -> &Path {
        &self.shared.git_dir
    }

    fn common_dir(&self) -> &Path {
        &self.shared.common_dir
    }
}

fn kind(name: &str) -> Option<Kind> {
    [Kind::Blob, Kind::Tree, Kind::Commit, Kind::Tag].into_iter().find(|kind| kind.name() == name)
}

fn content_id(raw: &[u8]) -> Option<ContentId> {
    raw.try_into().ok().map(ContentId)
}

fn reference((name, id, symbolic): PythonReference) -> Option<Reference> {
    let target = match (id, symbolic) {
        (Some(id), _) => Target::Object(content_id(&id)?),
        (None, Some(name)) => Target::Symbolic(name.as_bstr().to_owned()),
        (None, None) => return None,
    };
    Some(Reference { name: name.as_bstr().to_owned(), target })
}

fn reference_error(name: &BStr, reason: &str) -> Error {
    Error::Reference { name: name.to_owned(), rule: format!("can't be read or written: {reason}") }
}
