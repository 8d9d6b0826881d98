//! What is told to `tracing`, where the feature is on: one span a run, and what happens to its process.

/// An event of the current run; nothing without the feature.
macro_rules! told {
    ($($what:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::debug!(target: "turnline", $($what)*)
    };
}
pub(crate) use told;

use crate::driver::Driver;
use crate::shared::Shared;

/// Starts the task of a run, in its span.
pub(crate) fn start(driver: Driver, shared: &Shared) {
    #[cfg(feature = "tracing")]
    let driver = {
        let id = shared.lock().tree.as_ref().map(crate::tree::Tree::id);
        tracing::Instrument::instrument(
            driver,
            tracing::info_span!(target: "turnline", "run", command = %shared.command, pid = id),
        )
    };
    #[cfg(not(feature = "tracing"))]
    let _ = shared;
    tokio::spawn(driver);
}
