//! Which value of a text stands at an offset: a JSON pointer that is safe to show.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::display;
use crate::json::scan::plain_end;
use crate::json::text::unescape;
use crate::secrets::Rules;

/// How many characters of a name are shown.
const NAME_LENGTH: usize = 40;
/// How many steps are shown; of a longer place the first and the last ones.
const STEPS: usize = 12;
/// A name that is shorter than this is no secret.
const SECRET_LENGTH: usize = 12;

/// A step towards a value.
#[derive(Clone, Debug)]
pub enum Step<'t> {
    /// The index of an element.
    Index(usize),
    /// The name of a member, its content.
    Name(Cow<'t, [u8]>),
}

/// A JSON pointer (RFC 6901) that is safe to show: names that look like a secret are hidden, long
/// names are cut, and of many steps the middle is left out. The whole document is the empty one.
pub fn pointer<'t>(steps: impl ExactSizeIterator<Item = Step<'t>>) -> String {
    let count = steps.len();
    let mut shown = String::new();
    for (index, step) in steps.enumerate() {
        if count > STEPS && (STEPS / 2..count - STEPS / 2).contains(&index) {
            if index == STEPS / 2 {
                shown.push_str("/…");
            }
            continue;
        }
        shown.push('/');
        match step {
            Step::Index(index) => shown.push_str(&index.to_string()),
            Step::Name(name) => push_name(&name, &mut shown),
        }
    }
    shown
}

fn push_name(name: &[u8], shown: &mut String) {
    static RULES: LazyLock<Rules> = LazyLock::new(Rules::builtin);
    if name.len() >= SECRET_LENGTH && !RULES.scan(name, None).is_empty() {
        shown.push_str("[secret hidden]");
        return;
    }
    let name = display::shortened(display::safe(String::from_utf8_lossy(name)), NAME_LENGTH);
    for letter in name.chars() {
        match letter {
            '~' => shown.push_str("~0"),
            '/' => shown.push_str("~1"),
            other => shown.push(other),
        }
    }
}

/// The steps to what stands at `offset`. The text is JSON up to there.
pub(super) fn steps(text: &[u8], offset: usize) -> Vec<Step<'_>> {
    /// An array or an object that is open there.
    struct Frame<'t> {
        index: usize,
        /// Of an object: the name of the member, once it was read.
        name: Option<&'t [u8]>,
        is_object: bool,
    }
    let text = &text[..offset.min(text.len())];
    let mut open: Vec<Frame<'_>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => open.push(Frame { index: 0, name: None, is_object: *byte == b'{' }),
            b'}' | b']' => {
                open.pop();
            }
            b',' => {
                if let Some(frame) = open.last_mut() {
                    frame.index += 1;
                    frame.name = None;
                }
            }
            b'"' => {
                let start = at;
                loop {
                    at = plain_end(text, at);
                    if text.get(at) != Some(&b'\\') {
                        break;
                    }
                    at += 2;
                }
                if let (Some(frame), Some(name)) = (open.last_mut(), text.get(start..at))
                    && frame.is_object
                    && frame.name.is_none()
                    && text.get(at) == Some(&b'"')
                {
                    frame.name = Some(name);
                }
                at += 1;
            }
            _ => {}
        }
    }
    let steps = open.into_iter().map_while(|frame| match (frame.is_object, frame.name) {
        (false, _) => Some(Step::Index(frame.index)),
        (true, Some(name)) => Some(Step::Name(Cow::Owned(unescape(name)))),
        (true, None) => None,
    });
    steps.collect()
}
