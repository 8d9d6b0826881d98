//! What a host asks of a session while it goes on, and what it tells of it.

use super::{Ended, Parser};
use crate::event::Outcome;
use crate::turn::{State, TurnReport};

impl Parser {
    /// True when the executor printed its terminal record.
    #[must_use]
    pub fn terminal_seen(&self) -> bool {
        self.engine.terminal && !self.engine.owed
    }

    /// True while the executor says that background work goes on.
    #[must_use]
    pub fn background(&self) -> bool {
        self.engine.background
    }

    /// What the session is doing, as far as its records were read: that is, up to the record of the event taken last.
    ///
    /// A run that takes one turn works from the start; an [interactive](crate::Options::interactive) one is idle until a turn
    /// is [sent](Parser::turn_sent) or the executor starts one.
    #[must_use]
    pub fn state(&self) -> State {
        if self.ended == Ended::Done { State::Ended } else { self.engine.state() }
    }

    /// Takes the next report of a turn that is over: each is handed out once, in order. It is there when the turn's
    /// [`turn_ended`](crate::TurnEnded) event is.
    ///
    /// The turn that the end of the stream cut off is not among them: what it came to is known with the process's end, and
    /// stands in the envelope. [`Envelope::turn_reports`](crate::Envelope::turn_reports) lists the taken ones too.
    ///
    /// ```
    /// use turnline::{Exit, Options, Parser, Profile, State, TurnStatus};
    ///
    /// let mut options = Options::default();
    /// options.interactive = true;
    /// let mut parser = Parser::with_options(&Profile::builtin("claude-code")?, options);
    /// assert_eq!(parser.state(), State::Idle);
    /// parser.turn_sent();
    /// assert_eq!(parser.state(), State::Working);
    /// parser.push(br#"{"type":"system","subtype":"init","session_id":"s-1"}"#);
    /// parser.push(b"\n");
    /// parser.push(br#"{"type":"result","subtype":"success","is_error":false,"result":"pong","session_id":"s-1"}"#);
    /// parser.push(b"\n");
    /// while parser.next_event().is_some() {}
    /// let turn = parser.take_turn().expect("it is over");
    /// assert_eq!((turn.status, turn.result.as_deref()), (TurnStatus::Ok, Some("pong")));
    /// assert_eq!((parser.state(), parser.take_turn()), (State::Idle, None));
    /// # Ok::<(), turnline::ProfileError>(())
    /// ```
    pub fn take_turn(&mut self) -> Option<TurnReport> {
        self.engine.turns.take()
    }

    /// Says that the host sent one more user turn: the session works until it is over.
    pub fn turn_sent(&mut self) {
        self.engine.turn_sent();
    }

    /// Says that the host interrupts the turn that runs: unless it ends well it is `cancelled`, not `failed`.
    pub fn turn_interrupted(&mut self) {
        self.engine.turn_interrupted();
    }

    /// Says that the host answered a permission request. Its resolution is the next event (`synthetic`, by `host`), and
    /// the session does not wait for it any more. False where no such request is open: nothing is said then.
    pub fn permission_answered(&mut self, request_id: &str, outcome: Outcome, reason: Option<&str>) -> bool {
        self.engine.permission_answered(request_id, outcome, reason)
    }

    /// How many events were taken.
    #[must_use]
    pub fn events_made(&self) -> u64 {
        self.seq
    }

    /// The id to resume the session with, as far as it is known.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.engine.conversation.session_id()
    }
}
