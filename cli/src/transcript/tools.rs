//! Tool calls: what was asked for, and what it came to.

use super::clean;
use super::number;
use super::paint::Tone;
use super::recent::Recent;
use super::screen::{Block, Screen};
use serde_json::Value;
use turnline::{Change, Json, ToolCall, ToolCallUpdate, ToolKind, ToolStatus};

/// Calls remembered, so that outcomes and permissions can be told by name.
const REMEMBERED: usize = 4096;
/// Characters of a call's line.
const DETAIL: usize = 120;
/// Lines of an output that are shown.
const LINES: usize = 4;
/// Lines of an error that are shown.
const ERROR_LINES: usize = 8;
/// Characters of each such line.
const WIDTH: usize = 200;
/// An input over this is not looked into.
const INPUT: usize = 1 << 20;

/// The calls of the run.
#[derive(Debug)]
pub(super) struct Tools {
    calls: Recent<String, Call>,
    /// The call whose line was the last thing written.
    last: Option<String>,
}

#[derive(Clone, Debug)]
struct Call {
    name: String,
    /// What the executor calls this use of it.
    said: String,
    /// What stands behind the name.
    detail: String,
    kind: ToolKind,
    announced: bool,
}

impl Call {
    /// Finds what tells most of the call. Of a command its words say more than any title.
    fn look_into(&mut self, files: String, input: Option<&Json<'_>>) {
        if self.said.is_empty() {
            self.detail = if files.is_empty() { input.map(summary).unwrap_or_default() } else { files };
        } else if self.kind == ToolKind::Execute
            && let Some(command) = input.and_then(|input| telling(input, COMMANDS))
        {
            let same = command == self.said;
            self.detail = if same { command } else { format!("{command}  ({})", self.said) };
        }
    }

    fn title(&self) -> String {
        match self.detail.as_str() {
            "" => self.name.clone(),
            detail => format!("{}  {detail}", self.name),
        }
    }
}

impl Tools {
    pub(super) fn new() -> Self {
        Tools { calls: Recent::new(REMEMBERED), last: None }
    }

    /// Something else was written: the next outcome must name its call.
    pub(super) fn interrupted(&mut self) {
        self.last = None;
    }

    /// The name and purpose of a call, where it is known.
    pub(super) fn title(&self, id: &str) -> Option<String> {
        self.calls.get(id).map(Call::title)
    }

    /// A call. Where its input is still to come nothing is shown yet.
    pub(super) fn call(&mut self, call: &ToolCall<'_>, screen: &mut Screen, out: &mut Vec<u8>) {
        let id = call.tool_call_id.decode().into_owned();
        let name = clean::line(&call.name.decode(), DETAIL);
        let name = match &call.server {
            Some(server) => format!("{}/{name}", clean::line(&server.decode(), DETAIL)),
            None => name,
        };
        let said = call.title.as_ref().map(|title| clean::line(&title.decode(), DETAIL)).unwrap_or_default();
        let input = call.input.as_ref().filter(|input| !nothing(input));
        let mut known = Call { name, detail: said.clone(), said, kind: call.kind, announced: false };
        let silent = known.said.is_empty() && input.is_none() && call.locations.is_empty();
        known.look_into(files(call), input);
        self.calls.insert(id.clone(), known);
        if !silent {
            self.announce(&id, screen, out);
        }
    }

    /// News of a call. Only its end, and its input where that came late, are worth a line.
    pub(super) fn update(&mut self, update: &ToolCallUpdate<'_>, screen: &mut Screen, out: &mut Vec<u8>) {
        let id = update.tool_call_id.decode().into_owned();
        if let Some(input) = update.input.as_ref().filter(|input| !nothing(input)) {
            if let Some(call) = self.calls.get_mut(&id).filter(|call| !call.announced) {
                call.look_into(String::new(), Some(input));
            }
            self.announce(&id, screen, out);
        }
        if update.status.is_terminal() {
            self.announce(&id, screen, out);
            self.outcome(&id, update, screen, out);
        }
    }

    fn announce(&mut self, id: &str, screen: &mut Screen, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(id).filter(|call| !call.announced) else { return };
        call.announced = true;
        screen.begin(Block::Tool, (Tone::Plain, ""), out);
        screen.write(Tone::Strong, &format!("● {}", call.name), out);
        if !call.detail.is_empty() {
            screen.write(Tone::Plain, &format!("  {}", call.detail), out);
        }
        screen.end_line(out);
        self.last = Some(id.to_owned());
    }

