//! Events as `session/update` notifications of the Agent Client Protocol, in the types of its official crate (protocol
//! version 1).
//!
//! An [`Exporter`] goes through the events of one run in their order. That protocol has pieces of text where events have
//! pieces and wholes: a whole text adds what its pieces had not said yet. What the protocol cannot say is listed in
//! [`NOT_EXPRESSED`], kind by kind; [`PARTLY_EXPRESSED`] lists what the updates leave out.
//!
//! ```
//! use turnline::export::acp::Exporter;
//! use turnline::{Parser, Profile};
//!
//! let mut parser = Parser::new(&Profile::builtin("codex")?);
//! parser.push(br#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"pong"}}"#);
//! parser.eof();
//! let mut exporter = Exporter::new("my-session");
//! let mut updates = Vec::new();
//! while let Some(event) = parser.next_event() {
//!     updates.extend(exporter.export(&event).map(|update| serde_json::to_value(update).unwrap()));
//! }
//! assert_eq!(updates[0]["update"]["sessionUpdate"], "agent_message_chunk");
//! assert_eq!(updates[0]["update"]["content"]["text"], "pong");
//! # Ok::<(), turnline::ProfileError>(())
//! ```

use crate::event as ours;
use crate::event::{Event, EventKind, Role};
use crate::memory::Memory;
use crate::text::{Json, Text};
use agent_client_protocol_schema::v1 as acp;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use agent_client_protocol_schema::v1::{SessionNotification, StopReason};

/// Kinds of events that are no update, and why.
pub const NOT_EXPRESSED: &[(&str, &str)] = &[
    ("session_started", "a session begins by the answer to `session/new` or `session/load`"),
    ("turn_started", "a turn begins by the request `session/prompt`"),
    (
        "usage",
        "`usage_update` tells how full the context window is, whose size no executor says; tokens have no update",
    ),
    ("rate_limit", "a provider's limits have no update"),
    ("permission_request", "it is a request of its own, `session/request_permission`, with an answer"),
    ("permission_resolved", "the outcome is the answer to that request"),
    ("subagent", "there are no sub-agents in a session; the call that started one is a tool call"),
    ("act", "an act is told by its tool call"),
    ("turn_ended", "it is the answer to `session/prompt`: see `stop_reason`"),
    ("raw", "pieces of the stream are no update"),
];

/// What updates leave out of the kinds that have one.
pub const PARTLY_EXPRESSED: &[(&str, &str)] = &[
    (
        "message",
        "texts of sub-agents, since they are not the session's agent's; a whole text that contradicts its pieces, and one that is withdrawn: what was sent stands",
    ),
    ("reasoning", "as of messages; thoughts whose text the vendor withholds"),
    ("tool_call", "the server of a tool"),
    (
        "tool_call_update",
        "`declined`, `cancelled` and `unknown` are `failed`; pieces of an input; diffs, which are told there as whole texts: the files stand as locations",
    ),
    ("plan", "words for status and priority other than the protocol's: `pending` and `medium`"),
    ("notice", "only for clients that can show notices (`Exporter::notices`); codes and retries stand in the text"),
    (
        "compaction",
        "only for clients that can (`Exporter::compactions`); what triggered it, and how many tokens it saved",
    ),
];

/// Makes notifications of one run's events.
#[derive(Debug)]
pub struct Exporter {
    session: acp::SessionId,
    notices: bool,
    compactions: bool,
    /// Texts of which pieces were sent.
    sent: Memory<Sent>,
    compaction: u64,
    compacting: bool,
}

/// What was sent of a text.
#[derive(Debug, Default)]
struct Sent {
    text: String,
    /// Over the bound: what comes as a whole cannot be compared any more.
    lost: bool,
}

/// Texts whose pieces are remembered: the last ones that are open at the same time.
const TEXTS: usize = 16;
/// Bytes of pieces remembered of one text (1 MiB): a whole that is longer than that is taken to say the same.
const BYTES: usize = 1 << 20;

