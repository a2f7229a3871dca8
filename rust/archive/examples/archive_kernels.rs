//! The reading of archives whose instructions `benches/gate.py` counts, called as `kernels` of the engine
//! are.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;

use flate2::Compression;
use flate2::write::GzEncoder;
use versiondiff_archive::{Limits, Package};

/// Prepares its input and gives the work; the work gives a number, so that nothing is left out.
type Kernel = fn() -> Box<dyn FnMut() -> usize>;

const KERNELS: &[(&str, Kernel)] = &[("archive_tar", archive_tar), ("archive_tar_gz", archive_tar_gz)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--list"] => {
            let mut out = std::io::stdout();
            let all = KERNELS.iter().try_for_each(|(name, _)| writeln!(out, "{name}"));
            if all.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        [name, times] => {
            let kernel = KERNELS.iter().find(|(known, _)| *known == name);
            let (Some((_, prepare)), Ok(times)) = (kernel, times.parse::<u32>()) else {
                return ExitCode::FAILURE;
            };
            let mut work = prepare();
            for _ in 0..times {
                black_box(work());
            }
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

fn archive_tar() -> Box<dyn FnMut() -> usize> {
    let bytes = tar();
    Box::new(move || read(&bytes))
}

#[expect(clippy::expect_used, reason = "memory takes it")]
fn archive_tar_gz() -> Box<dyn FnMut() -> usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&tar()).expect("memory takes it");
    let bytes = encoder.finish().expect("memory takes it");
    Box::new(move || read(&bytes))
}

#[expect(clippy::expect_used, reason = "the input is made here, and valid")]
fn read(bytes: &[u8]) -> usize {
    let package = Package::read(bytes, &Limits::default()).expect("an archive");
    let mut json = Vec::new();
    package.write_json(&mut json);
    json.len() + package.mapping().expect("valid paths").entries().len()
}

/// An npm package of 400 files.
fn tar() -> Vec<u8> {
    let mut bytes = Vec::new();
    for file in 0..400_u32 {
        let mut content = String::new();
        for line in 0..60 {
            // Writing to a string never fails.
            let _ = writeln!(content, "  const value{line} = read({file}, {}); // {}", line * file, file % 7);
        }
        let name = if file == 0 { "package/package.json" } else { &format!("package/lib/{file}.js") };
        bytes.extend_from_slice(&header(name, content.len()));
        bytes.extend_from_slice(content.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// The header of a plain file, with the right checksum.
fn header(name: &str, size: usize) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[156] = b'0';
    block[257..265].copy_from_slice(b"ustar\x0000");
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}
