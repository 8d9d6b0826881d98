//! Tests of texts: what they read as, in every form, however they are read.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use alloc::{borrow::Cow, format, vec};
use core::convert::Infallible;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::raw;
use super::{Form, Json, Text, decode};
use crate::scan::{Kind, Way, by};

/// Reads a text in every way there is; all have to agree.
fn read(bytes: &[u8], form: Form) -> String {
    let text = Text::borrowed(bytes, form);
    let read = text.decode().into_owned();
    let mut appended = String::from("before");
    text.decode_into(&mut appended);
    assert_eq!(appended, format!("before{read}"));
    assert_eq!(text.to_string(), read);
    assert_eq!(format!("{text:?}"), format!("{read:?}"));
    assert!(text == *read && text == read.as_str() && text != *format!("{read}x"));
    assert_eq!(text.is_empty(), read.is_empty());
    assert_eq!(text.is_blank(), read.trim().is_empty());
    assert_eq!(serde_json::to_value(&text).unwrap(), json!(read));
    assert_eq!(serde_json::to_string(&text).unwrap(), serde_json::to_string(&read).unwrap());
    let mut written = b"before".to_vec();
    text.write_json(&mut written);
    assert_eq!(serde_json::from_slice::<Value>(&written[6..]).unwrap(), json!(read));
    let around: Arc<[u8]> = [b"\"\\", bytes, b"\\u"].concat().into();
    let owned = Text::shared(around, 2..2 + bytes.len(), form);
    assert_eq!(owned.bytes(), bytes);
    assert!(owned == text && owned.clone().into_owned().decode() == read && text.clone().into_owned() == text);
    assert_eq!(owned.form(), form);
    read
}

fn escaped(body: &str) -> String {
    read(body.as_bytes(), Form::Escaped)
}

fn of_json(json: &str) -> String {
    read(json.as_bytes(), Form::Json)
}

#[test]
fn plain_text_reads_as_it_stands() {
    assert_eq!(read(b"", Form::Plain), "");
    assert_eq!(read("aé\\n\"\u{1}\n😀".as_bytes(), Form::Plain), "aé\\n\"\u{1}\n😀");
    assert_eq!(read(b"a\xFFb\xE2\x82c\xE2\x82", Form::Plain), "a\u{FFFD}b\u{FFFD}c\u{FFFD}");
    assert!(matches!(Text::from("plain").decode(), Cow::Borrowed("plain")));
    assert_eq!(Text::default().decode(), "");
    assert_eq!(Text::from(String::from("owned")), *"owned");
}

