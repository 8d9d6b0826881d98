//! What each turn came to.

use super::bill::Known;
use super::field::cut;
use super::state::State;
use serde_json::{Value, json};
use turnline::{Resume, StopReason};

/// A turn that is over, or was cut off by the end of the stream.
pub(super) struct Report {
    turn: u64,
    pub(super) status: &'static str,
    stop: StopReason,
    error: Option<(String, String)>,
    result: Option<String>,
    usage: Value,
    models: Vec<Value>,
    cost: Option<f64>,
    line: u64,
}

impl Report {
    /// As the envelope shows it; `exit` is of the process that ended with it.
    pub(super) fn value(&self, bound: usize, exit: Option<Value>) -> Value {
        // What an earlier record of the turn said is no answer where the turn did not end well.
        let result = self.result.clone().filter(|_| self.status == "ok");
        let kept = result.clone().map(|text| cut(text, bound));
        json!({
            "turn": self.turn,
            "status": self.status,
            "stop_reason": self.stop.as_str(),
            "error": self.error.as_ref().map(|(class, message)| json!({"class": class, "message": message})),
            "result_cut": kept != result,
            "result": kept.filter(|text| !text.trim().is_empty()),
            "usage": self.usage,
            "model_usage": self.models,
            "cost_usd": self.cost,
            "last_line": self.line,
            "exit": exit,
        })
    }

    pub(super) fn failed(&self) -> bool {
        self.error.is_some()
    }
}

impl State<'_> {
    /// The record that ended a turn is read.
    pub(super) fn turn_over(&mut self, stop: StopReason) {
        let mut report = self.report(stop, "ok");
        if stop == StopReason::Cancelled {
            report.status = "cancelled";
            if let Some((class, _)) = report.error.as_mut().filter(|(class, _)| class == "unknown") {
                *class = "interrupted".into();
            }
        } else if stop == StopReason::Error || report.failed() {
            report.status = "failed";
        }
        self.reports.push(report);
        self.bill.turn_ended();
        // What is asked for a sub-agent may go on.
        let calls = &self.calls;
        let nested =
            |id: &String| calls.iter().any(|call| call.id == *id && (call.agent.is_some() || call.parent.is_some()));
        self.requests.retain(|(_, call)| call.as_ref().is_some_and(nested));
    }

    /// The stream ends, and the turn did not.
    pub(super) fn cut_off(&mut self) {
        let report = self.report(StopReason::Unknown, if self.interrupted { "cancelled" } else { "killed" });
        self.reports.push(report);
        self.owed |= self.options.interactive && self.spec.terminal != turnline::profile::TerminalPromise::Never;
    }

    /// What is known of the session before the run.
    pub(super) fn known(&self) -> Known<'_> {
        let replaced = match (&self.options.resume, &self.first_session) {
            (Some(Resume::Id(asked)), Some(first)) => asked != first && !self.options.forked,
            _ => false,
        };
        let baseline = Some(&self.options.baseline).filter(|_| !replaced);
        Known { resumed: self.options.resume.is_some(), baseline }
    }

    /// The failure that was told of the turn that runs, as class and words.
    pub(super) fn told_of_turn(&self) -> Option<(String, String)> {
        let mut told = self.failures.iter().filter(|failure| failure.turns >= self.turns);
        let strong = told.clone().find(|failure| !failure.weak);
        strong.or_else(|| told.next()).map(|failure| (failure.class.clone(), failure.message.clone()))
    }

    fn report(&self, stop: StopReason, status: &'static str) -> Report {
        let known = self.known();
        Report {
            turn: self.turns - 1,
            status,
            stop,
            error: self.record.error.clone().or(self.told_of_turn()),
            result: self.texts.of_turn(self.spec.answer),
            usage: self.bill.turn_tokens(&known),
            models: self.bill.models.of_turn(&known),
            cost: self.bill.turn_cost(&known),
            line: self.line_number,
        }
    }
}
