//! A run that was started, as its consumer sees it.

use crate::shared::{Shared, wake};
use futures_core::Stream;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use tokio::task::coop;
use turnline::run::Input;
use turnline::{Envelope, Event, EventKind, SpawnError};

/// A run that goes on, or has ended: its events, and its envelope.
///
/// A task on the runtime carries it; this handle takes what it has read. Taking no events stops nothing but,
/// once the read-ahead is full, the reading.
///
/// # Dropping
///
/// Dropping a run that is not over ends its whole process tree at once, by force: there is nobody left to wait for a
/// grace. It blocks while it does so: some milliseconds, at most [`DROP_WITHIN`](crate::tree::DROP_WITHIN) (2 s). So it
/// holds in a panic too, and right before the runtime shuts down. To end a run politely, [`cancel`](Run::cancel) it and
/// [`wait`](Run::wait).
///
/// A runtime that shuts down while the run goes on ends the process tree in the same way; the envelope then says that the
/// run was cancelled.
pub struct Run {
    pub(crate) shared: Arc<Shared>,
    marker: String,
    id: Option<u32>,
}

impl Run {
    pub(crate) fn new(shared: Arc<Shared>, marker: String, id: Option<u32>) -> Self {
        Run { shared, marker, id }
    }

    /// The next event, in order; `None` when the run is over and all are taken. The events of one run are numbered gaplessly.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: an event that was not returned is not lost.
    pub async fn next_event(&mut self) -> Option<Event<'_>> {
        poll_fn(|cx| self.poll_next_event(cx)).await
    }

    /// [`next_event`](Run::next_event) for those who poll.
    pub fn poll_next_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<'static>>> {
        // A consumer that always finds something must not keep the reading task from its thread.
        let turn = ready!(coop::poll_proceed(cx));
        let mut state = self.shared.lock();
        let event = state.run.as_mut().and_then(|run| run.next_event().map(Event::into_owned));
        if event.is_none() && !state.over {
            state.consumer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        // Room was made: there may be reading to do again. Or a turn ended that another one waited for.
        let due = event.as_ref().is_some_and(|event| {
            use EventKind::{PermissionRequest, PermissionResolved, TurnEnded};
            matches!(event.kind, TurnEnded(_) | PermissionRequest(_) | PermissionResolved(_))
        });
        let driver = if state.paused || due { state.driver.take() } else { None };
        drop(state);
        wake(driver);
        turn.made_progress();
        Poll::Ready(event)
    }

    /// The events as a stream; it ends when the run is over.
    pub fn stream(&mut self) -> Events<'_> {
        Events { run: self }
    }

    /// Waits for the end and tells what the run came to. Events that were not taken are read and let go.
    ///
    /// # Cancel safety
    ///
    /// It takes the run: dropping this future drops it, which [ends the processes](Run#dropping). So a limit put
    /// around it leaves nothing behind; for one that gives an envelope see [`timeout`](crate::Runner::timeout).
    pub async fn wait(self) -> Envelope {
        let envelope = poll_fn(|cx| {
            let mut state = self.shared.lock();
            let paused = state.paused && !state.discard;
            state.discard = true;
            while state.run.as_mut().is_some_and(|run| run.next_event().is_some()) {}
            if state.over {
                return Poll::Ready(state.finish());
            }
            state.consumer = Some(cx.waker().clone());
            let driver = if paused { state.driver.take() } else { None };
            drop(state);
            wake(driver);
            Poll::Pending
        });
        envelope.await.unwrap_or_default()
    }

    /// Cancels the run: the executor is asked politely, and after the grace its whole process tree is ended. Returns at
    /// once; [`wait`](Run::wait) tells how it ended. A run that is over is not disturbed.
    ///
    /// A signal that this process ignores is ignored by what it starts too, until that takes it up again: as a job in the
    /// background of a shell script, this process may ignore SIGINT. Then nothing but the grace comes of asking politely.
    pub fn cancel(&self) {
        self.shared.tell(Input::Cancel);
    }

    /// Cancels the run by force, without asking: the whole process tree is ended at once.
    pub fn kill(&self) {
        self.shared.tell(Input::CancelNow);
    }

    /// What can cancel this run from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller { shared: Arc::downgrade(&self.shared) }
    }

    /// The process number of the executor, also after its end; `None` where it could not be started.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// The value of [`MARKER_VARIABLE`](crate::tree::MARKER_VARIABLE) in this run's processes: no other run has it.
    #[must_use]
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// Why the executor could not be started, if so. The run is over then, and its envelope says the same.
    #[must_use]
    pub fn spawn_error(&self) -> Option<&SpawnError> {
        self.shared.spawn_error.as_ref()
    }

    /// Whether the run is over: nothing of it is alive. Events may still be there to be taken.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.shared.lock().over
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if !state.over {
            state.over = true;
            let (tree, driver) = (state.tree.take(), state.driver.take());
            drop(state);
            // Ends it, and reaps it.
            drop(tree);
            // Its task closes the pipes.
            wake(driver);
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("command", &self.shared.command).field("id", &self.id).finish_non_exhaustive()
    }
}

/// The events of a run as a stream of owned events. Made by [`Run::stream`]; dropping it leaves the run as it is.
#[derive(Debug)]
pub struct Events<'a> {
    run: &'a mut Run,
}

impl Stream for Events<'_> {
    type Item = Event<'static>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.run.poll_next_event(cx)
    }
}

/// Cancels a run, from any task or thread. It does not keep the run alive: when that is gone it does nothing.
#[derive(Clone)]
pub struct Canceller {
    shared: Weak<Shared>,
}

impl Canceller {
    /// As [`Run::cancel`].
    pub fn cancel(&self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.tell(Input::Cancel);
        }
    }

    /// As [`Run::kill`].
    pub fn kill(&self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.tell(Input::CancelNow);
        }
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Canceller")
    }
}
