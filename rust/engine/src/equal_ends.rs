//! How much of two texts is equal at their starts and at their ends.
//!
//! Two versions of a thing mostly are, so this goes through nearly all of them: large blocks
//! first, by the library's own comparison, then small ones, then bytes.

const BLOCK: usize = 4096;
const SMALL: usize = 32;

/// How many bytes the texts have in common at their starts.
pub(crate) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let mut at = blocks * BLOCK;
    let (small_a, small_b) = (a[at..].as_chunks::<SMALL>().0, b[at..].as_chunks::<SMALL>().0);
    at += small_a.iter().zip(small_b).take_while(|(a, b)| a == b).count() * SMALL;
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes the texts have in common at their ends.
pub(crate) fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let mut at = blocks * BLOCK;
    let (rest_a, rest_b) = (&a[..a.len() - at], &b[..b.len() - at]);
    let (small_a, small_b) = (rest_a.as_rchunks::<SMALL>().1, rest_b.as_rchunks::<SMALL>().1);
    at += small_a.iter().rev().zip(small_b.iter().rev()).take_while(|(a, b)| a == b).count() * SMALL;
    let (rest_a, rest_b) = (&a[..a.len() - at], &b[..b.len() - at]);
    at + rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_found() {
        let text: Vec<u8> = (0..9_000_u32).map(|at| (at * 7 % 251) as u8).collect();
        for at in [0, 1, 31, 32, 33, 100, 4_095, 4_096, 4_097, 8_191, 8_500, 8_999] {
            let mut other = text.clone();
            other[at] ^= 0x80;
            assert_eq!(common_prefix(&text, &other), at);
            assert_eq!(common_suffix(&text, &other), text.len() - at - 1);
            assert_eq!(common_prefix(&text, &text[..at]), at);
            assert_eq!(common_suffix(&text, &text[at..]), text.len() - at);
        }
        assert_eq!((common_prefix(b"", b"a"), common_suffix(b"a", b"")), (0, 0));
    }
}
