//! Nothing that an executor prints may break a run: one table a kind of hostile bytes, with what must come of each row.
//! What comes before and after the bytes is read as if they were not there.

use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::input::Input;
use turnline_tests::conform::sandwich::{Middle, sketch};
use turnline_tests::conform::{check, suite};

/// A good record, and the text that it says.
const GOOD: &str = r#"{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":"good"}}"#;

/// A record whose text is these bytes as they stand.
fn saying(inner: impl AsRef<[u8]>) -> Vec<u8> {
    let head = br#"{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":""#;
    [head.as_slice(), inner.as_ref(), b"\"}}"].concat()
}

fn all(rows: Vec<Middle>) {
    suite::all(
        &rows,
        |row| String::from_utf8_lossy(&row.bytes).chars().take(120).collect(),
        |row, diff| row.check(diff),
    );
}

#[test]
fn good_lines_between_good_lines() {
    let spaced =
        r#" { "type" : "item.completed" , "item" : { "id":"item_5" , "type" : "agent_message","text":"good"}} "#;
    let late = r#"{"item":{"text":"good","type":"agent_message","id":"item_5"},"type":"item.completed"}"#;
    let escaped =
        r#"{"\u0074ype":"item\u002ecompleted","i\u0074em":{"id":"item_5","type":"agent_message","te\u0078t":"good"}}"#;
    let empty_keys =
        r#"{"":1,"type":"item.completed","":{},"item":{"":"","id":"item_5","type":"agent_message","text":"good"}}"#;
    all([GOOD, spaced, late, escaped, empty_keys].map(|line| Middle::message(line, "good")).into());
}

