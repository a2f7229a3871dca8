//! Records of the built-in `flowise` format: what counts as a change of a flow.

mod support;

use serde_json::{Value, json};
use support::{lines, record};

/// A node of a component, with its definition, its inputs, and the outputs it has.
#[expect(clippy::needless_pass_by_value, reason = "every caller makes the inputs in place")]
fn node(id: &str, label: &str, inputs: Value) -> Value {
    let component = id.rsplit_once('_').map_or(id, |(component, _)| component);
    json!({
        "id": id, "type": "customNode", "position": {"x": 1, "y": 2}, "width": 300, "height": 200,
        "selected": false,
        "data": {
            "id": id, "label": label, "name": component, "version": 1, "type": component,
            "baseClasses": [component], "category": "Chains", "description": "made up",
            "inputParams": [
                {"label": "System Message", "name": "systemMessage", "type": "string", "rows": 4},
                {"label": "Temperature", "name": "temperature", "type": "number", "default": 0.9},
            ],
            "inputAnchors": [{"label": "Model", "name": "model", "type": "BaseChatModel"}],
            "inputs": inputs,
            "outputAnchors": [{"id": format!("{id}-output-{component}-X|Y"), "name": component}],
            "outputs": {},
        },
    })
}

fn edge(source: &str, output: &str, target: &str, input: &str, types: &str) -> Value {
    json!({
        "source": source, "sourceHandle": format!("{source}-output-{output}-{types}"),
        "target": target, "targetHandle": format!("{target}-input-{input}-{types}"),
        "type": "buttonedge", "id": format!("{source}-{target}-{types}"),
    })
}

/// A flow of two nodes: a model that feeds a chain.
fn flow() -> Value {
    json!({
        "nodes": [
            node("chatModel_0", "Chat Model", json!({"temperature": 0.9, "modelName": "m"})),
            node("chain_0", "Chain", json!({"model": "{{chatModel_0.data.instance}}", "systemMessage": "Be kind."})),
        ],
        "edges": [edge("chatModel_0", "chatModel", "chain_0", "model", "A|B")],
    })
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut flow = flow();
    change(&mut flow);
    flow
}

fn compare(old: &Value, new: &Value) -> Vec<String> {
    lines(&record("flowise", &[("Helper.json", &old.to_string())], &[("Helper.json", &new.to_string())]))
}

fn after(change: impl FnOnce(&mut Value)) -> Vec<String> {
    compare(&flow(), &with(change))
}

#[test]
fn a_flow_that_comes_goes_or_moves_is_said_as_such() {
    let text = flow().to_string();
    let none: &[(&str, &str)] = &[];
    let there: &[(&str, &str)] = &[("a/Helper.json", &text)];
    let moved: &[(&str, &str)] = &[("b/Assistant.json", &text)];
    assert_eq!(
        lines(&record("flowise", none, there)),
        ["flow added Helper 2 nodes", "added Chain", "added Chat Model"]
    );
    assert_eq!(
        lines(&record("flowise", there, none)),
        ["flow removed Helper 2 nodes", "removed Chain", "removed Chat Model"]
    );
    assert_eq!(lines(&record("flowise", there, moved)), ["flow renamed Assistant from Helper a/Helper.json"]);
}

#[test]
fn a_definition_update_is_one_line_whatever_it_churns() {
    let lines = after(|flow| {
        let data = &mut flow["nodes"][0]["data"];
        data["version"] = json!(2);
        data["baseClasses"] = json!(["x", "y"]);
        data["inputParams"][0]["rows"] = json!(9);
        data["inputParams"][1]["default"] = json!(0.7);
        data["inputs"]["temperature"] = json!(0.7);
        data["outputAnchors"] = json!([]);
    });
    assert_eq!(
        lines,
        [
            "changed Chat Model definition:/data/baseClasses,/data/inputParams,/data/outputAnchors,/data/version 1>2 \
          parameters:temperature defaultchanged (Temperature)"
        ]
    );
}

