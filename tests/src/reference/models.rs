//! What each model used: the latest totals, and the sums of the increments.

use super::bill::{Figure, Known};
use serde_json::{Value, json};
use turnline::UsageScope;

type Used = (String, Figure);

/// One record that billed.
#[derive(Clone, Default)]
struct Told {
    /// Its increments; nothing where it tells none, be they no increments.
    increments: Option<Vec<Used>>,
    totals: Option<Vec<Used>>,
}

#[derive(Default)]
pub(super) struct Models {
    /// The record that is being read, then all before it, turn by turn.
    now: Told,
    turn: Vec<Told>,
    before: Vec<Vec<Told>>,
    /// The totals are the process's own, even of a resumed session.
    pub(super) process: bool,
}

impl Models {
    pub(super) fn total(&mut self, scope: UsageScope, model: String, figure: &Figure) {
        self.process = scope == UsageScope::Process;
        self.now.totals.get_or_insert_default().push((model, figure.clone()));
    }

    pub(super) fn increment(&mut self, model: String, figure: &Figure) {
        self.now.increments.get_or_insert_default().push((model, figure.clone()));
    }

    /// The record is read.
    pub(super) fn billed(&mut self, told: bool) {
        let mut now = std::mem::take(&mut self.now);
        if told {
            now.increments.get_or_insert_default();
        }
        self.turn.push(now);
    }

    pub(super) fn turn_ended(&mut self) {
        self.before.push(std::mem::take(&mut self.turn));
    }

    /// The totals as they were told last.
    pub(super) fn shown(&self) -> Vec<Value> {
        self.totals().map_or_else(Vec::new, |totals| shown(&totals))
    }

    fn totals(&self) -> Option<Vec<Used>> {
        let all = self.before.iter().flatten().chain(&self.turn);
        all.filter_map(|told| told.totals.clone()).next_back()
    }

    /// The totals when the last turn ended.
    fn mark(&self) -> Option<Vec<Used>> {
        self.before.iter().flatten().filter_map(|told| told.totals.clone()).next_back()
    }

    fn increments(&self, turn: bool) -> Option<Vec<Used>> {
        let run = self.before.iter().flatten().filter(|_| !turn).chain(&self.turn);
        let told: Option<Vec<Vec<Used>>> = run.map(|told| told.increments.clone()).collect();
        let told = told.filter(|told| !told.is_empty())?;
        let mut sums: Vec<Used> = Vec::new();
        for (model, figure) in told.into_iter().flatten() {
            match sums.iter_mut().find(|(known, _)| *known == model) {
                Some((_, sum)) => *sum = with(sum, &figure, u64::checked_add, |a, b| Some(a + b))?,
                None => sums.push((model, figure)),
            }
        }
        Some(sums)
    }

    pub(super) fn cost(&self, turn: bool) -> Option<f64> {
        self.increments(turn)?.iter().map(|(_, figure)| figure.cost_usd).sum()
    }

    pub(super) fn of_run(&self, known: &Known<'_>) -> Vec<Value> {
        self.run(known).map_or_else(Vec::new, |used| shown(&used))
    }

    fn run(&self, known: &Known<'_>) -> Option<Vec<Used>> {
        if let Some(sums) = self.increments(false) {
            return Some(sums);
        }
        let totals = self.totals().unwrap_or_default();
        if self.process {
            return Some(totals);
        }
        if !known.resumed {
            return less(totals, &[]);
        }
        let before = known.baseline.map(|baseline| &baseline.model_usage).filter(|models| !models.is_empty())?;
        let before: Vec<Used> = before
            .iter()
            .map(|model| {
                let counters = [model.input, model.cache_read, model.cache_write, model.output, None, None];
                (model.model.clone(), Figure { counters: Some(counters), cost_usd: model.cost_usd })
            })
            .collect();
        less(totals, &before)
    }

    pub(super) fn of_turn(&self, known: &Known<'_>) -> Vec<Value> {
        let used = match self.increments(true) {
            Some(sums) => Some(sums),
            None if self.turn.iter().all(|told| told.totals.is_none()) => None,
            None => match self.mark() {
                Some(mark) => less(self.totals().unwrap_or_default(), &mark),
                None => self.run(known),
            },
        };
        used.map_or_else(Vec::new, |used| shown(&used))
    }
}

/// The four counters that are told of a model.
fn four(figure: &Figure) -> [Option<u64>; 4] {
    let [input, cache_read, cache_write, output, ..] = figure.counters.unwrap_or_default();
    [input, cache_read, cache_write, output]
}

fn with(
    a: &Figure,
    b: &Figure,
    whole: impl Fn(u64, u64) -> Option<u64>,
    money: impl Fn(f64, f64) -> Option<f64>,
) -> Option<Figure> {
    let mut counters = [None; 6];
    for (n, (a, b)) in four(a).into_iter().zip(four(b)).enumerate() {
        counters[n] = match (a, b) {
            (Some(a), Some(b)) => Some(whole(a, b)?),
            _ => None,
        };
    }
    let cost_usd = match (a.cost_usd, b.cost_usd) {
        (Some(a), Some(b)) => Some(money(a, b)?),
        _ => None,
    };
    Some(Figure { counters: Some(counters), cost_usd })
}

fn less(totals: Vec<Used>, before: &[Used]) -> Option<Vec<Used>> {
    let mut rest = Vec::new();
    for (model, total) in totals {
        let used = match before.iter().find(|(known, _)| *known == model) {
            Some((_, base)) => with(&total, base, u64::checked_sub, |a, b| (a >= b).then_some(a - b))?,
            None => total,
        };
        if four(&used) != [Some(0); 4] || used.cost_usd.is_some_and(|cost| cost > 0.0) {
            rest.push((model, used));
        }
    }
    Some(rest)
}

fn shown(used: &[Used]) -> Vec<Value> {
    let value = |(model, figure): &Used| {
        let [input, cache_read, cache_write, output] = four(figure);
        json!({
            "model": model, "input": input, "cache_read": cache_read, "cache_write": cache_write, "output": output,
            "cost_usd": figure.cost_usd,
        })
    };
    used.iter().map(value).collect()
}
