//! Which rules take the records of which others, as far as can be told from their conditions.

use crate::profile::field::{Conditions, Matcher, OneOrMany, Scalar};
use crate::profile::problem::ProblemCode;
use crate::profile::spec::ProfileSpec;
use crate::rules::compile::Compiler;
use crate::rules::pattern::Pattern;
use alloc::format;

/// Finds rules that can never be a record's, because an earlier one takes all their records.
pub(super) fn reachable(c: &mut Compiler, spec: &ProfileSpec) {
    for (n, rule) in spec.rules.iter().enumerate() {
        let earlier = spec.rules[..n].iter().position(|earlier| covers(&earlier.r#match, &rule.r#match));
        if let Some(first) = earlier {
            c.at("rules", |c| {
                c.at(n, |c| {
                    c.at("match", |c| {
                        let message = format!("it never matches: rule {first} takes all its records first");
                        c.problem(ProblemCode::UnreachableRule, message);
                    });
                });
            });
        }
    }
}

/// True when every record that `narrow` matches is matched by `wide`, as far as can be told from the conditions.
pub(super) fn covers(wide: &Conditions, narrow: &Conditions) -> bool {
    wide.iter().all(|(path, wide)| narrow.get(path).is_some_and(|narrow| implies(narrow, wide)))
}

fn implies(narrow: &Matcher, wide: &Matcher) -> bool {
    if narrow == wide {
        return true;
    }
    let Some(values) = listed(narrow) else { return false };
    match wide {
        Matcher::Is(value) => values.iter().all(|narrow| narrow == value),
        Matcher::OneOf(allowed) => values.iter().all(|narrow| allowed.contains(narrow)),
        Matcher::Test(test) => {
            let holds = |value: &Scalar| {
                test.prefix.as_ref().is_none_or(|p| matches!(value, Scalar::Text(text) if text.starts_with(&**p)))
                    && test.not.as_ref().is_none_or(|not| !OneOrMany::as_slice(not).contains(value))
                    && test.present != Some(false)
                    && test.is.is_none()
                    && test.blank.is_none()
                    && test.pattern.as_ref().is_none_or(
                        |p| matches!((value, Pattern::new(p, false)), (Scalar::Text(text), Ok(p)) if p.matches(text)),
                    )
            };
            values.iter().all(holds)
        }
    }
}

/// The values that a condition names.
pub(super) fn listed(matcher: &Matcher) -> Option<&[Scalar]> {
    match matcher {
        Matcher::Is(value) => Some(core::slice::from_ref(value)),
        Matcher::OneOf(values) => Some(values),
        Matcher::Test(_) => None,
    }
}
