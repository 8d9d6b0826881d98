//! The line that shows that a long run is alive: elapsed time, tools, tokens.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};
use turnline::{Event, EventKind, Usage, UsageMode, UsageScope};

/// What is counted for it.
pub(super) struct StatusLine {
    shown: bool,
    begun: Instant,
    tools: u64,
    /// Tokens by what the figures cover: scopes tell the same tokens again, so they are not added up.
    tokens: HashMap<UsageScope, u64>,
}

impl StatusLine {
    /// Shown on a terminal that can erase a line, and only with a transcript for people.
    pub(super) fn new(for_people: bool) -> Self {
        let terminal = std::io::stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        StatusLine { shown: for_people && terminal, begun: Instant::now(), tools: 0, tokens: HashMap::new() }
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        match &event.kind {
            EventKind::ToolCall(_) => self.tools += 1,
            EventKind::Usage(usage) => self.usage(usage),
            _ => {}
        }
    }

    fn usage(&mut self, usage: &Usage<'_>) {
        // What goes on is meant: a resumed thread's total is history.
        if usage.scope == UsageScope::Thread {
            return;
        }
        let parts = [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning];
        let sum = parts.into_iter().flatten().fold(0, u64::saturating_add);
        let tokens = self.tokens.entry(usage.scope).or_default();
        let before = if usage.mode == UsageMode::Cumulative { 0 } else { *tokens };
        *tokens = before.saturating_add(usage.total.unwrap_or(sum));
    }

    /// The line, without a line end. `signals`: how many have come.
    pub(super) fn line(&self, signals: u32) -> String {
        text(self.begun.elapsed(), self.tools, self.tokens.values().copied().max().unwrap_or(0), signals)
    }
}

fn text(elapsed: Duration, tools: u64, tokens: u64, signals: u32) -> String {
    let seconds = elapsed.as_secs();
    let mut line = match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes @ 1..60 => format!("{minutes} min {:02} s", seconds % 60),
        minutes => format!("{} h {:02} min", minutes / 60, minutes % 60),
    };
    match tools {
        0 => {}
        1 => line.push_str(" · 1 tool"),
        many => line.push_str(&format!(" · {many} tools")),
    }
    match tokens {
        0 => {}
        1..1000 => line.push_str(&format!(" · {tokens} tokens")),
        1000..1_000_000 => line.push_str(&format!(" · {}.{}k tokens", tokens / 1000, tokens % 1000 / 100)),
        many => line.push_str(&format!(" · {}.{}M tokens", many / 1_000_000, many % 1_000_000 / 100_000)),
    }
    line.push_str(match signals {
        0 => " · Ctrl-C cancels",
        1 => " · cancelling; Ctrl-C again ends it at once",
        _ => " · ending",
    });
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says() {
        let seconds = Duration::from_secs;
        assert_eq!(text(seconds(0), 0, 0, 0), "0 s · Ctrl-C cancels");
        assert_eq!(text(seconds(63), 1, 999, 0), "1 min 03 s · 1 tool · 999 tokens · Ctrl-C cancels");
        assert_eq!(
            text(seconds(3 * 3600 + 61), 12, 12_345, 1),
            "3 h 01 min · 12 tools · 12.3k tokens · cancelling; Ctrl-C again ends it at once"
        );
        assert_eq!(text(seconds(1), 0, 2_050_000, 2), "1 s · 2.0M tokens · ending");
    }

    #[test]
    fn tokens_are_not_counted_twice() {
        let mut status = StatusLine::new(false);
        let usage = |scope: &str, mode: &str, total: u64| -> Event<'static> {
            let json = format!(
                r#"{{"seq":0,"turn":0,"line":1,"type":"usage","scope":"{scope}","mode":"{mode}","total":{total}}}"#
            );
            serde_json::from_str::<Event<'_>>(&json).expect("an event").into_owned()
        };
        for event in [
            usage("request", "delta", 10),
            usage("request", "delta", 5),
            usage("turn", "cumulative", 12),
            usage("turn", "cumulative", 14),
            usage("thread", "cumulative", 9000),
        ] {
            status.event(&event);
        }
        assert!(status.line(0).contains(" · 15 tokens"), "{}", status.line(0));
    }
}
