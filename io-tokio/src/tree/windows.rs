//! The tree of a child on Windows: a job object, which every descendant is in and which is ended as a whole.
//!
//! Written against the documented interface and type-checked; it has not been run.

use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::{DROP_WITHIN, Delivery, EndStep, Ended, Exit, MARKER_VARIABLE, MAX_STEP_WAIT, Marker, Polite, Spawned};

/// How often the exit is looked for.
const POLL: Duration = Duration::from_millis(10);

type Shared = Arc<Mutex<Box<dyn ChildWrapper>>>;

/// A child process and everything it starts. See the [module documentation](super) for the order of calls.
///
/// Dropping an unreaped tree terminates its job.
#[derive(Debug)]
pub struct Tree {
    child: Shared,
    id: u32,
    marker: Marker,
    exit: Option<Exit>,
    ending: Ended,
    finished: bool,
}

impl Tree {
    /// Starts `command` in a job object of its own with the marker in its environment (it wins over what the command says of
    /// [`MARKER_VARIABLE`]).
    ///
    /// # Errors
    ///
    /// Those of [`Command::spawn`], or of creating the job; then nothing is left running.
    pub fn spawn(mut command: Command, marker: &Marker) -> io::Result<Spawned> {
        command.env(MARKER_VARIABLE, marker.as_str());
        let mut child = CommandWrap::from(command).wrap(JobObject).spawn()?;
        let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let id = child.id();
        let child = Arc::new(Mutex::new(child));
        let tree = Self { child, id, marker: marker.clone(), exit: None, ending: Ended::default(), finished: false };
        Ok(Spawned { tree, stdin, stdout, stderr })
    }

    /// The child's process number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The marker that the tree's processes carry.
    pub fn marker(&self) -> &Marker {
        &self.marker
    }

    /// How the child ended, or `None` while it runs. Does not block.
    ///
    /// # Errors
    ///
    /// Only if the system refuses to tell.
    pub fn exited(&mut self) -> io::Result<Option<Exit>> {
        if self.exit.is_none() {
            self.exit = look(&self.child)?;
        }
        Ok(self.exit)
    }

    /// Waits for the child's end, `within` at most.
    ///
    /// # Errors
    ///
    /// As [`exited`](Self::exited).
    pub fn wait(&mut self, within: Duration) -> io::Result<Option<Exit>> {
        self.exit_watch()?.wait(within);
        self.exited()
    }

    /// Something that notices the child's end while the tree is in other hands: for another thread, or for an async runtime.
    ///
    /// # Errors
    ///
    /// None on this system.
    pub fn exit_watch(&self) -> io::Result<ExitWatch> {
        Ok(ExitWatch { child: Arc::clone(&self.child) })
    }

    /// Nothing to do here: the job remembers. Always 0.
    pub fn remember(&mut self) -> usize {
        0
    }

    /// Sends nothing: a child without a shared console has no signal that it could catch ([`Delivery::Unsupported`]).
    ///
    /// # Errors
    ///
    /// If the system refuses to tell whether the child has exited.
    pub fn interrupt(&mut self, _signal: Polite) -> io::Result<Delivery> {
        Ok(if self.exited()?.is_some() { Delivery::AlreadyOver } else { Delivery::Unsupported })
    }

    /// One step of ending the whole tree: terminates the job, then waits for the child's end. Call it again after the time it names until it is done.
    pub fn end_step(&mut self) -> EndStep {
        if self.finished {
            return EndStep::Done(Ended::default());
        }
        self.ending.rounds = self.ending.rounds.saturating_add(1);
        if lock(&self.child).start_kill().is_ok() {
            self.ending.killed = 1;
        }
        match self.exited() {
            Ok(Some(_)) => EndStep::Done(std::mem::take(&mut self.ending)),
            _ => EndStep::Again(MAX_STEP_WAIT),
        }
    }

    /// Ends the whole tree: [`end_step`](Self::end_step) until it is done, `within` at most. Blocks.
    pub fn end(&mut self, within: Duration) -> Ended {
        let start = Instant::now();
        loop {
            match self.end_step() {
                EndStep::Done(ended) => return ended,
                EndStep::Again(_) if start.elapsed() >= within => return self.give_up(),
                EndStep::Again(pause) => std::thread::sleep(pause),
            }
        }
    }

    /// What [`end_step`](Self::end_step) has come to so far, for a caller whose time is over; the next step starts afresh.
    pub fn give_up(&mut self) -> Ended {
        let mut ended = std::mem::take(&mut self.ending);
        if matches!(self.exited(), Ok(None)) {
            ended.left.push(self.id);
        }
        ended
    }

    /// Ends our hold on the child if it has exited: the last thing to do with a tree. Afterwards nothing is terminated any more.
    ///
    /// # Errors
    ///
    /// If the system refuses to tell.
    pub fn reap(&mut self) -> io::Result<Option<Exit>> {
        let exit = self.exited()?;
        self.finished |= exit.is_some();
        Ok(exit)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.finished {
            self.end(DROP_WITHIN);
        }
    }
}

/// Notices a child's end.
#[derive(Debug)]
pub struct ExitWatch {
    child: Shared,
}

impl ExitWatch {
    /// Whether the child has ended. Does not block.
    pub fn has_exited(&self) -> bool {
        !matches!(look(&self.child), Ok(None))
    }

    /// Waits for the child's end, `within` at most; whether it has ended.
    pub fn wait(&self, within: Duration) -> bool {
        let start = Instant::now();
        while !self.has_exited() {
            let left = within.saturating_sub(start.elapsed());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(POLL.min(left));
        }
        true
    }
}

/// Linux only; here always empty.
pub fn leftovers(_marker: &Marker) -> Vec<u32> {
    Vec::new()
}

fn look(child: &Shared) -> io::Result<Option<Exit>> {
    let status = lock(child).try_wait()?;
    Ok(status.map(|status| Exit { code: status.code(), signal: None }))
}

/// A panic elsewhere does not make the handle wrong.
fn lock(child: &Shared) -> MutexGuard<'_, Box<dyn ChildWrapper>> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}
