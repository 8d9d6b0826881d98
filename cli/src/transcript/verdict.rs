//! The end of the transcript: the answer if nobody said it yet, the verdict with its reasons, and what it cost.

use super::clean;
use super::number;
use super::paint::Tone;
use super::screen::{Block, Screen};
use turnline::{Envelope, Json, Status, TokenUsage};

/// Characters of an id or a name.
const NAME: usize = 120;
/// Lines of an error's message.
const LINES: usize = 12;
/// Characters of each such line.
const WIDTH: usize = 400;
/// Characters of a structured answer.
const JSON: usize = 4000;
/// Whose a figure is, where a run goes on with a session.
const OWN: &str = " in this run";
const TOTAL: &str = " in the session so far";

/// Writes the answer under its own label.
pub(super) fn answer(text: &str, screen: &mut Screen, out: &mut Vec<u8>) {
    screen.begin(Block::Label, (Tone::Plain, ""), out);
    screen.line(Tone::Strong, "answer", out);
    screen.begin(Block::Text, (Tone::Plain, ""), out);
    screen.foreign(Tone::Plain, text, out);
    screen.end_line(out);
}

/// Writes what the run came to; of one that goes on with a session the figures of money say whose they are.
pub(super) fn verdict(envelope: &Envelope, resumed: bool, screen: &mut Screen, out: &mut Vec<u8>) {
    if let Some(structured) = envelope.structured_output.as_ref().filter(|json| !repeats(envelope, json)) {
        screen.begin(Block::Text, (Tone::Plain, ""), out);
        screen.write(Tone::Strong, "structured answer  ", out);
        screen.line(Tone::Plain, &clean::line(&structured.as_str(), JSON), out);
    }
    // A gap, whatever came before.
    screen.begin(Block::Text, (Tone::Plain, ""), out);
    screen.begin(Block::Note, (Tone::Plain, ""), out);
    let (tone, word) = match envelope.status {
        Status::Ok => (Tone::Good, "✓ ok"),
        Status::Cancelled => (Tone::Warning, "■ cancelled"),
        _ => (Tone::Bad, "✗ failed"),
    };
    screen.write(tone, word, out);
    screen.line(Tone::Faint, &format!("  {}", clean::line(&envelope.executor, NAME)), out);
    screen.begin(Block::Note, (Tone::Plain, "  "), out);
    for error in &envelope.errors {
        let mut lines = error.message.lines().filter(|line| !line.trim().is_empty());
        let first = clean::line(lines.next().unwrap_or_default(), WIDTH);
        screen.write(tone, &first, out);
        screen.line(Tone::Faint, &format!("  [{}, {}]", error.code, error.class), out);
        for line in lines.by_ref().take(LINES) {
            screen.line(tone, &format!("  {}", clean::line(line, WIDTH)), out);
        }
        match lines.count() {
            0 => {}
            more => screen.line(Tone::Faint, &format!("  … {}", number::counted(more as u64, "more line")), out),
        }
    }
    for (name, text) in rows(envelope, resumed) {
        screen.line(Tone::Faint, &format!("{name:<8}{text}"), out);
    }
}

/// True when the answer in words is the structured one once more.
fn repeats(envelope: &Envelope, structured: &Json<'_>) -> bool {
    let answer = envelope.result.as_deref().and_then(|text| serde_json::from_str(text).ok());
    answer.is_some_and(|answer: serde_json::Value| structured.to_value().is_ok_and(|value| value == answer))
}

/// The facts worth a line each, those that are known.
fn rows(envelope: &Envelope, resumed: bool) -> Vec<(&'static str, String)> {
    let mut rows = vec![("work", work(envelope))];
    let mut row = |name, text: Option<String>| rows.extend(text.map(|text| (name, text)));
    row("tokens", envelope.usage.as_ref().map(tokens));
    row("thread", envelope.thread_usage.as_ref().map(tokens));
    let (models, whose) = match (resumed, &envelope.run_model_usage) {
        (false, _) => (&envelope.model_usage, ""),
        (true, own) if !own.is_empty() => (own, OWN),
        (true, _) => (&envelope.model_usage, TOTAL),
    };
    for model in models {
        let usage = TokenUsageParts {
            input: model.input,
            cache_read: model.cache_read,
            cache_write: model.cache_write,
            output: model.output,
            reasoning: None,
            total: None,
        };
        let cost = model.cost_usd.map(|cost| format!(", {}", number::dollars(cost))).unwrap_or_default();
        row("model", Some(format!("{}: {}{cost}{whose}", clean::line(&model.model, NAME), usage.text())));
    }
    row("cost", cost(envelope, resumed));
    let limits: Vec<String> = envelope.rate_limits.iter().map(limit).collect();
    row("limits", (!limits.is_empty()).then(|| limits.join(", ")));
    row("session", envelope.session_id.as_deref().map(|id| clean::line(id, NAME)));
    row("exit", exit(envelope));
    row("stream", oddities(envelope));
    rows
}

