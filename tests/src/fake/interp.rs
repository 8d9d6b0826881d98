//! Carrying out a script.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::SCRIPT_ERROR;
use super::os::{self, Stream};
use super::record::{Sum, this_process, write_whole};
use super::script::{ScriptError, Step, expand, parse, unescape};

/// What a write to a closed pipe does when the script does not say: codex's way.
const BROKEN_PIPE: i32 = 101;
/// Another one was there.
const NOT_ALONE: i32 = 99;
const GO_ON: i32 = -1;

/// What the threads of one process share.
struct Shared {
    text: String,
    stdin: Mutex<Sum>,
    broken_pipe: AtomicI32,
}

/// One process that runs a script.
pub(super) struct Process {
    shared: Arc<Shared>,
    steps: Vec<Step>,
    children: Vec<Child>,
    /// The last line that was read; none at the end of standard input.
    line: Option<String>,
}

/// Why a block stops before its end.
enum Stop {
    Exit(i32),
    Fault(ScriptError),
}

impl Process {
    pub(super) fn new(text: &str) -> Result<Self, ScriptError> {
        let shared =
            Shared { text: text.to_owned(), stdin: Mutex::default(), broken_pipe: AtomicI32::new(BROKEN_PIPE) };
        Ok(Self { shared: Arc::new(shared), steps: parse(text)?, children: Vec::new(), line: None })
    }

    /// Runs to the end; the exit status.
    pub(super) fn run(mut self) -> Result<i32, ScriptError> {
        let steps = std::mem::take(&mut self.steps);
        match self.block(&steps) {
            Ok(()) => Ok(0),
            Err(Stop::Exit(code)) => Ok(code),
            Err(Stop::Fault(error)) => Err(error),
        }
    }

