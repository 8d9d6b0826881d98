//! The invariants of the event vocabulary.

use crate::conform::diff::Diff;
use crate::conform::json::{number, says, text};
use crate::conform::view::{is, is_terminal};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Checks that the events hang together, and that the envelope counts them as they are.
pub(super) fn check(events: &[Value], envelope: &Value, diff: &mut Diff) {
    order(events, diff);
    sessions(events, diff);
    calls(events, envelope, diff);
    turns(events, envelope, diff);
    let notices = events.iter().filter(|event| is(event, "notice")).count();
    diff.eq("notices", envelope["notices"].clone(), notices);
    let acts: Vec<&Value> = events.iter().filter(|event| is(event, "act")).collect();
    diff.eq("number of acts", crate::conform::json::list(envelope, "acts").len(), acts.len());
}

fn order(events: &[Value], diff: &mut Diff) {
    for (place, event) in events.iter().enumerate() {
        if event["seq"] != place {
            diff.add(format!("event {place} has seq {}", event["seq"]));
            return;
        }
    }
    for pair in events.windows(2) {
        for key in ["line", "turn"] {
            if number(&pair[0], key) > number(&pair[1], key) {
                diff.add(format!("{key} goes back from {} to {}: {}", pair[0][key], pair[1][key], pair[1]["type"]));
                return;
            }
        }
    }
}

fn sessions(events: &[Value], diff: &mut Diff) {
    let mut seen = HashSet::new();
    for event in events.iter().filter(|event| is(event, "session_started")) {
        let id = text(event, "session_id");
        diff.hold(seen.insert(id), || format!("session {id} started twice"));
    }
}

fn calls(events: &[Value], envelope: &Value, diff: &mut Diff) {
    let (mut open, mut seen) = (HashSet::new(), HashSet::new());
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for event in events {
        let id = text(event, "tool_call_id");
        if is(event, "tool_call") {
            diff.hold(open.insert(id), || format!("tool call {id} opened twice"));
            diff.hold(!id.is_empty(), || format!("event {} is a tool call without an id", event["seq"]));
            seen.insert(id);
            *counts.entry("started").or_default() += 1;
        }
        if is(event, "tool_call_update") {
            let status = text(event, "status");
            diff.hold(seen.contains(id), || format!("update of {id} before its call"));
            diff.hold(is_terminal(status) || status == "in_progress", || format!("strange status {status}"));
            if is_terminal(status) {
                diff.hold(open.remove(id) || !seen.contains(id), || format!("two terminal updates of {id}"));
                *counts.entry(status).or_default() += 1;
            }
        }
    }
    let mut left: Vec<&str> = open.into_iter().collect();
    left.sort_unstable();
    diff.hold(left.is_empty(), || format!("calls without a terminal update: {left:?}"));
    for key in ["started", "completed", "failed", "declined", "cancelled", "unknown"] {
        let count = counts.get(key).copied().unwrap_or_default();
        diff.eq(format_args!("tools.{key}"), envelope["tools"][key].clone(), count);
    }
}

fn turns(events: &[Value], envelope: &Value, diff: &mut Diff) {
    let (mut begun, mut ended) = (HashSet::new(), HashSet::new());
    for event in events {
        let turn = event["turn"].as_u64();
        if is(event, "turn_started") {
            diff.hold(begun.insert(turn), || format!("turn {} started twice", event["turn"]));
        }
        if is(event, "turn_ended") {
            diff.hold(begun.contains(&turn), || format!("turn {} ended but never started", event["turn"]));
            diff.hold(ended.insert(turn), || format!("turn {} ended twice", event["turn"]));
            let reason = text(event, "stop_reason");
            diff.hold(!reason.is_empty(), || format!("turn {} ended for no reason", event["turn"]));
            diff.hold(!says(event, "error") || reason != "end_turn", || {
                format!("turn {} ended well and with an error", event["turn"])
            });
        }
    }
    diff.eq("turns", envelope["turns"].clone(), begun.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn amiss(events: &[Value]) -> Vec<String> {
        let numbered = events.iter().enumerate().map(|(seq, event)| {
            let mut event = event.clone();
            event["seq"] = seq.into();
            event["line"] = 1.into();
            event.as_object_mut().expect("an event").entry("turn").or_insert(0.into());
            event
        });
        let mut diff = Diff::new();
        let events: Vec<Value> = numbered.collect();
        order(&events, &mut diff);
        sessions(&events, &mut diff);
        calls(&events, &json!({}), &mut diff);
        turns(&events, &json!({}), &mut diff);
        // The envelope's counts are not what is tested here.
        diff.into_vec().into_iter().filter(|d| !d.contains("got null")).collect()
    }

    #[test]
    fn each_broken_invariant_is_noticed() {
        let call = json!({"type": "tool_call", "tool_call_id": "c"});
        let done = json!({"type": "tool_call_update", "tool_call_id": "c", "status": "completed"});
        let session = json!({"type": "session_started", "session_id": "s"});
        let began = json!({"type": "turn_started"});
        let ended = json!({"type": "turn_ended", "stop_reason": "end_turn"});
        let later = json!({"type": "notice", "turn": 1});
        let good = [&session, &began, &call, &done, &call, &done, &ended, &later];
        assert_eq!(amiss(&good.map(Clone::clone)), Vec::<String>::new());
        let bad: [(&[&Value], &str); 8] = [
            (&[&session, &session], "session s started twice"),
            (&[&call], "calls without a terminal update"),
            (&[&done], "update of c before its call"),
            (&[&call, &call, &done], "opened twice"),
            (&[&call, &done, &done], "two terminal updates of c"),
            (&[&ended], "ended but never started"),
            (&[&began, &ended, &ended], "ended twice"),
            (&[&later, &began], "turn goes back"),
        ];
        for (events, want) in bad {
            let events: Vec<Value> = events.iter().map(|event| (*event).clone()).collect();
            let got = amiss(&events);
            assert!(got.iter().any(|difference| difference.contains(want)), "{want}: {got:?}");
        }
    }
}
