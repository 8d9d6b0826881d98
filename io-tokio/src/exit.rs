//! Waiting for a child's end on tokio, without reaping it.

use std::time::Duration;

use crate::tree::ExitWatch;

/// How often the exit is looked for where the system gives no readiness for it.
const POLL: Duration = Duration::from_millis(10);

/// Completes when the watched child has exited (it is not reaped by this).
///
/// On Linux it is woken by the child's pidfd, elsewhere it looks every 10 ms.
///
/// # Panics
///
/// Outside a tokio runtime, or in one without I/O and time enabled.
///
/// # Cancel safety
///
/// Cancel safe: nothing is consumed, and a later call completes at once if the child has exited meanwhile.
pub async fn exited(watch: &ExitWatch) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(fd) = watch.fd() {
        use tokio::io::{Interest, unix::AsyncFd};
        // The unsafe successor of this call asks for a promise (the descriptor stays open, and the same) that the type of `fd` makes already.
        #[allow(deprecated)]
        let ready = AsyncFd::with_interest(fd, Interest::READABLE);
        // Refused, for one, when the same watch is waited on twice at once: then polling serves.
        if let Ok(ready) = ready {
            loop {
                if watch.has_exited() {
                    return;
                }
                match ready.readable().await {
                    Ok(mut guard) => {
                        if watch.has_exited() {
                            return;
                        }
                        guard.clear_ready();
                    }
                    Err(_) => break,
                }
            }
        }
    }
    while !watch.has_exited() {
        tokio::time::sleep(POLL).await;
    }
}
