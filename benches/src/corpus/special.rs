//! Streams that ask one question each: a huge line, a million tiny ones, one ordinary small run.

use super::node::object;
use super::rng::Rng;
use super::words::code;
use super::{append, claude};

/// The size of the line in [`huge_line`], in bytes without its end (a few more, never less).
pub const HUGE_LINE: usize = 16 << 20;

/// A run of claude with one tool result of 16 MiB between its first and its last line.
#[must_use]
pub fn huge_line() -> Vec<u8> {
    around(|rng, lines| {
        let mut content = String::new();
        while tool_result(&content).len() < HUGE_LINE {
            // Escaping makes it longer: closing half of the gap at a time never overshoots by much.
            let missing = (HUGE_LINE - tool_result(&content).len()).div_ceil(2);
            content.push_str(&code(rng, missing..=missing));
        }
        lines.push(tool_result(&content));
    })
}

/// The same amount of the same sort of text as in [`huge_line`], in lines of about a thousand bytes.
#[must_use]
pub fn small_lines() -> Vec<u8> {
    around(|rng, lines| {
        let mut size = 0;
        while size < HUGE_LINE {
            let line = tool_result(&code(rng, 800..=800));
            size += line.len();
            lines.push(line);
        }
    })
}

/// One small run of claude: 14 lines, about 20 kB.
#[must_use]
pub fn run14() -> Vec<u8> {
    let mut rng = Rng::new(21);
    loop {
        let turns = rng.within(4..=6);
        let lines = claude::run(&mut rng, &claude::Shape { turns, deltas: false, big: false });
        let mut bytes = Vec::new();
        append(&mut bytes, &lines);
        if lines.len() == 14 && (18_000..=22_000).contains(&bytes.len()) {
            return bytes;
        }
    }
}

/// `count` short messages of codex, a line of 78 to 87 bytes each.
#[must_use]
pub fn tiny_messages(count: usize) -> Vec<u8> {
    let lines = (0..count).map(|number| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{number}\",\"type\":\"agent_message\",\"text\":\"ok\"}}}}\n"
        )
    });
    lines.collect::<String>().into_bytes()
}

/// `count` records of a type that no profile maps, a line of 15 bytes each.
#[must_use]
pub fn tiny_unmapped(count: usize) -> Vec<u8> {
    b"{\"type\":\"tick\"}\n".repeat(count)
}

fn around(fill: impl FnOnce(&mut Rng, &mut Vec<String>)) -> Vec<u8> {
    let mut rng = Rng::new(6);
    let mut lines = claude::run(&mut rng, &claude::Shape { turns: 2, deltas: false, big: false });
    let last = lines.pop().unwrap_or_default();
    lines.truncate(1);
    fill(&mut rng, &mut lines);
    lines.push(last);
    let mut bytes = Vec::new();
    append(&mut bytes, &lines);
    bytes
}

fn tool_result(content: &str) -> String {
    let block = object! { "tool_use_id": "toolu_01X", "type": "tool_result", "content": content.to_owned() };
    let message = object! { "role": "user", "content": vec![block] };
    object! { "type": "user", "message": message, "session_id": "s" }.to_line()
}
