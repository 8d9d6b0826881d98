//! Process trees: what ends and what is left alone.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use support::{Case, KILLED, exit};
use tempfile::TempDir;
use turnline_tests::process::{PATIENCE, alive, eventually};
use turnline_tokio::tree::{Delivery, Marker, Polite, Tree, leftovers};

#[test]
fn shim_agent_and_tool_end() {
    let mut case = Case::start(
        "write-pid $D/shim\nfork\nwrite-pid $D/agent\nfork\nwrite-pid $D/tool\nwait-forever\nend\nwait-forever\nend\nwait-children\n",
    );
    let pids = [case.pid("shim"), case.pid("agent"), case.pid("tool")];
    assert_eq!(case.ends(&pids), KILLED);
}

#[test]
fn a_descendant_in_a_session_of_its_own_ends() {
    let mut case = Case::start("fork\nsetsid\nwrite-pid $D/escaped\nwait-forever\nend\nwait-forever\n");
    let pids = [case.pid("escaped")];
    assert_eq!(case.ends(&pids), KILLED);
}

#[test]
fn a_daemon_and_an_orphan_in_the_group_end() {
    // The daemon is found by its marker alone, the orphan by its group.
    let mut case = Case::start(
        "daemonize\nwrite-pid $D/daemon\nexec-sleep 600\nend\n\
         fork\nfork clean\nwrite-pid $D/orphan\nsleep 600000\nend\nexit 0\nend\n\
         wait-children\ntouch $D/ready\nwait-forever\n",
    );
    let pids = [case.pid("daemon"), case.pid("orphan")];
    case.wait_for("ready");
    assert_eq!(case.ends(&pids), KILLED);
}

#[test]
fn a_descendant_without_marker_in_a_session_of_its_own_ends() {
    let mut case = Case::start(
        "fork unmarked\nsetsid\nfork clean\nsetsid\nsleep 600000\nend\nwrite-pid $D/tool\nwait-forever\nend\nwait-forever\n",
    );
    let pids = [case.pid("tool")];
    assert_eq!(case.ends(&pids), KILLED);
}

#[test]
fn an_unmarked_orphan_that_was_remembered_ends() {
    let mut case =
        Case::start("fork unmarked\nsetsid\nwrite-pid $D/tool\nwait-forever\nend\nwait-file $D/go\nexit 3\n");
    let tool = case.pid("tool");
    assert_eq!(case.tree().remember(), 2);
    std::fs::write(case.path("go"), "").unwrap();
    assert_eq!(case.tree().wait(PATIENCE).unwrap(), Some(exit(Some(3), None)));
    assert!(alive(tool));
    assert_eq!(case.ends(&[tool]), exit(Some(3), None));
}

#[test]
fn what_a_shell_of_a_session_left_behind_ends() {
    // `tool` is unmarked, in another group than the child, and its parent is dead; the session's leader lives.
    let mut case = Case::start(
        "fork unmarked\nsetsid\nfork\nfork\nwrite-pid $D/tool\nwait-forever\nend\nexit 0\nend\nwait-children\ntouch $D/ready\nwait-forever\nend\nwait-forever\n",
    );
    let tool = case.pid("tool");
    case.wait_for("ready");
    assert_eq!(case.ends(&[tool]), KILLED);
}

#[test]
fn ignored_signals_do_not_help() {
    let mut case = Case::start(
        "ignore INT\nignore TERM\nignore HUP\nfork\nsetsid\nignore INT\nignore TERM\nwrite-pid $D/tool\nwait-forever\nend\nwait-file $D/tool\ntouch $D/ready\nwait-forever\n",
    );
    let tool = case.pid("tool");
    case.wait_for("ready");
    for signal in [Polite::Interrupt, Polite::Terminate, Polite::Hangup] {
        assert_eq!(case.tree().interrupt(signal).unwrap(), Delivery::Sent);
    }
    assert_eq!(case.tree().wait(Duration::from_millis(200)).unwrap(), None);
    assert_eq!(case.ends(&[tool]), KILLED);
}

