//! What goes wrong in real streams, mixed into a clean one.

use super::rng::Rng;

/// The stream with about two lines in a hundred damaged: lines cut short, noise of other programs, blank lines, CRLF, a
/// byte that is not UTF-8, a byte order mark first and no line end last.
#[must_use]
pub fn dirty(clean: &[u8]) -> Vec<u8> {
    let mut rng = Rng::new(10);
    let mut out = Vec::with_capacity(clean.len() + clean.len() / 64);
    out.extend_from_slice(b"\xef\xbb\xbf");
    for (number, line) in clean.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        match rng.unit() {
            _ if number == 0 => out.extend_from_slice(line),
            x if x < 0.004 => {
                let kept = rng.within(1..=body.len().saturating_sub(2).max(1));
                out.extend_from_slice(&body[..kept.min(body.len())]);
                out.push(b'\n');
            }
            x if x < 0.009 => {
                out.extend_from_slice(rng.pick(NOISE));
                out.push(b'\n');
                out.extend_from_slice(line);
            }
            x if x < 0.013 => {
                out.extend_from_slice(if rng.chance(0.5) { b"\n" } else { b"  \r\n" });
                out.extend_from_slice(line);
            }
            x if x < 0.018 => {
                out.extend_from_slice(body);
                out.extend_from_slice(b"\r\n");
            }
            x if x < 0.020 => {
                let key = memchr::memmem::find(line, br#""text":""#).map_or(0, |at| at + 8);
                out.extend_from_slice(&line[..key]);
                if key > 0 {
                    out.push(0xff);
                }
                out.extend_from_slice(&line[key..]);
            }
            _ => out.extend_from_slice(line),
        }
    }
    if out.last() == Some(&b'\n') {
        out.pop();
    }
    out
}

const NOISE: &[&[u8]] = &[
    b"Reading settings from /home/user/.agent/settings.json",
    b"warn: flag --bar will go away in the next release",
    b"(node:1717) [DEP0040] DeprecationWarning: the `punycode` module is deprecated",
    b"\x1b[31mconnection lost, trying again\x1b[0m",
    b"^C",
    b"Terminated",
    b"[trace] handler took 88us {depth: 3}",
    b"null",
    b"17",
    b"[]",
    b"\"nothing but a string\"",
    b"{}",
    b"{\"kind\":0}",
    b"{\"type\":\"some.later.type\",\"data\":{\"list\":[3,4,{\"k\":\"v\"}]}}",
];
