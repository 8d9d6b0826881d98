//! Keeps the texts that may become the answer, escaped as they came, and decodes one of them at the end.

use crate::limits::Limits;
use crate::profile::spec::AnswerRule;
use crate::scan::unescape;
use crate::text::{Form, Text};
use alloc::string::String;
use alloc::vec::Vec;

#[cfg(test)]
mod tests;

/// A text of the main agent as the conversation sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Which message.
    pub(crate) message: u64,
    /// Which part of it.
    pub(crate) part: u64,
}

/// The texts of the main agent, as far as an answer may come of them.
#[derive(Debug)]
pub(crate) struct Answer {
    rule: AnswerRule,
    bound: usize,
    /// The unit that is being built: a text, or a message of parts, or all since the last tool.
    current: Unit,
    /// The last unit before it that said something.
    before: Unit,
    /// A text came since the last turn began.
    fresh: bool,
    /// The current unit, and the one before it, are of an earlier turn.
    current_old: bool,
    before_old: bool,
    /// Turns are exchanges of their own: no text of an earlier one is the answer.
    exchanges: bool,
    /// The terminal record's field, where it counts.
    field: Vec<u8>,
    has_field: bool,
    /// It is of an earlier turn.
    field_old: bool,
    /// A terminal record came, and its turn failed.
    failed: bool,
    cut: bool,
}

#[derive(Debug, Default)]
struct Unit {
    message: u64,
    parts: Vec<Part>,
    used: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Part {
    key: u64,
    /// The inside of a JSON string.
    body: Vec<u8>,
}

/// Parts of one message that are kept; a message has a handful of blocks.
const PARTS: usize = 1024;

impl Answer {
    pub(crate) fn new(rule: AnswerRule, limits: &Limits) -> Self {
        Answer {
            rule,
            bound: limits.text,
            current: Unit::default(),
            before: Unit::default(),
            fresh: false,
            current_old: false,
            before_old: false,
            exchanges: false,
            field: Vec::new(),
            has_field: false,
            field_old: false,
            failed: false,
            cut: false,
        }
    }

    /// A text, or a piece of one.
    pub(crate) fn text(&mut self, key: Key, text: &Text<'_>, delta: bool) {
        let same_unit = match self.rule {
            AnswerRule::AfterTools | AnswerRule::AllText => true,
            AnswerRule::LastMessage | AnswerRule::LastMessageWithText => self.current.message == key.message,
            // What stands in for a blank field is one text, as the field itself would have been.
            AnswerRule::TerminalField => {
                self.current.message == key.message
                    && self.current.parts.first().is_some_and(|part| part.key == key.part)
            }
        };
        if !same_unit || self.current.used == 0 {
            self.begin(key.message);
        }
        (self.fresh, self.current_old) = (true, false);
        let whole_unit = matches!(self.rule, AnswerRule::AfterTools | AnswerRule::AllText);
        // Where all text counts, equal part numbers of different messages are different parts.
        let part = if whole_unit { key.part ^ key.message.rotate_left(17) } else { key.part };
        self.cut |= !self.current.put(part, text, delta, self.bound);
    }

    fn begin(&mut self, message: u64) {
        self.stash();
        self.current.clear();
        self.current.message = message;
        self.current_old = false;
    }

    /// Keeps the current unit where it says something.
    fn stash(&mut self) {
        if self.current.is_blank() {
            return;
        }
        self.before_old = self.current_old;
        core::mem::swap(&mut self.before, &mut self.current);
    }

    /// A text is taken back: it is no answer, and not the last text.
    pub(crate) fn withdraw(&mut self, key: Key) {
        let whole_unit = matches!(self.rule, AnswerRule::AfterTools | AnswerRule::AllText);
        let part = if whole_unit { key.part ^ key.message.rotate_left(17) } else { key.part };
        for unit in [&mut self.current, &mut self.before] {
            if whole_unit || unit.message == key.message {
                unit.remove(part);
            }
        }
    }

    /// A tool was called, or gave its result.
    pub(crate) fn tool(&mut self) {
        if self.rule == AnswerRule::AfterTools && self.current.used > 0 {
            self.begin(0);
        }
    }

    /// A turn begins: the answer is one of its texts. Where turns are exchanges of their own, what an earlier one
    /// answered is no answer to this one.
    pub(crate) fn turn_started(&mut self, exchange: bool) {
        self.fresh = false;
        self.failed = false;
        (self.current_old, self.before_old, self.field_old) = (true, true, true);
        if exchange {
            self.exchanges = true;
            self.field.clear();
            self.has_field = false;
            if self.current.used > 0 {
                self.begin(0);
            }
        }
    }

    /// The terminal record: its own field, or that its turn failed.
    pub(crate) fn terminal(&mut self, field: Option<Text<'_>>, failed: bool) {
        self.failed = failed;
        self.field.clear();
        (self.has_field, self.field_old) = (false, false);
        if let Some(text) = field.filter(|_| !failed) {
            self.cut |= !append(&mut self.field, &text, self.bound);
            self.has_field = true;
        }
    }

    pub(crate) fn was_cut(&self) -> bool {
        self.cut
    }

