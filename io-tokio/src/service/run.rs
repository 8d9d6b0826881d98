//! Runs as a service.

use super::refusal::refused;
use crate::Runner;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio_util::sync::CancellationToken;
use tower_service::Service;
use turnline::launch::{LaunchError, Request};
use turnline::{Envelope, ErrorClass, ErrorCode, Profile, ProfileError};

/// Runs of one executor as a [`tower_service::Service`]: a request in, the envelope of its run out.
///
/// It is always ready; how many runs may go on at once, how long one may take and what is tried again is the business of
/// layers around it. Clones are the same service: one that is [closed](RunService::close) is closed for all.
///
/// # Cancel safety
///
/// Nothing is started before a response is first polled. Dropping a response ends its run's whole process tree, as dropping a
/// [`Run`](crate::Run) does: so a timeout around it leaves nothing behind.
///
/// # Errors
///
/// A request that makes no plan (an empty prompt, an option that the executor lacks): nothing was started. Everything that
/// becomes of a run, one that could not be started included, is an envelope.
#[derive(Clone, Debug)]
pub struct RunService {
    runner: Runner,
    /// Ends with the service, and with nothing else.
    token: CancellationToken,
    closed: Arc<AtomicBool>,
}

impl RunService {
    /// Runs the executor of this runner, watched as the runner says. What is asked for comes with each request whole: the
    /// runner's own prompt, model, program and so on do not count. A token that the runner [cancels on](Runner::cancel_on)
    /// is replaced by the service's own.
    #[must_use]
    pub fn new(runner: &Runner) -> Self {
        let token = CancellationToken::new();
        let mut runner = runner.clone();
        runner.cancel_on(token.clone());
        RunService { runner, token, closed: Arc::default() }
    }

    /// Runs the executor with this id, as a configuration names it.
    ///
    /// # Errors
    /// `executor_not_found`, with the ids there are.
    pub fn for_executor(id: &str) -> Result<Self, ProfileError> {
        Ok(RunService::new(&Runner::new(&Profile::builtin(id)?)))
    }

    /// Id of the executor.
    #[must_use]
    pub fn executor(&self) -> &str {
        self.runner.profile().id()
    }

    /// Starts no more runs: each request from now on is an envelope with the code `service_closed`. Those that go on are left
    /// alone.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// [Closes](RunService::close) the service and cancels the runs that go on: each still gives its envelope.
    pub fn shut_down(&self) {
        self.close();
        self.token.cancel();
    }

    /// True when it starts no more runs.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}

impl Service<Request> for RunService {
    type Response = Envelope;
    type Error = LaunchError;
    type Future = Pin<Box<dyn Future<Output = Result<Envelope, LaunchError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), LaunchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            if service.is_closed() {
                let what = "its service was shut down";
                return Ok(refused(service.executor(), ErrorCode::ServiceClosed, ErrorClass::Unknown, what));
            }
            let mut runner = service.runner;
            *runner.request_mut() = request;
            runner.run().await
        })
    }
}
