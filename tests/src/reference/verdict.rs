//! What the run came to, by section 5 of the contract, and the envelope.

use super::failures::class_of;
use super::lines::strip;
use super::state::State;
use super::{Outcome, pattern};
use serde_json::{Value, json};
use turnline::{Exit, NonzeroExit, Profile, SpawnErrorKind, TimeLimit};

type Error = (&'static str, String, &'static str, String);

pub(super) fn outcome(state: State<'_>, profile: &Profile, stderr: &[u8], exit: &Exit) -> Outcome {
    let limits = &state.options.limits;
    let spec = state.spec;
    let (last_text, answer) = state.texts.finish(spec.answer);
    let started = exit.spawn_error.is_none();
    let answered = answer.is_some() || state.structured_output.is_some();
    let (head, rest) = stderr.split_at(stderr.len().min(limits.stderr_head));
    let tail = &rest[rest.len().saturating_sub(limits.stderr_tail)..];
    let kept = String::from_utf8_lossy(&[head, tail].concat()).into_owned();
    let (status, errors) = decide(&state, profile, &kept, exit, answered);
    let known = state.known();
    let (usage, thread_usage) = state.bill.tokens(&known);
    let (run_models, run_cost) = (state.bill.models.of_run(&known), state.bill.own_cost(&known));
    let mut reports = state.reports;
    if let Some(last) = reports.last_mut().filter(|_| state.cut_off) {
        last.status = match status {
            "ok" => "ok",
            "cancelled" => "cancelled",
            _ if last.status == "cancelled" => "cancelled",
            _ if last.failed() && exit.signal.is_none() => "failed",
            _ => "killed",
        };
    }
    let shown = if state.options.interactive || state.turns > 1 { limits.turns } else { 0 };
    let hidden = reports.len().saturating_sub(shown);
    let turn_reports: Vec<Value> = reports
        .iter()
        .enumerate()
        .skip(hidden)
        .map(|(n, report)| {
            let exit = (n + 1 == reports.len()).then(|| json!({"code": exit.code, "signal": exit.signal}));
            report.value(limits.turn_text, exit)
        })
        .collect();
    let result = answer.filter(|_| started);
    let errors: Vec<Value> = errors
        .into_iter()
        .map(|(code, class, source, message)| json!({"code": code, "class": class, "message": message, "source": source}))
        .collect();
    let first =
        result.clone().or_else(|| errors.first().and_then(|error| error["message"].as_str().map(str::to_owned)));
    let summary = first.and_then(|text| {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
        Some(line.chars().take(200).collect::<String>())
    });
    let windows: Vec<Value> = state
        .windows
        .iter()
        .map(|window| {
            let mut value =
                json!({"name": window.name, "utilization": window.utilization, "resets_at": window.resets_at});
            if let Some(status) = &window.status {
                value["status"] = status.clone().into();
            }
            value
        })
        .collect();
    let mut counts = state.counts;
    counts.events = state.events.len() as u64;
    let line_ends = stderr.iter().filter(|byte| **byte == b'\n').count();
    let stderr_lines = line_ends + usize::from(stderr.last().is_some_and(|last| *last != b'\n'));
    let mut envelope = json!({
        "type": "envelope",
        "executor": profile.id(),
        "status": status,
        "result": result,
        "summary": summary,
        "errors": errors,
        "notices": state.notices,
        "session_id": state.terminal_session.or(state.first_session),
        "usage": if started { usage } else { Value::Null },
        "thread_usage": if started { thread_usage } else { Value::Null },
        "model_usage": state.bill.models.shown(),
        "cost_usd": state.bill.cost(),
        "run_model_usage": run_models,
        "run_cost_usd": run_cost,
        "rate_limits": windows,
        "metadata": state.metadata,
        "structured_output": state.structured_output,
        "terminal": state.terminal,
        "turns": state.turns,
        "tools": serde_json::to_value(state.tools).expect("counts are JSON"),
        "acts": [],
        "exit": {"code": exit.code, "signal": exit.signal},
        "stream": serde_json::to_value(counts).expect("counts are JSON"),
        "unmapped_types": state.unmapped,
        "stdout_truncated": exit.stdout_truncated,
        "stderr_truncated": exit.stderr_truncated,
        "stderr": {"head": String::from_utf8_lossy(head), "tail": String::from_utf8_lossy(tail), "lines": stderr_lines},
        "last_text": last_text,
        "timing": null,
    });
    if !turn_reports.is_empty() {
        envelope["turn_reports"] = turn_reports.into();
    }
    Outcome { events: state.events, envelope, halves_in_deltas: state.texts.halves }
}

