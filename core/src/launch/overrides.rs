//! MCP servers as overrides of a configuration that is written in TOML.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value};

/// Each server of a document `{"mcpServers": {"name": {...}}}` as `name={...}`, ordered by name.
pub(super) fn servers(json: &str) -> Result<Vec<String>, String> {
    let document: Value = serde_json::from_str(json).map_err(|error| format!("the mcp_config is not JSON: {error}"))?;
    let servers = document.get("mcpServers").and_then(Value::as_object);
    let servers = servers.ok_or("the mcp_config has no table `mcpServers`")?;
    let one = |(name, table): (&String, &Value)| {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match table {
            Value::Object(table) if plain => Ok(format!("{name}={}", inline(table)?)),
            Value::Object(_) => {
                Err(format!("`{name}` cannot be the name of an MCP server here: letters, digits, - and _"))
            }
            _ => Err(format!("the MCP server `{name}` is no table")),
        }
    };
    sorted(servers).into_iter().map(one).collect()
}

/// By name: in which order a table is read depends on who else is in the program.
fn sorted(table: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
    entries
}

fn inline(table: &Map<String, Value>) -> Result<String, String> {
    let entries: Result<Vec<String>, String> =
        sorted(table).into_iter().map(|(key, value)| Ok(format!("{}={}", quoted(key), toml(value)?))).collect();
    Ok(format!("{{{}}}", entries?.join(",")))
}

/// A value in TOML, on one line.
fn toml(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Null => return Err("the mcp_config holds a null, which TOML has not".to_string()),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(values) => format!("[{}]", values.iter().map(toml).collect::<Result<Vec<_>, _>>()?.join(",")),
        Value::Object(table) => inline(table)?,
    })
}

/// A string in TOML. JSON's escapes are TOML's too; only the character 127 must be escaped there.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
