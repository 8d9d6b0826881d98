//! From a command line to the acts in it: wrappers are opened, programs looked up, what was acted on is named.

use super::arguments::Arguments;
use super::lex::{self, DEPTH, FILLED, Simple, Word};
use super::number::{self, numbers};
use super::redact::redact;
use super::table::{ActSpec, ActTable, Alternatives, Refspec, Target, WrapperSpec};
use super::{FoundAct, LineLimits};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Looks through one command line.
pub(super) struct Finder<'t> {
    table: &'t ActTable,
    limits: LineLimits,
    found: Vec<Found<'t>>,
    /// How often each program was run.
    runs: BTreeMap<String, usize>,
}

/// An act, and what is needed to say more of it when the whole line was read.
struct Found<'t> {
    act: FoundAct,
    spec: &'t ActSpec,
    program: String,
    output_taken: bool,
}

/// The simple command that is looked at, and where it stands.
#[derive(Clone, Copy)]
struct At<'c> {
    command: &'c Simple,
    depth: usize,
}

impl<'t> Finder<'t> {
    pub(super) fn new(table: &'t ActTable, limits: LineLimits) -> Self {
        Finder { table, limits, found: Vec::new(), runs: BTreeMap::new() }
    }

    /// A shell's script.
    pub(super) fn script(&mut self, script: &str, depth: usize) {
        if depth >= DEPTH {
            return;
        }
        for command in lex::commands(script, depth) {
            self.words(&command.words, At { command: &command, depth });
        }
    }

    /// A program with its arguments, which no shell reads.
    pub(super) fn program(&mut self, words: Vec<Word>) {
        let line = words.iter().map(|word| quoted(&word.text)).collect::<Vec<_>>().join(" ");
        let command = Simple::alone(words, line);
        self.words(&command.words, At { command: &command, depth: 0 });
    }

