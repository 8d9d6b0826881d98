//! Acts: once all events are there, the commands in them are looked through, and the acts set in behind the calls' ends.

use super::field::keys_of;
use super::state::{State, fields};
use serde_json::Value;
use turnline::acts::{ActTable, FoundAct};

/// A call that runs a command, as long as it is open.
struct Call {
    id: Value,
    tool: String,
    input: Value,
}

/// Adds the events; the envelope's acts.
pub(super) fn add(state: &mut State<'_>) -> Vec<Value> {
    let Some(table) = &state.options.acts else { return Vec::new() };
    let mut events = Vec::new();
    let mut open: Vec<Call> = Vec::new();
    let mut records = Vec::new();
    let mut made = 0;
    for event in std::mem::take(&mut state.events) {
        events.push(event.clone());
        let id = &event["tool_call_id"];
        let tool = event["name"].as_str().unwrap_or_default();
        if event["type"] == "tool_call" && event["kind"] == "execute" && state.spec.tools.commands.contains_key(tool) {
            open.push(Call { id: id.clone(), tool: tool.into(), input: event["input"].clone() });
        }
        if event["type"] != "tool_call_update" {
            continue;
        }
        let Some(at) = open.iter().position(|call| call.id == *id) else { continue };
        if open[at].input.is_null() {
            open[at].input = event["input"].clone();
        }
        if event["status"] == "in_progress" {
            continue;
        }
        let call = open.remove(at);
        let ok = match (event["status"].as_str(), event["exit_code"].as_i64()) {
            (Some("completed"), code) => Some(code.unwrap_or(0) == 0),
            (Some("failed" | "declined"), _) => Some(false),
            _ => None,
        };
        for found in found(state, table, &call) {
            made += 1;
            let target = match event["output"].as_str().filter(|_| ok == Some(true)) {
                Some(output) => found.target_in(output),
                None => found.target.clone(),
            };
            let mut act = fields([
                ("act_id", Some(format!("act-{made}").into())),
                ("kind", Some(found.kind.into())),
                ("target", target.map(Value::from)),
                ("command", Some(found.command.into())),
                ("tool_call_id", Some(call.id.clone())),
                ("ok", ok.map(Value::from)),
                ("irreversible", found.irreversible.then_some(true.into())),
            ]);
            let mut record = act.clone();
            for key in ["target", "ok"] {
                record.entry(key).or_insert(Value::Null);
            }
            record.entry("irreversible").or_insert(false.into());
            records.push(Value::Object(record));
            act.insert("type".into(), "act".into());
            for key in ["turn", "line", "native_type", "agent", "parent_tool_call_id", "synthetic"] {
                if let Some(value) = event.get(key) {
                    act.insert(key.into(), value.clone());
                }
            }
            events.push(Value::Object(act));
        }
    }
    for (seq, event) in events.iter_mut().enumerate() {
        event["seq"] = seq.into();
    }
    state.events = events;
    records.truncate(state.options.limits.acts);
    records
}

/// The acts in a call's command.
fn found(state: &State<'_>, table: &ActTable, call: &Call) -> Vec<FoundAct> {
    let mut value = call.input.clone();
    let path = state.spec.tools.commands[&call.tool].as_str();
    let path = path.strip_prefix("@.").unwrap_or(path);
    for key in if path == "@" { Vec::new() } else { keys_of(path) } {
        if let Value::String(text) = &value {
            value = serde_json::from_str(text).unwrap_or_default();
        }
        // Of what is no object there is no key.
        value = value.get_mut(&*key).map(Value::take).unwrap_or_default();
    }
    match value {
        Value::String(line) => table.find_within(&line, &state.options.limits),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            table.find_in_arguments(words.iter().filter_map(Value::as_str), &state.options.limits)
        }
        _ => Vec::new(),
    }
}
