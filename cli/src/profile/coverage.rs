//! How much of the recorded streams of a folder is mapped, a row for each folder of runs and executor.

use super::examine::{Types, With, examine};
use crate::failure::Failure;
use crate::transcript::clean;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Folders inside one another that are looked into.
const DEPTH: usize = 8;
/// Record types that are listed for a row.
const TYPES: usize = 64;

/// The coverage of a folder.
pub(super) struct Coverage {
    /// By folder of runs (from the folder asked for) and executor.
    rows: BTreeMap<(String, String), Row>,
}

#[derive(Default)]
struct Row {
    streams: u64,
    /// Streams without a record: runs that never came to one.
    silent: u64,
    records: u64,
    malformed: u64,
    unmapped: u64,
    types: BTreeMap<String, Unmapped>,
}

/// A record type that is not mapped.
struct Unmapped {
    count: u64,
    /// The first place where it stands.
    example: String,
}

impl Coverage {
    /// Reads a stream that is in no folder of runs: its row has its own name.
    pub(super) fn of_stream(stream: &Path, with: &With) -> Result<Self, Failure> {
        let name = clean::line(&stream.display().to_string(), 200);
        Coverage::of(&[stream], with, |_| name.clone(), |_| name.clone())
    }

    /// Reads these streams of a folder.
    pub(super) fn of_folder(folder: &Path, streams: &[PathBuf], with: &With) -> Result<Self, Failure> {
        Coverage::of(streams, with, |stream| group(folder, stream), |stream| shown(folder, stream))
    }

    fn of<P: AsRef<Path>>(
        streams: &[P],
        with: &With,
        group: impl Fn(&Path) -> String,
        shown: impl Fn(&Path) -> String,
    ) -> Result<Self, Failure> {
        let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
        // Streams that say nothing are of nobody; they are counted with the others of their folder.
        let mut silent: BTreeMap<String, u64> = BTreeMap::new();
        for stream in streams.iter().map(AsRef::as_ref) {
            let seen = examine(with, stream, Types::Told)?;
            let envelope = &seen.report.envelope;
            let group = group(stream);
            if seen.unknown.is_some() && envelope.stream.records == 0 {
                *silent.entry(group).or_default() += 1;
                continue;
            }
            let row = rows.entry((group, clean::line(&envelope.executor, 40))).or_default();
            row.streams += 1;
            row.silent += u64::from(envelope.stream.records == 0);
            row.records += envelope.stream.records;
            row.malformed += envelope.stream.malformed_lines;
            row.unmapped += envelope.stream.unmapped;
            for (name, count, line) in seen.report.unmapped() {
                let full = row.types.len() >= TYPES && !row.types.contains_key(name);
                let name = if full { "(other)" } else { name };
                let unmapped = row
                    .types
                    .entry(name.to_owned())
                    .or_insert_with(|| Unmapped { count: 0, example: format!("{}:{line}", shown(stream)) });
                unmapped.count += count;
            }
        }
        for (group, count) in silent {
            let found = rows.range_mut((group.clone(), String::new())..).next().filter(|((name, _), _)| *name == group);
            let row = match found {
                Some((_, row)) => row,
                None => rows.entry((group, "(unknown)".to_owned())).or_default(),
            };
            row.streams += count;
            row.silent += count;
        }
        Ok(Coverage { rows })
    }

    /// True when no record was left unmapped.
    pub(super) fn all_mapped(&self) -> bool {
        self.rows.iter().all(|((_, executor), row)| row.unmapped == 0 && (executor != "(unknown)" || row.records == 0))
    }

    fn cells(&self) -> Vec<[String; 7]> {
        const HEAD: [&str; 7] =
            ["runs", "read as", "streams", "without records", "records", "unmapped", "malformed lines"];
        let mut cells = vec![HEAD.map(str::to_owned)];
        for ((group, executor), row) in &self.rows {
            let numbers =
                [row.streams, row.silent, row.records, row.unmapped, row.malformed].map(|number| number.to_string());
            let [streams, silent, records, unmapped, malformed] = numbers;
            cells.push([group.clone(), executor.clone(), streams, silent, records, unmapped, malformed]);
        }
        cells
    }

    fn unmapped(&self) -> impl Iterator<Item = (&str, &str, &str, &Unmapped)> {
        self.rows.iter().flat_map(|((group, executor), row)| {
            row.types.iter().map(move |(name, unmapped)| (&**group, &**executor, &**name, unmapped))
        })
    }

    /// Appends the table for people.
    pub(super) fn table(&self, out: &mut Vec<u8>) {
        let cells = self.cells();
        let width =
            |column: usize| cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..7).map(|column| width(column).unwrap_or(0)).collect();
        out.push(b'\n');
        for row in &cells {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                // Writing to a vector cannot fail.
                let _ = match column {
                    0 | 1 => write!(out, "{cell:width$}  "),
                    _ => write!(out, "{cell:>width$}  "),
                };
            }
            while out.last() == Some(&b' ') {
                out.pop();
            }
            out.push(b'\n');
        }
        for (group, executor, name, unmapped) in self.unmapped() {
            let _ = writeln!(out, "UNMAPPED  {group}  {executor}  {name}  {}  {}", unmapped.count, unmapped.example);
        }
    }

    /// Appends the table as Markdown.
    pub(super) fn markdown(&self, out: &mut Vec<u8>) {
        for (n, row) in self.cells().iter().enumerate() {
            let row: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", row.join(" | "));
            if n == 0 {
                let _ = writeln!(out, "| --- | --- | ---: | ---: | ---: | ---: | ---: |");
            }
        }
        for (n, (group, executor, name, unmapped)) in self.unmapped().enumerate() {
            if n == 0 {
                let _ = writeln!(
                    out,
                    "\n| runs | read as | unmapped type | count | first at |\n| --- | --- | --- | ---: | --- |"
                );
            }
            let name = name.replace('|', "\\|");
            let _ = writeln!(out, "| {group} | {executor} | `{name}` | {} | `{}` |", unmapped.count, unmapped.example);
        }
    }
}

/// The folder of the runs that a stream is one of: of `CLI/version/scenario/stdout.jsonl` the first two.
fn group(folder: &Path, stream: &Path) -> String {
    let inside = stream.strip_prefix(folder).unwrap_or(stream);
    let parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let group = parts.get(..parts.len().saturating_sub(2)).unwrap_or_default().join("/");
    if group.is_empty() { ".".to_owned() } else { clean::line(&group, 80) }
}

fn shown(folder: &Path, stream: &Path) -> String {
    let inside = stream.strip_prefix(folder).unwrap_or(stream);
    let parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    clean::line(&parts.join("/"), 200)
}

/// The streams in a folder, in the order of their names. None at all is a folder that was not meant.
pub(super) fn streams_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut streams = Vec::new();
    collect(folder, DEPTH, &mut streams)?;
    streams.sort();
    match streams.is_empty() {
        true => {
            let folder = folder.display();
            Err(Failure::Message(format!(
                "no stream in '{folder}': no file *.jsonl or *.ndjson, in no folder of it either"
            )))
        }
        false => Ok(streams),
    }
}

/// The streams below a folder. Links to folders are not followed.
fn collect(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error| Failure::reading(format!("'{}'", folder.display()), &error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            if depth > 0 {
                collect(&path, depth - 1, into)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "jsonl" || extension == "ndjson") {
            into.push(path);
        }
    }
    Ok(())
}
