//! One conversation with any executor: with one process for all turns where it goes on listening, else with one a turn.

mod error;
mod guard;
mod shared;

pub use error::SessionError;

use crate::run::Run;
use crate::runner::Runner;
use guard::Guard;
use shared::{Nature, Shared};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use turnline::input::{Answer, InputErrorKind, UserTurn};
use turnline::launch::When;
use turnline::run::Sent;
use turnline::{Baseline, Envelope, Event, State, TurnReport};

/// A conversation with an executor, the same for all of them.
///
/// Where the profile says how the executor is spoken to while it runs, one process takes all turns; else each turn is a process of
/// its own, which goes on with the session of the one before. A process that has ended between two turns is started again in the
/// same way. Sessions are kept, so that they can be gone on with.
///
/// - A turn that is said while another one runs waits for it, or is refused, as the runner
///   [says](Runner::when_busy). Two processes of one session never run at the same time, and no two sessions of this process
///   work in one directory, unless [that is wanted](Session::share_directory).
/// - An executor that cannot go on with a session takes one turn: the second is refused with a code.
/// - What a resumed thread had used before is carried along, so that each turn's own usage is known.
///
/// Steps are taken with [`next`](Session::next); a session that nobody asks for its next step starts no waiting turn.
///
/// # Dropping
///
/// Dropping a session ends its process as dropping a [`Run`] does.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use turnline::Profile;
/// use turnline_tokio::{Runner, Session, Step};
///
/// let mut runner = Runner::new(&Profile::builtin("codex")?);
/// runner.current_dir("projects/site");
/// let mut session = Session::new(&runner);
/// session.send("What does this project do?")?;
/// session.send("And what is missing?")?;
/// session.close();
/// while let Some(step) = session.next().await {
///     match step {
///         Step::Event(event) => println!("{}", event.kind.name()),
///         Step::Turn(report) => println!("{}: {:?}", report.status, report.result),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Session {
    runner: Runner,
    shared: Arc<Shared>,
    steps: VecDeque<Step>,
    // Before the guard: the directory is free when the process is gone.
    run: Option<Run>,
    guard: Option<Guard>,
    share_directory: bool,
    session_id: Option<String>,
    /// What the session has used so far, where that is known.
    thread: Baseline,
    /// Turns whose reports were given.
    turns: u32,
    /// The turns of the process that runs whose reports were given.
    reported: u32,
}

/// What happens next in a session.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// An event of the process that runs; its numbers are that process's.
    Event(Event<'static>),
    /// A turn is over; `turn` counts those of the session.
    Turn(TurnReport),
    /// The process has ended, and nothing of it is left: after each turn, or once.
    Ended(Box<Envelope>),
    /// A turn that waited could not be said.
    Refused {
        /// The turn.
        turn: UserTurn,
        /// Why.
        error: SessionError,
    },
}

impl Session {
    /// A session with the executor that the runner runs, as it says. A session that it resumes is gone on with; its prompt is
    /// not said.
    #[must_use]
    pub fn new(runner: &Runner) -> Self {
        let spec = runner.profile().spec();
        let program = runner.request().program.as_deref();
        let nature = Nature {
            command: program.unwrap_or(runner.profile().command()).to_owned(),
            lasting: spec.input.turn.is_some(),
            resumes: spec.launch.has(When::Resume),
            when_busy: runner.options.when_busy,
            queue: runner.options.queue,
        };
        let mut runner = runner.clone();
        runner.prompt("").interactive(nature.lasting).keep_session(true);
        Session {
            thread: Baseline::default(),
            runner,
            shared: Arc::new(Shared::new(nature)),
            steps: VecDeque::new(),
            run: None,
            guard: None,
            share_directory: false,
            session_id: None,
            turns: 0,
            reported: 0,
        }
    }

    /// Lets other sessions work in the same directory at the same time.
    pub fn share_directory(&mut self, share: bool) -> &mut Self {
        self.share_directory = share;
        self
    }

