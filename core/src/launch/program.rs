//! Which program is meant, and whether it starts without a shell.

use super::error::LaunchError;
use super::host::{Host, Platform};
use super::path;
use super::request::Request;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What Windows takes for `PATHEXT` where it is not set, as far as it can be started.
const PATH_EXT: &str = ".COM;.EXE;.BAT;.CMD";

/// The paths at which the program may be, the best first: the driver takes the first that is there and may be
/// executed, and tells it as [`Host::resolved`].
///
/// A program with a slash is meant from the caller's directory, not from the run's. Any other is searched in the
/// `PATH` that the request sets, else in the caller's. On Windows what starts without a shell is looked for in the
/// whole `PATH` first, then the scripts that need one (they will be refused, by their name).
#[must_use]
pub fn candidates(command: &str, request: &Request, host: &Host) -> Vec<String> {
    let program = wanted(command, request);
    let base = host.current_dir.as_deref();
    if program.is_empty() {
        return Vec::new();
    }
    let places: Vec<String> = if path::is_path(program, host.platform) {
        path::absolute(program, base, host.platform).into_iter().collect()
    } else {
        directories(request, host).into_iter().map(|directory| joined(&directory, program, host.platform)).collect()
    };
    if host.platform == Platform::Unix {
        return places;
    }
    let known = host.path_ext.as_deref().unwrap_or(PATH_EXT);
    let known: Vec<&str> = known.split(';').filter(|ext| ext.starts_with('.') && ext.len() > 1).collect();
    let (direct, scripts): (Vec<&str>, Vec<&str>) = known.iter().partition(|ext| !is_shim(ext));
    let has_extension = known.iter().any(|ext| ends_with(program, ext));
    let mut all = Vec::new();
    if has_extension {
        all.extend(places.iter().cloned());
    }
    for extensions in [direct, scripts] {
        all.extend(places.iter().flat_map(|place| extensions.iter().map(move |ext| format!("{place}{ext}"))));
    }
    all
}

/// The program that the caller wants.
pub(super) fn wanted<'a>(command: &'a str, request: &'a Request) -> &'a str {
    request.program.as_deref().unwrap_or(command)
}

/// The program of the plan, or why there is none.
pub(super) fn resolve(command: &str, request: &Request, host: &Host) -> Result<String, LaunchError> {
    let program = wanted(command, request);
    if program.trim().is_empty() || program.contains('\0') {
        return Err(LaunchError::invalid(program, "the program has no name"));
    }
    let resolved = match &host.resolved {
        Some(resolved) => resolved.clone(),
        None if path::is_path(program, host.platform) => {
            path::absolute(program, host.current_dir.as_deref(), host.platform).ok_or_else(|| {
                LaunchError::invalid(program, "its path is relative, and the caller's directory is not known")
            })?
        }
        None => program.to_string(),
    };
    Ok(resolved)
}

/// Whether Windows starts this program through `cmd.exe`, which reads the arguments again as a shell does.
pub(super) fn is_shim(program: &str) -> bool {
    // The system drops trailing dots and spaces from a name.
    let name = program.trim_end_matches(['.', ' ']);
    ends_with(name, ".cmd") || ends_with(name, ".bat")
}

fn ends_with(text: &str, end: &str) -> bool {
    text.len().checked_sub(end.len()).and_then(|at| text.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

fn directories(request: &Request, host: &Host) -> Vec<String> {
    let set = request.env.set.iter().find(|(name, _)| host.platform.same_name(name, "PATH")).map(|(_, value)| value);
    let path = set.or(host.path.as_ref()).map_or("", String::as_str);
    let (separator, empty_is_here) = match host.platform {
        Platform::Unix => (':', true),
        Platform::Windows => (';', false),
    };
    if path.is_empty() {
        return Vec::new();
    }
    path.split(separator)
        .filter(|entry| empty_is_here || !entry.is_empty())
        .filter_map(|entry| {
            let entry = if entry.is_empty() { "./" } else { entry };
            path::absolute(entry.trim_matches('"'), host.current_dir.as_deref(), host.platform)
        })
        .collect()
}

fn joined(directory: &str, program: &str, platform: Platform) -> String {
    let separator = if platform == Platform::Unix { '/' } else { '\\' };
    let directory = directory.trim_end_matches(|c| platform.is_separator(c));
    format!("{directory}{separator}{program}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn host(platform: Platform, dir: &str, path: &str) -> Host {
        Host { platform, current_dir: Some(dir.into()), path: Some(path.into()), ..Host::default() }
    }

    #[test]
    fn a_program_without_a_slash_is_searched() {
        let host = host(Platform::Unix, "/w", "/usr/bin::rel:/opt/x/");
        assert_eq!(
            candidates("tool", &Request::default(), &host),
            ["/usr/bin/tool", "/w/tool", "/w/rel/tool", "/opt/x/tool"]
        );
        let own = Request::default().env("PATH", "/only");
        assert_eq!(candidates("tool", &own, &host), ["/only/tool"]);
        assert!(candidates("", &Request::default(), &host).is_empty());
    }

    #[test]
    fn a_program_with_a_slash_is_meant_from_the_callers_directory() {
        let host = host(Platform::Unix, "/w", "/usr/bin");
        let request = Request::default().program("bin/tool").cwd("/elsewhere");
        assert_eq!(candidates("other", &request, &host), ["/w/bin/tool"]);
        assert_eq!(resolve("other", &request, &host).unwrap(), "/w/bin/tool");
    }

    #[test]
    fn windows_prefers_what_needs_no_shell() {
        let mut host = host(Platform::Windows, r"C:\w", r"C:\npm;C:\native");
        assert_eq!(
            candidates("tool", &Request::default(), &host)[..6],
            [
                r"C:\npm\tool.COM",
                r"C:\npm\tool.EXE",
                r"C:\native\tool.COM",
                r"C:\native\tool.EXE",
                r"C:\npm\tool.BAT",
                r"C:\npm\tool.CMD"
            ]
        );
        assert_eq!(candidates("tool.exe", &Request::default(), &host)[0], r"C:\npm\tool.exe");
        host.path_ext = Some(".exe".into());
        assert_eq!(candidates("tool", &Request::default(), &host), vec![r"C:\npm\tool.exe", r"C:\native\tool.exe"]);
    }

    #[test]
    fn scripts_that_need_a_shell() {
        for (program, shim) in [
            ("a.cmd", true),
            (r"C:\x\A.BAT", true),
            ("a.cmd. .", true),
            ("a.exe", false),
            ("cmd", false),
            ("a.cmd.exe", false),
            ("é", false),
        ] {
            assert_eq!(is_shim(program), shim, "{program}");
        }
    }
}
