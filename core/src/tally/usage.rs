//! What is billed: sums and running totals that become nothing rather than wrong.

use crate::envelope::{Baseline, ModelUsage, TokenUsage};
use crate::event::{UsageMode, UsageScope};
use crate::limits::Limits;
use crate::memory::Memory;
use crate::rules::compiled::{TOTAL, UsageRule};
use crate::rules::eval::{Counter, Ctx};
use crate::tally::models::Models;
use alloc::vec::Vec;

/// The disjoint counters of one record, in the order of `COUNTERS`.
pub(crate) type Counters = [Option<u64>; 6];

/// What one record bills.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figure {
    /// Nothing where a required counter is missing or one cannot be read.
    pub(crate) counters: Option<Counters>,
    pub(crate) cost_usd: Option<f64>,
}

/// Reads a record's figure; nothing where the vendor said nothing.
pub(crate) fn read(rule: &UsageRule, ctx: &Ctx<'_>) -> Option<Figure> {
    let cost_usd = ctx.number(&rule.cost_usd).filter(|cost| *cost >= 0.0);
    let mut counters: Counters = [None; 6];
    let mut readable = true;
    for (counter, expr) in counters.iter_mut().zip(&rule.counters) {
        match ctx.counter(expr) {
            Counter::Value(value) => *counter = Some(value),
            Counter::Absent => {}
            Counter::Invalid => readable = false,
        }
    }
    let complete = rule.required.is_empty()
        || rule.required.iter().any(|group| group.iter().all(|name| counters.get(*name).is_some_and(Option::is_some)));
    if readable && complete {
        if rule.zero_is_unknown && counters.iter().flatten().all(|value| *value == 0) {
            return None;
        }
        return Some(Figure { counters: disjoint(counters, &rule.inside), cost_usd });
    }
    Some(Figure { counters: None, cost_usd })
}

/// Takes the counters out of those they lie inside, and adds up the total where none is stated.
fn disjoint(mut counters: Counters, inside: &[(usize, usize)]) -> Option<Counters> {
    let stated = counters[TOTAL];
    for (inner, outer) in inside {
        if let (Some(part), Some(whole)) = (counters[*inner], counters[*outer]) {
            // A part that is larger than its whole is no figure to bill.
            counters[*outer] = Some(whole.checked_sub(part)?);
        }
    }
    counters[TOTAL] = match stated {
        Some(total) => Some(total),
        None => sum(counters[..TOTAL].iter().flatten().copied())?,
    };
    Some(counters)
}

/// The sum; nothing of nothing.
#[allow(clippy::option_option)]
fn sum(mut values: impl Iterator<Item = u64>) -> Option<Option<u64>> {
    match values.next() {
        None => Some(None),
        Some(first) => Some(Some(values.try_fold(first, u64::checked_add)?)),
    }
}

/// The run's own figures.
#[derive(Debug)]
pub(crate) struct Bill {
    /// Records billed and not yet replaced.
    records: u64,
    /// Those of them that cannot be read.
    unreadable: u64,
    sums: [u64; 6],
    /// In how many records each counter stands.
    present: [u64; 6],
    overflow: bool,
    last: Option<Counters>,
    void: bool,
    cost: f64,
    costs: u64,
    last_cost: Option<f64>,
    /// What was billed under an id, and how many turns were over by then.
    by_id: Memory<(Figure, u64)>,
    pub(crate) models: Models,
    mode: UsageMode,
    scope: UsageScope,
    cost_mode: UsageMode,
    /// What stood here when the last turn ended.
    mark: Mark,
    /// What the turn was billed is not known.
    turn_void: bool,
    /// Money billed since then.
    turn_cost: f64,
    resumed: bool,
    /// Another session than the one asked for goes on: what that one had used says nothing of it.
    pub(crate) replaced: bool,
    baseline: Baseline,
}

/// The bill as it stood when a turn ended: what comes after it is the next turn's.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// How many turns were over.
    turns: u64,
    records: u64,
    unreadable: u64,
    sums: [u64; 6],
    present: [u64; 6],
    last: Option<Counters>,
    costs: u64,
    last_cost: Option<f64>,
}

