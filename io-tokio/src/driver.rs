//! The task of a run: it carries out what the machine asks, tells what happened, and decides nothing.

use crate::shared::{Shared, wake};
use crate::trace::told;
use crate::tree::{Spawned, Tree};
use std::future::Future;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use turnline::run::{Action, Input};

/// Bytes read at a time.
const READ: usize = 64 << 10;
/// Bytes offered to the pipe at a time: what an ordinary pipe takes.
const WRITE: usize = 64 << 10;
/// How often the exit, or a reaping that did not succeed, is looked for where nothing tells it.
const LOOK: Duration = Duration::from_millis(10);

/// The task. It moves all pipes at the same time, in one place, so that no order of them can block another.
pub(crate) struct Driver {
    shared: Arc<Shared>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    exit: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    token: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    timer: Pin<Box<Sleep>>,
    /// What the timer is set to.
    armed: Option<Duration>,
    /// When to go on with ending the tree, or with reaping.
    step: Option<(Duration, Step)>,
    /// What is to be written.
    write: Option<Range<usize>>,
    reading: bool,
    buffer: Box<[u8]>,
}

#[derive(Clone, Copy)]
enum Step {
    Kill,
    Reap,
}

/// The pipes of a child that was started, ready for tokio.
pub(crate) struct Pipes {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

impl Pipes {
    /// Takes over the pipes. On an error the tree is dropped, which ends it.
    pub(crate) fn of(spawned: Spawned) -> io::Result<(Tree, Self)> {
        let pipes = Pipes {
            stdin: spawned.stdin.map(ChildStdin::from_std).transpose()?,
            stdout: spawned.stdout.map(ChildStdout::from_std).transpose()?,
            stderr: spawned.stderr.map(ChildStderr::from_std).transpose()?,
        };
        Ok((spawned.tree, pipes))
    }
}

impl Driver {
    pub(crate) fn new(shared: &Arc<Shared>, pipes: Pipes, token: Option<&CancellationToken>) -> Self {
        Driver {
            exit: Some(exit(shared)),
            shared: Arc::clone(shared),
            stdin: pipes.stdin,
            stdout: pipes.stdout,
            stderr: pipes.stderr,
            token: token.map(|token| Box::pin(token.clone().cancelled_owned())),
            timer: Box::pin(tokio::time::sleep_until(shared.begin)),
            armed: None,
            step: None,
            write: None,
            reading: true,
            buffer: vec![0; READ].into(),
        }
    }

    /// Carries out what is asked, until nothing is asked any more; true: the run is over.
    fn act(&mut self, cx: &mut Context<'_>) -> bool {
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        if state.over {
            return true;
        }
        while let Some(action) = state.run.as_mut().and_then(turnline::run::Run::poll) {
            match action {
                Action::Write(range) => self.write = Some(range),
                Action::CloseStdin => {
                    self.write = None;
                    self.stdin = None;
                }
                Action::Interrupt(signal) => state.interrupt(signal),
                Action::KillTree => {
                    state.begin_kill();
                    self.step = state.kill_step().map(|at| (at, Step::Kill));
                }
                Action::Reap => {
                    let again = (!state.reap()).then(|| state.now().saturating_add(LOOK));
                    self.step = again.map(|at| (at, Step::Reap));
                }
                Action::StopReading | Action::ResumeReading => {
                    self.reading = action == Action::ResumeReading;
                    state.paused = !self.reading;
                    told!(reading = self.reading, "read-ahead");
                }
                Action::Done => {
                    told!("over");
                    state.over = true;
                    let (tree, consumer) = (state.tree.take(), state.consumer.take());
                    drop(state);
                    give_up(tree);
                    wake(consumer);
                    return true;
                }
                // `Run::deadline` is asked instead of keeping the timer that it sets.
                _ => {}
            }
        }
        if !state.driver.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.driver = Some(cx.waker().clone());
        }
        let deadline = state.run.as_ref().and_then(turnline::run::Run::deadline);
        drop(state);
        self.arm(deadline);
        false
    }

    fn arm(&mut self, deadline: Option<Duration>) {
        let wanted = deadline.into_iter().chain(self.step.map(|(at, _)| at)).min();
        if self.armed != wanted {
            // A time beyond all clocks never comes.
            let at = wanted.and_then(|wanted| self.shared.begin.checked_add(wanted));
            self.armed = at.and(wanted);
            if let Some(at) = at {
                self.timer.as_mut().reset(at);
            }
        }
    }

    fn tell(&self, input: Input<'_>) {
        let mut state = self.shared.lock();
        state.tell(input);
        let consumer = if state.discard { None } else { state.consumer.take() };
        drop(state);
        wake(consumer);
    }

