//! The tree of a child on Unix: spawning, noticing the exit without reaping, polite signals, reaping.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::hunt::Hunt;
use super::select::{Known, Life};
use super::{DROP_WITHIN, Delivery, EndStep, Ended, Exit, MARKER_VARIABLE, Marker, Polite, Spawned, sys};

/// How often the exit is looked for where there is no pidfd.
const POLL: Duration = Duration::from_millis(5);

/// A child process and everything it starts. See the [module documentation](super) for what that is and for the order of calls.
///
/// Every method may be called from any thread; none needs a runtime. Those that look through the system's processes block for some 10 to 20 microseconds
/// per process of the machine (a few milliseconds at most on an ordinary one).
///
/// # Dropping
///
/// Dropping a tree that was not [reaped](Self::reap) ends and reaps it, which blocks for a few milliseconds, at most [`DROP_WITHIN`]: this holds in a panic, and
/// when a runtime has just been shut down. To leave a finished child's background processes alone, reap without ending.
#[derive(Debug)]
pub struct Tree {
    child: Child,
    pid: Pid,
    marker: Marker,
    /// The child's start time: no member is older.
    born: u64,
    exit_fd: Option<OwnedFd>,
    exit: Option<Exit>,
    /// The child's number, and its group's, cannot be another's: nobody has reaped it.
    held: bool,
    finished: bool,
    known: Known,
    hunt: Hunt,
}

