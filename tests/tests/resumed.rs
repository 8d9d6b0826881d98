//! Runs that go on with a session: what is the run's own of the vendor's totals, and sessions that are not there.

use turnline::{Baseline, Envelope, Parser, Profile, Status, TokenUsage};
use turnline_tests::conform::corpus::recordings;
use turnline_tests::conform::input::Input;

fn input(name: &str) -> Input {
    let cli = name.split('/').next().expect("a CLI");
    recordings(cli).into_iter().find(|recording| recording.name == name).expect("a recording").input
}

fn read(input: &Input, baseline: Baseline) -> Envelope {
    let profile = input.profile().expect("a profile");
    let mut options = input.options();
    options.baseline = baseline;
    let mut parser = Parser::with_options(&profile, options);
    parser.push(&input.stdout);
    parser.push_stderr(&input.stderr);
    parser.finish(&input.exit)
}

fn near(got: Option<f64>, want: f64) -> bool {
    got.is_some_and(|got| (got - want).abs() < 1e-12)
}

fn tokens(usage: Option<TokenUsage>) -> Option<[Option<u64>; 6]> {
    usage.map(|u| [u.input, u.cache_read, u.cache_write, u.output, u.reasoning, u.total])
}

/// Claude Code 2.1 goes on from the session's totals and tells the increments beside them.
#[test]
fn increments_are_the_runs_own() {
    for (name, total, own, input_total, input_own) in [
        ("19-resume-1-first", 0.000_06, 0.000_06, 10, 10),
        ("19-resume-2-resume", 0.000_18, 0.000_12, 30, 20),
        ("19-resume-3-continue", 0.000_36, 0.000_18, 60, 30),
    ] {
        let envelope = read(&input(&format!("claude-code/2.1.332/{name}")), Baseline::default());
        assert!(near(envelope.cost_usd, total), "{name}: {:?}", envelope.cost_usd);
        assert!(near(envelope.run_cost_usd, own), "{name}: {:?}", envelope.run_cost_usd);
        assert_eq!(envelope.model_usage[0].input, Some(input_total), "{name}");
        assert_eq!(envelope.run_model_usage[0].input, Some(input_own), "{name}");
        assert!(near(envelope.run_model_usage[0].cost_usd, own), "{name}");
    }
}

/// 1.0 and 2.0 begin at zero: the totals are the run's own, whatever baseline is given.
#[test]
fn totals_of_a_process_are_the_runs_own() {
    for (version, own) in [("1.0.128", 0.000_107_6), ("2.0.76", 0.000_178)] {
        let first = read(&input(&format!("claude-code/{version}/19-resume-1-first")), Baseline::default());
        let resumed = input(&format!("claude-code/{version}/19-resume-2-resume"));
        assert!(resumed.resume.is_some());
        for baseline in [Baseline::default(), first.baseline()] {
            let envelope = read(&resumed, baseline);
            assert!(near(envelope.run_cost_usd, own), "{version}: {:?}", envelope.run_cost_usd);
            assert_eq!(envelope.run_model_usage, envelope.model_usage, "{version}");
        }
    }
}

/// Without the increments only a baseline tells the run's own; of another session than the one asked for nothing does.
#[test]
fn a_baseline_tells_the_runs_own_money() {
    let first = read(&input("claude-code/2.1.332/19-resume-1-first"), Baseline::default());
    let mut resumed = input("claude-code/2.1.332/19-resume-2-resume");
    let text = String::from_utf8(resumed.stdout).expect("text");
    resumed.stdout = text.replace("\"model_usage_since_last_result\"", "\"a_key_that_nobody_knows\"").into_bytes();
    let unknown = read(&resumed, Baseline::default());
    assert_eq!((unknown.run_cost_usd, unknown.run_model_usage.len()), (None, 0));
    let known = read(&resumed, first.baseline());
    assert!(near(known.run_cost_usd, 0.000_12), "{:?}", known.run_cost_usd);
    assert_eq!((known.run_model_usage[0].input, known.run_model_usage[0].output), (Some(20), Some(2)));
    resumed.resume = Some("another".into());
    let replaced = read(&resumed, first.baseline());
    assert_eq!((replaced.run_cost_usd, replaced.run_model_usage.len()), (None, 0));
}

