//! One header of a tar: 512 bytes of fields at fixed places (POSIX.1-2017, pax, "ustar Interchange
//! Format"; GNU tar manual, "Basic Tar Format").

use bstr::BString;

pub(crate) const BLOCK: usize = 512;

pub(crate) const WRONG_CHECKSUM: &str = "the checksum of a header is wrong";

/// What a header says.
pub(crate) struct Header {
    pub(crate) name: BString,
    pub(crate) target: BString,
    pub(crate) kind: u8,
    pub(crate) mode: u32,
    pub(crate) size: u64,
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

impl Header {
    /// Read a block; the error is the rule that it breaks.
    pub(crate) fn parse(block: &[u8; BLOCK]) -> Result<Self, &'static str> {
        if !has_right_checksum(block) {
            return Err(WRONG_CHECKSUM);
        }
        let mut name = text(&block[..100]);
        // GNU has times where POSIX has the beginning of the name, and tells by its magic.
        if &block[257..263] == b"ustar\0" {
            let prefix = text(&block[345..500]);
            if !prefix.is_empty() {
                name = [&prefix[..], b"/", &name].concat();
            }
        }
        let small = |field: &[u8]| number(field).and_then(|value| u32::try_from(value).ok()).unwrap_or(0);
        Ok(Self {
            name: name.into(),
            target: text(&block[157..257]).into(),
            kind: block[156],
            mode: small(&block[100..108]),
            size: number(&block[124..136]).ok_or("a size is no number")?,
            major: small(&block[329..337]),
            minor: small(&block[337..345]),
        })
    }
}

/// Whether these are the first bytes of a tar: a header, or the end of an empty one.
pub(crate) fn is_tar(start: &[u8]) -> bool {
    start
        .first_chunk::<BLOCK>()
        .is_some_and(|block| has_right_checksum(block) || (block.iter().all(|byte| *byte == 0)))
}

/// Whether this calls itself a tar by its magic, whatever its checksum is.
pub(crate) fn claims_to_be_tar(start: &[u8]) -> bool {
    start.len() >= BLOCK && start[257..].starts_with(b"ustar")
}

/// The sum of all bytes, the checksum's own counted as spaces. Old programs added signed bytes.
fn has_right_checksum(block: &[u8; BLOCK]) -> bool {
    let Some(said) = number(&block[148..156]) else { return false };
    let (mut unsigned, mut signed) = (0_u64, 0_i64);
    for (at, byte) in block.iter().enumerate() {
        let byte = if (148..156).contains(&at) { b' ' } else { *byte };
        unsigned += u64::from(byte);
        signed += i64::from(i8::from_ne_bytes([byte]));
    }
    said > 0 && (said == unsigned || i64::try_from(said) == Ok(signed))
}

/// Up to the first NUL.
fn text(field: &[u8]) -> Vec<u8> {
    field.iter().copied().take_while(|byte| *byte != 0).collect()
}

/// Octal digits between blanks, or GNU's binary with the first bit set; `None` for anything else.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        // All ones in front would be a negative number.
        if field[0] != 0x80 {
            return None;
        }
        let value = field[1..]
            .iter()
            .try_fold(0_u64, |value, byte| value.checked_mul(256).map(|value| value | u64::from(*byte)))?;
        return (value <= i64::MAX.cast_unsigned()).then_some(value);
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | 0);
    let start = field.iter().position(|byte| *byte != b' ').unwrap_or(field.len());
    let digits = &field[start..];
    let end = digits.iter().position(is_blank).unwrap_or(digits.len());
    if !digits[end..].iter().all(is_blank) {
        return None;
    }
    digits[..end].iter().try_fold(0_u64, |value, byte| match byte {
        b'0'..=b'7' => value.checked_mul(8).map(|value| value | u64::from(byte - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_octal_or_binary() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(b"  644 \0\0"), Some(0o644));
        assert_eq!(number(b"\0\0\0\0\0\0\0\0"), Some(0));
        assert_eq!(number(b"\x80\0\0\0\0\0\x01\x02"), Some(258));
        assert_eq!(number(b"\xff\xff\xff\xff\xff\xff\xff\xff"), None);
        assert_eq!(number(b"00x0644\0"), None);
        assert_eq!(number(b"0000648\0"), None);
        assert_eq!(number(b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), None);
    }
}
