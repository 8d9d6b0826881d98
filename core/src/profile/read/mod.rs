//! From a file's text to a profile: everything that is wrong with it is gathered, each with its place.
//!
//! The text becomes a tree that knows where each part stands. The tree is read as data; what is wrong is noted and taken
//! out, and the rest is read again, until the rest is sound. So one mistake hides no other one.

mod de;
mod json;
mod toml;
mod tree;
mod wrong;

use crate::profile::problem::{Problem, ProblemCode, ProfileError};
use crate::profile::{Place, Profile, ProfileSpec, words};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::Deserialize;
use tree::Node;
use wrong::Wrong;

/// Bytes of the longest text: profiles have some ten thousand.
const LONGEST: usize = 4 << 20;
/// Keys without which nothing that stands beside them is wrong.
const ALONE: [&str; 4] = ["scope", "mode", "cost_mode", "zero_is_unknown"];
/// Mistakes in the shape that are told at once; each costs a reading.
const MISTAKES: usize = 50;

/// The two formats of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Toml,
    Json,
}

/// A profile from a text. `find` finds what it extends.
pub(super) fn profile(
    text: &str,
    format: Format,
    find: impl FnOnce(&str) -> Result<Profile, ProfileError>,
) -> Result<Profile, ProfileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > LONGEST {
        let problem = Problem::new(ProblemCode::Syntax, "", format!("it has over {LONGEST} bytes: no profile has"));
        return Err(ProfileError::new(alloc::vec![problem.at(Place::new(1, 1))]));
    }
    let tree = match format {
        Format::Toml => toml::tree(text),
        Format::Json => json::tree(text),
    };
    match tree {
        Ok(tree) => Document { text, format, tree, problems: Vec::new(), taken: Vec::new() }.profile(find),
        Err(problems) => Err(ProfileError::new(instead(text, format).map_or(problems, |other| alloc::vec![other]))),
    }
}

/// A text of the other format.
fn instead(text: &str, format: Format) -> Option<Problem> {
    let message = match format {
        Format::Toml => toml::instead(text),
        Format::Json => json::instead(text),
    };
    message.map(|message| Problem::new(ProblemCode::Syntax, "", message).at(Place::new(1, 1)))
}

struct Document<'t> {
    text: &'t str,
    format: Format,
    /// What is left of it.
    tree: Node<'t>,
    /// What is wrong, and the byte where.
    problems: Vec<(usize, Problem)>,
    /// Pointers to what was taken out.
    taken: Vec<String>,
}

impl Document<'_> {
    fn profile(mut self, find: impl FnOnce(&str) -> Result<Profile, ProfileError>) -> Result<Profile, ProfileError> {
        let built = match self.spec() {
            None => Err(ProfileError::new(Vec::new())),
            Some(spec) => match &spec.extends {
                None => Profile::compiled(spec),
                Some(name) => match serde_json::Value::deserialize(&self.tree) {
                    Ok(own) => Profile::extended(name, own, find),
                    Err(wrong) => {
                        self.note(&wrong);
                        Err(ProfileError::new(Vec::new()))
                    }
                },
            },
        };
        let found = match built {
            Ok(profile) if self.problems.is_empty() => return Ok(profile),
            Ok(_) => Vec::new(),
            Err(error) => error.into_problems(),
        };
        for problem in found {
            self.add(problem);
        }
        // Of the same place the shape's come first.
        self.problems.sort_by_key(|(at, _)| *at);
        let placed = self.problems.into_iter().map(|(at, problem)| match problem.place {
            Some(_) => problem,
            None => problem.at(Place::of(self.text, at)),
        });
        Err(ProfileError::new(placed.collect()))
    }

    /// What is sound of it as data; nothing where the whole is no table.
    fn spec(&mut self) -> Option<ProfileSpec> {
        loop {
            match ProfileSpec::deserialize(&self.tree) {
                Ok(spec) => return Some(spec),
                Err(wrong) => {
                    self.note(&wrong);
                    let way = wrong.way();
                    let (_, spot) = self.tree.seek(&way, wrong.key);
                    self.taken.push(spot.pointer);
                    if self.problems.len() >= MISTAKES || !self.tree.take_out(&way) {
                        return None;
                    }
                }
            }
        }
    }

    /// Tells a mistake of the shape, unless it follows from one that was told.
    fn note(&mut self, wrong: &Wrong) {
        let (node, spot) = self.tree.seek(&wrong.way(), wrong.key);
        if !(wrong.code == ProblemCode::MissingField && node.maimed) {
            self.problems.push((spot.at, Problem::new(wrong.code, spot.pointer, wrong.message.clone())));
        }
    }

    /// Takes up what the checks of the whole say of what is left.
    fn add(&mut self, mut problem: Problem) {
        let spot = self.tree.follow(&problem.pointer, self.format == Format::Toml);
        let follows = self.taken.iter().any(|taken| {
            *taken == spot.pointer
                || problem.code.may_follow_from_absence() && related(taken, &spot.pointer)
                || problem.code.is_absence() && meant(taken, &spot.pointer)
        });
        if !follows {
            problem.pointer = spot.pointer;
            self.problems.push((spot.at, problem));
        }
    }
}

/// Whether the key that was taken out is a slip of the pen for the one that is missing at the top.
fn meant(taken: &str, pointer: &str) -> bool {
    let key = taken.strip_prefix('/').filter(|key| !key.contains('/'));
    let missing = pointer.trim_start_matches('/');
    key.is_some_and(|key| words::nearest(key, &[missing]).is_some())
}

/// Whether what is wrong at a pointer may be for want of what was taken out at another.
fn related(taken: &str, pointer: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let key = taken.rsplit('/').next().unwrap_or_default();
    // What stands at the top is about the whole: the promise of a terminal record about all rules.
    pointer.matches('/').count() <= 1
        || below(taken, pointer)
        || !ALONE.contains(&key)
            && taken.rsplit_once('/').is_some_and(|(holder, _)| !holder.is_empty() && below(pointer, holder))
}
