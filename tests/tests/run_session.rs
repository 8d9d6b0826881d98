//! One session interface for all executors: one process for all turns, or one a turn.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod run_support;

use std::time::Duration;

use run_support::*;
use serde_json::Value;
use turnline::input::UserTurn;
use turnline::launch::Request;
use turnline::run::{Sent, WhenBusy};
use turnline::{Envelope, Event, EventKind, Profile, State, Status, TurnReport, TurnStatus};
use turnline_tokio::{Runner, Session, Step};

const THREAD: &str = "01a22e0c-85f0-7470-9c5f-ea2e20dd2bb5";

/// Codex's part: it writes down how it was started, and fails when it is not alone. Each turn's usage is that of the thread so far.
fn codex(more: &str) -> String {
    format!(
        r#"read-line $D/prompts
alone $D/alone
append-argv $D/argv
print {{"type":"thread.started","thread_id":"{THREAD}"}}
print {{"type":"turn.started"}}
{more}
print {{"type":"item.completed","item":{{"id":"item_0","type":"agent_message","text":"done"}}}}
if-arg resume
print {{"type":"turn.completed","usage":{{"input_tokens":30,"cached_input_tokens":10,"output_tokens":3}}}}
remove $D/alone
exit 0
end
print {{"type":"turn.completed","usage":{{"input_tokens":10,"cached_input_tokens":4,"output_tokens":1}}}}
remove $D/alone
"#
    )
}

fn session(executor: &str, script: &str) -> (Session, Fake) {
    let mut fake = Fake::of(executor, script);
    fake.runner.prompt("").current_dir(fake.dir.path());
    (Session::new(&fake.runner), fake)
}

/// Steps up to the end of a turn, or of the session.
async fn turn(session: &mut Session) -> Option<TurnReport> {
    loop {
        match within(30, session.next()).await? {
            Step::Turn(report) => return Some(report),
            Step::Refused { error, .. } => panic!("{error}"),
            _ => {}
        }
    }
}

/// Takes what is left of a closed session: the reports, and what its processes came to.
async fn rest(session: &mut Session) -> (Vec<TurnReport>, Vec<Envelope>, Vec<Event<'static>>) {
    let (mut reports, mut ends, mut events) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(step) = within(30, session.next()).await {
        match step {
            Step::Turn(report) => reports.push(report),
            Step::Ended(envelope) => ends.push(*envelope),
            Step::Event(event) => events.push(event),
            other => panic!("{other:?}"),
        }
    }
    (reports, ends, events)
}

