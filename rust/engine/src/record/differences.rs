//! Where two JSON values differ, cut at the places a format knows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::format::{Aspect, Places};
use crate::json::{Kind, Value};

/// A place that differs.
pub(super) struct Difference<'s, 'd> {
    pub(super) aspect: Aspect,
    /// The steps from the root of the value.
    pub(super) place: &'s [Cow<'d, str>],
    pub(super) old: Option<Value<'d>>,
    pub(super) new: Option<Value<'d>>,
}

impl Difference<'_, '_> {
    /// The last step: the name of a parameter, or of a setting.
    pub(super) fn name(&self) -> &str {
        self.place.last().map_or("", |step| step)
    }

    /// The place as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        self.place.iter().fold(String::new(), |mut pointer, step| {
            pointer.push('/');
            pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
            pointer
        })
    }
}

/// Report each place that differs: as deep as `places` has rules, and one member of an object
/// below the root where it has none.
pub(super) fn report<'d>(
    old: Option<Value<'d>>,
    new: Option<Value<'d>>,
    places: &Places,
    unnamed: Aspect,
    sink: &mut dyn FnMut(&Difference<'_, 'd>),
) {
    let mut place = Vec::new();
    descend(old, new, Some(places), unnamed, &mut place, sink);
}

fn descend<'d>(
    old: Option<Value<'d>>,
    new: Option<Value<'d>>,
    places: Option<&Places>,
    unnamed: Aspect,
    place: &mut Vec<Cow<'d, str>>,
    sink: &mut dyn FnMut(&Difference<'_, 'd>),
) {
    if let (Some(a), Some(b)) = (old, new)
        && a.kind() == b.kind()
        && a.raw() == b.raw()
    {
        return;
    }
    let aspect = places.and_then(|places| places.aspect).unwrap_or(unnamed);
    // The root opens even where no rule asks for it, so that a change names a key and not a file.
    let opens = places.is_some_and(|places| place.is_empty() || !places.is_leaf());
    let is_object = |side: Option<Value<'_>>| side.is_none_or(|value| value.kind() == Kind::Object);
    if opens && aspect != Aspect::Ignored && is_object(old) && is_object(new) {
        for (name, old, new) in members(old, new) {
            let below = places.and_then(|places| places.step(&name));
            place.push(name);
            descend(old, new, below, aspect, place, sink);
            place.pop();
        }
        return;
    }
    if !matches!((old, new), (Some(a), Some(b)) if a.same(&b)) && (old.is_some() || new.is_some()) {
        sink(&Difference { aspect, place, old, new });
    }
}

/// A member of two objects: its name, and its value on either side.
type Member<'d> = (Cow<'d, str>, Option<Value<'d>>, Option<Value<'d>>);

/// The members of both sides, sorted by name; of a repeated name the last one.
pub(super) fn members<'d>(old: Option<Value<'d>>, new: Option<Value<'d>>) -> Vec<Member<'d>> {
    let name_of = |name: Value<'d>| name.string().unwrap_or_default();
    let count = |side: Option<Value<'d>>| side.map_or(0, |value| value.members().count());
    let mut members: Vec<Member<'d>> = Vec::with_capacity(count(old).max(count(new)));
    // Nearly always both sides have the same names in the same order.
    let (mut left, mut right) = (
        old.into_iter().flat_map(|old| old.members()).peekable(),
        new.into_iter().flat_map(|new| new.members()).peekable(),
    );
    while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek())
        && a.raw() == b.raw()
    {
        if let (Some((name, a)), Some((_, b))) = (left.next(), right.next()) {
            members.push((name_of(name), Some(a), Some(b)));
        }
    }
    let is_whole = left.peek().is_none() && right.peek().is_none();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    let is_repeated = |members: &[Member<'_>]| members.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if is_whole && !is_repeated(&members) {
        return members;
    }
    let mut by_name: BTreeMap<Cow<'d, str>, (Option<Value<'d>>, Option<Value<'d>>)> = BTreeMap::new();
    for (name, value) in old.into_iter().flat_map(|old| old.members()) {
        by_name.entry(name_of(name)).or_default().0 = Some(value);
    }
    for (name, value) in new.into_iter().flat_map(|new| new.members()) {
        by_name.entry(name_of(name)).or_default().1 = Some(value);
    }
    by_name.into_iter().map(|(name, (old, new))| (name, old, new)).collect()
}
