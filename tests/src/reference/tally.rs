//! What adds up: texts, tokens, windows, failures. All of it is kept until the end, and looked at then.

use super::field::{Counter, Here};
use super::models::Models;
use super::pattern;
use super::state::fields;
use serde_json::{Map, Value};
use turnline::profile::{AnswerRule, ProfileSpec, UsageSpec};
use turnline::{Baseline, UsageMode, UsageScope};

/// Cuts a text to a number of bytes, not inside a character.
pub(super) fn cut(mut text: String, bytes: usize) -> String {
    while text.len() > bytes {
        text.pop();
    }
    text
}

/// A stretch of text of which the last one may be the answer: by the profile's rule a text, a message or more.
#[derive(Default)]
pub(super) struct Unit {
    /// How many turns had begun when it was last added to.
    turns: u64,
    message: String,
    parts: Vec<(String, String)>,
}

impl Unit {
    fn text(&self) -> Option<String> {
        let text: String = self.parts.iter().map(|(_, text)| text.as_str()).collect();
        Some(text).filter(|text| !text.trim().is_empty())
    }
}

/// The texts of the main agent.
#[derive(Default)]
pub(super) struct Texts {
    units: Vec<Unit>,
    turns: u64,
    /// Turns are exchanges of their own.
    exchanges: bool,
    /// A text came in the turn that is open.
    fresh: bool,
    failed: bool,
    field: Option<String>,
    /// How many turns had begun when it came.
    field_turn: u64,
    /// A piece ended or began with a character that had to be repaired.
    pub(super) halves: bool,
}

impl Texts {
    pub(super) fn say(&mut self, rule: AnswerRule, message: &str, part: &str, text: &str, delta: bool) {
        let all = matches!(rule, AnswerRule::AfterTools | AnswerRule::AllText);
        let same = self.units.last().is_some_and(|unit| match rule {
            _ if unit.parts.is_empty() => false,
            _ if all => true,
            AnswerRule::LastMessage | AnswerRule::LastMessageWithText => unit.message == message,
            _ => unit.message == message && unit.parts[0].0 == part,
        });
        self.fresh = true;
        self.halves |= text.contains('\u{FFFD}');
        if !same {
            self.units.push(Unit { message: message.to_owned(), ..Unit::default() });
        }
        let unit = self.units.last_mut().expect("there is one");
        unit.turns = self.turns;
        let part = if all { format!("{message}\0{part}") } else { part.to_owned() };
        match unit.parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, said)) if delta => said.push_str(text),
            Some((_, said)) => *said = text.to_owned(),
            None => unit.parts.push((part, text.to_owned())),
        }
    }

    pub(super) fn tool(&mut self, rule: AnswerRule) {
        if rule == AnswerRule::AfterTools && self.units.last().is_some_and(|unit| !unit.parts.is_empty()) {
            self.units.push(Unit::default());
        }
    }

    pub(super) fn turn_started(&mut self, exchange: bool) {
        (self.fresh, self.failed) = (false, false);
        self.turns += 1;
        if exchange {
            self.exchanges = true;
            self.field = None;
            self.units.push(Unit::default());
        }
    }

    /// A text is taken back.
    pub(super) fn withdraw(&mut self, rule: AnswerRule, message: &str, part: &str) {
        let all = matches!(rule, AnswerRule::AfterTools | AnswerRule::AllText);
        let part = if all { format!("{message}\0{part}") } else { part.to_owned() };
        for unit in self.units.iter_mut().filter(|unit| all || unit.message == message) {
            unit.parts.retain(|(known, _)| *known != part);
        }
    }

    /// What the turn that ends answered.
    pub(super) fn of_turn(&self, rule: AnswerRule) -> Option<String> {
        let field = self.field.clone().filter(|field| !field.trim().is_empty());
        let said = match rule {
            AnswerRule::TerminalField | AnswerRule::LastMessageWithText => self.telling(true),
            _ => self.units.last().and_then(Unit::text),
        };
        match rule {
            _ if self.failed => None,
            AnswerRule::TerminalField if self.field.is_none() || self.field_turn != self.turns => None,
            AnswerRule::TerminalField => field.or(said.filter(|_| self.fresh)),
            _ => said.filter(|_| self.fresh),
        }
    }

    pub(super) fn terminal(&mut self, field: Option<String>, failed: bool) {
        self.failed = failed;
        self.field = field.filter(|_| !failed);
        self.field_turn = self.turns;
        self.halves |= self.field.as_ref().is_some_and(|field| field.contains('\u{FFFD}'));
    }

    /// The last unit that says something, of this turn alone where that is asked.
    fn telling(&self, of_turn: bool) -> Option<String> {
        let mut said = self.units.iter().rev().filter_map(|unit| Some((unit.text()?, unit.turns)));
        said.next().filter(|(_, turns)| !of_turn || *turns == self.turns).map(|(text, _)| text)
    }

    /// The last text, and the answer.
    pub(super) fn finish(&self, rule: AnswerRule) -> (Option<String>, Option<String>) {
        let newest = self.units.last().and_then(Unit::text);
        let last = match rule {
            // The last message counts as it is, even where it says nothing; a turn without any takes no text away.
            AnswerRule::LastMessage if self.units.last().is_some_and(|unit| !unit.parts.is_empty()) => newest.clone(),
            _ => self.telling(false),
        };
        let telling = self.telling(self.exchanges);
        let answer = match rule {
            _ if self.failed => None,
            AnswerRule::TerminalField => self
                .field
                .as_ref()
                .and_then(|field| Some(field.clone()).filter(|f| !f.trim().is_empty()).or_else(|| telling.clone())),
            AnswerRule::LastMessage => newest.filter(|_| self.fresh),
            AnswerRule::LastMessageWithText => telling,
            _ => newest,
        };
        (last, answer)
    }
}

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

