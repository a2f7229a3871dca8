//! The content of an entry.

use std::io::{BufRead, Read};

use bzip2::bufread::BzDecoder;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use lzma_rust2::{LzmaReader, XzReader};

use super::directory::Record;
use crate::bytes::{u16_at, u32_at};
use crate::compression::{MOST_WINDOW_BYTES, zstd_decoder};
use crate::error::{Error, Place};
use crate::limits::Budget;

/// Ways of compressing that are read here (4.4.5).
#[derive(Clone, Copy)]
pub(super) enum Method {
    Stored,
    Deflate,
    Bzip2,
    Lzma,
    Zstd,
    Xz,
}

impl Method {
    pub(super) const fn of(code: u16) -> Option<Self> {
        match code {
            0 => Some(Self::Stored),
            8 => Some(Self::Deflate),
            12 => Some(Self::Bzip2),
            14 => Some(Self::Lzma),
            // 20 was zstd's before 93.
            20 | 93 => Some(Self::Zstd),
            95 => Some(Self::Xz),
            _ => None,
        }
    }
}

/// The content, and whether bytes are left over that its decoder did not read.
///
/// It is as long as the central directory says, and has the checksum that it says, or the archive
/// is damaged: the caller has charged no more than that.
pub(super) fn read(
    method: Method,
    compressed: &[u8],
    record: &Record<'_>,
    budget: &Budget<'_>,
) -> Result<(Vec<u8>, bool), Error> {
    let place = Place { layer: "zip", offset: record.start };
    let damaged = |what| Error::Damaged { what, place };
    let mut content = Vec::new();
    budget.reserve(&mut content, record.size)?;
    // One byte more, to see whether there is one.
    let most = record.size + 1;
    let left = match method {
        Method::Stored => {
            if compressed.len() as u64 != record.size {
                return Err(damaged("a stored entry has two sizes"));
            }
            content.extend_from_slice(compressed);
            Ok(0)
        }
        Method::Deflate => {
            let mut decoder = DeflateDecoder::new(compressed);
            (&mut decoder).take(most).read_to_end(&mut content).map(|_| decoder.into_inner().len())
        }
        Method::Bzip2 => {
            let mut decoder = BzDecoder::new(compressed);
            (&mut decoder).take(most).read_to_end(&mut content).map(|_| decoder.into_inner().len())
        }
        Method::Lzma => read_lzma(compressed, record, most, &mut content),
        Method::Zstd => {
            let mut decoder =
                zstd_decoder(compressed).map_err(|error| Error::of_reading(&error, budget, place))?;
            let read = (&mut decoder).take(most).read_to_end(&mut content);
            let said = decoder.decoder.get_checksum_from_data();
            if said.is_some() && said != decoder.decoder.get_calculated_checksum() {
                return Err(damaged("can't be decoded"));
            }
            read.map(|_| decoder.into_inner().len())
        }
        Method::Xz => {
            let mut decoder = XzReader::new_mem_limit(compressed, false, (MOST_WINDOW_BYTES >> 10) + 1024);
            (&mut decoder).take(most).read_to_end(&mut content).map(|_| decoder.into_inner().len())
        }
    };
    let left = left.map_err(|error| Error::of_reading(&error, budget, place))?;
    if content.len() as u64 != record.size {
        return Err(damaged("an entry is longer or shorter than it says"));
    }
    let mut checksum = Crc::new();
    checksum.update(&content);
    if checksum.sum() != record.checksum {
        return Err(damaged("the checksum of an entry is wrong"));
    }
    Ok((content, left > 0))
}

/// LZMA as a zip has it: version, length of the properties, properties, stream (5.8.8).
fn read_lzma(
    compressed: &[u8],
    record: &Record<'_>,
    most: u64,
    content: &mut Vec<u8>,
) -> std::io::Result<usize> {
    let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
    if compressed.len() < 9 || u16_at(compressed, 2) != 5 {
        return Err(invalid());
    }
    let (properties, window) = (compressed[4], u32_at(compressed, 5));
    if window > MOST_WINDOW_BYTES {
        return Err(std::io::Error::from(std::io::ErrorKind::OutOfMemory));
    }
    // Bit 1 says that a mark ends the stream, so that its length need not be known.
    let length = if record.flags & 2 != 0 { u64::MAX } else { record.size };
    let mut stream = &compressed[9..];
    let mut decoder = LzmaReader::new_with_props(&mut stream, length, properties, window, None)?;
    (&mut decoder).take(most).read_to_end(content)?;
    drop(decoder);
    Ok(stream.fill_buf()?.len())
}
