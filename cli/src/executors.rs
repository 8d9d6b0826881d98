//! `turnline executors`: the built-in profiles.

use crate::args::ExecutorsArgs;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use std::io::Write as _;
use turnline::{Profile, Status, catalogue};

/// Lists the executors.
pub(crate) fn run(args: &ExecutorsArgs) -> Result<Status, Failure> {
    let profiles = catalogue::ids()
        .map(Profile::builtin)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Failure::profile(None, &error))?;
    let mut output = Output::plain();
    if args.json {
        let list: Vec<_> = profiles
            .iter()
            .map(|profile| {
                json!({
                    "id": profile.id(),
                    "title": profile.title(),
                    "command": profile.command(),
                    "measured": profile.measured(),
                    "default": profile.id() == catalogue::DEFAULT,
                })
            })
            .collect();
        let _ = serde_json::to_writer_pretty(output.buffer(), &list);
        output.buffer().push(b'\n');
    } else {
        table(&profiles, output.buffer());
    }
    output.flush()?;
    Ok(Status::Ok)
}

/// A line an executor, in columns.
fn table(profiles: &[Profile], out: &mut Vec<u8>) {
    const HEAD: [&str; 4] = ["ID", "COMMAND", "TITLE", "MEASURED ON"];
    let rows = profiles.iter().map(|profile| {
        let default = if profile.id() == catalogue::DEFAULT { " (default)" } else { "" };
        let measured = match profile.measured() {
            // Of any program's text there is nothing to measure.
            [] if profile.id() == "raw" => String::new(),
            [] => "(from documentation, not measured)".to_owned(),
            versions => versions.join(", "),
        };
        [format!("{}{default}", profile.id()), profile.command().to_owned(), profile.title().to_owned(), measured]
    });
    let rows: Vec<[String; 4]> = std::iter::once(HEAD.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (id, command, title) = (width(0), width(1), width(2));
    for [a, b, c, d] in &rows {
        // Writing to a vector cannot fail.
        let _ = writeln!(out, "{a:id$}  {b:command$}  {c:title$}  {d}");
    }
}
