//! Tool calls, and what becomes of them.

use super::{list, named};
use crate::reference::field::Here;
use crate::reference::node::tree;
use crate::reference::state::{Call, State, fields};
use serde_json::Value;
use turnline::profile::{Field, ListField, ToolCallEmit, ToolCallUpdateEmit, When};
use turnline::{ToolKind, ToolStatus};

impl State<'_> {
    pub(super) fn tool_call(&mut self, e: &ToolCallEmit<Field, When, ListField>, here: Here<'_>) {
        self.ensure_turn();
        self.not_a_text();
        let id = here.id(&e.tool_call_id).unwrap_or_else(|| {
            self.calls_made += 1;
            format!("call-{}", self.calls_made)
        });
        let input = here.picked(&e.input).map(|node| tree(node, 400));
        if let Some(open) = self.calls.iter_mut().find(|call| call.id == id) {
            // Once more: only an input that was not there before is news.
            if input.is_some() && !std::mem::replace(&mut open.has_input, true) {
                let all = fields([
                    ("tool_call_id", Some(id.into())),
                    ("status", Some("in_progress".into())),
                    ("input", input),
                ]);
                self.event("tool_call_update", false, all);
            }
            return;
        }
        if self.calls.len() >= self.options.limits.open_calls {
            self.close_oldest_call();
        }
        let (agent, parent) = (self.record.agent.clone(), self.record.parent.clone());
        self.calls.push(Call { id: id.clone(), has_input: input.is_some(), agent, parent });
        self.tools.started += 1;
        let tools = &self.spec.tools;
        let name = here.text(&e.name).unwrap_or_default();
        let kind = named!(here, &e.kind, ToolKind).or_else(|| tools.kinds.get(&name).copied()).unwrap_or_default();
        let server = here.text(&e.server).or_else(|| {
            let rest = here.picked(&e.name)?.string()?;
            let mcp = tools.mcp.as_ref()?;
            let (server, _) = rest.strip_prefix(&mcp.prefix)?.split_once(&mcp.separator)?;
            Some(server.to_owned())
        });
        let all = fields([
            ("tool_call_id", Some(id.into())),
            ("name", Some(name.into())),
            ("kind", Some(kind.as_str().into())),
            ("server", server.map(Value::from)),
            ("title", here.text(&e.title).map(Value::from)),
            ("input", input),
            ("locations", list(here, &e.locations, &["path", "line"])),
        ]);
        self.event("tool_call", false, all);
    }

    pub(super) fn tool_call_update(&mut self, e: &ToolCallUpdateEmit<Field, When, ListField>, here: Here<'_>) {
        self.not_a_text();
        let open = match here.id(&e.tool_call_id) {
            Some(id) => self.calls.iter().position(|call| call.id == id),
            // A profile that names no id means the newest call.
            None if e.tool_call_id.is_none() => self.calls.len().checked_sub(1),
            None => None,
        };
        let Some(open) = open else {
            let (native, whole) = (self.record.native.clone(), self.record.bytes.clone());
            self.count_unmapped(&native, &whole);
            return;
        };
        let id = self.calls[open].id.clone();
        let status = named!(here, &e.status, ToolStatus).unwrap_or(ToolStatus::InProgress);
        if status != ToolStatus::InProgress {
            self.calls.remove(open);
            self.requests.retain(|(_, call)| call.as_ref() != Some(&id));
            // Each request that names no call waits for one of those that run.
            while self.requests.iter().filter(|(_, call)| call.is_none()).count() > self.calls.len() {
                let oldest = self.requests.iter().position(|(_, call)| call.is_none()).expect("there is one");
                self.requests.remove(oldest);
            }
            let tools = &mut self.tools;
            match status {
                ToolStatus::Completed => tools.completed += 1,
                ToolStatus::Failed => tools.failed += 1,
                ToolStatus::Declined => tools.declined += 1,
                ToolStatus::Cancelled => tools.cancelled += 1,
                _ => tools.unknown += 1,
            }
        }
        let all = fields([
            ("tool_call_id", Some(id.into())),
            ("status", Some(status.as_str().into())),
            ("output", here.text(&e.output).map(Value::from)),
            ("error", here.text(&e.error).map(Value::from)),
            ("exit_code", here.signed(&e.exit_code).map(Value::from)),
            ("changes", list(here, &e.changes, &["path", "op", "diff"])),
            ("input_delta", here.text(&e.input_delta).map(Value::from)),
        ]);
        self.event("tool_call_update", false, all);
    }

    /// A tool ends the message of ours that is open, and what text came before it.
    fn not_a_text(&mut self) {
        let agent = self.record.agent.clone();
        self.end_message(&agent);
        if !self.record.nested() {
            self.texts.tool(self.spec.answer);
        }
    }
}
