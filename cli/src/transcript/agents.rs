//! Who is at work: the main agent or a sub-agent, and what that one is called.

use super::clean;
use super::recent::Recent;
use turnline::{Event, Phase, Subagent};

/// Sub-agents remembered by name.
const REMEMBERED: usize = 1024;
/// Characters of a name, and of what a sub-agent is for.
const NAME: usize = 60;

/// The sub-agents' names.
#[derive(Debug)]
pub(super) struct Agents {
    names: Recent<String, String>,
}

impl Agents {
    pub(super) fn new() -> Self {
        Agents { names: Recent::new(REMEMBERED) }
    }

    /// The key of who an event is from: empty for the main agent.
    pub(super) fn lane(event: &Event<'_>) -> String {
        let id = event.agent.as_ref().or(event.parent_tool_call_id.as_ref());
        id.map(|id| id.decode().into_owned()).unwrap_or_default()
    }

    /// Learns a name where the event tells one; of what it is for, a name is made only at its beginning.
    pub(super) fn learn(&mut self, lane: &str, event: &Event<'_>, news: &Subagent<'_>) {
        let purpose = news.description.as_ref().filter(|_| news.phase == Phase::Started);
        let Some(name) = news.name.as_ref().or(purpose) else { return };
        let name = clean::line(&name.decode(), NAME);
        if name.is_empty() {
            return;
        }
        // Some executors name the sub-agent on its own records, some only the call that started it.
        if let Some(parent) = &event.parent_tool_call_id {
            self.names.insert(parent.decode().into_owned(), name.clone());
        }
        if !lane.is_empty() {
            self.names.insert(lane.to_owned(), name);
        }
    }

    /// The sub-agent's name, where one was told.
    pub(super) fn name(&self, lane: &str) -> Option<String> {
        self.names.get(lane).cloned()
    }
}

/// What to call a sub-agent that nobody named.
pub(super) fn nameless(lane: &str) -> String {
    clean::line(lane, NAME)
}
