//! What the workspace depends on may be used and shipped with it: every licence is one of a list, every crate comes from the registry.

use serde_json::Value;
use std::process::Command;

/// Licences that ask for no more than a notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether a licence expression can be met by the list alone. `/` is an old way of writing `OR`.
fn allowed(expression: &str) -> bool {
    let text = expression.replace('/', " OR ");
    let any = |text: &str| text.split(" OR ").any(|one| ALLOWED.contains(&one.trim().trim_matches(['(', ')'])));
    // The only groups that occur are of alternatives: `(A OR B) AND C`.
    text.split(" AND ").all(any)
}

fn packages() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    serde_json::from_value(metadata["packages"].take()).expect("a list")
}

#[test]
fn every_dependency_may_be_used() {
    let packages = packages();
    assert!(packages.len() > 50, "{}", packages.len());
    for package in &packages {
        let (name, version) = (&package["name"], &package["version"]);
        let licence = package["license"].as_str().unwrap_or_else(|| panic!("{name} {version} names no licence"));
        assert!(allowed(licence), "{name} {version}: {licence}");
        match package["source"].as_str() {
            None => {}
            Some(source) => assert!(source.starts_with("registry+"), "{name} {version}: {source}"),
        }
    }
}

#[test]
fn no_crate_of_ours_asks_for_a_newer_compiler_than_the_readme_says() {
    for package in packages().iter().filter(|package| package["source"].is_null()) {
        assert_eq!(package["rust_version"], "1.89", "{}", package["name"]);
    }
    let readme = include_str!("../../README.md");
    assert!(readme.contains("(1.89 or newer)"));
    // Those that others build must build with it too.
    for package in packages() {
        let minor = package["rust_version"].as_str().and_then(|version| version.split('.').nth(1)?.parse::<u32>().ok());
        assert!(minor.is_none_or(|minor| minor <= 89), "{} needs {}", package["name"], package["rust_version"]);
    }
}

#[test]
fn licences_are_read_as_they_are_written() {
    for (expression, want) in [
        ("MIT", true),
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
        ("", false),
    ] {
        assert_eq!(allowed(expression), want, "{expression}");
    }
}