#[test]
fn defaults_that_come_or_go_are_no_edits() {
    let set = |value: Value| move |flow: &mut Value| flow["nodes"][0]["data"]["inputs"] = value;
    let inputs = |value| with(set(value));
    let base = inputs(json!({}));
    for (old, new, expected) in [
        (&base, inputs(json!({"systemMessage": ""})), &[][..]),
        (
            &base,
            inputs(json!({"temperature": "0.9"})),
            &["changed Chat Model parameters:temperature defaultadded (Temperature)"],
        ),
        (
            &inputs(json!({"temperature": 0.9})),
            base.clone(),
            &["changed Chat Model parameters:temperature defaultremoved (Temperature)"],
        ),
        (&inputs(json!({"temperature": 0.9})), inputs(json!({"temperature": "0.9"})), &[]),
        (
            &inputs(json!({"temperature": 0.9})),
            inputs(json!({"temperature": 0.8})),
            &["changed Chat Model parameters:temperature edited (Temperature)"],
        ),
        (
            &base,
            inputs(json!({"temperature": 0.8})),
            &["changed Chat Model parameters:temperature added (Temperature)"],
        ),
        (&base, inputs(json!({"undefined": "x"})), &["changed Chat Model parameters:undefined added"]),
        (
            &inputs(json!({"FLOWISE_CREDENTIAL_ID": "a"})),
            inputs(json!({"FLOWISE_CREDENTIAL_ID": "b"})),
            &["changed Chat Model credential:changed"],
        ),
    ] {
        assert_eq!(compare(old, &new), expected, "{new}");
    }
}

#[test]
fn what_is_only_written_differently_is_no_edit() {
    let chain = |value: &str| with(|flow| flow["nodes"][1]["data"]["inputs"]["systemMessage"] = json!(value));
    for (a, b, same) in [
        ("Be kind.", "<p>Be kind.</p>", true),
        ("{\"a\": [1]}", "{\"a\":[1.0]}", true),
        ("Be kind.", "Be kind", false),
        ("<instructions>x</instructions>", "x", false),
    ] {
        let expected: &[&str] =
            if same { &[] } else { &["changed Chain parameters:systemMessage edited (System Message)"] };
        assert_eq!(compare(&chain(a), &chain(b)), expected, "{a} {b}");
        assert_eq!(compare(&chain(b), &chain(a)), expected, "{b} {a}");
    }
    let list = with(|flow| flow["nodes"][1]["data"]["inputs"]["tools"] = json!(["a", "b"]));
    let text = with(|flow| flow["nodes"][1]["data"]["inputs"]["tools"] = json!("[\"a\",\"b\"]"));
    assert!(compare(&list, &text).is_empty());
}

#[test]
fn edges_with_the_same_ends_are_the_same_and_references_repeat_them() {
    assert!(
        after(|flow| flow["edges"][0] = edge("chatModel_0", "chatModel", "chain_0", "model", "A|B|C"))
            .is_empty()
    );
    assert_eq!(
        after(|flow| {
            flow["edges"] = json!([]);
            flow["nodes"][1]["data"]["inputs"]["model"] = json!("");
        }),
        ["changed Chain wiring:removed Chat Model.chatModel>model (Model)"]
    );
    // A reference that no edge bears out is a value like any other.
    assert_eq!(
        after(|flow| flow["nodes"][1]["data"]["inputs"]["model"] = json!("{{other_0.data.instance}}")),
        ["changed Chain parameters:model added (Model)"]
    );
}

#[test]
fn an_output_that_its_definition_renamed_feeds_as_it_did() {
    let flow = |outputs: [&str; 2], used: &str| {
        with(|flow| {
            let options: Vec<_> = outputs.iter().map(|name| json!({"name": name})).collect();
            flow["nodes"][0]["data"]["outputAnchors"] = json!([{"name": "output", "options": options}]);
            flow["edges"][0] = edge("chatModel_0", used, "chain_0", "model", "A");
        })
    };
    let definition = "changed Chat Model definition:/data/outputAnchors";
    assert_eq!(compare(&flow(["yes", "no"], "yes"), &flow(["sure", "no"], "sure")), [definition]);
    // Where both outputs are there before and after, the other one feeds now.
    assert_eq!(
        compare(&flow(["yes", "no"], "yes"), &flow(["yes", "no"], "no")),
        [
            "changed Chain wiring:added Chat Model.no>model (Model) wiring:removed Chat Model.yes>model (Model)"
        ]
    );
}