impl Bill {
    pub(crate) fn new(limits: &Limits, resumed: bool, baseline: Baseline) -> Self {
        Bill {
            mark: Mark::default(),
            turn_void: false,
            turn_cost: 0.0,
            resumed,
            replaced: false,
            baseline,
            records: 0,
            unreadable: 0,
            sums: [0; 6],
            present: [0; 6],
            overflow: false,
            last: None,
            void: false,
            cost: 0.0,
            costs: 0,
            last_cost: None,
            by_id: Memory::new(limits.remembered),
            models: Models::new(limits.remembered),
            mode: UsageMode::Delta,
            scope: UsageScope::Turn,
            cost_mode: UsageMode::Delta,
        }
    }

    /// Bills a record. With an id a later record of the same id replaces it.
    pub(crate) fn add(&mut self, rule: &UsageRule, figure: Figure, id: Option<&[u8]>) {
        (self.mode, self.scope, self.cost_mode) = (rule.mode, rule.scope, rule.cost_mode);
        if let Some(id) = id {
            match self.by_id.find(id) {
                Some(at) => {
                    if let Some(kept) = self.by_id.value_mut(at) {
                        let (old, then) = core::mem::replace(kept, (figure, self.mark.turns));
                        // A correction of what an earlier turn was billed is not this one's.
                        self.turn_void |= then != self.mark.turns;
                        self.take_back(old);
                    }
                }
                None => {
                    self.by_id.insert(id, (figure, self.mark.turns));
                }
            }
        }
        self.records += 1;
        match figure.counters {
            None => {
                self.unreadable += 1;
                self.void |= rule.mode == UsageMode::Cumulative;
            }
            Some(counters) => {
                self.last = Some(counters);
                for (n, value) in counters.iter().enumerate() {
                    if let Some(value) = value {
                        self.present[n] += 1;
                        match self.sums[n].checked_add(*value) {
                            Some(sum) => self.sums[n] = sum,
                            None => self.overflow = true,
                        }
                    }
                }
            }
        }
        if let Some(cost) = figure.cost_usd {
            self.costs += 1;
            self.cost += cost;
            self.turn_cost += cost;
            self.last_cost = Some(cost);
        }
    }

    /// Whether a record of this id was billed before.
    pub(crate) fn knows(&self, id: &[u8]) -> bool {
        self.by_id.find(id).is_some()
    }

    fn take_back(&mut self, old: Figure) {
        self.records -= 1;
        match old.counters {
            None => self.unreadable -= 1,
            Some(counters) => {
                for (n, value) in counters.iter().enumerate() {
                    if let Some(value) = value {
                        self.present[n] -= 1;
                        self.sums[n] = self.sums[n].saturating_sub(*value);
                    }
                }
            }
        }
        if let Some(cost) = old.cost_usd {
            self.costs -= 1;
            self.cost -= cost;
            self.turn_cost -= cost;
        }
    }

    /// This run's own tokens and the thread's, as the mode and the scope of the figures say.
    pub(crate) fn tokens(&self) -> (Option<TokenUsage>, Option<TokenUsage>) {
        match self.mode {
            UsageMode::Delta => (self.summed(), None),
            UsageMode::Cumulative => {
                let last = self.last.filter(|_| !self.void).map(usage);
                match (self.scope, self.resumed, self.baseline.usage.as_ref().filter(|_| !self.replaced)) {
                    (UsageScope::Thread, _, Some(base)) => (last.and_then(|last| difference(&last, base)), last),
                    (UsageScope::Thread, true, None) => (None, last),
                    _ => (last, None),
                }
            }
        }
    }

    /// What was billed since the last turn ended; nothing where a part of it is not known.
    pub(crate) fn turn_tokens(&self) -> Option<TokenUsage> {
        let mark = &self.mark;
        let records = self.records.checked_sub(mark.records).filter(|records| *records > 0 && !self.turn_void)?;
        match self.mode {
            UsageMode::Delta => {
                if self.unreadable > mark.unreadable || self.overflow {
                    return None;
                }
                let counters = core::array::from_fn(|n| {
                    let all = self.present[n].checked_sub(mark.present[n]) == Some(records);
                    self.sums[n].checked_sub(mark.sums[n]).filter(|_| all)
                });
                Some(usage(counters))
            }
            UsageMode::Cumulative => match (self.last.filter(|_| !self.void), mark.last) {
                (Some(last), Some(before)) => difference(&usage(last), &usage(before)),
                (Some(_), None) if mark.records == 0 => self.tokens().0,
                _ => None,
            },
        }
    }

