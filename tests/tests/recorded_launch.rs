//! The command lines of the recordings: what a request can say, our plan says word for word.

use std::collections::BTreeMap;
use turnline::Profile;
use turnline::launch::{Document, Host, Request, Review, Sandbox, Stdin, plan};
use turnline_tests::conform::corpus::{Recording, recordings};

/// What no request says, and why: an argument of the recorded command line, and the reason. Each must occur.
const UNSAID: &[(&str, &str, &str)] = &[
    ("claude-code", "--permission-mode", "nobody is there to be asked, or a mode that is not offered"),
    ("claude-code", "yaml", "another output format"),
    ("claude-code", "json", "another output format"),
    ("claude-code", "!--output-format", "another output format"),
    ("claude-code", "!--verbose", "a mistake of the caller"),
    ("claude-code", "!value of --resume", "a mistake of the caller"),
    ("codex", "--experimental-json", "an early name of a flag"),
    ("codex", "!--json", "another output format"),
    ("codex", "!--skip-git-repo-check", "it is always given"),
    ("codex", "Reply with pong.", "a prompt as argument makes it read standard input as well"),
    ("codex", "Summarise this.", "as above"),
    ("codex", "-", "standard input needs no word"),
    ("codex", "schema.json", "a file is named by its whole path"),
    ("codex", "exec resume", "flags behind a sub-command"),
    ("codex", "!value of resume", "a mistake of the caller"),
    ("gemini", "!--yolo", "approvals that nobody could give"),
    ("gemini", "json", "another output format"),
    ("gemini", "", "a prompt says something"),
    ("gemini", "--no-such-flag", "a mistake of the caller, before our own arguments"),
    ("gemini", "--", "its option for prompts is the one that is used"),
    ("kimi", "--no-such-flag", "a mistake of the caller, before our own arguments"),
    ("kimi", "", "a prompt says something"),
    ("opencode", "!--", "before 1.0.185 it took no separator"),
    ("opencode", "!--format", "another output format"),
    ("opencode", "", "a prompt says something"),
    ("pi", "--session", "recorded with options of the caller before it; ours come behind"),
    ("pi", "--no-such-flag", "a mistake of the caller, before our own arguments"),
    ("pi", "--", "a prompt that begins with a dash is refused: it would be an option"),
    ("qwen", "--no-such-flag", "a mistake of the caller, before our own arguments"),
    ("qwen", "", "a prompt says something"),
    ("qwen", "json", "another output format"),
    ("qwen", "--", "its option for prompts is the one that is used"),
    ("qwen", "!-p", "as above"),
];

fn planned(recording: &Recording, request: &Request) -> Result<(Vec<String>, Stdin), String> {
    let profile = Profile::builtin(&recording.input.executor).expect("a built-in profile");
    let mut host = Host::default();
    host.current_dir = Some("/home/user/project".into());
    let plan = plan(&profile.spec().launch, profile.command(), request, &host).map_err(|error| error.to_string())?;
    Ok((std::iter::once(plan.program).chain(plan.args).collect(), plan.stdin))
}

/// The request that says what a command line says. Options that it has no name for are handed on as they are.
fn request_of(executor: &str, argv: &[String]) -> Request {
    let mut request = Request::default();
    let mut extra: Vec<String> = Vec::new();
    let ours: &[&str] = match executor {
        "claude-code" => &[
            "--print",
            "--output-format",
            "stream-json",
            "--input-format",
            "--verbose",
            "default",
            "--dangerously-skip-permissions",
            "--permission-mode",
            "--permission-prompt-tool",
            "stdio",
        ],
        "codex" | "codex-legacy" => &["exec", "--json", "--skip-git-repo-check", "-"],
        "opencode" => &["run", "--format", "json", "--"],
        "gemini" => &["--yolo", "--output-format", "stream-json"],
        "qwen" => &["--yolo", "--output-format", "stream-json"],
        "kimi" => &["--output-format", "stream-json"],
        _ => &["--mode", "json"],
    };
    let argument = ["opencode", "kimi", "pi", "gemini", "qwen"].contains(&executor);
    let mut rest = argv[1..].to_vec();
    if argument {
        request.prompt = rest.pop().unwrap_or_default();
        request.via = Some(turnline::launch::Via::Argument);
        if ["--prompt", "-p"].contains(&rest.last().map_or("", String::as_str)) {
            rest.pop();
        }
        if let Some(joined) = request.prompt.strip_prefix("--prompt=") {
            request.prompt = joined.to_owned();
        }
    } else {
        request.prompt = "Say one word.".into();
    }
    let legacy_keep = executor == "claude-code" && !rest.iter().any(|word| word == "--no-session-persistence");
    request.keep_session = legacy_keep;
    let mut words = rest.into_iter().peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_default();
        match (executor, word.as_str()) {
            // There it comes before the caller's own arguments; in the recordings behind one of them.
            ("pi", "--model") => extra.extend([word, value()]),
            (_, "--model") | ("codex" | "codex-legacy" | "gemini", "-m") => request.model = Some(value()),
            ("claude-code", "--no-session-persistence") => {}
            ("claude-code", "--input-format") => request.interactive = true,
            ("claude-code", "--permission-prompt-tool") => request.ask_permissions = true,
            ("claude-code", "--include-partial-messages") => request.partial_messages = true,
            ("claude-code", "--continue") | ("opencode", "--continue") => request = request.resume_last(),
            ("claude-code" | "gemini" | "qwen", "--resume") | ("opencode" | "kimi" | "pi", "--session") => {
                let id = value();
                request = request.resume(id);
            }
            ("opencode", "--fork") => request.fork = true,
            ("claude-code", "--json-schema") => request.output_schema = Some(Document::Text(value())),
            ("claude-code", "--mcp-config") => {
                let config = value();
                let file = config.starts_with('/');
                request.mcp_config = Some(if file { Document::File(config) } else { Document::Text(config) });
            }
            ("codex" | "codex-legacy", "-s") => {
                let mode = value();
                match mode.as_str() {
                    "read-only" => request.sandbox = Some(Sandbox::ReadOnly),
                    "workspace-write" => request.sandbox = Some(Sandbox::WorkspaceWrite),
                    "danger-full-access" => request.sandbox = Some(Sandbox::Full),
                    _ => extra.extend([word, mode]),
                }
            }
            ("codex" | "codex-legacy", "resume") => match value().as_str() {
                "--last" => request = request.resume_last(),
                id => request = request.resume(id),
            },
            ("codex", "review") => (request.prompt, request.review) = (String::new(), Some(Review::Uncommitted)),
            ("codex", "--uncommitted") if request.review.is_some() => {}
            (_, own) if ours.contains(&own) => {}
            _ => extra.push(word),
        }
    }
    request.extra_args = extra;
    request
}

