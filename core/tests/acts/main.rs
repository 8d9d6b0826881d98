//! Which commands are consequential acts, and which only look like it.

mod redacted;
mod table;

use turnline::acts::{ActTable, FoundAct};

/// The acts of a command line, as `kind target`.
fn told(line: &str) -> Vec<String> {
    let found = ActTable::built_in().find(line);
    found.iter().map(|act| format!("{} {}", act.kind, act.target.as_deref().unwrap_or("-"))).collect()
}

fn only(line: &str) -> FoundAct {
    let mut found = ActTable::built_in().find(line);
    assert_eq!(found.len(), 1, "{line}: {found:?}");
    found.remove(0)
}

#[test]
fn a_command_is_shown_as_it_stands_in_its_line() {
    let cases = [
        ("git add . && git push origin main 2>&1 | tail -3", "git push origin main 2>&1"),
        ("bash -lc 'cd x; sudo git push'", "sudo git push"),
        ("(git push) > log", "git push"),
        ("if git push; then echo ok; fi", "git push"),
    ];
    for (line, command) in cases {
        assert_eq!(only(line).command, command, "{line}");
    }
}

#[test]
fn the_number_of_a_pull_request_comes_from_the_output_of_its_own_call() {
    let link = "Creating pull request for x into main in o/r\n\nhttps://github.com/o/r/pull/12\n";
    let cases = [
        ("gh pr create --fill", link, Some("12")),
        ("git push -u origin x && gh pr create --fill", link, Some("12")),
        ("glab mr create --fill", "!7 x\n https://gitlab.com/o/r/-/merge_requests/7", Some("7")),
        ("gh pr merge --squash", "✓ Squashed and merged pull request o/r#31 (A title #4)", Some("31")),
        ("gh pr merge --squash", "✓ Merged pull request #31 (A title)", Some("31")),
        // Two numbers: neither is the one.
        ("gh pr create --fill", "https://github.com/o/r/pull/12 https://github.com/o/r/pull/13", None),
        // The same one twice is one.
        ("gh pr create --fill", "https://github.com/o/r/pull/12 https://github.com/o/r/pull/12", Some("12")),
        // Another command of the same program may have said it.
        ("gh pr view 5; gh pr create --fill", link, None),
        // Its output went elsewhere: what came is another's.
        ("gh pr create --fill > /dev/null; cat notes", link, None),
        ("gh pr create --fill | wc -l", link, None),
        // The command itself says the number: seen in the output it proves nothing.
        ("gh pr create --title x --body 'after https://github.com/o/r/pull/12'", link, None),
        ("gh pr create --title x --body 'after https://github.com/o/r/pull/3'", link, Some("12")),
        ("gh pr create --fill", "https://github.com/o/r/pull/new/x", None),
        ("gh pr create --fill", "https://github.com/o/r/pull/12x", None),
        ("gh pr create --fill", "", None),
        // What the command says counts whatever comes out.
        ("gh pr merge 9 --squash", "✓ Merged pull request #31 (A title)", Some("9")),
    ];
    for (line, output, number) in cases {
        let found = ActTable::built_in().find(line);
        let act = found.iter().find(|act| act.kind.starts_with("pull_request")).unwrap();
        assert_eq!(act.target_in(output).as_deref(), number, "{line}\n{output}");
    }
}

#[test]
fn a_program_that_no_shell_reads() {
    let table = ActTable::built_in();
    let limits = turnline::Limits::default();
    let found = |words: &[&str]| table.find_in_arguments(words.iter().copied(), &limits);
    assert_eq!(found(&["bash", "-lc", "git push origin main"])[0].kind, "push_to_trunk");
    let act = &found(&["git", "push", "origin", "a b; rm -rf /"])[0];
    assert_eq!((&*act.kind, &*act.command), ("push", "git push origin 'a b; rm -rf /'"));
    assert_eq!(found(&["echo", "git", "push"]), []);
    assert_eq!(found(&["echo", "$(git push)"]), []);
}

