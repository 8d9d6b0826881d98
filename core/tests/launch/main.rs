//! Launch plans of the built-in profiles, and every refusal.

mod any_request;
mod command_lines;
mod environment;
mod refused;
mod roles;
mod tables;

use turnline::Profile;
use turnline::launch::{
    Host, Interrupt, LaunchErrorKind, LaunchSpec, Plan, PlanKind, Platform, Request, Stdin, attach, plan, probe,
};

const ID: &str = "6925580f-b065-4418-9c79-42044b6bbb19";

fn unix() -> Host {
    let mut host = Host::default();
    host.current_dir = Some("/home/me".into());
    host.run_id = Some("run-1".into());
    host
}

fn windows() -> Host {
    let mut host = Host::default();
    host.platform = Platform::Windows;
    host.current_dir = Some(r"C:\me".into());
    host
}

fn planned(id: &str, request: &Request) -> Plan {
    let profile = Profile::builtin(id).unwrap();
    plan(&profile.spec().launch, profile.command(), request, &unix()).unwrap()
}

fn refused(id: &str, request: &Request, host: &Host) -> (LaunchErrorKind, String) {
    let profile = Profile::builtin(id).unwrap();
    let error = plan(&profile.spec().launch, profile.command(), request, host).unwrap_err();
    let named = request.program.as_deref().unwrap_or(profile.command());
    assert!(error.message().contains(&format!("'{named}'")), "{error}");
    (error.kind(), error.message().into())
}

fn argv(plan: &Plan) -> String {
    std::iter::once(&plan.program).chain(&plan.args).map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_prompt_is_on_stdin_or_the_last_argument_and_never_both() {
    let prompt = "line one\nline two & echo INJECTED %PATH% \"q\" $(id) `id`; 'x'";
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
        let request = Request::new(prompt).program("/bin/tool");
        let plan = planned(id, &request);
        // By itself, or joined to its flag.
        let last = plan.args.last().is_some_and(|last| matches!(last.strip_suffix(prompt), Some("" | "--prompt=")));
        let elsewhere = plan.args.iter().filter(|arg| arg.contains("INJECTED")).count();
        match plan.prompt_at() {
            Some(at) => {
                assert_eq!((at + 1, elsewhere, last), (plan.args.len(), 1, true), "{id}");
                assert_eq!(plan.stdin, Stdin::Null, "{id}");
            }
            None => {
                assert_eq!(elsewhere, 0, "{id}");
                assert_eq!(plan.stdin, Stdin::Bytes(prompt.into()), "{id}");
            }
        }
        assert_eq!(plan.program, "/bin/tool", "{id}");
        let shown = format!("{plan:?} {request:?}");
        assert!(!shown.contains("INJECTED"), "{shown}");
    }
}

#[test]
fn interactive_runs_keep_stdin_open() {
    let plan = planned("claude-code", &Request::default().interactive(true));
    assert_eq!((plan.stdin, plan.first_turn), (Stdin::Open, None));
    let plan = planned("claude-code", &Request::new("hi").interactive(true));
    assert_eq!(plan.first_turn.as_deref(), Some("hi"));
}

#[test]
fn working_directory_program_and_timers() {
    let request =
        Request::new("hi").cwd("link/../work").program("bin/agent").timeout(std::time::Duration::from_secs(60));
    let plan = planned("claude-code", &request);
    assert_eq!(plan.cwd.as_deref(), Some("/home/me/work"));
    assert_eq!(plan.program, "/home/me/bin/agent");
    assert_eq!(plan.command, "bin/agent");
    assert_eq!(plan.interrupt, Some(Interrupt::Interrupt));
    assert_eq!(plan.timers.total.unwrap().as_secs(), 60);
    assert_eq!(plan.timers.after_terminal.unwrap().as_secs(), 10);
    let never = planned("claude-code", &Request::new("hi").after_terminal(None).drain(None));
    assert_eq!((never.timers.after_terminal, never.timers.drain), (None, None));
}

#[test]
fn probe_and_attach() {
    let host = unix();
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
    ] {
        let profile = Profile::builtin(id).unwrap();
        let plan = probe(&profile.spec().launch, profile.command(), &Request::default(), &host).unwrap();
        assert_eq!(argv(&plan), format!("{} --version", profile.command()));
        assert_eq!((plan.kind, &plan.stdin, plan.timers.total.unwrap().as_secs()), (PlanKind::Probe, &Stdin::Null, 10));
    }
    let rows = [
        ("claude-code", Request::default(), "claude"),
        ("claude-code", Request::default().resume(ID), "claude --resume 6925580f-b065-4418-9c79-42044b6bbb19"),
        ("codex", Request::default(), "codex"),
        ("codex", Request::default().resume("t1"), "codex resume t1"),
        ("codex", Request::default().resume_last(), "codex resume --last"),
        ("opencode", Request::default().resume("ses_1").model("a/b"), "opencode --model a/b --session ses_1"),
    ];
    for (id, request, expected) in rows {
        let profile = Profile::builtin(id).unwrap();
        let plan = attach(&profile.spec().launch, profile.command(), &request, &host).unwrap();
        assert_eq!(argv(&plan), expected);
        assert_eq!((plan.kind, plan.stdin), (PlanKind::Attach, Stdin::Inherit));
    }
    let spec = LaunchSpec::default();
    for error in [
        probe(&spec, "tool", &Request::default(), &host).unwrap_err(),
        attach(&spec, "tool", &Request::default(), &host).unwrap_err(),
        attach(&Profile::builtin("codex").unwrap().spec().launch, "tool", &Request::new("hi"), &host).unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.run_error()), (LaunchErrorKind::RequestInvalid, None));
        assert!(error.message().contains("'tool'"));
    }
}
