//! The events that are a line or a few: sessions, turns, plans, notices, permissions, sub-agents, acts, raw pieces.

use super::clean;
use super::number;
use super::paint::Tone;
use turnline::{
    Act, Compaction, Event, EventKind, Known, Notice, Outcome, PermissionRequest, PermissionResolved, Phase,
    PlanUpdate, Raw, RawReason, SessionStarted, Severity, StopReason, Subagent, Text, TurnEnded,
};

/// Characters of a line.
const LINE: usize = 400;
/// Characters of an id or a name.
const NAME: usize = 120;
/// Entries of a plan that are shown.
const ENTRIES: usize = 50;

/// A line and its looks.
pub(super) type Note = Option<(Tone, String)>;

/// What an event has to say in a line; `call` is the tool call it is about, in words.
pub(super) fn note(event: &Event<'_>, executor: &str, call: Option<&str>) -> Note {
    match &event.kind {
        EventKind::SessionStarted(session) => Some(session_started(session, executor)),
        EventKind::TurnStarted if event.turn > 0 && event.agent.is_none() => {
            Some((Tone::Faint, format!("── turn {} ──", u64::from(event.turn) + 1)))
        }
        EventKind::Notice(notice) => Some(noticed(notice)),
        EventKind::PermissionRequest(request) => Some(requested(request, call)),
        EventKind::PermissionResolved(resolved) => Some(permission(resolved, call)),
        EventKind::Compaction(compaction) => compacted(compaction),
        EventKind::Act(act) => Some(acted(act)),
        EventKind::TurnEnded(ended) => turn_ended(ended),
        EventKind::Raw(raw) => handed_over(raw),
        _ => None,
    }
}

/// The call that an event is about, where it does not tell its name itself.
pub(super) fn call_id<'e, 'a>(kind: &'e EventKind<'a>) -> Option<&'e Text<'a>> {
    match kind {
        EventKind::PermissionRequest(request) => request.tool_call_id.as_ref(),
        EventKind::PermissionResolved(resolved) => resolved.tool_call_id.as_ref(),
        _ => None,
    }
}

/// The plan as it stands, a line an entry.
pub(super) fn plan(plan: &PlanUpdate<'_>) -> String {
    let mut text = String::from("plan");
    let mut entries = plan.entries.iter();
    for entry in entries.by_ref().take(ENTRIES) {
        let status = entry.status.map(|status| status.decode().into_owned()).unwrap_or_default();
        let mark = match status.as_str() {
            "completed" => "[x]".to_owned(),
            "in_progress" => "[>]".to_owned(),
            "pending" | "" => "[ ]".to_owned(),
            other => format!("[{}]", clean::line(other, NAME)),
        };
        let content = entry.content.map(|content| clean::line(&content.decode(), LINE)).unwrap_or_default();
        text.push_str(&format!("\n  {mark} {content}"));
    }
    match entries.count() {
        0 => {}
        more => text.push_str(&format!("\n  … {more} more")),
    }
    text
}

/// The beginning and the end of a sub-agent.
pub(super) fn subagent(news: &Subagent<'_>, name: &str) -> Note {
    let mut line = match news.phase {
        Phase::Started => format!("▸ sub-agent {name} began"),
        Phase::Ended => format!("◂ sub-agent {name} ended"),
        _ => return None,
    };
    let more = if news.phase == Phase::Ended { &news.status } else { &news.description };
    add(&mut line, ": ", more.as_ref());
    Some((Tone::Faint, line))
}

fn session_started(session: &SessionStarted<'_>, executor: &str) -> (Tone, String) {
    let mut line = executor.to_owned();
    add(&mut line, " ", session.cli_version.as_ref());
    add(&mut line, ", ", session.model.as_ref());
    add(&mut line, ", session ", Some(&session.session_id));
    add(&mut line, ", in ", session.cwd.as_ref());
    add(&mut line, ", permissions: ", session.permission_mode.as_ref());
    match session.resumed {
        Some(turnline::Resumed::Replaced) => {
            line.push_str("\nnot the session that was asked for");
            (Tone::Warning, line)
        }
        Some(_) => {
            line.push_str(" (goes on)");
            (Tone::Faint, line)
        }
        None => (Tone::Faint, line),
    }
}

fn noticed(notice: &Notice<'_>) -> (Tone, String) {
    let (tone, mut line) = match notice.severity {
        Severity::Info => (Tone::Faint, "i ".to_owned()),
        Severity::Warning => (Tone::Warning, "! ".to_owned()),
        _ => (Tone::Bad, "! ".to_owned()),
    };
    let message = clean::line(&notice.message.decode(), LINE);
    let code = notice.code.as_ref().map(|code| clean::line(&code.decode(), NAME)).filter(|code| !code.is_empty());
    line.push_str(if message.is_empty() { code.as_deref().unwrap_or("notice") } else { &message });
    match code {
        Some(code) if !message.is_empty() && notice.retry.is_none() => line.push_str(&format!(" [{code}]")),
        _ => {}
    }
    line.push_str(&tries(notice));
    (tone, line)
}

