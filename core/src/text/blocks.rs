//! The text of a JSON value: of a string, of a list of blocks, of a block. Two levels deep at most, so nothing recurses.

use super::decode;
use super::raw;
use crate::scan::{Kind, Slot, skip_ws, value};

/// Gives the text of a value: a list's is its blocks' one after another (strings, and the `text` of objects), an object's
/// its `text`, else what its `content` says (a string or a list); null has none; anything else is its JSON.
pub(super) fn pieces<E>(json: &[u8], sink: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    match json.get(skip_ws(json, 0)) {
        Some(b'"') => match value(json, 0) {
            Ok((slot, _)) => string(json, slot, sink),
            Err(_) => decode::plain(json, sink),
        },
        Some(b'n') => Ok(()),
        Some(b'[') => list(json, sink),
        Some(b'{') => {
            let [text, content] = raw::fields(json, ["text", "content"]);
            match (text.kind, content.kind) {
                (Kind::Str | Kind::Escaped, _) => string(json, text, sink),
                (_, Kind::Str | Kind::Escaped) => string(json, content, sink),
                (_, Kind::Array) => list(content.of(json), sink),
                _ => sink(&raw::repaired(json)),
            }
        }
        _ => sink(&raw::repaired(json)),
    }
}

fn list<E>(json: &[u8], sink: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    for block in raw::elements(json) {
        match block.kind {
            Kind::Str | Kind::Escaped => string(json, block, sink)?,
            Kind::Object => {
                let block = block.of(json);
                if let Some(text) = raw::field(block, "text") {
                    string(block, text, sink)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Gives a string's text; nothing for other values.
fn string<E>(json: &[u8], slot: Slot, sink: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    match slot.kind {
        Kind::Str => decode::plain(slot.of(json), sink),
        Kind::Escaped => decode::escaped(slot.of(json), sink),
        _ => Ok(()),
    }
}
