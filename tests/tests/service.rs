//! Runs as a service: layers of others around it, admission against a budget, and its end.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod run_support;

use run_support::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _, retry};
use turnline::launch::Request;
use turnline::{Envelope, Status};
use turnline_tests::process::alive;
use turnline_tokio::service::{AdmissionLayer, Amount, Budget, RunService, SharedBudget};

/// The request for one run of the fake executor.
fn request(fake: &Fake) -> Request {
    fake.runner.request().clone()
}

fn codes(envelope: &Envelope) -> Vec<&str> {
    envelope.errors.iter().map(|error| error.code.as_str()).collect()
}

#[tokio::test]
async fn an_unknown_executor_is_refused_when_the_service_is_built() {
    let error = RunService::for_executor("no-such-cli").unwrap_err();
    assert_eq!(error.code(), "executor_not_found");
    assert_eq!(RunService::for_executor("codex").unwrap().executor(), "codex");
}

#[tokio::test]
async fn a_request_in_an_envelope_out() {
    let fake = fake(&clean());
    let mut service = RunService::new(&fake.runner);
    let envelope = within(60, service.ready().await.unwrap().call(request(&fake))).await.unwrap();
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")));
    // What makes no plan is the caller's error, and starts nothing.
    let error = service.ready().await.unwrap().call(Request::default()).await.unwrap_err();
    assert_eq!(error.code(), "request_invalid");
    // What could not be started is an envelope.
    let missing = request(&fake).program("/nowhere/tool");
    let envelope = service.ready().await.unwrap().call(missing).await.unwrap();
    assert_eq!(codes(&envelope), ["executor_unavailable"]);
}

#[tokio::test]
async fn nothing_is_started_before_a_response_is_polled() {
    let fake = fake("touch $D/begun\nread-stdin\n");
    let mut service = RunService::new(&fake.runner);
    let response = service.call(request(&fake));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!fake.path("begun").exists());
    drop(response);
}

