//! The life of one run as a machine without I/O: facts in, actions out, time as a number.
//!
//! A driver spawns what the [`Plan`] says, carries out actions and tells facts; every decision is
//! made here, so that drivers for any runtime, and tests with simulated time, share all of them.

mod ahead;
mod dialog;
mod facts;
mod machine;
mod options;
mod outgoing;
mod talk;

pub use facts::{Action, Input};
pub use options::{RunOptions, WhenBusy};
pub use talk::Sent;

use crate::envelope::{Envelope, Timing};
use crate::event::Event;
use crate::exit::Exit;
use crate::launch::{Plan, Stdin};
use crate::parser::Parser;
use crate::profile::Profile;
use crate::turn::{State, TurnReport};
use ahead::Ahead;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::time::Duration;
use dialog::Bounds;
use machine::{Machine, Settings};
use outgoing::Outgoing;

/// How long read bytes wait for a consumer before they are looked at without it: the terminal record must be noticed
/// even when nobody takes events.
const LAG: Duration = Duration::from_millis(50);

/// One run: what it prints becomes events and one envelope, and everything that has to be done about its process is
/// said as actions. No I/O, no clock, no thread.
///
/// Methods by kind: facts ([`handle`](Run::handle)), what the host says ([`send`](Run::send),
/// [`interrupt`](Run::interrupt), [`answer`](Run::answer), ...), what to do ([`poll`](Run::poll),
/// [`deadline`](Run::deadline)), output ([`next_event`](Run::next_event), [`state`](Run::state)), end
/// ([`finish`](Run::finish)). `now` is the time since the run was asked for; one that goes back counts as no time.
///
/// # The loop of a driver
///
/// ```ignore
/// let mut run = Run::new(&profile, plan, RunOptions::default());
/// // spawn what run.plan() says, in a process group of its own, then:
/// run.handle(Input::Started, start.elapsed());
/// loop {
///     while let Some(event) = run.next_event() { show(&event); }
///     while let Some(action) = run.poll() {
///         // carry it out; Action::Done ends the loop
///     }
///     // wait for the next fact, at most until run.deadline(); then
///     run.handle(fact, start.elapsed());
/// }
/// let envelope = run.finish();
/// ```
///
/// Taking events can make room, or end a turn that another one waits for, and so lead to an action: poll after it too. A consumer that takes none delays nothing
/// but the reading: cancelling, time limits and the end of the process go on without it.
///
/// # What it promises
///
/// - Exactly one envelope, whatever happens, in whatever order facts come.
/// - Nothing is signalled after the exit was reaped: [`Action::Reap`] comes after the last signal.
/// - A run that ended by itself before a signal of ours reached it keeps its own verdict; a cancelled one is never `ok`.
/// - Once it is cancelled, or has reached a limit, it is over in bounded time, even if its processes cannot be ended.
pub struct Run {
    parser: Parser,
    machine: Machine,
    profile: Profile,
    plan: Plan,
    /// How many requests of ours there were.
    requests: u64,
    /// A turn's report that is told when its end is.
    report: Option<TurnReport>,
    ahead: Ahead<Event<'static>>,
    options: RunOptions,
    /// The command is not the profile's.
    other_command: bool,
    stdout_over: bool,
    /// The parser may have come to know something that the machine was not told.
    unnoticed: bool,
    first_byte: Option<Duration>,
    first_event: Option<Duration>,
}

impl Run {
    /// A run of what `plan` says, read by `profile`.
    #[must_use]
    pub fn new(profile: &Profile, plan: Plan, mut options: RunOptions) -> Self {
        let out = match &plan.stdin {
            Stdin::Bytes(bytes) => Outgoing::prompt(bytes.len()),
            Stdin::Open => Outgoing::conversation(),
            Stdin::Null | Stdin::Inherit => Outgoing::none(),
        };
        if options.parser.resume.is_none() {
            options.parser.resume.clone_from(&plan.resume);
            options.parser.forked |= plan.fork;
        }
        options.parser.interactive |= matches!(plan.stdin, Stdin::Open);
        let mut timers = plan.timers;
        timers.answer = timers.answer.filter(|_| profile.spec().input.deny.is_some());
        let settings = Settings {
            timers,
            interrupt: plan.interrupt,
            leave_background: options.leave_background,
            bounds: Bounds { open: options.parser.limits.open_calls, queue: options.queue },
        };
        let mut run = Run {
            parser: Parser::with_options(profile, options.parser.clone()),
            machine: Machine::new(settings, out),
            other_command: plan.command != profile.command(),
            profile: profile.clone(),
            plan,
            requests: 0,
            report: None,
            ahead: Ahead::new(options.read_ahead),
            options,
            stdout_over: false,
            unnoticed: false,
            first_byte: None,
            first_event: None,
        };
        run.say_first();
        run
    }

