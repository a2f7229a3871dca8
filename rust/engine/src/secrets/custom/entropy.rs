//! Shannon entropy, as gitleaks computes it.

use std::collections::BTreeMap;

use bstr::ByteSlice;

/// The entropy of `text`, in bits a byte.
///
/// gitleaks counts characters and divides by the number of bytes, and so do we: thresholds in rule
/// files are set by its results.
pub(super) fn shannon(text: &[u8]) -> f64 {
    if text.is_ascii() {
        let mut counts = [0_u32; 128];
        for byte in text {
            counts[usize::from(byte & 127)] += 1;
        }
        return sum(counts.into_iter().filter(|count| *count > 0), text.len());
    }
    let mut counts = BTreeMap::<char, u32>::new();
    for letter in text.chars() {
        *counts.entry(letter).or_default() += 1;
    }
    sum(counts.into_values(), text.len())
}

fn sum(counts: impl Iterator<Item = u32>, length: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "what precision is lost, gitleaks loses too")]
    let per_byte = 1.0 / length as f64;
    counts
        .map(|count| {
            let frequency = f64::from(count) * per_byte;
            -frequency * frequency.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::shannon;

    #[test]
    fn entropy_is_that_of_gitleaks() {
        let is = |text: &str, expected: f64| {
            let entropy = shannon(text.as_bytes());
            assert!((entropy - expected).abs() < 1e-9, "{entropy}");
        };
        is("", 0.0);
        is("aaaa", 0.0);
        is("abab", 1.0);
        is("abcdefgh", 3.0);
        is("0123456789abcdef", 4.0);
        // Two characters of three bytes each: gitleaks divides by six.
        is("読み", 2.0 * (1.0 / 6.0) * 6.0_f64.log2());
    }
}