/// A window of the vendor's limits, and the record of its last reading.
pub(super) struct Window {
    pub(super) name: String,
    pub(super) utilization: Option<f64>,
    pub(super) resets_at: Option<f64>,
    pub(super) status: Option<String>,
    record: u64,
}

/// The last reading wins; two readings of one record are one.
pub(super) fn read_window(
    windows: &mut Vec<Window>,
    record: u64,
    name: &str,
    utilization: Option<f64>,
    resets_at: Option<f64>,
    status: Option<String>,
) {
    let new = Window { name: name.to_owned(), utilization, resets_at, status, record };
    match windows.iter_mut().find(|window| window.name == name) {
        Some(old) if old.record == record => {
            old.utilization = new.utilization.or(old.utilization);
            old.resets_at = new.resets_at.or(old.resets_at);
            old.status = new.status.or(old.status.take());
        }
        Some(old) => *old = new,
        None => windows.push(new),
    }
}

/// A failure that the executor reported.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) label: String,
    pub(super) message: String,
    pub(super) class: String,
    pub(super) until_first_turn: bool,
    pub(super) weak: bool,
    /// How many turns had begun when it was last told.
    pub(super) turns: u64,
}

/// The same text told twice is one failure; the stronger word stands.
pub(super) fn add_failure(failures: &mut Vec<Failure>, new: Failure, bound: usize) {
    let room = failures.len() < bound;
    match failures.iter_mut().find(|old| old.message == new.message) {
        Some(old) => {
            old.weak &= new.weak;
            old.until_first_turn &= new.until_first_turn;
            old.turns = new.turns;
            if old.class == "unknown" {
                old.class = new.class;
            }
        }
        None if room => failures.push(new),
        None => {}
    }
}

/// What a caller can do about a failure with this label and these words.
pub(super) fn class_of(spec: &ProfileSpec, label: &str, message: &str) -> String {
    let by_label = spec.classes.iter().find(|rule| rule.labels.iter().any(|known| known == label));
    let by_words = || spec.classes.iter().find(|rule| rule.patterns.iter().any(|p| pattern::matches(p, message, true)));
    by_label.or_else(by_words).map_or_else(|| "unknown".to_owned(), |rule| rule.class.clone())
}

/// The words of a detail: of an object its message, of a list all of them, of a JSON text in a string what is in it.
pub(super) fn opened(detail: &str, bound: usize) -> String {
    cut(open(detail.trim()), bound)
}

fn open(text: &str) -> String {
    let value: Option<Value> = if text.starts_with(['{', '[']) { serde_json::from_str(text).ok() } else { None };
    value.and_then(|value| inside(&value)).unwrap_or_else(|| text.to_owned())
}

fn inside(value: &Value) -> Option<String> {
    const MESSAGES: [&str; 7] = ["message", "errorMessage", "detail", "data", "error", "errors", "text"];
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(open),
        Value::Array(list) => {
            let words: Vec<String> = list.iter().filter_map(inside).collect();
            (!words.is_empty()).then(|| words.join("; "))
        }
        Value::Object(map) => {
            let telling = |key: &&str| map.get(*key).filter(|value| !value.is_number() && !value.is_boolean());
            let message = MESSAGES.iter().filter_map(telling).find_map(inside);
            message.or_else(|| (!map.is_empty()).then(|| value.to_string()))
        }
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
    }
}