#[test]
fn positions_are_counted_and_selection_is_nothing() {
    let old = flow();
    let new = with(|flow| {
        flow["nodes"][0]["position"]["x"] = json!(99.5);
        flow["nodes"][0]["selected"] = json!(true);
        flow["nodes"][1]["width"] = json!(301);
        flow["viewport"] = json!({"x": 0, "y": 0, "zoom": 1});
    });
    let record = record("flowise", &[("a.json", &old.to_string())], &[("a.json", &new.to_string())]);
    assert!(lines(&record).is_empty());
    assert_eq!((record.moved, record.format_only), (1, 0));
}

#[test]
fn a_label_is_a_name() {
    assert_eq!(
        after(|flow| flow["nodes"][1]["data"]["label"] = json!("Bakery")),
        ["changed Bakery renamed:Chain"]
    );
}

#[test]
fn a_renumbered_node_is_the_same_node_and_what_names_it_follows() {
    let text = |flow: Value| flow.to_string();
    let old = text(with(|flow| {
        flow["nodes"][1]["data"]["inputs"]["systemMessage"] = json!("Use {{ chatModel_0 }}.");
    }));
    let new = old.replace("chatModel_0", "chatModel_7");
    let record = record("flowise", &[("a.json", &old)], &[("a.json", &new)]);
    assert_eq!(lines(&record), ["changed Chat Model id:chatModel_0>chatModel_7 (Content)"]);
}

#[test]
fn a_wire_into_nothing_is_no_neighbour_of_a_node_that_has_that_id_now() {
    let tool = |id: &str, prompt: &str| node(id, "Chain", json!({"systemMessage": prompt}));
    let wired = |nodes: [Value; 2], target: &str| json!({"nodes": nodes, "edges": [edge("chatModel_1", "chatModel", target, "model", "A")]});
    let model = |id: &str| node(id, "Chat Model", json!({"modelName": "m"}));
    // chatModel_0 became chatModel_1, to which a wire pointed before it was there.
    let old = wired([model("chatModel_0"), tool("chain_0", "first")], "chain_0");
    let new = wired([model("chatModel_1"), tool("chain_1", "second")], "chain_1");
    let there = "changed Chat Model id:chatModel_0>chatModel_1 (Content)";
    assert_eq!(compare(&old, &new), ["removed Chain", "added Chain", there]);
    let back = "changed Chat Model id:chatModel_1>chatModel_0 (Content)";
    assert_eq!(compare(&new, &old), ["added Chain", "removed Chain", back]);
}

#[test]
fn an_id_that_passes_to_another_component_is_a_replacement() {
    let mut new = flow();
    new["nodes"][0] = node("chatModel_0", "Other Model", json!({"modelName": "n"}));
    new["nodes"][0]["data"]["name"] = json!("otherModel");
    assert_eq!(
        compare(&flow(), &new),
        ["removed Chat Model replaces:Other Model", "added Other Model replaces:Chat Model"]
    );
}

#[test]
fn an_id_freed_by_a_deletion_and_reused_by_a_copy_follows_the_content() {
    let two = |first: Value, second: Value| json!({"nodes": [first, second], "edges": []});
    let tool = |id: &str, prompt: &str| node(id, "Chain", json!({"systemMessage": prompt}));
    let old = two(tool("chain_0", "first"), tool("chain_1", "second"));
    // chain_0 was deleted, and chain_1 pasted anew as chain_0.
    let new = json!({"nodes": [tool("chain_0", "second")], "edges": []});
    assert_eq!(compare(&old, &new), ["removed Chain", "changed Chain id:chain_1>chain_0 (Content)"]);
}

