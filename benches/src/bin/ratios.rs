//! Measures in about a minute what the README says: every way of reading on every corpus, in turns, and the figures
//! that are not ratios. `ratios [--rounds N] [--mb N] [NAME...]`; with names, only the corpora that begin so.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{array, env};
use turnline::Profile;
use turnline_benches::corpus::{self, Corpus};
use turnline_benches::figures::take_turns;
use turnline_benches::reader::{CHUNK, Reader};
use turnline_benches::table::{Facts, Ratios, Row};
use turnline_benches::{facts, machine};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Some(wanted) = Wanted::from_arguments() else {
        writeln!(io::stderr(), "usage: ratios [--rounds N] [--mb N] [NAME...]")?;
        return Ok(ExitCode::from(2));
    };
    let mut corpora = corpus::generated(wanted.megabytes * 1_000_000);
    corpora.extend(corpus::recorded(Path::new(corpus::RECORDINGS)));
    corpora.extend(corpus::documented(Path::new(corpus::DOCUMENTED), 1 << 20));
    let mut rows = Vec::new();
    for corpus in corpora.iter().filter(|corpus| wanted.wants(&corpus.name)) {
        rows.push(measure(corpus, wanted.rounds)?);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}\n\n{}", Ratios(&rows), machine::kind())?;
    if wanted.names.is_empty() {
        writeln!(out, "\n{}", Facts(&facts::measure(wanted.rounds)?))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(corpus: &Corpus, rounds: usize) -> Result<Row, Box<dyn Error>> {
    let profile = Profile::builtin(corpus.executor)?;
    let mut works = Reader::ALL.map(|reader| {
        let (stream, profile) = (&corpus.bytes, &profile);
        move || {
            let _ = reader.read(stream, CHUNK, profile);
        }
    });
    let mut works = works.each_mut().map(|work| work as &mut dyn FnMut());
    take_turns(1, &mut works);
    let mut times = take_turns(rounds, &mut works);
    let seconds = array::from_fn(|at| std::mem::take(&mut times[at]));
    Ok(Row { name: corpus.name.clone(), bytes: corpus.bytes.len(), seconds })
}

struct Wanted {
    rounds: usize,
    megabytes: usize,
    names: Vec<String>,
}

impl Wanted {
    fn from_arguments() -> Option<Wanted> {
        let mut wanted = Wanted { rounds: 9, megabytes: 20, names: Vec::new() };
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--rounds" => wanted.rounds = arguments.next()?.parse().ok()?,
                "--mb" => wanted.megabytes = arguments.next()?.parse().ok()?,
                name if name.starts_with('-') => return None,
                _ => wanted.names.push(argument),
            }
        }
        Some(wanted)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| name.starts_with(wanted))
    }
}
