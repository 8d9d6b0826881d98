//! The public reports about spawning, reading and cancelling, each played by the fake executor. Those
//! about launching are in `run_launching.rs`.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // figures, with --nocapture

mod run_support;

use std::time::{Duration, Instant};

use run_support::*;
use turnline::{EventKind, Profile, Status};
use turnline_tokio::Runner;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b050_the_result_comes_and_the_process_never_exits() {
    // The second one turns our signal into an exit code. Its child may be gone before the signal is here: it still waits.
    for (signal, code) in [("", None), ("on INT exit 143\non TERM exit 143\n", Some(143))] {
        let script = format!(
            "{signal}read-stdin\n{INIT}print {}\nfork\nwrite-pid $D/sleeper\nexec-sleep 600\nend\nwait-children\nwait-forever\n",
            result("done")
        );
        let mut fake = fake(&script);
        fake.runner.after_terminal(Some(Duration::from_millis(300))).grace(Duration::from_millis(300));
        let begun = Instant::now();
        let run = fake.spawn();
        let marker = run.marker().to_owned();
        let envelope = within(30, run.wait()).await;
        assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{:?}", envelope.errors);
        assert_eq!(envelope.usage.as_ref().unwrap().total, Some(5));
        assert_eq!(envelope.exit.code, code);
        assert!(begun.elapsed() < 10 * SECOND);
        nothing_left(&marker, &[fake.pid("sleeper")]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b050_later_output_starts_the_wait_again() {
    let script = format!(
        "read-stdin\n{INIT}print {}\nloop 8\nsleep 100\nprint {{\"type\":\"system\",\"subtype\":\"late\"}}\nend\nprint {}\nwait-forever\n",
        result("first"),
        result("done")
    );
    let mut fake = fake(&script);
    fake.runner.after_terminal(Some(Duration::from_millis(500))).grace(Duration::from_millis(100));
    let envelope = fake.run().await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")));
    assert_eq!(envelope.stream.lines, 11);
}

const TREE: &str = "write-pid $D/shim\nfork\nwrite-pid $D/agent\nfork\nwrite-pid $D/tool\nexec-sleep 600\nend\n";

fn tree(shim: &str) -> Fake {
    let mut fake = fake(&format!("{TREE}{INIT}loop forever\nsleep 1000\nend\nend\n{shim}"));
    fake.runner.grace(SECOND);
    fake
}

async fn three(fake: &Fake) -> [u32; 3] {
    for name in ["shim", "agent", "tool"] {
        fake.appears(name).await;
    }
    ["shim", "agent", "tool"].map(|name| fake.pid(name))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b143_the_whole_tree_is_cancelled() {
    let fake = tree("wait-children\n");
    let mut run = fake.spawn();
    started(&mut run).await;
    let pids = three(&fake).await;
    let marker = run.marker().to_owned();
    run.cancel();
    let envelope = within(3, run.wait()).await;
    assert_eq!((envelope.status, envelope.session_id.as_deref()), (Status::Cancelled, Some(SESSION)));
    nothing_left(&marker, &pids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b143_the_whole_tree_ends_with_its_handle() {
    for how in 0..3 {
        let fake = tree("wait-children\n");
        let mut run = fake.spawn();
        started(&mut run).await;
        let pids = three(&fake).await;
        let marker = run.marker().to_owned();
        match how {
            0 => drop(run),
            1 => _ = tokio::time::timeout(Duration::from_millis(10), run.wait()).await,
            _ => {
                let consumer = tokio::spawn(async move {
                    let _run = run;
                    panic!("of the consumer");
                });
                assert!(consumer.await.unwrap_err().is_panic());
            }
        }
        nothing_left(&marker, &pids);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b143_the_tree_is_cancelled_when_the_shim_is_gone() {
    let fake = tree("wait-file $D/tool\nexit 0\n");
    let mut run = fake.spawn();
    started(&mut run).await;
    let pids = three(&fake).await;
    let marker = run.marker().to_owned();
    while turnline_tests::process::alive(pids[0]) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    run.cancel();
    let envelope = within(3, run.wait()).await;
    // The shim had ended by itself: the run has failed for want of an answer, and was not cancelled.
    assert_eq!((envelope.status, envelope.session_id.as_deref()), (Status::Failed, Some(SESSION)));
    nothing_left(&marker, &pids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b145_a_descendant_that_left_the_group() {
    let mut fake = fake(&format!(
        "fork\nsetsid\nwrite-pid $D/escaped\nsleep 600000\nend\ndaemonize\nwrite-pid $D/daemon\nexec-sleep 600\nend\n{INIT}sleep 600000\n"
    ));
    fake.runner.grace(Duration::from_millis(300));
    let mut run = fake.spawn();
    started(&mut run).await;
    let pids = [fake.pid("escaped"), fake.pid("daemon")];
    let marker = run.marker().to_owned();
    run.cancel();
    assert_eq!(within(5, run.wait()).await.status, Status::Cancelled);
    nothing_left(&marker, &pids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b148_it_prints_before_it_reads() {
    let warmup =
        r#"repeat 20000 {"type":"system","subtype":"warmup","n":@I@,"pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#;
    let mut fake = fake(&format!("{warmup}\nread-stdin\n{INIT}print-vars {}\n", result("got @BYTES@")));
    fake.runner.prompt("p".repeat(1 << 20));
    let envelope = fake.run().await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("got 1048576")));
    assert_eq!(envelope.stream.lines, 20_002);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b148_one_that_ends_without_reading_has_one_verdict() {
    // Its prompt finds the pipe open or closed as the system pleases.
    for (executor, program, args, want) in [
        ("claude-code", "true", &[][..], &["interrupted"][..]),
        ("claude-code", "false", &[], &["exit"]),
        ("raw", "echo", &["It is done."], &[]),
    ] {
        for _ in 0..times(100) {
            let mut runner = Runner::new(&Profile::builtin(executor).unwrap());
            runner.program(program).prompt("hello").args(args.iter().copied());
            let envelope = runner.run().await.unwrap();
            let classes: Vec<_> = envelope.errors.iter().map(|error| error.class.as_str()).collect();
            assert_eq!(classes, want, "{:?}", envelope.errors);
        }
    }
    // Of a prompt that no pipe takes it is told that it was not read.
    for _ in 0..times(20) {
        let mut runner = Runner::new(&Profile::builtin("claude-code").unwrap());
        let envelope = runner.program("true").prompt("p".repeat(1 << 20)).run().await.unwrap();
        let classes: Vec<_> = envelope.errors.iter().map(|error| error.class.as_str()).collect();
        assert_eq!(classes, ["interrupted", "stream"], "{:?}", envelope.errors);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b148_cancel_and_limits_work_while_the_prompt_is_written() {
    for limit in [false, true] {
        let mut fake = fake(&format!("{INIT}wait-forever\n"));
        fake.runner.prompt("p".repeat(4 << 20)).grace(Duration::from_millis(200));
        if limit {
            fake.runner.timeout(Duration::from_millis(300));
        }
        let mut run = fake.spawn();
        started(&mut run).await;
        if !limit {
            run.cancel();
        }
        let envelope = within(5, run.wait()).await;
        assert_eq!(envelope.status, if limit { Status::Failed } else { Status::Cancelled });
        assert_eq!(envelope.errors[0].code.as_str(), if limit { "executor_timed_out" } else { "executor_cancelled" });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b150_nothing_printed_before_the_exit_is_lost() {
    let script = format!(
        "read-stdin\n{INIT}repeat 30000 {{\"type\":\"system\",\"subtype\":\"progress\",\"n\":@I@}}\nprint {}\n",
        result("done")
    );
    for _ in 0..times(5) {
        let runs: Vec<_> = (0..20)
            .map(|_| {
                let fake = fake(&script);
                tokio::spawn(async move {
                    let mut run = fake.spawn();
                    let (mut events, mut progress, mut line) = (0, 0, 0);
                    while let Some(event) = within(60, run.next_event()).await {
                        progress += usize::from(matches!(event.kind, EventKind::Raw(_)));
                        assert!(event.line >= line && event.seq == events, "out of order");
                        line = event.line;
                        events += 1;
                        if events <= 500 {
                            tokio::time::sleep(Duration::from_millis(1)).await;
                        }
                    }
                    let envelope = run.wait().await;
                    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")));
                    assert_eq!((progress, envelope.stream.lines), (30_000, 30_002));
                })
            })
            .collect();
        for run in runs {
            run.await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b150_a_consumer_that_stops_does_not_prevent_cancel() {
    let mut fake =
        fake(&format!("{INIT}loop forever\nrepeat 1000 {{\"type\":\"system\",\"subtype\":\"x\",\"n\":@I@}}\nend\n"));
    fake.runner.read_ahead(1 << 20).grace(Duration::from_millis(200));
    let mut run = fake.spawn();
    started(&mut run).await;
    // The read-ahead and the pipe are full by then.
    tokio::time::sleep(SECOND).await;
    let cpu =
        |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().split(' ').nth(13).unwrap().to_owned();
    let pid = run.id().unwrap();
    let before = cpu(pid);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(cpu(pid), before, "the child is not stalled");
    run.cancel();
    let begun = Instant::now();
    while !run.is_over() {
        assert!(begun.elapsed() < 5 * SECOND, "not over, with a consumer that takes nothing");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(run.wait().await.status, Status::Cancelled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b153_our_own_signal_is_no_failure() {
    let aborted = format!(
        r#"print {{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"{SESSION}","errors":["Request was aborted."]}}"#
    );
    let signals = format!("on TERM\n{aborted}\nexit 143\nend\non INT\n{aborted}\nexit 143\nend\n");
    let fake_one = fake(&format!("{signals}{INIT}wait-forever\n"));
    let mut run = fake_one.spawn();
    started(&mut run).await;
    run.cancel();
    let envelope = within(10, run.wait()).await;
    assert_eq!((envelope.status, envelope.session_id.as_deref()), (Status::Cancelled, Some(SESSION)));
    assert_eq!(envelope.exit.code, Some(143));

    // The same signal from outside.
    let mut run = fake_one.spawn();
    started(&mut run).await;
    let pid = rustix::process::Pid::from_raw(i32::try_from(run.id().unwrap()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let envelope = within(10, run.wait()).await;
    assert_eq!((envelope.status, envelope.exit.code), (Status::Failed, Some(143)));
    assert!(
        envelope.errors.iter().any(|error| error.message.contains("Request was aborted.")),
        "{:?}",
        envelope.errors
    );

    // One that does not catch it.
    let mut run = fake(&format!("{INIT}wait-forever\n")).spawn();
    started(&mut run).await;
    let pid = rustix::process::Pid::from_raw(i32::try_from(run.id().unwrap()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let envelope = within(10, run.wait()).await;
    assert_eq!((envelope.status, envelope.exit.signal), (Status::Failed, Some(15)));
    assert!(envelope.errors[0].message.contains("SIGTERM"), "{:?}", envelope.errors);

    // Cancelled after its terminal record: text and usage are kept.
    let fake = fake(&format!("{INIT}print {}\nwait-forever\n", result("done")));
    let mut run = fake.spawn();
    while let Some(event) = within(10, run.next_event()).await {
        if matches!(event.kind, EventKind::TurnEnded(_)) {
            break;
        }
    }
    run.cancel();
    let envelope = within(10, run.wait()).await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Cancelled, Some("done")));
    assert_eq!(envelope.usage.unwrap().total, Some(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b155_a_grace_before_the_kill() {
    let bye = "on INT\nsleep 500\nwrite $D/flushed transcript saved\nexit 0\nend\n";
    let polite = fake(&format!("{bye}{INIT}wait-forever\n"));
    let mut run = polite.spawn();
    started(&mut run).await;
    let begun = Instant::now();
    run.cancel();
    assert_eq!(within(10, run.wait()).await.status, Status::Cancelled);
    assert!(polite.path("flushed").exists());
    // The usual grace is 5 s.
    assert!(begun.elapsed() < 3 * SECOND, "{:?}", begun.elapsed());

    for (grace, least) in [(700, 700), (0, 0)] {
        let mut stubborn = fake(&format!("ignore INT\nignore TERM\n{INIT}wait-forever\n"));
        stubborn.runner.grace(Duration::from_millis(grace));
        let mut run = stubborn.spawn();
        started(&mut run).await;
        let begun = Instant::now();
        run.cancel();
        let envelope = within(10, run.wait()).await;
        assert_eq!((envelope.status, envelope.exit.signal), (Status::Cancelled, Some(9)));
        let took = begun.elapsed();
        assert!(took >= Duration::from_millis(least) && took < Duration::from_millis(grace) + 2 * SECOND, "{took:?}");
    }
    // At once, whatever the grace.
    let mut run = fake(&format!("ignore INT\n{INIT}wait-forever\n")).spawn();
    started(&mut run).await;
    run.kill();
    assert_eq!(within(2, run.wait()).await.status, Status::Cancelled);
}

#[test]
fn b157_memory_does_not_grow() {
    if !in_own_process("b157_memory_does_not_grow", |_| {}) {
        return;
    }
    let pad = "y".repeat(1000);
    let fake = fake(&format!(
        "read-stdin\n{INIT}loop 300\nrepeat 1000 {{\"type\":\"system\",\"subtype\":\"progress\",\"n\":@I@,\"pad\":\"{pad}\"}}\nrepeat-err 334 {pad}\nend\nprint {}\n",
        result("done")
    ));
    runtime().block_on(async {
        let (before, _) = memory();
        let mut run = fake.spawn();
        let mut events = 0;
        while within(60, run.next_event()).await.is_some() {
            events += 1;
        }
        let envelope = run.wait().await;
        let (after, _) = memory();
        assert_eq!((envelope.status, envelope.stream.lines), (Status::Ok, 300_002));
        assert!(envelope.stream.bytes > 300_000_000 && envelope.stderr.lines == 100_200);
        assert_eq!(envelope.stream.events, events);
        assert!(envelope.stderr.head.len() + envelope.stderr.tail.len() <= 64 << 10);
        println!("grown by {} KiB over {} MB", after - before, envelope.stream.bytes / 1_000_000);
        assert!(after - before < 64 << 10, "grown by {} KiB", after - before);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b166_runs_at_once_share_nothing() {
    let script = |tag: &str, end: &str| {
        let mut script = format!("read-stdin\n{}", INIT.replace("7d1f0c52", tag));
        for i in 0..50 {
            script.push_str(&format!(
                "print-raw {{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"session_id\":\"{tag}\",\"message\":{{\"id\":\"m{i}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"te\n"
            ));
            script.push_str(&format!("print-raw xt\",\"text\":\"{tag}-{i}\"}}]}}}}\\n\n"));
        }
        script + end + &format!("print {}\n", result(tag).replace("7d1f0c52", tag))
    };
    let one = |i: usize| {
        let tag = format!("run{i:05}");
        // One of them is cancelled in its middle.
        let end = if i == 7 { "wait-forever\n" } else { "" };
        let fake = fake(&script(&tag, end));
        tokio::spawn(async move {
            let mut run = fake.spawn();
            let mut seen = Vec::new();
            while let Some(event) = within(60, run.next_event()).await {
                let event = event.into_owned();
                if let EventKind::Message(message) = &event.kind {
                    seen.push(message.text.decode().into_owned());
                }
                if i == 7 && seen.len() == 50 {
                    run.cancel();
                }
            }
            let envelope = run.wait().await;
            assert_eq!(seen, (0..50).map(|n| format!("{tag}-{n}")).collect::<Vec<_>>());
            assert!(envelope.session_id.unwrap().starts_with(&tag));
            assert_eq!(envelope.stream.malformed_lines, 0);
            let verdict = if i == 7 { (Status::Cancelled, None) } else { (Status::Ok, Some(tag)) };
            assert_eq!((envelope.status, envelope.result), verdict);
        })
    };
    let runs: Vec<_> = (1..=20).map(one).collect();
    for run in runs {
        run.await.unwrap();
    }
}
