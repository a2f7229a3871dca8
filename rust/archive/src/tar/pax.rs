//! Extended headers: what they say of the next file, and of nothing after it (POSIX.1-2017, pax,
//! "pax Extended Header").

use bstr::{BString, ByteSlice};

use super::sparse::{Map, decimal};

/// What the headers before a file said of it.
#[derive(Default)]
pub(crate) struct Extended {
    pub(crate) path: Option<BString>,
    pub(crate) target: Option<BString>,
    pub(crate) size: Option<u64>,
    pub(crate) is_sparse: bool,
    /// How long a file with holes is, and where what is stored of it belongs.
    sparse_size: Option<u64>,
    sparse_numbers: Vec<u64>,
    /// The version of the format that has its map in the content.
    sparse_major: Option<u64>,
    /// The name of a file with holes: its `path` is made up.
    pub(crate) sparse_name: Option<BString>,
    pub(crate) gnu_name: Option<BString>,
    pub(crate) gnu_target: Option<BString>,
    /// Whether two headers before one file say different things: some readers take the first.
    pub(crate) contradicts: bool,
}

impl Extended {
    /// Read records `LENGTH KEY=VALUE\n`, later ones over earlier ones; the error is the rule that
    /// one breaks.
    pub(crate) fn read_pax(&mut self, text: &[u8]) -> Result<(), &'static str> {
        let mut rest = text;
        // Some writers pad with zeros.
        while rest.first().is_some_and(|byte| *byte != 0) {
            let space = rest.find_byte(b' ').ok_or("an extended record has no length")?;
            let length = decimal(&rest[..space]).ok_or("the length of an extended record is no number")?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if length <= space + 1 || length > rest.len() || rest[length - 1] != b'\n' {
                return Err("the length of an extended record is wrong");
            }
            let record = &rest[space + 1..length - 1];
            let (key, value) = record.split_once_str("=").ok_or("an extended record has no value")?;
            self.set(key, value)?;
            rest = &rest[length..];
        }
        Ok(())
    }

    /// What `more`, a further header before the same file, says over this one.
    pub(crate) fn follow_with(&mut self, more: Self) {
        self.contradicts |= say(&mut self.path, more.path)
            | say(&mut self.target, more.target)
            | say(&mut self.size, more.size)
            | say(&mut self.sparse_name, more.sparse_name);
        if more.is_sparse {
            self.contradicts |= self.is_sparse;
            self.is_sparse = true;
            self.sparse_size = more.sparse_size;
            self.sparse_numbers = more.sparse_numbers;
            self.sparse_major = more.sparse_major;
        }
    }

    pub(crate) fn say_gnu_name(&mut self, name: BString) {
        self.contradicts |= say(&mut self.gnu_name, Some(name));
    }

    pub(crate) fn say_gnu_target(&mut self, target: BString) {
        self.contradicts |= say(&mut self.gnu_target, Some(target));
    }

    fn set(&mut self, key: &[u8], value: &[u8]) -> Result<(), &'static str> {
        // An empty value takes back what was said.
        let text = (!value.is_empty()).then(|| BString::from(value));
        match key {
            b"path" => self.path = text,
            b"linkpath" => self.target = text,
            b"size" if value.is_empty() => self.size = None,
            b"size" => self.size = Some(decimal(value).ok_or("an extended size is no number")?),
            b"GNU.sparse.name" => {
                self.sparse_name = text;
                self.is_sparse = true;
            }
            _ if key.starts_with(b"GNU.sparse.") => {
                self.is_sparse = true;
                self.set_sparse(&key[b"GNU.sparse.".len()..], value)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn set_sparse(&mut self, key: &[u8], value: &[u8]) -> Result<(), &'static str> {
        let number = || decimal(value).ok_or("a number of a file with holes is none");
        match key {
            b"size" | b"realsize" => self.sparse_size = Some(number()?),
            b"major" => self.sparse_major = Some(number()?),
            // One record for each, the place of a piece before its length.
            b"offset" | b"numbytes" => self.sparse_numbers.push(number()?),
            b"map" => {
                let numbers = value.split(|byte| *byte == b',').map(decimal);
                self.sparse_numbers =
                    numbers.collect::<Option<_>>().ok_or("the map of a file with holes is wrong")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The file whose `stored` bytes and map these headers tell of; `None` where they tell of no map.
    pub(crate) fn map<'a>(&self, stored: &'a [u8]) -> Result<Option<(Map, &'a [u8])>, &'static str> {
        let Some(size) = self.sparse_size else { return Ok(None) };
        if self.sparse_major == Some(1) {
            return Map::of_content(stored, size).map(Some);
        }
        if self.sparse_numbers.is_empty() && !stored.is_empty() {
            return Ok(None);
        }
        Ok(Some((Map::of_numbers(&self.sparse_numbers, size)?, stored)))
    }

    /// Whether anything was said that a file would have to follow for.
    pub(crate) fn says_something(&self) -> bool {
        self.path.is_some()
            || self.target.is_some()
            || self.size.is_some()
            || self.gnu_name.is_some()
            || self.gnu_target.is_some()
    }
}

/// Replace what was said, and tell whether it was something else.
fn say<T: PartialEq>(said: &mut Option<T>, more: Option<T>) -> bool {
    if more.is_none() {
        return false;
    }
    let contradicts = said.is_some() && *said != more;
    *said = more;
    contradicts
}
