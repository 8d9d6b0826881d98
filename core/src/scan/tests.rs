//! Tests of the scanner: tables here, the reference over `serde_json` beside.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

use super::*;

mod lines;
mod reference;
mod warm;

/// `a.b[].c{}` as steps; a lone `[]` or `{}` is the value's own elements.
pub(super) fn path(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in text.split('.').filter(|part| !part.is_empty()) {
        let mut iterations = Vec::new();
        let mut key = part;
        loop {
            if let Some(rest) = key.strip_suffix("[]") {
                iterations.push(Step::Each);
                key = rest;
            } else if let Some(rest) = key.strip_suffix("{}") {
                iterations.push(Step::Entries);
                key = rest;
            } else {
                break;
            }
        }
        if !key.is_empty() {
            steps.push(Step::Key(key.into()));
        }
        steps.extend(iterations.into_iter().rev());
    }
    steps
}

/// A trie of some paths, and how to ask for them.
struct Paths {
    trie: Trie,
    sites: Vec<(String, Site)>,
}

fn paths(list: &[&str]) -> Paths {
    let mut builder = TrieBuilder::new();
    let sites = list.iter().map(|text| (text.to_string(), builder.add(&path(text)))).collect();
    Paths { trie: builder.build(), sites }
}

/// Reads the first value of a line in every way that the machine has, which have to agree, and tells what is in the frames.
fn both(trie: &Trie, line: &[u8], limit: u32) -> (Result<Item, Malformed>, Frames) {
    let mut results = Vec::new();
    for way in Way::all() {
        let (mut scanner, mut frames) = (Scanner::with(way), Frames::new(limit));
        let item = scanner.next(trie, line, 0, &mut frames);
        results.push((item, frames));
    }
    let (item, frames) = results.remove(0);
    for (other, others) in results {
        assert_eq!(item, other);
        assert_eq!(dump(trie, &frames), dump(trie, &others));
    }
    // A line among others is read as it is alone.
    if line.first() == Some(&b'{') && !line.contains(&b'\n') {
        let lines = [line, b"\n{\"a\":\"\\u0000\xFF\"}\n"].concat();
        let (mut scanner, mut among) = (Scanner::new(), Frames::new(limit));
        let end = scanner.first(trie, &lines, &mut among);
        assert_eq!(end.map(|end| Item::Record { end }), item);
        assert_eq!(dump(trie, &frames), dump(trie, &among));
    }
    (item, frames)
}

/// Everything in the frames, for comparing.
fn dump(trie: &Trie, frames: &Frames) -> String {
    let mut out = format!("{} {}", frames.repaired(), frames.dropped());
    for frame in 0..frames.count() {
        let slots = trie.iteration(frames.each_of(frame)).slots;
        let slots: Vec<Slot> = (0..slots).map(|slot| frames.slot(frame, slot)).collect();
        out += &format!("\n{frame} in {} {:?} {slots:?}", frames.parent(frame), frames.key(frame));
    }
    out
}

/// All values of the paths in all frames, in order: `path=value` (as JSON), absent ones left out.
fn found(paths: &Paths, line: &str) -> Vec<String> {
    found_of(paths, line, 100)
}

fn found_of(paths: &Paths, line: &str, limit: u32) -> Vec<String> {
    let (item, frames) = both(&paths.trie, line.as_bytes(), limit);
    assert!(matches!(item, Ok(Item::Record { .. })), "{item:?}");
    let mut out = Vec::new();
    let mut todo = vec![0];
    while let Some(frame) = todo.pop() {
        for (name, site) in &paths.sites {
            let slot = frames.slot(frame, site.slot);
            if site.each == frames.each_of(frame) && slot.kind != Kind::Absent {
                let key = frames.key(frame).of(line.as_bytes());
                let key = if key.is_empty() { String::new() } else { format!("@{}", String::from_utf8_lossy(key)) };
                out.push(format!("{name}{key}={}", String::from_utf8_lossy(slot.json(line.as_bytes()))));
            }
        }
        let mut children: Vec<u32> = (1..paths.trie.iterations()).flat_map(|each| frames.frames(each, frame)).collect();
        children.sort_unstable_by(|a, b| b.cmp(a));
        todo.extend(children);
    }
    out
}

#[track_caller]
fn check(list: &[&str], line: &str, expected: &[&str]) {
    assert_eq!(found(&paths(list), line), expected);
}

