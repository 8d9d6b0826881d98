//! What is said of a profile that is wrong: all mistakes at once, each with its code, its pointer, and its line and column.

use turnline::Profile;

fn told(error: &turnline::ProfileError) -> Vec<String> {
    let problems = error.problems().iter();
    problems
        .map(|problem| {
            let place = problem.place.map(|place| place.to_string()).unwrap_or_default();
            format!("{place} {} {} | {}", problem.code, problem.pointer, problem.message)
        })
        .collect()
}

fn toml(text: &str) -> Vec<String> {
    told(&Profile::from_toml(text).expect_err(text))
}

fn json(text: &str) -> Vec<String> {
    told(&Profile::from_json(text).expect_err(text))
}

/// Each line of `want` is the beginning of what is told, in order; what stands behind `...` must occur in it too.
fn expect(got: &[String], want: &[&str]) {
    assert_eq!(got.len(), want.len(), "{got:#?}");
    for (got, want) in got.iter().zip(want) {
        let mut parts = want.split(" ... ");
        let begin = parts.next().expect("a part");
        assert!(got.starts_with(begin), "{got}\nis not\n{want}");
        for part in parts {
            assert!(got.contains(part), "{got}\nlacks\n{part}");
        }
    }
}

const HEAD: &str = "id = \"x\"\ncommand = \"x\"\n";

#[test]
fn a_wrong_key_type_or_word_is_told_where_it_stands() {
    // The third line of the file; what stands in it begins at column 1.
    let table: &[(&str, &str)] = &[
        (
            "detect = [{ match = { a = { prefx = \"x\" } } }]",
            "3:29 unknown_field /detect/0/match/a/prefx | ... `prefx` ... prefix, not, present, is, blank, pattern ... did you mean `prefix`?",
        ),
        (
            "detect = [{ match = { a = { is = \"float\" } } }]",
            "3:34 unknown_name /detect/0/match/a/is | `float` ... string, number, bool, array, object, null",
        ),
        (
            "detect = [{ match = { a = { prefix = 3 } } }]",
            "3:38 wrong_type /detect/0/match/a/prefix | the number 3 ... a string",
        ),
        (
            "detect = [{ match = { a = [1, []] } }]",
            "3:31 wrong_type /detect/0/match/a/1 | a list ... a string, a number, `true` or `false`",
        ),
        (
            "detect = [{ match = { a = 1979-05-27 } }]",
            "3:27 wrong_type /detect/0/match/a | the date or time 1979-05-27",
        ),
        ("detect = [{ match = [] }]", "3:21 wrong_type /detect/0/match | a list ... a table"),
        (
            "rules = [{ match = { a = 1 }, emit = [{ event = \"message\", text = 3 }] }]",
            "3:67 wrong_type /rules/0/emit/0/text | the number 3 ... a path (a string)",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ event = \"message\", text = { pth = \"a\" } }] }]",
            "3:69 unknown_field /rules/0/emit/0/text/pth | ... `pth` ... path, map, default, missing ... did you mean `path`?",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ event = \"mesage\", text = \"a\" }] }]",
            "3:49 unknown_name /rules/0/emit/0/event | `mesage` ... did you mean `message`?",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ txt = \"a\", event = \"message\" }] }]",
            "3:41 unknown_field /rules/0/emit/0/txt | ... `txt` ... role, message_id ... did you mean `text`?",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ text = \"a\" }] }]",
            "3:39 missing_field /rules/0/emit/0 | `event` is missing",
        ),
        (
            "rules = [{ match = { a = 1 }, terminal = \"yes\" }]",
            "3:42 wrong_type /rules/0/terminal | the string \"yes\" ... `true`, `false`, a table",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ event = \"message\", text = \"a\", when = [{ a = { presnt = true } }] }] }]",
            "3:88 unknown_field /rules/0/emit/0/when/0/a/presnt | ... did you mean `present`?",
        ),
        ("rules = \"none\"", "3:9 wrong_type /rules | the string \"none\" ... a list"),
        ("framing = \"yaml\"", "3:11 unknown_name /framing | `yaml` is not one of: jsonl, json, text"),
        ("framing = 1", "3:11 wrong_type /framing | the number 1 ... jsonl, json, text"),
        ("tools.kinds.sh = \"exec\"", "3:18 unknown_name /tools/kinds/sh | `exec` ... read, edit ... execute"),
        ("tols = {}", "3:1 unknown_field /tols | ... did you mean `tools`?"),
        (
            "launch.args = [{ when = \"modl\", args = [\"{}\"] }]",
            "3:25 unknown_name /launch/args/0/when | ... did you mean `model`?",
        ),
        ("launch.args = [7]", "3:16 wrong_type /launch/args/0 | the number 7 ... an argument, or a table with `when`"),
        (
            "launch.timers = { idle_ms = -1 }",
            "3:29 wrong_type /launch/timers/idle_ms | the number -1 ... a whole number from 0 on",
        ),
        ("launch.prompt.joined = \"no\"", "3:24 wrong_type /launch/prompt/joined | ... `true` or `false`"),
        (
            "usage = [{ match = { a = 1 }, input = \"i\", scope = \"steps\" }]",
            "3:52 unknown_name /usage/0/scope | ... did you mean `step`?",
        ),
        ("\"a/b\" = 1", "3:1 unknown_field /a~1b | "),
    ];
    for (line, want) in table {
        expect(&toml(&format!("{HEAD}{line}\n")), &[want]);
    }
}

