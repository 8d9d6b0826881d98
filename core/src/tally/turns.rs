//! The reports of the turns that are over, each handed out once.

use crate::envelope::{ExitStatus, ModelUsage, TokenUsage};
use crate::event::StopReason;
use crate::limits::Limits;
use crate::tally::answer::{Answer, decode};
use crate::turn::{TurnFailure, TurnReport, TurnStatus};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// What a turn used, told when it ends.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    pub(crate) usage: Option<TokenUsage>,
    pub(crate) model_usage: Vec<ModelUsage>,
    pub(crate) cost_usd: Option<f64>,
}

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) turn: u32,
    pub(crate) status: TurnStatus,
    pub(crate) stop_reason: StopReason,
    pub(crate) error: Option<TurnFailure>,
    pub(crate) last_line: u64,
}

/// A report, and its answer as it came.
#[derive(Debug)]
struct Kept {
    report: TurnReport,
    /// The inside of a JSON string.
    answer: Vec<u8>,
}

impl Kept {
    fn report(self) -> TurnReport {
        TurnReport { result: decode(core::iter::once(&*self.answer)), ..self.report }
    }
}

/// The reports kept: those of the last [`Limits::turns`] turns.
#[derive(Debug)]
pub(crate) struct Turns {
    kept: VecDeque<Kept>,
    /// How many of them were handed out.
    taken: usize,
    /// The turn that the end of the stream cut off: what it came to is decided with the run.
    cut_off: Option<Kept>,
    bound: usize,
    text: usize,
}

impl Turns {
    pub(crate) fn new(limits: &Limits) -> Self {
        Turns { kept: VecDeque::new(), taken: 0, cut_off: None, bound: limits.turns, text: limits.turn_text }
    }

    /// A turn is over.
    pub(crate) fn ended(&mut self, ending: Ending, spent: Spent, answer: &Answer) {
        if self.bound == 0 {
            return;
        }
        if self.kept.len() >= self.bound {
            self.kept.pop_front();
            self.taken = self.taken.saturating_sub(1);
        }
        let well = !matches!(ending.status, TurnStatus::Failed | TurnStatus::Cancelled);
        let kept = self.keep(ending, spent, well.then_some(answer));
        self.kept.push_back(kept);
    }

    /// The stream ended, and the turn did not. What it said is kept in any case: how it ended is decided with the run.
    pub(crate) fn cut_off(&mut self, ending: Ending, spent: Spent, answer: &Answer) {
        self.cut_off = Some(self.keep(ending, spent, Some(answer)));
    }

    fn keep(&self, ending: Ending, spent: Spent, answer: Option<&Answer>) -> Kept {
        let mut body = Vec::new();
        let whole = answer.is_none_or(|answer| answer.of_turn(&mut body, self.text));
        let report = TurnReport {
            turn: ending.turn,
            status: ending.status,
            stop_reason: ending.stop_reason,
            error: ending.error,
            result: None,
            result_cut: !whole,
            usage: spent.usage,
            model_usage: spent.model_usage,
            cost_usd: spent.cost_usd,
            last_line: ending.last_line,
            exit: None,
        };
        Kept { report, answer: body }
    }

    /// The next finished turn's report that was not handed out.
    pub(crate) fn take(&mut self) -> Option<TurnReport> {
        let kept = self.kept.get(self.taken)?;
        self.taken += 1;
        Some(Kept { report: kept.report.clone(), answer: kept.answer.clone() }.report())
    }

    /// All that are kept, the one that was cut off last; the process's end belongs to the last one.
    pub(crate) fn into_reports(self, exit: ExitStatus, settle: impl FnOnce(&mut TurnReport)) -> Vec<TurnReport> {
        let mut reports: Vec<TurnReport> = self.kept.into_iter().map(Kept::report).collect();
        if let Some(cut_off) = self.cut_off {
            let mut report = cut_off.report();
            settle(&mut report);
            if reports.len() >= self.bound && !reports.is_empty() {
                reports.remove(0);
            }
            reports.push(report);
        }
        if let Some(last) = reports.last_mut() {
            last.exit = Some(exit);
        }
        reports
    }
}
