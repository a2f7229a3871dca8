//! Archives that are cut off, or changed: an answer or an error, and no panic.

use super::building::{gem, gzip, seal, tar, zip};
use crate::{Error, Limits, Package};

const FILES: [(&str, &[u8]); 3] = [("x-1/PKG-INFO", b"Name: x"), ("x-1/a", &[1; 600]), ("x-1/b", b"")];

fn samples() -> [Vec<u8>; 4] {
    [tar(&FILES), gzip(&tar(&FILES)), gem(&FILES), zip(&FILES)]
}

fn read(bytes: &[u8]) -> Result<Package, Error> {
    let limits = Limits { unpacked_bytes: 1 << 20, ..Limits::default() };
    let package = Package::read(bytes, &limits)?;
    assert!(package.mapping().is_ok(), "what is compared fits a tree");
    package.write_json(&mut Vec::new());
    Ok(package)
}

#[test]
fn cut_off_at_every_byte() {
    for (sample, bytes) in samples().iter().enumerate() {
        let whole = (0..bytes.len()).filter(|length| read(&bytes[..*length]).is_ok()).count();
        match sample {
            // Plain tars end well between two members, and within the zeros at their end.
            0 | 2 => assert!(whole < 2_048),
            _ => assert_eq!(whole, 0),
        }
    }
}

#[test]
fn every_byte_changed() {
    for bytes in samples() {
        for at in 0..bytes.len() {
            for value in [0xff, bytes[at] ^ 1] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = read(&changed);
            }
        }
    }
}

#[test]
fn every_byte_of_a_header_changed_with_the_right_checksum() {
    let bytes = tar(&FILES);
    for at in 0..512 {
        for value in [0, b' ', b'7', b'x', 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            seal(&mut changed[..512]);
            let _ = read(&changed);
        }
    }
}