impl Exporter {
    /// An exporter of one run, under the session's id between client and agent (which is the host's to choose).
    #[must_use]
    pub fn new(session: &str) -> Self {
        Exporter {
            session: acp::SessionId::new(session),
            notices: false,
            compactions: false,
            sent: Memory::new(TEXTS),
            compaction: 0,
            compacting: false,
        }
    }

    /// Whether the client said that it can show notices (`session.notices`); off at first.
    #[must_use]
    pub fn notices(mut self, can: bool) -> Self {
        self.notices = can;
        self
    }

    /// Whether the client said that it can show compactions (`session.compaction`); off at first.
    #[must_use]
    pub fn compactions(mut self, can: bool) -> Self {
        self.compactions = can;
        self
    }

    /// The notification that an event is; none where it is no update, or says nothing new.
    #[must_use]
    pub fn export(&mut self, event: &Event<'_>) -> Option<SessionNotification> {
        let update = self.update(event)?;
        Some(SessionNotification::new(self.session.clone(), update))
    }

    fn update(&mut self, event: &Event<'_>) -> Option<acp::SessionUpdate> {
        let main = event.agent.is_none() && event.parent_tool_call_id.is_none();
        match &event.kind {
            EventKind::Message(message) if main => {
                let key = (b'm', message.message_id.as_ref(), message.part.as_ref());
                let chunk = self.chunk(key, &message.text, message.delta)?;
                Some(match message.role {
                    Role::User => acp::SessionUpdate::UserMessageChunk(chunk),
                    Role::Assistant => acp::SessionUpdate::AgentMessageChunk(chunk),
                })
            }
            EventKind::Reasoning(reasoning) if main => {
                let key = (b'r', reasoning.message_id.as_ref(), reasoning.part.as_ref());
                let chunk = self.chunk(key, &reasoning.text, reasoning.delta)?;
                Some(acp::SessionUpdate::AgentThoughtChunk(chunk))
            }
            EventKind::ToolCall(call) => Some(acp::SessionUpdate::ToolCall(tool_call(call, event))),
            EventKind::ToolCallUpdate(update) => tool_call_update(update).map(acp::SessionUpdate::ToolCallUpdate),
            EventKind::Plan(plan) if main => Some(acp::SessionUpdate::Plan(acp::Plan::new(entries(plan)))),
            EventKind::Notice(notice) if self.notices => Some(acp::SessionUpdate::Notice(told(notice))),
            EventKind::Compaction(compaction) if self.compactions && main => {
                Some(acp::SessionUpdate::CompactionUpdate(self.compacted(compaction)))
            }
            EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Plan(_)
            | EventKind::Notice(_)
            | EventKind::Compaction(_)
            | EventKind::SessionStarted(_)
            | EventKind::TurnStarted
            | EventKind::Usage(_)
            | EventKind::RateLimit(_)
            | EventKind::PermissionRequest(_)
            | EventKind::PermissionResolved(_)
            | EventKind::Subagent(_)
            | EventKind::Act(_)
            | EventKind::TurnEnded(_)
            | EventKind::Raw(_) => None,
        }
    }

