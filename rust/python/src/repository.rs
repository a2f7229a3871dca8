//! Repositories and their versions.

use std::path::PathBuf;
use std::sync::Arc;

use bstr::BStr;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use versiondiff_engine::delta::{self, Scope};
use versiondiff_engine::snapshot::ContentId;
use versiondiff_git::durable::Durability;
use versiondiff_git::history::Parents;
use versiondiff_git::job::{self, Job};
use versiondiff_git::references;
use versiondiff_git::repository::{self, Handle, OpenOptions, Ownership};
use versiondiff_git::revision::{self, Range};
use versiondiff_git::walk::{self, Order, Walk};

use crate::door::{Error, enter};
use crate::foreign::Foreign;
use crate::format::Format;
use crate::history::HistoryStream;
use crate::rules::Rules;
use crate::source::FilePath;
use crate::text::{Place, Text};
use crate::version_diff::DiffOptions;

/// A git repository; safe to share between threads.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct Repository {
    pub(crate) inner: Arc<repository::Repository>,
}

/// The files of one version.
#[pyclass(frozen, module = "versiondiff._core")]
pub(crate) struct Snapshot {
    pub(crate) repository: Arc<repository::Repository>,
    pub(crate) commit: ContentId,
}

#[pymethods]
impl Repository {
    /// Open the repository at `path` or above it.
    #[new]
    #[pyo3(signature = (path, *, any_owner = true, object_memory = None, durable = false))]
    #[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
    fn new(
        py: Python<'_>,
        path: Place,
        any_owner: bool,
        object_memory: Option<usize>,
        durable: bool,
    ) -> PyResult<Self> {
        let defaults = OpenOptions::default();
        let options = OpenOptions {
            ownership: if any_owner { Ownership::Any } else { Ownership::CurrentUser },
            object_memory: object_memory.unwrap_or(defaults.object_memory),
            durability: durability(durable),
        };
        let inner = enter(py, || Ok(repository::Repository::open(&path, &options)?))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The repository in `git_dir` through an object of Python, which `make` makes of the
    /// common directory and the directories of objects; see `versiondiff.pygit2_store`.
    #[staticmethod]
    #[pyo3(signature = (git_dir, make, *, object_memory = None, durable = false))]
    fn over(
        git_dir: PathBuf,
        make: &Bound<'_, PyAny>,
        object_memory: Option<usize>,
        durable: bool,
    ) -> PyResult<Self> {
        let object_memory = object_memory.unwrap_or(OpenOptions::default().object_memory);
        let backend = Foreign::new(git_dir, object_memory, durability(durable), make)?;
        Ok(Self { inner: Arc::new(repository::Repository::over(backend)) })
    }

    /// The directory that holds objects and references.
    #[getter]
    fn common_dir(&self) -> PathBuf {
        self.inner.common_dir().to_owned()
    }

    /// The references whose full names start with `prefix`, as a JSON list of `Reference`.
    fn references<'py>(&self, py: Python<'py>, prefix: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let json = enter(py, || Ok(references::list_json(&self.inner.handle(), BStr::new(prefix))?))?;
        Ok(PyBytes::new(py, &json))
    }

