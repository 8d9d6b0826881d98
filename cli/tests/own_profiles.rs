//! `--executor auto` with profiles of the user's own, in `parse`, `run` and `profile check`.

mod common;

use common::{CODEX, turnline};
use std::path::Path;

/// A profile of its own words.
const WREN: &str = r#"
id = "wren"
command = "wren"
record_type = ["op"]
answer = "last_message"

[[detect]]
match = { op = "hello" }

[[rules]]
match = { op = "hello" }

[[rules]]
match = { op = "say" }
emit = [{ event = "message", text = "words" }]

[launch]
args = [{ when = "extra" }]

[launch.prompt]
via = ["argument"]
"#;

const SAID: &str = "noise\n{\"op\":\"hello\"}\n{\"op\":\"say\",\"words\":\"aye\"}\n";

/// A fork of a built-in one, told from it by a word of the same record.
const FORK: &str = "extends = \"codex\"\nid = \"fork\"\ncommand = \"fork\"\n\
    [[detect]]\nmatch = { type = \"thread.started\", fork = { present = true } }\n";

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("a path").to_owned()
    }
}

/// What it is read as, and the answer.
fn read_as(profiles: &[&str], stream: &str) -> (String, String) {
    let files = profiles.iter().flat_map(|file| ["--profile", file]);
    let args: Vec<&str> = ["parse", "--executor", "auto", "--output", "jsonl"].into_iter().chain(files).collect();
    let ran = turnline(&args, stream);
    assert_eq!(ran.stderr, "");
    let envelope = ran.envelope();
    (envelope["executor"].as_str().expect("an id").to_owned(), envelope["result"].as_str().unwrap_or("").to_owned())
}

#[test]
fn a_stream_is_one_of_the_users_own_or_a_built_in_ones() {
    let files = Files::new();
    let (wren, fork) = (files.write("wren.toml", WREN), files.write("fork.toml", FORK));
    let both = [&*wren, &*fork];
    let is = |id: &str, answer: &str| (id.to_owned(), answer.to_owned());
    assert_eq!(read_as(&both, SAID), is("wren", "aye"));
    assert_eq!(read_as(&both, CODEX), is("codex", "All done."));
    // Both know its first record: the user's own is meant.
    let forked = CODEX.replacen("\"t-1\"", "\"t-1\",\"fork\":1", 1);
    assert_eq!(read_as(&both, &forked), is("fork", "All done."));
    // Its own id is the user's to take.
    let own = files.write("codex.toml", &FORK.replace("\"fork\"", "\"codex\"").replace("fork = ", "thread_id = "));
    assert_eq!(read_as(&[&own], CODEX), is("codex", "All done."));
}

#[test]
fn what_is_nobodys_says_what_helps() {
    let files = Files::new();
    let wren = files.write("wren.toml", WREN);
    let stranger = "{\"a\":1}\n";
    for (stream, words) in [(stranger, "known are: wren, claude-code"), ("", "is empty"), ("text\n", "held no record")]
    {
        let ran = turnline(&["parse", "--executor", "auto", "--profile", &wren], stream);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        for words in ["executor_unknown", "--profile", words] {
            assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        }
        assert_eq!(ran.stderr.contains("known are"), stream == stranger, "{}", ran.stderr);
    }
}

#[test]
fn profiles_that_cannot_be_chosen_from_are_refused() {
    let files = Files::new();
    let wren = files.write("wren.toml", WREN);
    let blind = files.write("blind.toml", &WREN.replace("[[detect]]\nmatch = { op = \"hello\" }\n", ""));
    let wrong = files.write("wrong.toml", "id = 1\n");
    for (args, words) in [
        (&["--executor", "auto", "--profile", &*blind][..], "[[detect]]"),
        (&["--executor", "auto", "--profile", &*wrong], "profile_invalid"),
        (&["--executor", "auto", "--profile", &*wren, "--profile", &*wren], "'wren'"),
        (&["--executor", "codex", "--profile", &*wren], "unless ID is 'auto'"),
        (&["--profile", &*wren, "--profile", &*blind], "--executor auto"),
        (&["--profile", "-"], "standard input"),
        (&["--stderr", "-"], "standard input"),
    ] {
        let ran = turnline(&[&["parse"], args].concat(), SAID);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_check_reads_each_stream_with_the_profile_that_it_is_of() {
    let files = Files::new();
    let wren = files.write("wren.toml", WREN);
    let (own, built_in) = (files.write("a.jsonl", SAID), files.write("b.jsonl", CODEX));
    let folder = files.0.path().to_str().expect("a path");
    let ran = turnline(&["profile", "check", "auto", "--profile", &wren, folder], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("wren ") && ran.stdout.contains("codex "), "{}", ran.stdout);
    let ran = turnline(&["profile", "check", "auto", &own, &built_in], "");
    assert!(
        ran.code == 1 && ran.stdout.contains("executor_unknown") && ran.stdout.contains("--profile"),
        "{}",
        ran.stdout
    );
    let ran = turnline(&["profile", "check", "codex", "--profile", &wren, &own], "");
    assert!(ran.code == 2 && ran.stderr.contains("'auto'"), "{}", ran.stderr);
}

/// A program that says its name's part of the matter.
#[cfg(unix)]
fn program(folder: &Path, name: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join(name);
    std::fs::write(&path, "#!/bin/sh\necho '{\"op\":\"hello\"}'\necho '{\"op\":\"say\",\"words\":\"aye\"}'\n")
        .expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

#[cfg(unix)]
#[test]
fn a_run_starts_the_users_own_before_a_built_in_one() {
    let files = Files::new();
    let wren = files.write("wren.toml", WREN);
    let run = |path: &Path, args: &[&str]| {
        let mut command = common::command(&[&["run", "--executor", "auto", "--profile", &wren], args].concat());
        common::finish(command.env("PATH", path), b"")
    };
    let installed = tempfile::tempdir().expect("a folder");
    let ran = run(installed.path(), &["x"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("executor_not_found") && ran.stderr.contains("wren"),
        "{}",
        ran.stderr
    );
    for name in ["wren", "codex", "claude"] {
        program(installed.path(), name);
    }
    for args in [&["x"][..], &["--program", installed.path().join("wren").to_str().expect("a path"), "x"]] {
        let ran = run(installed.path(), args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        let envelope = ran.envelope();
        assert_eq!((&envelope["executor"], &envelope["result"]), (&"wren".into(), &"aye".into()));
    }
}
