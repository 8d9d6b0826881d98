//! What each model used: the vendor's running totals, and its increments where it tells them.

use crate::envelope::ModelUsage;
use crate::tally::usage::Figure;
use alloc::string::String;
use alloc::vec::Vec;

/// What the models used, as one record or several tell it.
#[derive(Debug)]
pub(crate) struct Models {
    bound: usize,
    /// The running totals as they were told last, and the record that told them.
    totals: Vec<ModelUsage>,
    totals_from: u64,
    /// The totals when the last turn ended; none where none had been told.
    mark: Option<Vec<ModelUsage>>,
    told_in_turn: bool,
    /// The totals are the process's, even of a resumed session.
    process: bool,
    run: Increments,
    turn: Increments,
}

/// Increments that are added up: they are the whole only where each record that bills tells some.
#[derive(Debug, Default)]
struct Increments {
    sums: Vec<ModelUsage>,
    billed: u64,
    told: u64,
    /// A sum has no room, or a model had none in the list.
    void: bool,
}

impl Increments {
    fn whole(&self) -> Option<&[ModelUsage]> {
        (self.told > 0 && self.told == self.billed && !self.void).then_some(&*self.sums)
    }

    fn add(&mut self, more: &ModelUsage, bound: usize) {
        let room = self.sums.len() < bound;
        match self.sums.iter_mut().find(|known| known.model == more.model) {
            Some(known) => self.void |= combine(known, more, u64::checked_add, |a, b| Some(a + b)).is_none(),
            None if room => self.sums.push(more.clone()),
            None => self.void = true,
        }
    }
}

impl Models {
    pub(crate) fn new(bound: usize) -> Self {
        Models {
            bound,
            totals: Vec::new(),
            totals_from: u64::MAX,
            mark: None,
            told_in_turn: false,
            process: false,
            run: Increments::default(),
            turn: Increments::default(),
        }
    }

    /// A model's running total; the first one of a record replaces all that earlier records said.
    pub(crate) fn total(&mut self, record: u64, process: bool, model: String, figure: Figure) {
        if self.totals_from != record {
            self.totals.clear();
            self.totals_from = record;
        }
        self.process = process;
        self.told_in_turn = true;
        if self.totals.len() < self.bound {
            self.totals.push(used(model, figure));
        }
    }

    /// What a model used since the last record.
    pub(crate) fn increment(&mut self, model: String, figure: Figure) {
        let more = used(model, figure);
        self.run.add(&more, self.bound);
        self.turn.add(&more, self.bound);
    }

    /// A record that bills was read; `told`: it told increments, be they none.
    pub(crate) fn billed(&mut self, told: bool) {
        for increments in [&mut self.run, &mut self.turn] {
            increments.billed += 1;
            increments.told += u64::from(told);
        }
    }

    pub(crate) fn turn_ended(&mut self) {
        self.turn = Increments::default();
        self.told_in_turn = false;
        if self.totals_from != u64::MAX {
            self.mark = Some(self.totals.clone());
        }
    }

    /// The totals as the vendor told them last.
    pub(crate) fn totals(&self) -> &[ModelUsage] {
        &self.totals
    }

    /// True where the totals are the process's own, even of a resumed session.
    pub(crate) fn of_process(&self) -> bool {
        self.process
    }

    /// What this run used; nothing where that is not known. `before`: what the totals were when it began, where
    /// that is known.
    pub(crate) fn of_run(&self, before: Option<&[ModelUsage]>) -> Option<Vec<ModelUsage>> {
        if let Some(sums) = self.run.whole() {
            return Some(sums.to_vec());
        }
        if self.process {
            return Some(self.totals.clone());
        }
        less(&self.totals, before?)
    }

    /// What the turn that ends used.
    pub(crate) fn of_turn(&self, before: Option<&[ModelUsage]>) -> Option<Vec<ModelUsage>> {
        if let Some(sums) = self.turn.whole() {
            return Some(sums.to_vec());
        }
        match &self.mark {
            _ if !self.told_in_turn => None,
            Some(mark) => less(&self.totals, mark),
            None => self.of_run(before),
        }
    }

    /// The money of the increments, of the run or of the turn that ends.
    pub(crate) fn cost(&self, turn: bool) -> Option<f64> {
        let increments = if turn { &self.turn } else { &self.run };
        increments.whole()?.iter().map(|model| model.cost_usd).sum()
    }
}

fn used(model: String, figure: Figure) -> ModelUsage {
    let [input, cache_read, cache_write, output, ..] = figure.counters.unwrap_or_default();
    ModelUsage { model, input, cache_read, cache_write, output, cost_usd: figure.cost_usd }
}