impl Tree {
    /// Starts `command` in a process group of its own with the marker in its environment (it wins over what the command says of
    /// [`MARKER_VARIABLE`]), and asks for a large stdout pipe.
    ///
    /// # Errors
    ///
    /// Those of [`Command::spawn`]; then nothing was started.
    pub fn spawn(mut command: Command, marker: &Marker) -> io::Result<Spawned> {
        command.env(MARKER_VARIABLE, marker.as_str()).process_group(0);
        let mut child = command.spawn()?;
        // A group "number" of 0 or 1 would name other processes, or all of them: no system gives such a child.
        let Some(pid) = i32::try_from(child.id()).ok().filter(|&pid| pid > 1).and_then(Pid::from_raw) else {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other("the child has no usable process number"));
        };
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Some(stdout) = &stdout {
            // Refused beyond the user's quota: a smaller pipe is no error.
            let _ = rustix::pipe::fcntl_setpipe_size(stdout, super::STDOUT_PIPE_BYTES);
        }
        let born = sys::start_time(child.id()).unwrap_or(0);
        let tree = Self {
            exit_fd: sys::exit_fd(pid),
            child,
            pid,
            marker: marker.clone(),
            born,
            exit: None,
            held: true,
            finished: false,
            known: Known::new(),
            hunt: Hunt::default(),
        };
        Ok(Spawned { tree, stdin, stdout, stderr })
    }

    /// The child's process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The marker that the tree's processes carry.
    pub fn marker(&self) -> &Marker {
        &self.marker
    }

    /// How the child ended, or `None` while it runs. Does not block, and does not reap: its number stays taken.
    ///
    /// # Errors
    ///
    /// Only if the system refuses to tell (never seen for an own child).
    pub fn exited(&mut self) -> io::Result<Option<Exit>> {
        if self.exit.is_none() {
            match peek(self.pid)? {
                Peek::Running => {}
                Peek::Exited(exit) => self.exit = Some(exit),
                Peek::Lost => self.lost(),
            }
        }
        Ok(self.exit)
    }

    /// Waits for the child's end, `within` at most, without reaping it.
    ///
    /// # Errors
    ///
    /// As [`exited`](Self::exited).
    pub fn wait(&mut self, within: Duration) -> io::Result<Option<Exit>> {
        if let Some(exit) = self.exited()? {
            return Ok(Some(exit));
        }
        wait_for_exit(self.exit_fd.as_ref().map(AsFd::as_fd), self.pid, within);
        self.exited()
    }

    /// Something that notices the child's end (without reaping it) while the tree is in other hands: for another thread, or for an async runtime.
    ///
    /// # Errors
    ///
    /// If no file descriptor is left.
    pub fn exit_watch(&self) -> io::Result<ExitWatch> {
        let fd = self.exit_fd.as_ref().map(OwnedFd::try_clone).transpose()?;
        Ok(ExitWatch { fd, pid: self.pid })
    }

    /// Looks for the tree's processes and remembers them, so that they are found later when their parents are gone. Returns how many are alive.
    ///
    /// [`interrupt`](Self::interrupt) and ending do it by themselves; calling it now and then during a run also catches processes
    /// that give up the marker, the group and their parents. What is remembered is bounded by what is alive.
    pub fn remember(&mut self) -> usize {
        self.look(false).map_or(0, |members| members.iter().filter(|m| m.life != Life::Zombie).count())
    }

    /// Sends a polite signal to the process group, as a terminal does it: shims do not pass signals on. Remembers the tree first.
    ///
    /// It looks for the child's exit just before: the answer tells whether the child had already ended by itself. Processes outside the group get nothing.
    ///
    /// # Errors
    ///
    /// If the system refuses the signal.
    pub fn interrupt(&mut self, signal: Polite) -> io::Result<Delivery> {
        let members = self.look(false);
        let exited = self.exited()?.is_some();
        if !self.held {
            return Ok(Delivery::AlreadyOver);
        }
        let group = self.id();
        let empty = members.is_some_and(|all| !all.iter().any(|m| m.group == group && m.life != Life::Zombie));
        if exited && empty {
            return Ok(Delivery::AlreadyOver);
        }
        let signal = match signal {
            Polite::Interrupt => Signal::INT,
            Polite::Terminate => Signal::TERM,
            Polite::Hangup => Signal::HUP,
        };
        match kill_process_group(self.pid, signal) {
            Ok(()) if exited => Ok(Delivery::SentAfterExit),
            Ok(()) => Ok(Delivery::Sent),
            // What macOS says of a group of zombies, and any system of an empty one.
            Err(Errno::SRCH | Errno::PERM) if exited => Ok(Delivery::AlreadyOver),
            Err(error) => Err(error.into()),
        }
    }

    /// One step of killing the whole tree; does not block beyond one look through the system's processes. Call it again after the time it
    /// names until it is done, for as long as you care to; each call does what is right at that moment, so steps may be left out.
    ///
    /// First the processes are stopped until no new ones turn up, so that nothing escapes by forking and parent links stay whole;
    /// then all are killed, again and again, until two looks in a row find none alive.
    pub fn end_step(&mut self) -> EndStep {
        if self.finished {
            return EndStep::Done(Ended::default());
        }
        let members = self.look(true);
        let exited = self.exited().ok().flatten().is_some();
        let group = self.held.then_some(self.pid);
        self.hunt.step(members.as_deref(), group, exited)
    }

    /// Kills the whole tree: [`end_step`](Self::end_step) until it is done, `within` at most. Blocks; usually for a few milliseconds.
    pub fn end(&mut self, within: Duration) -> Ended {
        let start = Instant::now();
        loop {
            let pause = match self.end_step() {
                EndStep::Done(ended) => return ended,
                EndStep::Again(pause) => pause,
            };
            if start.elapsed() >= within {
                return self.give_up();
            }
            std::thread::sleep(pause);
        }
    }

    /// What [`end_step`](Self::end_step) has come to so far, for a caller whose time is over; the next step starts afresh.
    pub fn give_up(&mut self) -> Ended {
        let members = self.look(false);
        self.hunt.give_up(members.as_deref())
    }

    /// Reaps the child if it has exited: the last thing to do with a tree. Does not block; `None` while the child runs.
    /// Afterwards nothing is signalled any more, by whatever method, and dropping does nothing.
    ///
    /// # Errors
    ///
    /// If the system refuses to tell.
    pub fn reap(&mut self) -> io::Result<Option<Exit>> {
        if self.finished {
            return Ok(self.exit);
        }
        match self.child.try_wait() {
            Ok(None) => return Ok(None),
            Ok(Some(status)) => {
                self.held = false;
                self.exit = Some(Exit { code: status.code(), signal: status.signal() });
            }
            Err(error) if error.raw_os_error() == Some(Errno::CHILD.raw_os_error()) => self.lost(),
            Err(error) => return Err(error),
        }
        self.finished = true;
        self.exit_fd = None;
        self.known = Known::new();
        Ok(self.exit)
    }

    /// Someone else has reaped the child: its number may be another's now.
    fn lost(&mut self) {
        self.held = false;
        self.exit.get_or_insert(Exit::UNKNOWN);
    }

    /// The tree's processes now, zombies included; `None` where the system cannot list processes. With `stop`, those that carry the marker are stopped at sight.
    fn look(&mut self, stop: bool) -> Option<Vec<super::select::Proc>> {
        if self.finished {
            return Some(Vec::new());
        }
        // Before the look: what it shows of our child's number is then either held by us or known to be lost.
        let _ = self.exited();
        let procs = sys::snapshot(&self.marker, self.born, stop)?;
        self.hunt.unsure = procs.iter().any(|p| p.mark == super::select::Mark::Unsure);
        let root = self.held.then(|| self.child.id());
        let members = super::select::select(&procs, root, &self.known, std::process::id());
        self.known = members.iter().map(|m| (m.pid, m.start)).collect();
        self.reap_adopted(&members);
        Some(members)
    }

    /// Orphans become children of process 1 or of a "subreaper". If that is this very process, nobody else buries them.
    fn reap_adopted(&self, members: &[super::select::Proc]) {
        let me = std::process::id();
        for orphan in members.iter().filter(|m| m.life == Life::Zombie && m.parent == me && m.pid != self.id()) {
            if let Some(pid) = i32::try_from(orphan.pid).ok().and_then(Pid::from_raw) {
                let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
            }
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        self.end(DROP_WITHIN);
        if matches!(self.reap(), Ok(None)) {
            // It was killed and does not die (it waits for a device, say): somebody must reap it when it does.
            let pid = self.pid;
            let _ = std::thread::Builder::new()
                .name("turnline-reap".into())
                .spawn(move || while matches!(waitid(WaitId::Pid(pid), WaitIdOptions::EXITED), Err(Errno::INTR)) {});
        }
    }
}