    /// A turn is over: what is billed from here on is the next one's.
    pub(crate) fn turn_ended(&mut self) {
        let (sums, present, last) = (self.sums, self.present, self.last);
        let turns = self.mark.turns + 1;
        let (costs, last_cost) = (self.costs, self.last_cost);
        let (records, unreadable) = (self.records, self.unreadable);
        self.mark = Mark { turns, records, unreadable, sums, present, last, costs, last_cost };
        (self.turn_void, self.turn_cost) = (false, 0.0);
        self.models.turn_ended();
    }

    fn summed(&self) -> Option<TokenUsage> {
        if self.records == 0 || self.unreadable > 0 || self.overflow {
            return None;
        }
        let counters = core::array::from_fn(|n| (self.present[n] == self.records).then_some(self.sums[n]));
        Some(usage(counters))
    }

    pub(crate) fn cost_usd(&self) -> Option<f64> {
        match self.cost_mode {
            UsageMode::Cumulative => self.last_cost,
            UsageMode::Delta => (self.costs > 0 && self.costs == self.records).then_some(self.cost),
        }
    }

    /// This run's own money: the vendor's increments, or its total less what it was when the run began.
    pub(crate) fn own_cost(&self) -> Option<f64> {
        if let Some(cost) = self.models.cost(false) {
            return Some(cost);
        }
        let before = match self.cost_mode {
            UsageMode::Delta => return self.cost_usd(),
            // Money is of what the totals are of.
            _ if self.mode == UsageMode::Cumulative && self.scope == UsageScope::Process => Some(0.0),
            _ if self.models.of_process() => Some(0.0),
            _ if !self.resumed => Some(0.0),
            _ => self.baseline.cost_usd.filter(|_| !self.replaced),
        };
        money(self.last_cost?, before?)
    }

    /// The money of the turn that ends.
    pub(crate) fn turn_cost(&self) -> Option<f64> {
        if let Some(cost) = self.models.cost(true) {
            return Some(cost);
        }
        let costs = self.costs.checked_sub(self.mark.costs).filter(|costs| *costs > 0 && !self.turn_void)?;
        match (self.cost_mode, self.mark.last_cost) {
            (UsageMode::Delta, _) => (self.records - self.mark.records == costs).then_some(self.turn_cost),
            (UsageMode::Cumulative, Some(before)) => money(self.last_cost?, before),
            (UsageMode::Cumulative, None) => self.own_cost(),
        }
    }

    /// What each model used in this run; empty where that is not known.
    pub(crate) fn own_models(&self) -> Vec<ModelUsage> {
        self.models.of_run(self.models_before()).unwrap_or_default()
    }

    /// What each model used in the turn that ends; empty where that is not known.
    pub(crate) fn turn_models(&self) -> Vec<ModelUsage> {
        self.models.of_turn(self.models_before()).unwrap_or_default()
    }

    fn models_before(&self) -> Option<&[ModelUsage]> {
        match self.resumed {
            false => Some(&[]),
            // A session that goes on has used something.
            true => Some(&*self.baseline.model_usage).filter(|models| !models.is_empty() && !self.replaced),
        }
    }
}

/// An amount less an earlier one; nothing where it went back.
fn money(last: f64, before: f64) -> Option<f64> {
    (last >= before).then_some(last - before)
}

fn usage(counters: Counters) -> TokenUsage {
    let [input, cache_read, cache_write, output, reasoning, total] = counters;
    TokenUsage { input, cache_read, cache_write, output, reasoning, total }
}

/// The last total less what was there before; nothing where a counter went back.
fn difference(last: &TokenUsage, base: &TokenUsage) -> Option<TokenUsage> {
    let less = |last: Option<u64>, base: Option<u64>| match (last, base) {
        (None, _) => Some(None),
        (Some(last), base) => last.checked_sub(base.unwrap_or(0)).map(Some),
    };
    Some(TokenUsage {
        input: less(last.input, base.input)?,
        cache_read: less(last.cache_read, base.cache_read)?,
        cache_write: less(last.cache_write, base.cache_write)?,
        output: less(last.output, base.output)?,
        reasoning: less(last.reasoning, base.reasoning)?,
        total: less(last.total, base.total)?,
    })
}
