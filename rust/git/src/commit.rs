//! A version: the header of a commit, and its JSON form.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use versiondiff_engine::secrets::Rules;
use versiondiff_engine::snapshot::{ContentId, ReadError};
use versiondiff_engine::wire::{write_integer, write_lossy_string, write_lossy_text};

/// A commit, read from its raw text as git reads it: the tree and the parents have to be right,
/// all else is taken as it stands, and only when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    /// The tree.
    pub tree: ContentId,
    /// The lines of the parents.
    parents: &'a [u8],
    /// All that follows them.
    rest: &'a [u8],
}

/// How a text of a commit is shown, such as without its secrets.
pub(crate) type Shown<'s> = dyn for<'t> Fn(Cow<'t, [u8]>) -> Cow<'t, [u8]> + 's;

/// What follows the parents.
#[derive(Debug, Default)]
struct Details<'a> {
    author: Signature<'a>,
    committer: Signature<'a>,
    /// Of an annotated tag; old ones have none.
    tagger: Option<Signature<'a>>,
    /// The message is in ISO 8859-1, not in UTF-8.
    latin1: bool,
    message: &'a [u8],
}

#[derive(Clone, Copy, Debug, Default)]
struct Signature<'a> {
    name: &'a [u8],
    email: &'a [u8],
    time: i64,
    /// Minutes ahead of UTC.
    offset: i64,
}

/// `parent `, 40 digits, a line feed.
const PARENT_LINE: usize = 48;

impl<'a> Commit<'a> {
    /// Read a commit; `id` only names it in an error.
    ///
    /// # Errors
    /// [`ReadError::Corrupt`] where the tree or a parent is not an object id.
    pub fn parse(raw: &'a [u8], id: &ContentId) -> Result<Self, ReadError> {
        let corrupt = |rule: &str| ReadError::Corrupt { path: "".into(), id: *id, rule: rule.to_owned() };
        let tree = raw.strip_prefix(b"tree ").and_then(hex_id).ok_or_else(|| corrupt("no tree"))?;
        let rest = raw.get(46..).ok_or_else(|| corrupt("no tree"))?;
        let mut parents_length = 0;
        while rest[parents_length..].starts_with(b"parent ") {
            hex_id(&rest[parents_length + 7..])
                .filter(|_| rest.len() >= parents_length + PARENT_LINE)
                .ok_or_else(|| corrupt("a parent that is no object id"))?;
            parents_length += PARENT_LINE;
        }
        let (parents, rest) = rest.split_at(parents_length);
        Ok(Self { tree, parents, rest })
    }

    /// The parents, in order.
    pub fn parents(&self) -> impl Iterator<Item = ContentId> + use<'a> {
        self.parents.chunks_exact(PARENT_LINE).filter_map(|line| hex_id(&line[7..]))
    }

    /// When the commit was made, in seconds since 1970.
    pub fn time(&self) -> i64 {
        let mut lines = self.rest.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        let committer = lines.find_map(|line| line.strip_prefix(b"committer "));
        committer.map_or(0, |line| Signature::parse(line).time)
    }

    /// The whole message, in UTF-8.
    pub(crate) fn message(&self) -> Cow<'a, [u8]> {
        let details = self.details();
        details.text(details.message)
    }

    fn details(&self) -> Details<'a> {
        Details::parse(self.rest)
    }

    /// Append the version's JSON form, in the order of `versiondiff/records.py`.
    ///
    /// `shallow` is whether history is cut off here.
    pub fn write_json(&self, id: &ContentId, shallow: bool, out: &mut Vec<u8>) {
        self.write_json_shown(id, shallow, &|text| text, out);
    }

    /// Whether nothing that is shown of it holds a secret; false where that has to be looked at
    /// more closely.
    pub(crate) fn is_plain(&self, rules: &Rules) -> bool {
        !rules.finds_any(self.rest)
    }

    /// As [`write_json`](Self::write_json), with names, emails and the message as `shown` has
    /// them.
    pub(crate) fn write_json_shown(
        &self,
        id: &ContentId,
        shallow: bool,
        shown: &Shown<'_>,
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(b"{\"id\":\"");
        id.write_hex(out);
        out.push(b'"');
        for (index, parent) in self.parents().enumerate() {
            out.extend_from_slice(if index == 0 { b",\"parents\":[\"".as_slice() } else { b",\"" });
            parent.write_hex(out);
            out.push(b'"');
        }
        if !self.parents.is_empty() {
            out.push(b']');
        }
        out.extend_from_slice(b",\"author\":");
        let details = self.details();
        details.write_signature(&details.author, shown, out);
        out.extend_from_slice(b",\"committer\":");
        details.write_signature(&details.committer, shown, out);
        let message = shown(details.text(details.message));
        let (subject, body) = split_message(&message);
        let mut lines = subject.lines().map(<[u8]>::trim_ascii_end).peekable();
        if lines.peek().is_some() {
            out.extend_from_slice(b",\"subject\":\"");
            while let Some(line) = lines.next() {
                write_lossy_text(out, line);
                if lines.peek().is_some() {
                    out.push(b' ');
                }
            }
            out.push(b'"');
        }
        if !body.is_empty() {
            out.extend_from_slice(b",\"body\":");
            write_lossy_string(out, body);
        }
        if shallow {
            out.extend_from_slice(b",\"shallow\":true");
        }
        out.push(b'}');
    }
}