/// The run's own money where it is known, else the session's total.
fn cost(envelope: &Envelope, resumed: bool) -> Option<String> {
    let [own, total] = [envelope.run_cost_usd, envelope.cost_usd].map(|cost| cost.map(number::dollars));
    match (own, total) {
        (Some(own), Some(total)) if own != total => Some(format!("{own}{OWN}, {total}{TOTAL}")),
        (Some(own), _) if resumed => Some(format!("{own}{OWN}")),
        (None, Some(total)) if resumed => Some(format!("{total}{TOTAL}; how much{OWN} is not known")),
        (own, total) => own.or(total),
    }
}

fn work(envelope: &Envelope) -> String {
    let tools = &envelope.tools;
    let mut parts = vec![number::counted(envelope.turns, "turn"), number::counted(tools.started, "tool call")];
    let outcomes = [
        (tools.failed, "failed"),
        (tools.declined, "not allowed"),
        (tools.cancelled, "cancelled"),
        (tools.unknown, "without an outcome"),
    ];
    let outcomes: Vec<String> = outcomes
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", number::count(*count)))
        .collect();
    if let Some(last) = parts.last_mut().filter(|_| !outcomes.is_empty()) {
        last.push_str(&format!(" ({})", outcomes.join(", ")));
    }
    if envelope.notices > 0 {
        parts.push(number::counted(envelope.notices, "notice"));
    }
    if let Some(ms) = envelope.timing.and_then(|timing| timing.run_ms) {
        parts.push(number::time(ms));
    }
    parts.join(", ")
}

/// The counters of a usage figure, whichever it is.
struct TokenUsageParts {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    total: Option<u64>,
}

fn tokens(usage: &TokenUsage) -> String {
    TokenUsageParts {
        input: usage.input,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        output: usage.output,
        reasoning: usage.reasoning,
        total: usage.total,
    }
    .text()
}

impl TokenUsageParts {
    /// What is unknown is left out, and so are zeros of what not every vendor has.
    fn text(&self) -> String {
        let some = |value: Option<u64>| value.filter(|value| *value > 0);
        let parts = [
            (self.input, "in"),
            (some(self.cache_read), "from cache"),
            (some(self.cache_write), "to cache"),
            (self.output, "out"),
            (some(self.reasoning), "reasoning"),
            (self.total, "in all"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter_map(|(value, word)| value.map(|value| format!("{} {word}", number::count(value))))
            .collect();
        if parts.is_empty() { "unknown".to_owned() } else { parts.join(", ") }
    }
}

fn limit(window: &turnline::RateLimitWindow) -> String {
    let mut text = clean::line(&window.name, NAME);
    if let Some(utilization) = window.utilization {
        text.push_str(&format!(" {utilization}"));
    }
    if let Some(status) = &window.status {
        text.push_str(&format!(" {}", clean::line(status, NAME)));
    }
    text
}

/// How the process ended, where that is not the usual way.
fn exit(envelope: &Envelope) -> Option<String> {
    match (envelope.exit.code, envelope.exit.signal) {
        (_, Some(signal)) => Some(format!("ended by signal {signal}")),
        (Some(code), None) if code != 0 => Some(format!("code {code}")),
        _ => None,
    }
}

/// What of the stream could not be read as records, or was cut.
fn oddities(envelope: &Envelope) -> Option<String> {
    let stream = &envelope.stream;
    let counts = [
        (stream.malformed_lines, "line that is not JSON", "lines that are not JSON"),
        (stream.oversize_lines, "line over the limit", "lines over the limit"),
        (stream.non_object, "value that is no record", "values that are no records"),
        (stream.unmapped, "record of an unknown type", "records of unknown types"),
        (stream.repaired_lines, "repaired line", "repaired lines"),
    ];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{} {}", number::count(*count), if *count == 1 { one } else { many }))
        .collect();
    if envelope.stdout_truncated {
        parts.push("standard output was cut".to_owned());
    }
    if envelope.stderr_truncated {
        parts.push("standard error was cut".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
