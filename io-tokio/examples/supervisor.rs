//! Runs three executors on one prompt, side by side, and compares what they came to.
//!
//! ```text
//! cargo run --example supervisor -- "Which of our dependencies is the oldest?"
//! cargo run --example supervisor -- "Say one word." claude-code codex=/opt/codex/bin/codex gemini
//! ```
//!
//! All three work in this directory: ask questions, or give each a clone of its own. Ctrl-C cancels all; the envelopes of
//! what was cancelled are compared too.
#![allow(clippy::print_stdout)]

use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use turnline::acts::ActTable;
use turnline::{Envelope, EventKind, Profile, Status};
use turnline_tokio::Runner;

const USUAL: [&str; 3] = ["claude-code", "codex", "opencode"];
const LIMIT: Duration = Duration::from_secs(600);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let prompt = args.next().ok_or("usage: supervisor PROMPT [EXECUTOR[=PROGRAM]]...")?;
    let mut chosen: Vec<String> = args.collect();
    if chosen.is_empty() {
        chosen = USUAL.map(str::to_owned).to_vec();
    }

    let cancel = CancellationToken::new();
    let mut runs = JoinSet::new();
    // All are known before the first is started: a slip of the pen costs nothing.
    let runners: Vec<Runner> = chosen.iter().map(|one| runner(one, &prompt, &cancel)).collect::<Result<_, _>>()?;
    for (n, runner) in runners.into_iter().enumerate() {
        runs.spawn(async move { watch(&runner).await.map(|envelope| (n, envelope)) });
    }
    let mut ended: Vec<(usize, Envelope)> = Vec::new();
    loop {
        tokio::select! {
            one = runs.join_next() => match one {
                Some(one) => ended.push(one?.map_err(|error| error.to_string())?),
                None => break,
            },
            interrupted = tokio::signal::ctrl_c(), if !cancel.is_cancelled() => {
                interrupted?;
                cancel.cancel();
            }
        }
    }
    ended.sort_by_key(|(n, _)| *n);
    let envelopes: Vec<Envelope> = ended.into_iter().map(|(_, envelope)| envelope).collect();
    print!("{}", compared(&envelopes));
    if envelopes.iter().all(|envelope| envelope.status != Status::Ok) {
        return Err("none of them came to an answer".into());
    }
    Ok(())
}

/// `ID`, or `ID=PROGRAM`.
fn runner(chosen: &str, prompt: &str, cancel: &CancellationToken) -> Result<Runner, turnline::ProfileError> {
    let (id, program) = chosen.split_once('=').map_or((chosen, None), |(id, program)| (id, Some(program)));
    let mut runner = Runner::new(&Profile::builtin(id)?);
    runner.prompt(prompt).timeout(LIMIT).acts(ActTable::built_in()).cancel_on(cancel.clone());
    if let Some(program) = program {
        runner.program(program);
    }
    Ok(runner)
}

/// Follows one run: tells of each tool as it is used, and what the run came to.
async fn watch(runner: &Runner) -> Result<Envelope, turnline::launch::LaunchError> {
    let id = runner.profile().id();
    let mut run = runner.spawn()?;
    while let Some(event) = run.next_event().await {
        match &event.kind {
            EventKind::ToolCall(call) => println!("{id}: {} {}", call.name, call.title.clone().unwrap_or_default()),
            EventKind::Act(act) => println!("{id}: ! {} {}", act.kind, act.target.clone().unwrap_or_default()),
            _ => {}
        }
    }
    Ok(run.wait().await)
}

/// The envelopes side by side, and what they say together.
fn compared(envelopes: &[Envelope]) -> String {
    let mut text = format!(
        "\n{:<14}{:<11}{:>9}{:>10}{:>7}{:>6}  answer\n",
        "executor", "status", "seconds", "tokens", "tools", "acts"
    );
    for envelope in envelopes {
        let seconds = envelope.timing.and_then(|timing| timing.run_ms).map(|ms| format!("{:.1}", ms / 1e3));
        let tokens = envelope.usage.and_then(|usage| usage.total).map(|total| total.to_string());
        // Absent is unknown, and nothing else.
        let known = |value: Option<String>| value.unwrap_or_else(|| "?".to_owned());
        text += &format!(
            "{:<14}{:<11}{:>9}{:>10}{:>7}{:>6}  {}\n",
            envelope.executor,
            envelope.status.as_str(),
            known(seconds),
            known(tokens),
            envelope.tools.started,
            envelope.acts.len(),
            envelope.summary.as_deref().unwrap_or_default(),
        );
    }
    let answers: Vec<&Envelope> = envelopes.iter().filter(|envelope| envelope.status == Status::Ok).collect();
    let words = |envelope: &&Envelope| {
        let answer = envelope.result.as_deref().unwrap_or_default().to_lowercase();
        answer
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()).to_owned())
            .collect::<Vec<_>>()
    };
    let agree = answers.windows(2).all(|two| words(&two[0]) == words(&two[1]));
    text += &match answers.as_slice() {
        [] => "\nNone of them came to an answer.\n".to_owned(),
        [one] => format!("\nOnly {} came to an answer.\n", one.executor),
        all if agree => format!("\nAll {} answers say the same.\n", all.len()),
        all => format!("\nThe {} answers differ.\n", all.len()),
    };
    let least = answers.iter().filter_map(|one| Some((one.usage?.total?, &one.executor))).min();
    if let Some((tokens, executor)) = least.filter(|_| answers.len() > 1) {
        text += &format!("The fewest tokens took {executor}: {tokens}.\n");
    }
    text
}