fn decide(
    state: &State<'_>,
    profile: &Profile,
    stderr: &str,
    exit: &Exit,
    answered: bool,
) -> (&'static str, Vec<Error>) {
    const FAILED: &str = "executor_run_failed";
    let command = exit.program.as_deref().unwrap_or(profile.command());
    let failed = |class: &str, source: &'static str, what: String| {
        (FAILED, class.to_owned(), source, format!("executor '{command}': {what}"))
    };
    // 1. It could not start.
    if let Some(error) = &exit.spawn_error {
        let (class, fault) = match error.kind {
            SpawnErrorKind::ProgramNotFound => ("not_found", "the program was not found"),
            SpawnErrorKind::NotExecutable => ("not_executable", "the program may not be executed"),
            SpawnErrorKind::WorkingDirectoryNotFound => ("working_directory", "the working directory does not exist"),
            SpawnErrorKind::NotADirectory => ("working_directory", "the working directory is not a directory"),
            SpawnErrorKind::WorkingDirectoryDenied => ("working_directory", "the working directory may not be entered"),
            SpawnErrorKind::ArgumentTooLong => ("argument_too_long", "the command line is too long"),
            _ => ("unknown", "it could not be started"),
        };
        let message = format!("executor '{command}' is unavailable: {fault}: {}", error.message);
        return ("failed", vec![("executor_unavailable", class.to_owned(), "host", message)]);
    }
    // 4. What it reported; weak words count only alone.
    let strong = state.failures.iter().any(|failure| !failure.weak);
    let standing = state.failures.iter().filter(|failure| !failure.weak || !strong);
    let mut errors: Vec<Error> = standing
        .map(|failure| {
            let label = if failure.label.is_empty() { String::new() } else { format!(" ({})", failure.label) };
            let message = format!("executor '{command}' reported failure{label}: {}", failure.message);
            (FAILED, failure.class.clone(), "stdout", message)
        })
        .collect();
    // 2. The host ended it.
    if exit.cancelled {
        let message = format!("executor '{command}' was cancelled by the host");
        errors.insert(0, ("executor_cancelled", "interrupted".into(), "host", message));
        return ("cancelled", errors);
    }
    let last_turn = state.reports.last().filter(|_| state.options.interactive);
    // (The host's timeout and a signal weigh more than an interrupted turn.)
    if let Some(limit) = exit.timed_out {
        let what = match limit {
            TimeLimit::Total => "the run took longer than its time limit",
            TimeLimit::Idle => "nothing was printed for longer than the idle limit",
            _ => "the first event did not come in time",
        };
        let message = format!("executor '{command}' was ended: {what}");
        errors.insert(0, ("executor_timed_out", "timeout".into(), "host", message));
        return ("failed", errors);
    }
    if last_turn.is_some_and(|turn| turn.status == "cancelled") && (exit.signal.is_none() || exit.ended_by_driver) {
        let message = format!("executor '{command}': its last turn was interrupted");
        errors.insert(0, ("executor_cancelled", "interrupted".into(), "stdout", message));
        return ("cancelled", errors);
    }
    let said = reason(state, stderr);
    let settled = state.terminal && !state.owed;
    // 3. A pipe that broke (the prompt's alone comes last, if it counts); a signal that nobody here sent.
    let broke = exit.stream_error.as_ref();
    let broke = broke.map(|error| failed("stream", "host", format!("a pipe to or from it broke: {error}")));
    if !exit.prompt_pipe_only {
        errors.extend(broke.clone());
    }
    if let (Some(signal), false) = (exit.signal, exit.ended_by_driver) {
        let name = match signal {
            1 => " (SIGHUP)",
            2 => " (SIGINT)",
            3 => " (SIGQUIT)",
            4 => " (SIGILL)",
            6 => " (SIGABRT)",
            8 => " (SIGFPE)",
            9 => " (SIGKILL)",
            11 => " (SIGSEGV)",
            13 => " (SIGPIPE)",
            14 => " (SIGALRM)",
            15 => " (SIGTERM)",
            _ => "",
        };
        let words = said.as_ref().map(|(words, _)| format!("; standard error says: {words}")).unwrap_or_default();
        errors.push(failed(
            "exit",
            "exit",
            format!("it was killed by signal {signal}{name} that nobody here sent{words}"),
        ));
    }
    // 5. A code that says failure.
    let code = exit.code.filter(|code| *code != 0 && !exit.ended_by_driver);
    let believed = exit.nonzero == NonzeroExit::TerminalRecordWins && settled;
    let told = state.failures.is_empty() && exit.signal.is_none();
    if let Some(code) = code.filter(|_| told && !believed) {
        // The executor's own reason comes before a pipe that broke of it.
        errors.insert(
            0,
            match &said {
                Some((words, class)) => {
                    failed(class.as_deref().unwrap_or("exit"), "stderr", format!("it exited with code {code}: {words}"))
                }
                None => failed("exit", "exit", format!("it exited with code {code} and gave no reason")),
            },
        );
    }
    // 6. Output was cut, a promised record did not come, there is no answer.
    if exit.stdout_truncated {
        let what = "standard output was cut at the capture limit: what was read is incomplete";
        errors.push(failed("truncated", "host", what.into()));
    }
    let mut lacking = |class: &str, what: &str| {
        errors.push(match &said {
            Some((words, better)) => {
                failed(better.as_deref().unwrap_or(class), "stderr", format!("{what}; standard error says: {words}"))
            }
            None => failed(class, "stdout", what.into()),
        });
    };
    match () {
        () if !lacks_nothing(exit, state, code, believed) => {}
        () if state.owed => {
            lacking("interrupted", "its stream ended without the terminal record, so there is no final result")
        }
        () if !answered => lacking("no_result", "it ended without a result"),
        () => {}
    }
    let clean = exit.code == Some(0) || exit.ended_by_driver;
    if exit.prompt_pipe_only && !(clean && settled) {
        errors.extend(broke);
    }
    (if errors.is_empty() { "ok" } else { "failed" }, errors)
}

/// True where nothing else is known to have gone wrong.
fn lacks_nothing(exit: &Exit, state: &State<'_>, code: Option<i32>, believed: bool) -> bool {
    state.failures.is_empty()
        && (exit.stream_error.is_none() || exit.prompt_pipe_only)
        && (exit.signal.is_none() || exit.ended_by_driver)
        && (code.is_none() || believed)
        && !exit.stdout_truncated
}

/// What standard error says: a line that the profile names, else its end. With the class where one is known.
fn reason(state: &State<'_>, stderr: &str) -> Option<(String, Option<String>)> {
    let spec = state.spec;
    let text = strip(stderr);
    let classed = |words: &str| Some(class_of(spec, "", words)).filter(|class| class != "unknown");
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(rule) = spec.stderr.iter().find(|rule| pattern::matches(&rule.pattern, line, false)) {
            return Some((quoted(line), rule.class.clone().or_else(|| classed(line))));
        }
    }
    let text = text.trim();
    (!text.is_empty()).then(|| (quoted(text), classed(text)))
}

/// The last 2,048 bytes of a text that is longer.
fn quoted(text: &str) -> String {
    if text.len() <= 2048 {
        return text.to_owned();
    }
    let from = (text.len() - 2048..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("… {}", &text[from..])
}
