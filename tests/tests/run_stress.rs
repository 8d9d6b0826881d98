//! Sizes, floods and chance: what must hold however it falls, many times over. `TURNLINE_REPEAT` multiplies how often.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // figures, with --nocapture

mod run_support;

use std::process::Command;
use std::time::{Duration, Instant};

use run_support::*;
use tokio::task::JoinSet;
use turnline::launch::Via;
use turnline::{Envelope, Status};

const SECOND: Duration = Duration::from_secs(1);
/// Runs that go on beside each other.
const AT_ONCE: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompt_and_output_of_16_mib_each() {
    let script = format!("flood stdout 16777216\nread-stdin\n{INIT}print-vars {}\n", result("@BYTES@ @FNV@"));
    let mut fake = fake(&script);
    fake.runner.prompt("q".repeat(16 << 20));
    let envelope = fake.run().await;
    assert_eq!(envelope.status, Status::Ok, "{:?}", envelope.errors);
    let hash = (0..16 << 20)
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, _| (hash ^ u64::from(b'q')).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(envelope.result.unwrap(), format!("16777216 {hash:016x}"));
    assert_eq!(envelope.stream.malformed_lines, 16_384);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_on_stderr_of_64_mib() {
    // It takes nothing of its prompt.
    let mut fake =
        fake(&format!("print-err first\nflood stderr 67108864\nprint-err last\n{INIT}print {}\n", result("done")));
    fake.runner.prompt("p".repeat(1 << 20));
    let envelope = fake.run().await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{:?}", envelope.errors);
    assert!(envelope.stderr.head.starts_with("first\n") && envelope.stderr.tail.trim_end().ends_with("last"));
    assert_eq!(envelope.stderr.lines, 65_538);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grandchild_holds_the_pipes() {
    // Late output that was written before the exit is not lost; the stranger is ended.
    let mut fake = fake(&format!(
        "read-stdin\nfork\nsetsid\nwrite-pid $D/holder\nexec-sleep 600\nend\nwait-file $D/holder\n{INIT}repeat 5000 {{\"type\":\"system\",\"subtype\":\"x\",\"n\":@I@}}\nprint {}\nexit 0\n",
        result("done")
    ));
    fake.runner.drain(Some(Duration::from_millis(400)));
    let begun = Instant::now();
    let run = fake.spawn();
    let marker = run.marker().to_owned();
    let envelope = within(30, run.wait()).await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{:?}", envelope.errors);
    assert_eq!(envelope.stream.lines, 5002);
    assert!(begun.elapsed() >= Duration::from_millis(400) && begun.elapsed() < 5 * SECOND, "{:?}", begun.elapsed());
    nothing_left(&marker, &[fake.pid("holder")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn background_work_may_be_left_alone() {
    let mut fake = fake(&format!(
        "read-stdin\nfork quiet\nwrite-pid $D/worker\nexec-sleep 600\nend\nwait-file $D/worker\n{INIT}print {}\n",
        result("done")
    ));
    fake.runner.leave_background(true);
    let envelope = fake.run().await;
    assert_eq!(envelope.status, Status::Ok);
    let worker = fake.pid("worker");
    assert!(turnline_tests::process::alive(worker));
    let pid = rustix::process::Pid::from_raw(i32::try_from(worker).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_that_stalls_for_5_seconds_loses_nothing() {
    // It ends hard: what the pipe has not taken in time would be lost.
    let fake = fake(&format!("read-stdin\n{INIT}flood stdout 8388608\nprint {}\nkill-self KILL\n", result("done")));
    let mut run = fake.spawn();
    let pid = run.id().unwrap();
    let first = within(30, run.next_event()).await.unwrap();
    assert_eq!(first.seq, 0);
    let begun = Instant::now();
    while turnline_tests::process::alive(pid) {
        assert!(begun.elapsed() < 20 * SECOND, "it cannot end while its consumer stalls");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep((5 * SECOND).saturating_sub(begun.elapsed())).await;
    let mut seen = 1;
    while let Some(event) = within(30, run.next_event()).await {
        assert_eq!(event.seq, seen);
        seen += 1;
    }
    let envelope = run.wait().await;
    assert_eq!((envelope.stream.lines, envelope.stream.malformed_lines), (8194, 8192));
    assert_eq!((envelope.stream.events, envelope.exit.signal), (seen, Some(9)));
    assert!(envelope.last_text.is_none() && envelope.terminal);
}

#[test]
fn memory_is_bounded_whatever_is_printed() {
    if !in_own_process("memory_is_bounded_whatever_is_printed", |_| {}) {
        return;
    }
    // 4 GiB with TURNLINE_REPEAT=8.
    let bytes = times(512) << 20;
    let fake = fake(&format!("read-stdin\n{INIT}flood stdout {bytes}\nprint {}\n", result("done")));
    run_blocking(async {
        let (before, _) = memory();
        let mut run = fake.spawn();
        started(&mut run).await;
        // Until all is full that there is to fill.
        tokio::time::sleep(2 * SECOND).await;
        let (stalled, _) = memory();
        // 16 MiB of the stream are read ahead, as events of at most four times the size.
        assert!(stalled - before < 96 << 10, "{} KiB while it stalls", stalled - before);
        let mut events = 1;
        while within(60, run.next_event()).await.is_some() {
            events += 1;
        }
        let envelope = run.wait().await;
        let (after, _) = memory();
        assert_eq!((envelope.status, envelope.stream.malformed_lines), (Status::Ok, bytes as u64 / 1024));
        assert!(events > bytes as u64 / 1024);
        println!("{} MiB: {} KiB while it stalls, {} KiB in all", bytes >> 20, stalled - before, after - before);
        assert!(after - before < 112 << 10, "{} KiB", after - before);
    });
}

fn run_blocking<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let done = runtime.block_on(what);
    drop(runtime);
    done
}

/// Numbers that look like chance, the same in every run of the tests.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Does a thing many times, several at once, and then looks for what was left: tasks, descriptors, zombies. Each run looks
/// for its own processes.
async fn many<F: Future<Output = ()> + Send + 'static>(count: usize, mut one: impl FnMut(usize, Chance) -> F) {
    let metrics = tokio::runtime::Handle::current().metrics();
    // What the runtime and the process open once.
    one(0, Chance(0)).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let files = open_files();
    let mut runs = JoinSet::new();
    for i in 0..count {
        while runs.len() >= AT_ONCE {
            runs.join_next().await.unwrap().unwrap();
        }
        runs.spawn(one(i, Chance(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i as u64 + 1))));
    }
    while let Some(run) = runs.join_next().await {
        run.unwrap();
    }
    let begun = Instant::now();
    while metrics.num_alive_tasks() > 0 || open_files() > files {
        assert!(
            begun.elapsed() < 5 * SECOND,
            "{} tasks, {} files (of {files})",
            metrics.num_alive_tasks(),
            open_files()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    no_zombies(&[]);
}

fn in_own(test: &str) -> bool {
    in_own_process(test, |_: &mut Command| {})
}

/// A run that goes on for some 30 ms: begins, works in a session of its own, ends.
fn busy(sleep: u64, end: &str) -> Fake {
    let mut fake = fake(&format!(
        "on INT exit 5\nread-stdin\n{INIT}fork\nsetsid\nexec-sleep 600\nend\nsleep {sleep}\nprint {}\n{end}",
        result("done")
    ));
    fake.runner.grace(Duration::from_millis(500)).drain(Some(Duration::from_millis(50)));
    fake
}

#[test]
fn cancelled_at_a_random_moment() {
    if !in_own("cancelled_at_a_random_moment") {
        return;
    }
    run_blocking(many(times(200), |_, mut chance| async move {
        let fake = busy(chance.below(30), "");
        let run = fake.spawn();
        let marker = run.marker().to_owned();
        let canceller = run.canceller();
        let after = Duration::from_micros(chance.below(40_000));
        // From another thread for some, before anything else for others.
        match chance.below(4) {
            0 => run.cancel(),
            1 => run.kill(),
            2 => {
                std::thread::spawn(move || {
                    std::thread::sleep(after);
                    canceller.cancel();
                });
            }
            _ => {
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    canceller.cancel();
                });
            }
        }
        let envelope = within(30, run.wait()).await;
        right(&envelope);
        nothing_left(&marker, &[]);
    }));
}

/// It ended by itself and well, or was cancelled: never a failure, never something in between.
fn right(envelope: &Envelope) {
    match envelope.status {
        Status::Ok => {
            assert_eq!((envelope.result.as_deref(), envelope.exit.code), (Some("done"), Some(0)));
            assert!(envelope.errors.is_empty());
        }
        Status::Cancelled => assert_eq!(envelope.errors[0].code.as_str(), "executor_cancelled"),
        _ => panic!("{envelope:?}"),
    }
}

#[test]
fn cancel_races_the_exit() {
    if !in_own("cancel_races_the_exit") {
        return;
    }
    run_blocking(many(times(200), |_, mut chance| async move {
        let fake = fake(&format!("on INT exit 5\nread-stdin\n{INIT}print {}\n", result("done")));
        let mut run = fake.spawn();
        let marker = run.marker().to_owned();
        let mut terminal = false;
        while let Some(event) = within(30, run.next_event()).await {
            if matches!(event.kind, turnline::EventKind::TurnEnded(_)) {
                terminal = true;
                break;
            }
        }
        assert!(terminal);
        // It is exiting right now.
        let wait = chance.below(1500);
        if wait > 200 {
            tokio::time::sleep(Duration::from_micros(wait - 200)).await;
        }
        let over = run.is_over();
        run.cancel();
        let envelope = within(30, run.wait()).await;
        right(&envelope);
        assert!(!over || envelope.status == Status::Ok, "it was over before");
        // Its answer was there: it is kept in both cases.
        assert_eq!(envelope.result.as_deref(), Some("done"));
        nothing_left(&marker, &[]);
    }));
}

#[test]
fn dropped_at_a_random_moment() {
    if !in_own("dropped_at_a_random_moment") {
        return;
    }
    run_blocking(many(times(200), |_, mut chance| async move {
        let fake = busy(chance.below(30), "wait-forever\n");
        let mut run = fake.spawn();
        let marker = run.marker().to_owned();
        let limit = Duration::from_micros(chance.below(30_000));
        let _ = tokio::time::timeout(limit, async { while run.next_event().await.is_some() {} }).await;
        let begun = Instant::now();
        drop(run);
        assert!(begun.elapsed() < 2 * SECOND, "{:?}", begun.elapsed());
        nothing_left(&marker, &[]);
    }));
}

#[test]
fn it_exits_without_its_prompt() {
    if !in_own("it_exits_without_its_prompt") {
        return;
    }
    run_blocking(many(times(200), |i, _| async move {
        // With its answer it did not need the prompt; without one it has failed.
        let end =
            if i % 2 == 0 { format!("{INIT}print {}\n", result("done")) } else { "print-err no key\nexit 3\n".into() };
        let mut fake = fake(&format!("close-stdin\n{end}"));
        fake.runner.prompt("p".repeat(1 << 20));
        let run = fake.spawn();
        let marker = run.marker().to_owned();
        let envelope = within(30, run.wait()).await;
        if i % 2 == 0 {
            assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{envelope:?}");
        } else {
            assert_eq!((envelope.status, envelope.exit.code), (Status::Failed, Some(3)));
            assert!(envelope.errors.iter().any(|error| error.message.contains("no key")), "{:?}", envelope.errors);
        }
        nothing_left(&marker, &[]);
    }));
}

#[test]
fn b151_no_zombies() {
    if !in_own("b151_no_zombies") {
        return;
    }
    let script = format!("read-stdin\n{INIT}if-env MODE=hang\nexec-sleep 600\nend\nprint {}\n", result("done"));
    let text = script.clone();
    run_blocking(many(times(200), move |i, _| {
        let mut fake = fake(&text);
        async move {
            if i % 2 == 0 {
                assert_eq!(fake.run().await.status, Status::Ok);
                return;
            }
            fake.runner.env("MODE", "hang");
            let mut run = fake.spawn();
            let marker = run.marker().to_owned();
            if i % 4 == 1 {
                started(&mut run).await;
                run.cancel();
                assert_eq!(within(30, run.wait()).await.status, Status::Cancelled);
            } else {
                drop(run);
            }
            nothing_left(&marker, &[]);
        }
    }));
    // The runtime is shut down right after the drop, or instead of it.
    for how in 0..4 {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let mut fake = fake(&script);
        fake.runner.env("MODE", "hang");
        let runs: Vec<_> = runtime.block_on(async { (0..10).map(|_| fake.spawn()).collect() });
        let markers: Vec<_> = runs.iter().map(|run| run.marker().to_owned()).collect();
        match how {
            0 => {
                drop(runs);
                drop(runtime);
            }
            1 => {
                drop(runs);
                runtime.shutdown_background();
            }
            2 => {
                drop(runtime);
                // An envelope is there all the same.
                let other = tokio::runtime::Builder::new_current_thread().build().unwrap();
                for run in runs {
                    assert!(run.is_over());
                    assert_eq!(other.block_on(run.wait()).status, Status::Cancelled);
                }
            }
            _ => {
                runtime.block_on(async { std::mem::forget(runs) });
                drop(runtime);
            }
        }
        for marker in markers {
            nothing_left(&marker, &[]);
        }
        no_zombies(&[]);
    }
}

#[test]
fn a_hundred_runs_at_once() {
    if !in_own("a_hundred_runs_at_once") {
        return;
    }
    run_blocking(async {
        let mut runs = JoinSet::new();
        for i in 0..times(100) {
            let mut fake = fake(&format!("read-stdin\n{INIT}print-vars {}\n", result("@env:TAG@ @BYTES@")));
            fake.runner.env("TAG", format!("tag{i}")).prompt("p".repeat(1000 + i));
            if i % 3 == 0 {
                fake.runner.via(Via::Argument);
            }
            runs.spawn(async move {
                let mut run = fake.spawn();
                let marker = run.marker().to_owned();
                let events = all_events(&mut run).await;
                assert!(events.iter().enumerate().all(|(at, event)| event.seq == at as u64));
                let envelope = run.wait().await;
                let bytes = if i % 3 == 0 { 0 } else { 1000 + i };
                assert_eq!(
                    envelope.result.as_deref(),
                    Some(format!("tag{i} {bytes}").as_str()),
                    "{:?}",
                    envelope.errors
                );
                assert_eq!(envelope.stream.lines, 2);
                nothing_left(&marker, &[]);
            });
        }
        let begun = Instant::now();
        while let Some(run) = runs.join_next().await {
            run.unwrap();
        }
        println!("in {:?}", begun.elapsed());
    });
    no_zombies(&[]);
}

/// One thread is enough: nothing of a run waits for another.
#[test]
fn on_one_thread() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut fake = fake(&format!("flood stdout 2097152\nread-stdin\n{INIT}print {}\n", result("done")));
        fake.runner.prompt("p".repeat(2 << 20));
        let (one, other) = tokio::join!(fake.run(), fake.run());
        assert_eq!([one.status, other.status], [Status::Ok, Status::Ok]);
    });
}
