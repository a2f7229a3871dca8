//! Numbers as exact decimals.

/// `digits × 10^exponent`, without zeros at either end of the digits.
pub(super) struct Decimal {
    pub(super) negative: bool,
    pub(super) digits: Vec<u8>,
    /// `None` where it does not fit 64 bits: such numbers are the same only if spelled the same.
    pub(super) exponent: Option<i64>,
}

impl Decimal {
    pub(super) fn read(text: &[u8]) -> Self {
        let negative = text.first() == Some(&b'-');
        let text = &text[usize::from(negative)..];
        let mantissa_end = memchr::memchr2(b'e', b'E', text).unwrap_or(text.len());
        let mantissa = &text[..mantissa_end];
        let point = memchr::memchr(b'.', mantissa);
        let fraction = point.map_or(0, |at| mantissa.len() - at - 1);
        let mut digits: Vec<u8> = mantissa.iter().copied().filter(u8::is_ascii_digit).collect();
        let significant = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |at| at + 1);
        let dropped = digits.len() - significant;
        digits.truncate(significant);
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..leading);
        let written = text
            .get(mantissa_end + 1..)
            .map_or(Some(0), |exponent| std::str::from_utf8(exponent).ok()?.parse::<i64>().ok());
        let exponent = written.and_then(|written| {
            written.checked_sub(i64::try_from(fraction).ok()?)?.checked_add(i64::try_from(dropped).ok()?)
        });
        Self { negative, digits, exponent }
    }

    /// Whether this is the shortest decimal of a double (IEEE 754, 64 bits): then ECMAScript's
    /// form of that double denotes the very same decimal. `text` is what was read.
    pub(super) fn is_a_double(&self, text: &[u8]) -> bool {
        let Some(exponent) = self.exponent else { return false };
        // Any 15 digits are the shortest of some double, far from both ends of the range.
        if self.digits.len() <= 15 && (-280..=280).contains(&exponent) {
            return true;
        }
        let double = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
        double.filter(|double| double.is_finite()).is_some_and(|double| {
            let shortest = Self::read(format!("{double:e}").as_bytes());
            shortest.digits == self.digits && shortest.exponent == self.exponent
        })
    }
}