#[test]
fn strings_are_decoded_and_repaired() {
    let kept: &[(&[u8], &str)] = &[
        (b"", ""),
        ("é中😀".as_bytes(), "é中😀"),
        (br"\u00e9\u4e2d\ud83d\ude00", "é中😀"),
        (br#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (br"a\u0000b", "a\u{0}b"),
        (b"a\x7fb", "a\u{7f}b"),
        // None of these ends a line.
        ("a\u{2028}b\u{2029}c\u{85}d".as_bytes(), "a\u{2028}b\u{2029}c\u{85}d"),
        (br"\\ud83d", "\\ud83d"),
        ("\u{FEFF}".as_bytes(), "\u{FEFF}"),
        (b"{\\\"type\\\":\\\"error\\\"}", "{\"type\":\"error\"}"),
        (br"\u001b[31mred\u001b[0m", "\u{1b}[31mred\u{1b}[0m"),
    ];
    let repaired: &[(&[u8], &str)] = &[
        (b"a\xffb", "a\u{FFFD}b"),
        (b"\x80", "\u{FFFD}"),
        (b"caf\xe9", "caf\u{FFFD}"),
        // A character that lost its tail is one replacement.
        (b"\xe4\xb8", "\u{FFFD}"),
        (b"a\xf0\x9f\x98z", "a\u{FFFD}z"),
        // Overlong forms and encoded surrogates are no characters.
        (b"\xc0\xaf", "\u{FFFD}\u{FFFD}"),
        (b"\xed\xa0\xbd", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (br"a\ud83d", "a\u{FFFD}"),
        (br"\ude00a", "\u{FFFD}a"),
        (br"\ud83d\ud83d\ude00", "\u{FFFD}😀"),
        (br"\ude00\ud83d", "\u{FFFD}\u{FFFD}"),
        (br"\ud83d\u0041", "\u{FFFD}A"),
        (br"\uD83D\n", "\u{FFFD}\n"),
        (b"\xff\\ud83d", "\u{FFFD}\u{FFFD}"),
    ];
    let kept = kept.iter().map(|(inner, text)| Middle::message(saying(inner), text));
    let repaired = repaired.iter().map(|(inner, text)| Middle { repaired: 1, ..Middle::message(saying(inner), text) });
    all(kept.chain(repaired).collect());
}

#[test]
fn damage_where_nobody_looks_is_repaired_too() {
    let rows: [&[u8]; 3] = [
        b"{\"type\":\"item.completed\",\"x\":\"\xff\",\"item\":{\"id\":\"item_5\",\"type\":\"agent_message\",\"text\":\"good\"}}",
        br#"{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":"good","x":["\ud83d"]}}"#,
        br#"{"type":"item.completed","x":{"\udead":1},"item":{"id":"item_5","type":"agent_message","text":"good"}}"#,
    ];
    all(rows.map(|line| Middle { repaired: 1, ..Middle::message(line, "good") }).into());
}

#[test]
fn lines_that_are_not_json() {
    let good = GOOD;
    let mut rows: Vec<Vec<u8>> = [
        "plain words",
        "{",
        "}",
        "]",
        "[",
        "\"",
        "nul",
        "True",
        "NaN",
        "-",
        "01",
        "+1",
        ".5",
        "1.",
        "1e",
        "{}}",
        "x{}",
        "{'a':1}",
        "{a:1}",
        r#"{"a":1,}"#,
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a" "b"}"#,
        r#"{"a":1 "b":2}"#,
        r#"{,}"#,
        r#"{"a":tru}"#,
        r#"{"a":01}"#,
        r#"{"a":-}"#,
        r#"{"a":1.}"#,
        r#"{"a":.5}"#,
        r#"{"a":1e}"#,
        r#"{"a":0x10}"#,
        r#"{"a":[1,]}"#,
        r#"{"a":[1 2]}"#,
        r#"{"a":[}"#,
        r#"{"a":[1}"#,
        r#"{"a":{]}"#,
        r#"{"a":"b}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12"}"#,
        r#"{"a":"\u12g4"}"#,
        r#"{"a":"\"#,
        r#"{"a\":1}"#,
        "[1,2",
        "[{}",
        r#"[{"a":1},"#,
        "[1,]",
        "data: {}",
        "42 words",
        "\"a\" b",
        "{\"a\":1// no\n".trim_end(),
        "\u{FEFF}{}",
        "\u{a0}",
        "\u{2028}",
        "\u{b}",
        "\u{c}",
        "\u{0}",
        "\u{0}\u{0}\u{0}",
        "\u{0}{}",
        "\u{7f}",
        "\u{8}",
        "[debug] {not json} [1]",
        "event: x",
    ]
    .map(|line| line.as_bytes().to_vec())
    .into();
    // A control character in a string must be escaped.
    rows.extend([b'\0', 1, b'\t', 0x0b, 0x0c, b'\r', 0x1b, 0x1f].map(|control| saying([b'a', control, b'b'])));
    rows.extend([b"\xff\xfe".to_vec(), b"\xff{}".to_vec(), b"\xef\xbb{}".to_vec()]);
    // A record that lost its end, wherever.
    rows.extend((1..good.len()).map(|end| good.as_bytes()[..end].to_vec()));
    let rows = rows.into_iter().filter(|row| row != b"{}}");
    all(rows.map(Middle::malformed).collect());
}

#[test]
fn json_that_holds_no_record() {
    let rows =
        ["[]", "42", "-1.5e3", "\"x\"", "null", "true", " false ", "[1,2]", "[[{}]]", "[null]", "\"{}\"", "1e999"];
    all(rows.map(Middle::non_object).into());
}

#[test]
fn records_that_no_profile_knows() {
    let rows = [
        "{}",
        r#"{"a":1}"#,
        r#"{"type":"future.event"}"#,
        r#"{"type":5}"#,
        r#"{"type":null}"#,
        r#"{"type":["turn.started"]}"#,
        r#"{"type":""}"#,
        r#"{"type":"TURN.STARTED"}"#,
        r#"{"type":"turn.started\u0000"}"#,
        r#"{"Type":"turn.started"}"#,
        r#"{"x":{"type":"turn.started"}}"#,
    ];
    all(rows.map(Middle::unmapped).into());
}

#[test]
fn several_records_and_what_follows_them() {
    let two = Middle { records: 2, ..Middle::line(format!("{GOOD}{GOOD}")) };
    let two = two.event("message good").event("message good");
    let spaced = Middle { bytes: format!("{GOOD} \t\r {GOOD}\n").into(), ..two.clone() };
    let array = Middle { bytes: format!("[{GOOD},{GOOD}]\n").into(), ..two.clone() };
    let arrays = Middle { bytes: format!("[{GOOD}] [{GOOD}]\n").into(), ..two.clone() };
    let mut rows = vec![two, spaced, array, arrays];
    // A bare CR, U+2028, VT and FF do not end a line; only the CR is white space.
    for rest in
        ["xyz", "{", "}", ",", r#"{"type":"turn.st"#, "\u{2028}{}", "\u{b}{}", "\u{c}", "\u{85}", "\u{0}", "[1,"]
    {
        rows.push(Middle { malformed: 1, ..Middle::message(format!("{GOOD}{rest}"), "good") }.event("raw malformed"));
    }
    let both = Middle { records: 2, malformed: 1, ..Middle::line(format!("{GOOD}{GOOD}{{\"cut")) };
    rows.push(both.event("message good").event("message good").event("raw malformed"));
    all(rows);
}

/// An array of records and other values: nothing is lost and nothing is malformed; whether the records are read is open.
#[test]
fn an_array_of_records_and_other_values() {
    let row = Middle::line(format!("[{GOOD},1]"));
    let mut diff = Diff::new();
    let Some((_, reading)) = read_leniently(&row.input(), &mut diff) else { panic!("no profile") };
    assert_eq!(reading.envelope["status"], "ok");
    assert_eq!(reading.envelope["result"], "after");
    assert_eq!(reading.envelope["stream"]["malformed_lines"], 0);
    assert_eq!(reading.envelope["stream"]["non_object"], 1);
}

fn read_leniently(
    input: &Input,
    diff: &mut Diff,
) -> Option<(turnline::Profile, turnline_tests::conform::reading::Reading)> {
    check::at_once(input, diff, |_, _| ())
}

#[test]
fn line_ends_and_blank_lines() {
    let rows = [
        Middle::message(format!("{GOOD}\r"), "good"),
        Middle::message(format!("{GOOD}\r\r"), "good"),
        Middle::message(format!("\r{GOOD}"), "good"),
        Middle::message(format!("\t {GOOD} \t"), "good"),
        Middle::line(""),
        Middle::line("\r"),
        Middle::line(" \t\r \r"),
        Middle { bytes: b"\n\r\n\n \n\t\n".to_vec(), lines: 5, ..Middle::default() },
    ];
    all(rows.into());
}

#[test]
fn terminal_escapes_around_a_record() {
    let around = [
        format!("\x1b[32m{GOOD}\x1b[0m"),
        format!("\x1b[2K\x1b[1G{GOOD}"),
        format!("{GOOD}\x1b[0m"),
        format!(" \x1b[?25l {GOOD} \x1b[?25h "),
        format!("\x1b]0;a title\x07{GOOD}"),
        format!("\x1b]8;;http://example.com\x1b\\{GOOD}\x1b]8;;\x1b\\"),
        format!("\x1b[38;5;12m\x1b[1m{GOOD}\x1b[22;39m\r"),
    ];
    let mut rows: Vec<Middle> = around.map(|line| Middle { repaired: 1, ..Middle::message(line, "good") }).into();
    rows.extend(["\x1b[31mError\x1b[0m: x", "\x1b[32m{\"cut", "\x1b[0m}"].map(Middle::malformed));
    // An escape inside a string is a control character there.
    rows.push(Middle::malformed(saying("a\x1b[0mb")));
    all(rows);
}

/// A line of nothing but escapes is blank; whether it counts as repaired is open.
#[test]
fn a_line_of_escapes_is_blank() {
    for line in ["\x1b[0m", "\x1b[2K\x1b[1G\r", " \x1b]0;title\x07 "] {
        let mut diff = Diff::new();
        let (_, reading) = read_leniently(&Middle::line(line).input(), &mut diff).expect("a profile");
        let stream = &reading.envelope["stream"];
        assert_eq!((&stream["malformed_lines"], &stream["records"]), (&0.into(), &5.into()), "{line:?}");
        assert_eq!(reading.events.len() as u64, events_without_a_middle(), "{line:?}");
    }
}

fn events_without_a_middle() -> u64 {
    let (_, reading) = read_leniently(&Middle::default().input(), &mut Diff::new()).expect("a profile");
    reading.events.len() as u64
}

#[test]
fn the_last_of_two_equal_keys_wins() {
    let item =
        |inner: &str| format!(r#"{{"type":"item.completed","item":{{"id":"item_5","type":"agent_message",{inner}}}}}"#);
    let mut rows = vec![
        Middle::message(item(r#""text":"first","text":"good""#), "good"),
        Middle::message(item(r#""text":"first","te\u0078t":"good""#), "good"),
        Middle::message(item(r#""text":{"text":"first"},"text":"good""#), "good"),
        Middle::message(GOOD.replacen('{', r#"{"type":"turn.failed","error":{"message":"no"},"#, 1), "good"),
        Middle::message(
            GOOD.replacen(r#""item":"#, r#""item":{"id":"x","type":"error","message":"no"},"item":"#, 1),
            "good",
        ),
        Middle::message(GOOD.replacen(r#""item":"#, r#""item":7,"item":"#, 1), "good"),
        Middle::unmapped(GOOD.replacen('{', r#"{"item":null,"#, 1).replace("good\"}}", "good\"},\"type\":\"x\"}")),
    ];
    // The second object replaces the first: what only the first one had is gone.
    let output = concat!(
        r#"{"type":"item.completed","item":{"id":"item_5","type":"command_execution","command":"ls","aggregated_output":"old","#,
        r#""exit_code":0,"status":"completed"},"item":{"id":"item_5","type":"agent_message","text":"good"}}"#
    );
    rows.push(Middle::message(output, "good"));
    all(rows);
}

#[test]
fn numbers_out_of_their_fields_range_are_absent() {
    let rows: [(&str, Option<i64>); 16] = [
        ("0", Some(0)),
        ("7", Some(7)),
        ("-3", Some(-3)),
        ("2147483648", Some(2_147_483_648)),
        ("1.5", None),
        ("1e999", None),
        ("-1e999", None),
        ("99999999999999999999", None),
        ("-99999999999999999999", None),
        ("0.000001", None),
        ("null", None),
        ("true", None),
        ("[7]", None),
        ("{}", None),
        ("1e-400", None),
        ("123456789012345678901234567890123456789012345678901234567890", None),
    ];
    for (number, want) in rows {
        let line = format!(
            r#"{{"type":"item.completed","item":{{"id":"item_5","type":"command_execution","command":"ls","aggregated_output":"x","exit_code":{number},"status":"completed"}}}}"#
        );
        let mut diff = Diff::new();
        let row = Middle::line(line);
        let (_, reading) = read_leniently(&row.input(), &mut diff).expect("a profile");
        assert_eq!(diff.into_vec(), Vec::<String>::new(), "{number}");
        let update = reading.events.iter().find(|e| sketch(e).starts_with("tool_call_update")).expect("an update");
        assert_eq!(update["exit_code"].as_i64(), want, "{number}: {update}");
        assert_eq!(reading.envelope["result"], "after");
    }
}

#[test]
fn a_bill_with_a_bad_number_is_no_bill() {
    let rows: [(&str, Option<u64>); 14] = [
        ("10", Some(10)),
        ("0", Some(0)),
        ("9007199254740993", Some(9_007_199_254_740_993)),
        ("-1", None),
        ("1.5", None),
        ("1e999", None),
        ("18446744073709551616", None),
        ("null", None),
        ("\"10\"", None),
        ("true", None),
        ("[10]", None),
        ("{\"n\":10}", None),
        ("-1e999", None),
        ("1e400", None),
    ];
    for (number, want) in rows {
        let stream = format!(
            "{}\n{}\n{GOOD}\n{}\n",
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"{"type":"turn.started"}"#,
            format_args!(
                r#"{{"type":"turn.completed","usage":{{"input_tokens":{number},"cached_input_tokens":0,"output_tokens":3}}}}"#
            ),
        );
        let mut diff = Diff::new();
        let (_, reading) = read_leniently(&Input::clean("codex", stream), &mut diff).expect("a profile");
        assert_eq!(diff.into_vec(), Vec::<String>::new(), "{number}");
        assert_eq!(reading.envelope["status"], "ok", "{number}");
        assert_eq!(reading.envelope["result"], "good", "{number}");
        assert_eq!(reading.envelope["usage"]["input"].as_u64(), want, "{number}");
        assert_eq!(reading.envelope["usage"].is_null(), want.is_none(), "{number}");
    }
}
