//! The environment of what is started.

use super::{planned, windows};
use turnline::Profile;
use turnline::launch::{Document, Host, MARKER, Plan, Request, Via, plan};

#[test]
fn the_environment() {
    let env = |plan: &Plan, inherited: &[(&str, &str)]| {
        let mut all = plan.environment(inherited.iter().map(|(name, value)| (name.to_string(), value.to_string())));
        all.sort();
        all.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let outer = [
        ("HOME", "/h"),
        ("PWD", "/stale"),
        ("OLDPWD", "/older"),
        ("CLAUDECODE", "1"),
        ("KEY", "k"),
        ("X_A", "1"),
        (MARKER, "outer"),
    ];
    let rows: &[(&str, Request, &str)] = &[
        ("claude-code", Request::new("hi"), "HOME=/h KEY=k PWD=/home/me TURNLINE_RUN=run-1 X_A=1"),
        (
            "opencode",
            Request::new("hi").cwd("sub/./x"),
            "CLAUDECODE=1 HOME=/h KEY=k PWD=/home/me/sub/x TURNLINE_RUN=run-1 X_A=1",
        ),
        ("claude-code", Request::new("hi").cwd("/b/../c"), "HOME=/h KEY=k PWD=/c TURNLINE_RUN=run-1 X_A=1"),
        (
            "claude-code",
            Request::new("hi").env("CLAUDECODE", "mine").env_remove("KEY").env_remove_prefix("X_"),
            "CLAUDECODE=mine HOME=/h PWD=/home/me TURNLINE_RUN=run-1",
        ),
        (
            "claude-code",
            Request::new("hi").env_remove("KEY").env("KEY", "new"),
            "HOME=/h KEY=new PWD=/home/me TURNLINE_RUN=run-1 X_A=1",
        ),
        ("claude-code", Request::new("hi").env_clear().env("ONLY", "1"), "ONLY=1 PWD=/home/me TURNLINE_RUN=run-1"),
        (
            "claude-code",
            Request::new("hi").env_clear().env("PWD", "/p").env("OLDPWD", "/o"),
            "OLDPWD=/o PWD=/p TURNLINE_RUN=run-1",
        ),
        ("claude-code", Request::new("hi").env_clear().env_remove("PWD"), "TURNLINE_RUN=run-1"),
    ];
    for (id, request, expected) in rows {
        let plan = planned(id, request);
        assert_eq!(env(&plan, &outer), *expected);
        let shown = format!("{plan:?} {request:?}");
        assert!(!shown.contains("mine") && !shown.contains("=new"), "{shown}");
    }
    // Where the caller's directory is not known, a stale PWD is dropped all the same, and there is no marker without an id.
    let profile = Profile::builtin("raw").unwrap();
    let plan = plan(&profile.spec().launch, "tool", &Request::new("hi"), &Host::default()).unwrap();
    assert_eq!((env(&plan, &outer[..3]).as_str(), plan.cwd), ("HOME=/h", None));
}

#[test]
fn windows_names_variables_without_case() {
    let profile = Profile::builtin("claude-code").unwrap();
    let mut host = windows();
    host.resolved = Some(r"C:\bin\claude.exe".into());
    let plan = plan(&profile.spec().launch, "claude", &Request::new("hi").cwd("sub").env("PATH", "p"), &host).unwrap();
    let env = plan.environment(
        [("Path", "old"), ("pwd", "stale"), ("OldPwd", "x"), ("ClaudeCode", "1"), ("Temp", "t")]
            .map(|(n, v)| (n.into(), v.into())),
    );
    assert_eq!(env, [("Temp", "t"), ("PATH", "p"), ("PWD", r"C:\me\sub")].map(|(n, v)| (n.to_string(), v.to_string())));
}

/// A plan is logged: what may be a secret of the caller's is not shown, what is the profile's own is.
#[test]
fn a_plan_shows_no_secrets() {
    let document = |text: &str| Document::Text(text.into());
    let mcp = r#"{"mcpServers":{"s":{"command":"server","env":{"TOKEN":"s3cret"}}}}"#;
    let claude = Request::new("s3cret prompt").mcp_config(document(mcp)).arg("--api-key=s3cret").arg("s3cret");
    let codex = Request::new("s3cret prompt").mcp_config(document(mcp)).arg("s3cret");
    let opencode = Request::new("s3cret prompt").via(Via::Argument);
    for (id, request, shown) in [
        ("claude-code", claude, r#""--mcp-config", "(document)", "(argument)", "(argument)""#),
        ("codex", codex, r#""-c", "(document)""#),
        ("opencode", opencode, r#""(prompt)""#),
    ] {
        let plan = planned(id, &request);
        assert!(plan.args.iter().any(|arg| arg.contains("s3cret")), "{id}");
        let told = format!("{plan:?} {request:?} {:?}", request.mcp_config);
        assert!(!told.contains("s3cret"), "{id}: {told}");
        assert!(told.contains(shown), "{id}: {told}");
        assert!(told.contains("prompt"), "{id}: {told}");
    }
}
