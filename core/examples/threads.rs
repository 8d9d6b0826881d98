//! A whole driver on std threads alone: it carries out what the run machine asks, and decides nothing.
//!
//! ```text
//! cargo run --example threads -- claude-code "Say one word." [PROGRAM]
//! ```
//!
//! Four threads beside the caller's tell facts: one reads standard output, one standard error, one writes standard input,
//! one waits for the exit *without reaping it*, so that the number of the process group stays taken until nothing is
//! signalled any more. What this small driver leaves out: it ends the process group alone, while tools in sessions of
//! their own need a search through the system's processes; and a stranger that holds a pipe keeps a reading thread alive.
#![allow(clippy::print_stdout)]

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let executor = args.next().ok_or("usage: threads EXECUTOR PROMPT [PROGRAM]")?;
    let mut request = turnline::launch::Request::new(args.next().unwrap_or_default());
    request.program = args.next();
    let show = |event: &turnline::Event<'_>| {
        let mut line = Vec::new();
        event.write_json(&mut line);
        println!("{}", String::from_utf8_lossy(&line));
    };
    let envelope = driver::run(&turnline::Profile::builtin(&executor)?, &request, show, |_| {})?;
    println!("{}", serde_json::to_string(&envelope)?);
    Ok(())
}

/// The driver.
#[cfg(unix)]
pub mod driver {
    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::io::{ErrorKind, Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
    use std::sync::{Arc, Condvar, Mutex, PoisonError};
    use std::time::{Duration, Instant};
    use turnline::launch::{Host, Interrupt, LaunchError, Plan, Request, Stdin, candidates, plan};
    use turnline::run::{Action, Input, Run, RunOptions};
    use turnline::{Envelope, Event, Profile, SpawnError, SpawnErrorKind};

    /// A fact that a thread has to tell. The channel takes so few that a slow consumer is felt by whoever reads.
    type Fact = Box<dyn FnOnce(&mut Run, Duration) + Send>;

    /// Cancels a run, from any thread; one that is over is not disturbed.
    pub type Cancel = Box<dyn Fn() + Send>;

    /// Whether standard output is read.
    type Gate = Arc<(Mutex<bool>, Condvar)>;

    /// Runs an executor to its end; an error is a request that makes no plan. `started` gets what can cancel the run.
    pub fn run(
        profile: &Profile,
        request: &Request,
        mut show: impl FnMut(&Event<'_>),
        started: impl FnOnce(Cancel),
    ) -> Result<Envelope, LaunchError> {
        let start = Instant::now();
        let mut host = Host::default();
        host.current_dir = std::env::current_dir().ok().and_then(|dir| dir.into_os_string().into_string().ok());
        host.path = std::env::var("PATH").ok();
        host.resolved = candidates(profile.command(), request, &host).into_iter().find(|path| executable(path));
        let plan = plan(&profile.spec().launch, profile.command(), request, &host)?;
        let mut run = Run::new(profile, plan, RunOptions::default());
        let (tell, facts) = sync_channel::<Fact>(16);
        let (first, mut driver) = match spawn(run.plan()) {
            Ok(child) => (Input::Started, Some(Driver::new(child, &tell))),
            Err(error) => (Input::SpawnFailed(error), None),
        };
        run.handle(first, start.elapsed());
        started(Box::new(move || _ = tell.send(Box::new(|run, now| run.handle(Input::Cancel, now)))));
        loop {
            while let Some(event) = run.next_event() {
                show(&event);
            }
            while let Some(action) = run.poll() {
                match (action, &mut driver) {
                    (Action::Done, _) => return Ok(run.finish()),
                    (action, Some(driver)) => driver.act(action, &mut run, start),
                    (_, None) => {}
                }
            }
            let wait = run.deadline().map_or(Duration::MAX, |at| at.saturating_sub(start.elapsed()));
            match facts.recv_timeout(wait) {
                Ok(fact) => fact(&mut run, start.elapsed()),
                Err(_) => run.handle(Input::Tick, start.elapsed()),
            }
        }
    }

    struct Driver {
        child: Child,
        pid: Pid,
        gate: Gate,
        /// Where the writing thread gets its bytes; gone when standard input is to be closed.
        writer: Option<Sender<Vec<u8>>>,
    }

    impl Driver {
        fn new(mut child: Child, tell: &SyncSender<Fact>) -> Self {
            let pid = Pid::from_child(&child);
            let [gate, open] = [(); 2].map(|()| Gate::new((Mutex::new(true), Condvar::new())));
            if let Some(stdout) = child.stdout.take() {
                let some =
                    |chunk: Vec<u8>| -> Fact { Box::new(move |run, now| run.handle(Input::Stdout(&chunk), now)) };
                let end = |error: Option<String>| -> Fact {
                    let end = error.map_or(Input::StdoutClosed, Input::StdoutBroken);
                    Box::new(move |run, now| run.handle(end, now))
                };
                read(stdout, tell.clone(), gate.clone(), some, end);
            }
            if let Some(stderr) = child.stderr.take() {
                let some =
                    |chunk: Vec<u8>| -> Fact { Box::new(move |run, now| run.handle(Input::Stderr(&chunk), now)) };
                let end = |_| -> Fact { Box::new(|run, now| run.handle(Input::StderrClosed, now)) };
                read(stderr, tell.clone(), open, some, end);
            }
            let writer = child.stdin.take().map(|stdin| write(stdin, tell.clone()));
            let tell = tell.clone();
            std::thread::spawn(move || {
                // Not reaped: the group's number cannot become another's while there is something to signal.
                let exit = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while waitid(WaitId::Pid(pid), exit).is_err_and(|error| error == Errno::INTR) {}
                let _ = tell.send(Box::new(move |run, now| _ = tell_exit(pid, run, now)));
            });
            Driver { child, pid, gate, writer }
        }

        fn act(&mut self, action: Action, run: &mut Run, start: Instant) {
            match action {
                // In pieces that a pipe takes, so that a cancel does not wait behind a whole prompt.
                Action::Write(range) => {
                    let bytes = run.stdin(range.start..range.end.min(range.start + (64 << 10))).to_vec();
                    let _ = self.writer.as_ref().map(|writer| writer.send(bytes));
                }
                Action::CloseStdin => self.writer = None,
                Action::Interrupt(signal) => {
                    let signal = if signal == Interrupt::Terminate { Signal::TERM } else { Signal::INT };
                    if !tell_exit(self.pid, run, start.elapsed()) && kill_process_group(self.pid, signal).is_ok() {
                        run.handle(Input::Signalled, start.elapsed());
                    }
                }
                Action::KillTree => {
                    if !tell_exit(self.pid, run, start.elapsed()) {
                        run.handle(Input::Signalled, start.elapsed());
                    }
                    // Only zombies, or nobody, may be left in it.
                    let _ = kill_process_group(self.pid, Signal::KILL);
                    run.handle(Input::TreeGone, start.elapsed());
                }
                Action::Reap => {
                    let _ = self.child.wait();
                    run.handle(Input::Reaped, start.elapsed());
                }
                Action::StopReading => self.reads(false),
                Action::ResumeReading => self.reads(true),
                // `Run::deadline` is asked instead of keeping a timer.
                _ => {}
            }
        }

        fn reads(&self, reads: bool) {
            *self.gate.0.lock().unwrap_or_else(PoisonError::into_inner) = reads;
            self.gate.1.notify_all();
        }
    }

    impl Drop for Driver {
        /// The reading thread finds that nobody listens any more.
        fn drop(&mut self) {
            self.reads(true);
        }
    }

    /// Looks for the exit, without reaping it, and tells it.
    fn tell_exit(pid: Pid, run: &mut Run, now: Duration) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let Ok(Some(status)) = waitid(WaitId::Pid(pid), look) else { return false };
        run.handle(Input::Exited { code: status.exit_status(), signal: status.terminating_signal() }, now);
        true
    }

    fn read(
        mut from: impl Read + Send + 'static,
        tell: SyncSender<Fact>,
        gate: Gate,
        some: fn(Vec<u8>) -> Fact,
        end: fn(Option<String>) -> Fact,
    ) {
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            let error = loop {
                drop(gate.1.wait_while(gate.0.lock().unwrap_or_else(PoisonError::into_inner), |open| !*open));
                match from.read(&mut buffer) {
                    Ok(0) => break None,
                    Ok(bytes) if tell.send(some(buffer[..bytes].to_vec())).is_err() => break None,
                    Err(error) if error.kind() != ErrorKind::Interrupted => break Some(error.to_string()),
                    Ok(_) | Err(_) => {}
                }
            };
            let _ = tell.send(end(error));
        });
    }

    fn write(mut to: impl Write + Send + 'static, tell: SyncSender<Fact>) -> Sender<Vec<u8>> {
        let (writer, pieces) = channel::<Vec<u8>>();
        std::thread::spawn(move || {
            for piece in pieces {
                let fact = match to.write_all(&piece) {
                    Ok(()) => Input::StdinWritten(piece.len()),
                    Err(error) => Input::StdinBroken(error.to_string()),
                };
                let _ = tell.send(Box::new(move |run, now| run.handle(fact, now)));
            }
        });
        writer
    }

    fn spawn(plan: &Plan) -> Result<Child, SpawnError> {
        let mut command = Command::new(&plan.program);
        command.args(&plan.args).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.stdin(if matches!(plan.stdin, Stdin::Null) { Stdio::null() } else { Stdio::piped() });
        let kept = std::env::vars_os().filter(|(name, _)| plan.keeps_variable(&name.to_string_lossy()));
        command.env_clear().envs(kept).envs(&plan.env.set);
        command.current_dir(plan.cwd.as_deref().unwrap_or("."));
        command.spawn().map_err(|error| {
            let directory = plan.cwd.as_deref().map(std::fs::metadata);
            let kind = match (directory, error.kind()) {
                (Some(Err(_)), _) => SpawnErrorKind::WorkingDirectoryNotFound,
                (Some(Ok(found)), _) if !found.is_dir() => SpawnErrorKind::NotADirectory,
                (_, ErrorKind::NotFound) => SpawnErrorKind::ProgramNotFound,
                (_, ErrorKind::PermissionDenied) => SpawnErrorKind::NotExecutable,
                _ => SpawnErrorKind::Other,
            };
            SpawnError::new(kind, error.to_string())
        })
    }

    fn executable(path: &str) -> bool {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
}
