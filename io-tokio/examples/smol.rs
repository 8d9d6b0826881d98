//! A driver on smol, without tokio: it carries out what the run machine asks, and decides nothing.
//!
//! ```text
//! cargo run --example smol -- claude-code "Say one word." [PROGRAM]
//! ```
//!
//! What has to wait without reaping, and to find the whole tree, is plain and needs no runtime: [`Tree`], of this crate. The
//! pipes are `smol::Async`. (async-process is of no use here: it reaps a child as soon as it has ended.)
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[cfg(not(unix))]
fn main() {
    eprintln!("this example is for Unix systems");
}

#[cfg(unix)]
fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(executor), Some(prompt)) = (args.next(), args.next()) else {
        eprintln!("usage: smol EXECUTOR PROMPT [PROGRAM]");
        std::process::exit(2);
    };
    let mut request = turnline::launch::Request::new(prompt);
    request.program = args.next();
    let show = |event: &turnline::Event<'_>| {
        let mut line = Vec::new();
        event.write_json(&mut line);
        println!("{}", String::from_utf8_lossy(&line));
    };
    let run = turnline::Profile::builtin(&executor)
        .map_err(|error| error.to_string())
        .and_then(|profile| smol::block_on(driver::run(&profile, &request, show)).map_err(|error| error.to_string()));
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
    use smol::channel::{Receiver, Sender, bounded, unbounded};
    use smol::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
    use smol::{Async, Task, Timer, future};
    use std::io::ErrorKind;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    use turnline::launch::{Host, Interrupt, LaunchError, Plan, Request, Stdin, candidates, plan};
    use turnline::run::{Action, Input, Run, RunOptions};
    use turnline::{Envelope, Event, Profile, SpawnError, SpawnErrorKind};
    use turnline_tokio::tree::{Delivery, EndStep, Marker, Polite, Spawned, Tree};

    /// What tasks tell. So few wait in the channel that a slow consumer is felt by the reading task.
    enum Fact {
        Stdout(Vec<u8>),
        StdoutEnded(Option<String>),
        Stderr(Vec<u8>),
        StderrEnded,
        Written(usize),
        WriteFailed(String),
        Exited,
    }

    /// Runs an executor to its end; an error is a request that makes no plan. Dropping the future ends the process tree.
    pub async fn run(
        profile: &Profile,
        request: &Request,
        mut show: impl FnMut(&Event<'_>),
    ) -> Result<Envelope, LaunchError> {
        let start = Instant::now();
        let marker = Marker::unique();
        let mut host = Host::default();
        host.current_dir = std::env::current_dir().ok().and_then(|dir| dir.into_os_string().into_string().ok());
        host.path = std::env::var("PATH").ok();
        host.run_id = Some(marker.as_str().to_owned());
        let places = candidates(profile.command(), request, &host);
        host.resolved = places.into_iter().find(|path| std::fs::metadata(path).is_ok_and(|found| found.is_file()));
        let plan = plan(&profile.spec().launch, profile.command(), request, &host)?;
        let mut run = Run::new(profile, plan, RunOptions::default());
        let (tell, facts) = bounded(16);
        let mut driver = match spawn(run.plan(), &marker).and_then(|spawned| Driver::new(spawned, tell)) {
            Ok(driver) => {
                run.handle(Input::Started, start.elapsed());
                Some(driver)
            }
            Err(error) => {
                run.handle(Input::SpawnFailed(error), start.elapsed());
                None
            }
        };
        loop {
            while let Some(event) = run.next_event() {
                show(&event);
            }
            while let Some(action) = run.poll() {
                match (action, &mut driver) {
                    (Action::Done, _) => return Ok(run.finish()),
                    (action, Some(driver)) => driver.act(action, &mut run, start).await,
                    (_, None) => {}
                }
            }
            let killing = driver.as_ref().and_then(|driver| driver.killing);
            let until = run.deadline().into_iter().chain(killing).min();
            let fact = future::or(async { facts.recv().await.ok() }, async {
                match until.and_then(|until| start.checked_add(until)) {
                    Some(at) => _ = Timer::at(at).await,
                    None => future::pending().await,
                }
                None
            });
            let fact = fact.await;
            if let Some(driver) = &mut driver {
                driver.tell(fact, &mut run, start);
            }
        }
    }

    struct Driver {
        tree: Tree,
        /// Where the writing task gets its bytes; gone when standard input is to be closed.
        writer: Option<Sender<Vec<u8>>>,
        /// Held by the reading task for each read; empty while reading is to stop.
        gate: (Sender<()>, Receiver<()>),
        /// When to go on with ending the tree.
        killing: Option<Duration>,
        /// Dropped with the run: that ends them.
        _tasks: Vec<Task<()>>,
    }

    impl Driver {
        fn new(spawned: Spawned, tell: Sender<Fact>) -> Result<Self, SpawnError> {
            let broken = |error: std::io::Error| SpawnError::new(SpawnErrorKind::Other, error.to_string());
            let gate = bounded(1);
            let _ = gate.0.try_send(());
            let mut tasks = Vec::new();
            if let Some(stdout) = spawned.stdout {
                let from = Async::new(stdout).map_err(broken)?;
                tasks.push(read(from, tell.clone(), Some(gate.clone()), Fact::Stdout, Fact::StdoutEnded));
            }
            if let Some(stderr) = spawned.stderr {
                let from = Async::new(stderr).map_err(broken)?;
                tasks.push(read(from, tell.clone(), None, Fact::Stderr, |_| Fact::StderrEnded));
            }
            let mut writer = None;
            if let Some(stdin) = spawned.stdin {
                let mut stdin = Async::new(stdin).map_err(broken)?;
                let (send, bytes) = unbounded::<Vec<u8>>();
                let tell = tell.clone();
                writer = Some(send);
                tasks.push(smol::spawn(async move {
                    while let Ok(bytes) = bytes.recv().await {
                        let done = stdin.write_all(&bytes).await.map(|()| Fact::Written(bytes.len()));
                        let _ = tell.send(done.unwrap_or_else(|error| Fact::WriteFailed(error.to_string()))).await;
                    }
                }));
            }
            let watch = spawned.tree.exit_watch().map_err(broken)?;
            tasks.push(smol::spawn(async move {
                while !watch.has_exited() {
                    Timer::after(Duration::from_millis(5)).await;
                }
                let _ = tell.send(Fact::Exited).await;
            }));
            Ok(Driver { tree: spawned.tree, writer, gate, killing: None, _tasks: tasks })
        }

        async fn act(&mut self, action: Action, run: &mut Run, start: Instant) {
            match action {
                // In pieces that a pipe takes, so that a cancel does not wait behind a whole prompt.
                Action::Write(range) => {
                    let bytes = run.stdin(range.start..range.end.min(range.start + (64 << 10))).to_vec();
                    let _ = self.writer.as_ref().map(|writer| writer.try_send(bytes));
                }
                Action::CloseStdin => self.writer = None,
                Action::Interrupt(signal) => {
                    let signal = if signal == Interrupt::Terminate { Polite::Terminate } else { Polite::Interrupt };
                    if !self.tell_exit(run, start) && matches!(self.tree.interrupt(signal), Ok(Delivery::Sent)) {
                        run.handle(Input::Signalled, start.elapsed());
                    }
                }
                Action::KillTree => {
                    if !self.tell_exit(run, start) {
                        run.handle(Input::Signalled, start.elapsed());
                    }
                    self.kill(run, start);
                }
                Action::Reap => {
                    self.killing = None;
                    while let Ok(None) = self.tree.reap() {
                        Timer::after(Duration::from_millis(5)).await;
                    }
                    run.handle(Input::Reaped, start.elapsed());
                }
                Action::StopReading => _ = self.gate.1.try_recv(),
                Action::ResumeReading => _ = self.gate.0.try_send(()),
                // `Run::deadline` is asked instead of keeping a timer.
                _ => {}
            }
        }

        fn tell(&mut self, fact: Option<Fact>, run: &mut Run, start: Instant) {
            let now = start.elapsed();
            match fact {
                Some(Fact::Stdout(chunk)) => run.handle(Input::Stdout(&chunk), now),
                Some(Fact::StdoutEnded(None)) => run.handle(Input::StdoutClosed, now),
                Some(Fact::StdoutEnded(Some(error))) => run.handle(Input::StdoutBroken(error), now),
                Some(Fact::Stderr(chunk)) => run.handle(Input::Stderr(&chunk), now),
                Some(Fact::StderrEnded) => run.handle(Input::StderrClosed, now),
                Some(Fact::Written(bytes)) => run.handle(Input::StdinWritten(bytes), now),
                Some(Fact::WriteFailed(error)) => run.handle(Input::StdinBroken(error), now),
                Some(Fact::Exited) => _ = self.tell_exit(run, start),
                None => run.handle(Input::Tick, now),
            }
            if self.killing.is_some_and(|at| at <= now) {
                self.kill(run, start);
            }
        }

        fn kill(&mut self, run: &mut Run, start: Instant) {
            self.killing = match self.tree.end_step() {
                EndStep::Again(pause) => Some(start.elapsed() + pause),
                _ => {
                    self.tell_exit(run, start);
                    run.handle(Input::TreeGone, start.elapsed());
                    None
                }
            };
        }

        /// Looks for the exit, without reaping it, and tells it.
        fn tell_exit(&mut self, run: &mut Run, start: Instant) -> bool {
            let Ok(Some(exit)) = self.tree.exited() else { return false };
            run.handle(Input::Exited { code: exit.code, signal: exit.signal }, start.elapsed());
            true
        }
    }

    fn read(
        mut from: impl AsyncRead + Unpin + Send + 'static,
        tell: Sender<Fact>,
        gate: Option<(Sender<()>, Receiver<()>)>,
        some: fn(Vec<u8>) -> Fact,
        end: fn(Option<String>) -> Fact,
    ) -> Task<()> {
        smol::spawn(async move {
            let mut buffer = vec![0; 64 << 10];
            let error = loop {
                if let Some((open, opened)) = &gate {
                    let _ = opened.recv().await;
                    let _ = open.try_send(());
                }
                match from.read(&mut buffer).await {
                    Ok(0) => break None,
                    Ok(bytes) if tell.send(some(buffer[..bytes].to_vec())).await.is_err() => break None,
                    Err(error) if error.kind() != ErrorKind::Interrupted => break Some(error.to_string()),
                    Ok(_) | Err(_) => {}
                }
            };
            let _ = tell.send(end(error)).await;
        })
    }

    fn spawn(plan: &Plan, marker: &Marker) -> Result<Spawned, SpawnError> {
        let mut command = Command::new(&plan.program);
        command.args(&plan.args).stdout(Stdio::piped()).stderr(Stdio::piped());
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
        Tree::spawn(command, marker).map_err(|error| {
            let kind = match error.kind() {
                ErrorKind::NotFound => SpawnErrorKind::ProgramNotFound,
                ErrorKind::PermissionDenied => SpawnErrorKind::NotExecutable,
                _ => SpawnErrorKind::Other,
            };
            SpawnError::new(kind, error.to_string())
        })
    }
}
