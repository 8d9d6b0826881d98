//! A profile that extends another one: what it says itself, and what it inherits.

use crate::profile::problem::{Problem, ProblemCode, ProfileError};
use crate::profile::reach::covers;
use crate::profile::spec::ProfileSpec;
use crate::profile::{Profile, rename};
use crate::rules::pattern::Taken;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value};

/// Lists of which the first entry that fits counts: the file's own come first.
const FIRST_WINS: [&str; 4] = ["rules", "notices", "classes", "stderr"];
/// What describes one executor alone.
const OWN: [&str; 4] = ["id", "title", "measured", "detect"];
/// Tables that are merged key by key.
const TABLES: [&str; 5] = ["tools", "launch", "kinds", "commands", "input"];

/// The whole profile of a file that extends `base`. `own` is what the file says, key by key.
pub(crate) fn resolve(own: Value, base: &Profile) -> Result<ProfileSpec, ProfileError> {
    let internal = |error: serde_json::Error| ProfileError::one(ProblemCode::Syntax, "", error.to_string());
    let mut inherited = base.spec().clone();
    let said: ProfileSpec = serde_json::from_value(own.clone()).map_err(internal)?;
    let problems = rename::apply(&mut inherited, &said.rename);
    if !problems.is_empty() {
        return Err(ProfileError::new(problems));
    }
    // A rule that takes all records of an inherited one stands in its place.
    inherited.rules.retain(|rule| !said.rules.iter().any(|own| covers(&own.r#match, &rule.r#match)));
    // So does a pattern or a label of its own.
    let all = |patterns: &mut dyn Iterator<Item = &String>, fold_case| {
        let mut taken = Taken::new(fold_case);
        for pattern in patterns {
            taken.add(pattern);
        }
        taken
    };
    let taken = all(&mut said.notices.iter().map(|notice| &notice.pattern), false);
    inherited.notices.retain(|notice| !taken.takes(&notice.pattern));
    let taken = all(&mut said.stderr.iter().map(|rule| &rule.pattern), false);
    inherited.stderr.retain(|rule| !taken.takes(&rule.pattern));
    let taken = all(&mut said.classes.iter().flat_map(|rule| &rule.patterns), true);
    for rule in &mut inherited.classes {
        rule.labels.retain(|label| !said.classes.iter().any(|own| own.labels.contains(label)));
        rule.patterns.retain(|pattern| !taken.takes(pattern));
    }
    inherited.classes.retain(|rule| !(rule.labels.is_empty() && rule.patterns.is_empty()));
    let Value::Object(mut merged) = serde_json::to_value(&inherited).map_err(internal)? else {
        return Err(ProfileError::one(ProblemCode::Extends, "/extends", "it is no table".to_string()));
    };
    for key in OWN {
        merged.remove(key);
    }
    let Value::Object(own) = own else {
        return Err(ProfileError::one(ProblemCode::Syntax, "", "a profile is a table".to_string()));
    };
    merge(&mut merged, own);
    merged.remove("extends");
    merged.remove("rename");
    serde_json::from_value(Value::Object(merged)).map_err(internal)
}

fn merge(into: &mut Map<String, Value>, own: Map<String, Value>) {
    for (key, value) in own {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(inherited)), Value::Object(own)) if TABLES.contains(&&*key) => merge(inherited, own),
            (Some(Value::Array(inherited)), Value::Array(mut own)) if FIRST_WINS.contains(&&*key) => {
                own.append(inherited);
                *inherited = own;
            }
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// What a Rust value says that differs from saying nothing.
pub(crate) fn said(spec: &ProfileSpec) -> Result<Value, ProfileError> {
    let internal = |error: serde_json::Error| ProfileError::one(ProblemCode::Syntax, "", error.to_string());
    let mut value = serde_json::to_value(spec).map_err(internal)?;
    let silent = serde_json::to_value(ProfileSpec::default()).map_err(internal)?;
    if let (Value::Object(value), Value::Object(silent)) = (&mut value, silent) {
        let unsaid: Vec<_> = silent.into_iter().filter(|(key, default)| value.get(key) == Some(default)).collect();
        for (key, _) in unsaid {
            value.remove(&key);
        }
    }
    Ok(value)
}

/// The base cannot be had.
pub(crate) fn no_base(name: &str, error: &ProfileError) -> ProfileError {
    // What a base of the base lacks is told as it is, not once more by everyone in between.
    let inner = error.problems().iter().find(|problem| problem.code == ProblemCode::Extends);
    let message = match inner {
        Some(inner) => inner.message.clone(),
        None => format!("it extends '{name}', which cannot be used: {error}"),
    };
    ProfileError::new(alloc::vec![Problem::new(ProblemCode::Extends, "/extends", message)])
}
