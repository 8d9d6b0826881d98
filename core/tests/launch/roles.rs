//! Workers and readers: sandboxes, MCP servers as overrides, reviews, a clean environment, probes, and the terminal interface.

use super::{ID, argv, planned, refused, unix};
use std::time::Duration;
use turnline::Profile;
use turnline::launch::{
    Document, LaunchErrorKind, LaunchSpec, PlanKind, Request, Review, Sandbox, Stdin, attach, probe,
};

const SERVERS: &str = r#"{"mcpServers":{"rig":{"command":"python3","args":["/srv/a b.py","-v"],"env":{"KEY":"a\"b\u007f"},"startup_timeout_sec":20,"enabled":true},"web":{"url":"https://example.org/mcp"}}}"#;

fn servers() -> Request {
    Request::new("Say one word.").mcp_config(Document::Text(SERVERS.into()))
}

#[test]
fn mcp_servers_become_overrides_and_approvals_are_refused() {
    let plan = planned("codex", &servers().sandbox(Sandbox::WorkspaceWrite).resume(ID));
    let rig = r#"mcp_servers.rig={"args"=["/srv/a b.py","-v"],"command"="python3","enabled"=true,"env"={"KEY"="a\"b\u007f"},"startup_timeout_sec"=20}"#;
    let web = r#"mcp_servers.web={"url"="https://example.org/mcp"}"#;
    let want = [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "-s",
        "workspace-write",
        "-c",
        "approval_policy=never",
        "-c",
        rig,
        "-c",
        web,
        "resume",
        ID,
    ];
    assert_eq!(plan.args, want);
    // What stands behind the equals sign is TOML that says the same.
    let (name, value) = rig.strip_prefix("mcp_servers.").unwrap().split_once('=').unwrap();
    let read: toml::Table = toml::from_str(&format!("{name} = {value}")).unwrap();
    let said: serde_json::Value = serde_json::from_str(SERVERS).unwrap();
    assert_eq!(serde_json::to_value(&read["rig"]).unwrap(), said["mcpServers"]["rig"]);
    // Without servers nothing is overridden.
    assert_eq!(argv(&planned("codex", &Request::new("hi"))), "codex exec --json --skip-git-repo-check");
}

#[test]
fn mcp_servers_that_cannot_be_overrides() {
    for (config, why) in [
        (r#"{"mcpServers":{"a.b":{"command":"x"}}}"#, "cannot be the name"),
        (r#"{"mcpServers":{"":{"command":"x"}}}"#, "cannot be the name"),
        (r#"{"mcpServers":{"a":"x"}}"#, "is no table"),
        (r#"{"mcpServers":{"a":{"env":null}}}"#, "a null"),
        (r#"{"servers":{}}"#, "no table `mcpServers`"),
    ] {
        let request = Request::new("hi").mcp_config(Document::Text(config.into()));
        let (kind, message) = refused("codex", &request, &unix());
        assert_eq!(kind, LaunchErrorKind::RequestInvalid);
        assert!(message.contains(why), "{message}");
    }
    let file = Request::new("hi").mcp_config(Document::File("mcp.json".into()));
    assert!(refused("codex", &file, &unix()).1.contains("the JSON itself"));
}

#[test]
fn reviews() {
    let review = |review| Request::default().review(review);
    for (request, want) in [
        (review(Review::Uncommitted), "codex exec review --json --uncommitted"),
        (review(Review::Base("main".into())), "codex exec review --json --base main"),
        (review(Review::Commit("abc123".into())).model("fast"), "codex exec review --json -m fast --commit abc123"),
        (
            review(Review::Uncommitted).arg("-c").arg("model_reasoning_effort=high"),
            "codex exec review --json -c model_reasoning_effort=high --uncommitted",
        ),
    ] {
        let plan = planned("codex", &request);
        assert_eq!((argv(&plan).as_str(), &plan.stdin, plan.kind), (want, &Stdin::Null, PlanKind::Run));
    }
    for (id, request, why) in [
        ("codex", Request::new("Look.").review(Review::Uncommitted), "takes no prompt"),
        ("codex", review(Review::Base("--help".into())), "would be read as an option"),
        ("codex", review(Review::Commit(" ".into())), "is empty"),
        ("codex", review(Review::Uncommitted).sandbox(Sandbox::Full), "no option for what was asked (full)"),
        ("codex", review(Review::Uncommitted).resume(ID), "no option for what was asked (resume)"),
        ("claude-code", review(Review::Uncommitted), "no review of changes"),
    ] {
        let (kind, message) = refused(id, &request, &unix());
        assert_eq!(kind, LaunchErrorKind::RequestInvalid);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn a_table_of_reviews_says_what_can_be_reviewed() {
    for (text, code, pointer) in [
        (r#"{"review": ["review"]}"#, "launch_empty", "/review"),
        (r#"{"review": [{"when": "review_base", "args": ["--base"]}]}"#, "launch_value", "/review/0/args"),
        (r#"{"review": [{"when": "review_uncommitted", "args": ["{}"]}]}"#, "launch_value", "/review/0/args"),
        (
            r#"{"args": [{"when": "output_schema", "args": ["{}"], "takes": "overrides"}]}"#,
            "launch_takes",
            "/args/0/takes",
        ),
        (r#"{"args": [{"when": "mcp_config", "args": ["-x"]}]}"#, "launch_value", "/args/0/args"),
    ] {
        let spec: LaunchSpec = serde_json::from_str(text).unwrap();
        let issues = spec.check();
        assert!(issues.iter().any(|issue| issue.code == code && issue.pointer == pointer), "{text}: {issues:?}");
    }
}

#[test]
fn ambient_variables_are_dropped_by_their_beginning() {
    let request =
        Request::new("hi").sandbox(Sandbox::ReadOnly).env_remove_prefix("CODEX_").env("CODEX_HOME", "/srv/codex");
    let plan = planned("codex", &request);
    let inherited = ["CODEX_HOME", "CODEX_THREAD_ID", "CODEX_CI", "CODEX", "PATH", "OLDPWD"];
    let environment = plan.environment(inherited.map(|name| (name.to_owned(), "theirs".to_owned())));
    let mut names: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    names.sort_unstable();
    let want = [
        ("CODEX", "theirs"),
        ("CODEX_HOME", "/srv/codex"),
        ("PATH", "theirs"),
        ("PWD", "/home/me"),
        ("TURNLINE_RUN", "run-1"),
    ];
    assert_eq!(names, want);
}

#[test]
fn a_probe_has_a_time_limit_and_the_terminal_interface_has_none() {
    let profile = Profile::builtin("codex").unwrap();
    let (spec, command) = (&profile.spec().launch, profile.command());
    let plan = probe(spec, command, &Request::default(), &unix()).unwrap();
    assert_eq!((argv(&plan).as_str(), plan.timers.total), ("codex --version", Some(Duration::from_secs(10))));
    let short = Request::default().timeout(Duration::from_secs(1));
    assert_eq!(probe(spec, command, &short, &unix()).unwrap().timers.total, Some(Duration::from_secs(1)));
    let request = Request::default().resume(ID).sandbox(Sandbox::ReadOnly).model("fast");
    let plan = attach(spec, command, &request, &unix()).unwrap();
    assert_eq!(argv(&plan), format!("codex -s read-only -m fast resume {ID}"));
    assert_eq!((plan.kind, plan.stdin, plan.timers.total), (PlanKind::Attach, Stdin::Inherit, None));
    let review = Request::default().review(Review::Uncommitted);
    assert!(attach(spec, command, &review, &unix()).unwrap_err().message().contains("no option"));
}
