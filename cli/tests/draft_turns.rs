//! What drafts make of endings, thoughts, errors and figures by the rest of the stream, whatever they are called.

mod common;

use common::draft::Draft;
use serde_json::json;

#[test]
fn what_only_failed_runs_say_is_their_reason_whatever_its_name() {
    let good = r#"{"frame":"boot","run_key":"zk-100"}
{"frame":"utterance","text":"Hello there."}
{"frame":"halt","verdict":"succeeded"}
"#;
    for name in ["wherefore", "message", "text", "explanation", "detail", "cause"] {
        let bad = format!(
            r#"{{"frame":"boot","run_key":"zk-101"}}
{{"frame":"utterance","text":"Hello again."}}
{{"frame":"halt","verdict":"crashed","{name}":"credit balance is too low"}}
"#
        );
        let draft = Draft::of(&[good, &bad]);
        assert_eq!(draft.messages(1), ["Hello again."], "{}", draft.text);
        assert_eq!((&draft.envelope(0)["status"], &draft.envelope(0)["terminal"]), (&json!("ok"), &json!(true)));
        assert_eq!(draft.envelope(1)["status"], "failed", "{}", draft.text);
        assert_eq!(draft.events_of(1, "turn_ended")[0]["error"]["message"], "credit balance is too low");
    }
}

#[test]
fn what_is_last_in_every_stream_ends_it_though_all_runs_failed() {
    let bad = |n: u8| {
        format!(
            r#"{{"frame":"boot","run_key":"zk-{n}"}}
{{"frame":"utterance","text":"Hello again {n}."}}
{{"frame":"halt","verdict":"crashed","text":"credit balance is too low {n}"}}
"#
        )
    };
    let draft = Draft::of(&[bad(1), bad(2)]);
    assert_eq!(draft.messages(0), ["Hello again 1."], "{}", draft.text);
    assert_eq!(draft.envelope(1)["status"], "failed", "{}", draft.text);
    assert_eq!(draft.events_of(1, "turn_ended")[0]["error"]["message"], "credit balance is too low 2");
}

#[test]
fn a_text_that_is_last_in_every_stream_is_the_answer_and_asked_about() {
    let stream = |n: u8| {
        format!(
            r#"{{"type":"init","session_id":"s{n}"}}
{{"type":"note","text":"Looking at it."}}
{{"type":"reply","text":"Here it is {n}."}}
"#
        )
    };
    let draft = Draft::of(&[stream(1), stream(2)]);
    assert_eq!(draft.envelope(1)["result"], "Here it is 2.", "{}", draft.text);
    assert!(draft.asks("`text` is taken for the answer"), "{}", draft.text);
}

/// Two turns, of which nothing begins the second.
const TURNS: &str = r#"{"frame":"boot","run_key":"zk-1"}
{"frame":"chunk","piece":"First "}
{"frame":"utterance","text":"First answer."}
{"frame":"halt","verdict":"succeeded"}
{"frame":"chunk","piece":"Second "}
{"frame":"chunk","piece":"answer."}
{"frame":"utterance","text":"Second answer."}
{"frame":"halt","verdict":"succeeded"}
"#;

#[test]
fn a_second_turn_that_nothing_begins_hides_no_ending() {
    let one = r#"{"frame":"boot","run_key":"zk-2"}
{"frame":"chunk","piece":"Other "}
{"frame":"utterance","text":"Other answer."}
{"frame":"halt","verdict":"succeeded"}
"#;
    // The second turn was interrupted.
    let cut: String = TURNS.replace("zk-1", "zk-3").lines().take(6).map(|line| format!("{line}\n")).collect();
    for streams in [vec![TURNS, one], vec![TURNS], vec![one, TURNS, &cut]] {
        let draft = Draft::of(&streams);
        let two = streams.iter().position(|stream| *stream == TURNS).expect("it is there");
        assert_eq!(draft.events_of(two, "turn_ended").len(), 2, "{}", draft.text);
        assert_eq!(draft.envelope(two)["terminal"], true, "{}", draft.text);
        assert_eq!(draft.envelope(two)["result"], "Second answer.", "{}", draft.text);
    }
}

#[test]
fn what_comes_behind_each_text_or_goes_on_with_results_ends_no_turn() {
    let meter = r#"{"frame":"boot","run_key":"zk-1"}
{"frame":"utterance","text":"First answer."}
{"frame":"gauge","tokens_in":1,"tokens_out":2}
{"frame":"utterance","text":"Second answer."}
{"frame":"gauge","tokens_in":5,"tokens_out":9}
"#;
    let step = r#"{"frame":"boot","run_key":"zk-1"}
{"frame":"utterance","text":"I will look."}
{"frame":"call","id":"c1","name":"ls","args":{"p":"."}}
{"frame":"gauge","state":"ok"}
{"frame":"back","id":"c1","output":"a b"}
{"frame":"utterance","text":"There are two."}
{"frame":"gauge","state":"ok"}
"#;
    for stream in [meter, step] {
        let draft = Draft::of(&[stream]);
        assert!(draft.asks("no type of record ends every stream"), "{}", draft.text);
    }
}