/// Two executors get a prompt as one word with its option, so that it may begin with a dash; recorded are mostly two words.
fn joined(executor: &str, argv: &[String]) -> Vec<String> {
    match argv {
        [rest @ .., option, prompt]
            if ["gemini", "qwen"].contains(&executor) && ["--prompt", "-p"].contains(&&**option) =>
        {
            rest.iter().cloned().chain([format!("--prompt={prompt}")]).collect()
        }
        _ => argv.to_vec(),
    }
}

/// Whether a recorded command line is one that no request makes.
fn unsaid(executor: &str, argv: &[String]) -> Vec<usize> {
    let cli = if executor == "codex-legacy" { "codex" } else { executor };
    let has = |word: &str| argv.iter().any(|argument| argument == word);
    let fits = |what: &str| match what.strip_prefix('!') {
        Some(missing) => match missing.strip_prefix("value of ") {
            Some(option) => {
                let at = argv.iter().position(|argument| argument == option);
                at.is_some_and(|at| argv.get(at + 1).is_none_or(|value| value.is_empty()))
            }
            None => !has(missing) && !argv.iter().any(|argument| argument.starts_with(&format!("{missing}rompt="))),
        },
        None => has(what) || what.split_once(' ').is_some_and(|(a, b)| argv.windows(2).any(|two| two == [a, b])),
    };
    let own = UNSAID.iter().enumerate().filter(|(_, (of, what, _))| *of == cli && fits(what));
    own.map(|(n, _)| n).collect()
}

#[test]
fn a_plan_is_the_recorded_command_line() {
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    let mut used = vec![false; UNSAID.len()];
    let mut wrong = Vec::new();
    for recording in
        ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"].iter().flat_map(|cli| recordings(cli))
    {
        let executor = recording.input.executor.as_str();
        let got = planned(&recording, &request_of(executor, &recording.argv));
        let recorded = joined(executor, &recording.argv);
        let matches = got.as_ref().is_ok_and(|(argv, _)| *argv == recorded);
        if matches {
            *compared.entry(executor.to_owned()).or_default() += 1;
            continue;
        }
        let why = unsaid(executor, &recording.argv);
        why.iter().for_each(|n| used[*n] = true);
        if why.is_empty() {
            wrong.push(format!("{}\n  recorded {:?}\n  planned  {got:?}", recording.name, recording.argv));
        }
    }
    assert!(wrong.is_empty(), "{} command lines:\n{}", wrong.len(), wrong.join("\n"));
    let unused: Vec<_> = UNSAID.iter().zip(&used).filter(|(_, used)| !**used).map(|(reason, _)| reason).collect();
    assert!(unused.is_empty(), "never needed: {unused:?}");
    for (executor, count) in COMPARED {
        assert_eq!(compared.get(*executor), Some(count), "{executor}: {compared:?}");
    }
}

/// How many recorded command lines are made, of each executor.
const COMPARED: &[(&str, usize)] = &[
    ("claude-code", 254),
    ("codex", 289),
    ("codex-legacy", 84),
    ("opencode", 99),
    ("gemini", 18),
    ("qwen", 15),
    ("pi", 13),
    ("kimi", 11),
];
