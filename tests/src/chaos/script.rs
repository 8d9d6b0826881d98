//! Random scripts of the fake executor, and what each of them comes to by itself.

use crate::mutate::Dice;
use std::fmt::Write as _;

/// The session that scripts name.
pub(super) const SESSION: &str = "7d1f0c52-3b6e-4c0a-9f7e-52a1b0c3d401";
/// The answer of a script that gives one.
pub const ANSWER: &str = "the answer";

/// What becomes of a script that nobody disturbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Natural {
    /// It says its last word, well, and ends by itself.
    Ok,
    /// The same, but it does not go: the driver ends it.
    Lingers,
    /// It ends by itself and not well.
    Failed,
    /// It neither ends nor says its last word.
    Never,
}

/// A script and what may be known of it before it runs.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its text; `$D` is the folder.
    pub text: String,
    /// What is written to it.
    pub prompt: String,
    /// What becomes of it.
    pub natural: Natural,
    /// Lines of standard output that hold no record, where all that is printed can be read.
    pub noise: u64,
    /// Processes that leave their number in the folder, each in a file of its own.
    pub processes: usize,
    /// It says its last word, well, before whatever end it comes to.
    pub answers: bool,
    /// Every byte it prints reaches its reader unless somebody ends it.
    pub complete: bool,
}

/// A script out of these dice.
#[must_use]
pub fn random(dice: &mut Dice) -> Script {
    let mut script = Script {
        text: String::new(),
        prompt: "p".repeat(*dice.one(&[1, 30, 70_000, 400_000])),
        natural: Natural::Ok,
        noise: 0,
        processes: 0,
        answers: false,
        complete: true,
    };
    // Some do not die of what asks them to stop.
    for signal in ["INT", "TERM"] {
        match dice.below(8) {
            0 => add(&mut script, &format!("ignore {signal}")),
            1 => add(&mut script, &format!("on {signal} exit {}", 3 + dice.below(3))),
            2 => add(&mut script, &format!("on {signal} sleep 5")),
            _ => {}
        }
    }
    let reads = dice.below(4);
    if reads == 0 {
        add(&mut script, "read-stdin");
    }
    if dice.below(5) > 0 {
        add(
            &mut script,
            &format!(
                r#"print {{"type":"system","subtype":"init","session_id":"{SESSION}","tools":["Bash"],"model":"m"}}"#
            ),
        );
    }
    for _ in 0..dice.below(5) {
        body(&mut script, dice);
    }
    let half = script.prompt.len() / 2;
    match reads {
        1 => add(&mut script, "read-stdin"),
        2 => add(&mut script, &format!("read-bytes {half}")),
        _ => {}
    }
    end(&mut script, dice);
    script
}

fn add(script: &mut Script, line: &str) {
    script.text.push_str(line);
    script.text.push('\n');
}

fn body(script: &mut Script, dice: &mut Dice) {
    match dice.below(9) {
        0 => add(
            script,
            &format!(
                r#"print {{"type":"assistant","message":{{"id":"m{}","content":[{{"type":"text","text":"working"}}]}},"session_id":"{SESSION}"}}"#,
                dice.below(9)
            ),
        ),
        1 => {
            let kib = 1 + dice.below(700);
            script.noise += kib as u64;
            add(script, &format!("flood stdout {}", kib << 10));
        }
        2 => add(script, &format!("flood stderr {}", (1 + dice.below(300)) << 10)),
        3 => add(script, &format!("sleep {}", dice.below(25))),
        4 => {
            script.noise += 1;
            add(script, "print not a record");
        }
        5 | 6 => child(script, dice),
        7 => add(script, "close-stderr"),
        _ => {
            let records = 1 + dice.below(400);
            add(script, &format!(r#"repeat {records} {{"type":"system","subtype":"x","n":@I@}}"#));
        }
    }
}

/// A process beside it that outlives it, in one of the ways in which processes get away.
fn child(script: &mut Script, dice: &mut Dice) {
    let name = format!("$D/p{}", script.processes);
    // Without the marker it is found by its parent or its group alone: then it must not leave both.
    let (how, leaves) = *dice.one(&[
        ("fork", true),
        ("fork", false),
        ("fork quiet", true),
        ("fork quiet", false),
        ("fork unmarked", false),
        ("daemonize", true),
        ("daemonize quiet", true),
    ]);
    let mut inner = String::new();
    if leaves && dice.below(2) == 0 {
        inner.push_str("setsid\n");
    }
    if dice.below(3) == 0 {
        inner.push_str("ignore TERM\nignore INT\nignore HUP\n");
    }
    let work = *dice.one(&["exec-sleep 600", "wait-forever", "loop forever\nsleep 3\nend"]);
    // Written before anything else happens: who is killed before that was never there for long.
    let _ = write!(script.text, "{how}\n{inner}write-pid {name}\n{work}\nend\nwait-file {name}\n");
    script.processes += 1;
}

fn end(script: &mut Script, dice: &mut Dice) {
    let result = |failed: bool| {
        let (subtype, words) = if failed { ("error_during_execution", "it broke") } else { ("success", ANSWER) };
        format!(
            r#"print {{"type":"result","subtype":"{subtype}","is_error":{failed},"result":"{words}","session_id":"{SESSION}","total_cost_usd":0.01,"usage":{{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}}}"#
        )
    };
    let (natural, lines) = match dice.below(14) {
        0..=4 => (Natural::Ok, result(false)),
        5 => (Natural::Lingers, result(false) + "\nwait-forever"),
        6 => (Natural::Lingers, result(false) + "\nclose-stdout\nwait-forever"),
        7 => (Natural::Failed, result(true) + "\nexit 1"),
        8 => (Natural::Failed, format!("{}\nexit {}", result(false), 2 + dice.below(90))),
        9 => (Natural::Failed, format!("exit {}", dice.below(2))),
        10 => (Natural::Failed, format!("kill-self {}", dice.one(&["KILL", "TERM", "HUP"]))),
        11 => (Natural::Failed, result(false) + "\nkill-self KILL"),
        12 => (Natural::Failed, "close-stdout\nsleep 4\nexit 0".to_owned()),
        _ => (Natural::Never, "wait-forever".to_owned()),
    };
    script.natural = natural;
    // A signal of its own that it does not die of.
    if lines.starts_with("kill-self TERM") && script.text.contains(" TERM") {
        script.natural = Natural::Failed;
        add(script, "kill-self KILL");
        return;
    }
    script.answers = lines.starts_with(&result(false));
    script.complete = natural != Natural::Lingers;
    add(script, &lines);
}
