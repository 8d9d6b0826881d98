//! `turnline executors` and `turnline profile`.

mod common;

use common::{CODEX, turnline};
use std::io::Write as _;

fn file(suffix: &str, content: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a file");
    file.write_all(content.as_bytes()).expect("written");
    file
}

fn check(file: &tempfile::NamedTempFile, streams: &[&tempfile::NamedTempFile]) -> common::Ran {
    let paths = std::iter::once(file).chain(streams.iter().copied()).map(|file| file.path().to_str().expect("a path"));
    let args: Vec<&str> = ["profile", "check"].into_iter().chain(paths).collect();
    turnline(&args, "")
}

const SMALL: &str = r#"
id = "small"
command = "small"
record_type = ["kind"]
answer = "last_message"

[[rules]]
match = { kind = "say" }
emit = [{ event = "message", text = "words" }]
"#;

#[test]
fn executors_are_listed_with_their_default() {
    let ran = turnline(&["executors"], "");
    assert_eq!(ran.code, 0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("ID"), "{}", ran.stdout);
    for id in ["codex", "codex-legacy", "opencode", "raw"] {
        assert!(lines.iter().any(|line| line.split_whitespace().next() == Some(id)), "{id}");
    }
    let defaults: Vec<_> = lines.iter().filter(|line| line.contains("(default)")).collect();
    assert!(matches!(defaults[..], [line] if line.starts_with("claude-code ")), "{defaults:?}");
}

#[test]
fn executors_as_json() {
    let ran = turnline(&["executors", "--json"], "");
    assert_eq!(ran.code, 0);
    let list: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let claude = list.as_array().expect("an array").iter().find(|one| one["id"] == "claude-code").expect("the default");
    assert_eq!((&claude["command"], &claude["default"]), (&"claude".into(), &true.into()));
    assert!(claude["title"].is_string() && claude["measured"].is_array());
    assert_eq!(list.as_array().expect("an array").iter().filter(|one| one["default"] == true).count(), 1);
}