#[test]
fn json_is_told_the_same_way() {
    let table: &[(&str, &str)] = &[
        (
            r#""detect": [{"match": {"é": {"prefx": "x"}}}]"#,
            "2:29 unknown_field /detect/0/match/é/prefx | ... did you mean `prefix`?",
        ),
        (r#""detect": [{"match": {"a": {"is": "float"}}}]"#, "2:35 unknown_name /detect/0/match/a/is | "),
        (
            r#""rules": [{"match": {"a": 1}, "emit": [{"text": 3, "event": "message"}]}]"#,
            "2:49 wrong_type /rules/0/emit/0/text | the number 3",
        ),
        (r#""rules": [null]"#, "2:11 wrong_type /rules/0 | `null` ... a table of these keys: match, agent"),
        (r#""tools": {"kinds": {"sh": "exec"}}"#, "2:27 unknown_name /tools/kinds/sh | "),
        (r#""title": "a", "title": "b""#, "2:15 syntax  | duplicate key `title`"),
        (r#""title": nul"#, "2:13 syntax  | expected ident"),
        (r#""title": "\ud800""#, "2:17 syntax  | unexpected end of hex escape"),
    ];
    for (line, want) in table {
        expect(&json(&format!("{{\"id\": \"x\", \"command\": \"x\",\n{line}\n}}")), &[want]);
    }
}

#[test]
fn independent_mistakes_are_told_together_in_the_order_of_the_file() {
    let got = toml(
        "id = 7\ncommand = \"x\"\nanswer = \"lastmessage\"\n\n[[rules]]\nmatch = { a = { is = \"text\" } }\nowes = 3\n\n\
         [[rules]]\nmatch = { b = 1 }\nemit = [\n  { event = \"mesage\" },\n  { event = \"message\", txt = \"a\", text = \"b..c\" },\n]\n\n\
         [[classes]]\nclass = \"netwrk\"\nlabels = [\"E\"]\n\n[tools.kinds]\nsh = \"exec\"\n",
    );
    expect(
        &got,
        &[
            "1:6 wrong_type /id | the number 7 stands where a string is expected",
            "3:10 unknown_name /answer | `lastmessage` ... did you mean `last_message`?",
            "6:22 unknown_name /rules/0/match/a/is | `text`",
            "7:8 wrong_type /rules/0/owes | the number 3",
            "12:13 unknown_name /rules/1/emit/0/event | ... did you mean `message`?",
            "13:24 unknown_field /rules/1/emit/1/txt | ... did you mean `text`?",
            // Its own number in the file, though the emit before it was left out of the reading.
            "13:35 bad_path /rules/1/emit/1/text | ",
            "17:1 unknown_name /classes/0/class | ... did you mean `network`?",
            "21:6 unknown_name /tools/kinds/sh | ",
        ],
    );
}

#[test]
fn what_an_entry_is_nothing_without_is_missing() {
    expect(
        &toml(&format!(
            "{HEAD}[[notices]]\nseverity = \"bad\"\n[[classes]]\nlabels = [\"E\"]\n[[stderr]]\n[[stderr]]\n"
        )),
        &[
            "3:1 missing_field /notices/0/pattern | a `pattern` is needed",
            "4:1 unknown_name /notices/0/severity | `bad`",
            "5:1 missing_field /classes/0/class | a `class` is needed",
            "7:1 missing_field /stderr/0/pattern",
            "8:1 missing_field /stderr/1/pattern",
        ],
    );
    expect(
        &toml(&format!("{HEAD}notices = [{{ pattern = \"{{x}}\", severity = \"bad\" }}]\n")),
        &["3:14 bad_pattern /notices/0/pattern", "3:31 unknown_name /notices/0/severity"],
    );
}

#[test]
fn a_word_that_is_wrong_hides_nothing_beside_it() {
    let entry = "usage = [{ match = { a = 1 }, scope = \"steps\", required = [[\"output\"]], inside = { input = \"input\" }, input = \"i\" }]";
    expect(
        &toml(&format!("{HEAD}{entry}\n")),
        &[
            "3:39 unknown_name /usage/0/scope",
            "3:60 contradiction /usage/0/required/0",
            "3:84 contradiction /usage/0/inside/input",
        ],
    );
    // A counter that is wrong is not read for want of nothing but its path.
    let entry = "usage = [{ match = { a = 1 }, required = [[\"output\"]], output = 3, input = \"i\" }]";
    expect(&toml(&format!("{HEAD}{entry}\n")), &["3:65 wrong_type /usage/0/output"]);
}

#[test]
fn what_only_follows_from_a_mistake_is_not_told() {
    // Without its `terminal` the rule keeps no promise, and without its conditions it would take all records.
    let text = format!(
        "{HEAD}terminal = \"always\"\n[[rules]]\nmatch = {{ a = {{ prefx = \"x\" }} }}\nterminal = \"yes\"\n[[rules]]\nmatch = {{ b = 1 }}\n"
    );
    expect(&toml(&text), &["5:17 unknown_field /rules/0/match/a/prefx", "6:12 wrong_type /rules/0/terminal"]);
    // A key that is missing because it is written wrongly.
    expect(&toml("id = \"x\"\ncomand = \"x\"\n"), &["2:1 unknown_field /comand | ... did you mean `command`?"]);
    expect(
        &toml("di = \"x\"\ntols = {}\n"),
        &["1:1 unknown_field /di", "1:1 empty_command /command", "2:1 unknown_field /tols"],
    );
    let text = format!("{HEAD}stderr = [{{ patern = \"x\" }}]\nclasses = [{{ clas = \"auth\", labels = [\"E\"] }}]\n");
    expect(&toml(&text), &["3:13 unknown_field /stderr/0/patern", "4:14 unknown_field /classes/0/clas"]);
    // What lacks nothing but that is told.
    let text = format!("{HEAD}tols = {{}}\n[[rules]]\nmatch = {{ a = 1 }}\nemit = [{{ event = \"tool_call\" }}]\n");
    expect(
        &toml(&text),
        &["3:1 unknown_field /tols", "6:9 missing_field /rules/0/emit/0 | a `tool_call` needs `name`"],
    );
}

#[test]
fn texts_that_are_no_profile_at_all() {
    let many = format!("{HEAD}{}", (0..200).map(|n| format!("k{n} = 1\n")).collect::<String>());
    let got = toml(&many);
    assert_eq!(got.len(), 50, "the number of mistakes that are told is bounded");
    assert!(got[49].starts_with("52:1 unknown_field /k49 "), "{}", got[49]);
    expect(&toml(""), &["1:1 empty_id /id", "1:1 empty_command /command"]);
    expect(&toml("\u{feff}id = \"x\"\r\ncommand = 1\r\n"), &["2:11 wrong_type /command | the number 1"]);
    assert!(Profile::from_json("\u{feff}{\"id\":\"x\",\"command\":\"x\"}").is_ok());
    expect(&toml("id = \"a\"\nid = \"b\"\nx = = 1\n"), &["2:1 syntax  | duplicate key `id`", "3:5 syntax  | "]);
    expect(&toml("{\"id\": \"x\"}"), &["1:1 syntax  | this is JSON, not TOML"]);
    expect(&json("id = \"x\"\n"), &["1:1 syntax  | this is TOML, not JSON"]);
    expect(&json(""), &["1:1 syntax  | EOF"]);
    expect(&json("[1]"), &["1:1 wrong_type  | a list stands where a table of these keys"]);
    expect(&json("\0\u{1}\u{fffd}"), &["1:1 syntax  | expected value"]);
    let deep = format!("{{\"input\":{}", "[".repeat(100_000));
    expect(&json(&deep), &["1:100009 syntax  | EOF"]);
    expect(&json(&format!("{deep}{}}}", "]".repeat(100_000))), &["1:90 syntax  | it is over 80 levels deep"]);
    let deep = format!("input = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    expect(&toml(&deep), &["1:89 syntax  | "]);
    expect(&toml(&"#".repeat((4 << 20) + 1)), &["1:1 syntax  | it has over 4194304 bytes"]);
}

#[test]
fn what_has_no_effect_or_cannot_hold_together_is_refused() {
    let table: &[(&str, &str)] = &[
        ("[rename.fields]\na = \"b\"", "3:2 bad_rename /rename"),
        ("terminal = \"when_owed\"\nrules = [{ match = { a = 1 }, terminal = true }]", "3:1 contradiction /terminal"),
        ("framing = \"text\"\nrecord_type = [\"a\"]", "4:1 misplaced /record_type"),
        ("record_type = [\"a\", \"b\", \"a\"]", "3:26 no_effect /record_type/2"),
        ("detect = [{ match = { a = 1 } }, { match = { a = 1 } }]", "3:34 no_effect /detect/1"),
        ("detect = [{ match = { a = { present = false, prefix = \"x\" } } }]", "3:23 contradiction /detect/0/match/a"),
        ("detect = [{ match = { a = { is = \"number\", pattern = \"#\" } } }]", "3:23 contradiction /detect/0/match/a"),
        ("detect = [{ match = { a = { is = \"null\", present = true } } }]", "3:23 contradiction /detect/0/match/a"),
        ("rules = [{ match = { a = 1 }, answer = \"b\" }]", "3:31 no_effect /rules/0/answer"),
        (
            "rules = [{ match = { a = [1, 2] }, emit = [{ event = \"turn_started\", when = [{ b = 1 }, { a = 3 }] }] }]",
            "3:91 contradiction /rules/0/emit/0/when/1/a",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ event = \"turn_ended\" }, { event = \"turn_ended\", stop_reason = \"=error\" }] }]",
            "3:65 unreachable_rule /rules/0/emit/1",
        ),
        (
            "rules = [{ match = { a = 1 }, emit = [{ event = \"each\", of = \"l[]\", ignore = [\"x\"], emit = [{ event = \"turn_started\" }] }] }]",
            "3:69 no_effect /rules/0/emit/0/ignore",
        ),
        (
            "usage = [{ match = { a = 1 }, input = \"i\", required = [[\"input\"], [\"total\"]] }]",
            "3:67 contradiction /usage/0/required/1",
        ),
        (
            "usage = [{ match = { a = 1 }, input = \"i\", inside = { output = \"input\" } }]",
            "3:55 no_effect /usage/0/inside/output",
        ),
        (
            "usage = [{ match = { a = 1 }, input = \"i\", inside = { input = \"input\" } }]",
            "3:55 contradiction /usage/0/inside/input",
        ),
        ("usage = [{ match = { a = 1 }, input = \"i\", cost_mode = \"delta\" }]", "3:44 no_effect /usage/0/cost_mode"),
        (
            "notices = [{ pattern = \"a\" }, { pattern = \"b\" }, { pattern = \"a\" }]",
            "3:52 unreachable_rule /notices/2/pattern",
        ),
        ("stderr = [{ pattern = \"a\" }, { pattern = \"a\" }]", "3:32 unreachable_rule /stderr/1/pattern"),
        // A bare `*` takes everything; `**` is one.
        ("stderr = [{ pattern = \"**\" }, { pattern = \"a\" }]", "3:33 unreachable_rule /stderr/1/pattern"),
        ("notices = [{ pattern = \"a**b\" }, { pattern = \"a*b\" }]", "3:36 unreachable_rule /notices/1/pattern"),
        (
            "classes = [{ class = \"auth\", patterns = [\"*boo*\"] }, { class = \"quota\", patterns = [\"*no*\", \"*BOO*\"] }]",
            "3:93 unreachable_rule /classes/1/patterns/1",
        ),
        (
            "classes = [{ class = \"auth\", patterns = [\"*\"] }, { class = \"quota\", labels = [\"E\"], patterns = [\"a\"] }]",
            "3:97 unreachable_rule /classes/1/patterns/0",
        ),
        ("detect = [{ match = { a = { not = [] } } }]", "3:29 empty_condition /detect/0/match/a/not"),
        (
            "classes = [{ class = \"auth\", labels = [\"E\"] }, { class = \"quota\", labels = [\"F\", \"E\"] }]",
            "3:82 unreachable_rule /classes/1/labels/1",
        ),
        ("tools = { kinds = { sh = \"read\" }, commands = { sh = \"line\" } }", "3:49 no_effect /tools/commands/sh"),
    ];
    for (lines, want) in table {
        expect(&toml(&format!("{HEAD}{lines}\n")), &[want]);
    }
    let circle = "usage = [{ match = { a = 1 }, input = \"i\", output = \"o\", total = \"t\", inside = { input = \"output\", output = \"input\", total = \"input\" } }]";
    expect(
        &toml(&format!("{HEAD}{circle}\n")),
        &["3:82 contradiction /usage/0/inside/input", "3:100 contradiction /usage/0/inside/output"],
    );
}

#[test]
fn names_that_the_checks_find_are_told_where_they_stand() {
    let rule = |emit: &str| format!("{HEAD}rules = [{{ match = {{ a = 1 }}, emit = [\n{emit}] }}]\n");
    expect(
        &toml(&rule(
            "{ event = \"notice\", message = \"m\", severity = { path = \"l\", map = { a = \"info\", b = \"eror\" }, default = \"bad\" } }",
        )),
        &[
            "4:81 unknown_name /rules/0/emit/0/severity/map/b | `eror` ... did you mean `error`?",
            "4:95 unknown_name /rules/0/emit/0/severity/default | `bad`",
        ],
    );
    expect(
        &toml(&rule("{ event = \"tool_call\", name = \"n\", kind = \"=exec\" }")),
        &["4:36 unknown_name /rules/0/emit/0/kind | `exec`"],
    );
    expect(
        &toml(&rule("{ event = \"plan\", entries = { each = \"l[]\", contents = \"c\" } }")),
        &["4:45 unknown_field /rules/0/emit/0/entries/contents | ... did you mean `content`?"],
    );
}

#[test]
fn data_from_elsewhere_reads_the_same_in_any_order() {
    // Whoever reads the type itself, from a format that keeps no order, gets it too, and a sentence for what is wrong.
    let spec: turnline::ProfileSpec = serde_json::from_str(
        r#"{"id":"x","rules":[{"match":{"a":[1,"b",true]},"emit":[{"delta":true,"text":["a","b"],"event":"message"}]}]}"#,
    )
    .expect("a spec");
    let text = serde_json::to_string(&spec).expect("JSON");
    assert_eq!(serde_json::from_str::<turnline::ProfileSpec>(&text).expect("the same"), spec);
    let error = serde_json::from_str::<turnline::ProfileSpec>(r#"{"rules":[{"emit":[{"text":3,"event":"message"}]}]}"#);
    assert!(error.expect_err("wrong").to_string().contains("a path (a string)"));
}