    /// What is to be started. Its stdin bytes are gone once they are written.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Tells a fact and the time at which it was seen.
    pub fn handle(&mut self, input: Input<'_>, now: Duration) {
        self.notice();
        self.machine.clock(now);
        match input {
            Input::Started => self.machine.started(),
            Input::SpawnFailed(error) => self.machine.spawn_failed(error),
            Input::Stdout(chunk) => {
                if self.hears(chunk.len()) {
                    self.parser.push(chunk);
                    self.pushed(chunk.len());
                }
            }
            Input::StdoutFilled(filled) => {
                if self.hears(filled) {
                    self.parser.filled(filled);
                    self.pushed(filled);
                }
            }
            Input::StdoutClosed => self.stdout_closed(None),
            Input::StdoutBroken(error) => self.stdout_closed(Some(error)),
            Input::Stderr(chunk) => {
                self.machine.output();
                self.parser.push_stderr(chunk);
            }
            Input::StderrClosed => self.machine.stderr_closed(),
            Input::StdinWritten(bytes) => self.written(bytes),
            Input::StdinBroken(error) => self.machine.stdin_broken(error),
            Input::Signalled => {
                self.look_ahead();
                self.machine.signalled();
            }
            Input::Exited { code, signal } => self.machine.exited(code, signal),
            Input::TreeGone => self.machine.tree_gone(),
            Input::Reaped => self.machine.reaped(),
            Input::Cancel => self.machine.cancel(false),
            Input::CancelNow => self.machine.cancel(true),
            Input::Tick => {}
        }
        self.settle();
    }

    /// What follows from what was told.
    fn settle(&mut self) {
        // No limit is reached, and no time passes, over something that was read and not looked at.
        if self.deadline().is_some_and(|deadline| deadline <= self.machine.now) {
            self.look_ahead();
        }
        let full = self.ahead.is_full();
        self.machine.read_ahead_full(full);
        self.answer_expired();
        self.machine.settle();
        self.tell_turns();
        if self.machine.is_done() {
            self.end_of_stdout();
        }
    }

    /// Room of at least `min` bytes to read standard output into; [`Input::StdoutFilled`] tells how many came. Saves
    /// a copy. Events that wait are set aside by this; none is lost.
    pub fn stdout_space(&mut self, min: usize) -> &mut [u8] {
        self.look_ahead();
        self.parser.space(min)
    }

    /// The next thing to do, the most urgent first; `None`: wait for a fact, or for [`deadline`](Run::deadline).
    pub fn poll(&mut self) -> Option<Action> {
        self.notice();
        if self.machine.out.converses() {
            // The events that were taken may have ended a turn that another one waited for.
            self.machine.settle();
            self.tell_turns();
        }
        let lag = self.lag_end();
        self.machine.poll(lag)
    }

