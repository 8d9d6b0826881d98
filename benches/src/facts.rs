//! The figures that are not ratios to the naive way: chunk sizes, long and tiny lines, what starting costs.

use crate::corpus;
use crate::figures::{median, ratio, seconds, take_turns};
use crate::reader::{CHUNK, Reader, create, run};
use crate::table::number;
use std::error::Error;
use turnline::{Profile, catalogue};

/// The chunk sizes that are compared, with their names; 0 is the whole stream at once.
pub const CHUNKS: [(&str, usize); 5] = [("1 B", 1), ("64 B", 64), ("4 KiB", 4 << 10), ("64 KiB", CHUNK), ("whole", 0)];

/// How many lines the streams of tiny lines have.
pub const TINY_LINES: usize = 1_000_000;

/// Takes all of them, in turns where two are compared.
///
/// # Errors
///
/// When a built-in profile cannot be had.
pub fn measure(rounds: usize) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let claude = Profile::builtin("claude-code")?;
    let codex = Profile::builtin("codex")?;
    let mut facts = chunk_sizes(rounds, &claude);
    facts.extend(line_lengths(rounds, &claude));
    for (name, stream) in
        [("messages", corpus::tiny_messages(TINY_LINES)), ("unmapped records", corpus::tiny_unmapped(TINY_LINES))]
    {
        let time = median((0..rounds).map(|_| seconds(1, || read(&stream, CHUNK, &codex))));
        let cost = format!("{} ns a line, {} MB/s", number(time * 1e9 / TINY_LINES as f64), rate(stream.len(), time));
        facts.push((format!("{TINY_LINES} tiny {name}, lazy"), cost));
    }
    facts.extend(starting(rounds, &claude)?);
    Ok(facts)
}

fn chunk_sizes(rounds: usize, profile: &Profile) -> Vec<(String, String)> {
    let stream = corpus::claude(20_000_000);
    let mut works = CHUNKS.map(|(_, size)| {
        let stream = &stream;
        move || read(stream, if size == 0 { stream.len() } else { size }, profile)
    });
    let times = take_turns(rounds, &mut works.each_mut().map(|work| work as &mut dyn FnMut()));
    let usual = &times[3];
    let row = |((name, _), times): (&(&str, usize), &Vec<f64>)| {
        let rate = rate(stream.len(), median(times.iter().copied()));
        let share = ratio(usual, times) * 100.0;
        (format!("claude in chunks of {name}, lazy"), format!("{rate} MB/s, {share:.0} % of 64 KiB"))
    };
    CHUNKS.iter().zip(&times).map(row).collect()
}

fn line_lengths(rounds: usize, profile: &Profile) -> Vec<(String, String)> {
    let (huge, small) = (corpus::huge_line(), corpus::small_lines());
    let times =
        take_turns(rounds, &mut [&mut || read(&huge, 4 << 10, profile), &mut || read(&small, 4 << 10, profile)]);
    // The streams differ a little in size: compare bytes.
    let cost = ratio(&times[0], &times[1]) * small.len() as f64 / huge.len() as f64;
    let rates = [(&huge, &times[0]), (&small, &times[1])]
        .map(|(stream, times)| rate(stream.len(), median(times.iter().copied())));
    vec![
        (String::from("one line of 16 MiB, chunks of 4 KiB, lazy"), format!("{} MB/s", rates[0])),
        (String::from("the same text in lines of 1 kB"), format!("{} MB/s", rates[1])),
        (String::from("cost of a byte of the huge line"), format!("{} x small lines", number(cost))),
    ]
}

fn starting(rounds: usize, profile: &Profile) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let source = catalogue::source("claude-code").ok_or("no such profile")?;
    let stream = corpus::run14();
    let middle = |times, work: &mut dyn FnMut()| median((0..rounds).map(|_| seconds(times, &mut *work)));
    let compile = middle(200, &mut || drop(std::hint::black_box(Profile::from_toml(source))));
    let parser = middle(20_000, &mut || create(profile));
    let small = middle(2000, &mut || run(&stream, profile));
    Ok(vec![
        (String::from("compiling a profile (claude-code) from TOML"), format!("{} us", number(compile * 1e6))),
        (String::from("creating a parser and dropping it"), format!("{} ns", number(parser * 1e9))),
        (format!("a run of 14 lines ({} B), to its envelope", stream.len()), format!("{} us", number(small * 1e6))),
    ])
}

fn read(stream: &[u8], chunk: usize, profile: &Profile) {
    let _ = Reader::Lazy.read(stream, chunk, profile);
}

fn rate(bytes: usize, seconds: f64) -> String {
    number(bytes as f64 / seconds / 1e6)
}
