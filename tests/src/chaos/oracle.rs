//! What the host does to a run, and what may come of it then.

use super::script::{ANSWER, Natural, Script};
use crate::mutate::Dice;
use std::time::Duration;
use turnline::{Envelope, ErrorCode, Status};
use turnline_tokio::{Run, Runner};

/// What the host does to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// It takes all events.
    Reads,
    /// It takes each event this late, the first hundred at least.
    ReadsSlowly(Duration),
    /// It takes no event and waits for the envelope.
    Waits,
    /// It asks for the end after this time.
    Cancels(Duration),
    /// It asks for the end after this time, and at once.
    Kills(Duration),
    /// It cancels, and kills a little later.
    CancelsThenKills(Duration),
    /// It gives it this time in all.
    Limits(Duration),
    /// It gives it this time without output.
    LimitsSilence(Duration),
    /// It lets go of it after this time.
    Drops(Duration),
}

impl Host {
    pub(super) fn random(dice: &mut Dice, natural: Natural) -> Self {
        let after = Duration::from_micros(dice.below(90_000) as u64);
        match dice.below(13) {
            // One that never ends must be ended.
            0..=3 if natural == Natural::Never => Host::Cancels(after),
            0 | 1 => Host::Reads,
            2 => Host::ReadsSlowly(Duration::from_micros(200)),
            3 => Host::Waits,
            4 | 5 => Host::Cancels(after),
            6 => Host::Kills(after),
            7 => Host::CancelsThenKills(after),
            8 | 9 => Host::Limits(after.max(Duration::from_millis(1))),
            10 => Host::LimitsSilence(Duration::from_millis(30 + dice.below(60) as u64)),
            _ => Host::Drops(after),
        }
    }

    pub(super) fn prepare(self, runner: &mut Runner) {
        match self {
            Host::Limits(limit) => _ = runner.timeout(limit),
            Host::LimitsSilence(limit) => _ = runner.idle_timeout(limit),
            _ => {}
        }
    }

    /// Does to the run what it does.
    pub(super) async fn watch(self, mut run: Run) -> Option<Envelope> {
        let canceller = run.canceller();
        let (cancel, kill) = match self {
            Host::Cancels(after) => (Some(after), None),
            Host::Kills(after) => (None, Some(after)),
            Host::CancelsThenKills(after) => (Some(after), Some(after + Duration::from_millis(7))),
            _ => (None, None),
        };
        let disturb = async {
            if let Some(after) = cancel {
                tokio::time::sleep(after).await;
                canceller.cancel();
            }
            if let Some(after) = kill {
                tokio::time::sleep(after.saturating_sub(cancel.unwrap_or_default())).await;
                canceller.kill();
            }
            std::future::pending::<()>().await
        };
        let read = async move {
            match self {
                Host::Waits => {}
                Host::ReadsSlowly(pause) => {
                    let mut taken = 0;
                    while run.next_event().await.is_some() {
                        taken += 1;
                        if taken < 100 {
                            tokio::time::sleep(pause).await;
                        }
                    }
                }
                Host::Drops(after) => {
                    let _ = tokio::time::timeout(after, async { while run.next_event().await.is_some() {} }).await;
                    drop(run);
                    return None;
                }
                _ => while run.next_event().await.is_some() {},
            }
            Some(run.wait().await)
        };
        tokio::select! {
            envelope = read => envelope,
            () = disturb => None,
        }
    }

    /// The host asked for the end.
    fn ends(self) -> bool {
        matches!(self, Host::Cancels(_) | Host::Kills(_) | Host::CancelsThenKills(_))
    }

    fn limits(self) -> bool {
        matches!(self, Host::Limits(_) | Host::LimitsSilence(_))
    }
}