    /// Says a turn: at once where none runs, else as the runner says.
    ///
    /// # Errors
    ///
    /// The turn is empty, or has parts that the executor does not take; a turn runs and no queue is wanted, or it is full; the
    /// executor cannot go on with a session; another session works in the directory; the session was closed.
    ///
    /// # Panics
    ///
    /// As [`Runner::spawn`].
    pub fn send(&mut self, turn: impl Into<UserTurn>) -> Result<Sent, SessionError> {
        let turn = turn.into();
        match self.shared.send(&turn)? {
            Some(sent) => Ok(sent),
            None => self.start(&turn).map(|()| Sent::Now),
        }
    }

    /// The next step; waits while there is nothing to tell. `None`: the session was closed, and its last turn is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a step that was not returned is not lost.
    pub async fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Some(step);
            }
            if let Some(run) = &mut self.run {
                match poll_fn(|cx| run.poll_next_event(cx)).await {
                    Some(event) => {
                        self.take_turns();
                        return Some(Step::Event(event));
                    }
                    // Nothing is waited for in this: the run is over.
                    None => self.process_ended().await,
                }
                continue;
            }
            let turn = poll_fn(|cx| self.shared.poll_next(cx)).await?;
            if let Err(error) = self.start(&turn) {
                self.steps.push_back(Step::Refused { turn, error });
            }
        }
    }

    /// Stops the turn that runs. The process lives on where the executor can be told to stop; else it is cancelled, and the next
    /// turn is a new process. Turns that wait go on waiting for their time. False: no turn runs, or it was asked already.
    ///
    /// # Errors
    ///
    /// The run is over, and its end was not taken yet.
    pub fn interrupt(&self) -> Result<bool, SessionError> {
        self.shared.interrupt()
    }

    /// As [`Run::answer`].
    ///
    /// # Errors
    ///
    /// As there; also while no process runs.
    pub fn answer(&self, request_id: &str, answer: &Answer) -> Result<(), SessionError> {
        self.talk(|run| Ok(run.answer(request_id, answer)?))
    }

    /// As [`Run::set_model`]; also for the processes to come.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn set_model(&mut self, model: &str) -> Result<(), SessionError> {
        if self.run.is_some() && self.shared.nature.lasting {
            self.talk(|run| Ok(run.set_model(model)?))?;
        }
        self.runner.model(model);
        Ok(())
    }

    /// What the session is doing: `Ended` when it was closed and its last turn is over.
    #[must_use]
    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// The id by which the session can be resumed, as far as it is known.
    #[must_use]
    pub fn session_id(&self) -> Option<String> {
        self.run.as_ref().and_then(Run::session_id).or_else(|| self.session_id.clone())
    }

    /// The turns that were not said, in order; they wait no longer.
    pub fn take_unsent(&mut self) -> Vec<UserTurn> {
        let mut unsent = self.run.as_ref().map(Run::take_unsent).unwrap_or_default();
        unsent.append(&mut self.shared.lock().take_unsent());
        unsent
    }

    /// Says no more turns. Those that were said come to their end; then [`next`](Session::next) gives `None`.
    pub fn close(&self) {
        self.shared.close();
    }

    /// Cancels the process that runs, politely; see [`Run::cancel`]. Turns that wait are not forgotten.
    pub fn cancel(&self) {
        if let Some(run) = &self.run {
            run.cancel();
        }
    }

    /// What speaks to this session from elsewhere.
    #[must_use]
    pub fn handle(&self) -> SessionHandle {
        SessionHandle { shared: Arc::clone(&self.shared) }
    }

    fn talk<T>(&self, what: impl FnOnce(&Run) -> Result<T, SessionError>) -> Result<T, SessionError> {
        match &self.run {
            Some(run) => what(run),
            None => Err(self.shared.nature.refused(InputErrorKind::Ended, "no turn runs")),
        }
    }

    /// Starts a process, and says the turn to it.
    fn start(&mut self, turn: &UserTurn) -> Result<(), SessionError> {
        let nature = &self.shared.nature;
        let mut runner = self.runner.clone();
        if self.shared.lock().begun {
            let command = || nature.command.clone();
            if !nature.resumes {
                return Err(SessionError::CannotResume { command: command() });
            }
            let Some(id) = &self.session_id else {
                return Err(SessionError::SessionUnknown { command: command() });
            };
            runner.resume(id.as_str());
            runner.request_mut().fork = false;
            runner.options.parser.baseline = self.thread.clone();
        }
        if !nature.lasting {
            runner.prompt(turn.as_text().unwrap_or_default());
        }
        let guard = match self.share_directory {
            true => None,
            false => Some(
                Guard::hold(runner.request().cwd.as_deref())
                    .map_err(|directory| SessionError::DirectoryBusy { directory })?,
            ),
        };
        let run = runner.spawn()?;
        if nature.lasting && run.spawn_error().is_none() {
            // Where it refuses, dropping it ends it again.
            run.send(turn.clone())?;
        }
        let mut state = self.shared.lock();
        // One that could not be started has not begun anything.
        state.begun |= run.spawn_error().is_none();
        let closing = state.closing;
        let handle = run.handle();
        state.run = Some(handle.clone());
        drop(state);
        if closing && nature.lasting {
            handle.end_input();
        }
        self.reported = 0;
        self.run = Some(run);
        self.guard = guard;
        Ok(())
    }

    /// The reports of the turns that are over, of a process that takes several.
    fn take_turns(&mut self) {
        if !self.shared.nature.lasting {
            return;
        }
        while let Some(report) = self.run.as_mut().and_then(Run::take_turn) {
            self.report(report);
        }
    }

    fn report(&mut self, mut report: TurnReport) {
        self.reported = self.reported.max(report.turn.saturating_add(1));
        report.turn = self.turns;
        self.turns += 1;
        self.steps.push_back(Step::Turn(report));
    }

    async fn process_ended(&mut self) {
        let Some(run) = self.run.take() else { return };
        let unsent = run.take_unsent();
        // The turn that it was told and did not begin has an end, too.
        let silent = run.is_turn_owed() || run.spawn_error().is_some();
        let envelope = run.wait().await;
        if self.shared.nature.lasting {
            let untold = |report: &&TurnReport| report.turn >= self.reported;
            let left: Vec<TurnReport> = envelope.turn_reports.iter().filter(untold).cloned().collect();
            for report in left {
                self.report(report);
            }
        }
        if silent || !self.shared.nature.lasting {
            self.report(TurnReport::of_run(&envelope, self.turns));
        }
        self.thread = envelope.baseline();
        if envelope.session_id.is_some() {
            self.session_id.clone_from(&envelope.session_id);
        }
        self.guard = None;
        let mut state = self.shared.lock();
        state.run = None;
        state.put_back(unsent);
        drop(state);
        self.steps.push_back(Step::Ended(Box::new(envelope)));
    }
}

/// Speaks to a session from any task or thread.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    shared: Arc<Shared>,
}

impl SessionHandle {
    /// Says a turn, as [`Session::send`]; a process that has to be started for it is started by whoever asks the session for its
    /// next step, and what keeps it from starting is told by [`Step::Refused`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn send(&self, turn: impl Into<UserTurn>) -> Result<Sent, SessionError> {
        let turn = turn.into();
        match self.shared.send(&turn)? {
            Some(sent) => Ok(sent),
            None => {
                self.shared.push(turn);
                Ok(Sent::Queued)
            }
        }
    }

    /// As [`Session::interrupt`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn interrupt(&self) -> Result<bool, SessionError> {
        self.shared.interrupt()
    }

    /// As [`Session::close`].
    pub fn close(&self) {
        self.shared.close();
    }

    /// As [`Session::state`].
    #[must_use]
    pub fn state(&self) -> State {
        self.shared.state()
    }
}
