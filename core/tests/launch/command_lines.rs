//! The command lines of the built-in profiles, those that were recorded word for word.

use super::{ID, argv, planned};
use turnline::launch::{Document, Request, Sandbox, Via};

#[test]
fn command_lines() {
    let say = || Request::new("Say one word.");
    let text = |text: &str| Document::Text(text.into());
    let claude = "claude --print --output-format stream-json --verbose";
    let rows: &[(&str, Request, &str)] = &[
        ("claude-code", say(), &format!("{claude} --no-session-persistence --dangerously-skip-permissions")),
        ("claude-code", say().keep_session(true), &format!("{claude} --dangerously-skip-permissions")),
        ("claude-code", say().resume(ID), &format!("{claude} --dangerously-skip-permissions --resume {ID}")),
        (
            "claude-code",
            say().resume(ID).fork(true),
            &format!("{claude} --dangerously-skip-permissions --resume {ID} --fork-session"),
        ),
        ("claude-code", say().resume_last(), &format!("{claude} --dangerously-skip-permissions --continue")),
        (
            "claude-code",
            say().sandbox(Sandbox::Full),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions"),
        ),
        (
            "claude-code",
            say().partial_messages(true),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --include-partial-messages"),
        ),
        (
            "claude-code",
            say().model("claude-nope-1"),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --model claude-nope-1"),
        ),
        (
            "claude-code",
            say().arg("--max-turns").arg("1"),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --max-turns 1"),
        ),
        (
            "claude-code",
            say().mcp_config(text(r#"{"mcpServers":{}}"#)).arg("--strict-mcp-config"),
            &format!(
                "{claude} --no-session-persistence --dangerously-skip-permissions --mcp-config {{\"mcpServers\":{{}}}} --strict-mcp-config"
            ),
        ),
        (
            "claude-code",
            say().mcp_config(Document::File("mcp.json".into())).cwd("/elsewhere"),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --mcp-config /home/me/mcp.json"),
        ),
        (
            "claude-code",
            say().output_schema(text(r#"{"type": "object"}"#)),
            &format!(
                "{claude} --no-session-persistence --dangerously-skip-permissions --json-schema {{\"type\": \"object\"}}"
            ),
        ),
        (
            "claude-code",
            say().interactive(true),
            "claude --print --input-format stream-json --output-format stream-json --verbose --no-session-persistence \
             --dangerously-skip-permissions",
        ),
        (
            "claude-code",
            say().interactive(true).ask_permissions(true),
            "claude --print --input-format stream-json --output-format stream-json --verbose --no-session-persistence \
             --permission-mode default --permission-prompt-tool stdio",
        ),
        ("codex", say(), "codex exec --json --skip-git-repo-check"),
        ("codex", say().sandbox(Sandbox::ReadOnly), "codex exec --json --skip-git-repo-check -s read-only"),
        ("codex", say().sandbox(Sandbox::WorkspaceWrite), "codex exec --json --skip-git-repo-check -s workspace-write"),
        ("codex", say().sandbox(Sandbox::Full), "codex exec --json --skip-git-repo-check -s danger-full-access"),
        ("codex", say().model("my-local-model"), "codex exec --json --skip-git-repo-check -m my-local-model"),
        (
            "codex",
            say().arg("--dangerously-bypass-approvals-and-sandbox").resume(ID),
            &format!("codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox resume {ID}"),
        ),
        (
            "codex",
            say().arg("--dangerously-bypass-approvals-and-sandbox").resume_last(),
            "codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox resume --last -",
        ),
        (
            "codex",
            say().output_schema(Document::File("schema.json".into())),
            "codex exec --json --skip-git-repo-check --output-schema /home/me/schema.json",
        ),
        ("codex-legacy", say().sandbox(Sandbox::ReadOnly), "codex exec --json --skip-git-repo-check -s read-only"),
        ("opencode", say(), "opencode run --format json -- Say one word."),
        ("opencode", say().model("fake/nope"), "opencode run --format json --model fake/nope -- Say one word."),
        ("opencode", say().resume("ses_1"), "opencode run --format json --session ses_1 -- Say one word."),
        ("opencode", say().resume_last(), "opencode run --format json --continue -- Say one word."),
        (
            "opencode",
            say().resume("ses_1").fork(true),
            "opencode run --format json --session ses_1 --fork -- Say one word.",
        ),
        ("opencode", say().arg("--thinking"), "opencode run --format json --thinking -- Say one word."),
        ("opencode", Request::new("--help me"), "opencode run --format json -- --help me"),
        ("opencode", say().via(Via::Stdin), "opencode run --format json"),
        ("gemini", say().model("gemini-2.5-flash"), "gemini --yolo --output-format stream-json -m gemini-2.5-flash"),
        ("gemini", say().resume(ID), &format!("gemini --yolo --output-format stream-json --resume {ID}")),
        ("qwen", say(), "qwen --yolo --output-format stream-json"),
        (
            "qwen",
            Request::new("-x what").via(Via::Argument),
            "qwen --yolo --output-format stream-json --prompt=-x what",
        ),
        (
            "pi",
            say().arg("--provider").arg("fake").model("fake-1"),
            "pi --mode json --model fake-1 --provider fake Say one word.",
        ),
        ("kimi", say(), "kimi --output-format stream-json -p Say one word."),
        ("kimi", say().resume(ID), &format!("kimi --output-format stream-json --session {ID} -p Say one word.")),
        ("cursor-agent", say(), "cursor-agent --print --output-format stream-json --force -- Say one word."),
        ("amp", say(), "amp --execute --stream-json --dangerously-allow-all"),
        ("amp", say().resume("T-1"), "amp threads continue T-1 --execute --stream-json --dangerously-allow-all"),
        (
            "copilot",
            say().model("m").resume(ID),
            &format!(
                "copilot --output-format json --no-color --no-ask-user --allow-all-tools --stream off --model m --resume={ID} --prompt=Say one word."
            ),
        ),
        ("crush", say(), "crush run --quiet"),
        ("droid", say(), "droid exec --output-format stream-json --skip-permissions-unsafe"),
        (
            "droid",
            say().sandbox(Sandbox::ReadOnly).resume("s-1"),
            "droid exec --output-format stream-json --session-id s-1",
        ),
        ("goose", say(), "goose run --quiet --output-format stream-json --no-session --instructions -"),
        (
            "goose",
            say().resume("20251108_1"),
            "goose run --quiet --output-format stream-json --resume --session-id 20251108_1 --instructions -",
        ),
        ("raw", say().program("tool").arg("-n").via(Via::Argument), "tool -n Say one word."),
    ];
    for (id, request, expected) in rows {
        assert_eq!(argv(&planned(id, request)), *expected, "{id}");
    }
}
