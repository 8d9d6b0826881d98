//! A scanner that has read other records before finds the same as a new one: what it expects is only a guess.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::reference::{PATHS, record};
use super::{Paths, dump, paths};
use crate::scan::*;

/// Reads the lines with one scanner, each with a trie of its own choice, and compares with new scanners.
fn check(tries: &[&Trie], lines: &[(usize, Vec<u8>)]) {
    let (mut scanner, mut frames) = (Scanner::new(), Frames::new(50));
    for (which, line) in lines {
        let trie = tries[which % tries.len()];
        let item = scanner.next(trie, line, 0, &mut frames);
        let (mut cold, mut expected) = (Scanner::new(), Frames::new(50));
        assert_eq!(item, cold.next(trie, line, 0, &mut expected));
        assert_eq!(dump(trie, &frames), dump(trie, &expected), "{}", line.escape_ascii());
    }
}

fn all(lines: &[&str]) -> Vec<(usize, Vec<u8>)> {
    let twice = lines.iter().chain(lines).chain(lines.iter().rev());
    twice.map(|line| (0, line.as_bytes().to_vec())).collect()
}

#[test]
fn keys_that_are_almost_what_is_expected() {
    let Paths { trie, .. } =
        paths(&["type", "message.id", "a_key_of_more_than_sixteen.x", "a_key_of_more_than_twenty_four", "q\"q"]);
    let lines = [
        r#"{"type":1,"message":{"id":2,"x":3},"a_key_of_more_than_sixteen":{"x":1},"a_key_of_more_than_twenty_four":4}"#,
        r#"{"type" :1,"message":{"ie":2,"x":3},"a_key_of_more_than_sixteeN":{"x":1},"a_key_of_MORE_than_twenty_four":4}"#,
        r#"{"type":1,"unused":2,"message":{"x":3,"id":2}}"#,
        r#"{"type":1,"unusee":2,"message":{"x":3,"id":2}}"#,
        r#"{"type":1,"unuse\u0064":2,"m\u0065ssage":{"x":3,"id":2},"q\"q":1}"#,
        r#"{"q\"q":1,"q\"r":2}"#,
        r#"{"type":1"#,
        r#"{"type":"#,
        r#"{"type""#,
        r#"{"type":1,"message":{"id"}}"#,
        r#"{"":1,"":2}"#,
        r#"{"message":{"type":1},"type":{"id":1}}"#,
    ];
    check(&[&trie], &all(&lines));
}

#[test]
fn damage_is_noted_each_time() {
    let Paths { trie, .. } = paths(&["a"]);
    let (mut scanner, mut frames) = (Scanner::new(), Frames::new(9));
    for _ in 0..3 {
        for line in [&b"{\"b\xFF\":1,\"a\":2}"[..], b"{\"b\\ud800\":1,\"a\":2}", b"{\"\xED\xA0\x80\":1}"] {
            assert!(scanner.next(&trie, line, 0, &mut frames).is_ok());
            assert!(frames.repaired());
        }
    }
}

#[test]
fn one_scanner_may_read_with_several_tries() {
    let (one, two) = (paths(&["a", "b.c", "d"]), paths(&["x", "a.b", "b"]));
    let line = br#"{"a":{"b":1},"b":{"c":2},"x":3,"d":4}"#.to_vec();
    let lines: Vec<_> = (0..6).map(|which| (which, line.clone())).collect();
    check(&[&one.trie, &two.trie], &lines);
}

/// Keys that no path uses share few places: where one is expected, another object's key may stand in its place by now,
/// which here is used. Of so many names some share the place of `n.b`.
#[test]
fn a_key_of_another_object_in_the_place_of_an_expected_one() {
    let Paths { trie, .. } = paths(&["a", "b", "n.c"]);
    for name in 0..1000 {
        let expects = format!(r#"{{"a":1,"key{name}":1,"z":"0123456789abcdef"}}"#);
        check(
            &[&trie],
            &all(&[
                &expects,
                r#"{"n":{"c":1,"b":1,"z":"0123456789abcdef"}}"#,
                r#"{"a":1,"b":1,"z":"0123456789abcdef"}"#,
            ]),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_records(
        lines in proptest::collection::vec(record(), 1..8),
        order in proptest::collection::vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>(), any::<u8>()), 1..30),
    ) {
        let Paths { trie, .. } = paths(&PATHS);
        let lines: Vec<_> = order.iter().map(|(which, at, byte)| {
            let mut line = String::clone(which.get(&lines)).into_bytes();
            // Some are damaged.
            if *byte < 60 {
                let at = at.index(line.len());
                line[at] = b"\"\\:,{}x\xFF"[usize::from(*byte) % 8];
            }
            (0, line)
        }).collect();
        check(&[&trie], &lines);
    }
}
