//! Takes secrets out of a command before it is kept: by the name of what they are given to, by where they stand in an
//! address, by what they begin with. One pass.

use super::table::RedactSpec;
use alloc::string::String;
use alloc::vec::Vec;

/// Stands where a secret was.
const REDACTED: &str = "[redacted]";
/// Characters that a key has behind its beginning, at least.
const KEY: usize = 10;

/// The text without its secrets. `options` are options of this program whose value is one.
pub(super) fn redact(text: &str, rules: &RedactSpec, options: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let step = if rest.starts_with("-----BEGIN ") {
            Some(block(rest, &mut out))
        } else if rest.starts_with("://") {
            address(rest, &mut out)
        } else if before.is_alphanumeric() || before == '_' {
            None
        } else {
            key(rest, rules, &mut out).or_else(|| name(rest, before, rules, options, &mut out))
        };
        let step = step.unwrap_or_else(|| {
            out.push(c);
            c.len_utf8()
        });
        before = text[at..at + step].chars().next_back().unwrap_or(' ');
        at += step;
    }
    out
}

/// A private key in the form of a block of lines.
fn block(rest: &str, out: &mut String) -> usize {
    out.push_str(REDACTED);
    let end = memchr::memmem::find(rest.as_bytes(), b"-----END ").map_or(rest.len(), |end| end + "-----END ".len());
    rest[end..].find("-----").map_or(rest.len(), |dashes| end + dashes + 5)
}

/// The user and the password of an address.
fn address(rest: &str, out: &mut String) -> Option<usize> {
    let authority = rest.get(3..)?;
    let end = authority.find(|c: char| c.is_whitespace() || "/?#'\"`;|&<>()".contains(c)).unwrap_or(authority.len());
    let user = authority[..end].rfind('@').filter(|at| &authority[..*at] != "git")?;
    out.push_str("://");
    out.push_str(REDACTED);
    Some(3 + user)
}

/// A key that is known by what it begins with.
fn key(rest: &str, rules: &RedactSpec, out: &mut String) -> Option<usize> {
    let prefix = rules.prefixes.iter().find(|prefix| rest.starts_with(&***prefix))?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c))).unwrap_or(rest.len());
    // `npm_config_x=` is the name of a variable.
    if end < prefix.len() + KEY || rest[end..].starts_with('=') {
        return None;
    }
    out.push_str(REDACTED);
    Some(end)
}

/// A name with what is given to it: `NAME=value`, `--name value`, `Name: value`.
fn name(rest: &str, before: char, rules: &RedactSpec, options: &[String], out: &mut String) -> Option<usize> {
    let dashes = rest.len() - rest.trim_start_matches('-').len();
    let dashes = if before == '-' { 0 } else { dashes.min(2) };
    let end =
        rest[dashes..].find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).map_or(rest.len(), |n| dashes + n);
    if end == dashes {
        return None;
    }
    let said = &rest[..end];
    let own = dashes > 0 && options.iter().any(|option| option == said);
    let user = dashes > 0 && rules.users.iter().any(|option| option == said);
    let secret = own || is_secret(&said[dashes..], rules);
    if !secret && !user {
        // A short option with its value in the same word.
        let glued = options.iter().find(|option| option.len() == 2 && dashes == 1 && said.starts_with(&***option));
        return match glued {
            Some(option) => {
                out.push_str(option);
                out.push_str(REDACTED);
                Some(word(rest))
            }
            None => {
                out.push_str(said);
                Some(end)
            }
        };
    }
    out.push_str(said);
    let after = &rest[end..];
    let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
    let glue = if after.starts_with('=') {
        1
    } else if dashes > 0 && spaces > 0 && !after[spaces..].starts_with('-') {
        spaces
    } else {
        // `"name": "value"`, or a header.
        let quote = usize::from(after.starts_with(['"', '\'']));
        let colon = after[quote..].trim_start_matches(' ');
        if user || !colon.starts_with(':') || colon.starts_with("://") {
            return Some(end);
        }
        let glue = after.len() - colon.len() + 1;
        let value = after[glue..].trim_start_matches(' ');
        out.push_str(&after[..after.len() - value.len()]);
        return Some(rest.len() - value.len() + header(value, quote > 0, out));
    };
    out.push_str(&after[..glue]);
    let value = &after[glue..];
    if user {
        let end_of_value = word(value);
        return Some(match value[..end_of_value].find(':').filter(|colon| !value[*colon..].starts_with("://")) {
            Some(colon) => {
                out.push_str(&value[..=colon]);
                out.push_str(REDACTED);
                end + glue + end_of_value
            }
            None => end + glue,
        });
    }
    let end_of_value = word(value);
    if end_of_value > 0 {
        out.push_str(REDACTED);
    }
    Some(end + glue + end_of_value)
}

/// The value of a header, up to the quote or the line's end; of a field of JSON, up to what follows it.
fn header(value: &str, json: bool, out: &mut String) -> usize {
    let quote = value.chars().next().filter(|c| json && matches!(c, '"' | '\''));
    let end = match quote {
        Some(quote) => value[1..].find(quote).map_or(value.len(), |end| end + 2),
        None if json => value.find([',', '}', ' ', '\n']).unwrap_or(value.len()),
        None => value.find(['"', '\'', '\n']).unwrap_or(value.len()),
    };
    if end > 0 {
        out.push_str(REDACTED);
    }
    end
}

/// Where the word that begins here ends, quotes and all.
fn word(text: &str) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, _) if c.is_whitespace() || ";|&<>()".contains(c) => return at,
            (None, _) => {}
        }
    }
    text.len()
}

/// Whether a name is that of something secret.
fn is_secret(name: &str, rules: &RedactSpec) -> bool {
    /// No name is longer.
    const NAME: usize = 128;
    if name.len() > NAME || rules.public.iter().any(|public| public == name) {
        return false;
    }
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            spaced.push(' ');
        } else {
            if c.is_uppercase() && lower {
                spaced.push(' ');
            }
            spaced.extend(c.to_lowercase());
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
    }
    let parts: Vec<&str> = spaced.split_whitespace().collect();
    rules.names.iter().any(|known| {
        let known: Vec<&str> = known.split(' ').collect();
        parts.windows(known.len()).any(|parts| *parts == *known)
    })
}
