//! The texts that may become the answer. All of them are kept until the end, and looked at then.

use turnline::profile::AnswerRule;

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
