//! The scripted fake executor: a program that does, on command, what coding CLIs do to their hosts.
//!
//! The script is taken from the first of: the argument `--script FILE`, the argument `--script-text TEXT` (anywhere in the
//! arguments), the variable `FAKE_SCRIPT` (the text), the variable `FAKE_SCRIPT_FILE`. All other arguments are ignored, so that the flags
//! of a real CLI can be passed. A wrong script is told on stderr with exit status [`SCRIPT_ERROR`]. After the last line the exit status is 0.
//!
//! One instruction a line, its name first; leading blanks, empty lines and lines that begin with `#` are nothing. `TEXT` and `LINE` are the
//! rest of the line, as it stands. In a `FILE`, `$NAME` and `${NAME}` are variables of the environment. Files are written whole (renamed into place).
//!
//! | output | |
//! |---|---|
//! | `print LINE`, `print-err LINE` | the text and an LF |
//! | `print-raw TEXT`, `print-raw-err TEXT` | no LF; escapes `\n`, `\r`, `\t`, `\\`, `\xNN` |
//! | `print-vars LINE` | `@BYTES@`, `@FNV@` (of the stdin read so far), `@PID@`, `@CWD@`, `@env:NAME@` (or `unset`) replaced |
//! | `print-padded BYTES LINE` | `@PAD@` replaced by that many `y` |
//! | `repeat N LINE`, `repeat-err N LINE` | N times, `@I@` replaced by 0, 1, ... |
//! | `cat FILE`, `cat-err FILE` | the file's bytes |
//! | `flood stdout\|stderr BYTES` | exactly so many bytes, lines of 1024 |
//! | `broken-pipe ignore\|N` | what to do when a write fails: go on, or exit with N (the default: 101) |
//!
//! | input | |
//! |---|---|
//! | `read-stdin [FILE]` | to its end; writes `{"bytes":N,"fnv1a64":"..."}` of all that was read so far |
//! | `save-stdin FILE` | to its end, its bytes into the file |
//! | `read-bytes N`, `read-line [FILE]` | no byte more than that; a line is appended to the file |
//! | `close-stdin`, `close-stdout`, `close-stderr` | our end of the pipe is gone |
//!
//! | time and signals (`INT`, `TERM`, `HUP`, `QUIT`, `USR1`, `USR2`, `KILL`, `STOP`) | |
//! |---|---|
//! | `sleep MS`, `wait-forever`, `wait-file FILE` | |
//! | `ignore SIGNAL` | |
//! | `on SIGNAL INSTRUCTION`, or `on SIGNAL`, lines, `end` | runs beside the rest, each time it comes |
//! | `kill-self SIGNAL` | |
//!
//! | processes | |
//! |---|---|
//! | `fork [unmarked] [clean] [quiet]`, lines, `end` | a child runs the lines; we go on. `unmarked`: without the marker variable; `clean`: with no environment; `quiet`: it does not hold stdout and stderr |
//! | `daemonize [...]`, lines, `end` | the same by double fork: in a session of its own, and its parent is dead |
//! | `again` | another process runs this process's script; we go on |
//! | `setsid`, `exec-sleep SECONDS` | |
//! | `hold-pipes SECONDS` | a child keeps stdout and stderr open |
//! | `wait-children`, `exit N` | |
//!
//! | the rest | |
//! |---|---|
//! | `loop N\|forever`, lines, `end` | |
//! | `if-env NAME=VALUE`, `if-arg TEXT`, lines, `end` | |
//! | `if-line TEXT`, `if-eof`, lines, `end` | the last line read has the text in it; there was none any more |
//! | `write-pid FILE`, `touch FILE`, `write FILE TEXT`, `append FILE TEXT` | |
//! | `alone FILE` | makes the file; exit status 99 where it is there already |
//! | `remove FILE` | |
//! | `append-argv FILE` | as `record-argv`, a line more |
//! | `record-argv FILE` | `{"argv":[...],"env":{...},"cwd":"...","pid":N}` as they were given |

mod interp;
mod os;
mod record;
mod script;

use std::io::Write as _;

pub use script::{ScriptError, check};

/// Exit status when the script is missing or wrong, or an instruction cannot be carried out.
pub const SCRIPT_ERROR: i32 = 70;

/// Runs the script that arguments and environment name, and exits.
pub fn main() -> ! {
    let heard = os::hear().map_err(|error| ScriptError::new(0, error.to_string()));
    let code = match heard.and_then(|()| script_text()).and_then(|text| interp::Process::new(&text)?.run()) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fake-executor: {error}");
            SCRIPT_ERROR
        }
    };
    std::process::exit(code)
}

fn script_text() -> Result<String, ScriptError> {
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--script" {
            return read_script(args.next());
        }
        if arg == "--script-text" {
            let text = args.next().and_then(|text| text.into_string().ok());
            return text.ok_or_else(|| ScriptError::new(0, "--script-text wants a text"));
        }
    }
    if let Ok(text) = std::env::var("FAKE_SCRIPT") {
        return Ok(text);
    }
    read_script(std::env::var_os("FAKE_SCRIPT_FILE"))
}

fn read_script(path: Option<std::ffi::OsString>) -> Result<String, ScriptError> {
    let path = path.ok_or_else(|| ScriptError::new(0, "no script"))?;
    std::fs::read_to_string(&path).map_err(|error| ScriptError::new(0, format!("{}: {error}", path.to_string_lossy())))
}
