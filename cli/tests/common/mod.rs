//! Runs the built command.
#![allow(dead_code, unreachable_pub)] // each test file uses a part

pub mod draft;
pub mod events;

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

/// A Claude Code stream of a session, a text and a good end.
pub const CLAUDE: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s-1","cwd":"/somewhere","model":"m-1","tools":["Bash"]}"#,
    "\n",
    r#"{"type":"assistant","message":{"id":"msg-1","role":"assistant","content":[{"type":"text","text":"Hello there."}]},"session_id":"s-1"}"#,
    "\n",
    r#"{"type":"result","subtype":"success","is_error":false,"result":"Hello there.","session_id":"s-1","total_cost_usd":0.0123,"usage":{"input_tokens":1200,"output_tokens":34,"cache_creation_input_tokens":0,"cache_read_input_tokens":5}}"#,
    "\n",
);

/// A Claude Code stream whose terminal record reports a failure.
pub const CLAUDE_FAILED: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s-1","cwd":"/somewhere"}"#,
    "\n",
    r#"{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns"],"session_id":"s-1"}"#,
    "\n",
);

/// A Codex stream.
pub const CODEX: &str = concat!(
    r#"{"type":"thread.started","thread_id":"t-1"}"#,
    "\n",
    r#"{"type":"turn.started"}"#,
    "\n",
    r#"{"type":"item.started","item":{"id":"i-0","type":"command_execution","command":"ls -a","status":"in_progress","aggregated_output":""}}"#,
    "\n",
    r#"{"type":"item.completed","item":{"id":"i-0","type":"command_execution","command":"ls -a","status":"completed","exit_code":0,"aggregated_output":"one\ntwo\n"}}"#,
    "\n",
    r#"{"type":"item.completed","item":{"id":"i-1","type":"agent_message","text":"All done."}}"#,
    "\n",
    r#"{"type":"turn.completed","usage":{"input_tokens":11,"output_tokens":22}}"#,
    "\n",
);

/// An opencode stream.
pub const OPENCODE: &str = concat!(
    r#"{"type":"step_start","timestamp":1,"sessionID":"s-1","part":{"type":"step-start","messageID":"m-1","id":"p-0"}}"#,
    "\n",
    r#"{"type":"text","timestamp":2,"sessionID":"s-1","part":{"type":"text","text":"Wrote it.","messageID":"m-1","id":"p-1"}}"#,
    "\n",
    r#"{"type":"step_finish","timestamp":3,"sessionID":"s-1","part":{"type":"step-finish","reason":"stop","messageID":"m-1","id":"p-2"}}"#,
    "\n",
);

/// What a run of the command left.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The lines of standard output as JSON.
    pub fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(parse).collect()
    }

    /// The last line as JSON.
    pub fn envelope(&self) -> serde_json::Value {
        let last = self.json().pop().expect("an envelope");
        assert_eq!(last["type"], "envelope");
        last
    }

    /// The types of the lines.
    pub fn types(&self) -> Vec<String> {
        self.json().iter().map(|line| line["type"].as_str().expect("a type").to_owned()).collect()
    }
}

/// The command, its surroundings free of what would colour.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnline"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

/// Runs the command with this on its standard input.
pub fn turnline(args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    finish(&mut command(args), stdin.as_ref())
}

/// Runs a prepared command to its end.
pub fn finish(command: &mut Command, stdin: &[u8]) -> Ran {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child: Child = child.expect("the command starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        // A command that reads nothing breaks the pipe: that is its right.
        scope.spawn(move || {
            let _ = pipe.write_all(stdin);
        });
        child.wait_with_output().expect("it ends")
    });
    Ran {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
