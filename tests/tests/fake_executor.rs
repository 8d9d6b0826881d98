//! The fake executor does what its language says.
#![forbid(unsafe_code)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn command(script: &str, dir: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-executor"));
    command.args(["exec", "--json", "prompt"]).env("FAKE_SCRIPT", script).env("D", dir.path());
    command
}

fn run(script: &str, stdin: &[u8]) -> (Output, TempDir) {
    let dir = TempDir::new().unwrap();
    let mut child =
        command(script, &dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may be gone already, or not want to read.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    (child.wait_with_output().unwrap(), dir)
}

#[test]
fn prints() {
    let (output, _dir) = run(
        "# comment\n\n  print a  b \nprint-err e\nprint-raw x\\n\\x00\\xff\nrepeat 3 n@I@\nprint-padded 4 <@PAD@>\nflood stdout 2050\nflood stderr 3\nexit 7\nprint never\n",
        b"",
    );
    let mut want = b"a  b \nx\n\x00\xffn0\nn1\nn2\n<yyyy>\n".to_vec();
    for length in [1023, 1023] {
        want.extend(vec![b'y'; length]);
        want.push(b'\n');
    }
    want.extend(b"yy");
    assert_eq!(output.stdout, want);
    assert_eq!(output.stderr, b"e\nyyy");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn reads() {
    let (output, dir) =
        run("read-line\nread-bytes 2\nprint-vars @BYTES@\nsave-stdin $D/saved\nread-stdin $D/sum\n", b"ab\ncdefoo");
    assert_eq!(output.stdout, b"5\n");
    assert_eq!(std::fs::read(dir.path().join("saved")).unwrap(), b"efoo");
    let sum: String = std::fs::read_to_string(dir.path().join("sum")).unwrap();
    assert!(sum.starts_with(r#"{"bytes":9,"fnv1a64":""#), "{sum}");
}

#[test]
fn talks() {
    let script = "loop forever\nread-line $D/lines\nif-eof\nexit 3\nend\nif-line hello\nprint hi\nend\nif-line bye\nprint ciao\nend\nend\n";
    let (output, dir) = run(script, b"hello, you\n\nwhat\nhello and bye");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "hi\nhi\nciao\n");
    assert_eq!(output.status.code(), Some(3));
    let lines = std::fs::read_to_string(dir.path().join("lines")).unwrap();
    assert_eq!(lines, "hello, you\nwhat\nhello and bye\n");
}

#[test]
fn replaces_variables_and_branches() {
    let (output, dir) = run(
        "print-vars @env:D@ @env:NO_SUCH@ @CWD@\nif-arg --json\nprint json\nend\nif-env D=x\nprint no\nend\nloop 2\nprint l\nend\n",
        b"",
    );
    let cwd = std::env::current_dir().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{} unset {}\njson\nl\nl\n", dir.path().display(), cwd.display())
    );
}

#[test]
fn records_what_it_was_given() {
    let (_output, dir) = run("record-argv $D/argv\n", b"");
    let record = std::fs::read_to_string(dir.path().join("argv")).unwrap();
    assert!(record.contains(r#","exec","--json","prompt"],"env":{"#), "{record}");
    assert!(record.contains(&format!(r#""D":"{}""#, dir.path().display())), "{record}");
    assert!(record.contains(&format!(r#""cwd":"{}","pid":"#, std::env::current_dir().unwrap().display())), "{record}");
}

#[test]
fn takes_its_script_from_a_file() {
    let dir = TempDir::new().unwrap();
    let script = dir.path().join("script");
    std::fs::write(&script, "print from file\n").unwrap();
    let output = command("print from variable\n", &dir).arg("--script").arg(&script).output().unwrap();
    assert_eq!(output.stdout, b"from file\n");
    let output = command("", &dir).env_remove("FAKE_SCRIPT").env("FAKE_SCRIPT_FILE", &script).output().unwrap();
    assert_eq!(output.stdout, b"from file\n");
}

#[test]
fn tells_what_is_wrong() {
    for script in ["frobnicate\n", "fork\n", "sleep x\n"] {
        let (output, _dir) = run(script, b"");
        assert_eq!(output.status.code(), Some(70), "{script:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("fake-executor: line 1: "), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn forks_signals_and_closes() {
    use std::os::unix::process::ExitStatusExt;
    let (output, _dir) =
        run("fork\nprint child\nend\nwait-children\nprint parent\nclose-stdout\nprint lost\nprint-err still\n", b"");
    assert_eq!(
        (output.stdout.as_slice(), output.stderr.as_slice()),
        (b"child\nparent\n".as_slice(), b"still\n".as_slice())
    );
    let (output, _dir) = run("on USR1 print got\nkill-self USR1\nsleep 200\nkill-self KILL\n", b"");
    assert_eq!((output.stdout.as_slice(), output.status.signal()), (b"got\n".as_slice(), Some(9)));
    let (output, _dir) = run("ignore TERM\nkill-self TERM\nexit 3\n", b"");
    assert_eq!(output.status.code(), Some(3));
    let (output, _dir) = run("on TERM\nprint bye\nexit 143\nend\nkill-self TERM\nwait-forever\n", b"");
    assert_eq!((output.stdout.as_slice(), output.status.code()), (b"bye\n".as_slice(), Some(143)));
}

#[cfg(unix)]
#[test]
fn meets_a_broken_pipe() {
    let dir = TempDir::new().unwrap();
    for (script, want) in [
        ("flood stdout 9000000\n", 101),
        ("broken-pipe 9\nflood stdout 9000000\n", 9),
        ("broken-pipe ignore\nflood stdout 9000000\n", 0),
    ] {
        let mut child = command(script, &dir).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(want), "{script}");
    }
}
