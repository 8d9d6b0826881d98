//! What is to be run, and how: a builder that reads like [`std::process::Command`].

use crate::driver::{Driver, Pipes};
use crate::launch;
use crate::run::Run;
use crate::shared::Shared;
use crate::trace;
use crate::tree::Marker;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use turnline::acts::ActTable;
use turnline::launch::{Document, LaunchError, Request, Review, Sandbox, Via};
use turnline::run::{Input, RunOptions, WhenBusy};
use turnline::{Baseline, Envelope, Limits, NonzeroExit, Profile, Resume, SpawnError, SpawnErrorKind};

/// Runs an executor. One runner may start any number of runs; they share nothing.
///
/// Its `Debug` output shows neither the prompt nor values of variables.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use turnline::Profile;
/// use turnline_tokio::Runner;
///
/// let profile = Profile::builtin("codex")?;
/// let mut runner = Runner::new(&profile);
/// runner.prompt("Say one word.").model("fast").timeout(Duration::from_secs(600)).env_remove("OPENAI_API_KEY");
/// let envelope = runner.run().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Runner {
    profile: Profile,
    request: Request,
    pub(crate) options: RunOptions,
    token: Option<CancellationToken>,
}

impl Runner {
    /// Runs the executor that this profile describes.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        Runner::with_request(profile, Request::default())
    }

    /// Runs what was asked for elsewhere.
    #[must_use]
    pub fn with_request(profile: &Profile, request: Request) -> Self {
        Runner { profile: profile.clone(), request, options: RunOptions::default(), token: None }
    }

    /// The prompt. It is written to the executor's standard input, or is its last argument, as the profile says.
    pub fn prompt(&mut self, prompt: impl Into<String>) -> &mut Self {
        self.request.prompt = prompt.into();
        self
    }

    /// Hands the prompt over in this way instead of the profile's first.
    pub fn via(&mut self, via: Via) -> &mut Self {
        self.request.via = Some(via);
        self
    }

    /// The program to run instead of the profile's command. With a slash it is meant from the caller's directory,
    /// else it is searched in `PATH`. A name that is no Unicode is not found.
    pub fn program(&mut self, program: impl AsRef<OsStr>) -> &mut Self {
        self.request.program = Some(program.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Adds an argument for the executor, verbatim, before the prompt.
    pub fn arg(&mut self, arg: impl Into<String>) -> &mut Self {
        self.request.extra_args.push(arg.into());
        self
    }

    /// Adds arguments for the executor, verbatim, before the prompt.
    pub fn args<A: Into<String>>(&mut self, args: impl IntoIterator<Item = A>) -> &mut Self {
        self.request.extra_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The working directory, absolute or from the caller's own; `PWD` names it (a `PWD` that the caller
    /// [sets](Runner::env) wins). A path that is no Unicode is not found.
    pub fn current_dir(&mut self, dir: impl AsRef<Path>) -> &mut Self {
        self.request.cwd = Some(dir.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Sets a variable. Setting wins over removing, and both over what is inherited and what the profile says.
    pub fn env(&mut self, name: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.request.env.set.insert(name.into(), value.into());
        self
    }

    /// Sets variables.
    pub fn envs<N: Into<String>, V: Into<String>>(&mut self, vars: impl IntoIterator<Item = (N, V)>) -> &mut Self {
        self.request.env.set.extend(vars.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Does not hand on a variable.
    pub fn env_remove(&mut self, name: impl Into<String>) -> &mut Self {
        self.request.env.remove.push(name.into());
        self
    }

    /// Does not hand on the variables whose names begin so.
    pub fn env_remove_prefix(&mut self, prefix: impl Into<String>) -> &mut Self {
        self.request.env.remove_prefix.push(prefix.into());
        self
    }

    /// Hands on nothing of the caller's environment: the executor gets what is set here and by the profile, `PWD`, and the
    /// [marker](crate::tree::MARKER_VARIABLE).
    pub fn env_clear(&mut self) -> &mut Self {
        self.request.env.clear = true;
        self
    }

    /// The model.
    pub fn model(&mut self, model: impl Into<String>) -> &mut Self {
        self.request.model = Some(model.into());
        self
    }

    /// Goes on with the session of this id.
    pub fn resume(&mut self, id: impl Into<String>) -> &mut Self {
        self.request.resume = Some(Resume::Id(id.into()));
        self
    }

    /// Goes on with the last session.
    pub fn resume_last(&mut self) -> &mut Self {
        self.request.resume = Some(Resume::Last);
        self
    }

    /// Keeps the session so that it can be resumed.
    pub fn keep_session(&mut self, keep: bool) -> &mut Self {
        self.request.keep_session = keep;
        self
    }

    /// What the executor's tools may write.
    pub fn sandbox(&mut self, sandbox: Sandbox) -> &mut Self {
        self.request.sandbox = Some(sandbox);
        self
    }

    /// Texts in pieces, as they come.
    pub fn partial_messages(&mut self, partial: bool) -> &mut Self {
        self.request.partial_messages = partial;
        self
    }

    /// The host goes on talking: what is said is written to the executor's standard input, which stays open until
    /// [`end_input`](Run::end_input). The [prompt](Runner::prompt), if there is one, is the first turn. See [`Run::send`].
    pub fn interactive(&mut self, interactive: bool) -> &mut Self {
        self.request.interactive = interactive;
        self
    }

    /// The host is asked for permissions instead of all being granted, in an [interactive](Runner::interactive) run. See
    /// [`Run::answer`].
    pub fn ask_permissions(&mut self, ask: bool) -> &mut Self {
        self.request.ask_permissions = ask;
        self
    }

    /// What becomes of a turn that is said while another one runs (it waits, by default).
    pub fn when_busy(&mut self, when_busy: WhenBusy) -> &mut Self {
        self.options.when_busy = when_busy;
        self
    }

    /// Denies what the executor asked for and the host has not answered for this long (no limit by default).
    pub fn answer_within(&mut self, limit: Duration) -> &mut Self {
        self.request.answer_within = Some(limit);
        self
    }

    /// A JSON schema that the answer must fit.
    pub fn output_schema(&mut self, schema: Document) -> &mut Self {
        self.request.output_schema = Some(schema);
        self
    }

    /// A configuration of MCP servers.
    pub fn mcp_config(&mut self, config: Document) -> &mut Self {
        self.request.mcp_config = Some(config);
        self
    }

    /// Reviews changes by the executor's own way, instead of following a prompt.
    pub fn review(&mut self, review: Review) -> &mut Self {
        self.request.review = Some(review);
        self
    }

    /// Ends the run when it takes longer than this (no limit by default): it failed then, `executor_timed_out`.
    pub fn timeout(&mut self, limit: Duration) -> &mut Self {
        self.request.total = Some(limit);
        self
    }

    /// Ends the run when it prints nothing for this long (no limit by default).
    pub fn idle_timeout(&mut self, limit: Duration) -> &mut Self {
        self.request.idle = Some(limit);
        self
    }

    /// Ends the run when its first event takes longer than this (no limit by default).
    pub fn first_event_timeout(&mut self, limit: Duration) -> &mut Self {
        self.request.first_event = Some(limit);
        self
    }

    /// How long the executor may linger after its terminal record (10 s by default) before it is ended, which is no
    /// failure; `None` takes the limit away.
    pub fn after_terminal(&mut self, limit: Option<Duration>) -> &mut Self {
        self.request.after_terminal = Some(limit);
        self
    }

    /// How long the pipes are read on after the exit (2 s by default): what it started may hold them for ever; `None`
    /// takes the limit away.
    pub fn drain(&mut self, limit: Option<Duration>) -> &mut Self {
        self.request.drain = Some(limit);
        self
    }

    /// How long the executor has between being asked to end and being ended (5 s by default; zero: it is not asked).
    pub fn grace(&mut self, grace: Duration) -> &mut Self {
        self.request.grace = Some(grace);
        self
    }

    /// Bytes of standard output that are read ahead of a slow consumer (16 MiB by default): see
    /// [`RunOptions::read_ahead`].
    pub fn read_ahead(&mut self, bytes: usize) -> &mut Self {
        self.options.read_ahead = bytes;
        self
    }

    /// The bounds of what is remembered while the stream is read.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.options.parser.limits = limits;
        self
    }

    /// What the session had used before this run, as [`Envelope::baseline`](turnline::Envelope::baseline) of the run before
    /// says: with it a resumed run's own usage is known where the vendor reports running totals.
    pub fn baseline(&mut self, baseline: Baseline) -> &mut Self {
        self.options.parser.baseline = baseline;
        self
    }

    /// Looks for consequential acts (pushes, merges, deletions, ...) in the commands that its tools run, by this table: see
    /// [`turnline::acts`].
    pub fn acts(&mut self, table: ActTable) -> &mut Self {
        self.options.parser.acts = Some(table);
        self
    }

    /// Leaves alone what the executor started and left behind, when it ended by itself. A cancelled run ends all.
    pub fn leave_background(&mut self, leave: bool) -> &mut Self {
        self.options.leave_background = leave;
        self
    }

    /// What a non-zero exit after a clean terminal record means.
    pub fn nonzero_exit(&mut self, nonzero: NonzeroExit) -> &mut Self {
        self.options.nonzero = nonzero;
        self
    }

    /// Cancels every run that is started from now on when this token is cancelled.
    pub fn cancel_on(&mut self, token: CancellationToken) -> &mut Self {
        self.token = Some(token);
        self
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What is asked for, as it stands.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// What is asked for, to change what has no method here.
    pub fn request_mut(&mut self) -> &mut Request {
        &mut self.request
    }

    /// The program that would be started, where it is now: `None` where no file that may be executed is found.
    #[must_use]
    pub fn located(&self) -> Option<PathBuf> {
        launch::located(&self.profile, &self.request).map(PathBuf::from)
    }

    /// Starts the executor.
    ///
    /// One that cannot be started is a run too, which is over at once: its envelope has the code
    /// `executor_unavailable`, and [`Run::spawn_error`] says whether program, permission or working directory is at fault.
    ///
    /// # Errors
    ///
    /// A request that makes no plan (an empty prompt, an option that the executor lacks, ...): nothing was started.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, or in one without I/O and time enabled.
    pub fn spawn(&self) -> Result<Run, LaunchError> {
        let begin = Instant::now();
        let marker = Marker::unique();
        let (plan, places) = launch::planned(&self.profile, &self.request, &marker)?;
        let mut run = turnline::run::Run::new(&self.profile, plan, self.options.clone());
        let started = launch::start(run.plan(), &places, &marker).and_then(|spawned| {
            Pipes::of(spawned).map_err(|error| SpawnError::new(SpawnErrorKind::Other, format!("its pipes: {error}")))
        });
        let marker = marker.as_str().to_owned();
        match started {
            Ok((tree, pipes)) => {
                run.handle(Input::Started, begin.elapsed());
                let id = tree.id();
                let shared = Arc::new(Shared::new(run, Some(tree), None, begin));
                trace::start(Driver::new(&shared, pipes, self.token.as_ref()), &shared);
                Ok(Run::new(shared, marker, Some(id)))
            }
            Err(error) => {
                run.handle(Input::SpawnFailed(error.clone()), begin.elapsed());
                Ok(Run::new(Arc::new(Shared::new(run, None, Some(error), begin)), marker, None))
            }
        }
    }

    /// Starts the executor and waits for what it comes to.
    ///
    /// # Errors, panics, cancel safety
    ///
    /// As [`spawn`](Runner::spawn) and [`Run::wait`].
    pub async fn run(&self) -> Result<Envelope, LaunchError> {
        Ok(self.spawn()?.wait().await)
    }
}
