//! How events and the envelope are printed: for programs or for people.

use crate::args::Format;
use crate::output::Output;
use crate::transcript::{Transcript, clean};
use std::io::{self, IsTerminal as _};
use turnline::{Envelope, Event, Explanation};

/// How events and the envelope are printed.
pub(crate) enum Printer {
    /// `terminal`: nothing that it obeys may be among the JSON.
    Jsonl {
        events: bool,
        terminal: bool,
    },
    Text {
        transcript: Box<Transcript>,
        events: bool,
    },
}

impl Printer {
    /// What prints in this format (or the one that suits standard output), and where it goes.
    pub(crate) fn new(format: Option<Format>, events: bool, executor: &str) -> (Self, Output) {
        let terminal = io::stdout().is_terminal();
        let default = if terminal { Format::Text } else { Format::Jsonl };
        match format.unwrap_or(default) {
            Format::Jsonl => (Printer::Jsonl { events, terminal }, Output::plain()),
            Format::Text => {
                let (output, paint) = Output::for_people();
                (Printer::Text { transcript: Box::new(Transcript::new(executor, paint)), events }, output)
            }
        }
    }

    pub(crate) fn event(&mut self, event: &Event<'_>, out: &mut Vec<u8>) {
        match self {
            Printer::Jsonl { events: true, terminal } => {
                let from = out.len();
                event.write_json(out);
                if *terminal {
                    clean::json(out, from);
                }
                out.push(b'\n');
            }
            Printer::Text { transcript, events: true } => transcript.event(event, out),
            Printer::Text { transcript, events: false } => transcript.pass(event),
            Printer::Jsonl { events: false, .. } => {}
        }
    }

    /// Prints the reasons for the envelope, before it: the envelope is always last.
    pub(crate) fn reasons(&mut self, reasons: &[Explanation], out: &mut Vec<u8>) {
        for reason in reasons {
            match self {
                Printer::Jsonl { terminal, .. } => {
                    let from = out.len();
                    // Writing to a vector cannot fail.
                    let _ = serde_json::to_writer(&mut *out, reason);
                    if *terminal {
                        clean::json(out, from);
                    }
                    out.push(b'\n');
                }
                Printer::Text { transcript, .. } => {
                    let line = if reason.line > 0 { format!("line {}", reason.line) } else { String::new() };
                    let words =
                        [&*line, &*reason.native_type, &*reason.rule].into_iter().filter(|word| !word.is_empty());
                    let place = words.collect::<Vec<_>>().join(" ");
                    let colon = if place.is_empty() { "" } else { ": " };
                    let text = format!("{place}{colon}{}", reason.message);
                    transcript.remark(&format!("why {:8}", reason.topic.as_str()), &text, out);
                }
            }
        }
    }

    pub(crate) fn envelope(&mut self, envelope: &Envelope, out: &mut Vec<u8>) {
        match self {
            Printer::Jsonl { terminal, .. } => {
                let from = out.len();
                // Writing to a vector cannot fail, and an envelope has no keys but strings.
                let _ = serde_json::to_writer(&mut *out, envelope);
                if *terminal {
                    clean::json(out, from);
                }
                out.push(b'\n');
            }
            Printer::Text { transcript, .. } => transcript.envelope(envelope, out),
        }
    }

    /// Whether it prints for people.
    pub(crate) fn is_for_people(&self) -> bool {
        matches!(self, Printer::Text { .. })
    }

    /// Whether something may be put between what was printed and what comes: it is for people, and begins a line.
    pub(crate) fn is_between_lines(&self) -> bool {
        matches!(self, Printer::Text { transcript, .. } if transcript.at_line_start())
    }
}