    /// A piece of text: of a whole whose pieces were sent, what is missing.
    fn chunk(
        &mut self,
        key: (u8, Option<&Text<'_>>, Option<&ours::Part<'_>>),
        text: &Text<'_>,
        delta: bool,
    ) -> Option<acp::ContentChunk> {
        let (kind, message, part) = key;
        let text = text.decode();
        let mut id = alloc::vec![kind];
        id.extend_from_slice(message.map(|message| message.decode()).unwrap_or_default().as_bytes());
        match part {
            None => {}
            Some(ours::Part::Index(number)) => id.extend_from_slice(alloc::format!("\0#{number}").as_bytes()),
            Some(ours::Part::Id(part)) => id.extend_from_slice(alloc::format!("\0{part}").as_bytes()),
        }
        let known = self.sent.find(&id);
        let news = if delta {
            let at = known.or_else(|| self.sent.insert(&id, Sent::default()));
            if let Some(sent) = at.and_then(|at| self.sent.value_mut(at)) {
                sent.lost |= sent.text.len() + text.len() > BYTES;
                if sent.lost { sent.text = String::new() } else { sent.text.push_str(&text) }
            }
            Some(&*text)
        } else {
            match known.and_then(|at| self.sent.remove(at)) {
                None => Some(&*text),
                Some(sent) if sent.lost => None,
                Some(sent) => text.strip_prefix(&*sent.text),
            }
        };
        let news = news.filter(|news| !news.is_empty())?;
        let chunk = acp::ContentChunk::new(block(news));
        Some(match message {
            Some(message) => chunk.message_id(acp::MessageId::new(message.decode().into_owned())),
            None => chunk,
        })
    }

    fn compacted(&mut self, compaction: &ours::Compaction<'_>) -> acp::CompactionUpdate {
        // What ends one that was never begun is one of its own.
        if !core::mem::replace(&mut self.compacting, compaction.phase != ours::Phase::Ended) {
            self.compaction += 1;
        }
        let status = match compaction.phase {
            ours::Phase::Ended => acp::CompactionStatus::Completed,
            _ => acp::CompactionStatus::InProgress,
        };
        acp::CompactionUpdate::new(acp::CompactionId::new(alloc::format!("compaction-{}", self.compaction)), status)
    }
}

/// What `session/prompt` is answered with when a turn has ended. None for an end that the protocol answers with an error, or has
/// no word for.
#[must_use]
pub fn stop_reason(stop: ours::StopReason) -> Option<StopReason> {
    match stop {
        ours::StopReason::EndTurn => Some(StopReason::EndTurn),
        ours::StopReason::MaxTokens => Some(StopReason::MaxTokens),
        ours::StopReason::MaxTurnRequests => Some(StopReason::MaxTurnRequests),
        ours::StopReason::Refusal => Some(StopReason::Refusal),
        ours::StopReason::Cancelled => Some(StopReason::Cancelled),
        ours::StopReason::Budget | ours::StopReason::Error | ours::StopReason::Unknown => None,
    }
}

fn block(text: &str) -> acp::ContentBlock {
    acp::ContentBlock::Text(acp::TextContent::new(text))
}

fn id(id: &Text<'_>) -> acp::ToolCallId {
    acp::ToolCallId::new(id.decode().into_owned())
}

fn tool_call(call: &ours::ToolCall<'_>, event: &Event<'_>) -> acp::ToolCall {
    let kind = match call.kind {
        ours::ToolKind::Read => acp::ToolKind::Read,
        ours::ToolKind::Edit => acp::ToolKind::Edit,
        ours::ToolKind::Delete => acp::ToolKind::Delete,
        ours::ToolKind::Move => acp::ToolKind::Move,
        ours::ToolKind::Search => acp::ToolKind::Search,
        ours::ToolKind::Execute => acp::ToolKind::Execute,
        ours::ToolKind::Think => acp::ToolKind::Think,
        ours::ToolKind::Fetch => acp::ToolKind::Fetch,
        ours::ToolKind::Other => acp::ToolKind::Other,
    };
    let name = call.name.decode().into_owned();
    let title = call.title.as_ref().filter(|title| !title.is_blank()).map(|title| title.decode().into_owned());
    let mut made = acp::ToolCall::new(id(&call.tool_call_id), title.unwrap_or_else(|| name.clone())).kind(kind);
    made.name = Some(name);
    made.raw_input = call.input.as_ref().and_then(value);
    made.locations = locations(call.locations.iter().map(|place| (place.path, place.line)));
    let of = [("agent", &event.agent), ("parentToolCallId", &event.parent_tool_call_id)];
    let of: acp::Meta =
        of.into_iter().filter_map(|(key, of)| Some((key.to_string(), of.as_ref()?.to_string().into()))).collect();
    // Whose call it is, the protocol has no field for.
    made.meta = (!of.is_empty()).then(|| core::iter::once(("turnline".to_string(), of.into())).collect());
    made
}

