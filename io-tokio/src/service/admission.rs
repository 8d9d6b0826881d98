//! A layer that admits runs against a budget.

use super::budget::{Amount, Budget, Estimate, OverBudget, Reservation};
use super::refusal::refused;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tower_layer::Layer;
use tower_service::Service;
use turnline::launch::Request;
use turnline::{Envelope, ErrorClass, ErrorCode};

/// A [`Budget`] that several services share; cloning shares it.
#[derive(Clone, Debug)]
pub struct SharedBudget {
    inner: Arc<Mutex<Budget>>,
}

/// An admitted run. Dropped without a word it is settled at its estimate: a run that failed, was cancelled or dropped is never
/// free.
#[derive(Debug)]
pub struct Ticket {
    budget: SharedBudget,
    /// There until it is settled.
    reservation: Option<Reservation>,
}

impl SharedBudget {
    /// Shares a budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        SharedBudget { inner: Arc::new(Mutex::new(budget)) }
    }

    /// Admits a run before it is started.
    ///
    /// # Errors
    /// Where there is no room for the estimate.
    pub fn admit(&self, estimate: Amount) -> Result<Ticket, OverBudget> {
        let reservation = self.lock().admit(estimate)?;
        Ok(Ticket { budget: self.clone(), reservation: Some(reservation) })
    }

    /// The budget as it stands.
    #[must_use]
    pub fn snapshot(&self) -> Budget {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Budget> {
        // No method of a budget panics half way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// The run is over: what it is charged.
    pub fn settle(mut self, envelope: &Envelope) -> Amount {
        self.close(Some(Amount::reported(envelope)))
    }

    fn close(&mut self, reported: Option<Amount>) -> Amount {
        let reservation = self.reservation.take();
        reservation.map(|reservation| self.budget.lock().settle(reservation, reported)).unwrap_or_default()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.close(None);
    }
}

/// Puts [`Admission`] around a service.
#[derive(Clone, Debug)]
pub struct AdmissionLayer<E> {
    executor: String,
    budget: SharedBudget,
    estimate: E,
}

impl<E: Estimate> AdmissionLayer<E> {
    /// Admits runs of this executor (its id stands in refusals) against this budget. The estimate is a function of the request,
    /// or an [`Amount`] for all.
    pub fn new(executor: impl Into<String>, budget: SharedBudget, estimate: E) -> Self {
        AdmissionLayer { executor: executor.into(), budget, estimate }
    }
}

impl<S, E: Clone> Layer<S> for AdmissionLayer<E> {
    type Service = Admission<S, E>;

    fn layer(&self, inner: S) -> Admission<S, E> {
        Admission { inner, layer: self.clone() }
    }
}

/// Admits each run against a budget before the service inside sees it, and settles it by what the vendor reported.
///
/// A run that is not admitted is an envelope with the code `budget_exceeded`; nothing was started. A run that is admitted is
/// charged whatever becomes of it: by its envelope, and at its estimate where none came (an error of a service inside, a
/// timeout around it, a response that is dropped).
///
/// A retry around it admits every try on its own; one inside of it is charged by the last try's envelope alone.
#[derive(Clone, Debug)]
pub struct Admission<S, E> {
    inner: S,
    layer: AdmissionLayer<E>,
}

impl<S, E> Service<Request> for Admission<S, E>
where
    S: Service<Request, Response = Envelope>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    E: Estimate,
{
    type Response = Envelope;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Envelope, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match self.layer.budget.admit(self.layer.estimate.estimate(&request)) {
            Err(over) => {
                let what = format!("it is over budget: {over}");
                let refused = refused(&self.layer.executor, ErrorCode::BudgetExceeded, ErrorClass::Limit, &what);
                Box::pin(ready(Ok(refused)))
            }
            Ok(ticket) => {
                let run = self.inner.call(request);
                Box::pin(async move {
                    let envelope = run.await?;
                    ticket.settle(&envelope);
                    Ok(envelope)
                })
            }
        }
    }
}
