//! Every refusal: what does not fit, what a shell would read, what a profile cannot say.

use super::{ID, planned, refused, unix, windows};
use turnline::Profile;
use turnline::launch::{Document, Host, LaunchErrorKind, MARKER, Request, Sandbox, Via, plan};

#[test]
fn the_bound_of_an_argument() {
    for (bytes, fits) in [(100_000, true), (100_001, false)] {
        let request = Request::new("x".repeat(bytes));
        let profile = Profile::builtin("opencode").unwrap();
        let result = plan(&profile.spec().launch, profile.command(), &request, &unix());
        assert_eq!(result.is_ok(), fits, "{bytes}");
        if let Err(error) = result {
            assert_eq!((error.kind(), error.code()), (LaunchErrorKind::ArgumentTooLong, "executor_run_failed"));
            assert!(error.message().contains("100001") && error.message().contains("100000"), "{error}");
            assert_eq!(error.run_error().unwrap().class.as_str(), "argument_too_long");
        }
        // On stdin there is no bound, and the longest argument stays short.
        let plan = planned("claude-code", &request);
        assert!(plan.args.iter().all(|arg| arg.len() < 100));
    }
    let forced = Request::new("ü".repeat(100 << 10)).via(Via::Argument);
    assert_eq!(refused("claude-code", &forced, &unix()).0, LaunchErrorKind::ArgumentTooLong);
    let extra = Request::new("hi").arg("y".repeat(100_001));
    assert_eq!(refused("claude-code", &extra, &unix()).0, LaunchErrorKind::ArgumentTooLong);

    let mut host = windows();
    host.resolved = Some(r"C:\bin\opencode.exe".into());
    assert_eq!(refused("opencode", &Request::new("x".repeat(30_001)), &host).0, LaunchErrorKind::ArgumentTooLong);
    assert_eq!(refused("opencode", &Request::new("x".repeat(29_990)), &host).0, LaunchErrorKind::ArgumentTooLong);
    let profile = Profile::builtin("opencode").unwrap();
    assert!(plan(&profile.spec().launch, profile.command(), &Request::new("x".repeat(29_000)), &host).is_ok());
}

#[test]
fn a_script_that_needs_a_shell_is_refused_on_windows_only() {
    for resolved in [r"C:\npm\claude.cmd", r"C:\npm\CLAUDE.BAT", r"C:\npm\claude.cmd. "] {
        let mut host = windows();
        host.resolved = Some(resolved.into());
        for id in ["claude-code", "opencode"] {
            let (kind, message) = refused(id, &Request::new("hi & del"), &host);
            assert_eq!(kind, LaunchErrorKind::ShellShim);
            assert!(!message.contains("del"), "{message}");
        }
        let mut host = unix();
        host.resolved = Some("/npm/claude.cmd".into());
        let profile = Profile::builtin("claude-code").unwrap();
        assert!(plan(&profile.spec().launch, profile.command(), &Request::new("hi"), &host).is_ok());
    }
    let named = Request::new("hi").program(r".\claude.cmd");
    let (kind, _) = refused("claude-code", &named, &windows());
    assert_eq!(kind, LaunchErrorKind::ShellShim);
    let mut host = windows();
    host.resolved = Some(r"C:\bin\claude.exe".into());
    let profile = Profile::builtin("claude-code").unwrap();
    let plan = plan(&profile.spec().launch, profile.command(), &Request::new("hi"), &host).unwrap();
    assert_eq!((plan.program.as_str(), plan.interrupt), (r"C:\bin\claude.exe", None));
}

#[test]
fn requests_that_are_refused() {
    let say = || Request::new("hi");
    let mut nowhere = unix();
    nowhere.current_dir = None;
    let invalid = LaunchErrorKind::RequestInvalid;
    let rows: &[(&str, Request, &Host, LaunchErrorKind, &str)] = &[
        ("claude-code", Request::new(""), &unix(), invalid, "prompt is empty"),
        ("claude-code", Request::new(" \n\t"), &unix(), invalid, "prompt is empty"),
        ("opencode", Request::new(""), &unix(), invalid, "prompt is empty"),
        ("opencode", Request::new("a\0b"), &unix(), invalid, "NUL"),
        ("codex", say().via(Via::Argument), &unix(), invalid, "no prompt as an argument"),
        ("kimi", say().via(Via::Stdin), &unix(), invalid, "no prompt on standard input"),
        ("pi", Request::new("-x what"), &unix(), invalid, "begins with '-'"),
        ("pi", Request::new("@secrets.txt"), &unix(), invalid, "begins with '@'"),
        ("kimi", Request::new("--yolo"), &unix(), invalid, "begins with '-'"),
        ("gemini", Request::new("x".repeat(8_388_609)), &unix(), invalid, "8388609"),
        ("claude-code", say().sandbox(Sandbox::ReadOnly), &unix(), invalid, "read_only"),
        ("claude-code", say().sandbox(Sandbox::WorkspaceWrite), &unix(), invalid, "workspace_write"),
        ("codex", say().partial_messages(true), &unix(), invalid, "partial"),
        ("codex", say().interactive(true), &unix(), invalid, "interactive"),
        ("codex", say().mcp_config(Document::Text("{}".into())), &unix(), invalid, "mcp_config"),
        ("codex", say().output_schema(Document::Text("{}".into())), &unix(), invalid, "takes a file"),
        ("claude-code", say().output_schema(Document::File("s".into())), &unix(), invalid, "takes the JSON itself"),
        ("claude-code", say().output_schema(Document::Text("{".into())), &unix(), invalid, "is not JSON"),
        ("claude-code", say().mcp_config(Document::File("".into())), &unix(), invalid, "names no file"),
        ("claude-code", say().mcp_config(Document::File("m".into())), &nowhere, invalid, "relative path"),
        ("claude-code", say().model(""), &unix(), invalid, "model is empty"),
        ("claude-code", say().model("--dangerous"), &unix(), invalid, "read as an option"),
        ("claude-code", say().resume("-r"), &unix(), invalid, "read as an option"),
        ("claude-code", say().resume("a\nb"), &unix(), invalid, "control character"),
        ("claude-code", say().fork(true), &unix(), invalid, "no session to copy"),
        ("codex", say().resume(ID).fork(true), &unix(), invalid, "fork"),
        ("claude-code", say().ask_permissions(true), &unix(), invalid, "interactive"),
        ("claude-code", say().arg("a\0"), &unix(), invalid, "NUL"),
        ("claude-code", say().env("A=B", "x"), &unix(), invalid, "'A=B'"),
        ("claude-code", say().env_remove(""), &unix(), invalid, "''"),
        ("claude-code", say().env(MARKER, "forged"), &unix(), invalid, MARKER),
        ("claude-code", say().program(" "), &unix(), invalid, "no name"),
        ("claude-code", say().program("./x"), &nowhere, invalid, "relative"),
        ("claude-code", say().cwd("sub"), &nowhere, LaunchErrorKind::WorkingDirectory, "relative"),
        ("claude-code", say().cwd(""), &unix(), LaunchErrorKind::WorkingDirectory, "no name"),
    ];
    for (id, request, host, kind, part) in rows {
        let (got, message) = refused(id, request, host);
        assert_eq!(got, *kind, "{message}");
        assert!(message.contains(part), "{part}: {message}");
    }
}