#[test]
fn duplicate_and_blank_ids_are_all_kept_and_warned_of() {
    let tool = |id: &str, prompt: &str| node(id, "Tool", json!({"systemMessage": prompt}));
    let flow = |nodes: Vec<Value>| json!({"nodes": nodes, "edges": []});
    let old = flow(vec![tool("tool_0", "a"), tool("tool_0", "b"), tool("", "c")]);
    let new = flow(vec![tool("tool_0", "a"), tool("tool_0", "x"), tool("", "y")]);
    assert_eq!(
        compare(&old, &new),
        [
            "changed Tool parameters:systemMessage edited (System Message)",
            "changed Tool parameters:systemMessage edited (System Message)",
            "warning DuplicateId Helper.json Old 0:0 ",
            "warning DuplicateId Helper.json New 0:0 ",
            "warning BlankId Helper.json Old 0:0 ",
            "warning BlankId Helper.json New 0:0 ",
        ]
    );
}

#[test]
fn conditions_that_change_places_move_what_follows() {
    let condition = |order: [&str; 2]| {
        let items: Vec<_> = order.iter().map(|text| json!({"value1": text})).collect();
        let mut flow = flow();
        flow["nodes"].as_array_mut().expect("a list").push(node(
            "condition_0",
            "Condition",
            json!({"conditions": items}),
        ));
        flow["edges"].as_array_mut().expect("a list").push(edge("condition_0", "0", "chain_0", "x", "A"));
        flow
    };
    assert_eq!(
        compare(&condition(["yes", "no"]), &condition(["no", "yes"])),
        ["changed Condition parameters:conditions edited outputs reordered"]
    );
}

#[test]
fn nested_configurations_are_named_by_what_differs_in_them() {
    let config = |value: Value| with(|flow| flow["nodes"][0]["data"]["inputs"]["agentModelConfig"] = value);
    assert_eq!(
        compare(
            &config(
                json!({"temperature": 1, "topP": "", "what a user typed": 1, "FLOWISE_CREDENTIAL_ID": "a"})
            ),
            &config(json!({"temperature": 2, "what a user typed": 2, "FLOWISE_CREDENTIAL_ID": "b"})),
        ),
        ["changed Chat Model parameters:agentModelConfig edited \
          parameters:agentModelConfig.temperature edited credential:changed (agentModelConfig)"]
    );
}

/// The flow with other data in its first node.
fn with_data(change: impl FnOnce(&mut Value)) -> Value {
    with(|flow| change(&mut flow["nodes"][0]["data"]))
}

#[test]
fn labels_are_those_of_the_newer_definition_or_of_the_older() {
    let flow = |temperature: f64, label: Value| {
        with_data(|data| {
            data["inputs"]["temperature"] = json!(temperature);
            data["inputParams"][1]["label"] = label;
        })
    };
    let said = |old: Value, new: Value| compare(&flow(0.1, old), &flow(0.2, new)).join("");
    assert!(said(json!("Heat"), json!("Warmth")).ends_with("temperature edited (Warmth)"));
    for none in [json!(""), json!(" "), json!(7), Value::Null] {
        assert!(said(json!("Heat"), none.clone()).ends_with("temperature edited (Heat)"), "{none}");
        assert!(said(none.clone(), none).ends_with("temperature edited"));
    }
    // An input that only one of the definitions has, or that is in a tab of one.
    let gone = with_data(|data| {
        data["inputParams"] = json!([{"name": "tabs", "tabs": [{"name": "topP", "label": "Top P"}]}]);
        data["inputs"] = json!({"topP": 1, "modelName": "m"});
    });
    assert_eq!(
        compare(&with(|_| {}), &gone),
        [
            "changed Chat Model definition:/data/inputParams parameters:temperature defaultremoved (Temperature) \
          parameters:topP added (Top P)"
        ]
    );
}

