//! What a profile makes of a record without members, found out once: a stream of such records is nothing but their fixed cost.

use super::compiled::{Candidate, Rules};
use super::eval::Ctx;
use crate::scan::{Frames, Scanner};

/// The shortest record.
pub(crate) const EMPTY: &[u8] = b"{}";

impl Rules {
    /// True where an empty record has no type and nothing of the profile takes it.
    pub(crate) fn nothing_takes_empty(&self) -> bool {
        let mut frames = Frames::new(0);
        if Scanner::new().next(&self.trie, EMPTY, 0, &mut frames).is_err() {
            return false;
        }
        let ctx = Ctx { line: EMPTY, frames: &frames, frame: 0, block: 0 };
        let bucket = ctx.bucket(&self.dispatch);
        let takes = |candidates: &[Candidate]| candidates.iter().any(|candidate| ctx.holds(&candidate.tests));
        let typed = self.record_type.iter().any(|part| ctx.text_of(part).is_some_and(|text| !text.is_empty()));
        let lists = [&bucket.rules, &bucket.usage, &bucket.rate_limits, &bucket.metadata];
        !typed && !lists.into_iter().any(|candidates| takes(candidates))
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::Profile;

    fn nothing_takes_empty(rules: &str) -> bool {
        let head = "id = \"x\"\ncommand = \"x\"\n";
        Profile::from_toml(&alloc::format!("{head}{rules}")).unwrap().rules().empty_is_unmapped
    }

    #[test]
    fn only_what_asks_for_nothing_takes_an_empty_record() {
        assert!(nothing_takes_empty("record_type = [\"type\"]\n[[rules]]\nmatch = { type = \"a\" }\n"));
        assert!(!nothing_takes_empty("record_type = [\"type\"]\n[[rules]]\nmatch = { type = { present = false } }\n"));
        assert!(!nothing_takes_empty("record_type = [\"=x\"]\n[[rules]]\nmatch = { type = \"a\" }\n"));
        let usage = "[[usage]]\nmatch = { type = { present = false } }\nof = \"run\"\ninput = \"in\"\n";
        assert!(!nothing_takes_empty(&alloc::format!("record_type = [\"type\"]\n{usage}")));
    }
}
