//! Every line of a stream is accounted for: a slow and obvious count of what a stream is made of.

use crate::conform::diff::Diff;
use crate::conform::input::Input;
use crate::conform::json::{number, text};
use crate::conform::view::is;
use serde_json::Value;
use serde_json::value::RawValue;

/// What a stream of JSON lines is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines, blank ones and a last one without its LF among them.
    pub lines: u64,
    /// Objects, elements of arrays of objects among them.
    pub records: u64,
    /// Lines that are JSON but neither an object nor an array of objects.
    pub non_object: u64,
    /// Lines, or rests of lines after their last record, that are not JSON; those over the limit among them.
    pub malformed_lines: u64,
    /// Lines over the limit.
    pub oversize_lines: u64,
}

/// Checks the envelope's counts against the bytes and the events.
pub(super) fn check(input: &Input, events: &[Value], envelope: &Value, diff: &mut Diff) {
    let stream = &envelope["stream"];
    let counts = count(&input.stdout, input.max_line.unwrap_or(64 << 20));
    diff.eq("stream.bytes", stream["bytes"].clone(), input.stdout.len());
    diff.eq("stream.events", stream["events"].clone(), events.len());
    diff.eq("stream.lines", stream["lines"].clone(), counts.lines);
    diff.eq("stream.records", stream["records"].clone(), counts.records);
    diff.eq("stream.non_object", stream["non_object"].clone(), counts.non_object);
    diff.eq("stream.malformed_lines", stream["malformed_lines"].clone(), counts.malformed_lines);
    diff.eq("stream.oversize_lines", stream["oversize_lines"].clone(), counts.oversize_lines);
    let unmapped: u64 =
        envelope["unmapped_types"].as_object().into_iter().flatten().filter_map(|(_, n)| n.as_u64()).sum();
    diff.eq("sum of unmapped_types", unmapped, stream["unmapped"].clone());
    let raw = |reason: &str| events.iter().filter(|e| is(e, "raw") && text(e, "reason") == reason).count() as u64;
    diff.eq("raw events of malformed lines", raw("malformed") + raw("oversize"), counts.malformed_lines);
    diff.eq("raw events of non-objects", raw("non_object"), counts.non_object);
    for event in events {
        let line = number(event, "line");
        diff.hold(line <= counts.lines as f64 && (line >= 1.0 || counts.lines == 0), || {
            format!("event {} is of line {line} of {}", event["seq"], counts.lines)
        });
    }
}

/// Counts what a stream is made of, line by line, with serde_json.
#[must_use]
pub fn count(stdout: &[u8], max_line: usize) -> Counts {
    let mut counts = Counts::default();
    let body = stdout.strip_suffix(b"\n").unwrap_or(stdout);
    if stdout.is_empty() {
        return counts;
    }
    for (place, line) in body.split(|byte| *byte == b'\n').enumerate() {
        counts.lines += 1;
        let line = if place == 0 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let last = place as u64 == stdout.iter().filter(|byte| **byte == b'\n').count() as u64;
        let line = if last { line } else { line.strip_suffix(b"\r").unwrap_or(line) };
        if line.len() > max_line {
            counts.malformed_lines += 1;
            counts.oversize_lines += 1;
        } else {
            count_line(&without_escapes(line), &mut counts);
        }
    }
    counts
}

fn count_line(line: &[u8], counts: &mut Counts) {
    if line.iter().all(|byte| b" \t\r".contains(byte)) {
        return;
    }
    let text = String::from_utf8_lossy(line);
    if let Ok(value) = serde_json::from_str::<&RawValue>(&text)
        && elements(value).is_none()
    {
        counts.non_object += 1;
        return;
    }
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<&RawValue>();
    loop {
        match values.next().map(|value| value.ok().and_then(elements)) {
            None => return,
            Some(Some(records)) => counts.records += records,
            Some(None) => {
                counts.malformed_lines += 1;
                return;
            }
        }
    }
}

/// How many records a value is: an object is one, an array of objects as many as it has.
fn elements(value: &RawValue) -> Option<u64> {
    if value.get().starts_with('{') {
        return Some(1);
    }
    let elements: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
    (!elements.is_empty() && elements.iter().all(|element| element.get().starts_with('{')))
        .then_some(elements.len() as u64)
}

/// The line without the terminal escape sequences (CSI and OSC) at its ends.
fn without_escapes(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(byte) = line.get(at) {
        let length = if depth == 0 { escape(&line[at..]) } else { None };
        if let Some(length) = length {
            at += length;
            continue;
        }
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        out.push(*byte);
        at += 1;
    }
    out
}

fn escape(bytes: &[u8]) -> Option<usize> {
    match bytes.strip_prefix(b"\x1b")? {
        [b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            Some(2 + end + 1)
        }
        [b']', rest @ ..] => {
            let bell = rest.iter().position(|byte| *byte == 7).map(|end| end + 1);
            let string = rest.windows(2).position(|pair| pair == b"\x1b\\").map(|end| end + 2);
            Some(2 + bell.into_iter().chain(string).min()?)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_the_contract_says() {
        let rows: [(&[u8], [u64; 5]); 12] = [
            (b"", [0, 0, 0, 0, 0]),
            (b"\n \t\r\n", [2, 0, 0, 0, 0]),
            (b"{}", [1, 1, 0, 0, 0]),
            (b"\xEF\xBB\xBF{}\r\n{}\n", [2, 2, 0, 0, 0]),
            (b"{}{\"a\":1}\n", [1, 2, 0, 0, 0]),
            (b"{}x\n", [1, 1, 0, 1, 0]),
            (b"[]\n42\n\"x\"\nnull\n[1]\n", [5, 0, 5, 0, 0]),
            (b"[{},{}]\n", [1, 2, 0, 0, 0]),
            (b"42 {}\n", [1, 0, 0, 1, 0]),
            (b"12345678901234567890\n{\"\":\n", [2, 0, 0, 2, 1]),
            (b"\x1b[32m{}\x1b[0m\n\x1b[0m\n", [2, 1, 0, 0, 0]),
            (b"{\"a\":\"\\ud83d \xff\"}\n", [1, 1, 0, 0, 0]),
        ];
        for (stream, [lines, records, non_object, malformed_lines, oversize_lines]) in rows {
            let want = Counts { lines, records, non_object, malformed_lines, oversize_lines };
            assert_eq!(count(stream, 18), want, "{}", String::from_utf8_lossy(stream));
        }
    }
}