/// A copy of a session has an id of its own, and the session's totals.
#[test]
fn a_copy_is_no_other_session() {
    let first = read(&input("claude-code/2.1.332/19-resume-1-first"), Baseline::default());
    let mut copy = input("claude-code/2.1.332/19-resume-2-resume");
    let text = String::from_utf8(copy.stdout).expect("text");
    let text = text
        .replace("b6c5d114-cf0d-420c-951d-3fc8a08ebda6", "another")
        .replace("model_usage_since_last", "nobody_knows");
    (copy.stdout, copy.forked) = (text.into_bytes(), true);
    let events = copy.whole(&copy.profile().expect("a profile")).events;
    assert!(String::from_utf8(events).expect("text").contains("\"session_id\":\"another\",\"resumed\":\"forked\""));
    let envelope = read(&copy, first.baseline());
    assert!(near(envelope.run_cost_usd, 0.000_12), "{:?}", envelope.run_cost_usd);
}

/// Codex 0.98 and later print the thread's total: 2,200 tokens in the first run, 3,700 after the second.
#[test]
fn a_baseline_tells_a_resumed_threads_own_tokens() {
    for (version, reasoning) in [("0.98.0", None), ("0.144.6", Some(1)), ("0.171.0", Some(1))] {
        let first = read(&input(&format!("codex/{version}/resume-1-first")), Baseline::default());
        let resumed = input(&format!("codex/{version}/resume-2-resumed"));
        let alone = read(&resumed, Baseline::default());
        assert_eq!(alone.usage, None, "{version}: a total is no run's own");
        let with = read(&resumed, first.baseline());
        assert_eq!(with.thread_usage, alone.thread_usage, "{version}");
        let own = tokens(with.usage).expect("the run's own");
        assert_eq!((own[0], own[1]), (Some(1200), Some(300)), "{version}");
        // Output and reasoning are disjoint: 10 in all.
        assert_eq!((own[3], own[4]), (Some(10 - reasoning.unwrap_or(0)), reasoning), "{version}");
        assert_eq!(own[5], Some(1510), "{version}");
        // The next run's baseline is the thread's total, however this one was read.
        assert_eq!(with.baseline().usage, alone.baseline().usage, "{version}");
        assert_eq!(with.baseline().usage.and_then(|usage| usage.total), Some(3760), "{version}");
    }
}

/// A total that is less than the baseline is no running total: 0.58 prints the run's alone.
#[test]
fn a_total_that_went_back_is_no_figure() {
    let first = read(&input("codex/0.58.0/resume-1-first"), Baseline::default());
    let with = read(&input("codex/0.58.0/resume-2-resumed"), first.baseline());
    assert_eq!(with.usage, None);
}

#[test]
fn a_session_that_is_not_there_has_its_own_class() {
    for name in [
        "codex/0.171.0/resume-unknown-thread",
        "opencode/1.1.65/17e-resume-unknown-id",
        "opencode/1.2.1/17e-resume-unknown-id",
        "opencode/1.18.33/17e-resume-unknown-id",
        "gemini/0.61.0/17c-resume-unknown",
        "qwen/0.24.4/17c-resume-unknown",
        "pi/0.73.1/17c-resume-unknown",
        "kimi/2.1.0/17c-resume-unknown",
    ] {
        let envelope = read(&input(name), Baseline::default());
        assert_eq!(envelope.status, Status::Failed, "{name}");
        assert_eq!(envelope.errors[0].class.as_str(), "session_not_found", "{name}: {:?}", envelope.errors);
    }
    // Its words, by a run of 2.1 outside of the recordings.
    let mut claude = Input::clean("claude-code", "");
    claude.exit = turnline::Exit::code(1);
    claude.stderr = b"No conversation found with session ID: 0b5c2f6e-1d2a-4c3b-9e4f-5a6b7c8d9e0f\n".to_vec();
    let envelope = read(&claude, Baseline::default());
    assert_eq!(envelope.errors[0].class.as_str(), "session_not_found", "{:?}", envelope.errors);
    // No id at all is the caller's mistake.
    let envelope = read(&input("claude-code/2.1.332/19-resume-8-resume-no-value"), Baseline::default());
    assert_eq!(envelope.errors[0].class.as_str(), "invalid_request", "{:?}", envelope.errors);
}

/// Older Codex begins a new thread instead, and says so by its id.
#[test]
fn another_session_than_the_one_asked_for() {
    let transcript = |name: &str| {
        let input = input(name);
        let whole = input.whole(&Profile::builtin(&input.executor).expect("a profile"));
        String::from_utf8(whole.events).expect("text")
    };
    let replaced = transcript("codex/0.58.0/resume-unknown-thread");
    assert!(replaced.lines().any(|line| line.contains("session_started") && line.contains("\"resumed\":\"replaced\"")));
    let same = transcript("codex/0.58.0/resume-2-resumed");
    assert!(same.lines().any(|line| line.contains("session_started") && line.contains("\"resumed\":\"same\"")));
}
