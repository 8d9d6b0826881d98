//! Names as words, and what words say of how something went.

/// The words of a name: `toolCallId`, `tool_call_id` and `tool-call.id` are tool, call, id.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// One of the words begins with one of these.
pub(super) fn says(name: &str, beginnings: &[&str]) -> bool {
    words(name).iter().any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
}

/// One of the words is one of these.
pub(super) fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name).iter().any(|word| wanted.contains(&&**word))
}

/// Words for what went well.
const GOOD: [&str; 20] = [
    "ok", "okay", "success", "succ", "complete", "done", "finish", "pass", "fine", "good", "well", "true", "end",
    "stop", "normal", "ready", "yes", "clean", "accept", "happy",
];
/// Words for what did not.
const BAD: [&str; 33] = [
    "err",
    "fail",
    "brok",
    "crash",
    "abort",
    "cancel",
    "kill",
    "timeout",
    "timed",
    "denied",
    "deny",
    "refus",
    "burn",
    "bad",
    "false",
    "no",
    "fatal",
    "exception",
    "invalid",
    "exceed",
    "limit",
    "overload",
    "interrupt",
    "reject",
    "halt",
    "wrong",
    "trouble",
    "max",
    "unauthor",
    "panic",
    "lost",
    "missing",
    "declin",
];

/// Whether a word says that something went well (true) or did not (false); most say neither.
pub(super) fn verdict(word: &str) -> Option<bool> {
    let words = words(word);
    let any = |list: &[&str]| words.iter().any(|word| list.iter().any(|beginning| begins(word, beginning)));
    // "not ok", "incomplete" and "unsuccessful" are no success.
    match (
        any(&BAD) || words.iter().any(|word| word == "not" || word.starts_with("un") || word.starts_with("in")),
        any(&GOOD),
    ) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    }
}

/// Short words are whole ones: `note` is no `no`.
fn begins(word: &str, beginning: &str) -> bool {
    if beginning.len() < 4 && beginning != "err" { word == beginning } else { word.starts_with(beginning) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        for (name, want) in [
            ("toolCallId", &["tool", "call", "id"][..]),
            ("tool_call-id", &["tool", "call", "id"]),
            ("agent.text.delta", &["agent", "text", "delta"]),
            ("", &[]),
        ] {
            assert_eq!(words(name), want, "{name}");
        }
    }

    #[test]
    fn words_say_how_it_went_or_neither() {
        for (word, want) in [
            ("done", Some(true)),
            ("end_turn", Some(true)),
            ("OK", Some(true)),
            ("broke", Some(false)),
            ("not_ok", Some(false)),
            ("incomplete", Some(false)),
            ("max_turns", Some(false)),
            ("note", None),
            ("zap", None),
        ] {
            assert_eq!(verdict(word), want, "{word}");
        }
    }
}
