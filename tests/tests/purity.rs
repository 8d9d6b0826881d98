//! The core knows no vendor, and does nothing but compute.

use std::path::{Path, PathBuf};
use turnline_tests::conform::corpus::entries;

/// Names of vendors, their CLIs and models. Only profile files, tests and examples may say them.
const VENDORS: &[&str] = &[
    "claude",
    "anthropic",
    "codex",
    "openai",
    "gpt",
    "opencode",
    "gemini",
    "google",
    "qwen",
    "alibaba",
    "kimi",
    "moonshot",
    "cursor-agent",
    "cursor_agent",
    "cursoragent",
    "copilot",
    "github",
    "aider",
    "amp",
    "sourcegraph",
    "crush",
    "charmbracelet",
    "droid",
    "goose",
    "pi",
];

/// What would let the world in.
const IMPURE: &[&str] = &[
    "std::time",
    "std::fs",
    "std::env",
    "std::thread",
    "std::process",
    "std::io",
    "std::net",
    "std::os",
    "tokio",
    "Instant",
    "SystemTime",
    "rand",
    "getrandom",
    "thread_local",
    "println",
    "eprintln",
    "unsafe",
];

/// A source file of the core: its path below `src`, and its lines of code that are no test.
struct Source {
    path: PathBuf,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable source");
                found.push(Source { path: path.strip_prefix(&root).expect("below the root").to_owned(), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

impl Source {
    fn is_test(&self) -> bool {
        self.path.components().any(|part| part.as_os_str() == "tests") || self.path.ends_with("tests.rs")
    }

    /// The numbered lines up to the tests at the bottom, without examples in documentation.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut example = false;
        let engine = self.text.lines().take_while(|line| !line.trim().starts_with("#[cfg(test)]"));
        engine.enumerate().filter_map(move |(n, line)| {
            let line = line.trim();
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if doc.is_some_and(|doc| doc.trim().starts_with("```")) {
                example = !example;
                return None;
            }
            example &= doc.is_some();
            (!example && !line.is_empty()).then_some((n + 1, line))
        })
    }
}

/// True when the word stands in the line, not as a part of a longer one.
fn says(line: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        !part(before) && !part(after)
    })
}

/// A line of documentation without what stands between back quotes.
fn without_examples(line: &str) -> String {
    match line.starts_with("///") || line.starts_with("//!") {
        true => line.split('`').step_by(2).collect(),
        false => line.to_owned(),
    }
}

/// `CamelCase` and `UPPER` come apart into lower-case words.
fn words(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut lower = false;
    for c in line.chars() {
        if c.is_uppercase() && lower {
            out.push(' ');
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
        out.extend(c.to_lowercase());
    }
    out
}

fn report(found: &[String]) {
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_vendor_is_named_in_the_engine() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test() && !source.path.ends_with("profile/catalogue.rs"))
    {
        for (n, line) in source.lines() {
            for vendor in VENDORS.iter().filter(|vendor| says(&words(&without_examples(line)), vendor)) {
                found.push(format!("{}:{n} says {vendor}: {line}", source.path.display()));
            }
        }
    }
    report(&found);
}

#[test]
fn no_profile_file_is_included_but_by_the_catalogue() {
    let includes =
        |line: &str| line.contains("include_str!") || line.contains("include_bytes!") || line.contains("include!");
    // No profile: the table of acts.
    let known = |line: &str| line.contains("README") || line.contains("(\"../../acts.toml\")");
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !source.path.ends_with("profile/catalogue.rs")) {
        for (n, line) in source.lines().filter(|(_, line)| includes(line) && !known(line)) {
            found.push(format!("{}:{n}: {line}", source.path.display()));
        }
    }
    report(&found);
}

#[test]
fn nothing_of_the_world_comes_in() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        for (n, line) in source.lines().filter(|(_, line)| !line.starts_with("//")) {
            for word in IMPURE.iter().filter(|word| says(line, word)) {
                if line.contains("forbid(unsafe_code)") {
                    continue;
                }
                found.push(format!("{}:{n} uses {word}: {line}", source.path.display()));
            }
        }
    }
    report(&found);
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (krate, file) in [("core", "lib.rs"), ("io-tokio", "lib.rs"), ("cli", "main.rs"), ("tests", "lib.rs")] {
        let text = std::fs::read_to_string(root.join(krate).join("src").join(file)).unwrap_or_default();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{krate}/src/{file} does not forbid unsafe code");
    }
}

#[test]
fn the_core_depends_on_nothing_that_does_input_or_output() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the core's manifest");
    let dependencies =
        manifest.split("[dependencies]").nth(1).expect("dependencies").split("\n[").next().unwrap_or_default();
    let allowed = ["bytes", "fearless_simd", "memchr", "serde", "serde_json", "toml"];
    for line in dependencies.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
        // It only describes types, and only where a feature asks for it.
        let describes =
            ["schemars", "agent-client-protocol-schema"].contains(&name) && line.contains("optional = true");
        assert!(allowed.contains(&name) || describes, "the core depends on {name}");
    }
}

#[test]
fn words_are_found_as_words() {
    assert!(says(&words("struct GeminiQuirk;"), "gemini"));
    assert!(says(&words("const CODEX_ID: u8"), "codex"));
    assert!(!says(&words("let pieces = capital;"), "pi"));
    assert!(says(&words("// what pi prints"), "pi"));
    assert!(!says("operand", "rand"));
    assert!(!says(&words(&without_examples("/// As with `extends = \"codex\"`.")), "codex"));
    assert!(says(&words(&without_examples("let x = `codex`;")), "codex"));
}
