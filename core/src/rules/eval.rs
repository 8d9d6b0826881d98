//! Evaluates compiled expressions and conditions on a scanned record.

use crate::event::Part;
use crate::event::open_enum::Named;
use crate::profile::field::ValueType;
use crate::rules::compiled::{Bucket, Check, Cond, Dispatch, Expr, Literal, Source, Switch, Test};
use crate::scan::{Frames, Kind, Slot, eq_key};
use crate::text::{Form, Json, Text};
use alloc::borrow::Cow;
use alloc::string::String;

/// A scanned record, and the element of it that an iteration is at.
#[derive(Clone, Copy)]
pub(crate) struct Ctx<'a> {
    pub(crate) line: &'a [u8],
    pub(crate) frames: &'a Frames,
    /// 0 is the record.
    pub(crate) frame: u32,
    /// The number of the block in its message.
    pub(crate) block: u64,
}

/// A value of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    line: &'a [u8],
    slot: Slot,
}

/// A counter of a usage record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    Absent,
    /// There, but no whole number from 0 that fits 64 bits.
    Invalid,
    Value(u64),
}

impl<'a> Ctx<'a> {
    /// The same record at one of its elements.
    pub(crate) fn at(self, frame: u32) -> Ctx<'a> {
        Ctx { frame, ..self }
    }

    #[inline(always)]
    fn value(&self, source: Source) -> Option<Value<'a>> {
        let slot = match source {
            Source::Root(slot) => self.frames.root(slot),
            Source::Here(slot) => self.frames.slot(self.frame, slot),
            Source::Key => self.frames.key(self.frame),
            Source::Block => return None,
        };
        (slot.kind != Kind::Absent).then_some(Value { line: self.line, slot })
    }

    /// False where the element lacks the slot that all steps need.
    #[inline]
    pub(crate) fn opens(&self, gate: Option<u16>) -> bool {
        gate.is_none_or(|slot| !matches!(self.frames.slot(self.frame, slot).kind, Kind::Absent | Kind::Null))
    }

    /// The first alternative that says something, else the first that is there at all and not null.
    #[inline(always)]
    pub(crate) fn pick(&self, sources: &[Source]) -> Option<Value<'a>> {
        if let [only] = sources {
            return self.value(*only).filter(|value| value.slot.kind != Kind::Null);
        }
        self.pick_of_many(sources)
    }

    fn pick_of_many(&self, sources: &[Source]) -> Option<Value<'a>> {
        let mut first = None;
        for source in sources {
            let Some(value) = self.value(*source).filter(|value| value.slot.kind != Kind::Null) else { continue };
            if value.says_much() || !value.is_blank() {
                return Some(value);
            }
            first = first.or(Some(value));
        }
        first
    }

    /// What a value is translated to, where the expression has a map; its own word otherwise.
    fn word(&self, expr: &'a Expr) -> Option<Cow<'a, str>> {
        if let Some(literal) = &expr.literal {
            return Some(Cow::Borrowed(literal));
        }
        match self.pick(&expr.sources) {
            None => expr.missing.as_deref().map(Cow::Borrowed),
            Some(value) => {
                let word = value.word();
                match expr.map.iter().find(|(key, _)| **key == *word) {
                    Some((_, mapped)) => Some(Cow::Borrowed(&**mapped)),
                    None => Some(expr.default.as_deref().map_or(word, Cow::Borrowed)),
                }
            }
        }
    }

    /// A field that is a name of the vocabulary.
    pub(crate) fn name<T: Named>(&self, expr: &'a Option<Expr>) -> Option<T> {
        let word = self.word(expr.as_ref()?)?;
        T::named(&word)
    }

    /// A field that is a text.
    #[inline]
    pub(crate) fn text(&self, expr: &'a Option<Expr>) -> Option<Text<'a>> {
        self.text_of(expr.as_ref()?)
    }

    #[inline]
    pub(crate) fn text_of(&self, expr: &'a Expr) -> Option<Text<'a>> {
        if expr.literal.is_none() && expr.is_plain() {
            return match self.pick(&expr.sources) {
                Some(value) => Some(value.text()),
                None => expr.missing.as_ref().map(|missing| plain(missing)),
            };
        }
        match self.word(expr)? {
            Cow::Borrowed(word) => Some(plain(word)),
            Cow::Owned(word) => Some(Text::borrowed(word.as_bytes(), Form::Plain).into_owned()),
        }
    }

    /// The bytes of a string without escapes where the expression takes values as they are; empty where there is none.
    #[inline]
    pub(crate) fn plain_string(&self, expr: &'a Expr) -> Option<&'a [u8]> {
        if expr.literal.is_some() || expr.missing.is_some() || !expr.is_plain() {
            return None;
        }
        match self.pick(&expr.sources) {
            None => Some(&[]),
            Some(value) => (value.slot.kind == Kind::Str).then(|| value.bytes()),
        }
    }

    /// A text that identifies something: a string that is not empty, or a number; of a huge one its beginning. Ids that
    /// read the same have the same bytes.
    #[inline]
    pub(crate) fn id(&self, expr: &'a Option<Expr>) -> Option<Text<'a>> {
        self.id_of(expr.as_ref()?)
    }

    #[inline]
    pub(crate) fn id_of(&self, expr: &'a Expr) -> Option<Text<'a>> {
        if expr.literal.is_some() || !expr.is_plain() || expr.missing.is_some() {
            return self.text_of(expr).filter(|text| !text.is_empty()).map(Text::id);
        }
        let value = self.pick(&expr.sources)?;
        let (bytes, form) = match value.slot.kind {
            Kind::Str | Kind::Escaped => (value.bytes(), Form::Escaped),
            Kind::Number => (value.bytes(), Form::Plain),
            _ => return None,
        };
        (!bytes.is_empty()).then(|| Text::borrowed(bytes, form).id())
    }

    /// A field that is kept as JSON. A string that holds JSON stays a string: what the executor printed is what counts.
    pub(crate) fn json(&self, expr: &'a Option<Expr>) -> Option<Json<'a>> {
        let value = self.pick(&expr.as_ref()?.sources)?;
        Some(Json::borrowed(value.json()))
    }

    /// A flag: a value that says something and is neither `false` nor 0.
    pub(crate) fn flag(&self, expr: &'a Option<Expr>) -> bool {
        let Some(expr) = expr else { return false };
        if let Some(literal) = &expr.literal {
            return &**literal == "true";
        }
        if !expr.is_plain() || expr.missing.is_some() {
            return self.word(expr).is_some_and(|word| word == "true");
        }
        self.pick(&expr.sources).is_some_and(|value| value.says_yes())
    }

    /// The number of the block where the expression asks for it.
    pub(crate) fn is_block(expr: &Option<Expr>) -> bool {
        expr.as_ref().is_some_and(|expr| expr.sources.first() == Some(&Source::Block))
    }

    /// Which part of its message a text is: the number it was counted as, the whole number that the record says, or its id.
    pub(crate) fn part(&self, counted: Option<u64>, expr: &'a Option<Expr>) -> Option<Part<'a>> {
        match counted.or_else(|| self.whole(expr)) {
            Some(number) => Some(Part::Index(number)),
            None => self.text(expr).map(Part::Id),
        }
    }

    /// A whole number from 0.
    pub(crate) fn whole(&self, expr: &'a Option<Expr>) -> Option<u64> {
        match self.counter(expr) {
            Counter::Value(value) => Some(value),
            Counter::Absent | Counter::Invalid => None,
        }
    }

    /// A whole number from 0, told apart from one that cannot be read.
    pub(crate) fn counter(&self, expr: &'a Option<Expr>) -> Counter {
        let Some(value) = expr.as_ref().and_then(|expr| self.pick(&expr.sources)) else { return Counter::Absent };
        if value.slot.kind != Kind::Number {
            return Counter::Invalid;
        }
        value.whole().map_or(Counter::Invalid, Counter::Value)
    }

    /// A whole number.
    pub(crate) fn signed(&self, expr: &'a Option<Expr>) -> Option<i64> {
        let value = self.pick(&expr.as_ref()?.sources)?;
        core::str::from_utf8(value.bytes()).ok()?.parse().ok()
    }

    /// A finite number.
    pub(crate) fn number(&self, expr: &'a Option<Expr>) -> Option<f64> {
        let value = self.pick(&expr.as_ref()?.sources)?;
        if value.slot.kind != Kind::Number {
            return None;
        }
        value.number().filter(|number| number.is_finite())
    }

    #[inline]
    pub(crate) fn holds(&self, tests: &[Test]) -> bool {
        tests.iter().all(|test| self.test(test))
    }

    pub(crate) fn when(&self, cond: Option<&Cond>) -> bool {
        cond.is_none_or(|cond| cond.groups.iter().any(|group| self.holds(group)))
    }

    pub(crate) fn switch(&self, switch: &Switch) -> bool {
        match switch {
            Switch::Never => false,
            Switch::Always => true,
            Switch::When(cond) => self.when(Some(cond)),
        }
    }

    #[inline]
    fn test(&self, test: &Test) -> bool {
        // What nearly every test is: one field, and some words.
        if let ([source], Check::OneOf(literals)) = (&*test.sources, &test.check) {
            let value = self.value(*source);
            return value.is_some_and(|value| literals.iter().any(|literal| value.equals(literal)));
        }
        self.other_test(test)
    }

    fn other_test(&self, test: &Test) -> bool {
        let value = self.pick(&test.sources);
        match &test.check {
            Check::OneOf(literals) => value.is_some_and(|value| literals.iter().any(|literal| value.equals(literal))),
            Check::NoneOf(literals) => value.is_none_or(|value| !literals.iter().any(|literal| value.equals(literal))),
            Check::Prefix(prefix) => {
                value.filter(Value::is_string).is_some_and(|value| value.word().starts_with(&**prefix))
            }
            Check::Present(present) => value.is_some() == *present,
            Check::Blank(blank) => value.is_none_or(|value| value.is_blank()) == *blank,
            Check::Pattern(pattern) => {
                value.filter(Value::is_string).is_some_and(|value| pattern.matches(&value.word()))
            }
            Check::Is(ValueType::Null) => {
                let null = |source: &Source| self.value(*source).is_some_and(|value| value.slot.kind == Kind::Null);
                value.is_none() && test.sources.iter().any(null)
            }
            Check::Is(wanted) => value.is_some_and(|value| value.is(*wanted)),
        }
    }

    /// What may be the record's.
    pub(crate) fn bucket(&self, dispatch: &'a Dispatch) -> &'a Bucket {
        let Some(value) = dispatch.by.and_then(|source| self.value(source)) else { return &dispatch.others };
        let bucket = match value.slot.kind {
            Kind::Str => dispatch.buckets.iter().find(|(name, _)| same(name.as_bytes(), value.bytes())),
            Kind::Escaped => dispatch.buckets.iter().find(|(name, _)| eq_key(value.bytes(), name.as_bytes())),
            _ => None,
        };
        bucket.map_or(&dispatch.others, |(_, bucket)| bucket)
    }
}

/// Whether two words are the same: most are shorter than a call is worth, and to compare nothing by one is slow on some
/// machines.
#[inline(always)]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(head), Some(other)) = (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        return head == other && if a.len() <= 16 { a.last_chunk::<8>() == b.last_chunk::<8>() } else { a == b };
    }
    if let (Some(head), Some(other)) = (a.first_chunk::<4>(), b.first_chunk::<4>()) {
        return head == other && a.last_chunk::<4>() == b.last_chunk::<4>();
    }
    a.iter().eq(b)
}

fn plain(text: &str) -> Text<'_> {
    Text::borrowed(text.as_bytes(), Form::Plain)
}

impl<'a> Value<'a> {
    pub(crate) fn is_string(&self) -> bool {
        matches!(self.slot.kind, Kind::Str | Kind::Escaped)
    }

    #[inline]
    pub(crate) fn text(&self) -> Text<'a> {
        let form = match self.slot.kind {
            Kind::Str | Kind::Escaped => Form::Escaped,
            _ => Form::Json,
        };
        Text::borrowed(self.bytes(), form)
    }

    /// Of a string what is inside the quotes, else the JSON.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.slot.of(self.line)
    }

    /// The value as JSON: a string's span with its quotes around it.
    pub(crate) fn json(&self) -> &'a [u8] {
        if !self.is_string() {
            return self.bytes();
        }
        let (start, end) = (self.slot.start as usize, self.slot.end as usize);
        self.line.get(start.saturating_sub(1)..end + 1).unwrap_or_default()
    }

    /// Certainly not blank, at a glance.
    #[inline(always)]
    fn says_much(&self) -> bool {
        self.slot.kind == Kind::Str && matches!(self.bytes().first(), Some(b'!'..=b'~'))
    }

    /// Says nothing: blank text, an empty list or object.
    pub(crate) fn is_blank(&self) -> bool {
        match self.slot.kind {
            Kind::Absent | Kind::Null => true,
            Kind::True | Kind::False | Kind::Number => false,
            Kind::Str | Kind::Escaped => self.text().is_blank(),
            Kind::Array | Kind::Object => {
                let inside = self.bytes().get(1..self.bytes().len().saturating_sub(1)).unwrap_or_default();
                inside.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
            }
        }
    }

    fn says_yes(&self) -> bool {
        match self.slot.kind {
            Kind::False => false,
            Kind::Number => self.number() != Some(0.0),
            _ => !self.is_blank(),
        }
    }

    fn is(&self, wanted: ValueType) -> bool {
        match wanted {
            ValueType::String => self.is_string(),
            ValueType::Number => self.slot.kind == Kind::Number,
            ValueType::Bool => matches!(self.slot.kind, Kind::True | Kind::False),
            ValueType::Array => self.slot.kind == Kind::Array,
            ValueType::Object => self.slot.kind == Kind::Object,
            ValueType::Null => self.slot.kind == Kind::Null,
        }
    }

    /// The value as a word: a string's text, else the JSON.
    fn word(&self) -> Cow<'a, str> {
        match self.slot.kind {
            Kind::Str | Kind::Escaped => match Text::borrowed(self.bytes(), Form::Escaped).decode() {
                // A text that needs no decoding is the span itself.
                Cow::Borrowed(_) => String::from_utf8_lossy(self.bytes()),
                Cow::Owned(word) => Cow::Owned(word),
            },
            _ => crate::text::raw::repaired(self.bytes()),
        }
    }

    #[inline(always)]
    fn equals(&self, literal: &Literal) -> bool {
        match (literal, self.slot.kind) {
            (Literal::Text(text), Kind::Str) => same(self.bytes(), text.as_bytes()),
            (literal, _) => self.equals_otherwise(literal),
        }
    }

    fn equals_otherwise(&self, literal: &Literal) -> bool {
        match (literal, self.slot.kind) {
            (Literal::Text(text), Kind::Escaped) => eq_key(self.bytes(), text.as_bytes()),
            (Literal::Flag(flag), Kind::True | Kind::False) => *flag == (self.slot.kind == Kind::True),
            (Literal::Whole(number), Kind::Number) => self.number() == Some(*number as f64),
            (Literal::Number(number), Kind::Number) => self.number() == Some(*number),
            _ => false,
        }
    }

    fn number(&self) -> Option<f64> {
        core::str::from_utf8(self.bytes()).ok()?.parse().ok()
    }

    fn whole(&self) -> Option<u64> {
        let digits = core::str::from_utf8(self.bytes()).ok()?;
        if let Ok(value) = digits.parse() {
            return Some(value);
        }
        // `100.0` and `1e3` are whole numbers too, as far as a double is exact.
        let number: f64 = digits.parse().ok()?;
        let exact = number >= 0.0 && number <= (1_u64 << 53) as f64 && number == (number as u64) as f64;
        exact.then_some(number as u64)
    }
}
