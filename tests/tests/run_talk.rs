//! Interactive runs with real pipes: a scripted executor that speaks claude's protocol through two turns, an interrupt, and
//! questions that are allowed, denied, and left open.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod run_support;

use std::time::Duration;

use run_support::*;
use serde_json::{Value, json};
use turnline::input::{Answer, InputErrorKind};
use turnline::run::{Sent, WhenBusy};
use turnline::{EventKind, State, Status, TurnStatus};
use turnline_tokio::Run;

/// What the part does with each line it is told: a turn is begun and ended, but for one with these words in it.
const PART: &str = r#"loop forever
read-line $D/said
if-eof
exit 0
end
if-line "type":"user"
print {"type":"system","subtype":"init","session_id":"s-1","tools":["Bash"],"model":"m"}
if-line Wait for me.
wait-file $D/go
print @RESULT@
end
if-line Touch
print {"type":"assistant","message":{"id":"m-1","content":[{"type":"tool_use","id":"t-1","name":"Bash","input":{"command":"touch x"}}]},"session_id":"s-1"}
print {"type":"control_request","request_id":"q-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch x"},"tool_use_id":"t-1"}}
end
if-line Quick.
print @RESULT@
end
end
if-line "subtype":"interrupt"
print {"type":"control_response","response":{"subtype":"success","request_id":"turnline-1","response":{"still_queued":[]}}}
print {"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s-1","terminal_reason":"aborted_tools","errors":["stopped"],"total_cost_usd":0.01,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}
end
if-line "behavior"
print {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-1","content":""}]},"session_id":"s-1"}
print @RESULT@
end
end
"#;

fn talks() -> Fake {
    let mut fake = fake(&PART.replace("@RESULT@", &result("done")));
    fake.runner.prompt("").interactive(true).ask_permissions(true);
    fake
}

/// The lines that the executor was told.
fn said(fake: &Fake) -> Vec<Value> {
    let text = std::fs::read_to_string(fake.path("said")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn words(line: &Value) -> &str {
    line["message"]["content"][0]["text"].as_str().unwrap_or_default()
}

async fn asked(run: &mut Run) -> String {
    while let Some(event) = within(30, run.next_event()).await {
        if let EventKind::PermissionRequest(request) = &event.kind {
            return request.request_id.decode().into_owned();
        }
    }
    panic!("it asked for nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_turns() {
    let fake = talks();
    let mut run = fake.spawn();
    assert_eq!(run.state(), State::Idle);
    assert_eq!(run.send("Wait for me.").unwrap(), Sent::Now);
    assert_eq!(run.send("Quick.").unwrap(), Sent::Queued);
    started(&mut run).await;
    assert_eq!(run.state(), State::Working);
    // The second is not told while the first one runs.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(said(&fake).len(), 1);
    assert_eq!(run.take_turn(), None);
    std::fs::write(fake.path("go"), "").unwrap();
    let report = within(30, run.next_turn()).await.unwrap();
    assert_eq!((report.turn, report.status, report.result.as_deref()), (0, TurnStatus::Ok, Some("done")));
    assert_eq!(report.usage.unwrap().input, Some(3));
    let report = within(30, run.next_turn()).await.unwrap();
    assert_eq!((report.turn, report.status), (1, TurnStatus::Ok));
    assert_eq!((run.state(), run.take_turn()), (State::Idle, None));
    let lines = said(&fake);
    assert_eq!(lines.iter().map(words).collect::<Vec<_>>(), ["Wait for me.", "Quick."]);
    run.end_input();
    assert_eq!(run.send("More?").unwrap_err().kind(), InputErrorKind::Ended);
    let marker = run.marker().to_owned();
    let envelope = within(30, run.wait()).await;
    assert_eq!(
        (envelope.status, envelope.turns, envelope.exit.code),
        (Status::Ok, 2, Some(0)),
        "{:?}",
        envelope.errors
    );
    assert_eq!(envelope.turn_reports.len(), 2);
    nothing_left(&marker, &[]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_from_elsewhere() {
    let fake = talks();
    let mut run = fake.spawn();
    let handle = run.handle();
    run.send("Sleep.").unwrap();
    started(&mut run).await;
    run.send("Quick.").unwrap();
    let thread = std::thread::spawn({
        let handle = handle.clone();
        move || (handle.interrupt().unwrap(), handle.interrupt().unwrap(), handle.state())
    });
    let (first, second, state) = thread.join().unwrap();
    assert_eq!((first, second), (true, false));
    assert_ne!(state, State::Ended);
    assert_eq!(within(30, run.next_turn()).await.unwrap().status, TurnStatus::Cancelled);
    // The process lives on, and what waited is told.
    assert_eq!(within(30, run.next_turn()).await.unwrap().status, TurnStatus::Ok);
    let interrupt = json!({"type": "control_request", "request_id": "turnline-1", "request": {"subtype": "interrupt"}});
    assert_eq!(said(&fake)[1], interrupt);
    handle.end_input();
    let envelope = within(30, run.wait()).await;
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{:?}", envelope.errors);
    // The run is gone.
    assert_eq!((handle.state(), handle.send("x").unwrap_err().kind()), (State::Ended, InputErrorKind::Ended));
    handle.cancel();
    handle.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions() {
    let mut fake = talks();
    fake.runner.answer_within(Duration::from_secs(600));
    let mut run = fake.spawn();
    for answer in [Answer::allow(), Answer::allow().input(json!({"command": "true"})), Answer::deny("Not here.")] {
        run.send("Touch.").unwrap();
        let id = asked(&mut run).await;
        assert_eq!(run.state(), State::Waiting);
        assert_eq!(run.answer("q-0", &answer).unwrap_err().kind(), InputErrorKind::UnknownRequest);
        run.answer(&id, &answer).unwrap();
        assert_eq!(run.answer(&id, &answer).unwrap_err().kind(), InputErrorKind::AlreadyAnswered);
        // What was decided is told by an event.
        let next = within(30, run.next_event()).await.map(turnline::Event::into_owned);
        assert!(matches!(next.as_ref().map(|event| &event.kind), Some(EventKind::PermissionResolved(_))), "{next:?}");
        assert_eq!(within(30, run.next_turn()).await.unwrap().status, TurnStatus::Ok);
    }
    let answers: Vec<_> = said(&fake).into_iter().map(|mut line| line["response"]["response"].take()).collect();
    let allowed = |command: &str| json!({"behavior": "allow", "updatedInput": {"command": command}});
    let denied = json!({"behavior": "deny", "message": "Not here."});
    assert_eq!(answers, [json!(null), allowed("touch x"), json!(null), allowed("true"), json!(null), denied]);
    run.end_input();
    assert_eq!(within(30, run.wait()).await.status, Status::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_nobody_answers() {
    let mut fake = talks();
    fake.runner.answer_within(Duration::from_millis(150));
    let mut run = fake.spawn();
    run.send("Touch.").unwrap();
    let id = asked(&mut run).await;
    let report = within(30, run.next_turn()).await.unwrap();
    assert_eq!(report.status, TurnStatus::Ok);
    let answer = &said(&fake)[1]["response"]["response"];
    assert_eq!(*answer, json!({"behavior": "deny", "message": "No answer came within 0.15 s."}));
    assert_eq!(run.answer(&id, &Answer::allow()).unwrap_err().kind(), InputErrorKind::AlreadyAnswered);
    // Without a limit it waits; whoever goes away leaves nothing behind.
    let fake = talks();
    let mut run = fake.spawn();
    run.send("Touch.").unwrap();
    asked(&mut run).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(run.state(), State::Waiting);
    let marker = run.marker().to_owned();
    drop(run);
    nothing_left(&marker, &[]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_queue_moves_while_nobody_takes_events() {
    let fake = talks();
    let run = fake.spawn();
    for _ in 0..5 {
        run.send("Quick.").unwrap();
    }
    run.end_input();
    let envelope = within(30, async {
        while !run.is_over() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        run.wait().await
    });
    let envelope = envelope.await;
    assert_eq!((envelope.status, envelope.turns), (Status::Ok, 5), "{:?}", envelope.errors);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_a_turn_is_cancel_safe() {
    let fake = talks();
    let mut run = fake.spawn();
    for _ in 0..20 {
        run.send("Quick.").unwrap();
    }
    let (mut reports, mut tries) = (Vec::new(), 0);
    while reports.len() < 20 {
        tries += 1;
        assert!(tries < 100_000, "{} turns", reports.len());
        if let Ok(report) = tokio::time::timeout(Duration::from_micros(tries % 300), run.next_turn()).await {
            reports.push(report.unwrap().turn);
        }
    }
    assert_eq!(reports, (0..20).collect::<Vec<_>>());
    run.end_input();
    assert_eq!(within(30, run.wait()).await.turns, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused() {
    let mut fake = talks();
    fake.runner.when_busy(WhenBusy::Refuse);
    let run = fake.spawn();
    run.send("Sleep.").unwrap();
    assert_eq!(run.send("Quick.").unwrap_err().kind(), InputErrorKind::Busy);
    assert_eq!(run.send(" ").unwrap_err().kind(), InputErrorKind::Empty);
    let handle = run.handle();
    handle.cancel();
    assert_eq!(within(30, run.wait()).await.status, Status::Cancelled);
    // What was queued when the process died can be taken back.
    let fake = self::fake("read-line\nexit 1\n");
    let mut runner = fake.runner.clone();
    runner.prompt("One.").interactive(true);
    let mut run = runner.spawn().unwrap();
    run.send("Two.").unwrap();
    while within(30, run.next_event()).await.is_some() {}
    assert_eq!(run.take_unsent(), ["Two.".into()]);
    assert_eq!(within(30, run.wait()).await.status, Status::Failed);
    // An executor that takes one prompt and no more.
    let mut fake = Fake::of("codex", "read-stdin\n");
    let run = fake.spawn();
    assert_eq!(run.send("x").unwrap_err().kind(), InputErrorKind::NotInteractive);
    assert!(!run.send_raw(b"x"));
    drop(run);
    fake.runner.interactive(true);
    assert_eq!(fake.runner.spawn().unwrap_err().code(), "request_invalid");
}