#[test]
fn respawners_end() {
    // A supervisor that starts sleepers without end, and a chain of orphans in sessions of their own of which each starts the next and goes.
    let mut case = Case::start(
        "ignore INT\nignore TERM\nfork\nsetsid\nwrite-pid $D/supervisor\nloop 2000\nfork clean\nsetsid\nsleep 600000\nend\nsleep 3\nend\nwait-forever\nend\n\
         fork quiet\nsetsid\nappend $D/chain x\nsleep 5\nagain\nexit 0\nend\nwait-forever\n",
    );
    let supervisor = case.pid("supervisor");
    let chain = case.path("chain");
    eventually("a chain of ten", || (std::fs::read(&chain).ok()?.len() >= 20).then_some(()));
    assert_eq!(case.ends(&[supervisor]), KILLED);
    // Nothing writes any more.
    let length = std::fs::metadata(&chain).unwrap().len();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(std::fs::metadata(&chain).unwrap().len(), length);
}

#[test]
fn a_fork_bomb_ends() {
    // Each generation forks two of the next; 2^9 processes at most if nobody ends it.
    let mut script = "append $D/count x\nsetsid\nsleep 600000\n".to_owned();
    for _ in 0..8 {
        script = format!("fork quiet\n{script}end\nfork quiet\n{script}end\nappend $D/count x\nsleep 600000\n");
    }
    let mut case = Case::start(&script);
    let count = case.path("count");
    eventually("some growth", || (std::fs::read(&count).ok()?.len() >= 2 * 16).then_some(()));
    assert_eq!(case.ends(&[]), KILLED);
}

#[test]
fn a_stopped_tree_ends() {
    let mut case = Case::start("fork\nwrite-pid $D/tool\nkill-self STOP\nend\nwait-file $D/tool\nkill-self STOP\n");
    let tool = case.pid("tool");
    assert_eq!(case.ends(&[tool]), KILLED);
}

#[test]
fn another_run_is_left_alone() {
    let script = "daemonize\nwrite-pid $D/daemon\nwait-forever\nend\nwait-forever\n";
    let (mut one, mut other) = (Case::start(script), Case::start(script));
    let (first, second) = (one.pid("daemon"), other.pid("daemon"));
    assert_eq!(one.ends(&[first]), KILLED);
    assert!(alive(second));
    assert_eq!(other.tree().exited().unwrap(), None);
    assert_eq!(other.ends(&[second]), KILLED);
}

#[test]
fn a_run_within_a_run_ends_with_the_outer_one() {
    // What the inner run's host leaves: an orphan in a session of its own that carries the nested marker.
    let marker = Marker::unique();
    let dir = TempDir::new().unwrap();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "TURNLINE_RUN=$TURNLINE_RUN/inner \"$0\"; exec sleep 600",
        env!("CARGO_BIN_EXE_fake-executor"),
    ]);
    command
        .env("FAKE_SCRIPT", "daemonize\nwrite-pid $D/daemon\nwait-forever\nend\n")
        .env("D", dir.path())
        .stdin(Stdio::null());
    let spawned = Tree::spawn(command, &marker).unwrap();
    let mut case = Case { spawned, marker, dir };
    let daemon = case.pid("daemon");
    let inner = Marker::named(&format!("{}/inner", case.marker)).unwrap();
    eventually("the daemon alone", || (leftovers(&inner) == [daemon]).then_some(()));
    assert_eq!(case.ends(&[daemon]), KILLED);
}

#[test]
fn twenty_trees_at_once_end_side_by_side() {
    let script = "fork\nsetsid\nwrite-pid $D/tool\nwait-forever\nend\nwait-file $D/tool\nwait-forever\n";
    let cases: Vec<Case> = (0..20).map(|_| Case::start(script)).collect();
    let threads: Vec<_> = cases
        .into_iter()
        .map(|mut case| {
            std::thread::spawn(move || {
                let tool = case.pid("tool");
                case.ends(&[tool])
            })
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), KILLED);
    }
}
