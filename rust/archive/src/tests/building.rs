//! Archives, made by hand.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// The header of a tar, with the right checksum.
pub(super) fn header(name: &[u8], size: usize, kind: u8) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name);
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    seal(&mut block);
    block
}

/// Write the checksum of a header.
pub(super) fn seal(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// A member of a tar.
pub(super) fn member(name: &[u8], content: &[u8], kind: u8) -> Vec<u8> {
    let mut bytes = header(name, content.len(), kind);
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// A tar of plain files.
pub(super) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        files.iter().flat_map(|(name, content)| member(name.as_bytes(), content, b'0')).collect();
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

pub(super) fn gem(files: &[(&str, &[u8])]) -> Vec<u8> {
    tar(&[("metadata.gz", &gzip(b"name: x\n")), ("data.tar.gz", &gzip(&tar(files)))])
}

/// A zip of deflated files.
pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).expect("memory takes it");
        let data = encoder.finish().expect("memory takes it");
        let mut checksum = flate2::Crc::new();
        checksum.update(content);
        // From the version needed to the length of the extra: the same in both headers.
        let mut fields = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0];
        fields.extend_from_slice(&checksum.sum().to_le_bytes());
        fields.extend_from_slice(&(data.len() as u32).to_le_bytes());
        fields.extend_from_slice(&(content.len() as u32).to_le_bytes());
        fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0, 0]);
        directory.extend_from_slice(b"PK\x01\x02\x14\x03");
        directory.extend_from_slice(&fields);
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&(0o100_644_u32 << 16).to_le_bytes());
        directory.extend_from_slice(&(body.len() as u32).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        body.extend_from_slice(b"PK\x03\x04");
        body.extend_from_slice(&fields);
        body.extend_from_slice(name.as_bytes());
        body.extend_from_slice(&data);
    }
    let start = body.len() as u32;
    body.extend_from_slice(&directory);
    body.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        body.extend_from_slice(&(files.len() as u16).to_le_bytes());
    }
    body.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    body.extend_from_slice(&start.to_le_bytes());
    body.extend_from_slice(&[0, 0]);
    body
}
