//! Bodies of functions: they run only where the function is called.

use super::lex::Simple;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// The commands that run: those outside of functions, and the bodies of functions that such commands call.
pub(super) fn called(
    commands: Vec<Simple>,
    functions: &[String],
    function_of: impl Fn(&Simple) -> Option<usize>,
) -> Vec<Simple> {
    if functions.is_empty() {
        return commands;
    }
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, name) in functions.iter().enumerate() {
        by_name.entry(name).or_default().push(n);
    }
    let mut bodies: Vec<Vec<&Simple>> = functions.iter().map(|_| Vec::new()).collect();
    let mut calls = Vec::new();
    for command in &commands {
        match function_of(command) {
            Some(n) => bodies[n].push(command),
            None => calls.push(command),
        }
    }
    let mut runs: Vec<bool> = functions.iter().map(|_| false).collect();
    while let Some(command) = calls.pop() {
        let name = command.words.iter().find(|word| !word.is_assignment());
        // Taken out: a name is looked up once, however often it is called.
        let found = name.and_then(|name| by_name.remove(&*name.text)).unwrap_or_default();
        for n in found {
            runs[n] = true;
            calls.append(&mut bodies[n]);
        }
    }
    commands.into_iter().filter(|command| function_of(command).is_none_or(|n| runs[n])).collect()
}
