//! Wrong usage: told with a reason, before anything is done, and with tips that are right.

mod common;

use common::{CLAUDE, turnline};
use std::io::Write as _;

#[cfg(unix)]
#[test]
fn the_tip_for_a_prompt_with_a_dash_works() {
    for given in ["-x", "--thing", "-5"] {
        let ran = turnline(&["run", "--executor", "raw", "--program", "cat", given], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{given}");
        let tip = format!("'--prompt={given}'");
        assert!(ran.stderr.contains(&tip) && !ran.stderr.contains("as a value"), "{given}: {}", ran.stderr);
        for said in [&[&*format!("--prompt={given}")][..], &["--prompt", given]] {
            let ran = turnline(&[&["run", "--executor", "raw", "--program", "cat"], said].concat(), "");
            assert_eq!((ran.code, &ran.envelope()["result"]), (0, &given.into()), "{said:?}: {}", ran.stderr);
        }
    }
    // Where a dash means nothing else, the parser's own tip is right.
    let ran = turnline(&["parse", "-x"], "");
    assert!(ran.stderr.contains("-- -x") && !ran.stderr.contains("prompt"), "{}", ran.stderr);
}

#[test]
fn a_number_that_is_too_small_is_told_as_one() {
    for (args, words) in [
        (&["run", "--timeout", "-1", "x"][..], "seconds over 0"),
        (&["parse", "--chunk-size", "-1"], "--chunk-size"),
        (&["parse", "--max-line", "-1"], "--max-line"),
        (&["parse", "--signal", "-9"], "over 0"),
    ] {
        let ran = turnline(args, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        let told = ran.stderr.contains("invalid value") && ran.stderr.contains(words);
        assert!(told && !ran.stderr.contains("tip:"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_command_instead_of_an_id_is_told_the_id() {
    for args in
        [&["parse", "--executor", "claude"][..], &["profile", "show", "claude"], &["profile", "check", "claude"]]
    {
        let ran = turnline(args, CLAUDE);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("did you mean 'claude-code'?"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn standard_input_is_one_thing() {
    for args in [
        &["parse", "--profile", "-"][..],
        &["parse", "--stderr", "-"],
        &["parse", "--stderr", "-", "-"],
        &["run", "--profile", "-", "-"],
        &["profile", "check", "-", "-"],
        &["profile", "new", "-", "-"],
    ] {
        let ran = turnline(args, CLAUDE);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("standard input") && ran.stderr.contains(args[0]), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_folder_without_a_stream_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("inside")).expect("made");
    std::fs::write(folder.path().join("inside/run.json"), CLAUDE).expect("written");
    let path = folder.path().to_str().expect("a path");
    for args in [&["profile", "check", "auto", path][..], &["profile", "check", "codex", path, "--markdown"]] {
        let ran = turnline(args, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("no stream") && ran.stderr.contains(path), "{}", ran.stderr);
    }
}

#[test]
fn what_cannot_be_read_is_found_before_anything_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("a path");
    let missing = format!("{folder}/none.txt");
    let mut stream = tempfile::NamedTempFile::new().expect("a file");
    stream.write_all(CLAUDE.repeat(2000).as_bytes()).expect("written");
    let stream = stream.path().to_str().expect("a path");
    for args in [
        &["parse", "--stderr", &*missing, stream][..],
        &["parse", "--stderr", folder, stream],
        &["parse", "--stderr", &*missing, "--chunk-size", "7", stream],
        &["parse", "--stderr", &*missing, "--executor", "auto", stream],
        &["profile", "check", "claude-code", stream, &*missing],
    ] {
        let ran = turnline(args, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("cannot read") && ran.stderr.contains(folder), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn markdown_is_for_single_streams_too() {
    let mut stream = tempfile::NamedTempFile::new().expect("a file");
    stream.write_all(format!("{CLAUDE}{{\"type\":\"odd\"}}\n").as_bytes()).expect("written");
    let path = stream.path().to_str().expect("a path");
    let ran = turnline(&["profile", "check", "claude-code", path, path, "--markdown"], "");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let row = format!("| {path} | claude-code | 1 | 0 | 4 | 1 | 0 |\n");
    let unmapped = format!("| {path} | claude-code | `odd` | 1 | `{path}:4` |\n");
    assert_eq!((ran.stdout.matches(&row).count(), ran.stdout.matches(&unmapped).count()), (2, 2), "{}", ran.stdout);
    assert!(
        ran.stdout.starts_with("| runs |") && ran.stdout.contains("|\n\n| runs | read as | streams"),
        "{}",
        ran.stdout
    );
    let ran = turnline(&["profile", "check", "claude-code", "--markdown"], "");
    assert!(ran.code == 2 && ran.stderr.contains("STREAM"), "{}", ran.stderr);
}