    fn poll_stdout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(stdout) = self.stdout.as_mut().filter(|_| self.reading) else { return Poll::Pending };
        let mut buffer = ReadBuf::new(&mut self.buffer);
        let read = ready!(Pin::new(stdout).poll_read(cx, &mut buffer)).map(|()| buffer.filled().len());
        match read {
            Ok(0) => {
                self.stdout = None;
                self.tell(Input::StdoutClosed);
            }
            Ok(read) => self.tell(Input::Stdout(self.buffer.get(..read).unwrap_or_default())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.stdout = None;
                self.tell(Input::StdoutBroken(format!("reading standard output: {error}")));
            }
        }
        Poll::Ready(())
    }

    fn poll_stderr(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(stderr) = &mut self.stderr else { return Poll::Pending };
        let mut buffer = ReadBuf::new(&mut self.buffer);
        let read = ready!(Pin::new(stderr).poll_read(cx, &mut buffer)).map(|()| buffer.filled().len());
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => {
                self.stderr = None;
                self.tell(Input::StderrClosed);
            }
            Ok(read) => self.tell(Input::Stderr(self.buffer.get(..read).unwrap_or_default())),
        }
        Poll::Ready(())
    }

    fn poll_stdin(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (Some(stdin), Some(range)) = (&mut self.stdin, &self.write) else { return Poll::Pending };
        let range = range.start..range.end.min(range.start.saturating_add(WRITE));
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        let Some(run) = &mut state.run else { return Poll::Pending };
        let written = ready!(Pin::new(stdin).poll_write(cx, run.stdin(range)));
        match written {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(written) if written > 0 => {
                self.write = None;
                state.tell(Input::StdinWritten(written));
            }
            other => {
                self.write = None;
                let error = other.err().map_or_else(|| "it takes nothing".to_owned(), |error| error.to_string());
                state.tell(Input::StdinBroken(format!("writing standard input: {error}")));
            }
        }
        Poll::Ready(())
    }

    fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(exit) = &mut self.exit else { return Poll::Pending };
        ready!(exit.as_mut().poll(cx));
        self.exit = None;
        self.shared.lock().tell_exit();
        Poll::Ready(())
    }

    fn poll_token(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(token) = &mut self.token else { return Poll::Pending };
        ready!(token.as_mut().poll(cx));
        self.token = None;
        self.tell(Input::Cancel);
        Poll::Ready(())
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.armed.is_none() {
            return Poll::Pending;
        }
        ready!(self.timer.as_mut().poll(cx));
        self.armed = None;
        let mut state = self.shared.lock();
        let now = state.now();
        match self.step.filter(|(at, _)| *at <= now) {
            Some((_, Step::Kill)) => self.step = state.kill_step().map(|at| (at, Step::Kill)),
            Some((_, Step::Reap)) => {
                let again = (!state.reap()).then(|| state.now().saturating_add(LOOK));
                self.step = again.map(|at| (at, Step::Reap));
            }
            None => {}
        }
        state.tell(Input::Tick);
        Poll::Ready(())
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        loop {
            if this.act(cx) {
                return Poll::Ready(());
            }
            // Each is asked in every round: none can starve another.
            let moved = [
                this.poll_stdout(cx),
                this.poll_stderr(cx),
                this.poll_stdin(cx),
                this.poll_exit(cx),
                this.poll_token(cx),
                this.poll_timer(cx),
            ];
            if moved.iter().all(Poll::is_pending) {
                return Poll::Pending;
            }
        }
    }
}

impl Drop for Driver {
    /// The runtime shuts down, or a bug has made this task panic: nothing may be left behind all the same.
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if !state.over {
            state.end_now();
            let consumer = state.consumer.take();
            drop(state);
            wake(consumer);
        }
    }
}

/// Completes when the process has exited.
fn exit(shared: &Arc<Shared>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let watch = shared.lock().tree.as_ref().map(Tree::exit_watch);
    match watch {
        Some(Ok(watch)) => Box::pin(async move { crate::exit::exited(&watch).await }),
        _ => {
            // No file descriptor is left: it is looked for now and then.
            let shared = Arc::downgrade(shared);
            Box::pin(async move {
                while let Some(shared) = shared.upgrade() {
                    if shared.lock().tree.as_mut().is_none_or(|tree| !matches!(tree.exited(), Ok(None))) {
                        break;
                    }
                    drop(shared);
                    tokio::time::sleep(LOOK).await;
                }
            })
        }
    }
}

/// Lets go of processes that could not be ended in time. That may block: not here.
fn give_up(tree: Option<Tree>) {
    if let Some(tree) = tree {
        let _ = std::thread::Builder::new().name("turnline-end".into()).spawn(move || drop(tree));
    }
}
