//! From a request to a plan.

use super::MARKER;
use super::argv;
use super::env::EnvEdits;
use super::error::{LaunchError, LaunchErrorKind};
use super::host::{Host, Platform};
use super::path;
use super::program;
use super::request::Request;
use super::spec::{Interrupt, LaunchSpec, Via};
use super::timers::Timers;
use crate::options::Resume;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// How long a probe may take where the request does not say.
const PROBE: Duration = Duration::from_secs(10);

/// All that a driver needs to start a process, and the run machine to watch it. Plain data.
///
/// Its `Debug` output shows neither the prompt nor documents, the caller's own arguments or values of variables: all of
/// them may hold secrets, and plans are logged.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// What it is for.
    pub kind: PlanKind,
    /// The program: a path, or a name that the system has to search.
    pub program: String,
    /// The arguments after the program.
    pub args: Vec<String>,
    /// What standard input is.
    pub stdin: Stdin,
    /// What is done to the caller's environment.
    pub env: EnvEdits,
    /// The working directory, absolute: change to exactly this path, which `PWD` names too. Absent: it is not known;
    /// the executor stays in the caller's directory, without a `PWD`.
    pub cwd: Option<String>,
    /// The time limits.
    pub timers: Timers,
    /// The signal that asks it to stop; `None` where the system has none for a child (Windows).
    pub interrupt: Option<Interrupt>,
    /// The platform that the plan is for.
    pub platform: Platform,
    /// What the run is called in messages: the profile's command, or the program that was given instead.
    pub command: String,
    /// The first turn of an interactive run, to be encoded by its protocol.
    pub first_turn: Option<String>,
    /// The session that the run goes on with.
    pub resume: Option<Resume>,
    /// Whether it goes on with a copy of that session.
    pub fork: bool,
    /// Where the prompt stands in `args`, when it is an argument.
    prompt_at: Option<usize>,
    /// Arguments that are not shown, with what is shown instead.
    hidden: Vec<(usize, &'static str)>,
}

/// What a plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanKind {
    /// A run: its output is read.
    Run,
    /// It prints its version and ends.
    Probe,
    /// It takes over the terminal: all its streams are inherited.
    Attach,
}

/// What the executor's standard input is.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stdin {
    /// Nothing: the null device.
    Null,
    /// These bytes, then it is closed.
    Bytes(Vec<u8>),
    /// A pipe that stays open: the host goes on talking.
    Open,
    /// The caller's own (a terminal).
    Inherit,
}

/// Plans a run of an executor.
///
/// `command` is the profile's command. The request's [`program`](Request::program) is run instead where there is one.
///
/// # Errors
///
/// A coded refusal: an empty prompt or one that would not arrive as it is, an option that the executor does not
/// have, values that it would read as something else, a command line over the bound, a program that starts only
/// through a shell, paths that cannot be made absolute.
pub fn plan(spec: &LaunchSpec, command: &str, request: &Request, host: &Host) -> Result<Plan, LaunchError> {
    let name = program::wanted(command, request);
    let mut plan = base(PlanKind::Run, spec, command, request, host)?;
    if request.review.is_some() {
        return review(plan, spec, request, host);
    }
    plan.fill(argv::asked(request, host, name)?.fill(&spec.args, request)?);
    if request.interactive {
        plan.stdin = Stdin::Open;
        plan.first_turn = (!request.prompt.trim().is_empty()).then(|| request.prompt.clone());
    } else {
        argv::check_prompt(&spec.prompt, &request.prompt, name)?;
        match argv::way(&spec.prompt, request, name)? {
            Via::Stdin => plan.stdin = Stdin::Bytes(request.prompt.clone().into_bytes()),
            Via::Argument => {
                argv::push_prompt(&mut plan.args, &spec.prompt, &request.prompt, host.platform, name)?;
                plan.prompt_at = plan.args.len().checked_sub(1);
            }
        }
    }
    argv::check_bound(&plan.program, &plan.args, host.platform, name)?;
    Ok(plan)
}

/// The rest of a plan that reviews changes.
fn review(mut plan: Plan, spec: &LaunchSpec, request: &Request, host: &Host) -> Result<Plan, LaunchError> {
    let name = &plan.command.clone();
    let Some(list) = &spec.review else {
        return Err(LaunchError::invalid(name, "it has no review of changes"));
    };
    if !request.prompt.is_empty() || request.interactive {
        return Err(LaunchError::invalid(name, "a review of changes takes no prompt"));
    }
    plan.fill(argv::asked(request, host, name)?.fill(list, request)?);
    argv::check_bound(&plan.program, &plan.args, host.platform, name)?;
    Ok(plan)
}

/// Plans a probe: the executor prints its version and ends, within 10 s unless the request says otherwise. Of the
/// request only program, working directory, environment and time limit count.
///
/// # Errors
///
/// As [`plan`]; also where the profile names no probe.
pub fn probe(spec: &LaunchSpec, command: &str, request: &Request, host: &Host) -> Result<Plan, LaunchError> {
    let name = program::wanted(command, request);
    let Some(args) = &spec.probe else {
        return Err(LaunchError::invalid(name, "its profile does not say how it tells its version"));
    };
    let mut plan = base(PlanKind::Probe, spec, command, request, host)?;
    plan.args.clone_from(args);
    plan.timers.total = request.total.or(Some(PROBE));
    argv::check_bound(&plan.program, &plan.args, host.platform, name)?;
    Ok(plan)
}

