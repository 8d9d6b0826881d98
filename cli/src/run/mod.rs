//! `turnline run`: starts an executor, prints its events as they come and the envelope at the end.
//!
//! Four things go on beside each other: the run itself (a task of `turnline-tokio`), this loop that formats events, a thread
//! that writes (a reader that is slow, or blocks, must not keep a signal waiting), and a task that listens for signals.

mod args;
mod auto;
mod reader;
mod signals;
mod status;
mod writer;

pub(crate) use args::RunArgs;

use crate::detect::AUTO;
use crate::failure::Failure;
use crate::parse::Input;
use crate::printer::Printer;
use crate::profile::{load, own};
use signals::Signals;
use status::StatusLine;
use std::future::ready;
use std::time::Duration;
use turnline::Status;
use turnline::acts::ActTable;
use turnline_tokio::{Run, Runner};
use writer::{Gone, Writer};

/// Bytes that are formatted before they are handed to the writer, at the latest.
const WRITE: usize = 64 << 10;
/// How often the status line is renewed.
const TICK: Duration = Duration::from_millis(250);

/// Runs what was asked for; the verdict.
pub(crate) fn run(args: &RunArgs) -> Result<Status, Failure> {
    let runner = runner(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Message(format!("cannot start: {error}")))?;
    let done = runtime.block_on(follow(args, &runner));
    // A thread that is blocked in a write is left where it is.
    runtime.shutdown_background();
    done
}

fn runner(args: &RunArgs) -> Result<Runner, Failure> {
    let profile = match args.source.executor.as_deref() {
        Some(AUTO) => auto::executor(own(&args.source.profiles)?, args.program.as_deref())?,
        _ => load(&args.source)?,
    };
    let mut runner = Runner::new(&profile);
    runner.prompt(match (&args.given, args.prompt.as_deref()) {
        (Some(prompt), _) => prompt.clone(),
        (None, Some("-") | None) => Input::open(None)?.read_text()?,
        (None, Some(prompt)) => prompt.to_owned(),
    });
    runner.args(args.extra.iter().cloned());
    if let Some(cwd) = &args.cwd {
        runner.current_dir(cwd);
    }
    if let Some(model) = &args.model {
        runner.model(model);
    }
    match args.resume.as_deref() {
        Some("last") => _ = runner.resume_last(),
        Some(id) => _ = runner.resume(id),
        None => {}
    }
    if let Some(limit) = args.timeout {
        runner.timeout(limit);
    }
    if args.acts {
        runner.acts(ActTable::built_in());
    }
    if let Some(program) = &args.program {
        runner.program(program);
    }
    Ok(runner)
}

async fn follow(args: &RunArgs, runner: &Runner) -> Result<Status, Failure> {
    let executor = runner.profile().id();
    let (mut printer, output) = Printer::new(args.output, true, executor);
    // The writer opens its own, in its thread.
    drop(output);
    // Before the executor is started: no signal finds a run that nobody would end.
    let signals = Signals::new().map_err(|error| Failure::Message(format!("cannot listen for signals: {error}")))?;
    let mut run = runner.spawn().map_err(|error| Failure::Message(format!("{}: {error}", error.code())))?;
    let mut writer = Writer::start(printer.is_for_people(), signals.listen(run.canceller()));
    let mut status = StatusLine::new(printer.is_for_people());

    let mut printed = print_events(&mut run, &mut printer, &mut writer, &mut status).await;
    if printed.is_err() {
        // Nobody reads any more; what goes on is ended, with its chance to clean up.
        run.cancel();
    }
    let envelope = run.wait().await;
    if printed.is_ok() {
        let mut text = Vec::new();
        printer.envelope(&envelope, &mut text);
        printed = writer.write(text).await;
    }
    if printed.is_ok() {
        printed = writer.finish().await;
    }
    match printed {
        Ok(()) | Err(Gone::Reader | Gone::Blocked) => Ok(envelope.status),
        Err(Gone::Failed(error)) => Err(Failure::writing(&error)),
    }
}

async fn print_events(
    run: &mut Run,
    printer: &mut Printer,
    writer: &mut Writer,
    status: &mut StatusLine,
) -> Result<(), Gone> {
    let mut text = Vec::new();
    let mut tick = tokio::time::interval(TICK);
    loop {
        let event = tokio::select! {
            biased;
            event = run.next_event() => event,
            // Nothing more for now: what has come must be seen.
            () = ready(()), if !text.is_empty() => {
                writer.write(std::mem::take(&mut text)).await?;
                continue;
            }
            gone = writer.gone() => return Err(gone),
            _ = tick.tick(), if status.is_shown() => {
                if printer.is_between_lines() {
                    writer.status(status.line(writer.signals())).await?;
                }
                continue;
            }
        };
        let Some(event) = event else { break };
        status.event(&event);
        printer.event(&event, &mut text);
        if text.len() >= WRITE {
            writer.write(std::mem::take(&mut text)).await?;
        }
    }
    if text.is_empty() { Ok(()) } else { writer.write(text).await }
}
