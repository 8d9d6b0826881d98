//! Runs that are spoken to: turns, an interrupt, questions allowed, denied and left open, in simulated time.

use crate::sim::{INIT, RESULT, Sim, hello, message, ms};
use serde_json::{Value, json};
use turnline::input::{Answer, InputErrorKind};
use turnline::launch::Request;
use turnline::run::{Action, Input, RunOptions, Sent, WhenBusy};
use turnline::{State, Status, TurnStatus};

const ASK: &[u8] = b"{\"type\":\"assistant\",\"message\":{\"id\":\"m-1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t-1\",\"name\":\"Bash\",\"input\":{\"command\":\"touch x\"}}]},\"session_id\":\"s-1\"}\n\
{\"type\":\"control_request\",\"request_id\":\"q-1\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\"input\":{\"command\":\"touch x\"},\"tool_use_id\":\"t-1\"}}\n";
const WITHDRAWN: &[u8] = b"{\"type\":\"control_cancel_request\",\"request_id\":\"q-1\"}\n";
const DONE: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t-1\",\"content\":\"\"}]},\"session_id\":\"s-1\"}\n";
const STOPPED: &[u8] = b"{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"session_id\":\"s-1\",\
\"terminal_reason\":\"aborted_tools\",\"errors\":[\"stopped\"],\"total_cost_usd\":0.01,\"usage\":{\"input_tokens\":1,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":1}}\n";

const NOTHING: [Value; 0] = [];

fn talks() -> Request {
    Request::default().interactive(true).ask_permissions(true)
}

fn started(request: Request) -> Sim {
    Sim::started(request)
}

impl Sim {
    /// All that is to be written now, as JSON; the driver writes it whole.
    fn written(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        loop {
            while let Some(action) = self.run.poll() {
                self.actions.push(action);
            }
            let Some(at) = self.actions.iter().position(|action| matches!(action, Action::Write(_))) else { break };
            let Action::Write(range) = self.actions.remove(at) else { unreachable!() };
            let bytes = self.run.stdin(range.clone()).to_vec();
            lines
                .extend(bytes.split_inclusive(|byte| *byte == b'\n').map(|line| serde_json::from_slice(line).unwrap()));
            self.tell(Input::StdinWritten(range.len()));
        }
        lines
    }

    fn out(&mut self, bytes: &[u8]) -> &mut Self {
        self.tell(Input::Stdout(bytes));
        self.events();
        self
    }

    fn send(&mut self, text: &str) -> Result<Sent, InputErrorKind> {
        self.run.send(text, self.now).map_err(|error| error.kind())
    }

    fn answer(&mut self, id: &str, answer: &Answer) -> Result<(), InputErrorKind> {
        self.run.answer(id, answer, self.now).map_err(|error| error.kind())
    }
}

fn turn(text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    json!({"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null, "session_id": ""})
}

#[test]
fn two_turns_the_second_waits_for_the_first() {
    let mut sim = started(talks());
    assert_eq!(sim.run.state(), State::Idle);
    assert_eq!(sim.send("One?"), Ok(Sent::Now));
    assert_eq!(sim.run.state(), State::Working);
    assert_eq!(sim.written(), [turn("One?")]);
    assert_eq!(sim.send("Two?"), Ok(Sent::Queued));
    sim.out(INIT);
    assert_eq!(sim.written(), NOTHING);
    assert_eq!(sim.run.take_turn(), None);
    sim.out(RESULT);
    assert_eq!(sim.written(), [turn("Two?")]);
    assert_eq!(sim.run.state(), State::Working);
    let report = sim.run.take_turn().unwrap();
    assert_eq!((report.turn, report.status, report.result.as_deref()), (0, TurnStatus::Ok, Some("done")));
    assert_eq!(report.usage.unwrap().input, Some(3));
    sim.out(INIT).out(RESULT);
    assert_eq!(sim.run.state(), State::Idle);
    assert_eq!(sim.run.take_turn().map(|report| report.turn), Some(1));
    assert_eq!(sim.run.take_turn(), None);
    // Nothing is late while the host says nothing.
    sim.pass(3_600_000);
    assert!(!sim.run.is_ending());
    sim.asked();
    sim.run.end_input(sim.now);
    sim.tell(Input::Tick);
    assert_eq!(sim.asked(), [Action::CloseStdin]);
    assert_eq!(sim.send("Three?"), Err(InputErrorKind::Ended));
    sim.exited(0).closed().gone();
    assert_eq!(sim.run.state(), State::Ended);
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.turns), (Status::Ok, 2), "{}", message(&envelope));
}