impl<'a> Details<'a> {
    /// Read the lines of a header, and the message below it.
    fn parse(mut rest: &'a [u8]) -> Self {
        let mut details = Self::default();
        while let Some(end) = rest.find_byte(b'\n') {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            if line.is_empty() {
                details.message = rest;
                break;
            } else if let Some(author) = line.strip_prefix(b"author ") {
                details.author = Signature::parse(author);
            } else if let Some(committer) = line.strip_prefix(b"committer ") {
                details.committer = Signature::parse(committer);
            } else if let Some(tagger) = line.strip_prefix(b"tagger ") {
                details.tagger = Some(Signature::parse(tagger));
            } else if let Some(encoding) = line.strip_prefix(b"encoding ") {
                let latin1: [&[u8]; 3] = [b"iso-8859-1", b"iso8859-1", b"latin-1"];
                details.latin1 = latin1.iter().any(|name| encoding.eq_ignore_ascii_case(name));
            }
        }
        details
    }

    fn write_signature(&self, signature: &Signature<'a>, shown: &Shown<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"name\":");
        write_lossy_string(out, &shown(self.text(signature.name)));
        out.extend_from_slice(b",\"email\":");
        write_lossy_string(out, &shown(self.text(signature.email)));
        out.extend_from_slice(b",\"time\":");
        write_integer(out, signature.time);
        if signature.offset != 0 {
            out.extend_from_slice(b",\"offset\":");
            write_integer(out, signature.offset);
        }
        out.push(b'}');
    }

    fn text(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.latin1 && !bytes.is_ascii() {
            Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes())
        } else {
            Cow::Borrowed(bytes)
        }
    }
}

/// Append the JSON form of a version whose commit can't be read: its id is all that is known.
pub(crate) fn write_unreadable_json(id: &ContentId, out: &mut Vec<u8>) {
    let nobody: &[u8] = br#"{"name":"","email":"","time":0}"#;
    out.extend_from_slice(b"{\"id\":\"");
    id.write_hex(out);
    out.extend_from_slice(b"\",\"author\":");
    out.extend_from_slice(nobody);
    out.extend_from_slice(b",\"committer\":");
    out.extend_from_slice(nobody);
    out.push(b'}');
}

impl<'a> Signature<'a> {
    /// `Name <email> seconds ±hhmm`; what is missing is empty, or zero.
    fn parse(line: &'a [u8]) -> Self {
        let name_end = line.find_byte(b'<').unwrap_or(line.len());
        let rest = line.get(name_end + 1..).unwrap_or_default();
        let email_end = rest.find_byte(b'>').unwrap_or(rest.len());
        // A `>` in the name or the email is not where the time starts: the last one is.
        let time = rest.rfind_byte(b'>').map_or(&b""[..], |at| &rest[at + 1..]);
        let mut fields = time.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
        let mut number = || {
            let field = fields.next().unwrap_or_default();
            let (negative, digits) = match field {
                [b'-', digits @ ..] => (true, digits),
                [b'+', digits @ ..] | digits => (false, digits),
            };
            let value = digits.to_str().ok().and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(0);
            if negative { -value } else { value }
        };
        let (time, zone) = (number(), number());
        let offset = if zone.abs() > 9_999 { 0 } else { zone / 100 * 60 + zone % 100 };
        Self { name: line[..name_end].trim_ascii(), email: &rest[..email_end], time, offset }
    }
}

/// Append the JSON form of the raw text of an annotated tag (`Tag`): who made it, and its message
/// without the signature below it.
pub(crate) fn write_tag_details(raw: &[u8], out: &mut Vec<u8>) {
    let details = Details::parse(raw);
    out.push(b'{');
    if let Some(tagger) = &details.tagger {
        out.extend_from_slice(b"\"tagger\":");
        details.write_signature(tagger, &|text| text, out);
    }
    let message = details.text(without_signature(details.message).trim_ascii_end());
    if !message.is_empty() {
        out.extend_from_slice(if details.tagger.is_some() { b",".as_slice() } else { b"" });
        out.extend_from_slice(b"\"message\":");
        write_lossy_string(out, &message);
    }
    out.push(b'}');
}

