//! Writes the generated corpora into a folder: `corpora FOLDER [MEGABYTES]`.

use std::error::Error;
use std::path::Path;
use std::{env, fs};
use turnline_benches::corpus;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().ok_or("usage: corpora FOLDER [MEGABYTES]")?;
    let megabytes: usize = arguments.next().map_or(Ok(20), |number| number.parse())?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    for corpus in corpus::generated(megabytes * 1_000_000) {
        fs::write(folder.join(format!("{}.jsonl", corpus.name)), corpus.bytes)?;
    }
    fs::write(folder.join("run14.jsonl"), corpus::run14())?;
    fs::write(folder.join("line16m.jsonl"), corpus::huge_line())?;
    Ok(())
}
