//! Launch tables themselves: what a profile may say.

use turnline::Profile;
use turnline::launch::LaunchSpec;

#[test]
fn tables_that_are_refused() {
    let rows = [
        (r#"{"args": ["a", ""]}"#, "launch_empty", "/args/1"),
        (r#"{"args": [{"when": "model", "args": [""]}]}"#, "launch_empty", "/args/0/args/0"),
        (r#"{"args": [{"when": "model", "args": ["-m"]}]}"#, "launch_value", "/args/0/args"),
        (r#"{"args": [{"when": "resume"}]}"#, "launch_value", "/args/0"),
        (r#"{"args": [{"when": "partial", "args": ["{}"]}]}"#, "launch_value", "/args/0/args"),
        (
            r#"{"args": [{"when": "model", "args": ["{}"], "otherwise": ["{}"]}]}"#,
            "launch_value",
            "/args/0/otherwise/0",
        ),
        (r#"{"args": [{"when": "extra", "args": ["x"]}]}"#, "launch_argument", "/args/0"),
        (r#"{"args": [{"when": "extra"}, {"when": "extra"}]}"#, "launch_duplicate", "/args"),
        (r#"{"args": [{"when": "model", "args": ["{}"], "takes": "file"}]}"#, "launch_takes", "/args/0/takes"),
        (r#"{"args": [{"when": "ask", "args": ["x"]}]}"#, "launch_ask", "/args"),
        (r#"{"args": ["a\u0000"]}"#, "launch_argument", "/args/0"),
        (r#"{"prompt": {"via": []}}"#, "launch_empty", "/prompt/via"),
        (r#"{"prompt": {"via": ["stdin", "stdin"]}}"#, "launch_duplicate", "/prompt/via/1"),
        (r#"{"prompt": {"separator": "--"}}"#, "launch_prompt", "/prompt/separator"),
        (r#"{"prompt": {"via": ["argument"], "separator": ""}}"#, "launch_empty", "/prompt/separator"),
        (r#"{"prompt": {"via": ["argument"], "flag": ""}}"#, "launch_empty", "/prompt/flag"),
        (r#"{"prompt": {"via": ["argument"], "joined": true}}"#, "launch_prompt", "/prompt/joined"),
        (r#"{"prompt": {"via": ["argument"], "flag": "-p", "separator": "--"}}"#, "launch_prompt", "/prompt/separator"),
        (r#"{"prompt": {"via": ["argument"], "refuse": [""]}}"#, "launch_empty", "/prompt/refuse/0"),
        (r#"{"prompt": {"limit": 0}}"#, "launch_prompt", "/prompt/limit"),
        (r#"{"env": {"remove": [""]}}"#, "launch_variable", "/env"),
        (r#"{"env": {"set": {"TURNLINE_RUN": "x"}}}"#, "launch_variable", "/env/set/TURNLINE_RUN"),
        (r#"{"probe": []}"#, "launch_empty", "/probe"),
        (r#"{"probe": [""]}"#, "launch_empty", "/probe/0"),
        (r#"{"attach": [""]}"#, "launch_empty", "/attach/0"),
    ];
    for (text, code, pointer) in rows {
        let spec: LaunchSpec = serde_json::from_str(text).unwrap();
        let issues = spec.check();
        assert!(issues.iter().any(|issue| issue.code == code && issue.pointer == pointer), "{text}: {issues:?}");
    }
    for (text, part) in [
        (r#"{"argz": []}"#, "argz"),
        (r#"{"args": [{"when": "modell"}]}"#, "modell"),
        (r#"{"args": [{"when": "model", "flag": "x"}]}"#, "flag"),
        (r#"{"args": [7]}"#, "an argument, or a table"),
        (r#"{"prompt": {"via": ["socket"]}}"#, "socket"),
        (r#"{"timers": {"total": 1}}"#, "total"),
    ] {
        let error = serde_json::from_str::<LaunchSpec>(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_table_reads_back_what_it_writes() {
    for id in [
        "claude-code",
        "codex",
        "codex-legacy",
        "opencode",
        "gemini",
        "qwen",
        "pi",
        "kimi",
        "cursor-agent",
        "amp",
        "copilot",
        "crush",
        "droid",
        "goose",
        "raw",
    ] {
        let profile = Profile::builtin(id).unwrap();
        let spec = &profile.spec().launch;
        assert_eq!(spec.check(), [], "{id}");
        let json = serde_json::to_string(spec).unwrap();
        assert_eq!(serde_json::from_str::<LaunchSpec>(&json).unwrap(), *spec, "{id}");
    }
}