/// Notices a child's end without reaping it. Independent of the [`Tree`] it came from: it may outlive it, and then tells that the child has ended.
#[derive(Debug)]
pub struct ExitWatch {
    fd: Option<OwnedFd>,
    pid: Pid,
}

impl ExitWatch {
    /// Whether the child has ended. Does not block.
    pub fn has_exited(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Waits for the child's end, `within` at most; whether it has ended.
    pub fn wait(&self, within: Duration) -> bool {
        wait_for_exit(self.fd(), self.pid, within)
    }

    /// A file descriptor that becomes readable when the child ends (a pidfd): Linux 5.3 and later, else `None`.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.fd.as_ref().map(AsFd::as_fd)
    }
}

/// The numbers of all living processes that carry the marker (or one nested in it): proof that a run has left nothing.
/// Linux only; elsewhere empty.
pub fn leftovers(marker: &Marker) -> Vec<u32> {
    sys::marked(marker)
}

enum Peek {
    Running,
    Exited(Exit),
    /// Not our child any more.
    Lost,
}

/// Looks for the exit and leaves the child to be reaped.
fn peek(pid: Pid) -> io::Result<Peek> {
    loop {
        return match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT) {
            Ok(None) => Ok(Peek::Running),
            Ok(Some(status)) => {
                Ok(Peek::Exited(Exit { code: status.exit_status(), signal: status.terminating_signal() }))
            }
            Err(Errno::CHILD) => Ok(Peek::Lost),
            Err(Errno::INTR) => continue,
            Err(error) => Err(error.into()),
        };
    }
}

/// Whether the child has ended, `within` at most.
fn wait_for_exit(fd: Option<BorrowedFd<'_>>, pid: Pid, within: Duration) -> bool {
    let start = Instant::now();
    loop {
        let left = within.saturating_sub(start.elapsed());
        if let Some(fd) = fd {
            let timeout = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::new(&fd, PollFlags::IN)], timeout.as_ref()) {
                Ok(ready) => return ready > 0,
                Err(Errno::INTR) => continue,
                // Fall back to looking.
                Err(_) => {}
            }
        }
        if !matches!(peek(pid), Ok(Peek::Running)) {
            return true;
        }
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(POLL.min(left));
    }
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn piped(program: &str) -> Spawned {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env(MARKER_VARIABLE, "loses");
        Tree::spawn(command, &Marker::unique()).unwrap()
    }

    #[test]
    fn only_the_stdout_pipe_is_large() {
        let spawned = piped("cat");
        let (stdin, stdout, stderr) = (spawned.stdin.unwrap(), spawned.stdout.unwrap(), spawned.stderr.unwrap());
        assert_eq!(rustix::pipe::fcntl_getpipe_size(&stdout).unwrap(), 1 << 20);
        assert_eq!(rustix::pipe::fcntl_getpipe_size(&stdin).unwrap(), 1 << 16);
        assert_eq!(rustix::pipe::fcntl_getpipe_size(&stderr).unwrap(), 1 << 16);
    }

    #[test]
    fn the_child_leads_its_group_and_carries_the_marker() {
        use std::io::Read as _;
        let spawned = piped("env");
        let id = spawned.tree.pid;
        assert_eq!(rustix::process::getpgid(Some(id)).unwrap(), id);
        let mut text = String::new();
        spawned.stdout.unwrap().read_to_string(&mut text).unwrap();
        let want = format!("TURNLINE_RUN={}", spawned.tree.marker());
        assert_eq!(text.lines().filter(|line| line.starts_with("TURNLINE_RUN=")).collect::<Vec<_>>(), [want.as_str()]);
    }
}