#[test]
fn escapes_are_decoded() {
    assert_eq!(escaped(r#"a\"\\\/\b\f\n\r\t"#), "a\"\\/\u{8}\u{C}\n\r\t");
    assert_eq!(escaped(r"\u0041\u00e9\u20ac\ud83d\ude00\u0000"), "Aé€😀\0");
    assert_eq!(escaped(r"\ud83d \ude00\ud83d"), "\u{FFFD} \u{FFFD}\u{FFFD}");
    assert_eq!(escaped(r"\\ud83d"), r"\ud83d");
    assert_eq!(escaped(r"\\\ud83d"), "\\\u{FFFD}");
}

#[test]
fn what_no_line_can_hold_does_not_panic() {
    for body in ["\\", "a\\", r"\u", r"\u12", r"\x", r"\ud83d\u", r"\ud83d\", "\"", "\n"] {
        let text = Text::borrowed(body.as_bytes(), Form::Escaped);
        let _ = (text.decode(), text.is_blank(), text.to_string());
    }
    for json in ["", "{", "[", "\"a", "[\"a\",", "{\"text\":", "{\"text\":\"a", "[{\"text\":1", "nul", "]", "{\"a\" 1}"]
    {
        let text = Text::borrowed(json.as_bytes(), Form::Json);
        let _ = (text.decode(), text.is_blank(), text.is_empty());
        let json = Json::borrowed(json.as_bytes());
        let _ = (json.as_str(), json.to_value(), serde_json::to_string(&json));
    }
    let short: Arc<[u8]> = Arc::from(&b"abc"[..]);
    assert_eq!(Text::shared(short, 2..9, Form::Plain).decode(), "");
}

#[test]
fn blank_is_white_space_only() {
    for blank in ["", " ", r"\n\t \r", r"\u0020", r"\u00a0\u2003", "\u{a0}", "\u{2028}"] {
        assert!(Text::borrowed(blank.as_bytes(), Form::Escaped).is_blank(), "{blank}");
    }
    for dark in ["a", r" \n\t.", r"\\", r#"\""#, r"\u0041", "é", r"\n\u200b", r"\u0000"] {
        assert!(!Text::borrowed(dark.as_bytes(), Form::Escaped).is_blank(), "{dark}");
    }
    assert!(Text::borrowed(b"[\" \",{\"text\":\"\\n\"}]", Form::Json).is_blank());
    assert!(!Text::borrowed(b"\\n", Form::Plain).is_blank());
}

#[test]
fn a_list_of_blocks_reads_as_their_texts() {
    assert_eq!(
        of_json(r#" [ "a" , {"type":"text","text":"b\n"} , {"type":"image"}, 3, null, ["x"], {"text":4} , "c" ] "#),
        "ab\nc"
    );
    assert_eq!(of_json(r#"[{"text":"a","te\u0078t":"b"}]"#), "b");
    assert_eq!(of_json("[]"), "");
    assert_eq!(of_json("[1]"), "");
}

#[test]
fn other_values_read_as_what_they_say() {
    assert_eq!(of_json(r#""a\tb""#), "a\tb");
    assert_eq!(of_json("null"), "");
    assert_eq!(of_json("true"), "true");
    assert_eq!(of_json("-1.50"), "-1.50");
    assert_eq!(of_json(r#"{"text":"a\\","content":"b"}"#), "a\\");
    assert_eq!(of_json(r#"{"text":null,"content":"b"}"#), "b");
    assert_eq!(of_json(r#"{"content":["a",{"text":"b"}]}"#), "ab");
    assert_eq!(of_json(r#"{"content":{"text":"b"}}"#), r#"{"content":{"text":"b"}}"#);
    assert_eq!(of_json(r#"{"a":"\n"}"#), r#"{"a":"\n"}"#);
    assert_eq!(of_json("{}"), "{}");
}

#[test]
fn damaged_texts_are_repaired() {
    assert_eq!(read(b"\xFF\\n\xE2\x82\\u00e9\xE2\x82", Form::Escaped), "\u{FFFD}\n\u{FFFD}é\u{FFFD}");
    assert_eq!(read(b"[\"\xFF\",\"\\ud800\"]", Form::Json), "\u{FFFD}\u{FFFD}");
    assert_eq!(read(b"{\"a\":\"\xFF\"}", Form::Json), "{\"a\":\"\u{FFFD}\"}");
}

#[test]
fn long_texts_cut_no_character() {
    // Every place of a character of every length against the end of every buffer.
    for pad in 0..10 {
        for char in ["é", "€", "😀", r"\n", r"\u20ac", r"\ud83d\ude00"] {
            let body = format!("{}{}", "a".repeat(pad), char.repeat(3000));
            let expected: Value = serde_json::from_str(&format!("\"{body}\"")).unwrap();
            assert_eq!(Some(&*escaped(&body)), expected.as_str());
        }
    }
    let mut body = b"x\xE2\x82".repeat(3000);
    body.extend_from_slice(b"\\n");
    assert_eq!(read(&body, Form::Escaped), "x\u{FFFD}".repeat(3000) + "\n");
}

#[test]
fn json_is_given_as_it_stands_or_repaired() {
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    for (json, expected) in [
        (&b"{\"a\": [1.50, 1e999]}"[..], "{\"a\": [1.50, 1e999]}"),
        (b"\"\\u001b\\ud83d\\ude00\"", r#""\u001b\ud83d\ude00""#),
        (b"[\"\\ud83d\",\"\\\\ud83d\\ude00x\xFF\"]", "[\"\\ufffd\",\"\\\\ud83d\\ufffdx\u{FFFD}\"]"),
        (deep.as_bytes(), &deep),
    ] {
        let value = Json::borrowed(json);
        assert_eq!(value.as_str(), expected);
        assert_eq!((value.to_string(), format!("{value:?}")), (expected.into(), expected.into()));
        assert_eq!(serde_json::to_string(&value).unwrap(), expected);
        assert_eq!(serde_json::to_string(&vec![Some(&value)]).unwrap(), format!("[{expected}]"));
        let mut out = vec![b'-'];
        value.write_json(&mut out);
        assert_eq!(out, format!("-{expected}").into_bytes());
        let owned = Json::shared(json.into(), 0..json.len());
        assert!(owned == value && value.clone().into_owned() == value && owned != Json::default());
    }
    assert_eq!(Json::borrowed(b" {\"a\":[1]}").to_value().unwrap(), json!({"a": [1]}));
    assert!(Json::borrowed(deep.as_bytes()).to_value().is_err());
    assert_eq!(serde_json::to_value(Json::borrowed(b"{\"a\":[1]}")).unwrap(), json!({"a": [1]}));
    assert_eq!(Json::default().to_value().unwrap(), Value::Null);
    assert!(matches!(Json::borrowed(b"\"\\u001b\"").as_str(), Cow::Borrowed(_)));
}

/// A serializer that is not `serde_json`'s (a formatter takes plain values): the value has to come out, not its wrapper.
struct Shown(Json<'static>);

impl core::fmt::Display for Shown {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        serde::Serialize::serialize(&self.0, f)
    }
}

#[test]
fn json_serializes_as_a_value_elsewhere() {
    assert_eq!(Shown(Json::borrowed(b"7")).to_string(), "7");
    assert_eq!(Shown(Json::borrowed(br#""a\u0062""#)).to_string(), "ab");
}

#[test]
fn parts_of_raw_json() {
    let list = br#" [ 1 ,"a\n", {"x":[]} ,null] "#;
    let parts: Vec<_> = raw::elements(list).map(|slot| (slot.kind, slot.of(list))).collect();
    assert_eq!(
        parts,
        [(Kind::Number, &b"1"[..]), (Kind::Escaped, br"a\n"), (Kind::Object, br#"{"x":[]}"#), (Kind::Null, b"null")]
    );
    assert_eq!(raw::elements(b"{}").count() + raw::elements(b"[]").count() + raw::elements(b"").count(), 0);
    let map = br#"{ "a" : 1 , "b":"x","a":true,"\u0063":[2] , "z":{"a":5}}"#;
    let value = |key| raw::field(map, key).map(|slot| slot.json(map));
    assert_eq!(value("a"), Some(&b"true"[..]));
    assert_eq!(value("b"), Some(&br#""x""#[..]));
    assert_eq!(value("c"), Some(&b"[2]"[..]));
    assert_eq!(value("d"), None);
    assert_eq!(raw::entries(map).count(), 5);
    assert_eq!(raw::field(b"[\"a\"]", "a"), None);
}

#[test]
fn deep_values_cost_no_stack() {
    let n = 1_000_000;
    let deep = format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(of_json(&format!("[{deep},\"x\"]")), "x");
    assert_eq!(Json::borrowed(deep.as_bytes()).as_str().len(), 2 * n);
    assert_eq!(serde_json::to_string(&Json::borrowed(deep.as_bytes())).unwrap().len(), 2 * n);
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        "[a-z é€😀]{0,40}".prop_map(String::into_bytes),
        proptest::sample::select(vec![
            r"\n",
            r"\t",
            r#"\""#,
            r"\\",
            r"\/",
            r"\b",
            r"\f",
            r"\r",
            r"\u001b",
            r"\u00e9",
            r"\uFFFF",
            r"\ud83d\ude00",
            r"\ud83d",
            r"\udE00",
            "\\\\u",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        proptest::collection::vec(0x80_u8..=255, 0..4),
    ];
    proptest::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn decoding_is_serde_jsons(body in body()) {
        let text = read(&body, Form::Escaped);
        let line = [b"\"", &body[..], b"\""].concat();
        // serde_json's strings refuse what has to be repaired.
        if let Ok(strict) = serde_json::from_slice::<String>(&line) {
            prop_assert_eq!(&text, &strict);
        }
        let json = Json::borrowed(&line);
        prop_assert_eq!(json.to_value().unwrap(), json!(text));
        prop_assert_eq!(raw::needs_repair(&body), serde_json::from_slice::<String>(&line).is_err());
    }

    #[test]
    fn every_way_decodes_the_same(body in body(), times in 1_usize..20) {
        let body = body.repeat(times);
        let mut texts = Vec::new();
        for way in Way::all() {
            let [mut small, mut large] = [String::new(), String::new()];
            by!(way, bits => {
                let Ok(()) = decode::by_buffers::<_, 128, _>(bits, &body, &mut |piece| { small.push_str(piece); Ok::<_, Infallible>(()) });
                let Ok(()) = decode::by_buffers::<_, 4096, _>(bits, &body, &mut |piece| { large.push_str(piece); Ok::<_, Infallible>(()) });
            });
            texts.extend([small, large]);
        }
        prop_assert!(texts.iter().all(|text| *text == texts[0]));
    }

    #[test]
    fn any_string_survives_writing(text in ".{0,200}") {
        read(text.as_bytes(), Form::Plain);
    }
}