/// The arguments of each process, one list a line.
fn argvs(fake: &Fake) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(fake.path("argv")).unwrap();
    let argv = |line: &str| serde_json::from_str::<Value>(line).unwrap()["argv"].take();
    text.lines().map(|line| serde_json::from_value(argv(line)).unwrap()).map(|all: Vec<_>| all[1..].to_vec()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_a_turn() {
    let (mut session, fake) = session("codex", &codex("sleep 50"));
    assert_eq!(session.state(), State::Idle);
    assert_eq!(session.send("One?").unwrap(), Sent::Now);
    assert_eq!(session.state(), State::Working);
    assert_eq!(session.send("Two?").unwrap(), Sent::Queued);
    assert_eq!(session.send("Three?").unwrap(), Sent::Queued);
    session.close();
    assert_eq!(session.send("Four?").unwrap_err().code(), "session_closed");
    let (reports, ends, events) = rest(&mut session).await;
    assert_eq!(session.state(), State::Ended);
    assert_eq!(reports.iter().map(|report| report.turn).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(reports.iter().all(|report| report.status == TurnStatus::Ok && report.result.as_deref() == Some("done")));
    // The thread is counted as a whole; a turn's own is what it adds.
    let used: Vec<_> = reports.iter().map(|report| report.usage.and_then(|usage| usage.output)).collect();
    assert_eq!(used, [Some(1), Some(2), Some(0)]);
    assert!(ends.iter().all(|end| end.status == Status::Ok) && ends.len() == 3, "{ends:?}");
    let resumed = events.iter().filter(|event| matches!(event.kind, EventKind::SessionStarted(_))).count();
    assert_eq!((resumed, session.session_id().as_deref()), (3, Some(THREAD)));
    let plain = ["exec", "--json", "--skip-git-repo-check"];
    let again = ["exec", "--json", "--skip-git-repo-check", "resume", THREAD];
    let argvs = argvs(&fake);
    assert_eq!(argvs.len(), 3);
    assert_eq!(argvs[0], plain);
    assert!(argvs[1..].iter().all(|argv| argv.starts_with(&again.map(String::from))), "{argvs:?}");
    assert_eq!(std::fs::read_to_string(fake.path("prompts")).unwrap(), "One?\nTwo?\nThree?\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_a_turn_ends_its_process_and_not_the_session() {
    let (mut session, fake) = session("codex", &codex("if-line Wait\nwait-forever\nend"));
    let handle = session.handle();
    assert!(!session.interrupt().unwrap(), "nothing runs");
    session.send("Wait.").unwrap();
    while let Some(Step::Event(event)) = within(30, session.next()).await {
        if matches!(event.kind, EventKind::TurnStarted) {
            break;
        }
    }
    assert_eq!(handle.send("Go on.").unwrap(), Sent::Queued);
    assert!(handle.interrupt().unwrap());
    let report = turn(&mut session).await.unwrap();
    assert_eq!((report.turn, report.status), (0, TurnStatus::Cancelled));
    std::fs::remove_file(fake.path("alone")).unwrap();
    let report = turn(&mut session).await.unwrap();
    assert_eq!((report.turn, report.status, report.result.as_deref()), (1, TurnStatus::Ok, Some("done")));
    // What the interrupted turn used is not known, so neither is what this one did.
    assert_eq!(report.usage, None);
    handle.close();
    assert_eq!(turn(&mut session).await, None);
    assert!(argvs(&fake)[1].contains(&THREAD.to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_for_all_turns() {
    let part = format!(
        "loop forever\nread-line\nif-eof\nexit 0\nend\nif-line Die.\nexit 3\nend\nappend $D/turns x\n{INIT}print {}\nend\n",
        result("done")
    );
    let (mut session, fake) = session("claude-code", &part);
    for n in 0..3 {
        session.send("Go.").unwrap();
        let report = turn(&mut session).await.unwrap();
        assert_eq!((report.turn, report.status), (n, TurnStatus::Ok));
        assert_eq!(session.state(), State::Idle);
    }
    // It dies over a turn, and another one goes on with the session.
    session.send("Die.").unwrap();
    session.send("Go.").unwrap();
    let report = turn(&mut session).await.unwrap();
    assert_eq!(report.turn, 3);
    assert_ne!(report.status, TurnStatus::Ok);
    let report = turn(&mut session).await.unwrap();
    assert_eq!((report.turn, report.status), (4, TurnStatus::Ok));
    session.send("Go.").unwrap();
    session.close();
    let (reports, ends, _) = rest(&mut session).await;
    assert_eq!((reports.len(), ends.len()), (1, 1));
    assert_eq!((reports[0].turn, ends[0].turns, ends[0].status), (5, 2, Status::Ok));
    assert_eq!(std::fs::read_to_string(fake.path("turns")).unwrap().lines().count(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused() {
    // An executor that cannot go on: one turn and no more.
    let (mut session, _fake) = session("raw", "read-stdin\nprint hello\n");
    session.send("One?").unwrap();
    assert_eq!(session.send("Two?").unwrap_err().code(), "session_cannot_resume");
    assert_eq!(turn(&mut session).await.unwrap().status, TurnStatus::Ok);
    while session.state() == State::Working {
        within(30, session.next()).await;
    }
    assert_eq!(session.send("Two?").unwrap_err().code(), "session_cannot_resume");

    // One whose first turn named no session.
    let (mut session, _fake) = self::session("codex", "read-stdin\nexit 1\n");
    session.send("One?").unwrap();
    assert_eq!(turn(&mut session).await.unwrap().status, TurnStatus::Failed);
    assert!(matches!(within(30, session.next()).await, Some(Step::Ended(_))));
    assert_eq!(session.send("Two?").unwrap_err().code(), "session_unknown");

    // Empty, not text alone, or while a turn runs.
    let (mut session, mut fake) = self::session("codex", &codex("sleep 100"));
    assert_eq!(session.send(" ").unwrap_err().code(), "input_empty");
    assert_eq!(session.send(UserTurn::from("x").image("image/png", "eA==")).unwrap_err().code(), "input_unsupported");
    drop(session);
    fake.runner.when_busy(WhenBusy::Refuse);
    let mut session = Session::new(&fake.runner);
    session.send("One?").unwrap();
    assert_eq!(session.send("Two?").unwrap_err().code(), "input_busy");
    assert_eq!(session.take_unsent(), []);
    // What cannot be started has a report, and may be tried again.
    fake.runner.program("/nowhere/tool");
    drop(session);
    let mut session = Session::new(&fake.runner);
    for _ in 0..2 {
        session.send("One?").unwrap();
        let report = turn(&mut session).await.unwrap();
        assert_eq!(report.error.unwrap().class.as_str(), "not_found");
        assert!(matches!(within(30, session.next()).await, Some(Step::Ended(_))));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_two_sessions_in_one_directory() {
    let (mut one, fake) = session("codex", "read-stdin\nwait-forever\n");
    one.send("One?").unwrap();
    let mut two = Session::new(&fake.runner);
    let error = two.send("Two?").unwrap_err();
    assert_eq!(error.code(), "session_directory_busy");
    let name = fake.dir.path().file_name().unwrap().to_string_lossy().into_owned();
    assert!(error.to_string().contains(&name), "{error}");
    // From a handle it is told as a step.
    two.handle().send("Two?").unwrap();
    assert!(
        matches!(within(30, two.next()).await, Some(Step::Refused { error, .. }) if error.code() == "session_directory_busy")
    );
    two.share_directory(true);
    two.send("Two?").unwrap();
    drop(two);
    drop(one);
    let mut three = Session::new(&fake.runner);
    three.send("Three?").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_was_not_returned_is_not_lost() {
    let (mut session, _fake) = session("codex", &codex("repeat 50 {\"type\":\"x\"}"));
    for n in 0..3 {
        session.send(format!("Turn {n}.")).unwrap();
    }
    session.close();
    let (mut turns, mut ends, mut tries) = (0, 0, 0);
    let mut events = 0;
    loop {
        tries += 1;
        match tokio::time::timeout(Duration::from_micros(tries % 500), session.next()).await {
            Ok(Some(Step::Turn(report))) => {
                assert_eq!(report.turn, turns);
                turns += 1;
            }
            Ok(Some(Step::Ended(_))) => ends += 1,
            Ok(Some(Step::Event(event))) => {
                if event.seq == 0 {
                    events = 0;
                }
                assert_eq!(event.seq, events);
                events += 1;
            }
            Ok(Some(other)) => panic!("{other:?}"),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    assert_eq!((turns, ends), (3, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_was_there_is_gone_on_with() {
    let mut fake = Fake::of("codex", &codex(""));
    let request = Request::new("not said").resume(THREAD).cwd(fake.dir.path().to_string_lossy()).program(FAKE);
    let script = fake.runner.request().env.set["FAKE_SCRIPT"].clone();
    fake.runner = Runner::with_request(&Profile::builtin("codex").unwrap(), request.env("FAKE_SCRIPT", script));
    let mut session = Session::new(&fake.runner);
    session.send("One?").unwrap();
    // What the thread had used before is not known.
    assert_eq!(turn(&mut session).await.unwrap().usage, None);
    assert!(
        argvs(&fake)[0].ends_with(&["resume".to_owned(), THREAD.to_owned()])
            || argvs(&fake)[0].contains(&THREAD.to_owned())
    );
    assert_eq!(std::fs::read_to_string(fake.path("prompts")).unwrap(), "One?\n");
    session.send("Two?").unwrap();
    // Now it is.
    let usage = turn(&mut session).await.unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.output), (Some(0), Some(0)));
}