#[test]
fn the_first_turn_comes_with_the_plan_and_input_ends_with_the_last() {
    let mut sim = started(Request::new("One?").interactive(true));
    assert_eq!(sim.written(), [turn("One?")]);
    sim.send("Two?").unwrap();
    sim.run.end_input(sim.now);
    assert_eq!(sim.send("Three?"), Err(InputErrorKind::Ended));
    sim.out(INIT).out(RESULT);
    assert_eq!(sim.asked(), [Action::Write(0..turn("Two?").to_string().len() + 1)]);
    sim.tell(Input::StdinWritten(1000)).out(INIT);
    assert_eq!(sim.asked(), []);
    sim.out(RESULT);
    assert_eq!(sim.asked(), [Action::CloseStdin]);
    // It would not go: that is no failure.
    sim.pass(10_000);
    assert_eq!(sim.asked(), [Action::Interrupt(turnline::launch::Interrupt::Interrupt)]);
    sim.tell(Input::Signalled).exited(0).closed().gone();
    assert_eq!(sim.run.finish().status, Status::Ok);
}

#[test]
fn an_interrupt_stops_the_turn_and_not_the_process() {
    let mut sim = started(talks());
    assert!(!sim.run.interrupt(sim.now).unwrap(), "there is nothing to stop");
    sim.send("Sleep.").unwrap();
    sim.out(INIT);
    sim.written();
    sim.send("Go on.").unwrap();
    assert!(sim.run.interrupt(sim.now).unwrap());
    assert!(!sim.run.interrupt(sim.now).unwrap(), "it was asked already");
    let want = json!({"type": "control_request", "request_id": "turnline-1", "request": {"subtype": "interrupt"}});
    assert_eq!(sim.written(), [want]);
    sim.out(STOPPED);
    assert_eq!(sim.run.take_turn().unwrap().status, TurnStatus::Cancelled);
    assert_eq!(sim.written(), [turn("Go on.")]);
    sim.out(INIT).out(RESULT);
    let id = sim.run.set_model("owl", sim.now).unwrap();
    assert_eq!(id, "turnline-2");
    let want =
        json!({"type": "control_request", "request_id": id, "request": {"subtype": "set_model", "model": "owl"}});
    assert_eq!(sim.written(), [want]);
    sim.run.end_input(sim.now);
    sim.exited(0).closed().gone();
    let envelope = sim.run.finish();
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{}", message(&envelope));
}

#[test]
fn questions_are_answered_once() {
    let mut sim = started(talks());
    sim.send("Touch.").unwrap();
    sim.written();
    assert_eq!(sim.answer("q-1", &Answer::allow()), Err(InputErrorKind::UnknownRequest));
    sim.out(INIT).out(ASK);
    assert_eq!(sim.run.state(), State::Waiting);
    assert_eq!(sim.run.questions().collect::<Vec<_>>(), ["q-1"]);
    assert_eq!(sim.answer("q-1", &Answer::allow()), Ok(()));
    assert_eq!(sim.run.state(), State::Working);
    // It is told by an event, too.
    assert_eq!(sim.events(), 1);
    for again in [Answer::allow(), Answer::deny("no")] {
        assert_eq!(sim.answer("q-1", &again), Err(InputErrorKind::AlreadyAnswered));
    }
    let allowed = json!({"behavior": "allow", "updatedInput": {"command": "touch x"}});
    let response = |response| json!({"type": "control_response", "response": {"subtype": "success", "request_id": "q-1", "response": response}});
    assert_eq!(sim.written(), [response(allowed)]);
    sim.out(DONE).out(RESULT);
    // One that is withdrawn cannot be answered any more.
    sim.send("Touch again.").unwrap();
    sim.out(INIT).out(ASK);
    assert_eq!(sim.run.state(), State::Waiting);
    sim.out(WITHDRAWN);
    assert_eq!(sim.run.state(), State::Working);
    assert_eq!(sim.answer("q-1", &Answer::allow()), Err(InputErrorKind::AlreadyAnswered));
    // Nor one whose call is over.
    sim.out(RESULT).send("And again.").unwrap();
    sim.out(INIT).out(ASK).out(DONE);
    assert_eq!(sim.answer("q-1", &Answer::deny("no")), Err(InputErrorKind::AlreadyAnswered));
    sim.written();
    sim.out(RESULT).send("Once more.").unwrap();
    sim.out(INIT).out(ASK);
    sim.written();
    assert_eq!(sim.answer("q-1", &Answer::deny("Not here.").interrupting()), Ok(()));
    let denied = json!({"behavior": "deny", "message": "Not here.", "interrupt": true});
    assert_eq!(sim.written(), [response(denied)]);
}

