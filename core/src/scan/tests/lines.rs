//! What is on a line beside one record's values: other values, damage, depth, the record before.

use alloc::vec::Vec;
use alloc::{format, vec};

use super::{Paths, both, path, paths};
use crate::scan::*;

#[test]
fn several_values_on_a_line_and_what_is_behind_them() {
    let Paths { trie, sites } = paths(&["a"]);
    let (mut scanner, mut frames) = (Scanner::new(), Frames::new(9));
    let line = br#"{"a":1} {"b":"\q"  [1]"x"{"a":2}tail"#;
    assert_eq!(scanner.next(&trie, line, 0, &mut frames), Ok(Item::Record { end: 7 }));
    assert_eq!(scanner.next(&trie, line, 7, &mut frames), Err(Malformed { at: 15 }));
    assert_eq!(frames.slot(0, sites[0].1.slot), Slot::default());
    assert_eq!(scanner.next(&trie, line, 17, &mut frames), Ok(Item::NonObject { end: 22 }));
    assert_eq!(scanner.next(&trie, line, 22, &mut frames), Ok(Item::NonObject { end: 25 }));
    assert_eq!(scanner.next(&trie, line, 25, &mut frames), Ok(Item::Record { end: 32 }));
    assert_eq!(frames.slot(0, sites[0].1.slot), Slot { start: 30, end: 31, kind: Kind::Number });
    assert_eq!(scanner.next(&trie, line, 32, &mut frames), Err(Malformed { at: 32 }));
    assert_eq!(scanner.next(&trie, line, 99, &mut frames), Err(Malformed { at: 99 }));
}

