//! A host that is process 1 of a container, or a "subreaper", is given the orphans of its runs: it must bury them.
//! In a file of its own because this is a property of the whole process.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

use std::process::{Command, Stdio};

use turnline_tests::process::{PATIENCE, own_zombies, pid_in};
use turnline_tokio::tree::{Marker, Tree, leftovers};

#[test]
fn adopted_orphans_leave_no_zombies() {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    let dir = tempfile::TempDir::new().unwrap();
    let marker = Marker::unique();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-executor"));
    command.env(
        "FAKE_SCRIPT",
        "daemonize\nwrite-pid $D/daemon\nwait-forever\nend\nfork\nwrite-pid $D/tool\nwait-forever\nend\nwait-forever\n",
    );
    command.env("D", dir.path()).stdin(Stdio::null());
    let mut tree = Tree::spawn(command, &marker).unwrap().tree;
    let (daemon, tool) = (pid_in(&dir.path().join("daemon")), pid_in(&dir.path().join("tool")));
    let stat = std::fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap();
    assert!(stat.contains(&format!(") S {} ", std::process::id())), "adopted by us: {stat}");
    let ended = tree.end(PATIENCE);
    assert_eq!(ended.left, [0; 0]);
    assert!(tree.reap().unwrap().is_some());
    assert_eq!(leftovers(&marker), [0; 0]);
    let zombies = own_zombies();
    assert_eq!(zombies, [0; 0], "daemon {daemon}, tool {tool}");
}
