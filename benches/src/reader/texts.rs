//! Every text of an event, for those who read all of them.

use turnline::{Event, EventKind, Part, Text};

/// Hands over each text that the event has, those of its lists included. Raw JSON (a tool's input) is not a text.
pub(super) fn texts(event: &Event<'_>, each: &mut impl FnMut(&Text<'_>)) {
    some(each, [&event.native_type, &event.agent, &event.parent_tool_call_id]);
    match &event.kind {
        EventKind::SessionStarted(session) => {
            each(&session.session_id);
            some(each, [&session.model, &session.cwd, &session.cli_version, &session.permission_mode]);
        }
        EventKind::Message(message) => {
            some(each, [&message.message_id]);
            part(each, &message.part);
            each(&message.text);
        }
        EventKind::Reasoning(reasoning) => {
            some(each, [&reasoning.message_id]);
            part(each, &reasoning.part);
            each(&reasoning.text);
        }
        EventKind::ToolCall(call) => {
            each(&call.tool_call_id);
            each(&call.name);
            some(each, [&call.server, &call.title]);
            for location in call.locations.iter() {
                some(each, [&location.path]);
            }
        }
        EventKind::ToolCallUpdate(update) => {
            each(&update.tool_call_id);
            some(each, [&update.output, &update.error, &update.input_delta]);
            for change in update.changes.iter() {
                some(each, [&change.path, &change.op, &change.diff]);
            }
        }
        EventKind::Plan(plan) => {
            for entry in plan.entries.iter() {
                some(each, [&entry.content, &entry.status, &entry.priority]);
            }
        }
        EventKind::Usage(usage) => some(each, [&usage.model]),
        EventKind::RateLimit(limit) => {
            each(&limit.name);
            some(each, [&limit.status]);
        }
        EventKind::Notice(notice) => {
            some(each, [&notice.code]);
            each(&notice.message);
        }
        EventKind::PermissionRequest(request) => {
            each(&request.request_id);
            some(each, [&request.kind, &request.tool_call_id, &request.title]);
        }
        EventKind::PermissionResolved(resolved) => {
            some(each, [&resolved.request_id, &resolved.tool_call_id, &resolved.by, &resolved.reason]);
        }
        EventKind::Subagent(agent) => some(each, [&agent.name, &agent.description, &agent.status]),
        EventKind::Compaction(compaction) => some(each, [&compaction.trigger]),
        EventKind::Act(act) => {
            each(&act.act_id);
            each(&act.kind);
            some(each, [&act.target, &act.command, &act.tool_call_id]);
        }
        EventKind::TurnEnded(ended) => {
            if let Some(error) = &ended.error {
                each(&error.class);
                each(&error.message);
            }
        }
        EventKind::Raw(raw) => each(&raw.text),
        _ => {}
    }
}

fn some<const N: usize>(each: &mut impl FnMut(&Text<'_>), texts: [&Option<Text<'_>>; N]) {
    for text in texts.into_iter().flatten() {
        each(text);
    }
}

fn part(each: &mut impl FnMut(&Text<'_>), part: &Option<Part<'_>>) {
    if let Some(Part::Id(id)) = part {
        each(id);
    }
}