#[test]
fn nested_inputs_have_labels_as_far_as_a_definition_says() {
    let flow = |config: Value| {
        with_data(|data| {
            let params = data["inputParams"].as_array_mut().expect("a list");
            params.push(json!({"name": "agentModel", "label": "Model"}));
            params.push(json!({"name": "moreConfig", "label": "More"}));
            data["inputs"]["agentModelConfig"] = config.clone();
            data["inputs"]["moreConfig"] = config.clone();
            data["inputs"]["otherConfig"] = config;
        })
    };
    assert_eq!(
        compare(&flow(json!({"topP": 1})), &flow(json!({"topP": 2}))),
        ["changed Chat Model parameters:agentModelConfig.topP edited (Model › topP) \
          parameters:moreConfig.topP edited (More › topP) parameters:otherConfig.topP edited"]
    );
}

#[test]
fn a_credential_is_one_change_wherever_it_stands_in_a_node() {
    let flow = |data_value: Value, input: Value, alias: Value| {
        with_data(|data| {
            data["credential"] = data_value;
            data["inputs"]["credential"] = input;
            data["inputs"]["FLOWISE_CREDENTIAL_ID"] = alias;
        })
    };
    let (a, b, none) = (|| json!("1111"), || json!("2222"), || json!(""));
    let changed: &[&str] = &["changed Chat Model credential:changed"];
    let set: &[&str] = &["changed Chat Model credential:added"];
    let removed: &[&str] = &["changed Chat Model credential:removed"];
    for (old, new, expected) in [
        (flow(a(), none(), a()), flow(b(), none(), b()), changed),
        (flow(a(), a(), none()), flow(b(), b(), none()), changed),
        (flow(none(), none(), none()), flow(a(), none(), a()), set),
        (flow(a(), none(), a()), flow(Value::Null, none(), none()), removed),
        // It came to stand at a second place, moved, or left one of them.
        (flow(a(), none(), none()), flow(a(), none(), a()), &[]),
        (flow(a(), none(), none()), flow(none(), a(), none()), &[]),
        (flow(a(), a(), a()), flow(none(), none(), a()), &[]),
        // One place was forgotten: what is used, and what is not, is another all the same.
        (flow(a(), none(), a()), flow(a(), none(), b()), changed),
        (flow(none(), none(), none()), flow(Value::Null, Value::Null, none()), &[]),
    ] {
        assert_eq!(compare(&old, &new), expected, "{old} {new}");
    }
}

#[test]
fn credentials_of_nested_sets_are_changes_of_their_own() {
    let flow = |own: &str, model: Value, tools: Value| {
        with_data(|data| {
            data["inputParams"] = json!([
                {"name": "agentModel", "label": "Model"},
                {"name": "agentTools", "label": "Tools", "array": [{"name": "agentTool", "label": "Tool"}]},
                {"name": "store", "label": "Store", "type": "credential"},
            ]);
            data["credential"] = json!(own);
            data["inputs"]["agentModelConfig"] = model;
            data["inputs"]["agentTools"] = tools;
        })
    };
    let model = |id: &str| json!({"topP": 1, "credential": id, "FLOWISE_CREDENTIAL_ID": id});
    let tool =
        |id: &str, unit: &str| json!({"agentTool": "x", "agentToolConfig": {"unit": unit, "credential": id}});
    let old = flow("1", model("2"), json!([tool("3", "g")]));
    let of = |own, model, tools| compare(&old, &flow(own, model, tools)).join("");
    assert_eq!(
        of("9", model("8"), json!([tool("7", "g")])),
        "changed Chat Model credential:changed credential:changed (agentModelConfig) (Model) \
         credential:changed (agentTools.agentToolConfig) (Tools › Tool)"
    );
    // What else changed there is said beside it.
    assert_eq!(
        of("1", json!({"topP": 2}), json!([tool("3", "oz"), tool("4", "g")])),
        "changed Chat Model parameters:agentModelConfig.topP edited (Model › topP) \
         parameters:agentTools edited (Tools) credential:removed (agentModelConfig) (Model) \
         credential:added (agentTools.agentToolConfig) (Tools › Tool)"
    );
    // The same ones in another order are an edit of the list and of no credential.
    let two = |first: Value, second: Value| flow("1", json!(""), json!([first, second]));
    assert_eq!(
        compare(&two(tool("3", "g"), tool("4", "g")), &two(tool("4", "g"), tool("3", "g"))),
        ["changed Chat Model parameters:agentTools edited (Tools)"]
    );
    // As JSON text in text.
    let text = |id: &str| flow("1", json!(model(id).to_string()), json!(json!([tool(id, "g")]).to_string()));
    assert_eq!(
        compare(&text("2"), &text("5")),
        [
            "changed Chat Model credential:changed (agentModelConfig) (Model) credential:changed (agentTools.agentToolConfig) (Tools › Tool)"
        ]
    );
    // An input that its definition says is one.
    let store = |id: &str| {
        let mut flow = old.clone();
        flow["nodes"][0]["data"]["inputs"]["store"] = json!(id);
        flow
    };
    assert_eq!(compare(&store("1"), &store("2")), ["changed Chat Model credential:changed (store) (Store)"]);
}