#[tokio::test]
async fn a_timeout_around_it_leaves_nothing_behind() {
    let fake = fake(&format!("write-pid $D/child\nread-stdin\n{INIT}wait-forever\n"));
    let service = ServiceBuilder::new().timeout(Duration::from_millis(700)).service(RunService::new(&fake.runner));
    let error: BoxError = within(30, service.oneshot(request(&fake))).await.unwrap_err();
    assert!(error.is::<tower::timeout::error::Elapsed>(), "{error}");
    assert!(!alive(fake.pid("child")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn load_that_is_too_much_is_shed() {
    let fake = fake(&format!("read-stdin\n{INIT}touch $D/begun\nwait-file $D/go\nprint {}\n", result("done")));
    let mut service = ServiceBuilder::new().load_shed().concurrency_limit(1).service(RunService::new(&fake.runner));
    let first = tokio::spawn(service.ready().await.unwrap().call(request(&fake)));
    fake.appears("begun").await;
    let error = service.ready().await.unwrap().call(request(&fake)).await.unwrap_err();
    assert!(error.is::<tower::load_shed::error::Overloaded>(), "{error}");
    std::fs::write(fake.path("go"), "").unwrap();
    assert_eq!(within(60, first).await.unwrap().unwrap().status, Status::Ok);
    assert_eq!(within(60, service.ready().await.unwrap().call(request(&fake))).await.unwrap().status, Status::Ok);
}

/// Tries a failed run again, so many times.
#[derive(Clone)]
struct Again(usize);

impl<E> retry::Policy<Request, Envelope, E> for Again {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut Request, result: &mut Result<Envelope, E>) -> Option<Self::Future> {
        let failed = result.as_ref().is_ok_and(|envelope| envelope.status == Status::Failed);
        self.0 = self.0.checked_sub(usize::from(failed))?;
        failed.then(|| std::future::ready(()))
    }

    fn clone_request(&mut self, request: &Request) -> Option<Request> {
        Some(request.clone())
    }
}

#[tokio::test]
async fn every_try_is_admitted_on_its_own() {
    let fake = fake(&format!("read-stdin\n{INIT}exit 3\n"));
    let budget = SharedBudget::new(Budget::of_tokens(25));
    let service = ServiceBuilder::new()
        .retry(Again(5))
        .layer(AdmissionLayer::new("claude-code", budget.clone(), Amount::tokens(10)))
        .service(RunService::new(&fake.runner));
    let envelope = within(60, service.oneshot(request(&fake))).await.unwrap();
    // The third try does not fit, and neither do those after it.
    assert_eq!(codes(&envelope), ["budget_exceeded"]);
    assert_eq!(budget.snapshot().spent(), Amount::tokens(20));
}

#[tokio::test]
async fn a_run_is_settled_by_what_the_vendor_reported_and_never_below_its_estimate() {
    let fake = fake(&clean());
    let budget = SharedBudget::new(Budget::new(Amount::tokens(100).and(Amount::usd(1.0))));
    // The fake one reports five tokens and a cent.
    let few = |request: &Request| Amount::tokens(if request.model.is_some() { 40 } else { 3 }).and(Amount::usd(0.001));
    let mut service = AdmissionLayer::new("claude-code", budget.clone(), few).layer_on(&fake);
    let envelope = within(60, service.ready().await.unwrap().call(request(&fake))).await.unwrap();
    assert_eq!(envelope.status, Status::Ok);
    let spent = budget.snapshot().spent();
    assert_eq!((spent.tokens, spent.micro_usd), (5, 10_000));
    within(60, service.ready().await.unwrap().call(request(&fake).model("m"))).await.unwrap();
    assert_eq!(budget.snapshot().spent().tokens, 45);
    // One that could not be started is charged its estimate.
    let missing = request(&fake).program("/nowhere/tool").model("m");
    service.ready().await.unwrap().call(missing).await.unwrap();
    assert_eq!((budget.snapshot().spent().tokens, budget.snapshot().set_aside()), (85, Amount::default()));
    let envelope = service.ready().await.unwrap().call(request(&fake).model("m")).await.unwrap();
    assert_eq!((codes(&envelope), envelope.executor.as_str()), (vec!["budget_exceeded"], "claude-code"));
    assert!(envelope.errors[0].message.contains("40 tokens were asked for, 15 are free"), "{envelope:?}");
    assert_eq!((envelope.errors[0].class.as_str(), envelope.errors[0].source.as_str()), ("limit", "host"));
    assert_eq!(budget.snapshot().spent().tokens, 85);
}

trait Around {
    type Service;
    fn layer_on(self, fake: &Fake) -> Self::Service;
}

impl<L: tower::Layer<RunService>> Around for L {
    type Service = L::Service;
    fn layer_on(self, fake: &Fake) -> L::Service {
        self.layer(RunService::new(&fake.runner))
    }
}

/// Runs that end well, fail, are dropped, time out, race: the estimates of the admitted ones never come to more than the
/// budget, and what is refused started nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_runs_never_admit_more_than_the_budget() {
    let scripts = [
        clean(),
        format!("read-stdin\n{INIT}exit 3\n"),
        format!("read-stdin\n{INIT}wait-forever\n"),
        format!("read-stdin\n{INIT}print {}\n", result("done")),
    ];
    for round in 0..times(3) {
        let budget = SharedBudget::new(Budget::of_tokens(95));
        let begun = Arc::new(AtomicUsize::new(0));
        let fakes: Vec<Fake> =
            (0..24).map(|n| fake(&format!("touch $D/begun\n{}", scripts[n % scripts.len()]))).collect();
        let mut racing = Vec::new();
        for (n, fake) in fakes.iter().enumerate() {
            let mut service = AdmissionLayer::new("claude-code", budget.clone(), Amount::tokens(10)).layer_on(fake);
            let (request, begun) = (request(fake), begun.clone());
            racing.push(tokio::spawn(async move {
                let response = service.ready().await.unwrap().call(request);
                // Some are dropped before they are done, some before they are begun.
                let limit = Duration::from_millis([300, 60, 0][(n + round) % 3] + if n % 4 == 2 { 0 } else { 60_000 });
                match tokio::time::timeout(limit, response).await {
                    Ok(envelope) => {
                        let envelope = envelope.unwrap();
                        if codes(&envelope) == ["budget_exceeded"] {
                            return Some(n);
                        }
                        begun.fetch_add(1, Ordering::SeqCst);
                        None
                    }
                    Err(_) => {
                        begun.fetch_add(1, Ordering::SeqCst);
                        None
                    }
                }
            }));
        }
        let mut refused = Vec::new();
        for one in racing {
            refused.extend(within(120, one).await.unwrap());
        }
        // 95 has room for nine times ten; who they are, the race decides.
        assert_eq!((begun.load(Ordering::SeqCst), refused.len()), (9, 15));
        let snapshot = budget.snapshot();
        assert_eq!((snapshot.spent().tokens, snapshot.set_aside()), (90, Amount::default()));
        for n in refused {
            assert!(!fakes[n].path("begun").exists(), "a refused run was started");
        }
    }
}

#[tokio::test]
async fn a_service_that_was_shut_down_refuses() {
    let fake = fake(&format!("write-pid $D/child\nread-stdin\n{INIT}touch $D/begun\nwait-forever\n"));
    let service = RunService::new(&fake.runner);
    let going_on = tokio::spawn(service.clone().oneshot(request(&fake).grace(Duration::ZERO)));
    fake.appears("begun").await;
    service.shut_down();
    assert!(service.is_closed());
    let cancelled = within(30, going_on).await.unwrap().unwrap();
    assert_eq!((cancelled.status, codes(&cancelled)), (Status::Cancelled, vec!["executor_cancelled"]));
    assert!(!alive(fake.pid("child")));
    std::fs::remove_file(fake.path("begun")).unwrap();
    let refused = service.clone().oneshot(request(&fake)).await.unwrap();
    assert_eq!((refused.status, codes(&refused)), (Status::Failed, vec!["service_closed"]));
    assert!(refused.errors[0].message.contains("'claude-code'"));
    assert!(!fake.path("begun").exists());
}

#[tokio::test]
async fn a_closed_service_lets_its_runs_end() {
    let fake = fake(&format!("read-stdin\n{INIT}touch $D/begun\nwait-file $D/go\nprint {}\n", result("done")));
    let service = RunService::new(&fake.runner);
    let going_on = tokio::spawn(service.clone().oneshot(request(&fake)));
    fake.appears("begun").await;
    service.close();
    std::fs::write(fake.path("go"), "").unwrap();
    assert_eq!(within(30, going_on).await.unwrap().unwrap().status, Status::Ok);
}
