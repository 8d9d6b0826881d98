//! The script's text as a tree of steps.

use std::fmt;

/// A script that is not right, or an instruction that could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    line: usize,
    message: String,
}

impl ScriptError {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ScriptError {}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) name: String,
    /// The rest of the line.
    pub(super) rest: String,
    /// The lines of a block, and their text (a child process is started with it).
    pub(super) block: Vec<Step>,
    pub(super) text: String,
}

const BLOCKS: [&str; 8] = ["fork", "daemonize", "on", "loop", "if-env", "if-arg", "if-line", "if-eof"];

const SIMPLE: [&str; 38] = [
    "again",
    "alone",
    "append",
    "append-argv",
    "broken-pipe",
    "cat",
    "cat-err",
    "close-stderr",
    "close-stdin",
    "close-stdout",
    "exec-sleep",
    "exit",
    "flood",
    "hold-pipes",
    "ignore",
    "kill-self",
    "print",
    "print-err",
    "print-padded",
    "print-raw",
    "print-raw-err",
    "print-vars",
    "read-bytes",
    "read-line",
    "read-stdin",
    "record-argv",
    "remove",
    "repeat",
    "repeat-err",
    "save-stdin",
    "setsid",
    "sleep",
    "touch",
    "wait-children",
    "wait-file",
    "wait-forever",
    "write",
    "write-pid",
];

/// Whether the script is well formed: known instructions, blocks that end. What follows an instruction's name is looked at when it runs.
///
/// # Errors
///
/// Names the line.
pub fn check(text: &str) -> Result<(), ScriptError> {
    parse(text).map(drop)
}

pub(super) fn parse(text: &str) -> Result<Vec<Step>, ScriptError> {
    let mut open: Vec<Step> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut outer: Vec<Vec<Step>> = Vec::new();
    for (at, raw) in text.split('\n').enumerate() {
        let number = at + 1;
        let line = raw.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let name = name.trim_end();
        if name == "end" {
            let Some(mut block) = open.pop() else {
                return Err(ScriptError::new(number, "end without a block"));
            };
            block.block = std::mem::replace(&mut steps, outer.pop().unwrap_or_default());
            steps.push(block);
            keep(&mut open, raw);
            continue;
        }
        keep(&mut open, raw);
        let mut step =
            Step { line: number, name: name.into(), rest: rest.into(), block: Vec::new(), text: String::new() };
        if let Some((signal, inner)) =
            rest.split_once(' ').filter(|(_, inner)| name == "on" && !inner.trim().is_empty())
        {
            step.rest = signal.into();
            step.block = parse(inner)?;
            steps.push(step);
        } else if BLOCKS.contains(&name) {
            outer.push(std::mem::take(&mut steps));
            open.push(step);
        } else if SIMPLE.contains(&name) {
            steps.push(step);
        } else {
            return Err(ScriptError::new(number, format!("unknown instruction '{name}'")));
        }
    }
    match open.pop() {
        Some(block) => Err(ScriptError::new(block.line, format!("'{}' without end", block.name))),
        None => Ok(steps),
    }
}

/// A block's text is every line inside it, inner blocks and their ends included.
fn keep(open: &mut [Step], raw: &str) {
    for block in open {
        block.text.push_str(raw);
        block.text.push('\n');
    }
}

/// The bytes that `print-raw` means.
pub(super) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next()? {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'\\' => b'\\',
            b'x' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            _ => return None,
        });
    }
    Some(out)
}

/// `text` with `$NAME` and `${NAME}` replaced; what `variable` does not know is empty.
pub(super) fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (name, tail) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some(braced) => braced,
            None => after.split_at(after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len())),
        };
        out.push_str(&variable(name).unwrap_or_default());
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_nest_and_keep_their_text() {
        let steps =
            parse("print a  b\nfork quiet\n  sleep 1\n  loop 2\n    print x\n  end\nend\non TERM exit 143\n").unwrap();
        assert_eq!(steps.len(), 3);
        assert_eq!((steps[0].name.as_str(), steps[0].rest.as_str()), ("print", "a  b"));
        assert_eq!(steps[1].rest, "quiet");
        assert_eq!(steps[1].text, "  sleep 1\n  loop 2\n    print x\n  end\n");
        assert_eq!(steps[1].block[1].block[0].rest, "x");
        assert_eq!(parse(&steps[1].text).unwrap().len(), 2);
        assert_eq!((steps[2].rest.as_str(), steps[2].block[0].name.as_str()), ("TERM", "exit"));
    }

    #[test]
    fn faults_name_their_line() {
        for (text, want) in [
            ("print a\nfrobnicate", "line 2: unknown instruction 'frobnicate'"),
            ("end", "line 1: end without a block"),
            ("# x\n\nfork\nprint a", "line 3: 'fork' without end"),
        ] {
            assert_eq!(check(text).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape(r"a\n\x00\xff\\é").unwrap(), b"a\n\x00\xff\\\xc3\xa9");
        assert!(unescape(r"\q").is_none());
        assert!(unescape(r"\x1").is_none());
    }

    #[test]
    fn variables() {
        let known = |name: &str| (name == "D").then(|| "/tmp/d".to_string());
        assert_eq!(expand("$D/a ${D}b $X.", known), "/tmp/d/a /tmp/db .");
    }
}
