//! Linux: the system's processes from `/proc`, signals through pidfds.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::marker::Marker;
use super::select::{Life, Mark, Proc};

/// Longest environment block that is read (bytes): the kernel's own bound on arguments and environment is of this order.
const MAX_ENVIRON: u64 = 8 << 20;

/// Lists of `/proc` that one snapshot takes at most.
const MAX_PASSES: u32 = 16;
/// How many of them read again what showed no environment.
const UNSURE_PASSES: u32 = 3;

/// Every process of the system, or `None` where `/proc` cannot be read.
///
/// The environment is read only of processes that are not older than the run (`born`, a start time): the others cannot carry its marker.
/// `/proc` is listed again until nothing new turns up: while a list is worked off, a process may start another and be gone, and a chain of such
/// could stay out of sight for ever. With `stop`, processes that carry the marker are stopped as they are seen, or the chain would be gone before it is hit.
///
/// What is older than the run is left out (no member is), without being read where an earlier look has read it: see [`Ages`]. About 2 microseconds for such a
/// process, 10 to 20 for any other.
pub(super) fn snapshot(marker: &Marker, born: u64, stop: bool) -> Option<Vec<Proc>> {
    let mut buffer = Vec::with_capacity(4096);
    let mut procs: Vec<Proc> = Vec::with_capacity(256);
    // Where it is in `procs`; `OLDER` for what is left out.
    let mut seen: HashMap<u32, usize> = HashMap::with_capacity(256);
    let mut ages = Ages::default();
    for pass in 0..MAX_PASSES {
        let mut fresh = false;
        for entry in std::fs::read_dir("/proc").ok()? {
            let Some(pid) = entry.ok().and_then(|e| e.file_name().to_str()?.parse::<u32>().ok()) else {
                continue;
            };
            let at = seen.get(&pid).copied();
            if at == Some(OLDER)
                || at.and_then(|at| procs.get(at)).is_some_and(|p| p.mark != Mark::Unsure || pass >= UNSURE_PASSES)
            {
                continue;
            }
            let identity = at.is_none().then(|| Identity::of(pid)).flatten();
            if identity.is_some_and(|identity| ages.is_older(pid, identity, born)) {
                // It was there before the run: no reason for another pass.
                seen.insert(pid, OLDER);
                continue;
            }
            fresh |= at.is_none();
            // A process that is gone meanwhile is no process; what it has started is in the next list.
            let Some(proc) = examine(pid, marker, born, &mut buffer) else {
                continue;
            };
            if let Some(identity) = identity {
                ages.learn(pid, identity, proc.start);
            }
            if proc.start < born {
                seen.insert(pid, OLDER);
                continue;
            }
            if stop && proc.mark == Mark::Ours && proc.life == Life::Running {
                send(&proc, Signal::STOP);
            }
            match at.and_then(|at| procs.get_mut(at)) {
                Some(known) => *known = proc,
                None => {
                    seen.insert(pid, procs.len());
                    procs.push(proc);
                }
            }
        }
        if !fresh {
            break;
        }
    }
    ages.keep(&seen);
    // A /proc in which not even we are is of no use (mounted for another process namespace).
    seen.contains_key(&std::process::id()).then_some(procs)
}

/// In place of a position: the process is older than the run.
const OLDER: usize = usize::MAX;

/// What names a process by its folder in `/proc` alone, which is cheaper to ask than to read a file there: the folder's inode belongs to the process, not to its number,
/// and is made once, at a time of its own. (It may be made again for the same process: then its age is read again.)
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    inode: u64,
    made: (i64, i64),
}

impl Identity {
    fn of(pid: u32) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::symlink_metadata(format!("/proc/{pid}")).ok()?;
        Some(Self { inode: found.ino(), made: (found.ctime(), found.ctime_nsec()) })
    }
}

/// The start times of processes that were read before, by whichever run; as many as there are processes.
static AGES: Mutex<Option<HashMap<u32, (Identity, u64)>>> = Mutex::new(None);

/// The start times as they are known to one look. Looks that go on at the same time each have what was known when they began.
struct Ages(HashMap<u32, (Identity, u64)>);

impl Default for Ages {
    fn default() -> Self {
        let mut ages = AGES.lock().unwrap_or_else(PoisonError::into_inner);
        Self(ages.take().unwrap_or_default())
    }
}

impl Ages {
    fn is_older(&self, pid: u32, identity: Identity, born: u64) -> bool {
        self.0.get(&pid).is_some_and(|(known, start)| *known == identity && *start < born)
    }

    fn learn(&mut self, pid: u32, identity: Identity, start: u64) {
        self.0.insert(pid, (identity, start));
    }

    /// Keeps what is known of the processes that are there.
    fn keep(mut self, seen: &HashMap<u32, usize>) {
        self.0.retain(|pid, _| seen.contains_key(pid));
        *AGES.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.0);
    }
}

/// When the process with this number started (clock ticks since boot); `None` if there is none.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    stat(pid, &mut Vec::with_capacity(512)).map(|p| p.start)
}

/// The processes that carry the marker and are alive.
pub(super) fn marked(marker: &Marker) -> Vec<u32> {
    let procs = snapshot(marker, 0, false).unwrap_or_default();
    procs.iter().filter(|p| p.mark == Mark::Ours && p.life != Life::Zombie).map(|p| p.pid).collect()
}