/// Holds an envelope against what the script and the host allow.
///
/// # Errors
///
/// What is not so.
pub fn check(script: &Script, host: &Host, envelope: &Envelope) -> Result<(), String> {
    let fail = |what: String| Err(what);
    let timed_out = envelope.errors.iter().any(|error| error.code == ErrorCode::ExecutorTimedOut);
    let natural = match script.natural {
        Natural::Ok | Natural::Lingers => envelope.status == Status::Ok,
        Natural::Failed => envelope.status == Status::Failed && !timed_out,
        Natural::Never => false,
    };
    // A limit that is reached behind the last word ends a process that would not go: that is no failure, whatever it exits with.
    let ended_behind_its_answer = host.limits() && script.answers && envelope.status == Status::Ok;
    let allowed = natural
        || ended_behind_its_answer
        || (host.ends() && envelope.status == Status::Cancelled)
        || (host.limits() && envelope.status == Status::Failed && timed_out);
    if !allowed {
        return fail(format!("{} is no verdict of a script that is {:?}", envelope.status, script.natural));
    }
    if (envelope.status == Status::Ok) != envelope.errors.is_empty() {
        return fail("errors are empty exactly when it is ok".to_owned());
    }
    if envelope.status == Status::Ok && envelope.result.as_deref() != Some(ANSWER) {
        return fail("ok without its answer".to_owned());
    }
    if envelope.status == Status::Cancelled && envelope.errors[0].code != ErrorCode::ExecutorCancelled {
        return fail("cancelled without its code".to_owned());
    }
    if !matches!(envelope.result.as_deref(), None | Some(ANSWER)) {
        return fail("an answer that was never given".to_owned());
    }
    // Nobody disturbed it: every line that was printed has come.
    let undisturbed = !host.ends() && !host.limits() && script.complete;
    if undisturbed && envelope.stream.malformed_lines != script.noise {
        return fail(format!("{} lines of noise, {} were printed", envelope.stream.malformed_lines, script.noise));
    }
    if envelope.stream.malformed_lines > script.noise + 1 {
        return fail("more noise than there is".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chaos::{Case, random};
    use turnline::{Exit, Parser, Profile};

    /// The envelope of a stream that ended in this way.
    fn envelope(stream: &str, exit: &Exit) -> Envelope {
        let mut parser = Parser::new(&Profile::builtin("claude-code").expect("built in"));
        parser.push(stream.as_bytes());
        parser.eof();
        parser.finish(exit)
    }

    fn script(natural: Natural, noise: u64) -> Script {
        let mut script = random(&mut Dice::new(1));
        (script.natural, script.noise, script.complete, script.answers) = (natural, noise, true, false);
        script
    }

    #[test]
    fn wrong_verdicts_are_refused() {
        let good =
            format!(r#"{{"type":"result","subtype":"success","is_error":false,"result":"{ANSWER}","session_id":"s"}}"#);
        let ok = envelope(&good, &Exit::code(0));
        let failed = envelope("", &Exit::code(1));
        let mut exit = Exit::signal(9);
        exit.cancelled = true;
        let cancelled = envelope("", &exit);
        let mut exit = Exit::signal(9);
        exit.timed_out = Some(turnline::TimeLimit::Total);
        let timed_out = envelope("", &exit);
        let (reads, cancels) = (Host::Reads, Host::Cancels(Duration::ZERO));
        let limits = Host::Limits(Duration::ZERO);
        for (natural, host, envelope, right) in [
            (Natural::Ok, reads, &ok, true),
            (Natural::Ok, reads, &failed, false),
            (Natural::Ok, reads, &cancelled, false),
            (Natural::Failed, reads, &ok, false),
            (Natural::Failed, reads, &failed, true),
            (Natural::Ok, cancels, &cancelled, true),
            (Natural::Ok, cancels, &failed, false),
            (Natural::Ok, cancels, &timed_out, false),
            (Natural::Never, cancels, &ok, false),
            (Natural::Never, limits, &timed_out, true),
            (Natural::Never, limits, &cancelled, false),
            (Natural::Failed, reads, &timed_out, false),
            (Natural::Failed, limits, &ok, false),
        ] {
            let found = check(&script(natural, 0), &host, envelope);
            assert_eq!(found.is_ok(), right, "{natural:?} {host:?} {}: {found:?}", envelope.status);
        }
        // A line of noise that was lost, and one that nobody printed.
        assert!(check(&script(Natural::Ok, 1), &reads, &ok).is_err());
        let other = envelope(&good.replace(ANSWER, "another"), &Exit::code(0));
        assert!(check(&script(Natural::Ok, 0), &reads, &other).is_err());
    }

    #[test]
    fn a_seed_gives_the_same_case_and_seeds_give_all_kinds() {
        assert_eq!(format!("{:?}", Case::new(7)), format!("{:?}", Case::new(7)));
        let all: Vec<Case> = (0..300).map(Case::new).collect();
        for natural in [Natural::Ok, Natural::Lingers, Natural::Failed, Natural::Never] {
            assert!(all.iter().filter(|case| case.script.natural == natural).count() >= 10, "{natural:?}");
        }
        assert!(all.iter().all(|case| crate::fake::check(&case.script.text).is_ok()));
        assert!(
            all.iter().all(|case| case.script.natural != Natural::Never
                || case.host.ends()
                || case.host.limits()
                || matches!(case.host, Host::Drops(_))),
            "one that never ends is never ended"
        );
    }
}
