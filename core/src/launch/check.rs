//! What a launch table must not say.

use super::MARKER;
use super::host::Platform;
use super::spec::{ArgSpec, ArgWhen, DocumentForm, LaunchSpec, PromptSpec, Via, When};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Something that a launch table must not say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchIssue {
    /// A stable code.
    pub code: &'static str,
    /// The place, as a JSON pointer from the launch table on (`/args/3/when`).
    pub pointer: String,
    /// A sentence for people.
    pub message: Cow<'static, str>,
}

impl LaunchSpec {
    /// All that is wrong with it; nothing, when it can be used. Whoever builds a profile calls this.
    #[must_use]
    pub fn check(&self) -> Vec<LaunchIssue> {
        let mut issues = Issues(Vec::new());
        issues.list(&self.args, "/args");
        issues.prompt(&self.prompt);
        if self.args.iter().any(|entry| matches!(entry, ArgSpec::When(group) if group.when == When::Ask))
            && !self.args.iter().any(|entry| matches!(entry, ArgSpec::When(group) if group.when == When::Interactive))
        {
            issues.add("launch_ask", "/args", "permissions can be asked for only in an interactive run");
        }
        if let Some(bad) = self.env.unusable() {
            issues.add("launch_variable", "/env", format!("'{}' cannot be a variable", bad.escape_debug()));
        }
        if self.env.sets(MARKER, Platform::Windows) {
            issues.add("launch_variable", format!("/env/set/{MARKER}"), "it is set by the run itself");
        }
        if let Some(probe) = &self.probe {
            if probe.is_empty() {
                issues.add("launch_empty", "/probe", "without arguments it would start a conversation");
            }
            issues.texts(probe, "/probe");
        }
        if let Some(review) = &self.review {
            issues.list(review, "/review");
            let asks = |entry: &ArgSpec| matches!(entry, ArgSpec::When(group) if group.when.is_review());
            if !review.iter().any(asks) {
                issues.add("launch_empty", "/review", "it says of no changes that they can be reviewed");
            }
        }
        if let Some(attach) = &self.attach {
            issues.list(attach, "/attach");
        }
        issues.0
    }
}

struct Issues(Vec<LaunchIssue>);

impl Issues {
    fn add(&mut self, code: &'static str, pointer: impl Into<String>, message: impl Into<Cow<'static, str>>) {
        self.0.push(LaunchIssue { code, pointer: pointer.into(), message: message.into() });
    }

    fn texts(&mut self, texts: &[String], pointer: &str) {
        for (index, text) in texts.iter().enumerate() {
            self.text(text, &format!("{pointer}/{index}"));
        }
    }

    fn text(&mut self, text: &str, pointer: &str) {
        if text.is_empty() {
            self.add("launch_empty", pointer, "it is empty");
        } else if text.contains('\0') {
            self.add("launch_argument", pointer, "no argument can hold a NUL character");
        }
    }

    fn list(&mut self, list: &[ArgSpec], pointer: &str) {
        for (index, entry) in list.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            match entry {
                ArgSpec::Text(text) => self.text(text, &pointer),
                ArgSpec::When(group) => self.group(group, list, &pointer),
            }
        }
        let extras = list.iter().filter(|entry| matches!(entry, ArgSpec::When(group) if group.when == When::Extra));
        if extras.count() > 1 {
            self.add("launch_duplicate", pointer, "the caller's arguments have more than one place");
        }
    }

    fn group(&mut self, group: &ArgWhen, list: &[ArgSpec], pointer: &str) {
        let name = group.when.as_str();
        self.texts(&group.args, &format!("{pointer}/args"));
        self.texts(&group.otherwise, &format!("{pointer}/otherwise"));
        let places = |group: &ArgWhen| group.args.iter().any(|arg| arg.contains("{}"));
        let placed = places(group);
        let elsewhere =
            list.iter().any(|entry| matches!(entry, ArgSpec::When(other) if other.when == group.when && places(other)));
        if group.when == When::Extra && !(group.args.is_empty() && group.otherwise.is_empty()) {
            self.add("launch_argument", pointer, "the caller's arguments stand alone: it takes no others");
        } else if group.when.has_value() && !elsewhere && !group.args.is_empty() {
            self.add(
                "launch_value",
                format!("{pointer}/args"),
                format!("no argument has a {{}} for the value of `{name}`"),
            );
        } else if group.when.has_value() && group.args.is_empty() {
            self.add("launch_value", pointer, format!("it has no arguments, so the value of `{name}` would be lost"));
        } else if !group.when.has_value() && placed {
            self.add("launch_value", format!("{pointer}/args"), format!("`{name}` has no value for {{}}"));
        }
        for (index, arg) in group.otherwise.iter().enumerate() {
            if arg.contains("{}") {
                self.add(
                    "launch_value",
                    format!("{pointer}/otherwise/{index}"),
                    "there is no value when nothing was asked for",
                );
            }
        }
        if group.takes == Some(DocumentForm::Overrides) && group.when != When::McpConfig {
            self.add("launch_takes", format!("{pointer}/takes"), "only MCP servers are taken as overrides");
        }
        if group.takes.is_some() && !group.when.is_document() {
            self.add("launch_takes", format!("{pointer}/takes"), format!("`{name}` is no document"));
        }
    }

    fn prompt(&mut self, prompt: &PromptSpec) {
        if prompt.via.is_empty() {
            self.add("launch_empty", "/prompt/via", "there is no way to hand a prompt over");
        }
        for (index, via) in prompt.via.iter().enumerate() {
            if prompt.via.iter().take(index).any(|earlier| earlier == via) {
                self.add("launch_duplicate", format!("/prompt/via/{index}"), "it is named twice");
            }
        }
        let argument = prompt.via.contains(&Via::Argument);
        let only_argument = [
            ("separator", prompt.separator.is_some()),
            ("flag", prompt.flag.is_some()),
            ("joined", prompt.joined),
            ("refuse", !prompt.refuse.is_empty()),
        ];
        for (name, said) in only_argument {
            if said && !argument {
                self.add("launch_prompt", format!("/prompt/{name}"), "the prompt is never an argument");
            }
        }
        for (name, text) in [("separator", &prompt.separator), ("flag", &prompt.flag)] {
            if let Some(text) = text {
                self.text(text, &format!("/prompt/{name}"));
            }
        }
        self.texts(&prompt.refuse, "/prompt/refuse");
        if prompt.joined && prompt.flag.is_none() {
            self.add("launch_prompt", "/prompt/joined", "there is no flag that the prompt could be joined to");
        }
        if prompt.separator.is_some() && prompt.flag.is_some() {
            self.add("launch_prompt", "/prompt/separator", "after a separator nothing is the value of a flag");
        }
        if prompt.limit == Some(0) {
            self.add("launch_prompt", "/prompt/limit", "every prompt would be refused");
        }
    }
}
