//! The two sorts of text that agents print most: prose, and code or terminal output.
//!
//! What matters for a parser is how often a character needs escaping or is not ASCII, so the lists are chosen for that.

use super::rng::Rng;
use std::ops::RangeInclusive;

/// Prose of about so many characters: Markdown now and then, a quote or a rare character here and there.
pub(in crate::corpus) fn prose(rng: &mut Rng, chars: RangeInclusive<usize>) -> String {
    let chars = rng.within(chars);
    let mut text = String::new();
    let mut size = 0;
    while size < chars {
        if size > 0 {
            text.push(' ');
        }
        let mut word = String::from(if rng.chance(0.02) { rng.pick(RARE) } else { rng.pick(WORDS) });
        if rng.chance(0.03) {
            word = format!("`{word}`");
        }
        if rng.chance(0.012) {
            word = format!("\"{word}\"");
        }
        if rng.chance(0.06) {
            word.push_str(rng.pick(&[".", ",", ":", ".\n\n", ".\n- "]));
        }
        size += word.chars().count() + 1;
        text.push_str(&word);
    }
    text
}

/// About so many characters of code, diffs and terminal output, in lines.
pub(in crate::corpus) fn code(rng: &mut Rng, chars: RangeInclusive<usize>) -> String {
    let chars = rng.within(chars);
    lines(rng, chars, false)
}

/// The same with each line numbered, as tools that read files print them.
pub(in crate::corpus) fn numbered_code(rng: &mut Rng, chars: RangeInclusive<usize>) -> String {
    let chars = rng.within(chars);
    lines(rng, chars, true)
}

/// What so many random bytes look like in base 64.
pub(in crate::corpus) fn signature(rng: &mut Rng, bytes: RangeInclusive<usize>) -> String {
    let bytes = rng.within(bytes);
    let padding = (3 - bytes % 3) % 3;
    let mut text = rng.base64(bytes.div_ceil(3) * 4 - padding);
    text.extend(std::iter::repeat_n('=', padding));
    text
}

/// One of the names that occur in the code.
pub(in crate::corpus) fn name(rng: &mut Rng) -> &'static str {
    rng.pick(NAMES)
}

fn lines(rng: &mut Rng, chars: usize, numbered: bool) -> String {
    let mut text = String::new();
    let mut size = 0;
    let mut number = 0;
    while size < chars {
        if number > 0 {
            text.push('\n');
        }
        number += 1;
        let start = text.len();
        if numbered {
            text.push_str(&format!("{number:6}→"));
        }
        for (hole, piece) in rng.pick(CODE).split('@').enumerate() {
            if hole > 0 {
                text.push_str(name(rng));
            }
            text.push_str(piece);
        }
        if rng.chance(0.01) {
            text.push_str("  // ");
            text.push_str(rng.pick(RARE));
        }
        size += text[start..].chars().count() + 2;
    }
    text
}

const WORDS: &[&str] = &[
    "now",
    "we",
    "have",
    "a",
    "clear",
    "picture",
    "of",
    "how",
    "each",
    "request",
    "moves",
    "through",
    "this",
    "layer",
    "so",
    "let",
    "me",
    "open",
    "config",
    "first",
    "there's",
    "one",
    "edge",
    "case",
    "where",
    "value",
    "is",
    "missing",
    "but",
    "no",
    "caller",
    "handles",
    "it",
    "that",
    "would",
    "explain",
    "failing",
    "assertion",
    "in",
    "suite",
    "I'm",
    "going",
    "to",
    "add",
    "small",
    "helper",
    "and",
    "reuse",
    "the",
    "same",
    "type",
    "for",
    "both",
    "paths",
    "after",
    "which",
    "build",
    "should",
    "be",
    "green",
    "again",
    "done",
    "all",
    "checks",
    "finished",
    "without",
    "new",
    "warnings",
    "commit",
    "can",
    "follow",
];

const RARE: &[&str] = &["–", "‘single’", "café", "⇒", "✗", "한국어 문장", "🎯", "·", "Übergröße", "\u{2029}"];

const NAMES: &[&str] = &[
    "anchor", "block", "chunk", "depth", "entry", "field", "graph", "header", "input", "journal", "key", "limit",
    "marker", "name", "offset", "packet", "queue", "record", "stack", "thread", "unit",
];

/// Each `@` stands for a name.
const CODE: &[&str] = &[
    "pub fn @(self: &Self, @: &[u8]) -> io::Result<@> {",
    "        let mut @ = @.entry(\"@\").or_insert(\"\");",
    "    while @.next() != Some('\\r') && !@.done() { warn!(\"@: \\\"@\\\" is not closed\"); }",
    "\tfmt.Fprintf(w, \"%q=%v\\n\", @, @)",
    "    // TODO: @ before @ – see https://example.org/@#@?x=@",
    "}",
    "",
    "  \"@\": { \"@\": \"@\", \"root\": \"D:\\\\src\\\\@\\\\@\" },",
    "export const @ = `${@}:${@}`;",
    "    - uses: @",
    "    pattern: \"\\\\b\\\\w+\\\\.@$\"",
    "class @(@, metaclass=@):",
    "    \"\"\"Return @ of @.\"\"\"",
    "    yield from (@ for @ in @ if not @)",
    "<span id=\"@\" title=\"@ and @\">",
    "</span>",
    "\x1b[32m   Compiling\x1b[0m @ v0.3.1",
    "ok\t@/@\t0.41s",
    "-rw-r--r-- 1 user user 831 Mar 12 09:41 @",
    "+        self.@.@(@)?;",
    "-        self.@(@);",
];
