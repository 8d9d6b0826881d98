//! The argument list of a run: the profile's entries, filled with what is asked for.

use super::error::{LaunchError, LaunchErrorKind};
use super::host::{Host, Platform};
use super::overrides;
use super::path;
use super::request::{Document, Request, Review, Sandbox};
use super::spec::{ArgSpec, ArgWhen, DocumentForm, PromptSpec, Via, When};
use super::{ARGUMENT_BYTES, COMMAND_LINE_BYTES_WINDOWS};
use crate::options::Resume;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What is asked for, with the value of each option that has one.
pub(super) struct Asked<'a> {
    wanted: BTreeMap<When, String>,
    extra: &'a [String],
    command: &'a str,
}

/// The arguments of a plan, and which of them its `Debug` output does not show: the index, and what is shown instead.
#[derive(Default)]
pub(super) struct Args {
    pub(super) list: Vec<String>,
    pub(super) hidden: Vec<(usize, &'static str)>,
}

impl Args {
    /// The caller's own, of which nothing is known.
    fn extra(&mut self, extra: &[String]) {
        self.hidden.extend((self.list.len()..).take(extra.len()).map(|at| (at, "(argument)")));
        self.list.extend_from_slice(extra);
    }

    /// A group's, with its value; documents name servers, and with what tokens to talk to them.
    fn group(&mut self, group: &ArgWhen, value: &str) {
        for arg in &group.args {
            if group.when.is_document() && arg.contains("{}") {
                self.hidden.push((self.list.len(), "(document)"));
            }
            self.list.push(arg.replace("{}", value));
        }
    }
}

/// Reads what a request asks for, and refuses values that could be read as something else.
pub(super) fn asked<'a>(request: &'a Request, host: &Host, command: &'a str) -> Result<Asked<'a>, LaunchError> {
    let mut wanted = BTreeMap::new();
    let mut want = |when: When, value: String| wanted.insert(when, value);
    if let Some(model) = &request.model {
        want(When::Model, plain("model", model, command)?);
    }
    match &request.resume {
        Some(Resume::Id(id)) => _ = want(When::Resume, plain("session id", id, command)?),
        Some(Resume::Last) => _ = want(When::ResumeLast, String::new()),
        None if request.fork => return Err(LaunchError::invalid(command, "there is no session to copy")),
        None => {}
    }
    if request.ask_permissions && !request.interactive {
        return Err(LaunchError::invalid(command, "permissions can be asked for only in an interactive run"));
    }
    let sandbox = request.sandbox.map(|sandbox| match sandbox {
        Sandbox::ReadOnly => When::ReadOnly,
        Sandbox::WorkspaceWrite => When::WorkspaceWrite,
        Sandbox::Full => When::Full,
    });
    let switches = [
        (request.fork, When::Fork),
        (request.keep_session || request.resume.is_some(), When::Kept),
        (request.partial_messages, When::Partial),
        (request.interactive, When::Interactive),
        (request.ask_permissions, When::Ask),
    ];
    let on = switches.into_iter().filter_map(|(on, when)| on.then_some(when));
    for when in on.chain(sandbox) {
        want(when, String::new());
    }
    match &request.review {
        None => {}
        Some(Review::Uncommitted) => _ = want(When::ReviewUncommitted, String::new()),
        Some(Review::Base(branch)) => _ = want(When::ReviewBase, plain("branch", branch, command)?),
        Some(Review::Commit(commit)) => _ = want(When::ReviewCommit, plain("commit", commit, command)?),
    }
    for (when, document) in [(When::OutputSchema, &request.output_schema), (When::McpConfig, &request.mcp_config)] {
        if let Some(document) = document {
            want(when, document_value(when, document, host, command)?);
        }
    }
    if request.extra_args.iter().any(|arg| arg.contains('\0')) {
        return Err(LaunchError::invalid(command, "an argument holds a NUL character"));
    }
    Ok(Asked { wanted, extra: &request.extra_args, command })
}

impl Asked<'_> {
    /// Fills a profile's list, and refuses what is asked for and not in it.
    pub(super) fn fill(&self, list: &[ArgSpec], request: &Request) -> Result<Args, LaunchError> {
        self.supported(list)?;
        let mut args = Args::default();
        let mut extra_placed = false;
        for entry in list {
            match entry {
                ArgSpec::Text(text) => args.list.push(text.clone()),
                ArgSpec::When(group) if group.when == When::Extra => {
                    args.extra(self.extra);
                    extra_placed = true;
                }
                ArgSpec::When(group) => match self.wanted.get(&group.when) {
                    Some(value) => {
                        self.form(group, request)?;
                        if group.takes == Some(DocumentForm::Overrides) {
                            for value in
                                overrides::servers(value).map_err(|why| LaunchError::invalid(self.command, why))?
                            {
                                args.group(group, &value);
                            }
                            continue;
                        }
                        args.group(group, value);
                    }
                    None => args.list.extend_from_slice(&group.otherwise),
                },
            }
        }
        if !extra_placed {
            args.extra(self.extra);
        }
        Ok(args)
    }

    fn supported(&self, list: &[ArgSpec]) -> Result<(), LaunchError> {
        let mentions =
            |when: When| list.iter().any(|entry| matches!(entry, ArgSpec::When(group) if group.when == when));
        // A session is kept by every executor that has no way of not keeping it.
        let missing = self.wanted.keys().find(|&&when| when != When::Kept && !mentions(when));
        match missing {
            None => Ok(()),
            Some(when) => Err(LaunchError::invalid(
                self.command,
                format_args!("it has no option for what was asked ({})", when.as_str()),
            )),
        }
    }

