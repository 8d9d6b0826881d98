//! Colours, in one place.

use anstyle::{AnsiColor, Style};
use std::io::Write as _;

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

/// What a piece of the transcript is, as far as its looks go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    /// Labels of who speaks, names of tools.
    Strong,
    /// What may be skipped: thoughts, output of tools, ids.
    Faint,
    Good,
    Bad,
    Warning,
    User,
}

impl Paint {
    /// No escape sequence is ever written.
    #[must_use]
    pub const fn plain() -> Self {
        Paint { on: false }
    }

    /// ANSI colours.
    #[must_use]
    pub const fn coloured() -> Self {
        Paint { on: true }
    }

    pub(super) fn start(self, tone: Tone, out: &mut Vec<u8>) {
        if self.on && tone != Tone::Plain {
            // Writing to a vector cannot fail.
            let _ = write!(out, "{}", style(tone).render());
        }
    }

    pub(super) fn end(self, tone: Tone, out: &mut Vec<u8>) {
        if self.on && tone != Tone::Plain {
            let _ = write!(out, "{}", style(tone).render_reset());
        }
    }
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => Style::new().bold(),
        Tone::Faint => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Bad => AnsiColor::Red.on_default(),
        Tone::Warning => AnsiColor::Yellow.on_default(),
        Tone::User => AnsiColor::Cyan.on_default().bold(),
    }
}
