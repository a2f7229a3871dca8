//! YAML as JSON, for the metadata of gems: tags are read over, so that no object comes of one.

use std::collections::HashMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle};
use versiondiff_engine::wire::write_string;

use crate::error::Error;

/// The largest text that is read.
const MOST_BYTES: usize = 4 << 20;

/// How deep values may lie within one another.
const MOST_DEPTH: usize = 100;

/// The largest JSON that is written: an alias repeats what it names.
const MOST_JSON_BYTES: usize = 16 << 20;

/// A value, shared by the aliases that name it.
enum Value {
    Null,
    Text(String),
    List(Vec<Rc<Self>>),
    Map(Vec<(String, Rc<Self>)>),
}

/// A list or a map that has not ended.
struct Open {
    anchor: usize,
    value: Value,
    /// Of a map, the key whose value comes next.
    key: Option<String>,
    is_map: bool,
    /// How deep the values in it go.
    depth: usize,
}

/// The first document of a YAML text as JSON, in which every scalar is text, or null.
///
/// # Errors
/// [`Error::Damaged`] where the text is no YAML, has a key that is no scalar, is larger than 4 MiB,
/// deeper than 100 or larger than 16 MiB as JSON. Its place is a line.
pub fn yaml_to_json(text: &[u8]) -> Result<Vec<u8>, Error> {
    if text.len() > MOST_BYTES {
        return Err(Error::damaged("a text is larger than 4 MiB", "yaml", MOST_BYTES as u64));
    }
    let text = std::str::from_utf8(text)
        .map_err(|error| Error::damaged("a text is no UTF-8", "yaml", error.valid_up_to() as u64))?;
    let value = Reader { anchors: HashMap::new(), open: Vec::new() }.read(text)?;
    let mut json = Vec::new();
    write(&value, &mut json)?;
    Ok(json)
}

struct Reader {
    anchors: HashMap<usize, (Rc<Value>, usize)>,
    open: Vec<Open>,
}

impl Reader {
    fn read(mut self, text: &str) -> Result<Rc<Value>, Error> {
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let Ok((event, span)) = event else {
                return Err(Error::damaged("a text is no YAML", "yaml", 0));
            };
            let damaged = |what| Error::damaged(what, "yaml", span.start.index() as u64);
            let found = match event {
                Event::Scalar(text, style, anchor, _) => {
                    let is_null =
                        style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                    let value = if is_null { Value::Null } else { Value::Text(text.into_owned()) };
                    self.end(anchor, value, 1)
                }
                Event::Alias(anchor) => {
                    let (value, depth) =
                        self.anchors.get(&anchor).ok_or_else(|| damaged("an alias names nothing"))?;
                    (Rc::clone(value), *depth)
                }
                Event::SequenceStart(anchor, _) => {
                    self.begin(anchor, Value::List(Vec::new()), false).map_err(damaged)?;
                    continue;
                }
                Event::MappingStart(anchor, _) => {
                    self.begin(anchor, Value::Map(Vec::new()), true).map_err(damaged)?;
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let Some(ended) = self.open.pop() else {
                        return Err(damaged("an end without a beginning"));
                    };
                    self.end(ended.anchor, ended.value, ended.depth + 1)
                }
                Event::DocumentEnd | Event::StreamEnd => break,
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => continue,
            };
            let (value, depth) = found;
            if depth + self.open.len() > MOST_DEPTH {
                return Err(damaged("values are too deep"));
            }
            let Some(parent) = self.open.last_mut() else { return Ok(value) };
            parent.depth = parent.depth.max(depth);
            match (&mut parent.value, parent.key.take(), &*value) {
                (Value::List(list), ..) => list.push(value),
                (Value::Map(map), Some(key), _) => map.push((key, value)),
                (Value::Map(_), None, Value::Text(key)) => parent.key = Some(key.clone()),
                (Value::Map(_), None, Value::Null) => parent.key = Some(String::new()),
                _ => return Err(damaged("a key is no scalar")),
            }
        }
        Ok(Rc::new(Value::Null))
    }

    fn begin(&mut self, anchor: usize, value: Value, is_map: bool) -> Result<(), &'static str> {
        if self.open.len() >= MOST_DEPTH {
            return Err("values are too deep");
        }
        if self.open.last().is_some_and(|parent| parent.is_map && parent.key.is_none()) {
            return Err("a key is no scalar");
        }
        self.open.push(Open { anchor, value, key: None, is_map, depth: 0 });
        Ok(())
    }

    fn end(&mut self, anchor: usize, value: Value, depth: usize) -> (Rc<Value>, usize) {
        let value = Rc::new(value);
        if anchor > 0 {
            self.anchors.insert(anchor, (Rc::clone(&value), depth));
        }
        (value, depth)
    }
}

fn write(value: &Value, json: &mut Vec<u8>) -> Result<(), Error> {
    if json.len() > MOST_JSON_BYTES {
        return Err(Error::damaged("a text is larger than 16 MiB as JSON", "yaml", 0));
    }
    match value {
        Value::Null => json.extend_from_slice(b"null"),
        Value::Text(text) => write_string(json, text),
        Value::List(values) => {
            json.push(b'[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    json.push(b',');
                }
                write(value, json)?;
            }
            json.push(b']');
        }
        Value::Map(values) => {
            json.push(b'{');
            for (at, (key, value)) in values.iter().enumerate() {
                if at > 0 {
                    json.push(b',');
                }
                write_string(json, key);
                json.push(b':');
                write(value, json)?;
            }
            json.push(b'}');
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        String::from_utf8(yaml_to_json(text.as_bytes()).expect("it is YAML")).expect("it is UTF-8")
    }

    #[test]
    fn tags_make_no_objects() {
        let text = "--- !ruby/object:Gem::Specification\nname: x\nversion: !ruby/object:Gem::Version\n  version: '1.0'\nnone:\n";
        assert_eq!(json(text), r#"{"name":"x","version":{"version":"1.0"},"none":null}"#);
    }

    #[test]
    fn aliases_repeat_what_they_name() {
        assert_eq!(json("a: &x [1, '']\nb: *x\n"), r#"{"a":["1",""],"b":["1",""]}"#);
    }

    #[test]
    fn a_bomb_of_aliases_is_an_error() {
        let mut text = "a0: &a0 [xxxxxxxxxxxxxxxxxxxxxxxxxxxxx]\n".to_owned();
        for level in 1..30 {
            let last = format!("*a{}", level - 1);
            let repeated = [last.as_str(); 9].join(", ");
            text.push_str(
                &["a", &level.to_string(), ": &a", &level.to_string(), " [", &repeated, "]\n"].concat(),
            );
        }
        assert!(yaml_to_json(text.as_bytes()).is_err());
        assert!(yaml_to_json(b"a: &a [*a]").is_err(), "a value in itself");
    }

    #[test]
    fn depth_is_an_error() {
        assert!(yaml_to_json(&b"[".repeat(100_000)).is_err());
        assert!(yaml_to_json(&b"- ".repeat(100_000)).is_err());
        assert!(yaml_to_json(&b"{a: ".repeat(100_000)).is_err());
        assert!(yaml_to_json(&b"? ".repeat(100_000)).is_err());
    }
}
