//! The findings of a whole file, its path included, in the wire format.

use bstr::{BStr, ByteSlice};

use super::{Finding, Location, Rules, locate, redact};
use crate::wire::{write_integer, write_lossy_string, write_string};

/// Scan a file and append its findings to a JSON list whose bracket is open already.
///
/// A secret in the path is a finding without a place, and the path never stands there with it.
/// True where there was a finding.
pub fn write_findings(rules: &Rules, content: &[u8], path: Option<&BStr>, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let in_path = path.map(|path| rules.scan(path, None)).unwrap_or_default();
    let shown = path.map(|path| redact(path, &in_path));
    let shown = shown.as_deref().map(BStr::new);
    for finding in &in_path {
        separate(out);
        write_finding(rules.name(finding.rule), shown, None, &Location::default(), out);
    }
    write_located(rules, content, &rules.scan(content, path), shown, out);
    out.len() > start
}

/// Append the findings of a content, sorted, to a JSON list whose bracket is open already.
///
/// `path` is what may be shown of the path.
pub fn write_located(
    rules: &Rules,
    content: &[u8],
    findings: &[Finding],
    path: Option<&BStr>,
    out: &mut Vec<u8>,
) {
    for (finding, place) in findings.iter().zip(locate(content, findings)) {
        separate(out);
        write_finding(rules.name(finding.rule), path, None, &place, out);
    }
}

fn separate(out: &mut Vec<u8>) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
}

/// Append a finding as an object; `side` is there where two versions of a file were looked at.
///
/// A secret in the path has no place: its numbers, which count from one, are 0 and left out.
pub(crate) fn write_finding(
    rule: &str,
    path: Option<&BStr>,
    side: Option<&str>,
    place: &Location,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"rule\":");
    write_string(out, rule);
    if let Some(path) = path {
        out.extend_from_slice(b",\"path\":");
        write_lossy_string(out, path.as_bytes());
    }
    if let Some(side) = side {
        out.extend_from_slice(b",\"side\":");
        write_string(out, side);
    }
    for (key, value) in [
        (b",\"line\":".as_slice(), place.line),
        (b",\"column\":", place.column),
        (b",\"end_line\":", place.end_line),
        (b",\"end_column\":", place.end_column),
    ] {
        if value > 0 {
            out.extend_from_slice(key);
            write_integer(out, i64::try_from(value).unwrap_or(i64::MAX));
        }
    }
    out.push(b'}');
}