/// News of a call; none where the update would say nothing.
fn tool_call_update(update: &ours::ToolCallUpdate<'_>) -> Option<acp::ToolCallUpdate> {
    let mut fields = acp::ToolCallUpdateFields::new();
    fields.status = Some(match update.status {
        ours::ToolStatus::InProgress => acp::ToolCallStatus::InProgress,
        ours::ToolStatus::Completed => acp::ToolCallStatus::Completed,
        _ => acp::ToolCallStatus::Failed,
    });
    let texts = [&update.output, &update.error].into_iter().flatten().filter(|text| !text.is_empty());
    let content: Vec<acp::ToolCallContent> = texts.map(|text| block(&text.decode()).into()).collect();
    fields.content = (!content.is_empty()).then_some(content);
    let changed = locations(update.changes.iter().map(|change| (change.path, None)));
    fields.locations = (!changed.is_empty()).then_some(changed);
    fields.raw_input = update.input.as_ref().and_then(value);
    fields.raw_output = update.exit_code.map(|code| serde_json::json!({ "exitCode": code }));
    let silent = fields.content.is_none() && fields.locations.is_none() && fields.raw_input.is_none();
    if silent && update.input_delta.is_some() && !update.status.is_terminal() {
        return None;
    }
    Some(acp::ToolCallUpdate::new(id(&update.tool_call_id), fields))
}

fn locations<'a>(places: impl Iterator<Item = (Option<Text<'a>>, Option<u64>)>) -> Vec<acp::ToolCallLocation> {
    places
        .filter_map(|(path, line)| {
            let mut place = acp::ToolCallLocation::new(path?.decode().into_owned());
            place.line = line.and_then(|line| u32::try_from(line).ok());
            Some(place)
        })
        .collect()
}

fn value(json: &Json<'_>) -> Option<serde_json::Value> {
    json.to_value().ok()
}

fn entries(plan: &ours::PlanUpdate<'_>) -> Vec<acp::PlanEntry> {
    let is = |word: &Option<Text<'_>>, name: &str| word.as_ref().is_some_and(|word| *word == *name);
    let entry = |entry: ours::PlanEntry<'_>| {
        let priority = match &entry.priority {
            word if is(word, "high") => acp::PlanEntryPriority::High,
            word if is(word, "low") => acp::PlanEntryPriority::Low,
            _ => acp::PlanEntryPriority::Medium,
        };
        let status = match &entry.status {
            word if is(word, "in_progress") => acp::PlanEntryStatus::InProgress,
            word if is(word, "completed") => acp::PlanEntryStatus::Completed,
            _ => acp::PlanEntryStatus::Pending,
        };
        let content = entry.content.map(|content| content.decode().into_owned()).unwrap_or_default();
        acp::PlanEntry::new(content, priority, status)
    };
    plan.entries.iter().map(entry).collect()
}

fn told(notice: &ours::Notice<'_>) -> acp::Notice {
    let severity = match notice.severity {
        ours::Severity::Info => acp::NoticeSeverity::Info,
        ours::Severity::Warning => acp::NoticeSeverity::Warning,
        ours::Severity::Error => acp::NoticeSeverity::Error,
    };
    let message = notice.message.decode();
    let code = notice.code.as_ref().map(|code| code.decode().into_owned());
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let title = lines.next().map(ToString::to_string).or(code).unwrap_or_else(|| "notice".to_string());
    let made = acp::Notice::new(severity, title);
    if lines.next().is_some() { made.description(message.into_owned()) } else { made }
}
