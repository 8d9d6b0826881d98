//! Tokens and money: what each record bills, and what it adds up to.

use super::field::{Counter, Here};
use super::models::Models;
use super::state::fields;
use serde_json::{Map, Value};
use turnline::profile::UsageSpec;
use turnline::{Baseline, UsageMode, UsageScope};

/// What one record bills. No counters: it cannot be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figure {
    pub(super) counters: Option<Counters>,
    pub(super) cost_usd: Option<f64>,
}

type Counters = [Option<u64>; 6];

const NAMES: [&str; 6] = ["input", "cache_read", "cache_write", "output", "reasoning", "total"];

impl Figure {
    pub(super) fn fields(&self) -> Map<String, Value> {
        let counters = self.counters.unwrap_or_default();
        let mut all = fields([("cost_usd", self.cost_usd.map(Value::from))]);
        all.extend(NAMES.iter().zip(counters).filter_map(|(name, value)| Some(((*name).to_owned(), value?.into()))));
        all
    }
}

/// Reads a record's figure; nothing where all is zero and that means that nothing was said.
pub(super) fn figure(spec: &UsageSpec, here: Here<'_>) -> Option<Figure> {
    let paths = [&spec.input, &spec.cache_read, &spec.cache_write, &spec.output, &spec.reasoning, &spec.total];
    let cost_usd = here.number(&spec.cost_usd).filter(|cost| *cost >= 0.0);
    let unreadable = Some(Figure { counters: None, cost_usd });
    let mut counters = [None; 6];
    for (value, path) in counters.iter_mut().zip(paths) {
        match here.counter(path) {
            Counter::Absent => {}
            Counter::Unreadable => return unreadable,
            Counter::Value(number) => *value = Some(number),
        }
    }
    let at = |name: &String| NAMES.iter().position(|known| known == name);
    let there = |name: &String| at(name).is_some_and(|at| counters[at].is_some());
    if !spec.required.is_empty() && !spec.required.iter().any(|group| group.iter().all(there)) {
        return unreadable;
    }
    if spec.zero_is_unknown && counters.iter().all(|value| value.unwrap_or(0) == 0) {
        return None;
    }
    let stated = counters[5];
    for (inner, outer) in &spec.inside {
        let (Some(inner), Some(outer)) = (at(inner), at(outer)) else { continue };
        if let (Some(part), Some(whole)) = (counters[inner], counters[outer]) {
            let Some(rest) = whole.checked_sub(part) else { return unreadable };
            counters[outer] = Some(rest);
        }
    }
    let known: Vec<u64> = counters[..5].iter().flatten().copied().collect();
    let sum = known.iter().try_fold(0_u64, |sum, value| sum.checked_add(*value));
    counters[5] = match (stated, sum) {
        (Some(total), _) => Some(total),
        (None, _) if known.is_empty() => None,
        (None, Some(sum)) => Some(sum),
        (None, None) => return unreadable,
    };
    Some(Figure { counters: Some(counters), cost_usd })
}

/// What is known of the session before the run.
pub(super) struct Known<'o> {
    pub(super) resumed: bool,
    /// Only where the session asked for is the one that goes on.
    pub(super) baseline: Option<&'o Baseline>,
}

/// All that was billed, in order.
#[derive(Default)]
pub(super) struct Bill {
    /// With the id of the billed record, and how many turns were over by then.
    figures: Vec<(Option<String>, Figure, usize)>,
    /// What stood here when each turn ended: the last total, and the last amount of money.
    marks: Vec<(Option<Counters>, Option<f64>)>,
    /// How many records were billed before the last turn ended.
    billed_before: usize,
    billed: usize,
    /// A repeat replaced what an earlier turn was billed.
    turn_void: bool,
    rule: Option<(UsageScope, UsageMode, UsageMode)>,
    /// A running total that could not be read makes all later ones doubtful.
    void: bool,
    last: Option<Counters>,
    last_cost: Option<f64>,
    pub(super) models: Models,
}

impl Bill {
    pub(super) fn add(&mut self, spec: &UsageSpec, figure: Figure, id: Option<String>) {
        self.rule = Some((spec.scope, spec.mode, spec.cost_mode.unwrap_or(spec.mode)));
        self.void |= spec.mode == UsageMode::Cumulative && figure.counters.is_none();
        self.last = figure.counters.or(self.last);
        self.last_cost = figure.cost_usd.or(self.last_cost);
        let over = self.marks.len();
        self.turn_void |= self.figures.iter().any(|(known, _, then)| known.is_some() && *known == id && *then != over);
        self.figures.retain(|(known, _, _)| known.is_none() || *known != id);
        self.figures.push((id, figure, over));
        self.billed += 1;
    }

