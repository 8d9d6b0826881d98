//! Helpers of the process tests: waiting with a deadline, and asking whether a process lives.

use std::path::Path;
use std::time::{Duration, Instant};

/// How long a test waits for something that should happen soon: far more than it takes, for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Asks again and again until `what` gives something.
///
/// # Panics
///
/// After [`PATIENCE`], naming `about`.
pub fn eventually<T>(about: &str, mut what: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(it) = what() {
            return it;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for: {about}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The number that a process has written into a file, once it is there.
///
/// # Panics
///
/// After [`PATIENCE`].
pub fn pid_in(file: &Path) -> u32 {
    eventually(&format!("a process number in {}", file.display()), || {
        std::fs::read_to_string(file).ok()?.trim().parse().ok()
    })
}

/// Whether this process, and so all it starts, was told to ignore a signal; false where that cannot be told.
#[must_use]
pub fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    let mask = u64::from_str_radix(mask.trim(), 16).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Whether the process lives: a zombie does not.
#[cfg(target_os = "linux")]
pub fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| stat.rsplit_once(')').map(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X'])))
        .unwrap_or(false)
}

/// Zombies whose parent is this very process.
#[cfg(target_os = "linux")]
pub fn own_zombies() -> Vec<u32> {
    let me = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let mut fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(me.as_str())
    })
    .collect()
}
