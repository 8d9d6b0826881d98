//! What the driver offers: events by three ways, cancelling by four, limits, what cannot be started.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod run_support;

use std::future::poll_fn;
use std::os::unix::fs::PermissionsExt as _;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_core::Stream as _;
use run_support::*;
use tokio_util::sync::CancellationToken;
use turnline::{EventKind, Profile, SpawnErrorKind, Status};
use turnline_tokio::Runner;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn what_cannot_be_started_is_told_apart() {
    let fake = fake(&clean());
    let plain = fake.path("plain");
    std::fs::write(&plain, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).unwrap();
    let script = fake.path("script");
    std::fs::write(&script, "#!/nowhere/interpreter -x\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (plain, script) = (plain.to_str().unwrap(), script.to_str().unwrap());
    let missing = fake.path("missing");
    let missing = missing.to_str().unwrap();
    for (program, cwd, kind, class, culprit) in [
        (missing, None, SpawnErrorKind::ProgramNotFound, "not_found", missing),
        ("no-such-tool", None, SpawnErrorKind::ProgramNotFound, "not_found", "no-such-tool"),
        (script, None, SpawnErrorKind::ProgramNotFound, "not_found", "/nowhere/interpreter -x"),
        (plain, None, SpawnErrorKind::NotExecutable, "not_executable", plain),
        ("/", None, SpawnErrorKind::NotExecutable, "not_executable", "/"),
        (FAKE, Some(missing), SpawnErrorKind::WorkingDirectoryNotFound, "working_directory", missing),
        (FAKE, Some(plain), SpawnErrorKind::NotADirectory, "working_directory", plain),
        // The directory is named although the program is missing too.
        (missing, Some(plain), SpawnErrorKind::NotADirectory, "working_directory", plain),
    ] {
        let mut runner = fake.runner.clone();
        runner.program(program);
        if let Some(cwd) = cwd {
            runner.current_dir(cwd);
        }
        let mut run = runner.spawn().unwrap();
        let error = run.spawn_error().unwrap().clone();
        assert_eq!(error.kind, kind, "{program} in {cwd:?}: {error:?}");
        assert!(run.is_over() && run.id().is_none());
        assert!(run.next_event().await.is_none());
        let envelope = run.wait().await;
        assert_eq!((envelope.status, envelope.errors.len(), envelope.usage), (Status::Failed, 1, None));
        let error = &envelope.errors[0];
        assert_eq!((error.code.as_str(), error.class.as_str()), ("executor_unavailable", class));
        assert!(
            error.message.contains(culprit) && error.message.contains(&format!("'{program}'")),
            "{}",
            error.message
        );
    }
    // Found in PATH, but not executable.
    let mut runner = fake.runner.clone();
    runner.program("plain").env("PATH", fake.dir.path().to_str().unwrap());
    let error = runner.spawn().unwrap().spawn_error().unwrap().clone();
    assert_eq!(error.kind, SpawnErrorKind::NotExecutable);
    assert!(error.message.starts_with(plain), "{error:?}");
}

#[tokio::test]
async fn a_request_that_makes_no_plan_starts_nothing() {
    let mut runner = Runner::new(&Profile::builtin("claude-code").unwrap());
    assert_eq!(runner.spawn().unwrap_err().code(), "request_invalid");
    runner.prompt("x").env("TURNLINE_RUN", "mine");
    assert_eq!(runner.spawn().unwrap_err().code(), "request_invalid");
    let mut runner = Runner::new(&Profile::builtin("raw").unwrap());
    runner.prompt("x").model("m");
    assert_eq!(runner.spawn().unwrap_err().code(), "request_invalid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn taking_events_is_cancel_safe() {
    let script = format!(
        "read-stdin\n{INIT}loop 100\nrepeat 20 {{\"type\":\"system\",\"subtype\":\"x\",\"n\":@I@}}\nsleep 1\nend\nprint {}\n",
        result("done")
    );
    let fake = fake(&script);
    let mut run = fake.spawn();
    let (mut seen, mut tries) = (0, 0);
    loop {
        tries += 1;
        match tokio::time::timeout(Duration::from_micros(tries % 700), run.next_event()).await {
            Ok(Some(event)) => {
                assert_eq!(event.seq, seen, "after {tries} tries");
                seen += 1;
            }
            Ok(None) => break,
            Err(_) => {}
        }
    }
    let envelope = run.wait().await;
    assert_eq!((envelope.stream.events, envelope.status), (seen, Status::Ok));
    assert!(seen > 2000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_as_a_stream() {
    let fake = fake(&clean());
    let mut run = fake.spawn();
    let mut names = Vec::new();
    {
        let mut stream = pin!(run.stream());
        while let Some(event) = within(30, poll_fn(|cx| stream.as_mut().poll_next(cx))).await {
            names.push(event.kind.name());
        }
    }
    assert_eq!(names.first(), Some(&"session_started"));
    assert_eq!(names.last(), Some(&"turn_ended"));
    assert_eq!(run.wait().await.stream.events, names.len() as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_by_token_and_from_a_thread() {
    let token = CancellationToken::new();
    let mut fake = fake(&format!("{INIT}wait-forever\n"));
    fake.runner.cancel_on(token.clone());
    let runs: Vec<_> = (0..3).map(|_| fake.spawn()).collect();
    token.cancel();
    for run in runs {
        assert_eq!(within(10, run.wait()).await.status, Status::Cancelled);
    }
    // A token that was cancelled before.
    assert_eq!(within(10, fake.spawn().wait()).await.status, Status::Cancelled);

    let fake = self::fake(&format!("{INIT}wait-forever\n"));
    let run = fake.spawn();
    let canceller = run.canceller();
    let again = canceller.clone();
    let thread = std::thread::spawn(move || canceller.cancel());
    assert_eq!(within(10, run.wait()).await.status, Status::Cancelled);
    thread.join().unwrap();
    // The run is gone.
    again.cancel();
    again.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits() {
    for (set, words) in [
        ((|runner, limit| _ = Runner::timeout(runner, limit)) as fn(&mut Runner, Duration), "time limit"),
        (|runner, limit| _ = runner.idle_timeout(limit), "nothing was printed"),
        (|runner, limit| _ = runner.first_event_timeout(limit), "first event"),
    ] {
        let begins = if words == "first event" { "" } else { INIT };
        let mut fake = fake(&format!("{begins}wait-forever\n"));
        set(&mut fake.runner, Duration::from_millis(300));
        let begun = Instant::now();
        let envelope = fake.run().await;
        assert_eq!((envelope.status, envelope.errors[0].code.as_str()), (Status::Failed, "executor_timed_out"));
        assert!(envelope.errors[0].message.contains(words), "{:?}", envelope.errors);
        assert!(begun.elapsed() >= Duration::from_millis(300) && begun.elapsed() < 5 * SECOND);
    }
    // Limits beyond all clocks are none.
    let mut fake = fake(&clean());
    fake.runner.timeout(Duration::MAX).idle_timeout(Duration::MAX).grace(Duration::MAX).drain(Some(Duration::MAX));
    fake.runner.after_terminal(Some(Duration::MAX)).first_event_timeout(Duration::MAX);
    assert_eq!(fake.run().await.status, Status::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_terminal_record_is_noticed_while_nobody_takes_events() {
    let mut fake = fake(&format!("read-stdin\n{INIT}print {}\nwait-forever\n", result("done")));
    fake.runner.after_terminal(Some(Duration::from_millis(200))).grace(Duration::from_millis(100));
    let run = fake.spawn();
    let begun = Instant::now();
    while !run.is_over() {
        assert!(begun.elapsed() < 5 * SECOND);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let envelope = run.wait().await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timing_is_told_in_order() {
    let fake = fake(&format!("read-stdin\nsleep 60\n{INIT}sleep 60\nprint {}\n", result("done")));
    let begun = Instant::now();
    let envelope = fake.run().await;
    let whole = begun.elapsed().as_secs_f64() * 1e3;
    let timing = envelope.timing.unwrap();
    let [setup, byte, event, run] =
        [timing.spawn_setup_ms, timing.first_byte_ms, timing.first_event_ms, timing.run_ms].map(Option::unwrap);
    assert!(
        0.0 < setup && setup + 60.0 <= byte && byte <= event && event + 60.0 <= run && run <= whole,
        "{timing:?} of {whole}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interactive_run_is_spoken_to() {
    let script = format!("read-line\n{INIT}read-stdin\nprint-vars {}\n", result("@BYTES@"));
    let mut fake = fake(&script);
    fake.runner.prompt("");
    fake.runner.request_mut().interactive = true;
    let mut run = fake.spawn();
    assert!(run.send_raw(b"{\"one\":1}\n"));
    started(&mut run).await;
    assert!(run.send_raw(b"more"));
    run.end_input();
    assert!(!run.send_raw(b"too late"));
    let envelope = within(30, run.wait()).await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("14")), "{:?}", envelope.errors);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_executor_can_be_run() {
    for id in turnline::catalogue::ids() {
        let mut fake = Fake::of(id, "record-argv $D/argv\nread-stdin $D/stdin\n");
        fake.runner.prompt("the prompt");
        let envelope = fake.run().await;
        assert!(
            envelope.errors.iter().all(|error| error.code.as_str() == "executor_run_failed"),
            "{id}: {:?}",
            envelope.errors
        );
        let argv = std::fs::read_to_string(fake.path("argv")).unwrap();
        let stdin = std::fs::read_to_string(fake.path("stdin")).unwrap();
        assert!(argv.contains("the prompt") != stdin.contains("\"bytes\":10"), "{id}: {argv} {stdin}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_come_before_the_end() {
    let fake = fake(&format!("read-stdin\n{INIT}wait-file $D/go\nprint {}\n", result("done")));
    let mut run = fake.spawn();
    started(&mut run).await;
    std::fs::write(fake.path("go"), "").unwrap();
    let rest = all_events(&mut run).await;
    assert!(rest.iter().any(|event| matches!(event.kind, EventKind::TurnEnded(_))));
}