    /// What the turn that ends answered, as the inside of a JSON string, up to `bound` bytes. False when it was cut.
    pub(crate) fn of_turn(&self, into: &mut Vec<u8>, bound: usize) -> bool {
        if self.failed {
            return true;
        }
        if self.rule == AnswerRule::TerminalField {
            if !self.has_field || self.field_old {
                return true;
            }
            if !Text::borrowed(&self.field, Form::Escaped).is_blank() {
                return append_head(into, &self.field, bound);
            }
        }
        if !self.fresh {
            return true;
        }
        let earlier = matches!(self.rule, AnswerRule::TerminalField | AnswerRule::LastMessageWithText);
        if earlier && self.current.is_blank() {
            return self.before_old || self.before.parts().all(|part| append_head(into, &part.body, bound));
        }
        self.current.parts().all(|part| append_head(into, &part.body, bound))
    }

    /// The answer and the last text; blank is none.
    pub(crate) fn finish(self) -> (Option<String>, Option<String>) {
        let text = |unit: &Unit| decode(unit.parts().map(|part| &*part.body));
        let current = text(&self.current);
        let last_text = match self.rule {
            // The last message counts as it is, even where it says nothing.
            AnswerRule::LastMessage if self.current.used > 0 => current.clone(),
            _ => current.clone().or_else(|| text(&self.before)),
        };
        let said = || if self.exchanges && current.is_none() && self.before_old { None } else { last_text.clone() };
        let answer = match self.rule {
            _ if self.failed => None,
            AnswerRule::TerminalField if self.has_field => decode(core::iter::once(&*self.field)).or_else(said),
            AnswerRule::TerminalField => None,
            AnswerRule::LastMessage => current.filter(|_| self.fresh),
            AnswerRule::LastMessageWithText => said(),
            AnswerRule::AfterTools | AnswerRule::AllText => current,
        };
        (answer, last_text)
    }
}

impl Unit {
    fn clear(&mut self) {
        self.used = 0;
        self.bytes = 0;
        // What a runaway message needed is given back.
        self.parts.truncate(8);
        self.parts.retain(|part| part.body.capacity() <= 1 << 20);
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().take(self.used)
    }

    fn remove(&mut self, key: u64) {
        let Some(at) = self.parts().position(|part| part.key == key) else { return };
        // Its room goes to the end, to be used again.
        if let Some(parts) = self.parts.get_mut(at..self.used) {
            parts.rotate_left(1);
        }
        self.used -= 1;
        self.bytes -= self.parts.get(self.used).map_or(0, |part| part.body.len());
    }

    fn is_blank(&self) -> bool {
        self.parts().all(|part| Text::borrowed(&part.body, Form::Escaped).is_blank())
    }

    /// Adds a piece, or replaces the part by the whole text. False when something did not fit.
    fn put(&mut self, key: u64, text: &Text<'_>, delta: bool, bound: usize) -> bool {
        let known = self.parts().position(|part| part.key == key);
        let at = match known {
            Some(at) => at,
            None if self.used >= PARTS => return false,
            None => {
                if self.used == self.parts.len() {
                    self.parts.push(Part::default());
                }
                if let Some(part) = self.parts.get_mut(self.used) {
                    part.key = key;
                    part.body.clear();
                }
                self.used += 1;
                self.used - 1
            }
        };
        let Some(part) = self.parts.get_mut(at) else { return false };
        if !delta {
            self.bytes -= part.body.len();
            part.body.clear();
        }
        let before = part.body.len();
        let fits = append(&mut part.body, text, (bound + before).saturating_sub(self.bytes));
        self.bytes += part.body.len() - before;
        fits
    }
}

/// Appends a text as the inside of a JSON string, up to `bound` bytes in all. False when it was cut.
fn append(body: &mut Vec<u8>, text: &Text<'_>, bound: usize) -> bool {
    let at = body.len();
    text.write_inside(body);
    if body.len() <= bound {
        return true;
    }
    body.truncate(whole_characters(body, at, bound.max(at)));
    false
}

/// Where to cut the inside of a JSON string, `most` at the latest, so that no escape and no character is cut that is read
/// from `at` on.
fn whole_characters(body: &[u8], at: usize, most: usize) -> usize {
    let mut end = at;
    while let Some(escape) = body.get(end..most).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let (_, behind) = unescape(body, end + escape);
        if behind > most {
            return end + escape;
        }
        end = behind;
    }
    let mut whole = most;
    while whole > end && most - whole < 3 && body.get(whole).is_some_and(|byte| byte & 0xc0 == 0x80) {
        whole -= 1;
    }
    whole
}

/// Appends what fits of the inside of a JSON string, without room for what does not.
fn append_head(into: &mut Vec<u8>, body: &[u8], bound: usize) -> bool {
    let head = body.get(..bound.saturating_sub(into.len()) + 12).unwrap_or(body);
    let fits = append(into, &Text::borrowed(head, Form::Escaped), bound);
    if !fits {
        into.shrink_to_fit();
    }
    fits
}

pub(crate) fn decode<'a>(bodies: impl Iterator<Item = &'a [u8]>) -> Option<String> {
    let mut text = String::new();
    let mut joined: Vec<u8> = Vec::new();
    // Pieces are joined before they are decoded: a character may be cut in two of them.
    for body in bodies {
        joined.extend_from_slice(body);
    }
    Text::borrowed(&joined, Form::Escaped).decode_into(&mut text);
    (!text.trim().is_empty()).then_some(text)
}
