//! Measures the command on a pipe: `throughput TURNLINE [--mib N] [--rounds N]`, where TURNLINE is the path of its
//! release build. `cat FILE` feeds each reader, so that `wc -c` is the speed of the pipe itself.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, process};
use turnline_benches::figures::median;
use turnline_benches::table::{Facts, number};
use turnline_benches::{corpus, machine};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Some(wanted) = Wanted::from_arguments() else {
        writeln!(io::stderr(), "usage: throughput TURNLINE [--mib N] [--rounds N]")?;
        return Ok(ExitCode::from(2));
    };
    let file = Stream::write(wanted.mib << 20)?;
    // jq takes a minute for a gigabyte: a part of it tells the same.
    let part = Stream::write(wanted.mib.min(64) << 20)?;
    let turnline = wanted.turnline.as_str();
    let parse = [turnline, "parse", "--executor", "claude-code"];
    let readers: [(&str, Vec<&str>, &Stream); 4] = [
        ("wc -c", vec!["wc", "-c"], &file),
        ("turnline parse --envelope-only", [&parse[..], &["--envelope-only"]].concat(), &file),
        ("turnline parse --output jsonl", [&parse[..], &["--output", "jsonl"]].concat(), &file),
        ("jq -c .", vec!["jq", "-c", "."], &part),
    ];

    let mut rates = vec![Vec::new(); readers.len()];
    for _ in 0..wanted.rounds {
        for ((_, command, stream), rates) in readers.iter().zip(&mut rates) {
            if let Some(rate) = pipe(stream, command) {
                rates.push(rate);
            }
        }
    }
    let middle: Vec<f64> = rates.into_iter().map(median).collect();
    let facts: Vec<(String, String)> = readers
        .iter()
        .zip(&middle)
        .map(|((name, ..), rate)| {
            let share = number(rate / middle[0] * 100.0);
            (format!("cat FILE \\| {name}"), format!("{} MB/s, {share} % of the pipe", number(rate / 1e6)))
        })
        .chain([(String::from("JSON lines, times jq"), number(middle[2] / middle[3]))])
        .collect();
    writeln!(io::stdout(), "{}\n{}, {} MiB", Facts(&facts), machine::kind(), wanted.mib)?;
    Ok(ExitCode::SUCCESS)
}

/// `cat FILE | READER > /dev/null` in bytes a second, or nothing where a program is missing or cannot do it.
fn pipe(stream: &Stream, reader: &[&str]) -> Option<f64> {
    let (program, arguments) = reader.split_first()?;
    let start = Instant::now();
    let mut cat = Command::new("cat").arg(&stream.path).stdout(Stdio::piped()).spawn().ok()?;
    let input = cat.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let mut command = Command::new(program);
    let read = command.args(arguments).stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // The pipe's other end is dropped with the command, so that cat ends in any case.
    drop(command);
    cat.wait().ok()?;
    let time = start.elapsed().as_secs_f64();
    // turnline answers 1 for a run that failed, which says nothing of its speed.
    read.ok()?.code().filter(|code| *code < 2).map(|_| stream.bytes as f64 / time)
}

/// A file of generated runs, removed when it is dropped.
struct Stream {
    path: PathBuf,
    bytes: usize,
}

impl Stream {
    fn write(size: usize) -> io::Result<Stream> {
        let runs = corpus::claude(20_000_000.min(size));
        let path = env::temp_dir().join(format!("turnline-throughput-{}-{size}.jsonl", process::id()));
        let mut stream = Stream { path, bytes: 0 };
        stream.fill(&runs, size)?;
        Ok(stream)
    }

    fn fill(&mut self, runs: &[u8], size: usize) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(Path::new(&self.path))?);
        while self.bytes < size {
            file.write_all(runs)?;
            self.bytes += runs.len();
        }
        file.flush()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // It lies in the system's folder for temporary files: one that stays is no harm.
        let _ = fs::remove_file(&self.path);
    }
}

struct Wanted {
    turnline: String,
    mib: usize,
    rounds: usize,
}

impl Wanted {
    fn from_arguments() -> Option<Wanted> {
        let mut arguments = env::args().skip(1);
        let mut wanted = Wanted { turnline: arguments.next()?, mib: 1024, rounds: 5 };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--mib" => wanted.mib = arguments.next()?.parse().ok()?,
                "--rounds" => wanted.rounds = arguments.next()?.parse().ok()?,
                _ => return None,
            }
        }
        Some(wanted)
    }
}
