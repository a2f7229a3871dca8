//! Chunks of neighbouring versions, and the lines of each.

use versiondiff_engine::snapshot::{ContentId, ReadError};

use super::Order;
use crate::Error;
use crate::commit::Commit;
use crate::history::{History, Listed, Parents, Text};
use crate::job::{Job, Memory, Subject};
use crate::repository::Handle;
use crate::revision::Range;

/// Neighbouring versions.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Newest first.
    pub(super) steps: Vec<Step>,
    /// The raw texts of the commits, one after the other: a single piece of memory, as it is made
    /// by one thread and let go of by another.
    texts: Vec<u8>,
}

/// A version of a chunk: as [`Listed`], with its text in the chunk.
#[derive(Debug)]
pub(super) struct Step {
    id: ContentId,
    parent: Option<ContentId>,
    shallow: bool,
    text: StepText,
}

#[derive(Debug)]
enum StepText {
    Kept(std::ops::Range<usize>),
    NotKept,
    Unreadable(Box<ReadError>),
}

impl Chunk {
    pub(super) fn new(versions: impl IntoIterator<Item = Listed>) -> Self {
        let mut chunk = Self::default();
        for Listed { id, parent, shallow, text } in versions {
            let text = match text {
                Text::Kept(raw) => {
                    let start = chunk.texts.len();
                    chunk.texts.extend_from_slice(&raw);
                    StepText::Kept(start..chunk.texts.len())
                }
                Text::NotKept => StepText::NotKept,
                Text::Unreadable(error) => StepText::Unreadable(error),
            };
            chunk.steps.push(Step { id, parent, shallow, text });
        }
        chunk
    }
}

/// What a thread makes lines with.
pub(super) struct Worker<'a> {
    handle: &'a Handle,
    job: &'a Job,
    memory: Memory,
    /// The text of the commit at hand, where the listing didn't keep it.
    text: Vec<u8>,
    /// The lines of a chunk, newest first, where they are wanted the other way round.
    lines: Vec<u8>,
    /// The parent that was read last, with its text: it is often the next commit at hand.
    parent: Option<(ContentId, Vec<u8>)>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(handle: &'a Handle, job: &'a Job) -> Self {
        let memory = Memory::default();
        Self { handle, job, memory, text: Vec::new(), lines: Vec::new(), parent: None }
    }

    /// The lines of a chunk, in `memory`; `None` where the walk has been cancelled.
    pub(super) fn lines(
        &mut self,
        chunk: &Chunk,
        order: Order,
        is_cancelled: &dyn Fn() -> bool,
        mut memory: Vec<u8>,
    ) -> Option<Vec<u8>> {
        if order == Order::OldestFirst {
            std::mem::swap(&mut memory, &mut self.lines);
        }
        let mut lines = memory;
        let mut ends = Vec::with_capacity(chunk.steps.len());
        for (index, step) in chunk.steps.iter().enumerate() {
            if is_cancelled() {
                return None;
            }
            self.line(step, chunk.steps.get(index + 1), &chunk.texts, &mut lines);
            ends.push(lines.len());
        }
        if order == Order::NewestFirst {
            return Some(lines);
        }
        let mut reversed = std::mem::take(&mut self.lines);
        reversed.reserve(lines.len());
        let mut end = lines.len();
        for start in ends.iter().rev().skip(1).copied().chain([0]) {
            reversed.extend_from_slice(&lines[start..end]);
            end = start;
        }
        lines.clear();
        self.lines = lines;
        Some(reversed)
    }

    fn line(&mut self, step: &Step, next: Option<&Step>, texts: &[u8], out: &mut Vec<u8>) {
        let mut text = std::mem::take(&mut self.text);
        match self.text_of(step, texts, &mut text).and_then(|raw| Commit::parse(raw, &step.id)) {
            Err(error) => self.job.write_error(&step.id, step.shallow, None, &error.into(), out),
            Ok(commit) => match self.old_tree(step, next, texts) {
                Err(error) => self.job.write_error(&step.id, step.shallow, Some(&commit), &error.into(), out),
                Ok(old_tree) => {
                    let subject = Subject { id: step.id, shallow: step.shallow, commit: &commit, old_tree };
                    self.job.write(self.handle, &subject, &mut self.memory, out);
                }
            },
        }
        self.text = text;
    }

    fn text_of<'t>(
        &mut self,
        step: &Step,
        texts: &'t [u8],
        buffer: &'t mut Vec<u8>,
    ) -> Result<&'t [u8], ReadError> {
        match &step.text {
            StepText::Kept(place) => Ok(&texts[place.clone()]),
            StepText::Unreadable(error) => Err((**error).clone()),
            StepText::NotKept => {
                match &mut self.parent {
                    Some((id, text)) if *id == step.id => std::mem::swap(text, buffer),
                    _ => self.handle.commit(&step.id, buffer)?,
                }
                if let Some((id, _)) = &self.parent
                    && *id == step.id
                {
                    self.parent = None;
                }
                Ok(buffer)
            }
        }
    }

    /// The tree that a version is compared with.
    fn old_tree(
        &mut self,
        step: &Step,
        next: Option<&Step>,
        texts: &[u8],
    ) -> Result<Option<ContentId>, ReadError> {
        let Some(parent) = step.parent else { return Ok(None) };
        if let Some(Step { id, text: StepText::Kept(place), .. }) = next
            && *id == parent
        {
            return Ok(Some(Commit::parse(&texts[place.clone()], id)?.tree));
        }
        let mut text = self.parent.take().map(|(_, text)| text).unwrap_or_default();
        self.handle.commit(&parent, &mut text)?;
        let tree = Commit::parse(&text, &parent)?.tree;
        self.parent = Some((parent, text));
        Ok(Some(tree))
    }
}

/// The line of one version, without its line feed; the parent is the first one.
///
/// # Errors
/// [`Error::Read`] where the version can't be read or compared.
pub fn single(handle: &Handle, id: &ContentId, job: &Job) -> Result<Vec<u8>, Error> {
    let range = Range { tips: vec![*id], hidden: Vec::new() };
    let chunk = Chunk::new(History::new(handle, &range, Parents::First, &|| true).take(1));
    let Some(step) = chunk.steps.first() else { return Err(Error::Internal("a commit was not listed")) };
    let mut worker = Worker::new(handle, job);
    let mut text = Vec::new();
    let raw = worker.text_of(step, &chunk.texts, &mut text)?;
    let commit = Commit::parse(raw, id)?;
    let old_tree = worker.old_tree(step, None, &chunk.texts)?;
    let mut line = Vec::new();
    let subject = Subject { id: *id, shallow: step.shallow, commit: &commit, old_tree };
    job.try_write(handle, &subject, &mut worker.memory, &mut line)?;
    line.pop();
    Ok(line)
}
