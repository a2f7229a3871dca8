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
        write_finding(rules.name(finding.rule), shown, None, out);
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
        write_finding(rules.name(finding.rule), path, Some(place), out);
    }
}

fn write_finding(rule: &str, path: Option<&BStr>, place: Option<Location>, out: &mut Vec<u8>) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"rule\":");
    write_string(out, rule);
    if let Some(path) = path {
        out.extend_from_slice(b",\"path\":");
        write_lossy_string(out, path.as_bytes());
    }
    if let Some(place) = place {
        write_place(place, out);
    }
    out.push(b'}');
}

fn write_place(place: Location, out: &mut Vec<u8>) {
    for (key, value) in [
        (b",\"line\":".as_slice(), place.line),
        (b",\"column\":", place.column),
        (b",\"end_line\":", place.end_line),
        (b",\"end_column\":", place.end_column),
    ] {
        out.extend_from_slice(key);
        write_integer(out, i64::try_from(value).unwrap_or(i64::MAX));
    }
}
