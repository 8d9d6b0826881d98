//! Runs as a `tower::Service`, so that limits, timeouts, retries and load shedding come from existing layers; and a layer that
//! admits runs against a budget.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use tower_layer::Layer as _;
//! use tower_service::Service as _;
//! use turnline::launch::Request;
//! use turnline_tokio::service::{AdmissionLayer, Amount, Budget, RunService, SharedBudget};
//!
//! // The id comes from a configuration; an unknown one is refused here.
//! let runs = RunService::for_executor("codex")?;
//! // 200,000 tokens in all; a run is thought to need 20,000.
//! let budget = SharedBudget::new(Budget::of_tokens(200_000));
//! let mut service = AdmissionLayer::new("codex", budget, Amount::tokens(20_000)).layer(runs.clone());
//! std::future::poll_fn(|cx| service.poll_ready(cx)).await?;
//! let envelope = service.call(Request::new("Fix the failing test.").cwd("projects/site")).await?;
//! println!("{}: {:?}", envelope.status, envelope.errors);
//! runs.shut_down();
//! # Ok(())
//! # }
//! ```

mod admission;
mod budget;
mod refusal;
mod run;

pub use admission::{Admission, AdmissionLayer, SharedBudget, Ticket};
pub use budget::{Amount, Budget, Estimate, OverBudget, Reservation};
pub use run::RunService;
