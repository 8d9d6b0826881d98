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
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[cfg(not(unix))]
fn main() {
    eprintln!("this example is for Unix systems");
}

#[cfg(unix)]
fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(executor), Some(prompt)) = (args.next(), args.next()) else {
        eprintln!("usage: threads EXECUTOR PROMPT [PROGRAM]");
        std::process::exit(2);
    };
    let mut request = turnline::launch::Request::new(prompt);
    request.program = args.next();
    let show = |event: &turnline::Event<'_>| {
        let mut line = Vec::new();
        event.write_json(&mut line);
        println!("{}", String::from_utf8_lossy(&line));
    };
    let run = turnline::Profile::builtin(&executor).map_err(|error| error.to_string()).and_then(|profile| {
        driver::run(&profile, &request, show, |_| {}).map_err(|error| error.to_string())
    });
    match run {
        Ok(envelope) => println!("{}", serde_json::to_string(&envelope).expect("plain data")),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    }
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
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
    use std::sync::{Arc, Condvar, Mutex, PoisonError};
    use std::time::Instant;
    use turnline::launch::{Host, Interrupt, LaunchError, Plan, Request, Stdin, candidates, plan};
    use turnline::run::{Action, Input, Run, RunOptions};
    use turnline::{Envelope, Event, Profile, SpawnError, SpawnErrorKind};

    /// What threads tell. The channel takes so few that a slow consumer is felt by the reading thread.
    enum Fact {
        Stdout(Vec<u8>),
        StdoutEnded(Option<String>),
        Stderr(Vec<u8>),
        StderrEnded,
        Written(usize),
        WriteFailed(String),
        Exited,
        Cancel,
    }

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
        let launch = &profile.spec().launch;
        let mut host = this_host();
        host.resolved = candidates(profile.command(), request, &host).into_iter().find(|path| executable(path));
        let mut run = Run::new(profile, plan(launch, profile.command(), request, &host)?, RunOptions::default());
        let (tell, facts) = sync_channel(16);
        let spawned = spawn(run.plan());
        run.handle(spawned.as_ref().map_or_else(|error| Input::SpawnFailed(error.clone()), |_| Input::Started), start.elapsed());
        let mut driver = spawned.ok().map(|child| Driver::new(child, tell.clone()));
        started(Box::new(move || _ = tell.send(Fact::Cancel)));
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
            wait(&mut run, &facts, driver.as_ref(), start);
        }
    }

    /// Waits for the next fact or for the run's deadline, and tells it.
    fn wait(run: &mut Run, facts: &Receiver<Fact>, driver: Option<&Driver>, start: Instant) {
        let fact = match run.deadline() {
            Some(at) => facts.recv_timeout(at.saturating_sub(start.elapsed())),
            None => facts.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let now = start.elapsed();
        match fact {
            Ok(Fact::Stdout(chunk)) => run.handle(Input::Stdout(&chunk), now),
            Ok(Fact::StdoutEnded(None)) => run.handle(Input::StdoutClosed, now),
            Ok(Fact::StdoutEnded(Some(error))) => run.handle(Input::StdoutBroken(error), now),
            Ok(Fact::Stderr(chunk)) => run.handle(Input::Stderr(&chunk), now),
            Ok(Fact::StderrEnded) => run.handle(Input::StderrClosed, now),
            Ok(Fact::Written(bytes)) => run.handle(Input::StdinWritten(bytes), now),
            Ok(Fact::WriteFailed(error)) => run.handle(Input::StdinBroken(error), now),
            Ok(Fact::Exited) => _ = driver.is_some_and(|driver| driver.tell_exit(run, start)),
            Ok(Fact::Cancel) => run.handle(Input::Cancel, now),
            Err(_) => run.handle(Input::Tick, now),
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
        fn new(mut child: Child, tell: SyncSender<Fact>) -> Self {
            let pid = Pid::from_child(&child);
            let gate = Gate::new((Mutex::new(true), Condvar::new()));
            if let Some(stdout) = child.stdout.take() {
                read(stdout, tell.clone(), gate.clone(), Fact::Stdout, Fact::StdoutEnded);
            }
            if let Some(stderr) = child.stderr.take() {
                let open = Gate::new((Mutex::new(true), Condvar::new()));
                read(stderr, tell.clone(), open, Fact::Stderr, |_| Fact::StderrEnded);
            }
            let writer = child.stdin.take().map(|mut stdin| {
                let (writer, bytes) = channel::<Vec<u8>>();
                let tell = tell.clone();
                std::thread::spawn(move || {
                    for bytes in bytes {
                        let done = stdin.write_all(&bytes).map(|()| Fact::Written(bytes.len()));
                        let _ = tell.send(done.unwrap_or_else(|error| Fact::WriteFailed(error.to_string())));
                    }
                });
                writer
            });
            std::thread::spawn(move || {
                // Not reaped: the group's number cannot become another's while there is something to signal.
                let exit = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while waitid(WaitId::Pid(pid), exit).is_err_and(|error| error == Errno::INTR) {}
                let _ = tell.send(Fact::Exited);
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
                    if !self.tell_exit(run, start) && kill_process_group(self.pid, signal).is_ok() {
                        run.handle(Input::Signalled, start.elapsed());
                    }
                }
                Action::KillTree => {
                    if !self.tell_exit(run, start) {
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
                Action::StopReading | Action::ResumeReading => {
                    *self.gate.0.lock().unwrap_or_else(PoisonError::into_inner) = action == Action::ResumeReading;
                    self.gate.1.notify_all();
                }
                // `Run::deadline` is asked instead of keeping a timer.
                _ => {}
            }
        }

        /// Looks for the exit, without reaping it, and tells it.
        fn tell_exit(&self, run: &mut Run, start: Instant) -> bool {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            let Ok(Some(status)) = waitid(WaitId::Pid(self.pid), look) else { return false };
            run.handle(Input::Exited { code: status.exit_status(), signal: status.terminating_signal() }, start.elapsed());
            true
        }
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

    fn spawn(plan: &Plan) -> Result<Child, SpawnError> {
        let mut command = Command::new(&plan.program);
        command.args(&plan.args).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.stdin(if matches!(plan.stdin, Stdin::Null) { Stdio::null() } else { Stdio::piped() });
        for (name, _) in std::env::vars_os() {
            if !plan.keeps_variable(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        command.envs(&plan.env.set);
        if let Some(cwd) = &plan.cwd {
            command.current_dir(cwd);
        }
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

    fn this_host() -> Host {
        let mut host = Host::default();
        host.current_dir = std::env::current_dir().ok().and_then(|dir| dir.into_os_string().into_string().ok());
        host.path = std::env::var("PATH").ok();
        host
    }
}
