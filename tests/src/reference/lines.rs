//! From bytes to lines, and from a line to the values on it.

use super::node::Node;
use turnline::profile::Framing;

/// One line of the stream.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) oversize: bool,
}

/// The lines of a stream, and how many there are by the envelope's count.
pub(super) fn cut(stdout: &[u8], framing: Framing, limit: usize) -> (Vec<Line>, u64) {
    let body = stdout.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stdout);
    if body.is_empty() {
        // A byte order mark alone is a line with nothing on it.
        return (Vec::new(), u64::from(!stdout.is_empty()));
    }
    let mut pieces: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
    let complete = pieces.len() - 1;
    if pieces.last().is_some_and(|last| last.is_empty()) {
        pieces.pop();
    }
    let count = pieces.len() as u64;
    if framing == Framing::Json {
        return (vec![Line { number: 1, bytes: body.to_vec(), oversize: body.len() > limit }], count);
    }
    let lines = pieces.into_iter().enumerate().map(|(at, piece)| {
        let ended = at < complete;
        let bytes = if ended { piece.strip_suffix(b"\r").unwrap_or(piece) } else { piece };
        Line { number: at as u64 + 1, bytes: bytes.to_vec(), oversize: bytes.len() > limit }
    });
    (lines.collect(), count)
}

/// A line made valid: its text, and for every byte of that where in the line it comes from.
pub(super) struct Repaired {
    pub(super) text: String,
    origin: Vec<usize>,
    /// The places in `text` that were mended.
    mended: Vec<usize>,
}

impl Repaired {
    pub(super) fn new(line: &[u8]) -> Self {
        let (mut text, mut origin, mut mended) = (String::new(), Vec::new(), Vec::new());
        let mut at = 0;
        for chunk in line.utf8_chunks() {
            text.push_str(chunk.valid());
            origin.extend(at..at + chunk.valid().len());
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                mended.push(text.len());
                text.push('\u{FFFD}');
                origin.extend([at; 3]);
                at += chunk.invalid().len();
            }
        }
        origin.push(at);
        let whole = crate::conform::json::without_lone_surrogates(text.as_bytes()).into_owned();
        mended.extend((0..text.len()).filter(|at| text.as_bytes()[*at] != whole[*at]));
        Repaired { text: String::from_utf8(whole).unwrap_or_default(), origin, mended }
    }

    /// Where in the line a place of the text is.
    pub(super) fn origin(&self, at: usize) -> usize {
        self.origin[at]
    }

    fn is_mended(&self, from: usize, to: usize) -> bool {
        self.mended.iter().any(|at| (from..to).contains(at))
    }
}

/// Something on a line. Places are places in the repaired text.
pub(super) enum Item<'l> {
    Record(Node<'l>),
    NonObject(Node<'l>),
    Malformed { from: usize },
}

/// What is on a line, in its order, and whether a record of it was repaired.
pub(super) fn items(line: &Repaired) -> (Vec<Item<'_>>, bool) {
    let text = line.text.as_str();
    let (mut items, mut any, mut repaired) = (Vec::new(), false, false);
    let mut at = 0;
    loop {
        let (next, escapes) = skip(text, at);
        at = next;
        repaired |= escapes;
        let rest = &text[at..];
        if rest.is_empty() {
            break;
        }
        let Some(node) = Node::first(rest) else {
            items.push(Item::Malformed { from: if any { at } else { 0 } });
            break;
        };
        let end = at + node.0.len();
        let elements = node.elements();
        let records = match node {
            node if node.is_object() => vec![node],
            _ if !elements.is_empty() && elements.iter().all(|element| element.is_object()) => elements,
            _ => Vec::new(),
        };
        if records.is_empty() {
            // Only a value that stands alone on its line is JSON; what follows the last record is one malformed line.
            if any || skip(text, end).0 != text.len() {
                items.push(Item::Malformed { from: if any { at } else { 0 } });
                break;
            }
            items.push(Item::NonObject(node));
        }
        for record in records {
            any = true;
            let start = record.start(text);
            repaired |= line.is_mended(start, start + record.0.len());
            items.push(Item::Record(record));
        }
        at = end;
    }
    (items, any && repaired)
}

/// Steps over blanks and terminal escape sequences; tells whether there was a sequence.
fn skip(text: &str, mut at: usize) -> (usize, bool) {
    let mut found = false;
    loop {
        let rest = &text[at..];
        if rest.starts_with([' ', '\t', '\r', '\n']) {
            at += 1;
        } else if rest.starts_with('\x1b') {
            at += sequence(rest);
            found = true;
        } else {
            return (at, found);
        }
    }
}

/// A text without its terminal escape sequences.
pub(super) fn strip(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..][sequence(&rest[at..])..];
    }
    kept + rest
}

/// The length of the escape sequence that a text begins with.
fn sequence(text: &str) -> usize {
    let body = &text[1..];
    let run =
        |from: usize, low: u8, high: u8| body.bytes().skip(from).take_while(|byte| (low..=high).contains(byte)).count();
    let ends =
        |at: usize, low: u8| usize::from(body.as_bytes().get(at).is_some_and(|byte| (low..=0x7e).contains(byte)));
    match body.bytes().next() {
        Some(b'[') => {
            let parameters = run(1, 0x20, 0x3f);
            2 + parameters + ends(1 + parameters, 0x40)
        }
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let bell = body.find('\x07').map(|at| at + 1);
            let terminator = body[1..].find("\x1b\\").map(|at| at + 3);
            1 + [bell, terminator].into_iter().flatten().min().unwrap_or(body.len())
        }
        Some(0x20..=0x2f) => {
            let between = run(0, 0x20, 0x2f);
            1 + between + ends(between, 0x30)
        }
        _ => 1 + ends(0, 0x30),
    }
}
