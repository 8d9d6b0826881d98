//! What an input table must not say.

use super::shape::{DEPTH, Slot};
use super::spec::InputSpec;
use crate::profile::{Problem, ProblemCode};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::Value;

/// A shape's key, the slots that it must have, and those that it may have.
type Row = (&'static str, &'static [Slot], &'static [Slot]);

const TABLE: [Row; 10] = [
    ("turn", &[], &[Slot::Text, Slot::Parts]),
    ("text_part", &[Slot::Text], &[]),
    ("image_part", &[Slot::MediaType, Slot::Data], &[]),
    ("interrupt", &[], &[Slot::Id]),
    ("allow", &[Slot::Id], &[Slot::Input, Slot::Permissions]),
    ("deny", &[Slot::Id], &[Slot::Message, Slot::Interrupt]),
    ("set_model", &[Slot::Model], &[Slot::Id]),
    ("set_permission_mode", &[Slot::Mode], &[Slot::Id]),
    ("request", &[Slot::Request], &[Slot::Id]),
    ("reply", &[Slot::Id, Slot::Reply], &[]),
];

/// What TOML's dates are made of on their way through serde.
const DATE: &str = "$__toml_private_datetime";

impl InputSpec {
    /// All that is wrong with it; nothing, when it can be used.
    pub(crate) fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut parts = false;
        for (key, shape) in self.shapes() {
            let Some((_, must, may)) = TABLE.iter().find(|(own, ..)| *own == key) else { continue };
            let mut check = Check { problems: &mut problems, must, may, found: Vec::new() };
            let pointer = format!("/input/{key}");
            if !shape.as_value().is_object() {
                check.add(ProblemCode::BadShape, &pointer, "what is said is a record, an object");
            }
            check.value(shape.as_value(), &pointer, 0);
            let found = check.found;
            parts |= key == "turn" && found.contains(&Slot::Parts);
            for slot in must.iter().filter(|slot| !found.contains(slot)) {
                let message = format!("without `{{{}}}` it says nothing", slot.name());
                problems.push(Problem::new(ProblemCode::MissingField, &*pointer, message));
            }
            if key == "turn" && found.iter().filter(|slot| **slot != Slot::Null).count() == 0 {
                let message = "a turn needs its `{text}` or its `{parts}`";
                problems.push(Problem::new(ProblemCode::MissingField, &*pointer, message));
            }
        }
        if self.turn.is_none() && !self.is_empty() {
            let message = "without a `turn` there is nothing to say it to";
            problems.push(Problem::new(ProblemCode::MissingField, "/input", message));
        }
        if parts && self.text_part.is_none() {
            problems.push(Problem::new(ProblemCode::MissingField, "/input", "`{parts}` needs a `text_part`"));
        }
        for (key, part) in [("text_part", &self.text_part), ("image_part", &self.image_part)] {
            if part.is_some() && !parts {
                let message = "no turn has `{parts}`";
                problems.push(Problem::new(ProblemCode::Misplaced, format!("/input/{key}"), message));
            }
        }
        problems
    }
}

struct Check<'p> {
    problems: &'p mut Vec<Problem>,
    must: &'static [Slot],
    may: &'static [Slot],
    found: Vec<Slot>,
}

impl Check<'_> {
    fn add(&mut self, code: ProblemCode, pointer: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(code, pointer, message));
    }

    fn value(&mut self, value: &Value, pointer: &str, depth: usize) {
        if depth > DEPTH {
            return self.add(ProblemCode::BadShape, pointer, format!("it is over {DEPTH} levels deep"));
        }
        match value {
            Value::String(text) => self.text(text, pointer),
            Value::Array(list) => {
                for (n, value) in list.iter().enumerate() {
                    self.value(value, &format!("{pointer}/{n}"), depth + 1);
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    if key == DATE {
                        return self.add(ProblemCode::BadShape, pointer, "JSON has no dates: write it as a string");
                    }
                    let key = key.replace('~', "~0").replace('/', "~1");
                    self.value(value, &format!("{pointer}/{key}"), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, pointer: &str) {
        let Some((name, optional)) = Slot::named(text) else { return };
        let known = self.must.iter().chain(self.may).chain(&[Slot::Null]);
        match Slot::of(name).filter(|slot| known.clone().any(|known| known == slot)) {
            // What it must have is always there, and `null` is nothing to leave out.
            Some(slot) if optional && (slot == Slot::Null || self.must.contains(&slot)) => {
                self.add(ProblemCode::BadShape, pointer, format!("`{{{name}}}` cannot be left out"));
            }
            Some(slot) => self.found.push(slot),
            None => {
                let known: Vec<_> = known.map(|slot| format!("{{{}}}", slot.name())).collect();
                let message = format!("`{text}` is not one of: {}", known.join(", "));
                self.add(ProblemCode::UnknownName, pointer, message);
            }
        }
    }
}