#[test]
fn values_of_every_kind() {
    let line = r#" { "s" : "x" , "e" : "\n" , "n" : -1.5e+3 , "t":true,"f":false,"z":null,"a":[1,[2]],"o":{"x":{}},"empty":"" } "#;
    check(
        &["s", "e", "n", "t", "f", "z", "a", "o", "empty", "none"],
        line,
        &[
            r#"s="x""#,
            r#"e="\n""#,
            "n=-1.5e+3",
            "t=true",
            "f=false",
            "z=null",
            "a=[1,[2]]",
            r#"o={"x":{}}"#,
            r#"empty="""#,
        ],
    );
    check(&[""], "  {\"a\":1}  ", &["={\"a\":1}"]);
    check(&["a", "ab", "abc"], r#"{"abc":3,"ab":2,"a":1}"#, &["a=1", "ab=2", "abc=3"]);
}

#[test]
fn deep_paths_whatever_the_order_and_kind() {
    let list = ["type", "a.b.c", "a.b", "a.x"];
    check(
        &list,
        r#"{"a":{"x":1,"b":{"c":[],"d":0}},"type":"t"}"#,
        &[r#"type="t""#, "a.b.c=[]", r#"a.b={"c":[],"d":0}"#, "a.x=1"],
    );
    check(&list, r#"{"type":"t","a":[{"b":1}]}"#, &[r#"type="t""#]);
    check(&list, r#"{"b":{"c":1},"c":1,"x":1}"#, &[]);
    check(&list, r#"{"z":{"a":{"x":1},"type":1},"a":{"z":{"x":1}}}"#, &[]);
    check(&["a.b"], r#"{"a":{"b":1}"#.replace('1', "{}}").as_str(), &["a.b={}"]);
}

#[test]
fn keys_are_compared_decoded_and_in_full() {
    check(&["type"], r#"{"ty\u0070e":1}"#, &["type=1"]);
    check(&["a\"b"], r#"{"a\"b":1}"#, &["a\"b=1"]);
    check(&["é"], r#"{"\u00e9":1}"#, &["é=1"]);
    check(&["é"], r#"{"é":2}"#, &["é=2"]);
    let long = [
        "cache_creation_input_tokens",
        "cache_creation_input_tokenz",
        "cache_creation_xnput_tokens",
        "12345678",
        "123456789",
    ];
    for key in long {
        check(&long, &format!("{{\"{key}\":1}}"), &[&format!("{key}=1")]);
    }
    check(&long, r#"{"cache_creation_inpux_tokens":1,"1234567":1,"12345679":1,"123456780":1,"":1}"#, &[]);
    check(&["a"], "{\"\":{},\"\\u0000\":1,\"a\\u0000\":1,\"aa\":1,\"A\":1}", &[]);
}

#[test]
fn elements_and_entries_have_frames() {
    let list = ["list[].a", "list[]", "map{}.n"];
    check(
        &list,
        r#"{"list":[{"a":1},2,{"b":0}],"map":{"x":{"n":1},"y":{"n":2}}}"#,
        &["list[].a=1", r#"list[]={"a":1}"#, "list[]=2", r#"list[]={"b":0}"#, "map{}.n@x=1", "map{}.n@y=2"],
    );
    check(&list, r#"{"list":{"a":1},"map":[1]}"#, &[]);
    check(&list, r#"{"list":[],"map":{}}"#, &[]);
    check(&["[].a", "{}"], r#"{"k":3}"#, &["{}@k=3"]);
}

#[test]
fn iterations_inside_iterations_know_their_parents() {
    let list = ["a[].b[].c", "a[].n"];
    let line = r#"{"a":[{"b":[{"c":1},{"c":2}],"n":"x"},{"b":[]},{"n":"y","b":[{"c":3}]}]}"#;
    check(&list, line, &[r#"a[].n="x""#, "a[].b[].c=1", "a[].b[].c=2", r#"a[].n="y""#, "a[].b[].c=3"]);
    let matrix = paths(&["m[][]", "m[]"]);
    assert_eq!(
        found(&matrix, r#"{"m":[[1,2],[],[3]]}"#),
        ["m[]=[1,2]", "m[][]=1", "m[][]=2", "m[]=[]", "m[]=[3]", "m[][]=3"]
    );
    let (_, frames) = both(&matrix.trie, br#"{"m":[[1,2],[3]]}"#, 100);
    let (outer, inner) = (matrix.sites[1].1.each, matrix.sites[0].1.each);
    let rows: Vec<u32> = frames.frames(outer, 0).collect();
    assert_eq!(rows, [1, 4]);
    assert_eq!(frames.frames(inner, 1).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(frames.frames(inner, 4).map(|frame| frames.parent(frame)).collect::<Vec<_>>(), [4]);
    assert_eq!(frames.frames(inner, 0).count() + frames.frames(inner, 99).count(), 0);
}

#[test]
fn a_value_may_be_an_entry_and_a_key_of_its_own() {
    let list = ["m.k.x", "m{}.y", "m{}", "m.k.l[]"];
    let line = r#"{"m":{"a":{"x":1,"y":2},"k":{"x":3,"y":4,"l":[5,6]},"b":7},"z":0}"#;
    let expected = [
        "m.k.x=3",
        "m{}.y@a=2",
        r#"m{}@a={"x":1,"y":2}"#,
        "m{}.y@k=4",
        r#"m{}@k={"x":3,"y":4,"l":[5,6]}"#,
        "m.k.l[]=5",
        "m.k.l[]=6",
        "m{}@b=7",
    ];
    check(&list, line, &expected);
    check(&["m.k", "m{}"], r#"{"m":{"k":"s","j":"t"}}"#, &[r#"m.k="s""#, r#"m{}@k="s""#, r#"m{}@j="t""#]);
}

#[test]
fn the_last_of_equal_keys_wins_and_the_others_are_forgotten() {
    check(&["a"], r#"{"a":1,"a":2}"#, &["a=2"]);
    check(&["a.b", "a.c", "a"], r#"{"a":{"b":1,"c":2},"\u0061":{"c":3}}"#, &["a.c=3", r#"a={"c":3}"#]);
    check(&["a.b.c", "a.b.d[]"], r#"{"a":{"b":{"c":1,"d":[1]}},"a":[]}"#, &[]);
    check(&["a.b.c", "a.b.d[]"], r#"{"a":{"b":{"c":1,"d":[1]}},"a":"x","a":{"b":{}}}"#, &[]);
    check(&["a[].x", "b[].x"], r#"{"a":[{"x":1},{"x":2}],"a":[{"x":3}],"b":[{"x":4}]}"#, &["a[].x=3", "b[].x=4"]);
    check(&["a[].x", "b[].x"], r#"{"a":[{"x":1},{"x":2}],"b":[{"x":4}],"a":[{"x":3}]}"#, &["b[].x=4", "a[].x=3"]);
    check(&["a[].x", "b[].x"], r#"{"a":[{"x":1}],"b":[{"x":4}],"a":null,"a":[]}"#, &["b[].x=4"]);
    check(&["a{}"], r#"{"a":{"k":1,"j":2,"\u006b":3}}"#, &["a{}@j=2", r"a{}@\u006b=3"]);
    check(&["a[].b"], r#"{"a":[{"b":1,"b":2},{"b":3}]}"#, &["a[].b=2", "a[].b=3"]);
    check(&["a[].b[].c"], r#"{"a":[{"b":[{"c":1}],"b":[{"c":2}]},{"b":[{"c":3}]}]}"#, &["a[].b[].c=2", "a[].b[].c=3"]);
    check(&["a.k", "a{}"], r#"{"a":{"k":1,"k":2}}"#, &["a.k=2", "a{}@k=2"]);
    // A node's frames are forgotten once, however it was given in between.
    check(&["a.b[]", "c[]"], r#"{"a":{"b":[1]},"c":[2],"a":{"b":3},"a":{"b":4},"c":[5]}"#, &["c[]=5"]);
}

#[test]
fn elements_over_the_limit_are_checked_and_counted() {
    let list = paths(&["a[]", "b[].c"]);
    let line = r#"{"a":[1,2,3,4],"b":[{"c":5}]}"#;
    assert_eq!(found_of(&list, line, 2), ["a[]=1", "a[]=2"]);
    assert_eq!(both(&list.trie, line.as_bytes(), 2).1.dropped(), 3);
    assert_eq!(both(&list.trie, line.as_bytes(), 5).1.dropped(), 0);
    assert_eq!(both(&list.trie, br#"{"a":[1,2,3,04]}"#, 2).0, Err(Malformed { at: 13 }));
    // Room of forgotten elements is free again.
    assert_eq!(found_of(&list, r#"{"a":[1,2],"a":[3,4]}"#, 2), ["a[]=3", "a[]=4"]);
}
