//! Canonical text, by three ways that share little: read and written at once, measured first, and
//! from a document.

use proptest::prelude::*;
use versiondiff_engine::json::Document;
use versiondiff_engine::json::canonical::{self, Canonical, Options, Profile, Repeated, Workspace};

/// JSON texts with white space, names and numbers of all kinds, names in any order.
fn any_text() -> impl Strategy<Value = String> {
    let space = prop_oneof![
        4 => Just(String::new()),
        4 => Just(" ".to_owned()),
        4 => (0_usize..40).prop_map(|count| format!("\n{}", " ".repeat(count))),
        1 => "[ \n\r\t]{0,40}",
    ];
    let string = prop_oneof![
        "[a-zA-Z ]{0,40}",
        "[ -~é\u{10ffff}あ]{0,70}".prop_map(|text| text.replace('\\', "\\\\").replace('"', "\\\"")),
        r#"(\\["/bfnrt\\]|\\u[0-9a-fA-F]{4}|\\ud83d\\ude0[0-9]|[a-z]{0,9}){0,9}"#,
    ];
    let name = prop_oneof![
        8 => proptest::sample::select(vec![
            "id", "name", "type", "label", "position", "positionAbsolute", "inputs", "inputParams", "data",
            "description", "zß", "z", "", "long name with spaces in it", "inputs ",
        ])
        .prop_map(str::to_owned),
        1 => string.clone(),
    ];
    let leaf = prop_oneof![
        string.prop_map(|text| format!("\"{text}\"")),
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?",
        proptest::sample::select(vec!["true", "false", "null", "{}", "[]", "{ }", "[\n]"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 80, 9, move |inner| {
        let value = (space.clone(), inner, space.clone()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (space.clone(), name.clone(), space.clone(), value.clone())
            .prop_map(|(a, name, b, value)| format!("{a}\"{name}\"{b}:{value}"));
        prop_oneof![
            prop::collection::vec(value, 1..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 1..9).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn by_document(text: &str) -> Option<Vec<u8>> {
    let document = Document::parse(text.as_bytes()).expect("the text is JSON");
    let mut out = Vec::new();
    canonical::write(document.root(), &mut out).ok().map(|()| out)
}

fn by_text(text: &str, options: Options, workspace: &mut Workspace) -> Option<Vec<u8>> {
    Canonical::of(text.as_bytes(), options, workspace).ok().map(|form| {
        let mut memory = vec![b'!'; form.length()];
        form.write_into(&mut memory);
        memory
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn all_ways_give_the_same_bytes(texts in prop::collection::vec(any_text(), 1..4)) {
        // One after the other in one workspace: nothing of a text is left for the next one.
        let mut workspace = Workspace::default();
        for text in &texts {
            let expected = by_document(text);
            let once = by_text(text, Options::default(), &mut workspace);
            prop_assert_eq!(&once, &expected);
            // Deep enough to be measured first.
            let deep = format!("{}{text}{}", "[".repeat(70), "]".repeat(70));
            prop_assert_eq!(by_text(&deep, Options::default(), &mut workspace), by_document(&deep));
            for profile in [Profile::Canonical, Profile::Jcs] {
                let options = Options { profile, repeated: Repeated::LastCounts, ..Options::default() };
                let once = by_text(text, options, &mut workspace);
                let measured = by_text(&deep, options, &mut workspace);
                prop_assert_eq!(once.is_some(), measured.is_some());
                if let (Some(once), Some(measured)) = (once, measured) {
                    prop_assert!(canonical::is_canonical(&once, options));
                    let again = by_text(std::str::from_utf8(&once).expect("UTF-8"), options, &mut workspace);
                    prop_assert_eq!(again.as_ref(), Some(&once));
                    let squeezed = |bytes: &[u8]| bytes.iter().filter(|byte| !b" \n[]".contains(byte)).count();
                    prop_assert_eq!(squeezed(&once), squeezed(&measured));
                }
            }
            if let Some(expected) = expected {
                prop_assert!(canonical::is_canonical(&expected, Options::default()));
            }
        }
    }
}

#[test]
fn what_was_remembered_of_other_names_is_no_order() {
    // Names that begin in the same way, in the same order and in another.
    let mut workspace = Workspace::default();
    for text in [
        r#"{"position":1,"positionAbsolute":2}"#,
        r#"{"positionAbsolute":2,"positionBelow":1}"#,
        r#"{"positionBelow":1,"positionAbsolute":2}"#,
        r#"{"position":1,"position":2}"#,
        r#"{"positionAbsolute":1,"position":2}"#,
    ] {
        assert_eq!(by_text(text, Options::default(), &mut workspace), by_document(text), "{text}");
    }
}