#[test]
fn a_table_of_ones_own() {
    let table = ActTable::from_toml(
        r#"
        [[acts]]
        kind = "page_sent"
        program = ["pagerctl"]
        words = ["send|fire"]
        options = ["--to"]
        values = ["--to"]
        target = "--to"
        "#,
    )
    .unwrap();
    let found = table.find("pagerctl send --to ops 'it burns'; git push");
    assert_eq!(found.len(), 1);
    assert_eq!((&*found[0].kind, found[0].target.as_deref()), ("page_sent", Some("ops")));
}

#[test]
fn what_is_bounded_is_bounded() {
    let table = ActTable::built_in();
    let mut limits = turnline::Limits::default();
    let many = format!("rm -r {}", "x ".repeat(1000));
    assert_eq!(table.find(&many).len(), limits.acts_of_call);
    limits.command = 20;
    assert_eq!(table.find_within("git push origin aaa", &limits).len(), 1);
    assert_eq!(table.find_within("git push origin aaaaaa", &limits), []);
    limits = turnline::Limits::default();
    limits.act = 12;
    assert_eq!(table.find_within("git push origin aaaaaa", &limits)[0].command, "git push ori");
}

#[test]
fn hostile_lines_end_and_are_linear() {
    let table = ActTable::built_in();
    let deep = [
        "$(",
        "`",
        "\"$(",
        "${",
        "((",
        "$((",
        "( ",
        "{ ",
        "bash -c '",
        "sudo ",
        "case x in ",
        "<<A\n",
        "find -exec ",
        "f() {",
        "\\",
        "'",
        "xargs ",
        "eval ",
        "<(",
        "[[ ",
        "f()",
        "-----BEGIN ",
        "://",
        "a_token ",
    ];
    for piece in deep {
        for line in [piece.repeat(100_000 / piece.len()), format!("{}git push", piece.repeat(5000))] {
            let start = std::time::Instant::now();
            let _ = table.find(&line);
            assert!(start.elapsed().as_secs() < 5, "{piece}: {:?}", start.elapsed());
        }
    }
}

mod any_line {
    use proptest::prelude::*;
    use turnline::acts::ActTable;

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            3 => proptest::sample::select(vec![
                "git push ", "rm -rf ", "-f ", "--force", "'", "\"", "`", "$(", ")", "(", "{ ", "}", "${", "\\", "\n", "<<E\n", "\nE\n",
                "&&", "|", ";;", "case x in ", "esac", "f() {", "for x in ", "do ", "done", "#", "[[ ", " ]]", "((", "))", "$'", "é", "\u{FFFC}",
                "bash -c ", "eval ", "xargs ", "find . -exec ", "\\;", "A=b ", "token=", "://u:p@h", "--", "=", ":", "+", "2>&1", "<(", "<<<",
            ]).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Nothing panics, and whatever is found keeps its bounds.
        #[test]
        fn any_line_is_read(line in pieces()) {
            for act in ActTable::built_in().find(&line) {
                prop_assert!(act.command.len() <= 2 << 10);
                prop_assert!(!act.kind.is_empty());
                let _ = act.target_in(&line);
            }
            let _ = ActTable::built_in().find_in_arguments(line.split(' '), &turnline::Limits::default());
        }

        /// What stands between quotes, in a comment or in a quoted here-document does nothing.
        #[test]
        fn what_is_quoted_does_nothing(line in pieces()) {
            let inside = line.replace('\'', "");
            prop_assert_eq!(ActTable::built_in().find(&format!("echo '{inside}'")), []);
            let body = line.replace("\nE\n", "\n").replace("END", "");
            prop_assert_eq!(ActTable::built_in().find(&format!("cat <<'END'\n{body}\nEND\n")), []);
            prop_assert_eq!(ActTable::built_in().find(&format!("# {}", line.replace('\n', " "))), []);
        }
    }
}
