//! JSON text as a compact document.
//!
//! A [`Document`] is the text and a flat list of where its values stand, so parsing copies nothing
//! and comparing two documents that share most of their text is mostly a comparison of bytes.
//! Neither parsing nor anything else here recurses without bound, whatever the text.
//!
//! Values compare by meaning ([`Value::same`]): key order, white space, escapes and the spelling
//! of numbers make no difference, and numbers are compared as exact decimals.

pub mod canonical;
mod compare;
mod number;
mod parse;
mod scan;
mod text;

use std::borrow::Cow;
use std::fmt;

pub use parse::SyntaxError;

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 1_000;

/// How long a text may be, in bytes.
pub const MAX_BYTES: usize = 1 << 30;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number, kept as its digits.
    Number,
    /// A string.
    String,
    /// A list of values.
    Array,
    /// Values by name.
    Object,
}

/// A value's place in the text, in the order of the text.
#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    /// Of a string: it has escapes, so its text is not its content.
    escaped: bool,
    /// Where its text starts; of a string after the quote.
    start: u32,
    /// Where its text ends; of a string before the quote.
    end: u32,
    /// The index of the first node after it and all it holds.
    next: u32,
}

/// JSON text that has been read.
#[derive(Clone)]
pub struct Document<'a> {
    text: Cow<'a, [u8]>,
    nodes: Vec<Node>,
}

impl fmt::Debug for Document<'_> {
    /// Only how large it is: content must never reach a log by way of a debug print.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Document({} bytes, {} values)", self.text.len(), self.nodes.len())
    }
}

impl<'a> Document<'a> {
    /// Read a text: one JSON value (RFC 8259), a byte order mark before it allowed.
    ///
    /// # Errors
    /// [`SyntaxError`] names the place and the rule.
    pub fn parse(text: impl Into<Cow<'a, [u8]>>) -> Result<Self, SyntaxError> {
        let text = text.into();
        let nodes = parse::parse(&text)?;
        Ok(Self { text, nodes })
    }

    /// The value of the whole text.
    pub fn root(&self) -> Value<'_> {
        Value { text: &self.text, nodes: &self.nodes, index: 0 }
    }

    /// How many values there are, names of members included.
    pub(crate) fn values(&self) -> usize {
        self.nodes.len()
    }

    /// About how many bytes of memory this holds.
    pub fn size(&self) -> usize {
        self.text.len() + self.nodes.len() * size_of::<Node>()
    }
}

/// A value of a document.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    text: &'d [u8],
    nodes: &'d [Node],
    index: u32,
}

impl fmt::Debug for Value<'_> {
    /// Only where it stands, as with the document.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node();
        write!(formatter, "Value({:?} at {}..{})", node.kind, node.start, node.end)
    }
}

impl<'d> Value<'d> {
    fn node(&self) -> Node {
        self.nodes[self.index as usize]
    }

    fn at(&self, index: u32) -> Self {
        Self { index, ..*self }
    }

    /// What the value is.
    pub fn kind(&self) -> Kind {
        self.node().kind
    }

    /// The text it is written with; of a string what stands between the quotes.
    pub fn raw(&self) -> &'d [u8] {
        let node = self.node();
        &self.text[node.start as usize..node.end as usize]
    }

    /// The text it is written with, quotes included: JSON of its own.
    pub fn source(&self) -> &'d [u8] {
        let node = self.node();
        let quotes = usize::from(node.kind == Kind::String);
        &self.text[node.start as usize - quotes..node.end as usize + quotes]
    }

    /// The elements of an array; of any other value none.
    pub fn elements(&self) -> Elements<'d> {
        let node = self.node();
        let end = if node.kind == Kind::Array { node.next } else { self.index + 1 };
        Elements { value: self.at(self.index + 1), end }
    }

    /// The members of an object in the order of the text, repeated names included; of any other
    /// value none.
    pub fn members(&self) -> Members<'d> {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { self.index + 1 };
        Members { value: self.at(self.index + 1), end }
    }

    /// The member of this name. Of a repeated name the last one, as in every language's own reader.
    pub fn get(&self, name: &str) -> Option<Self> {
        self.members().filter(|(key, _)| key.is_text(name.as_bytes())).last().map(|(_, value)| value)
    }

    /// How many elements, or members, it has.
    pub fn len(&self) -> usize {
        match self.kind() {
            Kind::Array => self.elements().count(),
            Kind::Object => self.members().count(),
            _ => 0,
        }
    }

    /// Whether it has no elements or members.
    pub fn is_empty(&self) -> bool {
        self.elements().next().is_none() && self.members().next().is_none()
    }

    /// The value at a place: member names, or indices, from here downwards.
    pub fn at_place<'p>(&self, place: impl IntoIterator<Item = &'p str>) -> Option<Self> {
        place.into_iter().try_fold(*self, |value, step| match value.kind() {
            Kind::Object => value.get(step),
            Kind::Array => value.elements().nth(step.parse().ok()?),
            _ => None,
        })
    }

    /// The content of a string. Lone surrogates, which no UTF-8 can hold, are kept in the three
    /// bytes that would encode them.
    pub fn string_bytes(&self) -> Option<Cow<'d, [u8]>> {
        let node = self.node();
        match (node.kind, node.escaped) {
            (Kind::String, false) => Some(Cow::Borrowed(self.raw())),
            (Kind::String, true) => Some(Cow::Owned(text::unescape(self.raw()))),
            _ => None,
        }
    }

    /// The content of a string, lone surrogates replaced by U+FFFD.
    pub fn string(&self) -> Option<Cow<'d, str>> {
        self.string_bytes().map(|bytes| match bytes {
            // The text is known to be UTF-8; checking again is cheap, and the fallback never taken.
            Cow::Borrowed(bytes) => {
                std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        })
    }

    /// Whether this is a string whose text has escapes.
    pub(crate) fn is_escaped(&self) -> bool {
        self.node().escaped
    }

    /// Whether this is the string `text`.
    pub fn is_text(&self, text: &[u8]) -> bool {
        let node = self.node();
        match (node.kind, node.escaped) {
            (Kind::String, false) => self.raw() == text,
            (Kind::String, true) => text::unescape(self.raw()) == text,
            _ => false,
        }
    }

    /// Whether this is the very place `other` is.
    pub(crate) fn is(&self, other: &Value<'_>) -> bool {
        std::ptr::eq(self.text, other.text) && self.index == other.index
    }

    /// Whether this means the same as `other`.
    pub fn same(&self, other: &Value<'_>) -> bool {
        compare::same(*self, *other, 0)
    }
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'d> {
    value: Value<'d>,
    end: u32,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.value.index < self.end).then(|| {
            let value = self.value;
            self.value.index = value.node().next;
            value
        })
    }
}

/// The members of an object: the name, which is a string, and the value.
#[derive(Clone, Debug)]
pub struct Members<'d> {
    value: Value<'d>,
    end: u32,
}

impl<'d> Iterator for Members<'d> {
    type Item = (Value<'d>, Value<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        (self.value.index < self.end).then(|| {
            let name = self.value;
            let value = name.at(name.index + 1);
            self.value.index = value.node().next;
            (name, value)
        })
    }
}