#[test]
fn a_text_beside_the_answer_that_is_no_part_of_it_is_a_thought() {
    let stream = |pieces: &str| {
        format!(
            r#"{{"frame":"boot","run_key":"zk-100"}}
{pieces}{{"frame":"utterance","key":"q1","blocks":[{{"sort":"aside","body":"Greet the user."}},{{"sort":"words","body":"Hello there, friend."}}]}}
{{"frame":"halt","verdict":"succeeded"}}
"#
        )
    };
    let pieces = "{\"frame\":\"chunk\",\"key\":\"q1\",\"piece\":\"Hello \"}\n{\"frame\":\"chunk\",\"key\":\"q1\",\"piece\":\"there, friend.\"}\n";
    let draft = Draft::of(&[stream(pieces)]);
    assert_eq!(draft.messages(0), ["Hello there, friend."], "{}", draft.text);
    assert_eq!(draft.events_of(0, "reasoning")[0]["text"], "Greet the user.", "{}", draft.text);
    // Nothing shows which of them is the answer.
    let draft = Draft::of(&[stream(""), stream("").replace("zk-100", "zk-101")]);
    assert_eq!(draft.messages(0).len(), 2, "{}", draft.text);
    assert!(draft.asks("is it a thought?"), "{}", draft.text);
}

#[test]
fn the_record_that_opens_a_session_says_no_message() {
    let open = r#"{"phase":"open","meta":{"thread":"th-1"},"text":"Zed CLI 2.0 is ready to serve you"}"#;
    let good = format!(
        r#"{open}
{{"phase":"bot","parcel":{{"id":"p1","items":[{{"form":"plain","val":"There is a README here."}}]}}}}
{{"phase":"close","result":"There is a README here.","error":null}}
"#
    );
    let bad = |error: &str| format!("{open}\n{{\"phase\":\"close\",\"result\":null,\"error\":{error}}}\n");
    let bad = [r#"{"message":"rate limit reached","code":429}"#, r#"{"message":"rate limit reached"}"#].map(bad);
    let draft = Draft::of(&[&good, &bad[0], &bad[1]]);
    assert_eq!(draft.messages(0), ["There is a README here."], "{}", draft.text);
    assert!(draft.asks("is `text` the text of a message?"), "{}", draft.text);
    // One error has a code, the other has none.
    assert_eq!(draft.envelope(0)["status"], "ok", "{}", draft.text);
    for stream in [1, 2] {
        assert_eq!(draft.envelope(stream)["status"], "failed", "{}", draft.text);
        assert_eq!(draft.events_of(stream, "turn_ended")[0]["error"]["message"], "rate limit reached");
    }
}

#[test]
fn an_exit_code_is_told_too() {
    let stream = r#"{"type":"open","session_id":"s1"}
{"type":"call","call_id":"c1","name":"sh","args":{"cmd":"make"}}
{"type":"ret","call_id":"c1","exitCode":2,"output":"no rule"}
{"type":"end","ok":true}
"#;
    let draft = Draft::of(&[stream]);
    let update = &draft.events_of(0, "tool_call_update")[0];
    assert_eq!((&update["exit_code"], &update["status"]), (&json!(2), &json!("failed")), "{}", draft.text);
}

#[test]
fn tokens_in_and_out_are_counted_whatever_their_names() {
    for (input, output) in [
        ("tokensIn", "tokensOut"),
        ("tokens_in", "tokens_out"),
        ("inTok", "outTok"),
        ("promptTokens", "completionTokens"),
        ("prompt_toks", "reply_toks"),
    ] {
        // A type that only what stands in the records shows.
        let stream = format!(
            r#"{{"ev":"runOpened","d":{{"convoId":"cv-1","appVersion":"5.2.0"}},"at":1}}
{{"ev":"say","d":{{"sayId":"s1","isPartial":true,"content":"Hi"}},"at":2}}
{{"ev":"say","d":{{"sayId":"s1","isPartial":false,"content":"Hi, how are you?"}},"at":3}}
{{"ev":"stepDone","d":{{"stepNo":1,"spend":{{"{input}":30,"{output}":7,"cacheHits":5}}}},"at":4}}
{{"ev":"outcome","d":{{"success":true,"tookMs":1200}},"at":5}}
"#
        );
        let draft = Draft::of(&[stream]);
        let envelope = draft.envelope(0);
        let usage = &envelope["usage"];
        let told = (&usage["input"], &usage["output"], &usage["cache_read"]);
        assert_eq!(told, (&json!(30), &json!(7), &json!(5)), "{input}\n{}", draft.text);
        assert_eq!(draft.messages(0), ["Hi, how are you?"], "{}", draft.text);
        assert_eq!(draft.events_of(0, "turn_ended").len(), 1, "{}", draft.text);
    }
}

#[test]
fn each_of_a_few_records_may_be_of_another_type() {
    let stream = r#"{"frame":"boot","run_key":"zk-101"}
{"frame":"utterance","text":"Hello again."}
{"frame":"trouble","kindOf":"quota","explanation":"no more of it today"}
{"frame":"halt","success":false}
"#;
    let draft = Draft::of(&[stream]);
    assert_eq!(draft.messages(0), ["Hello again."], "{}", draft.text);
    let failed = draft.envelope(0);
    assert_eq!((&failed["status"], &failed["terminal"]), (&json!("failed"), &json!(true)), "{}", draft.text);
    assert!(failed["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("no more of it today")));
}

#[test]
fn bytes_in_and_out_are_no_tokens() {
    let stream = r#"{"type":"open","session_id":"s1"}
{"type":"say","text":"Hi, how are you?"}
{"type":"end","ok":true,"bytes_in":3,"bytes_out":4}
"#;
    let draft = Draft::of(&[stream]);
    assert!(draft.asks("count of tokens"), "{}", draft.text);
}
