//! Tests of the framer: every table row at several chunkings.

use super::*;
use alloc::string::{String, ToString};
use alloc::vec;
use proptest::prelude::*;

const LIMIT: usize = 8;
const PREVIEW: usize = 3;

/// Number, text, and the size of those over the limit.
type Lines = Vec<(u64, String, Option<u64>)>;

fn take(framer: &mut Framer, lines: &mut Lines) {
    while framer.next_line() {
        let line = *framer.line();
        let text = String::from_utf8_lossy(framer.line_bytes()).into_owned();
        assert!(line.oversize || line.size == line.span().len() as u64);
        lines.push((line.number, text, line.oversize.then_some(line.size)));
    }
}

/// The lines of `bytes` cut into chunks of the sizes given (over and over), then all counters.
fn cut(framing: Framing, bytes: &[u8], sizes: &[usize]) -> (Lines, u64, u64) {
    let mut framer = Framer::new(framing, LIMIT, PREVIEW);
    let mut lines = Lines::new();
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        let (chunk, behind) = rest.split_at((*size).min(rest.len()));
        if size % 2 == 0 {
            framer.push(chunk);
        } else {
            framer.space(chunk.len())[..chunk.len()].copy_from_slice(chunk);
            framer.filled(chunk.len());
        }
        take(&mut framer, &mut lines);
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    framer.eof();
    take(&mut framer, &mut lines);
    assert!(!framer.next_line());
    (lines, framer.bytes(), framer.lines())
}

fn check(bytes: &[u8], expected: &[(u64, &str, Option<u64>)], lines: u64) {
    let expected: Lines = expected.iter().map(|(n, text, over)| (*n, text.to_string(), *over)).collect();
    for sizes in [&[1000][..], &[1], &[2], &[3, 1], &[7, 2]] {
        let got = cut(Framing::Lines, bytes, sizes);
        assert_eq!(got, (expected.clone(), bytes.len() as u64, lines), "{sizes:?}");
    }
}

#[test]
fn lines_end_at_lf_and_one_cr_is_dropped() {
    check(b"a\nb\r\nc\r\r\n\n", &[(1, "a", None), (2, "b", None), (3, "c\r", None), (4, "", None)], 4);
    check(b"a\rb\x0b\x0c\n", &[(1, "a\rb\x0b\x0c", None)], 1);
    check("a\u{2028}b\u{85}\n".as_bytes(), &[(1, "a\u{2028}b\u{85}", None)], 1);
}

#[test]
fn a_last_line_without_lf_counts() {
    check(b"a\nb", &[(1, "a", None), (2, "b", None)], 2);
    check(b"", &[], 0);
    check(b"a\n", &[(1, "a", None)], 1);
    check(b"\r", &[(1, "\r", None)], 1);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    check(b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n", &[(1, "a", None), (2, "\u{FEFF}b", None)], 2);
    check(b"\xEF\xBB\xBF", &[(1, "", None)], 1);
    check(b"\xEF\xBB", &[(1, "\u{FFFD}", None)], 1);
    check(b"\xEF\nb", &[(1, "\u{FFFD}", None), (2, "b", None)], 2);
    check(b"\xEF\xBB\xBF\n\xEF", &[(1, "", None), (2, "\u{FFFD}", None)], 2);
}

#[test]
fn a_line_over_the_limit_is_told_once_with_its_first_bytes() {
    check(b"12345678\n", &[(1, "12345678", None)], 1);
    check(b"12345678\r\n", &[(1, "12345678", None)], 1);
    check(b"123456789\nb\n", &[(1, "123", Some(9)), (2, "b", None)], 2);
    check(b"12345678\r", &[(1, "123", Some(9))], 1);
    check(b"12\r456789abcdefghijklmnopqrst\nb", &[(1, "12\r", Some(29)), (2, "b", None)], 2);
    check(b"12345678\r\r\n", &[(1, "123", Some(9))], 1);
    check(b"1234567890123456789", &[(1, "123", Some(19))], 1);
}

#[test]
fn a_document_is_one_line() {
    for sizes in [&[1000][..], &[1], &[2], &[3, 1]] {
        let document = |bytes: &[u8]| cut(Framing::Document, bytes, sizes);
        let one = |text: &str, over: Option<u64>| vec![(1, text.to_string(), over)];
        assert_eq!(document(b"{\n1\r\n}"), (one("{\n1\r\n}", None), 6, 3));
        assert_eq!(document(b"\xEF\xBB\xBF{}\n"), (one("{}\n", None), 6, 1));
        assert_eq!(document(b"1\n3\n5\n7\n9\n1"), (one("1\n3", Some(11)), 11, 6));
        assert_eq!(document(b"1\n3\n5\n7\n9\n"), (one("1\n3", Some(10)), 10, 5));
        assert_eq!(document(b"").0, vec![]);
    }
}

#[test]
fn nothing_kept_is_nothing_shown() {
    let mut framer = Framer::new(Framing::Lines, 4, 0);
    framer.push(b"0123456789");
    assert!(!framer.next_line());
    framer.eof();
    assert!(framer.next_line());
    assert_eq!(*framer.line(), Line { start: 0, end: 0, number: 1, oversize: true, size: 10 });
    assert!(!framer.next_line());
}

#[test]
fn memory_is_bounded_and_given_back() {
    let limit = 16 << 20;
    let mut framer = Framer::new(Framing::Lines, limit, 256);
    let chunk = [b'x'; 4096];
    for _ in 0..4 * limit / chunk.len() {
        framer.push(&chunk);
        assert!(!framer.next_line());
        assert!(framer.source.room() <= limit + 2 * chunk.len());
    }
    framer.push(b"\na\n");
    assert!(framer.next_line() && framer.line().oversize);
    assert_eq!(framer.line_bytes(), [b'x'; 256]);
    assert!(framer.next_line() && !framer.line().oversize);
    framer.push(b"b\n");
    assert!(framer.next_line());
    assert_eq!(framer.line().number, 3);
    assert!(framer.source.room() <= source::KEEP);
    assert_eq!(framer.bytes(), 4 * limit as u64 + 5);
}

#[test]
fn a_line_stays_readable_until_more_comes() {
    let mut framer = Framer::new(Framing::Lines, 100, 10);
    framer.push(b"one\ntwo\nthree");
    let lines: Vec<_> = core::iter::from_fn(|| framer.next_line().then(|| framer.line_bytes().to_vec())).collect();
    assert_eq!(lines, [b"one", b"two"]);
    assert_eq!(framer.line_bytes(), b"two");
}

proptest! {
    #[test]
    fn chunks_change_nothing(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), Just(0xEF), Just(0xBB), Just(0xBF)], 0..60),
        sizes in proptest::collection::vec(1_usize..12, 1..6),
    ) {
        for framing in [Framing::Lines, Framing::Document] {
            prop_assert_eq!(cut(framing, &bytes, &sizes), cut(framing, &bytes, &[1000]));
        }
    }
}