/// Plans the executor's own terminal interface, in the session that the request names, where it names one.
///
/// # Errors
///
/// As [`plan`]; also where it has none, or where the request has a prompt, which belongs into that interface.
pub fn attach(spec: &LaunchSpec, command: &str, request: &Request, host: &Host) -> Result<Plan, LaunchError> {
    let name = program::wanted(command, request);
    let Some(list) = &spec.attach else {
        return Err(LaunchError::invalid(name, "it has no terminal interface to attach to"));
    };
    if !request.prompt.is_empty() {
        return Err(LaunchError::invalid(name, "a prompt cannot be handed to its terminal interface"));
    }
    let mut plan = base(PlanKind::Attach, spec, command, request, host)?;
    plan.fill(argv::asked(request, host, name)?.fill(list, request)?);
    plan.stdin = Stdin::Inherit;
    argv::check_bound(&plan.program, &plan.args, host.platform, name)?;
    Ok(plan)
}

/// What all plans have in common.
fn base(kind: PlanKind, spec: &LaunchSpec, command: &str, request: &Request, host: &Host) -> Result<Plan, LaunchError> {
    let name = program::wanted(command, request).to_string();
    let resolved = program::resolve(command, request, host)?;
    if host.platform == Platform::Windows && program::is_shim(&resolved) {
        let why = "it is a script that cmd.exe would run, which reads arguments as commands; name its .exe";
        return Err(LaunchError::new(LaunchErrorKind::ShellShim, &name, why));
    }
    let cwd = working_directory(request, host, &name)?;
    let env = environment(spec, request, host, cwd.as_deref(), &name)?;
    let interrupt = (host.platform == Platform::Unix).then_some(spec.interrupt);
    Ok(Plan {
        kind,
        program: resolved,
        args: Vec::new(),
        stdin: Stdin::Null,
        env,
        cwd,
        timers: Timers::of(&spec.timers, request),
        interrupt,
        platform: host.platform,
        command: name,
        first_turn: None,
        resume: request.resume.clone(),
        fork: request.fork,
        prompt_at: None,
        hidden: Vec::new(),
    })
}

fn working_directory(request: &Request, host: &Host, name: &str) -> Result<Option<String>, LaunchError> {
    let base = host.current_dir.as_deref();
    let Some(cwd) = &request.cwd else {
        return Ok(base.and_then(|base| path::logical(base, None, host.platform)));
    };
    if cwd.is_empty() || cwd.contains('\0') {
        return Err(LaunchError::new(LaunchErrorKind::WorkingDirectory, name, "the working directory has no name"));
    }
    path::logical(cwd, base, host.platform).map(Some).ok_or_else(|| {
        let why = "the working directory is relative, and the caller's directory is not known";
        LaunchError::new(LaunchErrorKind::WorkingDirectory, name, why)
    })
}

fn environment(
    spec: &LaunchSpec,
    request: &Request,
    host: &Host,
    cwd: Option<&str>,
    name: &str,
) -> Result<EnvEdits, LaunchError> {
    if let Some(bad) = request.env.unusable() {
        return Err(LaunchError::invalid(name, format_args!("'{}' cannot be a variable", bad.escape_debug())));
    }
    if request.env.sets(MARKER, host.platform) || spec.env.sets(MARKER, host.platform) {
        return Err(LaunchError::invalid(name, format_args!("{MARKER} is set by the run itself")));
    }
    let mut env = spec.env.clone();
    env.extend(&request.env, host.platform);
    // A stale PWD makes executors work in the wrong directory; one that the caller sets on purpose is the caller's.
    let says = |variable: &str| {
        env.sets(variable, host.platform)
            || request.env.remove.iter().any(|name| host.platform.same_name(name, variable))
    };
    let (pwd, oldpwd) = (says("PWD"), says("OLDPWD"));
    match cwd {
        _ if pwd => {}
        Some(cwd) => _ = env.set.insert("PWD".into(), cwd.into()),
        None => env.remove.push("PWD".into()),
    }
    if !oldpwd {
        env.remove.push("OLDPWD".into());
    }
    if let Some(id) = &host.run_id {
        env.set.insert(MARKER.into(), id.clone());
    }
    Ok(env)
}

impl Plan {
    /// Whether an inherited variable goes on to the executor unchanged; what is in `env.set` comes on top.
    #[must_use]
    pub fn keeps_variable(&self, name: &str) -> bool {
        self.env.keeps(name, self.platform)
    }

    /// The executor's whole environment, from the caller's. A driver whose variables are no Unicode uses
    /// [`keeps_variable`](Plan::keeps_variable) and `env.set`.
    pub fn environment<I: IntoIterator<Item = (String, String)>>(&self, inherited: I) -> Vec<(String, String)> {
        let mut all: Vec<_> = inherited.into_iter().filter(|(name, _)| self.keeps_variable(name)).collect();
        all.extend(self.env.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }

    /// Where the prompt stands in `args`, when it is an argument (alone, or behind `flag=`).
    #[must_use]
    pub fn prompt_at(&self) -> Option<usize> {
        self.prompt_at
    }

    fn fill(&mut self, args: argv::Args) {
        (self.args, self.hidden) = (args.list, args.hidden);
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let prompt = self.prompt_at.map(|at| (at, "(prompt)"));
        for (at, shown) in self.hidden.iter().copied().chain(prompt) {
            if let Some(arg) = args.get_mut(at) {
                *arg = shown;
            }
        }
        f.debug_struct("Plan")
            .field("kind", &self.kind)
            .field("program", &self.program)
            .field("args", &args)
            .field("stdin", &self.stdin)
            .field("env", &self.env)
            .field("cwd", &self.cwd)
            .field("timers", &self.timers)
            .field("interrupt", &self.interrupt)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stdin::Null => f.write_str("Null"),
            Stdin::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Stdin::Open => f.write_str("Open"),
            Stdin::Inherit => f.write_str("Inherit"),
        }
    }
}
