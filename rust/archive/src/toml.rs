//! TOML as JSON, for manifests: a parser that bounds its depth, and its time by the text.

use toml::de::{DeTable, DeValue};
use versiondiff_engine::wire::write_string;

use crate::error::Error;

/// The largest text that is read.
const MOST_BYTES: usize = 4 << 20;

/// How deep values may lie within one another. The parser has a limit of its own, which may change.
const MOST_DEPTH: usize = 100;

/// A TOML text as JSON; numbers and times become text.
///
/// # Errors
/// [`Error::Damaged`] where the text is no TOML, is larger than 4 MiB or deeper than 100.
pub fn toml_to_json(text: &[u8]) -> Result<Vec<u8>, Error> {
    if text.len() > MOST_BYTES {
        return Err(Error::damaged("a text is larger than 4 MiB", "toml", MOST_BYTES as u64));
    }
    let text = std::str::from_utf8(text)
        .map_err(|error| Error::damaged("a text is no UTF-8", "toml", error.valid_up_to() as u64))?;
    let table = DeTable::parse(text).map_err(|error| {
        Error::damaged("a text is no TOML", "toml", error.span().map_or(0, |span| span.start as u64))
    })?;
    let mut json = Vec::new();
    write_table(table.get_ref(), 0, &mut json)?;
    Ok(json)
}

fn write_table(table: &DeTable<'_>, depth: usize, json: &mut Vec<u8>) -> Result<(), Error> {
    if depth > MOST_DEPTH {
        return Err(Error::damaged("values are too deep", "toml", 0));
    }
    json.push(b'{');
    for (at, (key, value)) in table.iter().enumerate() {
        if at > 0 {
            json.push(b',');
        }
        write_string(json, key.get_ref());
        json.push(b':');
        write(value.get_ref(), depth + 1, json)?;
    }
    json.push(b'}');
    Ok(())
}

fn write(value: &DeValue<'_>, depth: usize, json: &mut Vec<u8>) -> Result<(), Error> {
    match value {
        DeValue::String(text) => write_string(json, text),
        DeValue::Integer(number) => write_string(json, number.as_str()),
        DeValue::Float(number) => write_string(json, number.as_str()),
        DeValue::Boolean(value) => json.extend_from_slice(if *value { b"true" } else { b"false" }),
        DeValue::Datetime(time) => write_string(json, &time.to_string()),
        DeValue::Array(values) => {
            if depth > MOST_DEPTH {
                return Err(Error::damaged("values are too deep", "toml", 0));
            }
            json.push(b'[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    json.push(b',');
                }
                write(value.get_ref(), depth + 1, json)?;
            }
            json.push(b']');
        }
        DeValue::Table(table) => write_table(table, depth, json)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read() {
        let json =
            toml_to_json(b"[package]\nname = 'x'\nbuild = false\n[dependencies]\ny = { version = \"1\" }\n");
        let json = String::from_utf8(json.expect("it is TOML")).expect("it is UTF-8");
        assert_eq!(json, r#"{"dependencies":{"y":{"version":"1"}},"package":{"build":false,"name":"x"}}"#);
    }

    #[test]
    fn depth_is_an_error() {
        assert!(
            toml_to_json(&b"a = ".iter().chain(&b"[".repeat(500_000)).copied().collect::<Vec<_>>()).is_err()
        );
        assert!(toml_to_json(&[&b"a.".repeat(500_000)[..], b"b = 1"].concat()).is_err());
        assert!(toml_to_json(&[b"[", &b"a.".repeat(500_000)[..], b"b]"].concat()).is_err());
        assert!(toml_to_json(&[&b"a\n.".repeat(500)[..], b"b = 1"].concat()).is_err());
    }
}
