//! Streams that are too large or too dull to be kept as files.

const SESSION: &str = "7d1f0c52-3b6e-4c0a-9f7e-52a1b0c3d401";

/// The stream that a case names in its `generate`.
///
/// # Panics
/// At an unknown name.
pub(super) fn stream(generator: &str) -> Vec<u8> {
    match generator {
        // One base64 image of 6 MiB twice on one line.
        "huge_line" => screenshot(6 << 20),
        // The same with 2 MiB: more than the limit that the case sets.
        "overlong_line" => screenshot(2 << 20),
        "deep_nesting" => deep_nesting(100_000),
        other => panic!("unknown generator {other}"),
    }
}

fn screenshot(size: usize) -> Vec<u8> {
    let image = format!("iVBORw0KGgo{}", "QUJD".repeat(size / 4));
    let content =
        format!(r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{image}"}}}}]"#);
    let lines = [
        format!(
            r#"{{"type":"system","subtype":"init","session_id":"{SESSION}","tools":["Read"],"model":"claude-sonnet-4-5"}}"#
        ),
        format!(
            r#"{{"type":"assistant","parent_tool_use_id":null,"session_id":"{SESSION}","message":{{"id":"msg_1","type":"message","role":"assistant","content":[{{"type":"tool_use","id":"toolu_1","name":"Read","input":{{"file_path":"shot.png"}}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","parent_tool_use_id":null,"session_id":"{SESSION}","tool_use_result":{{"type":"image","file":{{"base64":"{image}"}}}},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_1","content":{content}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"result":"The screenshot shows a login form.","session_id":"{SESSION}","total_cost_usd":0.01,"usage":{{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":9}}}}"#
        ),
    ];
    (lines.join("\n") + "\n").into_bytes()
}

fn deep_nesting(depth: usize) -> Vec<u8> {
    let lines = [
        format!(r#"{{"type": "system", "subtype": "init", "session_id": "{SESSION}"}}"#),
        format!(
            r#"{{"type":"user","tool_use_result":{}{},"message":{{"role":"user","content":[]}},"parent_tool_use_id":null,"session_id":"{SESSION}"}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        ),
        format!(
            r#"{{"type": "result", "subtype": "success", "is_error": false, "result": "Still here.", "session_id": "{SESSION}", "usage": {{"input_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9}}}}"#
        ),
    ];
    (lines.join("\n") + "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// The streams are part of the corpus: they may not change by accident.
    #[test]
    fn generated_streams_are_those_that_the_cases_were_written_for() {
        let rows = [("huge_line", HUGE_LINE), ("overlong_line", OVERLONG_LINE), ("deep_nesting", DEEP_NESTING)];
        for (generator, want) in rows {
            let digest: String = Sha256::digest(stream(generator)).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digest, want, "{generator}");
        }
    }

    const HUGE_LINE: &str = "2413dc3c540611eed17044cf1a10efe7fe88dbec4b12764e1f0902cb82ec49bf";
    const OVERLONG_LINE: &str = "08e8afd1cefd30a41de59217169ae4fd4aca80583e098ae8688b237e1ce702e5";
    const DEEP_NESTING: &str = "821d0510268cc4e45ce43b7389c37697354286da28bd914ca3461f26cc000132";
}
