//! Compressed streams as readers.

use std::io::{self, BufRead, Read};
use std::mem;

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::package::{ReasonKind, Reasons};

/// The largest window, or dictionary, that a decoder may ask for: what `xz -9` uses.
pub(crate) const MOST_WINDOW_BYTES: u32 = 64 << 20;

/// How many streams may follow one another. Programs that compress in parallel write one for some
/// tens of kilobytes; of empty ones a small archive within another could hold millions.
const MOST_STREAMS: u64 = 1 << 14;

/// What xz's decoder needs beside its dictionary, generously.
const DECODER_OVERHEAD_KIB: u32 = 1 << 10;

/// Bytes that can be looked at before they are read.
pub(crate) type Source<'a> = Box<dyn BufRead + 'a>;

/// A way of compressing a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Compression {
    /// By the first bytes.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..]
                if block.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
                    || block.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90]) =>
            {
                Some(Self::Bzip2)
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    pub(crate) const fn layer(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }
}

enum State<'a> {
    Gzip(Box<GzDecoder<Source<'a>>>),
    Bzip2(BzDecoder<Source<'a>>),
    Xz(Box<XzReader<Source<'a>>>),
    Zstd(Box<StreamingDecoder<Source<'a>, FrameDecoder>>),
    Between(Source<'a>),
    Ended,
}

/// The content of all streams of one compression that follow one another, as the programs of that
/// compression have it. Zero bytes after the last are padding; anything else ends the reading, and
/// is a reason of the archive.
pub(crate) struct Decompressed<'a> {
    compression: Compression,
    state: State<'a>,
    streams: u64,
    reasons: &'a Reasons,
}

impl<'a> Decompressed<'a> {
    pub(crate) fn new(source: Source<'a>, compression: Compression, reasons: &'a Reasons) -> Self {
        Self { compression, state: State::Between(source), streams: 0, reasons }
    }

    /// Begin the next stream, if there is one.
    fn begin(&mut self, mut source: Source<'a>) -> io::Result<State<'a>> {
        let rest = source.fill_buf()?;
        if rest.is_empty() {
            return Ok(State::Ended);
        }
        if self.streams >= MOST_STREAMS {
            return Err(io::Error::from(io::ErrorKind::QuotaExceeded));
        }
        if self.streams > 0 && rest[0] == 0 {
            let (zeros, other) = count_rest(&mut source)?;
            if other > 0 {
                self.reasons.add(ReasonKind::TrailingData, zeros + other);
            }
            return Ok(State::Ended);
        }
        let mut start = rest;
        let mut short = Vec::new();
        if self.compression == Compression::Zstd && is_skippable(rest) {
            return self.skip_frame(source);
        }
        if start.len() < 16 {
            // The buffer of a decoder within a decoder may end anywhere.
            let mut head = [0; 16];
            let read = read_up_to(&mut source, &mut head)?;
            short.extend_from_slice(&head[..read]);
            start = &short;
        }
        if Compression::of(start) != Some(self.compression) {
            if self.streams == 0 {
                return Err(io::Error::from(io::ErrorKind::InvalidData));
            }
            let (zeros, other) = count_rest(&mut source)?;
            self.reasons.add(ReasonKind::TrailingData, zeros + other + short.len() as u64);
            return Ok(State::Ended);
        }
        if !short.is_empty() {
            source = Box::new(io::Cursor::new(short).chain(source));
        }
        self.streams += 1;
        if self.streams == 2 && self.compression == Compression::Gzip {
            self.reasons.add(ReasonKind::SeveralStreams, 0);
        }
        Ok(match self.compression {
            Compression::Gzip => State::Gzip(Box::new(GzDecoder::new(source))),
            Compression::Bzip2 => State::Bzip2(BzDecoder::new(source)),
            Compression::Xz => {
                let limit = (MOST_WINDOW_BYTES >> 10) + DECODER_OVERHEAD_KIB;
                State::Xz(Box::new(XzReader::new_mem_limit(source, false, limit)))
            }
            Compression::Zstd => State::Zstd(Box::new(zstd_decoder(source)?)),
        })
    }

    /// A frame of zstd without content.
    fn skip_frame(&mut self, mut source: Source<'a>) -> io::Result<State<'a>> {
        let mut header = [0; 8];
        source.read_exact(&mut header)?;
        let length = u64::from(crate::bytes::u32_at(&header, 4));
        if io::copy(&mut source.by_ref().take(length), &mut io::sink())? < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        self.streams += 1;
        Ok(State::Between(source))
    }
}

/// A decoder of one frame of zstd.
pub(crate) fn zstd_decoder<R: Read>(source: R) -> io::Result<StreamingDecoder<R, FrameDecoder>> {
    StreamingDecoder::new_with_max_window_size(source, u64::from(MOST_WINDOW_BYTES)).map_err(|error| {
        io::Error::from(match error {
            FrameDecoderError::WindowSizeTooBig { .. } => io::ErrorKind::OutOfMemory,
            _ => io::ErrorKind::InvalidData,
        })
    })
}

fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

fn read_up_to(source: &mut dyn BufRead, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// How many zeros come first, and how many bytes from the first other one on.
fn count_rest(source: &mut dyn BufRead) -> io::Result<(u64, u64)> {
    let (mut zeros, mut other) = (0, 0);
    loop {
        let rest = source.fill_buf()?;
        if rest.is_empty() {
            return Ok((zeros, other));
        }
        let length = rest.len();
        if other == 0 {
            let leading = rest.iter().take_while(|byte| **byte == 0).count();
            zeros += leading as u64;
            other = (length - leading) as u64;
        } else {
            other += length as u64;
        }
        source.consume(length);
    }
}

impl Read for Decompressed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let read = match &mut self.state {
                State::Gzip(decoder) => decoder.read(buffer)?,
                State::Bzip2(decoder) => decoder.read(buffer)?,
                State::Xz(decoder) => decoder.read(buffer)?,
                State::Zstd(decoder) => decoder.read(buffer)?,
                State::Between(_) => 0,
                State::Ended => return Ok(0),
            };
            if read > 0 {
                return Ok(read);
            }
            let source = match mem::replace(&mut self.state, State::Ended) {
                State::Gzip(decoder) => decoder.into_inner(),
                State::Bzip2(decoder) => decoder.into_inner(),
                State::Xz(decoder) => decoder.into_inner(),
                State::Zstd(decoder) => {
                    let said = decoder.decoder.get_checksum_from_data();
                    if said.is_some() && said != decoder.decoder.get_calculated_checksum() {
                        return Err(io::Error::from(io::ErrorKind::InvalidData));
                    }
                    decoder.into_inner()
                }
                State::Between(source) => source,
                State::Ended => return Ok(0),
            };
            self.state = self.begin(source)?;
        }
    }
}