    /// What the turn that ends was billed.
    pub(super) fn turn_tokens(&self, known: &Known<'_>) -> Value {
        let Some((_, mode, _)) = self.rule.filter(|_| self.billed > self.billed_before && !self.turn_void) else {
            return Value::Null;
        };
        if mode == UsageMode::Delta {
            let over = self.marks.len();
            let figures = self.figures.iter().filter(|(_, _, then)| *then == over).cloned().collect();
            let turn = Bill { figures, ..Bill::default() };
            // A sum over the run that has no room is no figure of any of its turns.
            let room = self.sum_of_known().is_some();
            return turn.sum().filter(|_| room).map_or(Value::Null, object);
        }
        match self.marks.last() {
            Some((Some(before), _)) => {
                let less = self.last.filter(|_| !self.void).and_then(|last| less(last, *before));
                less.map_or(Value::Null, object)
            }
            _ if self.billed_before == 0 => self.tokens(known).0,
            _ => Value::Null,
        }
    }

    /// A turn is over.
    pub(super) fn turn_ended(&mut self) {
        self.marks.push((self.last, self.last_cost));
        (self.billed_before, self.turn_void) = (self.billed, false);
        self.models.turn_ended();
    }

    /// The run's own money.
    pub(super) fn own_cost(&self, known: &Known<'_>) -> Option<f64> {
        if let Some(cost) = self.models.cost(false) {
            return Some(cost);
        }
        // Where nothing was billed there is no amount either.
        let (scope, mode, cost_mode) = self.rule?;
        if cost_mode == UsageMode::Delta {
            return self.cost();
        }
        let own = mode == UsageMode::Cumulative && scope == UsageScope::Process || self.models.process;
        let before = if own || !known.resumed { 0.0 } else { known.baseline?.cost_usd? };
        self.last_cost.filter(|last| *last >= before).map(|last| last - before)
    }

    /// The money of the turn that ends.
    pub(super) fn turn_cost(&self, known: &Known<'_>) -> Option<f64> {
        if let Some(cost) = self.models.cost(true) {
            return Some(cost);
        }
        let (_, _, cost_mode) = self.rule?;
        let over = self.marks.len();
        let figures: Vec<&Figure> =
            self.figures.iter().filter(|(_, _, then)| *then == over).map(|(_, figure, _)| figure).collect();
        if self.turn_void || !figures.iter().any(|figure| figure.cost_usd.is_some()) {
            return None;
        }
        match (cost_mode, self.marks.last().and_then(|(_, cost)| *cost)) {
            (UsageMode::Delta, _) => figures.iter().map(|figure| figure.cost_usd).sum(),
            (_, Some(before)) => self.last_cost.filter(|last| *last >= before).map(|last| last - before),
            (_, None) => self.own_cost(known),
        }
    }

    fn sum_of_known(&self) -> Option<()> {
        (0..6).try_for_each(|n| {
            let mut known = self.figures.iter().filter_map(|(_, figure, _)| figure.counters?[n]);
            known.try_fold(0_u64, |sum, value| sum.checked_add(value)).map(|_| ())
        })
    }

    /// The run's own tokens, and the thread's.
    pub(super) fn tokens(&self, known: &Known<'_>) -> (Value, Value) {
        let Some((scope, mode, _)) = self.rule else { return (Value::Null, Value::Null) };
        if mode == UsageMode::Delta {
            return (self.sum().map_or(Value::Null, object), Value::Null);
        }
        let last = self.last.filter(|_| !self.void);
        let value = |counters: Option<Counters>| counters.map_or(Value::Null, object);
        match (scope, known.baseline.and_then(|baseline| baseline.usage)) {
            (UsageScope::Thread, Some(base)) => {
                let base = [base.input, base.cache_read, base.cache_write, base.output, base.reasoning, base.total];
                (value(last.and_then(|last| less(last, base))), value(last))
            }
            (UsageScope::Thread, None) if known.resumed => (Value::Null, value(last)),
            _ => (value(last), Value::Null),
        }
    }

    fn sum(&self) -> Option<Counters> {
        let all: Option<Vec<Counters>> = self.figures.iter().map(|(_, figure, _)| figure.counters).collect();
        let all = all.filter(|all| !all.is_empty())?;
        let mut sums = [Some(0_u64); 6];
        for (n, sum) in sums.iter_mut().enumerate() {
            let known: Vec<u64> = all.iter().filter_map(|counters| counters[n]).collect();
            let total = known.iter().try_fold(0_u64, |sum, value| sum.checked_add(*value))?;
            // A counter that one record lacks is unknown for all of them.
            *sum = (known.len() == all.len()).then_some(total);
        }
        Some(sums)
    }

    pub(super) fn cost(&self) -> Option<f64> {
        if self.rule?.2 == UsageMode::Cumulative {
            return self.last_cost;
        }
        self.figures.iter().map(|(_, figure, _)| figure.cost_usd).sum()
    }
}

/// A total less an earlier one; nothing where a counter went back.
fn less(total: Counters, base: Counters) -> Option<Counters> {
    let mut less = total;
    for (value, base) in less.iter_mut().zip(base) {
        *value = match *value {
            Some(value) => Some(value.checked_sub(base.unwrap_or(0))?),
            None => None,
        };
    }
    Some(less)
}

fn object(counters: Counters) -> Value {
    Value::Object(NAMES.iter().zip(counters).map(|(name, value)| ((*name).to_owned(), value.into())).collect())
}
