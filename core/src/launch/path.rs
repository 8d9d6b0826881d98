//! Paths as text: made absolute without looking at a file system, for the platform that is named.

use super::host::Platform;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Whether a program's name is a path, so that it is not searched.
pub(super) fn is_path(program: &str, platform: Platform) -> bool {
    program.contains(|c| platform.is_separator(c)) || (platform == Platform::Windows && drive(program).is_some())
}

/// `path` as it is meant from the directory `base`, without interpreting it. `None`: it is relative and `base` is
/// not known.
pub(super) fn absolute(path: &str, base: Option<&str>, platform: Platform) -> Option<String> {
    match platform {
        Platform::Unix if path.starts_with('/') => Some(path.into()),
        Platform::Unix => {
            let base = base.filter(|base| base.starts_with('/'))?;
            let path = path.strip_prefix("./").unwrap_or(path);
            Some(format!("{}/{path}", base.trim_end_matches('/')))
        }
        // The system itself takes `..` away as text: nothing is gained by leaving it.
        Platform::Windows => logical(path, base, platform),
    }
}

/// `path` as a shell's logical `cd` from `base` would name it: absolute, symbolic links kept, `.` dropped, `..` taking
/// away the name before it.
///
/// Whoever changes to it must change to *this* path, not to the one that was given: behind a symbolic link `..` means
/// two different directories, and the name and the directory must agree.
pub(super) fn logical(path: &str, base: Option<&str>, platform: Platform) -> Option<String> {
    match platform {
        Platform::Unix => {
            let whole = absolute(path, base, platform)?;
            Some(format!("/{}", names(&whole, platform).join("/")))
        }
        Platform::Windows => windows(path, base),
    }
}

fn names(path: &str, platform: Platform) -> Vec<&str> {
    let mut names = Vec::new();
    for name in path.split(|c| platform.is_separator(c)) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    names
}

fn windows(path: &str, base: Option<&str>) -> Option<String> {
    // Verbatim and device paths mean what they say, letter for letter.
    if path.starts_with(r"\\?\") || path.starts_with(r"\\.\") {
        return Some(path.into());
    }
    let whole = |root: &str, rest: &str| {
        let names = names(rest, Platform::Windows);
        format!("{root}\\{}", names.join("\\"))
    };
    if let Some((root, rest)) = rooted(path) {
        return Some(whole(root, rest));
    }
    let (root, under) = rooted(base?)?;
    if path.starts_with(['/', '\\']) {
        return Some(whole(root, path));
    }
    let path = match drive(path) {
        // `C:name` is meant from the current directory of that drive, which is known for one drive only.
        Some(letter) if root.eq_ignore_ascii_case(letter) => path.get(2..)?,
        Some(_) => return None,
        None => path,
    };
    Some(whole(root, &format!("{under}\\{path}")))
}

/// The drive that a path begins with, with its colon.
fn drive(path: &str) -> Option<&str> {
    let head = path.get(..2)?;
    (head.ends_with(':') && head.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(head)
}

/// The root of an absolute Windows path (`C:` or `\\server\share`) and what follows it.
fn rooted(path: &str) -> Option<(&str, &str)> {
    let separator = |c: char| Platform::Windows.is_separator(c);
    if let Some(letter) = drive(path) {
        let rest = path.get(2..)?;
        return rest.starts_with(separator).then_some((letter, rest));
    }
    let mut chars = path.chars();
    if !(chars.next().is_some_and(separator) && chars.next().is_some_and(separator)) {
        return None;
    }
    let server = path.get(2..)?.find(separator)? + 2;
    let share = path.get(server + 1..)?;
    let end = share.find(separator).map_or(path.len(), |at| server + 1 + at);
    Some((path.get(..end)?, path.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Platform::{Unix, Windows};

    #[test]
    fn logical_on_unix() {
        for (path, base, expected) in [
            ("/a/b", None, Some("/a/b")),
            ("/a//b/./c/", None, Some("/a/b/c")),
            ("/a/b/../c", None, Some("/a/c")),
            ("/../..", None, Some("/")),
            ("x", Some("/home/me"), Some("/home/me/x")),
            ("./x", Some("/home/me/"), Some("/home/me/x")),
            ("..", Some("/home/me"), Some("/home")),
            (".", Some("/home/me"), Some("/home/me")),
            ("link/..", Some("/w"), Some("/w")),
            ("~/x", Some("/w"), Some("/w/~/x")),
            ("x", Some("/"), Some("/x")),
            (r"a\b", Some("/w"), Some(r"/w/a\b")),
            ("x", None, None),
            ("x", Some("not/absolute"), None),
        ] {
            assert_eq!(logical(path, base, Unix).as_deref(), expected, "{path} from {base:?}");
        }
    }

    #[test]
    fn absolute_on_unix_interprets_nothing() {
        assert_eq!(absolute("./bin/x", Some("/w"), Unix).as_deref(), Some("/w/bin/x"));
        assert_eq!(absolute("../x", Some("/w/d"), Unix).as_deref(), Some("/w/d/../x"));
        assert_eq!(absolute("/a/../b", None, Unix).as_deref(), Some("/a/../b"));
    }

    #[test]
    fn logical_on_windows() {
        for (path, base, expected) in [
            (r"C:\a\..\b", None, Some(r"C:\b")),
            ("C:/a/b", None, Some(r"C:\a\b")),
            (r"x\y", Some(r"C:\w"), Some(r"C:\w\x\y")),
            (r"..\y", Some(r"C:\w\d"), Some(r"C:\w\y")),
            (r"\y", Some(r"D:\w"), Some(r"D:\y")),
            ("C:y", Some(r"c:\w"), Some(r"c:\w\y")),
            ("D:y", Some(r"C:\w"), None),
            (r"\\srv\share\a\..\b", None, Some(r"\\srv\share\b")),
            ("x", Some(r"\\srv\share"), Some(r"\\srv\share\x")),
            (r"\\?\C:\a\..", None, Some(r"\\?\C:\a\..")),
            (r"C:\..\..", None, Some(r"C:\")),
            ("é:x", Some(r"C:\w"), Some(r"C:\w\é:x")),
            ("x", None, None),
        ] {
            assert_eq!(logical(path, base, Windows).as_deref(), expected, "{path} from {base:?}");
        }
    }

    #[test]
    fn programs_that_are_paths() {
        for (program, unix, windows) in [
            ("a", false, false),
            ("./a", true, true),
            (r".\a", false, true),
            ("C:a", false, true),
            ("a.exe", false, false),
        ] {
            assert_eq!(is_path(program, Unix), unix, "{program}");
            assert_eq!(is_path(program, Windows), windows, "{program}");
        }
    }
}
