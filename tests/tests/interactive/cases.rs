//! The recordings, and what is right of each.

use turnline::State::{self, Ended, Idle, Waiting, Working};
use turnline::TurnStatus;

/// A turn: verdict, last line, answer, input, cache read, cache write, output, money.
pub(super) type Turn = (TurnStatus, u64, Option<&'static str>, [u64; 4], f64);

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) states: &'static [State],
    pub(super) permissions: &'static [&'static str],
    pub(super) turns: &'static [Turn],
    /// The model of the last turn, with its input tokens.
    pub(super) model: (&'static str, u64),
}

const TWO: &[State] = &[Idle, Working, Idle, Working, Idle, Ended];
const ONE: &[State] = &[Idle, Working, Idle, Ended];
const ASKED: &[State] = &[Idle, Working, Waiting, Working, Idle, Ended];
pub(super) const OK: TurnStatus = TurnStatus::Ok;
const CUT: TurnStatus = TurnStatus::Cancelled;
const OPUS: &str = "claude-opus-5-5";
const SONNET: &str = "claude-sonnet-4-20250514";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "2.1.332/21-two-turns",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 3, Some("First answer."), [10, 100, 5, 1], 0.000_105),
            (OK, 6, Some("Second answer."), [20, 200, 6, 2], 0.000_19),
        ],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21-two-turns",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 3, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 6, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21c-replay-user-messages",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 4, Some("First answer."), [10, 100, 5, 1], 0.000_105),
            (OK, 8, Some("Second answer."), [20, 200, 6, 2], 0.000_19),
        ],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21c-replay-user-messages",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 4, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 8, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21d-interrupt",
        states: TWO,
        permissions: &[],
        turns: &[
            (CUT, 7, None, [10, 0, 0, 1], 0.000_06),
            (OK, 10, Some("After the interrupt."), [20, 0, 0, 2], 0.000_12),
        ],
        model: (OPUS, 20),
    },
    Case {
        // The first turn's money is more than its model's: a small model was asked for a title.
        name: "1.0.128/21d-interrupt",
        states: TWO,
        permissions: &[],
        turns: &[
            (CUT, 7, None, [10, 0, 0, 1], 0.000_062_6),
            (OK, 10, Some("After the interrupt."), [20, 0, 0, 2], 0.000_09),
        ],
        model: (SONNET, 20),
    },
    Case {
        // The answers to control requests come before the first turn: the session is idle all the while.
        name: "2.1.332/21f-control-requests",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 9, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 12, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: ("claude-sonnet-4-5", 20),
    },
    Case {
        name: "1.0.128/21f-control-requests",
        states: TWO,
        permissions: &[],
        turns: &[
            (OK, 8, Some("First answer."), [10, 100, 5, 1], 0.000_093_75),
            (OK, 11, Some("Second answer."), [20, 200, 6, 2], 0.000_172_5),
        ],
        model: ("claude-sonnet-4-5", 20),
    },
    Case {
        // One call allowed, one denied: the one with its result, the other in the turn's list.
        name: "2.1.332/21g-can-use-tool",
        states: &[Idle, Working, Waiting, Working, Waiting, Working, Idle, Ended],
        permissions: &["ask 0", "allowed 0", "ask 1", "denied 1"],
        turns: &[(OK, 9, Some("One allowed, one denied."), [30, 0, 0, 3], 0.000_18)],
        model: (OPUS, 30),
    },
    Case {
        // Requests of 1.0 do not name their call.
        name: "1.0.128/21g-can-use-tool",
        states: &[Idle, Working, Waiting, Working, Waiting, Working, Idle, Ended],
        permissions: &["ask -", "ask -", "denied 1"],
        turns: &[(OK, 9, Some("One allowed, one denied."), [30, 0, 0, 3], 0.000_187_8)],
        model: (SONNET, 30),
    },
    Case {
        // Nobody answers, and standard input is closed: that is a denial.
        name: "2.1.332/21i-can-use-tool-unanswered",
        states: ASKED,
        permissions: &["ask 0", "denied 0"],
        turns: &[(OK, 6, Some("Denied by silence."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21i-can-use-tool-unanswered",
        states: ASKED,
        permissions: &["ask -", "denied 0"],
        turns: &[(OK, 6, Some("Denied by silence."), [20, 0, 0, 2], 0.000_107_6)],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21m-eof-mid-turn",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 5, Some("Finished all the same."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21m-eof-mid-turn",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 5, Some("Finished all the same."), [20, 0, 0, 2], 0.000_107_6)],
        model: (SONNET, 20),
    },
    Case {
        // The interrupt withdraws the question; the call that was never made is among the denials all the same.
        name: "2.1.332/21o-interrupt-open-question",
        states: &[Idle, Working, Waiting, Working, Idle, Working, Idle, Ended],
        permissions: &["ask 0", "cancelled @", "denied 0"],
        turns: &[(CUT, 8, None, [10, 0, 0, 1], 0.000_06), (OK, 11, Some("After."), [10, 0, 0, 1], 0.000_06)],
        model: (OPUS, 10),
    },
    Case {
        name: "1.0.128/21o-interrupt-open-question",
        states: &[Idle, Working, Waiting, Working, Idle, Working, Idle, Ended],
        permissions: &["ask -", "cancelled @", "denied 0"],
        turns: &[(CUT, 8, None, [10, 0, 0, 1], 0.000_062_6), (OK, 11, Some("After."), [10, 0, 0, 1], 0.000_045)],
        model: (SONNET, 10),
    },
    Case {
        name: "2.1.332/21q-exit-plan-mode",
        states: ASKED,
        permissions: &["ask 0", "allowed 0"],
        turns: &[(OK, 7, Some("Plan accepted."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21q-exit-plan-mode",
        states: ASKED,
        permissions: &["ask -"],
        turns: &[(OK, 6, Some("Plan accepted."), [20, 0, 0, 2], 0.000_09)],
        model: (SONNET, 20),
    },
    Case {
        // Hooks that call the host back are no questions of permission.
        name: "2.1.332/21r-hook-callbacks",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 8, Some("Called back."), [20, 0, 0, 2], 0.000_12)],
        model: (OPUS, 20),
    },
    Case {
        name: "1.0.128/21r-hook-callbacks",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 8, Some("Called back."), [20, 0, 0, 2], 0.000_107_6)],
        model: (SONNET, 20),
    },
    Case {
        name: "2.1.332/21t-sdk-mcp-server",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 10, Some("Host said hello."), [30, 0, 0, 3], 0.000_18)],
        model: (OPUS, 30),
    },
    Case {
        // 1.0 does not offer the tool; the scripted model says its line all the same.
        name: "1.0.128/21t-sdk-mcp-server",
        states: ONE,
        permissions: &[],
        turns: &[(OK, 7, Some("Host said hello."), [30, 0, 0, 3], 0.000_135)],
        model: (SONNET, 30),
    },
];