#[test]
fn arrays_of_objects() {
    let mut scanner = Scanner::new();
    let mut whole = |line: &str| scanner.array_of_objects(line.as_bytes(), 0);
    assert_eq!(whole(r#" [ {"a":[1]} , {} ] x"#), Ok(Some(19)));
    assert_eq!(whole("[{}]"), Ok(Some(4)));
    for line in ["[]", "[{},1]", "[[{}]]", "{}", "3", "[\"{\"]", "[ ]"] {
        assert_eq!(whole(line), Ok(None), "{line}");
    }
    for line in ["[{},]", "[{}", "[{} {}]", "[,{}]", "[{},1", ""] {
        assert!(whole(line).is_err(), "{line}");
    }
    let line = br#" [ {"a":1} , {} ] "#;
    assert_eq!(next_element(line, 2), Some(3));
    assert_eq!(next_element(line, 10), Some(13));
    assert_eq!(next_element(line, 15), None);
    assert_eq!(next_element(b"", 0), None);
}

#[test]
fn what_has_to_be_repaired_is_noted() {
    let trie = paths(&["a"]).trie;
    let repaired = |text: &[u8]| {
        for pad in 0..70 {
            let mut line = format!("{{\"{}\":\"", "p".repeat(pad)).into_bytes();
            line.extend_from_slice(text);
            line.extend_from_slice(b"\",\"a\":[{\"b\":0}]}");
            let (item, frames) = both(&trie, &line, 9);
            assert_eq!(item, Ok(Item::Record { end: line.len() }));
            let both_ways = [frames.repaired(), {
                // The same inside of what is skipped, and as a key.
                let line = [&b"{\"x\":["[..], &line, b"]}"].concat();
                both(&trie, &line, 9).1.repaired()
            }];
            assert_eq!(both_ways[0], both_ways[1]);
            if !both_ways[0] {
                return false;
            }
        }
        true
    };
    for fine in [
        &b"abc"[..],
        "é€😀\u{800}\u{D7FF}\u{E000}\u{10FFFF}\u{10000}".as_bytes(),
        br"\ud83d\ude00\uD83D\uDE00",
        br"\\ud83d",
        br"\u00e9\ud7ff\ue000",
    ] {
        assert!(!repaired(fine), "{}", fine.escape_ascii());
    }
    for broken in [
        &b"\xFF"[..],
        b"\x80",
        b"\xC3",
        b"\xC3\xC3\xA9",
        b"\xE2\x82",
        b"\xE2\x82\xAC\x80",
        b"\xC0\xAF",
        b"\xC1\xBF",
        b"\xE0\x9F\xBF",
        b"\xED\xA0\x80",
        b"\xF0\x8F\xBF\xBF",
        b"\xF4\x90\x80\x80",
        b"\xF5\x80\x80\x80",
        b"\xF0\x9F\x98x",
        br"\ud83d",
        br"\ude00",
        br"\ud83d\ud83d\ude00",
        br"\ud83dx\ude00",
        br"\ud83d\\ude00",
        br"\\\ud83d",
        br"\ude00\ud83d",
    ] {
        assert!(repaired(broken), "{}", broken.escape_ascii());
    }
    // What stands behind the record is not its own.
    assert!(!both(&trie, b"{\"a\":\"b\"}\"\xFF\"", 9).1.repaired());
    assert!(!both(&trie, b"{\"a\":\"b\"}\"\\ud800\"", 9).1.repaired());
    assert!(both(&trie, b"{\"\xFF\":1}", 9).1.repaired());
}

#[test]
fn depth_costs_a_bit_a_level() {
    let n = 1_000_000;
    let trie = paths(&["a.b", "c[].d"]).trie;
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let deep = format!("{}1{}", open.repeat(n), close.repeat(n));
        for line in [format!("{{\"x\":{deep}}}"), format!("{{\"a\":{deep},\"c\":[{deep}]}}")] {
            let (item, _) = both(&trie, line.as_bytes(), 9);
            assert_eq!(item, Ok(Item::Record { end: line.len() }));
            let cut = &line.as_bytes()[..line.len() - 1];
            assert_eq!(both(&trie, cut, 9).0, Err(Malformed { at: cut.len() }));
        }
    }
    let mixed = format!("[{}", "[{\"a\":[".repeat(50)) + &"]}]".repeat(49) + "]}" + "}";
    assert!(both(&trie, mixed.as_bytes(), 9).0.is_err());
}

#[test]
fn paths_meet_at_one_site() {
    let mut builder = TrieBuilder::new();
    let site = builder.add(&path("a[].b"));
    assert_eq!(builder.add(&path("a[].b")), site);
    assert_eq!(builder.each(&path("a[]")), site.each);
    assert_ne!(builder.add(&path("a[].c")), site);
    assert_eq!(builder.each(&path("a")), 0);
    assert_eq!(builder.add(&[]).each, 0);
    let slots: Vec<u16> = (0..40_000).map(|i| builder.add(&[Step::Key(format!("k{i}").into())]).slot).collect();
    assert_eq!(slots[39_999], u16::MAX);
    let trie = builder.build();
    let (_, frames) = both(&trie, br#"{"k0":5,"k39999":1}"#, 9);
    assert_eq!(frames.slot(0, slots[0]).kind, Kind::Number);
    assert_eq!(frames.slot(0, slots[39_999]).kind, Kind::Absent);
}

#[test]
fn nothing_of_a_record_shows_in_the_next() {
    let list = paths(&["a.b", "c[].d"]);
    let (mut scanner, mut frames) = (Scanner::new(), Frames::new(9));
    let mut read = |line: &str| {
        let item = scanner.next(&list.trie, line.as_bytes(), 0, &mut frames);
        let (ab, cd) = (list.sites[0].1, list.sites[1].1);
        let kinds: Vec<Kind> = frames.frames(cd.each, 0).map(|frame| frames.slot(frame, cd.slot).kind).collect();
        (item.is_ok(), frames.slot(0, ab.slot).kind, kinds)
    };
    let full = r#"{"a":{"b":1},"c":[{"d":"x"},{"d":null}]}"#;
    assert_eq!(read(full), (true, Kind::Number, vec![Kind::Str, Kind::Null]));
    assert_eq!(read(r#"{"c":[{},{},{"d":[]}]}"#), (true, Kind::Absent, vec![Kind::Absent, Kind::Absent, Kind::Array]));
    assert_eq!(read(full), (true, Kind::Number, vec![Kind::Str, Kind::Null]));
    assert_eq!(read(r#"{"a":{"b":1},"c":[{"d":1}"#), (false, Kind::Absent, vec![]));
    assert_eq!(read(full).2.len(), 2);
    assert_eq!(read("[1]"), (true, Kind::Absent, vec![]));
}
