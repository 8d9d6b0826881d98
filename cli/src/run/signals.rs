//! Signals that cancel a run: the first politely, every later one by force.

use std::io;
use tokio::sync::watch;
use turnline_tokio::Canceller;

/// Handlers that are in place; what comes before [`listen`](Signals::listen) is not lost.
pub(super) struct Signals {
    sources: Vec<Source>,
}

#[cfg(unix)]
type Source = tokio::signal::unix::Signal;
#[cfg(windows)]
type Source = tokio::signal::windows::CtrlC;

impl Signals {
    #[cfg(unix)]
    pub(super) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        // What the caller ignores (`nohup`, a job in the background) stays ignored.
        let heard = kinds.into_iter().filter(|kind| !is_ignored(kind.as_raw_value()));
        Ok(Signals { sources: heard.map(signal).collect::<Result<_, _>>()? })
    }

    #[cfg(windows)]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Signals { sources: vec![tokio::signal::windows::ctrl_c()?] })
    }

    /// Cancels with `canceller` from now on; counts the signals.
    pub(super) fn listen(self, canceller: Canceller) -> watch::Receiver<u32> {
        let (count, counted) = watch::channel(0);
        let count = std::sync::Arc::new(count);
        for mut source in self.sources {
            let (count, canceller) = (count.clone(), canceller.clone());
            tokio::spawn(async move {
                while source.recv().await.is_some() {
                    let mut first = false;
                    count.send_modify(|count| {
                        first = *count == 0;
                        *count += 1;
                    });
                    if first {
                        canceller.cancel();
                    } else {
                        canceller.kill();
                    }
                }
            });
        }
        counted
    }
}

/// Whether this process was started with the signal ignored. Only Linux tells without unsafe code.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
