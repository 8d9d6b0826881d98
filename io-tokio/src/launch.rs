//! What launch planning needs to know of this host, and from a plan to a started process or the reason why not.

use crate::tree::{Marker, Spawned, Tree};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use turnline::launch::{Host, LaunchError, Plan, Platform, Request, Stdin, candidates};
use turnline::{Profile, SpawnError, SpawnErrorKind};

/// Bytes of a script that are looked at for its interpreter.
const SHEBANG: u64 = 256;

/// Plans a run on this host; also the places where the program was looked for.
pub(crate) fn planned(
    profile: &Profile,
    request: &Request,
    marker: &Marker,
) -> Result<(Plan, Vec<String>), LaunchError> {
    let mut host = this_host();
    host.run_id = Some(marker.as_str().to_owned());
    let places = candidates(profile.command(), request, &host);
    host.resolved = places.iter().find(|path| executable(path)).cloned();
    let plan = profile.plan(request, &host)?;
    Ok((plan, places))
}

/// Where the program is.
pub(crate) fn located(profile: &Profile, request: &Request) -> Option<String> {
    candidates(profile.command(), request, &this_host()).into_iter().find(|path| executable(path))
}

fn this_host() -> Host {
    let text = |value: OsString| value.to_string_lossy().into_owned();
    let mut host = Host::default();
    host.platform = if cfg!(windows) { Platform::Windows } else { Platform::Unix };
    host.current_dir = current_dir();
    host.path = std::env::var_os("PATH").map(text);
    host.path_ext = std::env::var_os("PATHEXT").map(text);
    host
}

/// The caller's directory, by the name that the caller knows it by where `PWD` really is one.
fn current_dir() -> Option<String> {
    let physical = std::env::current_dir().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let place = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let named = std::env::var("PWD").ok().filter(|pwd| pwd.starts_with('/'));
        if let Some(pwd) =
            named.filter(|pwd| place(Path::new(pwd)).is_some_and(|named| Some(named) == place(&physical)))
        {
            return Some(pwd);
        }
    }
    physical.into_os_string().into_string().ok()
}

#[cfg(unix)]
fn may_execute(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_execute(_found: &Metadata) -> bool {
    true
}

fn executable(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && may_execute(&found))
}

/// Starts what the plan says.
pub(crate) fn start(plan: &Plan, places: &[String], marker: &Marker) -> Result<Spawned, SpawnError> {
    Tree::spawn(command(plan), marker).map_err(|error| at_fault(plan, places, &error))
}

fn command(plan: &Plan) -> Command {
    let mut command = Command::new(&plan.program);
    command.args(&plan.args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(match plan.stdin {
        Stdin::Null => Stdio::null(),
        Stdin::Inherit => Stdio::inherit(),
        _ => Stdio::piped(),
    });
    if plan.env.clear {
        command.env_clear();
    } else {
        for (name, _) in std::env::vars_os() {
            if !plan.keeps_variable(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
    }
    command.envs(&plan.env.set);
    if let Some(cwd) = &plan.cwd {
        command.current_dir(cwd);
    }
    command
}

/// Which of program, permission and working directory it was. The system's error alone does not tell.
fn at_fault(plan: &Plan, places: &[String], error: &io::Error) -> SpawnError {
    if let Some(fault) = plan.cwd.as_deref().and_then(directory_at_fault) {
        return fault;
    }
    let program = &plan.program;
    let (kind, culprit, why) = match error.kind() {
        ErrorKind::ArgumentListTooLong => (SpawnErrorKind::ArgumentTooLong, program, error.to_string()),
        ErrorKind::NotFound if Path::new(program).is_file() => {
            (SpawnErrorKind::ProgramNotFound, program, without_interpreter(program))
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => {
            match places.iter().find(|path| Path::new(path).is_file()) {
                Some(found) if executable(found) && error.kind() == ErrorKind::PermissionDenied => match &plan.cwd {
                    // All may be executed that may be entered: then it is the directory.
                    Some(cwd) if std::fs::read_dir(cwd).is_err() => {
                        (SpawnErrorKind::WorkingDirectoryDenied, cwd, error.to_string())
                    }
                    _ => (SpawnErrorKind::NotExecutable, found, error.to_string()),
                },
                Some(found) if !executable(found) => {
                    (SpawnErrorKind::NotExecutable, found, "it has no permission to be executed".to_owned())
                }
                _ if error.kind() == ErrorKind::PermissionDenied => {
                    (SpawnErrorKind::NotExecutable, program, error.to_string())
                }
                _ => (SpawnErrorKind::ProgramNotFound, program, error.to_string()),
            }
        }
        // ENOEXEC: neither a program of this machine nor a script.
        _ if cfg!(unix) && error.raw_os_error() == Some(8) => {
            (SpawnErrorKind::NotExecutable, program, error.to_string())
        }
        _ => (SpawnErrorKind::Other, program, error.to_string()),
    };
    SpawnError::new(kind, format!("{culprit}: {why}"))
}

fn directory_at_fault(cwd: &str) -> Option<SpawnError> {
    let (kind, why) = match std::fs::metadata(cwd) {
        Ok(found) if found.is_dir() => return None,
        Ok(_) => (SpawnErrorKind::NotADirectory, "it is a file".to_owned()),
        Err(error) => match error.kind() {
            ErrorKind::PermissionDenied => (SpawnErrorKind::WorkingDirectoryDenied, error.to_string()),
            _ => (SpawnErrorKind::WorkingDirectoryNotFound, error.to_string()),
        },
    };
    Some(SpawnError::new(kind, format!("{cwd}: {why}")))
}

/// A script that is there and yet was not found.
fn without_interpreter(program: &str) -> String {
    let mut head = Vec::new();
    let read = std::fs::File::open(program).and_then(|file| file.take(SHEBANG).read_to_end(&mut head));
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match line.strip_prefix(b"#!").filter(|_| read.is_ok()) {
        Some(interpreter) => {
            format!(
                "it is a script, and its interpreter '{}' was not found",
                String::from_utf8_lossy(interpreter).trim()
            )
        }
        None => "it is there, but what it needs to be started was not found".to_owned(),
    }
}