/// Puts `b` into `a` counter by counter; what one of them lacks is not known. Nothing where one has no result.
fn combine(
    a: &mut ModelUsage,
    b: &ModelUsage,
    whole: impl Fn(u64, u64) -> Option<u64>,
    money: impl Fn(f64, f64) -> Option<f64>,
) -> Option<()> {
    let counters = [
        (&mut a.input, b.input),
        (&mut a.cache_read, b.cache_read),
        (&mut a.cache_write, b.cache_write),
        (&mut a.output, b.output),
    ];
    for (value, other) in counters {
        *value = match (*value, other) {
            (Some(value), Some(other)) => Some(whole(value, other)?),
            _ => None,
        };
    }
    a.cost_usd = match (a.cost_usd, b.cost_usd) {
        (Some(value), Some(other)) => Some(money(value, other)?),
        _ => None,
    };
    Some(())
}

/// Totals less earlier ones, without the models that used nothing; nothing where a total went back.
fn less(totals: &[ModelUsage], before: &[ModelUsage]) -> Option<Vec<ModelUsage>> {
    let mut rest = totals.to_vec();
    for model in &mut rest {
        if let Some(base) = before.iter().find(|base| base.model == model.model) {
            combine(model, base, u64::checked_sub, |a, b| (a >= b).then_some(a - b))?;
        }
    }
    rest.retain(|model| {
        let counters = [model.input, model.cache_read, model.cache_write, model.output];
        counters.iter().any(|value| *value != Some(0)) || model.cost_usd.is_some_and(|cost| cost > 0.0)
    });
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(input: u64, cost: f64) -> Figure {
        Figure { counters: Some([Some(input), Some(0), Some(0), Some(1), None, Some(input + 1)]), cost_usd: Some(cost) }
    }

    fn inputs(models: Option<Vec<ModelUsage>>) -> Option<Vec<(String, u64)>> {
        models.map(|models| models.into_iter().map(|model| (model.model, model.input.unwrap())).collect())
    }

    fn want(all: &[(&str, u64)]) -> Option<Vec<(String, u64)>> {
        Some(all.iter().map(|(model, input)| ((*model).into(), *input)).collect())
    }

    #[test]
    fn increments_of_every_record_make_the_run_and_the_turn() {
        let mut models = Models::new(4);
        models.total(1, false, "a".into(), figure(110, 1.1));
        models.increment("a".into(), figure(10, 0.1));
        models.billed(true);
        assert_eq!(inputs(models.of_run(None)), want(&[("a", 10)]));
        models.turn_ended();
        models.total(2, false, "a".into(), figure(130, 1.3));
        models.increment("a".into(), figure(15, 0.25));
        models.increment("b".into(), figure(5, 0.5));
        models.billed(true);
        assert_eq!(inputs(models.of_turn(None)), want(&[("a", 15), ("b", 5)]));
        assert_eq!(inputs(models.of_run(None)), want(&[("a", 25), ("b", 5)]));
        assert_eq!(models.cost(true), Some(0.75));
    }

    #[test]
    fn a_record_without_increments_makes_them_no_whole() {
        let mut models = Models::new(4);
        models.total(1, false, "a".into(), figure(110, 1.0));
        models.increment("a".into(), figure(10, 0.5));
        models.billed(true);
        models.turn_ended();
        models.total(2, false, "a".into(), figure(130, 1.5));
        models.billed(false);
        assert_eq!(models.of_run(None), None);
        assert_eq!(models.cost(false), None);
        let before = [used("a".into(), figure(100, 0.5))];
        let run = models.of_run(Some(&before)).unwrap();
        assert_eq!((run[0].input, run[0].cost_usd), (Some(30), Some(1.0)));
        assert_eq!(inputs(models.of_turn(Some(&before))), want(&[("a", 20)]));
    }

    #[test]
    fn a_total_that_went_back_is_no_figure_and_one_that_stood_still_is_left_out() {
        let mut models = Models::new(4);
        models.total(1, false, "a".into(), figure(10, 1.0));
        models.total(1, false, "b".into(), figure(10, 1.0));
        models.billed(false);
        models.turn_ended();
        models.total(2, false, "a".into(), figure(10, 1.0));
        models.total(2, false, "b".into(), figure(9, 1.0));
        models.billed(false);
        assert_eq!(models.of_turn(None), None);
        models.total(
            3,
            false,
            "a".into(),
            Figure { counters: Some([Some(10), Some(0), Some(0), Some(1), None, None]), cost_usd: Some(1.0) },
        );
        assert_eq!(models.of_turn(None), Some(Vec::new()));
    }

    #[test]
    fn totals_of_a_process_are_the_runs_own() {
        let mut models = Models::new(1);
        models.total(1, true, "a".into(), figure(10, 1.0));
        models.total(1, true, "one too many".into(), figure(10, 1.0));
        models.billed(false);
        assert_eq!(inputs(models.of_run(None)), want(&[("a", 10)]));
    }
}