    /// What was found. `line` is all that was looked at.
    pub(super) fn finish(self, line: &str) -> Vec<FoundAct> {
        let runs = self.runs;
        let told = |mut found: Found<'_>| {
            let alone = runs.get(&found.program) == Some(&1) && !found.output_taken;
            if found.act.target.is_none() && found.spec.target == Target::Number && alone {
                found.act.output.clone_from(&found.spec.output);
                found.act.said = numbers(&found.spec.output, line).into_iter().map(ToString::to_string).collect();
            }
            found.act
        };
        self.found.into_iter().map(told).collect()
    }

    fn words(&mut self, words: &[Word], at: At<'_>) {
        let from = words.iter().position(|word| !word.is_assignment()).unwrap_or(words.len());
        let Some((program, rest)) = words.get(from..).and_then(<[Word]>::split_first) else { return };
        if !program.is_known() || at.depth >= DEPTH {
            return;
        }
        let name = program_name(&program.text);
        *self.runs.entry(name.clone()).or_default() += 1;
        let table = self.table;
        for wrapper in table.wrappers(&name) {
            self.wrapped(wrapper, rest, At { depth: at.depth + 1, ..at });
        }
        self.acts(&name, rest, at);
    }

    /// The command that another program runs.
    fn wrapped(&mut self, wrapper: &WrapperSpec, words: &[Word], at: At<'_>) {
        if !wrapper.after.is_empty() {
            return self.behind_options(wrapper, words, at);
        }
        let Some(sorted) = Arguments::sort(words, &wrapper.words, &[&wrapper.values], None, Some(wrapper.skip)) else {
            return;
        };
        if wrapper.without.iter().any(|option| sorted.has(&Alternatives::from(option.clone()))) {
            return;
        }
        let first = sorted.first.filter(|_| sorted.arguments.len() > wrapper.skip);
        let rest = first.and_then(|first| words.get(first..)).unwrap_or_default();
        if let Some(option) = &wrapper.script {
            let option = Alternatives::from(option.clone());
            match (sorted.has(&option), rest.first(), &at.command.stdin) {
                (true, Some(script), _) => self.script(&script.text, at.depth),
                (false, None, Some(script)) => self.script(&script.clone(), at.depth),
                _ => {}
            }
        } else if wrapper.joined {
            let script = rest.iter().map(|word| &*word.text).collect::<Vec<_>>().join(" ");
            match (&*script, &at.command.stdin) {
                ("", Some(read)) => self.script(&read.clone(), at.depth),
                _ => self.script(&script, at.depth),
            }
        } else if wrapper.fills {
            self.words(&filled(rest), at);
        } else {
            self.words(rest, at);
        }
    }

    /// Commands that stand behind options, as `find` has them.
    fn behind_options(&mut self, wrapper: &WrapperSpec, words: &[Word], at: At<'_>) {
        let mut rest = words;
        while let Some(start) = rest.iter().position(|word| wrapper.after.contains(&word.text)) {
            let command = rest.get(start + 1..).unwrap_or_default();
            let end = command.iter().position(|word| wrapper.until.contains(&word.text)).unwrap_or(command.len());
            let (command, after) = command.split_at(end);
            if wrapper.fills {
                self.words(&filled(command), at);
            } else {
                self.words(command, at);
            }
            rest = after;
        }
    }

    fn acts(&mut self, program: &str, words: &[Word], at: At<'_>) {
        let table = self.table;
        let named = table.program(program);
        let before = named.map(|named| &*named.values).unwrap_or_default();
        // What is acted on, by its number; the whole command where it names nothing.
        let mut taken: Vec<usize> = Vec::new();
        for spec in table.acts(program) {
            let Some(sorted) = Arguments::sort(words, &spec.words, &[&spec.values, before], named, None) else {
                continue;
            };
            let harmless = table.spec().without.iter().any(|option| sorted.has_word(option));
            if harmless
                || spec.without.iter().any(|any| sorted.has(any))
                || !spec.options.iter().all(|any| sorted.has(any))
            {
                continue;
            }
            let mut number = None;
            if let Some(pattern) = &spec.argument {
                let first = sorted.arguments.first().filter(|word| word.is_known());
                match first.and_then(|word| number::argument(pattern, &word.text)) {
                    Some(found) => number = found,
                    None => continue,
                }
            }
            let whole = usize::MAX;
            for (item, target) in self.targets(spec, &sorted, number) {
                if self.found.len() >= self.limits.acts || taken.contains(&item) || taken.contains(&whole) {
                    continue;
                }
                taken.push(item);
                self.add(spec, program, target, at);
            }
        }
    }

    fn add(&mut self, spec: &'t ActSpec, program: &str, target: Option<String>, at: At<'_>) {
        let rules = &self.table.spec().redact;
        let text = at.command.source.get(at.command.span.clone()).unwrap_or_default();
        let mut command = redact(text, rules, &spec.secrets).replace(FILLED, "…");
        crate::tally::truncate(&mut command, self.limits.kept);
        let target = target.map(|target| {
            let mut target = redact(&target, rules, &[]);
            crate::tally::truncate(&mut target, self.limits.kept);
            target
        });
        let act = FoundAct {
            kind: spec.kind.clone(),
            target,
            command,
            irreversible: spec.irreversible,
            output: Vec::new(),
            said: Vec::new(),
        };
        self.found.push(Found { act, spec, program: program.into(), output_taken: at.command.output_taken });
    }

    /// What is acted on: each with a number by which entries of the table tell it is the same.
    fn targets(&self, spec: &ActSpec, sorted: &Arguments<'_>, number: Option<&str>) -> Vec<(usize, Option<String>)> {
        let whole =
            |target: Option<String>| alloc::vec![(usize::MAX, target.filter(|target| !target.contains(FILLED)))];
        let first = || sorted.arguments.first().map(|word| word.text.clone());
        match &spec.target {
            Target::None => whole(None),
            Target::Argument => whole(first()),
            Target::Option(any) => whole(sorted.value(any).map(Into::into)),
            Target::Number => {
                let said = || {
                    let known = sorted.arguments.iter().filter(|word| word.is_known());
                    let mut said = known.filter_map(|word| number::said(&spec.output, &word.text));
                    said.next().filter(|_| said.next().is_none())
                };
                whole(number.map(Into::into).or_else(said))
            }
            Target::Arguments if sorted.arguments.is_empty() => whole(None),
            Target::Arguments => {
                let all = sorted.arguments.iter().take(self.limits.acts).enumerate();
                all.map(|(n, word)| (n, word.is_known().then(|| word.text.clone()))).collect()
            }
            Target::Refspecs => self.refspecs(spec, sorted),
        }
    }

    /// A remote and its branches.
    fn refspecs(&self, spec: &ActSpec, sorted: &Arguments<'_>) -> Vec<(usize, Option<String>)> {
        let mut words = sorted.arguments.iter();
        let remote = words.next().filter(|word| word.is_known()).map(|word| &*word.text);
        let mut found = Vec::new();
        let mut tag = false;
        for (n, word) in words.take(self.limits.acts).enumerate() {
            if word.text == "tag" {
                tag = true;
                continue;
            }
            let text = word.text.strip_prefix('+').unwrap_or(&word.text);
            let (source, to) = text.split_once(':').unwrap_or((text, text));
            let to = to.strip_prefix("refs/heads/").unwrap_or(to);
            // `HEAD` is the branch that happens to be checked out.
            let known = word.is_known() && !to.is_empty() && (to != "HEAD" || text.contains(':'));
            let fits = match spec.refspec {
                None => true,
                Some(Refspec::Forced) => word.text.starts_with('+'),
                Some(Refspec::Deleted) => source.is_empty() && !to.is_empty(),
                Some(Refspec::Trunk) => known && !tag && self.table.spec().trunk.iter().any(|trunk| trunk == to),
            };
            tag = false;
            if fits {
                let target = match (remote, known) {
                    (Some(remote), true) => Some(alloc::format!("{remote} {to}")),
                    (remote, _) => remote.map(Into::into),
                };
                found.push((n, target));
            }
        }
        if sorted.arguments.len() < 2 && spec.refspec.is_none() {
            found.push((usize::MAX, remote.map(Into::into)));
        }
        found
    }
}

/// The words of a command whose arguments another program fills in: at the end, or where `{}` stands.
fn filled(words: &[Word]) -> Vec<Word> {
    let unknown = || Word::new(FILLED.encode_utf8(&mut [0; 4]));
    let places = words.iter().any(|word| word.text.contains("{}"));
    let mut all: Vec<Word> =
        words.iter().map(|word| if word.text.contains("{}") { unknown() } else { word.clone() }).collect();
    if !places && !all.is_empty() {
        all.push(unknown());
    }
    all
}

/// The name by which the table knows a program: without its directory, its version and `.exe`.
fn program_name(text: &str) -> String {
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.split_once('@').map_or(name, |(name, _)| if name.is_empty() { text } else { name });
    name.strip_suffix(".exe").unwrap_or(name).into()
}

/// An argument as a shell would have it written.
fn quoted(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@+,%^".contains(c) || !c.is_ascii();
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(alloc::format!("'{}'", text.replace('\'', "'\\''")))
}