/// A tag's message up to the signature that `git tag --sign` puts below it.
fn without_signature(message: &[u8]) -> &[u8] {
    const STARTS: [&[u8]; 4] = [
        b"-----BEGIN PGP SIGNATURE-----",
        b"-----BEGIN PGP MESSAGE-----",
        b"-----BEGIN SIGNED MESSAGE-----",
        b"-----BEGIN SSH SIGNATURE-----",
    ];
    let mut end = 0;
    for line in message.lines_with_terminator() {
        if STARTS.iter().any(|start| line.starts_with(start)) {
            break;
        }
        end += line.len();
    }
    &message[..end]
}

/// The first paragraph, and what follows it; blank lines around both are left out.
fn split_message(message: &[u8]) -> (&BStr, &BStr) {
    let message = skip_blank_lines(message);
    let mut end = 0;
    for line in message.lines_with_terminator() {
        if line.trim_ascii().is_empty() {
            break;
        }
        end += line.len();
    }
    (message[..end].as_bstr(), skip_blank_lines(&message[end..]).trim_ascii_end().as_bstr())
}

fn skip_blank_lines(mut text: &[u8]) -> &[u8] {
    while let Some(end) = text.find_byte(b'\n').filter(|end| text[..*end].trim_ascii().is_empty()) {
        text = &text[end + 1..];
    }
    text
}

/// The object id that `text` starts with, where a line feed or the end follows it.
pub fn hex_id(text: &[u8]) -> Option<ContentId> {
    let (digits, rest) = text.split_at_checked(40)?;
    if !matches!(rest.first(), None | Some(b'\n')) {
        return None;
    }
    let mut bytes = [0; 20];
    let mut wrong = 0;
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let (high, low) = (HEX_VALUE[usize::from(pair[0])], HEX_VALUE[usize::from(pair[1])]);
        wrong |= high | low;
        *byte = high << 4 | (low & 15);
    }
    (wrong < 16).then_some(ContentId(bytes))
}

/// The value of each hexadecimal digit; 255 of all that is none.
const HEX_VALUE: [u8; 256] = {
    let mut table = [255; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value as usize] as usize] = value;
        table[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";

    fn json(raw: &[u8]) -> String {
        let id = ContentId::EMPTY_BLOB;
        let mut out = Vec::new();
        Commit::parse(raw, &id).expect("a commit").write_json(&id, false, &mut out);
        String::from_utf8(out).expect("UTF-8").replace(&id.to_string(), "ID")
    }

    #[test]
    fn a_commit_reads_as_git_reads_it() {
        let parent = "parent e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n";
        let raw = format!(
            "{TREE}{parent}{parent}author Ａ B  <a@b> 1700000000 +0930\ncommitter C <> 5 -0130\ngpgsig x\n y\n\n\
             \n  one\ntwo \n\n\nbody\n more\n\n"
        );
        assert_eq!(
            json(raw.as_bytes()),
            concat!(
                r#"{"id":"ID","parents":["ID","ID"],"#,
                r#""author":{"name":"Ａ B","email":"a@b","time":1700000000,"offset":570},"#,
                r#""committer":{"name":"C","email":"","time":5,"offset":-90},"#,
                r#""subject":"  one two","body":"body\n more"}"#
            )
        );
    }

    #[test]
    fn what_is_missing_is_empty() {
        let nobody = r#"{"name":"","email":"","time":0}"#;
        assert_eq!(json(TREE.as_bytes()), format!(r#"{{"id":"ID","author":{nobody},"committer":{nobody}}}"#));
        let raw = format!("{TREE}author x\ncommitter <y 9\n\n");
        assert_eq!(
            json(raw.as_bytes()),
            r#"{"id":"ID","author":{"name":"x","email":"","time":0},"committer":{"name":"","email":"y 9","time":0}}"#
        );
    }

    #[test]
    fn a_message_of_another_encoding_is_read() {
        let raw =
            [TREE.as_bytes(), b"author J\xfcrgen <j> 1 +0000\nencoding ISO-8859-1\n\ncaf\xe9\n"].concat();
        let text = json(&raw);
        assert!(text.contains("Jürgen") && text.contains("café"), "{text}");
        let raw = [TREE.as_bytes(), b"\ncaf\xe9\n"].concat();
        assert!(json(&raw).contains("caf\u{fffd}"));
    }

    #[test]
    fn what_is_no_commit_is_refused() {
        for raw in ["", "tree 4b825d\n", "tree x", &format!("{TREE}parent zz\n"), &format!("{TREE}parent ")] {
            let error = Commit::parse(raw.as_bytes(), &ContentId::EMPTY_BLOB).expect_err("refused");
            assert!(matches!(error, ReadError::Corrupt { .. }), "{raw}");
        }
    }
}