    fn form(&self, group: &ArgWhen, request: &Request) -> Result<(), LaunchError> {
        let document = match group.when {
            When::OutputSchema => request.output_schema.as_ref(),
            When::McpConfig => request.mcp_config.as_ref(),
            _ => None,
        };
        let wrong = match (group.takes, document) {
            (Some(DocumentForm::Text | DocumentForm::Overrides), Some(Document::File(_))) => {
                "the JSON itself, not a file"
            }
            (Some(DocumentForm::File), Some(Document::Text(_))) => "a file, not the JSON itself",
            _ => return Ok(()),
        };
        Err(LaunchError::invalid(self.command, format_args!("its {} takes {wrong}", group.when.as_str())))
    }
}

/// A value that stands alone as an argument: it must not be taken for an option.
fn plain(what: &str, value: &str, command: &str) -> Result<String, LaunchError> {
    let why = if value.trim().is_empty() {
        "is empty"
    } else if value.starts_with('-') {
        "would be read as an option"
    } else if value.chars().any(char::is_control) {
        "holds a control character"
    } else {
        return Ok(value.into());
    };
    Err(LaunchError::invalid(command, format_args!("the {what} {why}")))
}

fn document_value(when: When, document: &Document, host: &Host, command: &str) -> Result<String, LaunchError> {
    let refused = |why: &str| Err(LaunchError::invalid(command, format_args!("the {} {why}", when.as_str())));
    match document {
        Document::Text(text) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => Ok(text.clone()),
        Document::Text(_) => refused("is not JSON"),
        Document::File(file) if file.is_empty() || file.contains('\0') => refused("names no file"),
        // The executor runs in another directory.
        Document::File(file) => match path::absolute(file, host.current_dir.as_deref(), host.platform) {
            Some(file) => Ok(file),
            None => refused("is a relative path, and the caller's directory is not known"),
        },
    }
}

/// The way the prompt goes.
pub(super) fn way(spec: &PromptSpec, request: &Request, command: &str) -> Result<Via, LaunchError> {
    let wanted = request.via.or(spec.via.first().copied()).unwrap_or(Via::Stdin);
    if spec.via.contains(&wanted) || request.via.is_none() {
        return Ok(wanted);
    }
    let name = match wanted {
        Via::Stdin => "on standard input",
        Via::Argument => "as an argument",
    };
    Err(LaunchError::invalid(command, format_args!("it takes no prompt {name}")))
}

/// Refuses a prompt that the executor would not get as it is, whatever way it goes.
pub(super) fn check_prompt(spec: &PromptSpec, prompt: &str, command: &str) -> Result<(), LaunchError> {
    if prompt.trim().is_empty() {
        return Err(LaunchError::invalid(command, "the prompt is empty"));
    }
    match spec.limit {
        Some(limit) if prompt.len() as u64 > limit => {
            let bytes = prompt.len();
            Err(LaunchError::invalid(command, format_args!("the prompt has {bytes} bytes, it reads {limit} of one")))
        }
        _ => Ok(()),
    }
}

/// Adds the prompt as the last argument.
pub(super) fn push_prompt(
    args: &mut Vec<String>,
    spec: &PromptSpec,
    prompt: &str,
    platform: Platform,
    command: &str,
) -> Result<(), LaunchError> {
    let bound = bound(platform);
    if prompt.len() > bound {
        let why = format!("the prompt has {} bytes, an argument may have {bound}", prompt.len());
        return Err(LaunchError::new(LaunchErrorKind::ArgumentTooLong, command, why));
    }
    if prompt.contains('\0') {
        return Err(LaunchError::invalid(command, "the prompt holds a NUL character, which no argument can"));
    }
    let safe = spec.separator.is_some() || (spec.flag.is_some() && spec.joined);
    let dash = (!safe && prompt.starts_with('-')).then_some("-");
    let refused = spec.refuse.iter().map(String::as_str).find(|beginning| prompt.starts_with(beginning));
    if let Some(beginning) = dash.or(refused) {
        let why = format_args!("the prompt begins with '{beginning}', which it would not read as a prompt");
        return Err(LaunchError::invalid(command, why));
    }
    match &spec.flag {
        Some(flag) if spec.joined => args.push(format!("{flag}={prompt}")),
        flag => {
            args.extend(flag.iter().cloned());
            args.extend(spec.separator.iter().cloned());
            args.push(prompt.into());
        }
    }
    Ok(())
}

/// Refuses what the system would not take, or would cut.
pub(super) fn check_bound(
    program: &str,
    args: &[String],
    platform: Platform,
    command: &str,
) -> Result<(), LaunchError> {
    let bound = bound(platform);
    let why = match platform {
        Platform::Unix => match args.iter().map(String::len).max() {
            Some(longest) if longest > bound => format!("an argument has {longest} bytes, it may have {bound}"),
            _ => return Ok(()),
        },
        Platform::Windows => {
            // Two quotes and a space around each; quotes and backslashes inside are doubled.
            let cost = |arg: &str| arg.len() + 3 + arg.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
            let total = args.iter().fold(cost(program), |sum, arg| sum + cost(arg));
            if total <= bound {
                return Ok(());
            }
            format!("the command line has {total} bytes, it may have {bound}")
        }
    };
    Err(LaunchError::new(LaunchErrorKind::ArgumentTooLong, command, why))
}

fn bound(platform: Platform) -> usize {
    match platform {
        Platform::Unix => ARGUMENT_BYTES,
        Platform::Windows => COMMAND_LINE_BYTES_WINDOWS,
    }
}