fn tries(notice: &Notice<'_>) -> String {
    let Some(retry) = &notice.retry else { return String::new() };
    let mut text = String::from(" (tries again");
    match (retry.attempt, retry.max) {
        (Some(attempt), Some(max)) => text.push_str(&format!(", {attempt} of {max}")),
        (Some(attempt), None) => text.push_str(&format!(", try {attempt}")),
        _ => {}
    }
    if let Some(delay) = retry.delay_ms {
        text.push_str(&format!(", in {}", number::time(delay as f64)));
    }
    text.push(')');
    text
}

fn requested(request: &PermissionRequest<'_>, call: Option<&str>) -> (Tone, String) {
    let mut line = String::from("? asks for permission");
    let told = [&request.title, &request.kind].into_iter().flatten().next();
    match call {
        Some(call) => line.push_str(&format!(": {call}")),
        None => add(&mut line, ": ", told),
    }
    (Tone::Warning, line)
}

fn permission(resolved: &PermissionResolved<'_>, call: Option<&str>) -> (Tone, String) {
    let (tone, word) = match resolved.outcome {
        Outcome::Allowed => (Tone::Faint, "✓ permission given"),
        Outcome::Cancelled => (Tone::Faint, "✗ permission request withdrawn"),
        _ => (Tone::Warning, "✗ permission denied"),
    };
    let mut line = word.to_owned();
    add(&mut line, " by ", resolved.by.as_ref());
    match call {
        Some(call) => line.push_str(&format!(": {call}")),
        None => add(&mut line, ": call ", resolved.tool_call_id.as_ref()),
    }
    add(&mut line, ": ", resolved.reason.as_ref());
    (tone, line)
}

fn compacted(compaction: &Compaction<'_>) -> Note {
    let mut line = match compaction.phase {
        Phase::Started => String::from("… shortens its context"),
        Phase::Ended => String::from("… shortened its context"),
        _ => return None,
    };
    if let Some(trigger) = &compaction.trigger {
        line.push_str(&format!(" ({})", clean::line(&trigger.decode(), NAME)));
    }
    match (compaction.tokens_before, compaction.tokens_after) {
        (Some(before), Some(after)) => {
            line.push_str(&format!(" from {} to {} tokens", number::count(before), number::count(after)));
        }
        (Some(before), None) => line.push_str(&format!(" of {} tokens", number::count(before))),
        _ => {}
    }
    Some((Tone::Faint, line))
}

fn acted(act: &Act<'_>) -> (Tone, String) {
    let mut line = String::from("‼ ");
    line.push_str(&clean::line(&act.kind.decode(), NAME));
    add(&mut line, " ", act.target.as_ref());
    add(&mut line, ": ", act.command.as_ref());
    if act.irreversible {
        line.push_str(" (cannot be taken back)");
    }
    match act.ok {
        Some(Known(true)) => (Tone::Strong, line),
        Some(Known(false)) => (Tone::Faint, format!("{line}, failed")),
        _ => (Tone::Strong, format!("{line}, outcome unknown")),
    }
}

/// Only what is out of the ordinary; the reasons stand in the verdict.
fn turn_ended(ended: &TurnEnded<'_>) -> Note {
    let (tone, text) = match ended.stop_reason {
        StopReason::EndTurn | StopReason::Unknown => return None,
        StopReason::MaxTokens => (Tone::Warning, "! the turn ended at the limit of output tokens"),
        StopReason::MaxTurnRequests => (Tone::Warning, "! the turn ended at the limit of requests"),
        StopReason::Budget => (Tone::Warning, "! the turn ended with the budget spent"),
        StopReason::Refusal => (Tone::Warning, "! the model refused"),
        StopReason::Cancelled => (Tone::Warning, "! the turn was interrupted"),
        _ => (Tone::Bad, "! the turn failed"),
    };
    Some((tone, text.to_owned()))
}

/// Records of unknown types are only counted (in the verdict): there may be hundreds.
fn handed_over(raw: &Raw<'_>) -> Note {
    let text = raw.text.decode();
    match raw.reason {
        RawReason::Text => Some((Tone::Plain, clean::block(&text))),
        RawReason::Malformed => Some((Tone::Faint, format!("· {}", clean::line(&text, 200)))),
        RawReason::Oversize => {
            Some((Tone::Warning, format!("! {} bytes over a limit were left out", number::count(raw.bytes))))
        }
        _ => None,
    }
}

/// Appends a text of unknown origin, where there is one.
fn add(line: &mut String, before: &str, text: Option<&Text<'_>>) {
    let text = text.map(|text| clean::line(&text.decode(), LINE)).unwrap_or_default();
    if !text.is_empty() {
        line.push_str(before);
        line.push_str(&text);
    }
}
