//! Noticing that the reader of standard output has gone while nothing is written: an executor may think for minutes.

#[cfg(unix)]
use std::os::fd::{AsFd as _, OwnedFd};

/// Watches standard output.
pub(super) struct Watch {
    #[cfg(unix)]
    fd: Option<tokio::io::unix::AsyncFd<OwnedFd>>,
}

impl Watch {
    #[cfg(unix)]
    pub(super) fn new() -> Self {
        use tokio::io::{Interest, unix::AsyncFd};
        // Of the reader's going away alone, never of room. Files cannot be watched, and have no reader to go.
        let fd = std::io::stdout().as_fd().try_clone_to_owned().ok();
        // The unsafe successor of this call asks for a promise (the descriptor stays open, and the same) that the type makes already.
        #[allow(deprecated)]
        let fd = fd.and_then(|fd| AsyncFd::with_interest(fd, Interest::ERROR).ok());
        Watch { fd }
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> Self {
        Watch {}
    }

    /// Completes when the reader has gone, where the system tells.
    pub(super) async fn gone(&self) {
        #[cfg(unix)]
        if let Some(fd) = &self.fd {
            use tokio::io::Interest;
            while let Ok(mut guard) = fd.ready(Interest::ERROR).await {
                if guard.ready().is_error() {
                    return;
                }
                guard.clear_ready();
            }
        }
        std::future::pending().await
    }
}
