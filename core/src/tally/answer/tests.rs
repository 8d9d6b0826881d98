use super::*;

fn text(body: &str) -> Text<'_> {
    Text::borrowed(body.as_bytes(), Form::Escaped)
}

fn key(message: u64, part: u64) -> Key {
    Key { message, part }
}

fn answer(rule: AnswerRule) -> Answer {
    Answer::new(rule, &Limits::default())
}

#[test]
fn a_whole_text_replaces_its_pieces() {
    let mut a = answer(AnswerRule::LastMessage);
    a.text(key(1, 0), &text("EC"), true);
    a.text(key(1, 0), &text("HO"), true);
    a.text(key(1, 0), &text("ECHO"), false);
    assert_eq!(a.finish().0.as_deref(), Some("ECHO"));
}

#[test]
fn a_character_cut_between_pieces_is_whole_in_the_answer() {
    let mut a = answer(AnswerRule::AllText);
    a.text(key(1, 0), &text("x\\ud83d"), true);
    a.text(key(1, 0), &text("\\ude00"), true);
    assert_eq!(a.finish().0.as_deref(), Some("x\u{1f600}"));
}

#[test]
fn only_text_after_the_last_tool() {
    let mut a = answer(AnswerRule::AfterTools);
    a.text(key(1, 0), &text("first"), true);
    a.tool();
    a.text(key(2, 0), &text("th"), true);
    a.text(key(2, 0), &text("en"), true);
    let (answer_text, last) = a.finish();
    assert_eq!((answer_text.as_deref(), last.as_deref()), (Some("then"), Some("then")));
    let mut a = answer(AnswerRule::AfterTools);
    a.text(key(1, 0), &text("first"), true);
    a.tool();
    let (answer_text, last) = a.finish();
    assert_eq!((answer_text, last.as_deref()), (None, Some("first")));
}

#[test]
fn parts_of_the_last_message_that_says_something() {
    let mut a = answer(AnswerRule::LastMessageWithText);
    a.text(key(1, 1), &text("old"), false);
    a.text(key(2, 1), &text("one "), false);
    a.text(key(2, 2), &text("two"), false);
    a.text(key(3, 1), &text("  "), false);
    assert_eq!(a.finish().0.as_deref(), Some("one two"));
}

#[test]
fn the_last_message_counts_as_it_is_with_all_its_parts() {
    let mut a = answer(AnswerRule::LastMessage);
    a.text(key(1, 0), &text("old"), false);
    a.text(key(2, 0), &text("one "), false);
    a.text(key(2, 1), &text("two"), false);
    assert_eq!(a.finish().0.as_deref(), Some("one two"));
    let mut a = answer(AnswerRule::LastMessage);
    a.text(key(1, 0), &text("old"), false);
    a.text(key(2, 0), &text("  "), false);
    assert_eq!(a.finish(), (None, None));
}

#[test]
fn a_blank_field_falls_back_a_missing_record_does_not() {
    let mut a = answer(AnswerRule::TerminalField);
    a.text(key(1, 0), &text("said"), false);
    a.text(key(1, 1), &text(""), false);
    a.terminal(Some(text("")), false);
    assert_eq!(a.finish().0.as_deref(), Some("said"));
    let mut a = answer(AnswerRule::TerminalField);
    a.text(key(1, 0), &text("said"), false);
    let (answer_text, last) = a.finish();
    assert_eq!((answer_text, last.as_deref()), (None, Some("said")));
}

#[test]
fn a_failed_turn_gives_no_answer_and_a_later_one_does() {
    let mut a = answer(AnswerRule::LastMessage);
    a.text(key(1, 0), &text("half"), false);
    a.terminal(None, true);
    a.turn_started(false);
    a.text(key(2, 0), &text("whole"), false);
    a.terminal(None, false);
    assert_eq!(a.finish().0.as_deref(), Some("whole"));
}

#[test]
fn what_is_taken_back_is_no_answer() {
    let mut a = answer(AnswerRule::LastMessageWithText);
    a.text(key(1, 0), &text("first"), false);
    a.text(key(2, 0), &text("void "), false);
    a.text(key(2, 1), &text("stays"), false);
    a.withdraw(key(2, 0));
    a.withdraw(key(2, 7));
    a.text(key(2, 2), &text(" too"), false);
    assert_eq!(a.finish().0.as_deref(), Some("stays too"));
    let mut a = answer(AnswerRule::TerminalField);
    a.text(key(1, 0), &text("void"), false);
    a.text(key(2, 0), &text("last"), false);
    a.withdraw(key(1, 0));
    a.withdraw(key(2, 0));
    a.terminal(Some(text("")), false);
    assert_eq!(a.finish(), (None, None));
}

/// The rest of the text does not fit: what is kept is its beginning, whatever the bound falls into.
#[test]
fn what_is_over_the_bound_is_cut_between_characters() {
    let written = "ab\u{e9}\u{20ac}\u{1f600}\\u00e9\\n\\\\\\\\u00e9\\ud83d\\ude00x\\ud83d\\ude00\\ud800\\\"\\/yz";
    let reads = text(written).decode().into_owned();
    let mut lengths = alloc::collections::BTreeSet::new();
    for bound in 0..=written.len() {
        let mut a = Answer::new(AnswerRule::AllText, &Limits { text: bound, ..Limits::default() });
        a.text(key(1, 0), &text(written), true);
        assert_eq!(a.was_cut(), bound < written.len());
        let kept = a.finish().0.unwrap_or_default();
        assert!(reads.starts_with(&kept), "{bound}: {kept:?}");
        // The longest that fits: one character more would not.
        if let Some(next) = reads[kept.len()..].chars().next() {
            let longer = alloc::format!("{kept}{next}");
            let fits = (0..=bound).any(|end| {
                let (head, rest) = written.as_bytes().split_at(end);
                let reads_so = |bytes, what: &str| Text::borrowed(bytes, Form::Escaped).decode() == what;
                reads_so(head, &longer) && reads_so(rest, &reads[longer.len()..])
            });
            assert!(!fits, "{bound}: {kept:?}");
        }
        lengths.insert(kept.len());
    }
    let boundaries = (0..=reads.len()).filter(|at| reads.is_char_boundary(*at));
    assert!(boundaries.eq(lengths));
}

#[test]
fn pieces_over_the_bound_change_nothing_more() {
    let mut a = Answer::new(AnswerRule::AllText, &Limits { text: 8, ..Limits::default() });
    a.text(key(1, 0), &text("abcdef\\u00e9x"), true);
    a.text(key(1, 0), &text("gh"), true);
    a.text(key(1, 0), &text("more"), true);
    assert!(a.was_cut());
    assert_eq!(a.finish().0.as_deref(), Some("abcdefgh"));
}