    fn outcome(&mut self, id: &str, update: &ToolCallUpdate<'_>, screen: &mut Screen, out: &mut Vec<u8>) {
        let (tone, word) = match update.status {
            ToolStatus::Completed => (Tone::Good, "✓ ok"),
            ToolStatus::Failed => (Tone::Bad, "✗ failed"),
            ToolStatus::Declined => (Tone::Warning, "✗ not allowed"),
            ToolStatus::Cancelled => (Tone::Warning, "✗ cancelled"),
            _ => (Tone::Warning, "? the outcome was never told"),
        };
        screen.begin(Block::Tool, (Tone::Plain, "  "), out);
        screen.write(tone, word, out);
        if let Some(code) = update.exit_code.filter(|code| *code != 0 || update.status != ToolStatus::Completed) {
            screen.write(tone, &format!(" (exit {code})"), out);
        }
        if self.last.as_deref() != Some(id)
            && let Some(call) = self.calls.get(id)
        {
            screen.write(Tone::Faint, &format!("  {}", call.title()), out);
        }
        screen.end_line(out);
        self.last = None;
        screen.begin(Block::Tool, (Tone::Plain, "    "), out);
        for change in update.changes.iter() {
            screen.line(Tone::Plain, &changed(&change), out);
        }
        let error = update.error.as_ref().map(|error| error.decode());
        let output = update.output.as_ref().map(|output| output.decode());
        if let Some(error) = &error {
            excerpt(error, ERROR_LINES, tone, screen, out);
        }
        if let Some(output) = output.filter(|output| error.as_deref() != Some(output)) {
            let lines = if update.status == ToolStatus::Completed { LINES } else { ERROR_LINES };
            excerpt(&output, lines, Tone::Faint, screen, out);
        }
    }
}

/// The first lines of a text, and how many were left out.
fn excerpt(text: &str, lines: usize, tone: Tone, screen: &mut Screen, out: &mut Vec<u8>) {
    let mut all = text.lines().filter(|line| !line.trim().is_empty());
    for line in all.by_ref().take(lines) {
        // Indentation is kept: it is half of what makes code and listings readable.
        let blanks = line.len() - line.trim_start_matches(' ').len();
        screen.line(tone, &format!("{:blanks$}{}", "", clean::line(line, WIDTH), blanks = blanks.min(40)), out);
    }
    match all.count() {
        0 => {}
        more => screen.line(Tone::Faint, &format!("… {}", number::counted(more as u64, "more line")), out),
    }
}

/// A changed file: what was done, where, how many lines came and went.
fn changed(change: &Change<'_>) -> String {
    let mut line = match &change.op {
        Some(op) => clean::line(&op.decode(), 40),
        None => "change".to_owned(),
    };
    if let Some(path) = &change.path {
        line.push(' ');
        line.push_str(&clean::line(&path.decode(), WIDTH));
    }
    if let Some(diff) = &change.diff {
        let diff = diff.decode();
        let starts = |sign: char, header: &str| {
            diff.lines().filter(|line| line.starts_with(sign) && !line.starts_with(header)).count() as u64
        };
        let (added, removed) = (starts('+', "+++ "), starts('-', "--- "));
        line.push_str(&format!("  +{} -{}", number::count(added), number::count(removed)));
    }
    line
}

/// The files that a call is about.
fn files(call: &ToolCall<'_>) -> String {
    let paths =
        call.locations.iter().filter_map(|location| location.path.map(|path| clean::line(&path.decode(), DETAIL)));
    paths.filter(|path| !path.is_empty()).take(4).collect::<Vec<_>>().join(", ")
}

/// Members of an input that are a command.
const COMMANDS: &[&str] = &["command", "cmd"];
/// Members that tell more of an input than the input as a whole does, the most telling first.
const TELLING: &[&str] = &["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description"];

/// An input as a line: its telling member, else its JSON.
fn summary(input: &Json<'_>) -> String {
    telling(input, TELLING).unwrap_or_else(|| clean::line(&input.as_str(), DETAIL))
}

/// The first of these members that is a text, or a list of texts, as a line.
fn telling(input: &Json<'_>, names: &[&str]) -> Option<String> {
    let json = input.as_str();
    if json.len() > INPUT {
        return None;
    }
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(&json) else { return None };
    let words = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => parts.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|parts| parts.join(" ")),
        _ => None,
    };
    let texts = names.iter().filter_map(|name| members.get(*name)).filter_map(words);
    texts.map(|text| clean::line(&text, DETAIL)).find(|text| !text.is_empty())
}

/// True for inputs that say nothing: some executors announce a call before its input is written.
fn nothing(input: &Json<'_>) -> bool {
    let json = input.as_str();
    json.len() < 64 && matches!(json.split_whitespace().collect::<String>().as_str(), "" | "{}" | "null" | "\"\"")
}
