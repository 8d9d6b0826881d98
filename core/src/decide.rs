//! What a run came to, decided at its end from facts: the stream's, the process's and the host's.

mod reasons;

use crate::engine::Engine;
use crate::envelope::{Envelope, ErrorClass, ErrorCode, ErrorSource, ExitStatus, RunError, Status, StreamCounts};
use crate::exit::{Exit, NonzeroExit};
use crate::options::Options;
use crate::profile::Profile;
use crate::tally::stderr::Stderr;
use crate::turn::{TurnReport, TurnStatus};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// All that is known of a run but how its process ended.
pub(crate) struct Facts<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) engine: Engine,
    pub(crate) stderr: &'a Stderr,
    pub(crate) options: &'a Options,
    pub(crate) counts: StreamCounts,
}

/// Characters of the summary at most.
const SUMMARY: usize = 200;

/// Decides the verdict and builds the envelope.
pub(crate) fn envelope(facts: Facts<'_>, exit: &Exit) -> Envelope {
    let Facts { profile, mut engine, stderr, options, counts } = facts;
    let started = exit.spawn_error.is_none();
    let conversation = engine.conversation;
    engine.bill.replaced = conversation.replaced();
    let (usage, thread_usage) = engine.bill.tokens();
    let (cost_usd, cut) = (engine.bill.cost_usd(), engine.answer.was_cut());
    let (answer, last_text) = engine.answer.finish();
    let terminal = engine.terminal;
    let verdict = Verdict {
        command: exit.program.as_deref().unwrap_or(profile.command()),
        exit,
        terminal,
        owed: engine.owed,
        turn_cancelled: options.interactive && engine.last_cancelled,
        answered: answer.is_some() || engine.structured_output.is_some(),
        cut,
        stderr: stderr.kept(),
        profile,
    };
    let (status, errors) = verdict.decide(engine.failures.standing());
    let exit_status = ExitStatus { code: exit.code, signal: exit.signal };
    let told = options.interactive || conversation.turns() > 1;
    let turn_reports = match told {
        true => engine.turns.into_reports(exit_status, |cut_off| settle(cut_off, status, exit)),
        false => Vec::new(),
    };
    let result = answer.filter(|_| started);
    let summary = summary(result.as_deref(), &errors);
    Envelope {
        executor: profile.id().to_string(),
        status,
        result,
        summary,
        errors,
        notices: engine.notices,
        session_id: conversation.session_id().map(ToString::to_string),
        usage: usage.filter(|_| started),
        thread_usage: thread_usage.filter(|_| started),
        model_usage: engine.bill.models.totals().to_vec(),
        cost_usd,
        run_model_usage: engine.bill.own_models(),
        run_cost_usd: engine.bill.own_cost(),
        rate_limits: engine.windows.into_list(),
        metadata: engine.metadata.into_fields(),
        structured_output: engine.structured_output,
        terminal,
        turns: conversation.turns(),
        turn_reports,
        tools: conversation.tools(),
        acts: Vec::new(),
        exit: exit_status,
        stream: counts,
        unmapped_types: engine.unmapped.into_names(),
        stdout_truncated: exit.stdout_truncated,
        stderr_truncated: exit.stderr_truncated || stderr.was_cut(),
        stderr: stderr.summary(),
        last_text,
        timing: None,
    }
}

/// What a turn came to that the end of the stream cut off. An executor that does not say when a turn ends leaves the last
/// one open: then the run's verdict is the turn's.
fn settle(report: &mut TurnReport, status: Status, exit: &Exit) {
    report.status = match status {
        Status::Ok => TurnStatus::Ok,
        Status::Cancelled => TurnStatus::Cancelled,
        _ if report.status == TurnStatus::Cancelled => TurnStatus::Cancelled,
        _ if report.error.is_some() && exit.signal.is_none() => TurnStatus::Failed,
        _ => TurnStatus::Killed,
    };
    if report.status != TurnStatus::Ok {
        (report.result, report.result_cut) = (None, false);
    }
}

/// The first line that says something, bounded; without an answer the first error.
fn summary(result: Option<&str>, errors: &[RunError]) -> Option<String> {
    let text = result.or_else(|| errors.first().map(|error| &*error.message))?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(SUMMARY).collect())
}

/// What the verdict is made from.
pub(super) struct Verdict<'a> {
    command: &'a str,
    exit: &'a Exit,
    /// A terminal record came.
    terminal: bool,
    /// One is owed.
    owed: bool,
    /// The last turn that the host asked for was interrupted.
    turn_cancelled: bool,
    answered: bool,
    cut: bool,
    stderr: String,
    profile: &'a Profile,
}

impl Verdict<'_> {
    fn decide(&self, reported: Vec<crate::tally::failures::Failure>) -> (Status, Vec<RunError>) {
        let exit = self.exit;
        if let Some(error) = &exit.spawn_error {
            return (Status::Failed, alloc::vec![self.not_started(error)]);
        }
        let mut errors: Vec<RunError> = reported.into_iter().map(|failure| self.reported(failure)).collect();
        let said_nothing = errors.is_empty() && exit.signal.is_none();
        if exit.cancelled {
            errors.insert(0, self.cancelled());
            return (Status::Cancelled, errors);
        }
        if let Some(limit) = exit.timed_out {
            errors.insert(0, self.timed_out(limit));
            return (Status::Failed, errors);
        }
        let ended_by_itself = !exit.ended_by_driver;
        if self.turn_cancelled && exit.signal.is_none_or(|_| !ended_by_itself) {
            errors.insert(0, self.turn_cancelled());
            return (Status::Cancelled, errors);
        }
        let broke = exit.stream_error.as_ref().filter(|_| !self.forgiven()).map(|message| {
            let what = alloc::format!("a pipe to or from it broke: {message}");
            self.error(ErrorClass::Stream, ErrorSource::Host, what)
        });
        // How much of a prompt a pipe took is chance: what came of it is told first.
        let (unread, broke) = if exit.prompt_pipe_only { (broke, None) } else { (None, broke) };
        errors.extend(broke);
        if let Some(signal) = exit.signal.filter(|_| ended_by_itself) {
            errors.push(self.killed(signal));
        }
        if let Some(code) = exit.code.filter(|code| *code != 0 && ended_by_itself)
            && said_nothing
            && !(exit.nonzero == NonzeroExit::TerminalRecordWins && self.terminal && !self.owed)
        {
            // Its own reason comes before a pipe that broke of it.
            errors.insert(0, self.exited(code));
        }
        if exit.stdout_truncated {
            errors.push(self.truncated("standard output was cut at the capture limit: what was read is incomplete"));
        }
        if self.cut {
            errors.push(self.truncated("the answer was longer than the text limit: what was kept is incomplete"));
        }
        if errors.is_empty() && self.owed {
            errors.push(self.interrupted());
        }
        if errors.is_empty() && !self.answered {
            errors.push(self.no_result());
        }
        errors.extend(unread);
        let status = if errors.is_empty() { Status::Ok } else { Status::Failed };
        (status, errors)
    }

    /// A prompt pipe that broke does not count against an executor that ended clean with its terminal record.
    fn forgiven(&self) -> bool {
        let clean = self.exit.code == Some(0) || self.exit.ended_by_driver;
        self.exit.prompt_pipe_only && clean && self.terminal && !self.owed
    }

    fn error(&self, class: ErrorClass, source: ErrorSource, what: String) -> RunError {
        RunError {
            code: ErrorCode::ExecutorRunFailed,
            class,
            message: alloc::format!("executor '{}': {what}", self.command),
            source,
        }
    }
}