    fn block(&mut self, steps: &[Step]) -> Result<(), Stop> {
        for step in steps {
            match self.step(step) {
                Ok(None) => {}
                Ok(Some(stop)) => return Err(stop),
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    match self.shared.broken_pipe.load(Ordering::Relaxed) {
                        GO_ON => {}
                        code => return Err(Stop::Exit(code)),
                    }
                }
                Err(error) => {
                    return Err(Stop::Fault(ScriptError::new(step.line, format!("{}: {error}", step.name))));
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> io::Result<Option<Stop>> {
        let rest = step.rest.as_str();
        match step.name.as_str() {
            "fork" => self.fork(rest, &step.text)?,
            "daemonize" => self.daemonize(rest, &step.text)?,
            "again" => {
                let text = self.shared.text.clone();
                self.fork("", &text)?;
            }
            "hold-pipes" => self.fork("", &format!("sleep {}000\n", number(rest)?))?,
            "wait-children" => {
                for mut child in self.children.drain(..) {
                    child.wait()?;
                }
            }
            "on" => self.on(rest, &step.block)?,
            "loop" => {
                let mut left = if rest.trim() == "forever" { u64::MAX } else { number(rest)? };
                while left > 0 {
                    if let Err(stop) = self.block(&step.block) {
                        return Ok(Some(stop));
                    }
                    left -= 1;
                }
            }
            "if-env" => {
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                if std::env::var(name.trim()).is_ok_and(|is| is == value) {
                    return Ok(self.block(&step.block).err());
                }
            }
            "if-arg" => {
                if std::env::args_os().any(|arg| arg == rest) {
                    return Ok(self.block(&step.block).err());
                }
            }
            "if-line" => {
                if self.line.as_ref().is_some_and(|line| line.contains(rest)) {
                    return Ok(self.block(&step.block).err());
                }
            }
            "if-eof" => {
                if self.line.is_none() {
                    return Ok(self.block(&step.block).err());
                }
            }
            "exit" => {
                return Ok(Some(Stop::Exit(rest.trim().parse().map_err(io::Error::other)?)));
            }
            "exec-sleep" => return Err(os::exec_sleep(rest.trim())),
            "wait-forever" => loop {
                std::thread::park();
            },
            "sleep" => std::thread::sleep(Duration::from_millis(number(rest)?)),
            "wait-file" => {
                let path = file(rest);
                while !path.exists() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            "ignore" => os::ignore(rest.trim())?,
            "kill-self" => os::kill_self(rest.trim())?,
            "setsid" => os::setsid()?,
            "broken-pipe" => {
                let code =
                    if rest.trim() == "ignore" { GO_ON } else { rest.trim().parse().map_err(io::Error::other)? };
                self.shared.broken_pipe.store(code, Ordering::Relaxed);
            }
            "read-stdin" | "save-stdin" | "read-bytes" | "read-line" | "close-stdin" => self.input(&step.name, rest)?,
            "alone" => {
                if std::fs::OpenOptions::new().write(true).create_new(true).open(file(rest)).is_err() {
                    return Ok(Some(Stop::Exit(NOT_ALONE)));
                }
            }
            "remove" => std::fs::remove_file(file(rest))?,
            "touch" | "write" | "append" | "write-pid" | "record-argv" | "append-argv" => files(&step.name, rest)?,
            _ => self.output(&step.name, rest)?,
        }
        Ok(None)
    }

    fn output(&self, name: &str, rest: &str) -> io::Result<()> {
        let stream = if name.ends_with("-err") || name == "close-stderr" { Stream::Stderr } else { Stream::Stdout };
        match name {
            "print" | "print-err" => os::write(stream, format!("{rest}\n").as_bytes()),
            "print-raw" | "print-raw-err" => {
                os::write(stream, &unescape(rest).ok_or_else(|| io::Error::other("wrong escape"))?)
            }
            "print-vars" => os::write(stream, format!("{}\n", self.vars(rest)?).as_bytes()),
            "print-padded" => {
                let (count, line) = rest.split_once(' ').unwrap_or((rest, ""));
                let pad = "y".repeat(usize::try_from(number(count)?).map_err(io::Error::other)?);
                os::write(stream, format!("{}\n", line.replace("@PAD@", &pad)).as_bytes())
            }
            "repeat" | "repeat-err" => {
                let (count, line) = rest.split_once(' ').unwrap_or((rest, ""));
                let mut out = Vec::with_capacity(1 << 16);
                for i in 0..number(count)? {
                    out.extend_from_slice(line.replace("@I@", &i.to_string()).as_bytes());
                    out.push(b'\n');
                    if out.len() >= 1 << 15 {
                        os::write(stream, &out)?;
                        out.clear();
                    }
                }
                os::write(stream, &out)
            }
            "cat" | "cat-err" => os::write(stream, &std::fs::read(file(rest))?),
            "flood" => {
                let (to, count) = rest.split_once(' ').unwrap_or((rest, ""));
                let stream = if to == "stderr" { Stream::Stderr } else { Stream::Stdout };
                flood(stream, number(count)?)
            }
            "close-stdout" | "close-stderr" => os::close(stream),
            _ => Err(io::Error::other("not carried out")),
        }
    }

    fn input(&mut self, name: &str, rest: &str) -> io::Result<()> {
        let mut left = if name == "read-bytes" { number(rest)? } else { u64::MAX };
        // One byte at a time for a line: nothing after it may be taken.
        let mut buffer = vec![0_u8; if name == "read-line" { 1 } else { 1 << 16 }];
        let mut saved = Vec::new();
        while left > 0 && name != "close-stdin" {
            let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let count = os::read(&mut buffer[..room])?;
            let bytes = &buffer[..count];
            self.stdin().add(bytes);
            if name == "save-stdin" || name == "read-line" {
                saved.extend_from_slice(bytes);
            }
            if count == 0 || (name == "read-line" && bytes == b"\n") {
                break;
            }
            left -= count as u64;
        }
        if name == "read-line" {
            let text = String::from_utf8_lossy(&saved).trim_end().to_owned();
            if !rest.trim().is_empty() && !text.is_empty() {
                append(&file(rest), &text)?;
            }
            self.line = Some(text).filter(|_| !saved.is_empty());
        }
        match name {
            "close-stdin" => os::close(Stream::Stdin),
            "save-stdin" => write_whole(&file(rest), &saved),
            "read-stdin" if !rest.trim().is_empty() => write_whole(&file(rest), self.stdin().json().as_bytes()),
            _ => Ok(()),
        }
    }

    fn fork(&mut self, options: &str, text: &str) -> io::Result<()> {
        let child = start(options, text)?;
        self.children.push(child);
        Ok(())
    }

    /// The first child leads a session and exits at once; the second runs the text.
    fn daemonize(&mut self, options: &str, text: &str) -> io::Result<()> {
        start(options, &format!("setsid\nfork {options}\n{text}end\n"))?.wait()?;
        Ok(())
    }

    fn on(&self, signal: &str, block: &[Step]) -> io::Result<()> {
        let (shared, block) = (Arc::clone(&self.shared), block.to_vec());
        os::on(signal.trim(), move || {
            let mut beside =
                Process { shared: Arc::clone(&shared), steps: Vec::new(), children: Vec::new(), line: None };
            match beside.block(&block) {
                Ok(()) => {}
                Err(Stop::Exit(code)) => std::process::exit(code),
                Err(Stop::Fault(error)) => {
                    let _ = os::write(Stream::Stderr, format!("fake-executor: {error}\n").as_bytes());
                    std::process::exit(SCRIPT_ERROR);
                }
            }
        })
    }

    fn stdin(&self) -> MutexGuard<'_, Sum> {
        self.shared.stdin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn vars(&self, line: &str) -> io::Result<String> {
        let sum = *self.stdin();
        let mut line = line
            .replace("@BYTES@", &sum.bytes.to_string())
            .replace("@FNV@", &format!("{:016x}", sum.fnv))
            .replace("@PID@", &std::process::id().to_string())
            .replace("@CWD@", &std::env::current_dir()?.to_string_lossy());
        while let Some((before, name, after)) = line
            .split_once("@env:")
            .and_then(|(before, rest)| rest.split_once('@').map(|(name, after)| (before, name, after)))
        {
            let value = std::env::var(name).unwrap_or_else(|_| "unset".into());
            line = format!("{before}{}{after}", value.replace("@env:", ""));
        }
        Ok(line)
    }
}

/// Another process of this program, with another script.
fn start(options: &str, text: &str) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--script-text", text]).stdin(Stdio::null());
    for option in options.split_whitespace() {
        match option {
            "unmarked" => command.env_remove("TURNLINE_RUN"),
            "clean" => command.env_clear(),
            "quiet" => command.stdout(Stdio::null()).stderr(Stdio::null()),
            other => return Err(io::Error::other(format!("unknown option '{other}'"))),
        };
    }
    command.spawn()
}

fn files(name: &str, rest: &str) -> io::Result<()> {
    let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let path = file(path);
    match name {
        "touch" => write_whole(&path, b""),
        "write" => write_whole(&path, text.as_bytes()),
        "append" => append(&path, text),
        "append-argv" => append(&path, &this_process()?),
        "write-pid" => write_whole(&path, std::process::id().to_string().as_bytes()),
        _ => write_whole(&path, this_process()?.as_bytes()),
    }
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    io::Write::write_all(&mut file, format!("{text}\n").as_bytes())
}

fn flood(stream: Stream, mut left: u64) -> io::Result<()> {
    let mut line = vec![b'y'; 1023];
    line.push(b'\n');
    let chunk = line.repeat(32);
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
        os::write(stream, &chunk[..count])?;
        left -= count as u64;
    }
    Ok(())
}

fn number(text: &str) -> io::Result<u64> {
    let text = text.trim();
    text.parse().map_err(|_| io::Error::other(format!("'{text}' is not a number")))
}

fn file(text: &str) -> PathBuf {
    expand(text.trim(), |name| std::env::var(name).ok()).into()
}