    /// When to tell [`Input::Tick`] if nothing else happens before: for drivers that would rather ask than keep the
    /// last [`Action::SetTimer`], which is never later.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        [self.machine.deadline(), self.lag_end()].into_iter().flatten().min()
    }

    /// The bytes that [`Action::Write`] names.
    #[must_use]
    pub fn stdin(&self, range: Range<usize>) -> &[u8] {
        match &self.plan.stdin {
            Stdin::Bytes(bytes) => bytes.get(range).unwrap_or_default(),
            _ => self.machine.said_bytes(range),
        }
    }

    /// The next event, in order. `None`: none yet, or none any more.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        if let Some(event) = self.ahead.take() {
            let full = self.ahead.is_full();
            self.machine.read_ahead_full(full);
            return Some(event);
        }
        let event = self.parser.next_event();
        if let Some(event) = &event {
            talk::heard(&mut self.machine, event);
            self.first_event.get_or_insert(self.machine.now);
            self.machine.event_made();
        } else {
            self.ahead.looked_at();
            let full = self.ahead.is_full();
            self.machine.read_ahead_full(full);
            self.unnoticed = true;
        }
        event
    }

    /// Whether nothing more will be asked.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.machine.is_done()
    }

    /// Whether the process is being ended: it was cancelled, reached a limit, or lingers.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.machine.is_ending()
    }

    /// Whether the process, or some of its tree, could not be ended in time and may still be there.
    #[must_use]
    pub fn gave_up(&self) -> bool {
        self.machine.gave_up()
    }

    /// The facts about the end, as far as they are known.
    #[must_use]
    pub fn exit(&self) -> Exit {
        let mut exit = self.machine.exit();
        exit.program = self.other_command.then(|| self.plan.command.clone());
        exit.nonzero = self.options.nonzero;
        exit
    }

    /// What the run came to. Called before [`Action::Done`] it gives the run up: one that has not ended counts as
    /// cancelled. Events that were not taken are counted all the same.
    #[must_use]
    pub fn finish(self) -> Envelope {
        let exit = self.exit();
        let millis = |at: Option<Duration>| at.map(|at| at.as_secs_f64() * 1e3);
        let timing = Timing {
            spawn_setup_ms: millis(self.machine.started),
            first_byte_ms: millis(self.first_byte),
            first_event_ms: millis(self.first_event),
            run_ms: millis(Some(self.machine.done_at.unwrap_or(self.machine.now))),
        };
        let mut envelope = self.parser.finish(&exit);
        envelope.timing = Some(timing);
        envelope
    }

    /// Output came: whether it is to be read. If so, nothing that was read before waits in the parser any more.
    fn hears(&mut self, bytes: usize) -> bool {
        self.machine.output();
        let hears = bytes > 0 && self.machine.listens();
        if hears {
            self.look_ahead();
        }
        hears
    }

    fn pushed(&mut self, bytes: usize) {
        self.first_byte.get_or_insert(self.machine.now);
        self.ahead.push(bytes, self.machine.now);
        if self.ahead.is_full() {
            self.look_ahead();
        }
    }

    /// Looks at what waits in the parser, and sets its events aside for the consumer.
    fn look_ahead(&mut self) {
        if self.ahead.pushed_at().is_none() {
            return;
        }
        while let Some(event) = self.parser.next_event() {
            talk::heard(&mut self.machine, &event);
            self.ahead.put(event.into_owned());
            self.first_event.get_or_insert(self.machine.now);
            self.machine.event_made();
        }
        self.ahead.looked_at();
        self.unnoticed = true;
        self.notice();
    }

    /// Tells the machine what the stream has said, as far as was looked.
    fn notice(&mut self) {
        if self.unnoticed {
            self.unnoticed = false;
            self.machine.observe(self.parser.terminal_seen() && !self.parser.background());
            if self.parser.state() != State::Waiting {
                // Whatever was asked is asked no longer.
                self.machine.dialog.settle(|_| true);
            }
        }
    }

    fn stdout_closed(&mut self, error: Option<String>) {
        self.end_of_stdout();
        self.machine.stdout_closed(error);
    }

    fn end_of_stdout(&mut self) {
        if !self.stdout_over {
            self.stdout_over = true;
            self.look_ahead();
            self.parser.eof();
            // A last line without its end is read now.
            self.ahead.push(0, self.machine.now);
        }
    }

    fn written(&mut self, bytes: usize) {
        self.machine.out.wrote(bytes);
        if self.machine.out.is_flushed()
            && let Stdin::Bytes(prompt) = &mut self.plan.stdin
        {
            // A prompt of many megabytes is not kept for nothing.
            *prompt = Vec::new();
        }
    }

    fn lag_end(&self) -> Option<Duration> {
        let since = self.ahead.pushed_at().filter(|_| !self.machine.is_done())?;
        Some(since.saturating_add(LAG))
    }
}
