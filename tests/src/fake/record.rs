//! What is written into files for the tests to read.

use std::io;
use std::path::Path;

/// Writes a file whole: a reader sees all of it or none.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    std::fs::write(&temporary, bytes)?;
    std::fs::rename(&temporary, path)
}

/// Arguments, environment, directory and number of this process, as JSON.
pub(super) fn this_process() -> io::Result<String> {
    let argv: Vec<String> = std::env::args_os().map(|arg| quoted(&arg.to_string_lossy())).collect();
    let mut env: Vec<String> = std::env::vars_os()
        .map(|(name, value)| format!("{}:{}", quoted(&name.to_string_lossy()), quoted(&value.to_string_lossy())))
        .collect();
    env.sort();
    let cwd = quoted(&std::env::current_dir()?.to_string_lossy());
    Ok(format!(
        r#"{{"argv":[{}],"env":{{{}}},"cwd":{cwd},"pid":{}}}"#,
        argv.join(","),
        env.join(","),
        std::process::id()
    ))
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// How much of stdin was read, and its FNV-1a hash (64 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) bytes: u64,
    pub(super) fnv: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { bytes: 0, fnv: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Sum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        for &byte in bytes {
            self.fnv = (self.fnv ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(super) fn json(self) -> String {
        format!(r#"{{"bytes":{},"fnv1a64":"{:016x}"}}"#, self.bytes, self.fnv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_json() {
        assert_eq!(quoted("a\"b\\c\nd\u{1}é"), r#""a\"b\\c\u000ad\u0001é""#);
    }

    #[test]
    fn hashes_as_published() {
        // Vectors of the algorithm's authors.
        for (text, want) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            let mut sum = Sum::default();
            sum.add(text.as_bytes());
            assert_eq!(sum.fnv, want);
        }
    }
}