#[test]
fn a_question_may_wait_for_ever_or_so_long() {
    let mut sim = started(talks().idle_timeout(ms(5_000)).first_event_timeout(ms(1_000)));
    // Neither silence before the first word nor over an open question is the executor's.
    sim.pass(60_000);
    sim.send("Touch.").unwrap();
    sim.out(INIT).out(ASK).pass(3_600_000);
    assert!(!sim.run.is_ending());
    assert_eq!(sim.run.state(), State::Waiting);
    sim.answer("q-1", &Answer::deny("no")).unwrap();
    sim.pass(4_999);
    assert!(!sim.run.is_ending());
    sim.pass(1);
    assert!(sim.run.is_ending(), "now it is silent");

    let mut sim = started(talks().answer_within(ms(2_500)));
    sim.send("Touch.").unwrap();
    sim.out(INIT).out(ASK);
    sim.written();
    sim.pass(2_499);
    assert_eq!(sim.written(), NOTHING);
    sim.pass(1);
    let written = sim.written();
    assert_eq!(written.len(), 1);
    let denied = json!({"behavior": "deny", "message": "No answer came within 2.5 s."});
    assert_eq!(written[0]["response"]["response"], denied);
    assert_eq!(sim.run.state(), State::Working);
    assert_eq!(sim.answer("q-1", &Answer::allow()), Err(InputErrorKind::AlreadyAnswered));
}

#[test]
fn no_turn_is_lost() {
    let mut sim = started(talks());
    sim.send("One?").unwrap();
    sim.send("Two?").unwrap();
    sim.send("Three?").unwrap();
    sim.out(INIT).exited(1).closed().gone();
    assert_eq!(sim.send("Four?"), Err(InputErrorKind::Ended));
    let unsent: Vec<_> = sim.run.take_unsent().iter().filter_map(|turn| turn.as_text()).collect();
    assert_eq!(unsent, ["Two?", "Three?"]);
    assert_eq!(sim.run.take_unsent(), []);
    assert_eq!(sim.run.finish().status, Status::Failed);
}

#[test]
fn text_that_comes_while_a_turn_runs() {
    let with = |when_busy, queue| {
        let mut options = RunOptions::default();
        options.when_busy = when_busy;
        options.queue = queue;
        let mut sim = Sim::with(talks(), options);
        sim.tell(Input::Started);
        sim.send("One?").unwrap();
        sim.out(INIT);
        sim.written();
        sim
    };
    assert_eq!(with(WhenBusy::Refuse, 1000).send("Two?"), Err(InputErrorKind::Busy));
    let mut sim = with(WhenBusy::Write, 0);
    assert_eq!(sim.send("Two?"), Ok(Sent::Now));
    assert_eq!(sim.written(), [turn("Two?")]);
    assert_eq!(with(WhenBusy::Queue, 100).send("Two?"), Err(InputErrorKind::Busy), "the queue is full");
}

#[test]
fn who_cannot_be_spoken_to() {
    let kinds = |sim: &mut Sim| {
        let now = sim.now;
        [
            sim.send("x").unwrap_err(),
            sim.answer("q", &Answer::allow()).unwrap_err(),
            sim.run.interrupt(now).unwrap_err().kind(),
            sim.run.set_permission_mode("plan", now).unwrap_err().kind(),
            sim.run.request(&json!({}), now).unwrap_err().kind(),
        ]
    };
    assert_eq!(kinds(&mut started(hello())), [InputErrorKind::NotInteractive; 5]);
    let mut sim = started(talks());
    sim.send("One?").unwrap();
    sim.out(INIT).out(ASK).tell(Input::Cancel);
    assert_eq!(sim.run.state(), State::Ended);
    sim.written();
    assert_eq!(sim.send("Two?"), Err(InputErrorKind::Ended));
    assert_eq!(sim.answer("q-1", &Answer::allow()), Err(InputErrorKind::Ended));
    assert!(!sim.run.interrupt(sim.now).unwrap());
    assert_eq!(sim.written(), NOTHING, "one that is ended is told no more");
}