#[test]
fn a_built_in_profile_shown_is_a_file_that_passes_the_check() {
    let list = turnline(&["executors", "--json"], "").stdout;
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    for id in list.as_array().expect("an array").iter().map(|one| one["id"].as_str().expect("an id")) {
        let ran = turnline(&["profile", "show", id], "");
        assert_eq!(ran.code, 0, "{id}");
        let ran = check(&file(".toml", &ran.stdout), &[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{id}: {}", ran.stdout);
        assert!(ran.stdout.starts_with(&format!("ok: '{id}'")), "{}", ran.stdout);
    }
    let ran = turnline(&["profile", "show", "nobody"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("executor_not_found") && ran.stderr.contains("opencode"), "{}", ran.stderr);
}

#[test]
fn a_check_from_standard_input() {
    let source = turnline(&["profile", "show", "opencode"], "").stdout;
    assert_eq!(turnline(&["profile", "check", "-"], source).code, 0);
}

#[test]
fn each_problem_is_a_line_with_place_code_and_pointer() {
    let profile = file(".toml", &SMALL.replace("id = \"small\"", "id = \"\"").replace("\"words\"", "\"\""));
    let ran = check(&profile, &[]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let path = profile.path().to_str().expect("a path");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        lines[0].starts_with(&format!("{path}:2:1: empty_id: ")) && lines[0].ends_with("(at /id)"),
        "{}",
        ran.stdout
    );
    let text = format!("{path}:9:30: empty_path: ");
    assert!(
        lines.iter().any(|line| line.starts_with(&text) && line.ends_with("(at /rules/0/emit/0/text)")),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_problem_is_one_line_whatever_stands_in_a_key() {
    let profile = file(".toml", "id = \"x\"\ncommand = \"x\"\n\"a\\nb\\u001b[2J\\u202ec\" = 1\n");
    let ran = check(&profile, &[]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1), "{}", ran.stdout);
    assert!(
        ran.stdout.contains(":3:1: unknown_field: there is no key `a\\nb\\u001b[2J\\u202ec` here"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with("(at /a\\nb\\u001b[2J\\u202ec)\n"), "{}", ran.stdout);
}

#[test]
fn a_syntax_error_says_line_and_column() {
    let ran = check(&file(".toml", "id = \"x\"\ncommand = = 1\n"), &[]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.lines().next().is_some_and(|line| line.contains(".toml:2:11: syntax: ")), "{}", ran.stdout);
    let ran = check(&file(".json", "{\"id\": \"x\",\n oops}"), &[]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains(".json:2:2: syntax: "), "{}", ran.stdout);
}

#[test]
fn a_profile_extends_a_file_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("a path").to_owned()
    };
    write("base.toml", SMALL);
    let fork = write("fork.toml", "extends = \"base.toml\"\nid = \"fork\"\n[rename.fields]\nwords = \"said\"\n");
    let stream = write("run.jsonl", "{\"kind\":\"say\",\"said\":\"aye\"}\n");
    let ran = turnline(&["parse", "--profile", &fork, "--output", "jsonl", &stream], "");
    assert_eq!(ran.envelope()["result"], "aye", "{}{}", ran.stdout, ran.stderr);
    let circle = write("circle.toml", "extends = \"./circle.toml\"\nid = \"c\"\n");
    let ran = turnline(&["profile", "check", &circle], "");
    assert!(ran.code == 1 && ran.stdout.contains("circle.toml:1:1: extends: "), "{}", ran.stdout);
    let lost = write("lost.toml", "extends = \"./none.toml\"\nid = \"l\"\n");
    let ran = turnline(&["profile", "check", &lost], "");
    assert!(ran.code == 1 && ran.stdout.contains("none.toml"), "{}", ran.stdout);
}

#[test]
fn the_executor_is_recognised() {
    for (id, stream) in [("codex", CODEX), ("claude-code", common::CLAUDE), ("opencode", common::OPENCODE)] {
        let ran = turnline(&["parse", "--executor", "auto", "--output", "jsonl"], format!("noise\n{stream}"));
        let named = turnline(&["parse", "--executor", id, "--output", "jsonl"], format!("noise\n{stream}"));
        assert_eq!((ran.code, &ran.stdout), (0, &named.stdout), "{id}: {}", ran.stderr);
    }
    let ran = turnline(&["parse", "--executor", "auto"], "{\"a\":1}\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("executor_unknown") && ran.stderr.contains("gemini"), "{}", ran.stderr);
    let ran = turnline(&["parse", "--executor", "auto"], "{\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n");
    assert!(ran.code == 2 && ran.stderr.contains("executor_ambiguous"), "{}", ran.stderr);
}

#[test]
fn a_folder_is_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("tool/1.0/one", CODEX),
        (
            "tool/1.0/two",
            "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"brand.new\"}\n{\"type\":\"brand.new\"}\n",
        ),
        ("tool/1.0/three", "no record\n"),
        ("other/2.0/one", common::OPENCODE),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).expect("made");
        std::fs::write(path.join("stdout.jsonl"), text).expect("written");
    }
    let path = folder.path().to_str().expect("a path");
    let ran = turnline(&["profile", "check", "auto", path, "--markdown"], "");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let want = "| runs | read as | streams | without records | records | unmapped | malformed lines |\n\
        | --- | --- | ---: | ---: | ---: | ---: | ---: |\n\
        | other/2.0 | opencode | 1 | 0 | 3 | 0 | 0 |\n\
        | tool/1.0 | codex | 3 | 1 | 9 | 2 | 0 |\n\
        \n\
        | runs | read as | unmapped type | count | first at |\n\
        | --- | --- | --- | ---: | --- |\n\
        | tool/1.0 | codex | `brand.new` | 2 | `tool/1.0/two/stdout.jsonl:2` |\n";
    assert_eq!(ran.stdout, want);
    let ran = turnline(&["profile", "check", "codex", path], "");
    assert!(
        ran.stdout.contains("UNMAPPED  tool/1.0  codex  brand.new  2  tool/1.0/two/stdout.jsonl:2"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_stream_is_reported_by_record_type() {
    let stream = file(
        ".jsonl",
        "{\"kind\":\"say\",\"words\":\"a\"}\n{\"kind\":\"odd\"}\nnoise\n{\"kind\":\"odd\"}\n{\"kind\":\"say\",\"words\":\"b\"}\n",
    );
    let ran = check(&file(".toml", SMALL), &[&stream]);
    assert_eq!(ran.code, 1, "unmapped records are told by the exit status: {}", ran.stdout);
    let row = |begin: &str| {
        let line = ran.stdout.lines().find(|line| line.trim_start().starts_with(begin));
        line.unwrap_or_else(|| panic!("{begin}: {}", ran.stdout)).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("mapped"), "mapped say 2 message 2");
    assert_eq!(row("added"), "added turn_ended 1, turn_started 1");
    assert_eq!(row("answer"), "answer b");
    assert_eq!(row("UNMAPPED"), "UNMAPPED odd 2 first on line 2");
    assert!(ran.stdout.contains("5 lines, 4 records, 2 unmapped, 1 malformed lines"), "{}", ran.stdout);
    assert!(ran.stdout.contains("ok  small"), "{}", ran.stdout);

    let known = check(&file(".toml", SMALL), &[&file(".jsonl", "{\"kind\":\"say\",\"words\":\"a\"}\n")]);
    assert_eq!(known.code, 0, "{}", known.stdout);
    let codex = turnline(&["profile", "show", "codex"], "").stdout;
    assert_eq!(check(&file(".toml", &codex), &[&file(".jsonl", CODEX)]).code, 0);
}

#[test]
fn a_rule_that_does_nothing_is_told() {
    let profile = file(
        ".toml",
        "id = \"x\"\ncommand = \"x\"\nrecord_type = [\"t\"]\n\
         [[rules]]\nmatch = { t = \"s\" }\nemit = [{ event = \"session_started\", session_id = \"sidd\" }]\n\
         [[rules]]\nmatch = { t = \"q\" }\n\
         [[rules]]\nmatch = { t = \"say\" }\nemit = [{ event = \"message\", text = \"bodyy\" }]\n\
         [[rules]]\nmatch = { t = \"some\" }\nemit = [{ event = \"message\", text = \"body\" }]\n\
         [[rules]]\nmatch = { t = \"c\" }\nemit = [{ event = \"tool_call\", name = \"nme\", tool_call_id = \"id\" }]\n",
    );
    let stream = file(
        ".jsonl",
        "{\"t\":\"s\",\"a\":1}\n{\"t\":\"q\"}\n{\"t\":\"say\",\"body\":\"a\"}\n{\"t\":\"some\",\"body\":\"\"}\n{\"t\":\"some\",\"body\":\"b\"}\n\
         {\"t\":\"c\",\"id\":\"1\",\"name\":\"sh\"}\n{\"t\":\"q\"}\n",
    );
    let ran = check(&profile, &[&stream]);
    assert_eq!(ran.code, 0, "every record is mapped: {}", ran.stdout);
    let lines: Vec<String> =
        ran.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for want in [
        "mapped s 1 to nothing; first on line 1",
        "mapped q 2 to nothing; first on line 2",
        "mapped say 1 message 1; text of message always empty",
        "mapped some 2 message 2",
        "mapped c 1 tool_call 1; name of tool_call always empty",
    ] {
        assert!(lines.iter().any(|line| line == want), "{want}: {}", ran.stdout);
    }
}

#[test]
fn unreadable_files_are_two() {
    let ran = turnline(&["profile", "check", "/no/such/file"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("/no/such/file"));
    let profile = file(".toml", SMALL);
    let ran = turnline(&["profile", "check", profile.path().to_str().expect("a path"), "/no/such/stream"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("/no/such/stream"));
}
