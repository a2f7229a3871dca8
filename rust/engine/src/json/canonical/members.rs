//! The members of an object, and their order.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::order::utf16_order;
use super::output::{Measure, Output as _};
use super::strings::respell;
use crate::json::text::unescape;

/// A member of an object that is open.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// The first bytes of its name, if that is plain: names mostly differ in them.
    pub(super) prefix: u64,
    /// Where its name starts in the text, after the quote.
    pub(super) start: u32,
    /// Where its name ends in the text.
    pub(super) end: u32,
    /// Where its value starts, in the text or in the output.
    pub(super) value_start: u32,
    /// Where its value ends there.
    pub(super) value_end: u32,
    /// How many objects were opened before it.
    pub(super) objects: u32,
    pub(super) place: Place,
    /// Its name is written as it stands.
    pub(super) verbatim: bool,
    /// Its name is ASCII without escapes.
    pub(super) plain: bool,
}

/// Where the value of a member is to be taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// From the text, where it follows its name as it should.
    Follows,
    /// From the text.
    Text,
    /// From what is in the output already.
    Output,
}

/// The first eight bytes of a name as a number that sorts as they do.
#[inline]
pub(super) fn prefix(text: &[u8], start: usize, end: usize) -> u64 {
    match text.get(start..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => {
            let beyond = 8_usize.saturating_sub(end - start) as u32;
            u64::from_be_bytes(*bytes) & u64::MAX.checked_shl(8 * beyond).unwrap_or_default()
        }
        None => text[start..end]
            .iter()
            .zip((0..8).rev())
            .fold(0, |prefix, (byte, place)| prefix | u64::from(*byte) << (8 * place)),
    }
}

impl Member {
    /// How long it is in the output, without what stands before and after it.
    pub(super) fn length(&self, text: &[u8], colon: usize) -> usize {
        let name = if self.verbatim {
            (self.end - self.start) as usize + 2
        } else {
            let mut measure = Measure::default();
            let _ = respell(spelled(text, self), false, &mut measure);
            measure.position() + 2
        };
        name + colon + (self.value_end - self.value_start) as usize
    }
}

/// What is known of the members of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// They came in their order.
    Kept,
    /// They have been put into their order.
    Changed,
    /// A name stands twice or more often; they are in order, of equal ones the first one first.
    Repeated,
}

/// How many orders are remembered.
const REMEMBERED: usize = 256;
/// Of objects with more members no order is remembered.
const FEW: usize = 22;

/// In which order the members of an object were written.
#[derive(Clone, Copy)]
struct Remembered {
    /// Of the names in the order in which they stood; 0 where nothing is remembered.
    hash: u64,
    count: u8,
    order: Order,
    indices: [u8; FEW],
}

impl Remembered {
    const NOTHING: Self = Self { hash: 0, count: 0, order: Order::Kept, indices: [0; FEW] };
}

/// Puts members into the order of their names, and remembers how: most objects have the names of an
/// earlier one, in the same order.
#[derive(Default)]
pub(super) struct Arranger {
    /// Each at the place that its hash says; nothing before the first one.
    remembered: Vec<Remembered>,
    sorted: Vec<Member>,
}

/// The hash of names, from the hash of those before and what is known of the next one.
#[inline]
pub(super) fn next_hash(hash: u64, prefix: u64) -> u64 {
    (hash ^ prefix).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

impl Arranger {
    /// The members in the order of their names; `hash` is of the names as they stand.
    #[inline]
    pub(super) fn arrange<'m>(
        &'m mut self,
        text: &[u8],
        members: &'m mut [Member],
        hash: u64,
    ) -> (Order, &'m mut [Member]) {
        let place = (hash >> 32) as usize % REMEMBERED;
        if let Some(remembered) = self.remembered.get(place)
            && remembered.hash == hash
            && usize::from(remembered.count) == members.len()
        {
            // The same hash promises nothing, so it is seen whether that is their order.
            let mut ascending = true;
            let mut before: Option<&Member> = None;
            self.sorted.clear();
            for index in &remembered.indices[..members.len()] {
                let member = &members[usize::from(*index)];
                ascending &= before.is_none_or(|before| order(text, before, member).is_lt());
                before = Some(member);
                self.sorted.push(*member);
            }
            if ascending {
                return (remembered.order, &mut self.sorted);
            }
        }
        self.learn(text, members, place, hash)
    }

    #[inline(never)]
    fn learn<'m>(
        &'m mut self,
        text: &[u8],
        members: &'m mut [Member],
        place: usize,
        hash: u64,
    ) -> (Order, &'m mut [Member]) {
        let count = members.len();
        if count > FEW {
            return (sort(text, members), members);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(members);
        let order = sort(text, members);
        if order != Order::Repeated {
            self.remembered.resize(REMEMBERED, Remembered::NOTHING);
            let remembered = &mut self.remembered[place];
            (remembered.hash, remembered.count, remembered.order) = (hash, count as u8, order);
            for (index, member) in remembered.indices.iter_mut().zip(&*members) {
                let before = self.sorted.iter().position(|before| before.start == member.start);
                *index = before.unwrap_or_default() as u8;
            }
        }
        (order, members)
    }
}

/// Whether members are in order, and no name stands twice.
#[inline]
fn is_ascending(text: &[u8], members: &[Member]) -> bool {
    members.windows(2).all(|pair| order(text, &pair[0], &pair[1]).is_lt())
}

/// Of members that are in order, keep the last one of each name; how many these are.
pub(super) fn keep_last(text: &[u8], members: &mut [Member]) -> usize {
    let mut kept = 0;
    for index in 0..members.len() {
        let is_last = members.get(index + 1).is_none_or(|next| order(text, &members[index], next).is_ne());
        if is_last {
            members[kept] = members[index];
            kept += 1;
        }
    }
    kept
}

/// The first member, as the text has them, whose name stood before.
pub(super) fn repeated(text: &[u8], members: &[Member]) -> Option<Member> {
    let again = members.windows(2).filter(|pair| order(text, &pair[0], &pair[1]).is_eq());
    again.map(|pair| pair[1]).min_by_key(|member| member.start)
}

#[inline(never)]
fn sort(text: &[u8], members: &mut [Member]) -> Order {
    if is_ascending(text, members) {
        return Order::Kept;
    }
    members.sort_unstable_by(|a, b| order(text, a, b).then(a.start.cmp(&b.start)));
    if members.windows(2).any(|pair| order(text, &pair[0], &pair[1]).is_eq()) {
        Order::Repeated
    } else {
        Order::Changed
    }
}

/// How two names are sorted.
#[inline]
fn order(text: &[u8], a: &Member, b: &Member) -> Ordering {
    if a.plain && b.plain && a.prefix != b.prefix {
        return a.prefix.cmp(&b.prefix);
    }
    long_order(text, a, b)
}

#[inline(never)]
fn long_order(text: &[u8], a: &Member, b: &Member) -> Ordering {
    if a.plain && b.plain {
        return spelled(text, a).cmp(spelled(text, b));
    }
    utf16_order(&content(text, a), &content(text, b))
}

/// The name as it stands in the text, without its quotes.
pub(super) fn spelled<'t>(text: &'t [u8], member: &Member) -> &'t [u8] {
    &text[member.start as usize..member.end as usize]
}

fn content<'t>(text: &'t [u8], member: &Member) -> Cow<'t, [u8]> {
    let spelled = spelled(text, member);
    if memchr::memchr(b'\\', spelled).is_some() {
        Cow::Owned(unescape(spelled))
    } else {
        Cow::Borrowed(spelled)
    }
}
