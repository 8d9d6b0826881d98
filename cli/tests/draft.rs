//! `turnline profile new`, `parse --explain`, and the coverage that the documentation shows.

mod common;

use common::{CODEX, turnline};
use std::path::Path;

const GOOD: &str = r#"{"op":"hello","sess":{"uid":"w-7f2"},"wren":"3.1","engine":"owl-2"}
{"op":"bit","mid":"m1","s":"Let me "}
{"op":"bit","mid":"m1","s":"look."}
{"op":"say","mid":"m1","parts":[{"k":"prose","s":"Let me look."},{"k":"use","ref":"u1","tool":"shell","with":{"cmd":"ls"}}]}
{"op":"ret","ref":"u1","good":true,"out":"README.md"}
{"op":"meter","in":100,"in_cached":20,"out":10}
{"op":"say","mid":"m2","parts":[{"k":"prose","s":"There is a README."}]}
{"op":"meter","in":250,"in_cached":120,"out":30}
{"op":"bye","state":"fine"}
"#;

const BAD: &str = r#"{"op":"hello","sess":{"uid":"w-7f3"},"wren":"3.1","engine":"owl-2"}
{"op":"say","mid":"m1","parts":[{"k":"prose","s":"Trying that."},{"k":"use","ref":"u9","tool":"shell","with":{"cmd":"false"}}]}
{"op":"ret","ref":"u9","good":false,"out":"exit 1"}
{"op":"oops","text":"The model is overloaded."}
{"op":"bye","state":"burnt","why":"The model is overloaded."}
"#;

fn draft(streams: &[&str]) -> (tempfile::TempDir, String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut args = vec!["profile".to_owned(), "new".to_owned(), "--id".to_owned(), "wren".to_owned()];
    let mut paths = Vec::new();
    for (n, stream) in streams.iter().enumerate() {
        let path = folder.path().join(format!("{n}.jsonl"));
        std::fs::write(&path, stream).expect("written");
        paths.push(path.to_str().expect("a path").to_owned());
    }
    args.extend(paths.iter().cloned());
    let ran = turnline(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let file = folder.path().join("wren.toml");
    std::fs::write(&file, &ran.stdout).expect("written");
    (folder, ran.stdout, paths)
}

#[test]
fn a_draft_of_an_unknown_cli_reads_nearly_all_of_it() {
    let (folder, text, paths) = draft(&[GOOD, BAD]);
    let file = folder.path().join("wren.toml");
    let file = file.to_str().expect("a path");
    let ran = turnline(&["parse", "--profile", file, "--output", "jsonl", &paths[0]], "");
    let lines = ran.json();
    let envelope = ran.envelope();
    assert_eq!(envelope["result"], "There is a README.", "{text}\n{}", ran.stdout);
    assert_eq!((&envelope["session_id"], &envelope["status"]), (&"w-7f2".into(), &"ok".into()));
    assert_eq!(envelope["usage"]["output"], 30, "running totals: {text}");
    assert_eq!((&envelope["tools"]["completed"], &envelope["unmapped_types"]), (&1.into(), &serde_json::json!({})));
    let deltas = lines.iter().filter(|line| line["type"] == "message" && line["delta"] == true).count();
    assert_eq!(deltas, 2, "{text}");
    let ran = turnline(&["parse", "--profile", file, "--output", "jsonl", &paths[1]], "");
    let envelope = ran.envelope();
    assert_eq!((&envelope["status"], &envelope["tools"]["failed"]), (&"failed".into(), &1.into()), "{text}");
    assert!(
        envelope["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("The model is overloaded."))
    );
}

#[test]
fn a_draft_says_what_it_could_not_decide_and_always_passes_the_check() {
    for stream in [
        "",
        "plain text\n",
        "{\"a\":1}\n{\"b\":2}\n",
        "{\"type\":\"x\",\"odd \\\"key\\\"\":{\"a.b\":\"c\\u0007d e\"}}\n{\"type\":\"y\\\"\\n\",\"n\":[{\"type\":\"q\",\"text\":\"a b\"}]}\n",
        "{\"type\":\"a\",\"kind\":\"one\"}\n{\"type\":\"a\"}\n{\"type\":\"a\",\"kind\":\"two\"}\n",
        CODEX,
        common::CLAUDE,
        common::OPENCODE,
    ] {
        let (folder, text, _) = draft(&[stream]);
        let file = folder.path().join("wren.toml");
        let ran = turnline(&["profile", "check", file.to_str().expect("a path")], "");
        assert_eq!(ran.code, 0, "{}\n{text}", ran.stdout);
        assert!(text.contains("NOT DECIDED"), "{text}");
    }
}

#[test]
fn reasons_come_before_the_envelope() {
    let ran = turnline(&["parse", "--executor", "codex", "--output", "jsonl", "--envelope-only", "--explain"], CODEX);
    let lines = ran.json();
    assert_eq!(ran.envelope()["status"], "ok");
    let reasons = &lines[..lines.len() - 1];
    assert!(reasons.iter().all(|line| line["type"] == "explanation" && line["message"].is_string()), "{}", ran.stdout);
    assert!(reasons.iter().any(|line| line["topic"] == "result" && line["line"] == 5), "{}", ran.stdout);
    let ran = turnline(&["parse", "--executor", "codex", "--output", "text", "--envelope-only", "--explain"], CODEX);
    assert!(
        ran.stdout.lines().any(|line| line.starts_with("why usage") && line.contains("input 11, output 22")),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_coverage_in_the_documentation_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let (streams, doc) = (root.join("tests/corpora/streams"), root.join("docs/coverage.md"));
    let ran = turnline(&["profile", "check", "auto", streams.to_str().expect("a path"), "--markdown"], "");
    let doc = std::fs::read_to_string(doc).expect("docs/coverage.md");
    assert!(doc.ends_with(&ran.stdout), "docs/coverage.md says how it is made; it should end with\n{}", ran.stdout);
}
