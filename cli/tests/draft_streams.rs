//! Drafts of invented CLIs, each with names and habits of its own: what the draft makes of the streams that it is of.

mod common;

use common::draft::Draft;
use serde_json::{Value, json};

fn tools(envelope: &Value) -> [u64; 3] {
    ["started", "completed", "failed"].map(|key| envelope["tools"][key].as_u64().expect("a count"))
}

#[test]
fn an_ending_is_known_by_where_it_stands() {
    let good = r#"{"type":"hi","session_id":"s"}
{"type":"txt","text":"Hello there."}
{"type":"fin","status":"done"}
"#;
    let bad = r#"{"type":"hi","session_id":"s"}
{"type":"fin","status":"broke","cause":"it broke"}
"#;
    let draft = Draft::of(&[good, bad]);
    let (ok, failed) = (draft.envelope(0), draft.envelope(1));
    assert_eq!((&ok["status"], &ok["result"], &ok["terminal"]), (&json!("ok"), &json!("Hello there."), &json!(true)));
    assert_eq!((&failed["status"], &failed["terminal"]), (&json!("failed"), &json!(true)), "{}", draft.text);
    assert!(failed["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("it broke")), "{failed}");
    assert_eq!(draft.events_of(1, "turn_ended")[0]["error"]["message"], "it broke");
    assert_eq!(draft.messages(1), [""; 0], "{}", draft.text);
}

#[test]
fn an_ending_without_any_telling_name_is_one_and_asked_about() {
    let stream = |n: u8, word: &str| {
        format!(
            "{{\"q\":\"up\",\"ref\":\"r{n}1\"}}\n{{\"q\":\"say\",\"text\":\"Some words.\"}}\n{{\"q\":\"zot\",\"hue\":\"{word}\"}}\n"
        )
    };
    let draft = Draft::of(&[stream(1, "red"), stream(2, "red")]);
    assert_eq!(draft.envelope(0)["terminal"], true, "{}", draft.text);
    assert!(draft.asks("it ends the captured streams"), "{}", draft.text);
    assert!(draft.asks("whether the run failed"), "{}", draft.text);
    assert!(draft.asks("`ref` is taken for the session"), "{}", draft.text);
    assert_eq!(draft.envelope(1)["session_id"], "r21");
}

#[test]
fn a_record_between_turns_ends_them() {
    let draft = Draft::of(&[r#"{"ev":"turn-begin","session":"s1"}
{"ev":"said","text":"This is one."}
{"ev":"turn-over","state":"ok"}
{"ev":"turn-begin","session":"s1"}
{"ev":"said","text":"This is two."}
{"ev":"turn-over","state":"failed","why":"no more of it"}
"#]);
    let ends = draft.events_of(0, "turn_ended");
    assert_eq!(ends.len(), 2, "{}", draft.text);
    assert_eq!((&ends[0]["stop_reason"], &ends[1]["stop_reason"]), (&json!("end_turn"), &json!("error")));
    assert_eq!(draft.events_of(0, "turn_started").len(), 2, "{}", draft.text);
    assert_eq!(draft.envelope(0)["status"], "failed");
}

/// The streams of the guide, as it prints them.
fn guide() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/profiles.md");
    let guide = std::fs::read_to_string(path).expect("the guide").replace("\r\n", "\n");
    let streams = guide.split("```jsonl stream\n").skip(1).take(2);
    streams.map(|rest| rest.split("```").next().expect("a block").to_owned()).collect()
}

#[test]
fn the_draft_of_the_guide_does_what_the_guide_says() {
    let draft = Draft::of(&guide());
    assert_eq!(draft.messages(0), ["Let me look.", "There is a README."], "{}", draft.text);
    let (ok, failed) = (draft.envelope(0), draft.envelope(1));
    assert_eq!((&ok["status"], &ok["result"]), (&json!("ok"), &json!("There is a README.")), "{}", draft.text);
    assert_eq!((tools(&ok), tools(&failed)), ([1, 1, 0], [1, 0, 1]));
    assert_eq!(ok["usage"]["output"], 30);
    assert_eq!(draft.events_of(0, "reasoning").len(), 1);
    assert!(failed["errors"][0]["message"].as_str().is_some_and(|message| message.contains("(oops): The model is")));
    for stream in [0, 1] {
        assert_eq!(draft.envelope(stream)["unmapped_types"], json!({}));
    }
}

/// Pieces before the wholes that they are of: what the pieces name, and what the whole is.
const PIECES: [(&str, &str, &[&str]); 6] = [
    (
        "the message; one text",
        r#"{"t":"open","session":"s1"}
{"t":"bit","mid":"m1","s":"One "}
{"t":"bit","mid":"m1","s":"text."}
{"t":"full","mid":"m1","s":"One text."}
{"t":"bit","mid":"m2","s":"And "}
{"t":"bit","mid":"m2","s":"another."}
{"t":"full","mid":"m2","s":"And another."}
{"t":"end","ok":true}
"#,
        &["One text.", "And another."],
    ),
    (
        "the message; several blocks",
        r#"{"t":"open","session":"s1"}
{"t":"bit","mid":"m1","s":"One "}
{"t":"bit","mid":"m1","s":"text, two blocks."}
{"t":"full","mid":"m1","parts":[{"k":"p","s":"One text, "},{"k":"p","s":"two blocks."}]}
{"t":"end","ok":true}
"#,
        &["One text, two blocks."],
    ),
    (
        "the message and the number of the block",
        r#"{"t":"open","session":"s1"}
{"t":"bit","mid":"m1","index":0,"s":"First "}
{"t":"bit","mid":"m1","index":0,"s":"block."}
{"t":"bit","mid":"m1","index":1,"s":"Second "}
{"t":"bit","mid":"m1","index":1,"s":"block."}
{"t":"full","mid":"m1","parts":[{"k":"p","s":"First block."},{"k":"p","s":"Second block."}]}
{"t":"end","ok":true}
"#,
        &["First block.", "Second block."],
    ),
    (
        "nothing; one text",
        r#"{"t":"open","session":"s1"}
{"t":"bit","s":"One "}
{"t":"bit","s":"text."}
{"t":"full","s":"One text."}
{"t":"full","s":"Nobody streamed this."}
{"t":"bit","s":"And "}
{"t":"bit","s":"another."}
{"t":"full","s":"And another."}
{"t":"end","ok":true}
"#,
        &["One text.", "Nobody streamed this.", "And another."],
    ),
    (
        "nothing; several blocks",
        r#"{"t":"open","session":"s1"}
{"t":"bit","s":"One "}
{"t":"bit","s":"text."}
{"t":"full","parts":[{"k":"p","s":"One "},{"k":"p","s":"text."}]}
{"t":"end","ok":true}
"#,
        &["One text."],
    ),
    (
        "a flag; one kind for both",
        r#"{"t":"open","session":"s1"}
{"t":"say","partial":true,"text":"One "}
{"t":"say","partial":true,"text":"text."}
{"t":"say","partial":false,"text":"One text."}
{"t":"say","partial":false,"text":"And another."}
{"t":"end","ok":true}
"#,
        &["One text.", "And another."],
    ),
];

#[test]
fn pieces_and_wholes_are_one_text() {
    for (what, stream, want) in PIECES {
        let draft = Draft::of(&[stream]);
        assert_eq!(draft.messages(0), want, "{what}\n{}", draft.text);
        let last = draft.envelope(0)["result"].clone();
        let all = want.concat();
        assert!(last == want[want.len() - 1] || last == all, "{what}: {last}\n{}", draft.text);
        assert!(draft.events_of(0, "message").iter().any(|event| event["delta"] == true), "{what}");
    }
}

#[test]
fn texts_that_grow_are_told_once() {
    let draft = Draft::of(&[r#"{"t":"open","session":"s1"}
{"t":"say","id":"a","text":"It grows"}
{"t":"say","id":"a","text":"It grows and grows."}
{"t":"say","id":"b","text":"It is done."}
{"t":"end","ok":true}
"#]);
    assert_eq!(draft.messages(0), ["It grows and grows.", "It is done."], "{}", draft.text);
}

#[test]
fn calls_and_results_are_paired_by_their_ids() {
    let draft = Draft::of(&[r#"{"a":"up","session":"s1"}
{"a":"w","text":"I look into it.","h":"x0"}
{"a":"p","h":"x1","z":"lister","q":{"where":"."}}
{"a":"r","h":"x1","zz":"one two three"}
{"a":"p","h":"x2","z":"reader","q":{"where":"a"}}
{"a":"r","h":"x2","zz":"what it says"}
{"a":"w","text":"That is all of it.","h":"x3"}
{"a":"bye","good":true}
"#]);
    let calls = draft.events_of(0, "tool_call");
    assert_eq!(calls.len(), 2, "{}", draft.text);
    assert_eq!((&calls[0]["name"], &calls[1]["input"]), (&json!("lister"), &json!({"where": "a"})), "{}", draft.text);
    let results = draft.events_of(0, "tool_call_update");
    assert_eq!((&results[1]["tool_call_id"], &results[1]["output"]), (&json!("x2"), &json!("what it says")));
    assert_eq!(draft.messages(0), ["I look into it.", "That is all of it."], "{}", draft.text);
    assert!(draft.asks("whether the call failed"), "{}", draft.text);
}

#[test]
fn a_sub_agents_id_is_no_message() {
    let draft = Draft::of(&[r#"{"type":"start","session_id":"s1"}
{"type":"say","text":"I will send a worker."}
{"type":"call","id":"c1","name":"task","input":{"x":1}}
{"type":"say","worker":"w9","text":"Inside the worker."}
{"type":"say","worker":"w9","text":"Still inside it."}
{"type":"result","id":"c1","status":"ok","output":"done"}
{"type":"say","text":"The worker is back."}
{"type":"over","status":"success"}
"#]);
    assert_eq!(draft.messages(0).len(), 4, "{}", draft.text);
    let inside = draft.events_of(0, "message").into_iter().filter(|event| event["agent"] == "w9").count();
    assert_eq!((inside, &draft.envelope(0)["result"]), (2, &json!("The worker is back.")), "{}", draft.text);
    assert!(draft.asks("`worker` is taken for the sub-agent"), "{}", draft.text);
}

#[test]
fn notices_and_what_tools_give_are_no_messages() {
    let draft = Draft::of(&[r#"{"type":"start","session_id":"s1"}
{"type":"log","level":"warn","msg":"The disk is slow today."}
{"type":"call","id":"c1","name":"cat","input":{"path":"a"}}
{"type":"result","id":"c1","ok":true,"content":[{"type":"text","text":"What stands in a."}]}
{"type":"say","text":"It says nothing."}
{"type":"over","ok":true}
"#]);
    assert_eq!(draft.messages(0), ["It says nothing."], "{}", draft.text);
    let notices = draft.events_of(0, "notice");
    assert_eq!((notices.len(), &notices[0]["severity"]), (1, &json!("warning")), "{}", draft.text);
    assert_eq!(draft.events_of(0, "tool_call_update")[0]["output"], "What stands in a.");
}

#[test]
fn elements_that_are_left_out_are_asked_about() {
    let draft = Draft::of(&[r#"{"t":"open","session":"s1"}
{"t":"say","parts":[{"k":"prose","text":"I look into it."},{"k":"gizmo","zap":7,"zop":["a"]}]}
{"t":"say","parts":[{"k":"prose","text":"That is all."}]}
{"t":"end","ok":true}
"#]);
    assert!(draft.text.contains("ignore = [\"gizmo\"]"), "{}", draft.text);
    assert!(draft.asks("what elements `gizmo` of `parts` say. Fields: k, zap, zop"), "{}", draft.text);
}

#[test]
fn running_totals_are_known_by_growing() {
    let stream = |figures: [u32; 5]| {
        let meters = figures.map(|out| format!("{{\"t\":\"meter\",\"in\":{},\"out\":{out}}}\n", out * 2));
        format!("{{\"t\":\"open\",\"session\":\"s1\"}}\n{}{{\"t\":\"end\",\"ok\":true}}\n", meters.concat())
    };
    let draft = Draft::of(&[stream([1, 2, 4, 4, 9])]);
    assert_eq!((&draft.envelope(0)["usage"]["output"], draft.asks("figures")), (&json!(9), false), "{}", draft.text);
    let draft = Draft::of(&[stream([1, 2, 4, 3, 9])]);
    assert_eq!((&draft.envelope(0)["usage"]["output"], draft.asks("figures")), (&json!(19), false), "{}", draft.text);
}

#[test]
fn an_envelope_of_event_and_data_with_lists_in_lists() {
    let good = r#"{"event":"open","data":{"conn":"k-9001","engine":{"model":"oak-1"}}}
{"event":"delta","data":{"conn":"k-9001","reply":"r1","frag":"I will "}}
{"event":"delta","data":{"conn":"k-9001","reply":"r1","frag":"look."}}
{"event":"reply","data":{"conn":"k-9001","reply":"r1","items":[{"what":"prose","spans":[{"kind":"plain","s":"I will "},{"kind":"plain","s":"look."}]},{"what":"act","h":"h1","gadget":"ls","spec":{"p":"."}}]}}
{"event":"acted","data":{"conn":"k-9001","h":"h1","verdict":"ok","gave":[{"kind":"plain","s":"a.txt and b.txt"}]}}
{"event":"delta","data":{"conn":"k-9001","reply":"r2","frag":"Two "}}
{"event":"delta","data":{"conn":"k-9001","reply":"r2","frag":"files."}}
{"event":"reply","data":{"conn":"k-9001","reply":"r2","items":[{"what":"prose","spans":[{"kind":"plain","s":"Two "},{"kind":"plain","s":"files."}]}]}}
{"event":"closed","data":{"conn":"k-9001","outcome":"good","spent":{"prompt_tokens":5,"completion_tokens":7}}}
"#;
    let bad = r#"{"event":"open","data":{"conn":"k-9002","engine":{"model":"oak-1"}}}
{"event":"reply","data":{"conn":"k-9002","reply":"r1","items":[{"what":"act","h":"h2","gadget":"sh","spec":{"p":"false"}}]}}
{"event":"acted","data":{"conn":"k-9002","h":"h2","verdict":"bad","gave":[{"kind":"plain","s":"exit 1 of it"}]}}
{"event":"closed","data":{"conn":"k-9002","outcome":"trouble","because":"no more money","spent":{"prompt_tokens":5,"completion_tokens":7}}}
"#;
    let draft = Draft::of(&[good, bad]);
    assert_eq!(draft.messages(0), ["I will look.", "Two files."], "{}", draft.text);
    let (ok, failed) = (draft.envelope(0), draft.envelope(1));
    assert_eq!((&ok["result"], &ok["session_id"]), (&json!("Two files."), &json!("k-9001")), "{}", draft.text);
    assert_eq!((tools(&ok), tools(&failed)), ([1, 1, 0], [1, 0, 1]), "{}", draft.text);
    assert_eq!((&ok["usage"]["total"], &failed["status"]), (&json!(12), &json!("failed")));
    assert!(failed["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("no more money")));
    assert_eq!(draft.events_of(0, "session_started")[0]["model"], "oak-1");
    for question in ["`data.conn` is taken for the session", "how to read `data.gave`", "one figure a stream"] {
        assert!(draft.asks(question), "{question}\n{}", draft.text);
    }
}

#[test]
fn whole_texts_with_a_flag_and_numeric_exit_codes() {
    let good = r#"{"k":"begin","run":"R77","v":"1.2"}
{"k":"say","run":"R77","said":"Let me think","partial":true}
{"k":"say","run":"R77","said":"Let me think about it.","partial":false}
{"k":"do","run":"R77","n":1,"cmd":"make"}
{"k":"did","run":"R77","n":1,"rc":0,"out":"built"}
{"k":"log","run":"R77","level":"warn","msg":"slow disk today"}
{"k":"say","run":"R77","said":"It is built.","partial":false}
{"k":"quit","run":"R77","code":0}
"#;
    let bad = r#"{"k":"begin","run":"R78","v":"1.2"}
{"k":"do","run":"R78","n":1,"cmd":"make"}
{"k":"did","run":"R78","n":1,"rc":2,"out":"no rule"}
{"k":"quit","run":"R78","code":3,"why":"the build broke"}
"#;
    let draft = Draft::of(&[good, bad]);
    assert_eq!(draft.messages(0), ["Let me think about it.", "It is built."], "{}", draft.text);
    let (ok, failed) = (draft.envelope(0), draft.envelope(1));
    assert_eq!((&ok["status"], &ok["session_id"]), (&json!("ok"), &json!("R77")), "{}", draft.text);
    assert_eq!((tools(&ok), tools(&failed)), ([1, 1, 0], [1, 0, 1]), "{}", draft.text);
    assert!(failed["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("the build broke")));
    for question in ["`partial` = true are said once more", "which field names the tool"] {
        assert!(draft.asks(question), "{question}\n{}", draft.text);
    }
}

#[test]
fn tools_named_in_an_object_and_a_reason_that_only_failures_have() {
    let good = r#"{"kind":"session","sid":"S-100","ver":"0.4"}
{"kind":"thought","content":"The user wants tests."}
{"kind":"tool-request","tool":{"call_id":"q1","name":"grep","args":{"pattern":"x"}}}
{"kind":"tool-response","tool":{"call_id":"q1","name":"grep"},"body":{"exit":0,"stdout":"a.rs:1"}}
{"kind":"tool-request","tool":{"call_id":"q2","name":"run","args":{"cmd":"cargo test"}}}
{"kind":"tool-response","tool":{"call_id":"q2","name":"run"},"body":{"exit":101,"stdout":"failed"}}
{"kind":"answer","content":"There are no tests yet."}
{"kind":"stats","usage":{"prompt":10,"completion":5}}
{"kind":"stats","usage":{"prompt":4,"completion":9}}
{"kind":"finished","exit_code":0}
"#;
    let bad = r#"{"kind":"session","sid":"S-101","ver":"0.4"}
{"kind":"problem","content":"Rate limit reached.","code":429}
{"kind":"finished","exit_code":2,"message":"Rate limit reached."}
"#;
    let draft = Draft::of(&[good, bad]);
    let (ok, failed) = (draft.envelope(0), draft.envelope(1));
    assert_eq!((&ok["status"], &ok["result"]), (&json!("ok"), &json!("There are no tests yet.")), "{}", draft.text);
    assert_eq!((tools(&ok), &ok["usage"]["total"]), ([2, 1, 1], &json!(28)), "{}", draft.text);
    assert_eq!(draft.events_of(0, "tool_call")[1]["name"], "run", "{}", draft.text);
    assert_eq!((&failed["status"], draft.messages(1).len()), (&json!("failed"), 0), "{}", draft.text);
    let message = failed["errors"][0]["message"].as_str().expect("a message");
    assert!(message.ends_with("(problem): Rate limit reached."), "{message}");
}

#[test]
fn a_log_with_a_message_in_every_record() {
    let good = r#"{"v":1,"msg":"agent starting","lvl":30,"evt":"boot","task":"T1"}
{"v":1,"msg":"","lvl":30,"evt":"llm.token","task":"T1","tok":"Hel"}
{"v":1,"msg":"","lvl":30,"evt":"llm.token","task":"T1","tok":"lo you"}
{"v":1,"msg":"","lvl":30,"evt":"llm.end","task":"T1","completion":"Hello you"}
{"v":1,"msg":"spawn","lvl":30,"evt":"cmd.start","task":"T1","pid":4011,"argv":["ls"]}
{"v":1,"msg":"exit","lvl":30,"evt":"cmd.exit","task":"T1","pid":4011,"code":0,"output":"a b"}
{"v":1,"msg":"","lvl":30,"evt":"llm.end","task":"T1","completion":"There are a and b."}
{"v":1,"msg":"task done","lvl":30,"evt":"task.done","task":"T1","success":true}
"#;
    let bad = r#"{"v":1,"msg":"agent starting","lvl":30,"evt":"boot","task":"T2"}
{"v":1,"msg":"no key","lvl":50,"evt":"task.done","task":"T2","success":false}
"#;
    let draft = Draft::of(&[good, bad]);
    assert_eq!(draft.messages(0), ["Hello you", "There are a and b."], "{}", draft.text);
    let (ok, failed) = (draft.envelope(0), draft.envelope(1));
    assert_eq!((&ok["status"], tools(&ok)), (&json!("ok"), [1, 1, 0]), "{}", draft.text);
    assert!(failed["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("no key")), "{failed}");
    for question in ["is `msg` the text of a message?", "is it a tool call?", "the id of a session"] {
        assert!(draft.asks(question), "{question}\n{}", draft.text);
    }
}