#[test]
fn stored_flows_and_bulk_exports_are_flows_too() {
    let stored = |name: &str, id: &str, flow: &Value| json!({"id": id, "name": name, "type": "CHATFLOW", "category": "x", "flowData": flow.to_string()});
    let edited = with(|flow| flow["nodes"][1]["data"]["inputs"]["systemMessage"] = json!("Be kinder."));
    let expected = "changed Chain parameters:systemMessage edited (System Message)";
    assert_eq!(compare(&stored("A", "1", &flow()), &stored("A", "1", &edited)), [expected]);
    let mut other = stored("B", "1", &edited);
    other["category"] = json!("y");
    assert_eq!(
        compare(&stored("A", "1", &flow()), &other),
        ["flow renamed B from A -", expected, "setting category changed"]
    );
    // Flows of a bulk export are told apart by id, wherever they stand.
    let bulk = |flows: Vec<Value>| json!({"ChatFlow": flows, "Tool": []});
    let old = bulk(vec![stored("A", "1", &flow()), stored("B", "2", &flow())]);
    let new = bulk(vec![stored("B", "2", &flow()), stored("A", "1", &edited), stored("C", "3", &flow())]);
    assert_eq!(compare(&old, &new), ["flow added C 2 nodes", expected, "added Chain", "added Chat Model"]);
}

#[test]
fn other_json_files_are_only_counted_and_a_broken_flow_is_warned_of() {
    let files = |text: &'static str| vec![("package.json", text)];
    let other = record("flowise", &files("{\"a\": 1}"), &files("{\"a\": "));
    assert_eq!((lines(&other).len(), other.other_files), (0, 1));
    let text = flow().to_string();
    let cut = &text[..text.len() - 3];
    assert_eq!(
        lines(&record("flowise", &[("a.json", &text)], &[("a.json", cut)])),
        [
            "setting a.json changed",
            &format!("warning UnreadableFile a.json New 1:{} the text ends inside a value", cut.len() + 1)
        ]
    );
}

#[test]
fn a_record_holds_no_value_of_a_parameter() {
    let secret = "correct horse battery staple";
    let old = with(|flow| flow["nodes"][1]["data"]["inputs"]["systemMessage"] = json!(secret));
    let new = with(|flow| flow["nodes"][1]["data"]["inputs"]["systemMessage"] = json!(format!("{secret}!")));
    let record = record("flowise", &[("a.json", &old.to_string())], &[("a.json", &new.to_string())]);
    let mut json = Vec::new();
    record.write_json(&mut json);
    let json = String::from_utf8(json).expect("JSON is UTF-8");
    assert!(json.contains("systemMessage") && !json.contains("horse"), "{json}");
    assert!(!format!("{record:?}").contains("horse"));
}
