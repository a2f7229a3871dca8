//! UTF-16, of either byte order, with or without a byte order mark, and wherever it stands: ASCII
//! characters with a NUL between each two.

use std::ops::Range;

use super::Finding;

/// Fewer characters than this in a row are not taken for UTF-16; no secret is as short.
const FEWEST: usize = 12;

/// Which byte of a unit is the NUL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The second.
    LittleEndian,
    /// The first.
    BigEndian,
}

/// Scan each run of ASCII that is written in UTF-16, with `scan` for its characters.
pub(super) fn scan(content: &[u8], found: &mut Vec<Finding>, scan: &mut dyn FnMut(&[u8], &mut Vec<Finding>)) {
    let mut at = 0;
    while let Some(nul) = memchr::memchr(0, &content[at..]).map(|nul| at + nul) {
        // A NUL at every second place, with a character between each two.
        let pairs = content[nul..].chunks_exact(2);
        let pairs = pairs.take_while(|pair| pair[0] == 0 && is_character(pair[1])).count();
        at = nul + 1;
        if pairs >= FEWEST {
            // Units start at even places, unless a text in UTF-16 stands within another one.
            let (likely, other) = match nul % 2 {
                0 => (Order::BigEndian, Order::LittleEndian),
                _ => (Order::LittleEndian, Order::BigEndian),
            };
            let mut sure = Vec::new();
            scan_run(content, nul, pairs, likely, &mut sure, scan);
            let sure = super::merge(sure);
            let mut doubtful = Vec::new();
            scan_run(content, nul, pairs, other, &mut doubtful, scan);
            doubtful.retain(|one| {
                let next = sure.partition_point(|known| known.span.end <= one.span.start);
                sure.get(next).is_none_or(|known| one.span.end <= known.span.start)
            });
            found.extend(sure);
            found.append(&mut doubtful);
            at = nul + 2 * pairs;
        }
    }
}

fn is_character(byte: u8) -> bool {
    byte != 0 && byte < 0x80
}

/// Scan the characters around NULs at `nul`, `nul + 2`, …: those before them or those after them.
fn scan_run(
    content: &[u8],
    nul: usize,
    pairs: usize,
    order: Order,
    found: &mut Vec<Finding>,
    scan: &mut dyn FnMut(&[u8], &mut Vec<Finding>),
) {
    let at = |place: usize| content.get(place).copied();
    let (first, count) = match order {
        Order::BigEndian => (nul + 1, pairs),
        Order::LittleEndian => {
            let first = nul.checked_sub(1).filter(|&before| at(before).is_some_and(is_character));
            let closed = at(nul + 2 * pairs) == Some(0);
            let units = pairs - usize::from(!closed);
            first.map_or((nul + 1, units), |first| (first, units + 1))
        }
    };
    let text: Vec<u8> = content[first..].iter().step_by(2).take(count).copied().collect();
    let mut here = Vec::new();
    scan(&text, &mut here);
    let unit = first - usize::from(order == Order::BigEndian);
    let bytes = |span: &Range<usize>| unit + 2 * span.start..unit + 2 * span.end;
    found.extend(here.iter().map(|one| Finding { rule: one.rule, span: bytes(&one.span) }));
}
