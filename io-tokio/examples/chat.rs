//! A conversation with an executor: lines are turns, questions are answered with y or n, Ctrl-C stops the turn that runs and, while
//! none does, ends the conversation. The end of input ends it too, when the last turn is over.
//!
//! ```text
//! cargo run --example chat -- claude-code [PROGRAM]
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::VecDeque;
use std::io::{BufRead as _, Write as _};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use turnline::input::Answer;
use turnline::{EventKind, Profile, State};
use turnline_tokio::{Runner, Session, Step};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let profile = Profile::builtin(&args.next().unwrap_or_else(|| "claude-code".into()))?;
    let mut runner = Runner::new(&profile);
    // Only an executor that goes on listening can ask.
    runner.ask_permissions(profile.spec().input.allow.is_some());
    if let Some(program) = args.next() {
        runner.program(program);
    }
    let mut session = Session::new(&runner);
    let mut lines = lines();
    // What waits for a y or an n, in the order it was asked.
    let mut questions: VecDeque<String> = VecDeque::new();
    let mut talking = true;
    prompt("> ");
    loop {
        tokio::select! {
            line = lines.recv(), if talking => match (line, questions.pop_front()) {
                (None, asked) => {
                    talking = false;
                    session.close();
                    for id in asked.into_iter().chain(questions.drain(..)) {
                        let _ = session.answer(&id, &nobody());
                    }
                }
                (Some(line), Some(id)) => {
                    let yes = line.trim().eq_ignore_ascii_case("y");
                    let answer = if yes { Answer::allow() } else { Answer::deny("The user said no.") };
                    if let Err(error) = session.answer(&id, &answer) {
                        eprintln!("{error}");
                    }
                }
                (Some(line), None) if line.trim().is_empty() => prompt("> "),
                (Some(line), None) => {
                    if let Err(error) = session.send(line) {
                        eprintln!("{}: {error}", error.code());
                        prompt("> ");
                    }
                }
            },
            step = session.next() => match step {
                None => return Ok(()),
                Some(Step::Event(event)) => match &event.kind {
                    EventKind::Message(message) if message.role == turnline::Role::Assistant => println!("{}", message.text),
                    EventKind::ToolCall(call) => println!("[{}]", call.name),
                    EventKind::PermissionRequest(request) if !talking => {
                        let _ = session.answer(&request.request_id.decode(), &nobody());
                    }
                    EventKind::PermissionRequest(request) => {
                        let input = request.input.as_ref().map(ToString::to_string).unwrap_or_default();
                        let title = request.title.as_ref().map(ToString::to_string).unwrap_or_default();
                        prompt(&format!("{title} {input}\nAllow it? [y/n] "));
                        questions.push_back(request.request_id.to_string());
                    }
                    EventKind::PermissionResolved(resolved) => {
                        questions.retain(|id| resolved.request_id.as_ref().is_none_or(|settled| *settled != **id));
                    }
                    _ => {}
                },
                Some(Step::Turn(report)) => {
                    if let Some(error) = &report.error {
                        eprintln!("({}) {}", report.status, error.message);
                    }
                    if session.state() == State::Idle {
                        prompt("> ");
                    }
                }
                Some(Step::Refused { error, .. }) => eprintln!("{}: {error}", error.code()),
                Some(_) => {}
            },
            _ = tokio::signal::ctrl_c() => {
                questions.clear();
                match session.interrupt() {
                    Ok(false) if session.state() == State::Idle => return Ok(()),
                    Ok(_) => {}
                    Err(error) => eprintln!("{error}"),
                }
            }
        }
    }
}

fn nobody() -> Answer {
    Answer::deny("The user is gone.")
}

fn prompt(text: &str) {
    print!("{text}");
    // A terminal that is gone shows nothing.
    let _ = std::io::stdout().flush();
}

/// What the user types, line by line; a thread reads it, for reading a terminal blocks.
fn lines() -> UnboundedReceiver<String> {
    let (tell, lines) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
