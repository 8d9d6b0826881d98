//! Tables in Markdown.

use crate::figures::{median, ratio};
use crate::reader::Reader;
use std::fmt::{self, Display, Formatter, Write};

/// What was measured on one corpus.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name of the corpus.
    pub name: String,
    /// Its size.
    pub bytes: usize,
    /// Seconds for the whole of it, in each round, for each of [`Reader::ALL`].
    pub seconds: [Vec<f64>; Reader::ALL.len()],
}

impl Row {
    /// Bytes in a second.
    #[must_use]
    pub fn rate(&self, reader: Reader) -> f64 {
        self.bytes as f64 / median(self.seconds[reader as usize].iter().copied())
    }

    /// How many times faster than the naive way.
    #[must_use]
    pub fn ratio(&self, reader: Reader) -> f64 {
        ratio(&self.seconds[Reader::Naive as usize], &self.seconds[reader as usize])
    }
}

/// Shows each corpus in a row: the naive way in MB/s (10^6 bytes), all others as multiples of it.
pub struct Ratios<'a>(pub &'a [Row]);

impl Display for Ratios<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let others = Reader::ALL.into_iter().filter(|reader| *reader != Reader::Naive);
        let mut head = vec![String::from("corpus"), String::from("MB"), String::from("naive, MB/s")];
        head.extend(others.clone().map(|reader| format!("{}, x naive", reader.name())));
        line(f, &head)?;
        line(f, &head.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" }).collect::<Vec<_>>())?;
        for row in self.0 {
            let mut cells =
                vec![row.name.clone(), number(row.bytes as f64 / 1e6), number(row.rate(Reader::Naive) / 1e6)];
            cells.extend(others.clone().map(|reader| number(row.ratio(reader))));
            line(f, &cells)?;
        }
        Ok(())
    }
}

/// Shows pairs of a name and a figure.
pub struct Facts<'a>(pub &'a [(String, String)]);

impl Display for Facts<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        line(f, &["what", "figure"])?;
        line(f, &["---", "---:"])?;
        for (name, figure) in self.0 {
            line(f, &[name, figure])?;
        }
        Ok(())
    }
}

/// Three digits, or more where the number has more before its point.
#[must_use]
pub fn number(value: f64) -> String {
    match value.abs() {
        size if size < 10.0 => format!("{value:.2}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn line<T: Display>(f: &mut Formatter<'_>, cells: &[T]) -> fmt::Result {
    f.write_char('|')?;
    for cell in cells {
        write!(f, " {cell} |")?;
    }
    f.write_char('\n')
}