    /// What `HEAD` stands on, as JSON (`Head`).
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let json = enter(py, || Ok(references::head_json(&self.inner.handle())?))?;
        Ok(PyBytes::new(py, &json))
    }

    /// The git directory.
    #[getter]
    fn git_dir(&self) -> PathBuf {
        self.inner.git_dir().to_owned()
    }

    /// The id of the commit that `revision` names.
    fn resolve(&self, py: Python<'_>, revision: Text<'_>) -> PyResult<String> {
        enter(py, || Ok(revision::resolve(&self.inner.handle(), &revision)?.to_string()))
    }

    /// The files of the version that `revision` names.
    fn snapshot(&self, py: Python<'_>, revision: Text<'_>) -> PyResult<Snapshot> {
        let commit = enter(py, || Ok(revision::resolve(&self.inner.handle(), &revision)?))?;
        Ok(Snapshot { repository: Arc::clone(&self.inner), commit })
    }

    /// What `job` (`versions`, `deltas`, `records`, `diffs` or `scan`) says of each version of
    /// `range`.
    #[pyo3(signature = (job, *, range = None, order = "newest", parents = "first", paths = Vec::new(),
                        rewrites = "none", format = None, diff_options = None, rules = None,
                        threads = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments, with defaults")]
    #[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
    fn walk(
        &self,
        py: Python<'_>,
        job: &str,
        range: Option<Text<'_>>,
        order: &str,
        parents: &str,
        paths: Vec<FilePath>,
        rewrites: &str,
        format: Option<&Bound<'_, Format>>,
        diff_options: Option<&Bound<'_, DiffOptions>>,
        rules: Option<&Bound<'_, Rules>>,
        threads: Option<usize>,
    ) -> PyResult<HistoryStream> {
        let (format, diff_options) = (format.map(Bound::get), diff_options.map(Bound::get));
        let rules = rules.map(Bound::get);
        let walk = enter(py, || {
            let options = walk::Options {
                order: match order {
                    "oldest" => Order::OldestFirst,
                    "newest" => Order::NewestFirst,
                    _ => return Err(Error::Argument("order is one of oldest and newest".to_owned())),
                },
                parents: match parents {
                    "first" => Parents::First,
                    "all" => Parents::All,
                    _ => return Err(Error::Argument("parents is one of first and all".to_owned())),
                },
                threads,
            };
            let handle = self.inner.handle();
            let range = revision::range(&handle, range.as_deref())?;
            let job = match (job, rules) {
                ("scan", Some(rules)) => (!range.tips.is_empty()).then(|| Job::Scan {
                    rules: rules.inner.clone(),
                    scope: Scope::new(&paths),
                    parents: options.parents,
                }),
                _ => self::job(&handle, job, &range, &paths, rewrites, format, diff_options)?,
            };
            Ok(job.map(|job| Walk::start(&self.inner, range, job, options)))
        })?;
        Ok(HistoryStream::new(walk))
    }

    /// The built-in format that fits the version that `revision` names, or one before it.
    fn detect_format(&self, py: Python<'_>, revision: Text<'_>) -> PyResult<Option<Format>> {
        let found = enter(py, || {
            let handle = self.inner.handle();
            let tips = vec![revision::resolve(&handle, &revision)?];
            Ok(job::detect_format(&handle, &Range { tips, hidden: Vec::new() })?)
        })?;
        Ok(found.map(|inner| Format { inner }))
    }

    /// What `job` says of the version that `revision` names, as one JSON document.
    #[pyo3(signature = (job, revision, *, paths = Vec::new(), rewrites = "none", format = None,
                        diff_options = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments, with defaults")]
    #[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
    fn single<'py>(
        &self,
        py: Python<'py>,
        job: &str,
        revision: Text<'_>,
        paths: Vec<FilePath>,
        rewrites: &str,
        format: Option<&Bound<'_, Format>>,
        diff_options: Option<&Bound<'_, DiffOptions>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (format, diff_options) = (format.map(Bound::get), diff_options.map(Bound::get));
        let json = enter(py, || {
            let handle = self.inner.handle();
            let commit = revision::resolve(&handle, &revision)?;
            let range = Range { tips: vec![commit], hidden: Vec::new() };
            match self::job(&handle, job, &range, &paths, rewrites, format, diff_options)? {
                Some(job) => Ok(walk::single(&handle, &commit, &job)?),
                None => Ok(Vec::new()),
            }
        })?;
        Ok(PyBytes::new(py, &json))
    }

    fn __repr__(&self) -> String {
        format!("<Repository {}>", self.inner.git_dir().display())
    }
}

/// The git directory of the repository at `path` or above it, its common directory, and whether
/// its configuration says that it is stored in a way that is read here.
#[pyfunction]
#[pyo3(signature = (path, *, any_owner = true))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted from Python is owned")]
pub(crate) fn find_repository(
    py: Python<'_>,
    path: Place,
    any_owner: bool,
) -> PyResult<(PathBuf, PathBuf, bool)> {
    let ownership = if any_owner { Ownership::Any } else { Ownership::CurrentUser };
    enter(py, || Ok(repository::Repository::find(&path, ownership)?))
}

/// The job of this name; `None` where there is no version to do it for.
fn job(
    handle: &Handle,
    name: &str,
    range: &Range,
    paths: &[FilePath],
    rewrites: &str,
    format: Option<&Format>,
    diff_options: Option<&DiffOptions>,
) -> Result<Option<Job>, Error> {
    let scope = Scope::new(paths);
    if range.tips.is_empty() {
        return Ok(None);
    }
    Ok(Some(match name {
        "versions" => Job::Versions { scope },
        "deltas" => {
            Job::Deltas { options: delta::Options { scope, rewrites: crate::compare::rewrites(rewrites)? } }
        }
        "records" | "diffs" => {
            let format = match format {
                Some(format) => format.inner.clone(),
                None => match job::detect_format(handle, range)? {
                    Some(format) => format,
                    None => return Ok(None),
                },
            };
            match diff_options {
                Some(options) if name == "diffs" => {
                    Job::Diffs { format, options: Box::new(options.inner.clone()) }
                }
                None if name == "diffs" => {
                    return Err(Error::Argument("diffs need their options".to_owned()));
                }
                _ => Job::Records { format, scope },
            }
        }
        _ => {
            return Err(Error::Argument(
                "job is one of versions, deltas, records, diffs, and scan with its rules".to_owned(),
            ));
        }
    }))
}

#[pymethods]
impl Snapshot {
    /// The id of the commit.
    #[getter]
    fn id(&self) -> String {
        self.commit.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Snapshot {} of {}>", self.commit, self.repository.git_dir().display())
    }
}

pub(crate) fn durability(durable: bool) -> Durability {
    if durable { Durability::Power } else { Durability::Process }
}
