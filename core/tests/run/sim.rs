//! A driver that does nothing but keep what it was asked for, in simulated time.

use std::time::Duration;
use turnline::launch::{Host, Request, plan};
use turnline::run::{Action, Input, Run, RunOptions};
use turnline::{Envelope, Profile};

pub(crate) const INIT: &[u8] =
    b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"tools\":[],\"model\":\"m\"}\n";
pub(crate) const PROGRESS: &[u8] = b"{\"type\":\"system\",\"subtype\":\"progress\",\"n\":1}\n";
pub(crate) const RESULT: &[u8] = b"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\"session_id\":\"s-1\",\
\"total_cost_usd\":0.01,\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":2}}\n";
pub(crate) const ABORTED: &[u8] =
    b"{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"session_id\":\"s-1\",\"errors\":[\"Request was aborted.\"]}\n";

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A run and what was asked of its driver.
pub(crate) struct Sim {
    pub(crate) run: Run,
    pub(crate) now: Duration,
    pub(crate) actions: Vec<Action>,
    pub(crate) events: Vec<String>,
}

impl Sim {
    pub(crate) fn new(request: Request) -> Self {
        Sim::with(request, RunOptions::default())
    }

    pub(crate) fn with(request: Request, options: RunOptions) -> Self {
        let profile = Profile::builtin("claude-code").unwrap();
        let plan = plan(&profile.spec().launch, profile.command(), &request, &Host::default()).unwrap();
        Sim { run: Run::new(&profile, plan, options), now: Duration::ZERO, actions: Vec::new(), events: Vec::new() }
    }

    pub(crate) fn started(request: Request) -> Self {
        let mut sim = Sim::new(request);
        sim.tell(Input::Started);
        sim
    }

    pub(crate) fn tell(&mut self, input: Input<'_>) -> &mut Self {
        self.run.handle(input, self.now);
        while let Some(action) = self.run.poll() {
            self.actions.push(action);
        }
        self
    }

    pub(crate) fn say_raw(&mut self, bytes: &[u8]) -> bool {
        self.run.send_raw(bytes, self.now)
    }

    /// Lets time pass, with a tick at each time that was asked for.
    pub(crate) fn pass(&mut self, millis: u64) -> &mut Self {
        let until = self.now + ms(millis);
        for round in 0.. {
            let Some(deadline) = self.run.deadline().filter(|deadline| *deadline <= until) else { break };
            assert!(round < 100_000, "the machine is never content");
            // Taking events can call for a tick at once.
            self.now = self.now.max(deadline);
            self.tell(Input::Tick);
        }
        self.now = until;
        self
    }

    pub(crate) fn events(&mut self) -> usize {
        let before = self.events.len();
        while let Some(event) = self.run.next_event() {
            self.events.push(format!("{}", event.seq));
        }
        while let Some(action) = self.run.poll() {
            self.actions.push(action);
        }
        self.events.len() - before
    }

    /// The actions since the last call, timers left out.
    pub(crate) fn asked(&mut self) -> Vec<Action> {
        self.actions.drain(..).filter(|action| !matches!(action, Action::SetTimer(_))).collect()
    }

    pub(crate) fn exited(&mut self, code: i32) -> &mut Self {
        self.tell(Input::Exited { code: Some(code), signal: None })
    }

    pub(crate) fn closed(&mut self) -> &mut Self {
        self.tell(Input::StdoutClosed).tell(Input::StderrClosed)
    }

    pub(crate) fn gone(&mut self) -> &mut Self {
        self.tell(Input::TreeGone).tell(Input::Reaped)
    }
}

pub(crate) fn hello() -> Request {
    Request::new("hello")
}

pub(crate) fn message(envelope: &Envelope) -> String {
    envelope.errors.iter().map(|error| format!("{}/{}: {}\n", error.code, error.class, error.message)).collect()
}