/// A file descriptor that names the process with this number for ever and becomes readable when it exits.
/// Exact for a child that is not reaped.
pub(super) fn exit_fd(pid: Pid) -> Option<OwnedFd> {
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Signals exactly this process; a later process with the same number is never hit. False if there is nothing to hit any more or it is not allowed.
pub(super) fn send(proc: &Proc, signal: Signal) -> bool {
    let Some(pid) = i32::try_from(proc.pid).ok().and_then(Pid::from_raw) else {
        return false;
    };
    // Open first, check afterwards: what the descriptor names cannot change in between.
    let opened = pidfd_open(pid, PidfdFlags::empty());
    if !same_process(proc, start_time(proc.pid)) {
        return false;
    }
    match opened {
        Ok(fd) => pidfd_send_signal(fd, signal).is_ok(),
        Err(Errno::SRCH) => false,
        // No pidfds (an old kernel, a filter) or no descriptor left.
        Err(_) => kill_process(pid, signal).is_ok(),
    }
}

/// Whether the process that has the number now is the one that was seen.
fn same_process(seen: &Proc, start_now: Option<u64>) -> bool {
    start_now == Some(seen.start)
}

fn read_into(pid: u32, file: &str, max: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    File::open(format!("/proc/{pid}/{file}"))?.take(max).read_to_end(buffer).map(drop)
}

fn stat(pid: u32, buffer: &mut Vec<u8>) -> Option<Proc> {
    read_into(pid, "stat", 4096, buffer).ok()?;
    parse_stat(pid, buffer)
}

/// One process with its mark; `None` if it is gone.
fn examine(pid: u32, marker: &Marker, born: u64, buffer: &mut Vec<u8>) -> Option<Proc> {
    let mut proc = stat(pid, buffer)?;
    if proc.start >= born && proc.life != Life::Zombie {
        proc.mark = match read_into(pid, "environ", MAX_ENVIRON, buffer) {
            Ok(()) if buffer.is_empty() => Mark::Unsure,
            Ok(()) if marker.is_in(buffer) => Mark::Ours,
            Ok(()) => Mark::Other,
            // Another user's.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Mark::Other,
            Err(_) => return None,
        };
    }
    Some(proc)
}

/// A line of `/proc/PID/stat`: `pid (name) state parent group session ...`; the name may hold spaces, parentheses and newlines.
fn parse_stat(pid: u32, line: &[u8]) -> Option<Proc> {
    let after = line.iter().rposition(|&b| b == b')')? + 1;
    let text = std::str::from_utf8(line.get(after..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    // Fields 7 to 19 lie between, then `num_threads` (20), `itrealvalue` (21), `starttime` (22).
    let threads: u32 = fields.nth(13)?.parse().ok()?;
    let start = fields.nth(1)?.parse().ok()?;
    let life = match state {
        // A process whose first thread has ended looks like a zombie while its other threads live on.
        "Z" | "X" | "x" if threads <= 1 => Life::Zombie,
        "T" | "t" => Life::Stopped,
        _ => Life::Running,
    };
    Some(Proc { pid, parent, group, session, start, life, mark: Mark::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, state: &str, threads: u32) -> String {
        format!(
            "77 ({name}) {state} 5 6 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 {threads} 0 123456 1000 200 18446744073709551615 1\n"
        )
    }

    #[test]
    fn reads_a_stat_line_whatever_the_name() {
        for name in ["sh", "a b", "x) S 9 9 9", "(((", "new\nline"] {
            let proc = parse_stat(77, line(name, "S", 1).as_bytes()).unwrap();
            let want = Proc {
                pid: 77,
                parent: 5,
                group: 6,
                session: 7,
                start: 123_456,
                life: Life::Running,
                mark: Mark::Other,
            };
            assert_eq!(proc, want, "{name:?}");
        }
    }

    #[test]
    fn tells_the_dead_from_the_living() {
        let life = |state, threads| parse_stat(77, line("x", state, threads).as_bytes()).unwrap().life;
        assert_eq!(life("R", 1), Life::Running);
        assert_eq!(life("D", 1), Life::Running);
        assert_eq!(life("T", 1), Life::Stopped);
        assert_eq!(life("t", 1), Life::Stopped);
        assert_eq!(life("Z", 1), Life::Zombie);
        assert_eq!(life("Z", 0), Life::Zombie);
        // Its first thread has ended, two others have not.
        assert_eq!(life("Z", 3), Life::Running);
    }

    #[test]
    fn cut_or_foreign_stat_lines_are_no_process() {
        for bad in ["", "77", "77 (x)", "77 (x) S 1 2", "77 (x) S a b c 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 5", "\u{fffd}"] {
            assert!(parse_stat(77, bad.as_bytes()).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn a_number_used_again_is_not_the_process_that_was_seen() {
        let seen =
            Proc { pid: 77, parent: 1, group: 77, session: 77, start: 500, life: Life::Running, mark: Mark::Ours };
        assert!(same_process(&seen, Some(500)));
        assert!(!same_process(&seen, Some(501)));
        assert!(!same_process(&seen, None));
    }

    #[test]
    fn a_signal_for_an_earlier_process_does_not_reach_the_one_that_has_its_number() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut buffer = Vec::new();
        let now = stat(child.id(), &mut buffer).unwrap();
        let earlier = Proc { start: now.start - 1, ..now };
        assert!(!send(&earlier, Signal::KILL));
        assert!(child.try_wait().unwrap().is_none());
        assert!(send(&now, Signal::KILL));
        child.wait().unwrap();
        // Reaped: the number is free, and nothing is hit.
        assert!(!send(&now, Signal::KILL));
    }

    #[test]
    fn sees_itself_with_the_environment_it_was_started_with() {
        let procs = snapshot(&Marker::unique(), 0, false).unwrap();
        let me = procs.iter().find(|p| p.pid == std::process::id()).unwrap();
        assert_eq!(me.mark, Mark::Other);
        assert_eq!(Some(me.start), start_time(me.pid));
        let later = snapshot(&Marker::unique(), u64::MAX, false).unwrap();
        assert!(later.iter().all(|p| p.mark == Mark::Other));
    }
}
