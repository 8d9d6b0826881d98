//! Process trees: in which order things may happen, and what the child's end is told as.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod support;

use std::process::Command;
use std::time::Duration;

use support::{Case, KILLED, exit, fake, pid};
use tempfile::TempDir;
use turnline_tests::process::{PATIENCE, alive, eventually, own_zombies};
use turnline_tokio::tree::{Delivery, Exit, Marker, Polite, Tree, leftovers};

#[test]
fn a_polite_signal_reaches_the_whole_group_and_lets_it_clean_up() {
    // As an npm shim: it passes nothing on and dies of the signal; the agent behind it catches it.
    let mut case = Case::start(
        "fork\non INT\nsleep 300\ntouch $D/flushed\nexit 0\nend\nwrite-pid $D/agent\nwait-forever\nend\nwait-file $D/agent\nwait-children\n",
    );
    let agent = case.pid("agent");
    assert_eq!(case.tree().interrupt(Polite::Interrupt).unwrap(), Delivery::Sent);
    assert_eq!(case.tree().wait(PATIENCE).unwrap(), Some(exit(None, Some(2))));
    case.wait_for("flushed");
    assert_eq!(case.ends(&[agent]), exit(None, Some(2)));
}

#[test]
fn an_exit_status_made_of_a_signal_is_told_as_it_is() {
    let mut case = Case::start("on TERM exit 143\ntouch $D/ready\nwait-forever\n");
    case.wait_for("ready");
    assert_eq!(case.tree().interrupt(Polite::Terminate).unwrap(), Delivery::Sent);
    assert_eq!(case.tree().wait(PATIENCE).unwrap(), Some(exit(Some(143), None)));
    assert_eq!(case.ends(&[]), exit(Some(143), None));
}

#[test]
fn the_group_gets_the_signal_although_the_shim_is_gone() {
    let mut case = Case::start(
        "fork clean\non TERM\ntouch $D/got\nexit 0\nend\nwrite-pid $D/agent\nwait-forever\nend\nwait-file $D/agent\nexit 0\n",
    );
    let agent = case.pid("agent");
    assert_eq!(case.tree().wait(PATIENCE).unwrap(), Some(exit(Some(0), None)));
    assert_eq!(case.tree().interrupt(Polite::Terminate).unwrap(), Delivery::SentAfterExit);
    case.wait_for("got");
    eventually("the agent's end", || (!alive(agent)).then_some(()));
    assert_eq!(case.tree().interrupt(Polite::Terminate).unwrap(), Delivery::AlreadyOver);
    assert_eq!(case.ends(&[agent]), exit(Some(0), None));
}

#[test]
fn what_a_clean_end_left_ends_too_or_is_left_alone() {
    let script = "fork quiet\nsetsid\nwrite-pid $D/tool\nwait-forever\nend\nwait-file $D/tool\nexit 0\n";
    let mut case = Case::start(script);
    let tool = case.pid("tool");
    assert!(case.tree().wait(PATIENCE).unwrap().is_some());
    assert_eq!(case.ends(&[tool]), exit(Some(0), None));

    let mut case = Case::start(script);
    let tool = case.pid("tool");
    assert!(case.tree().wait(PATIENCE).unwrap().is_some());
    // Reaped without being ended: background work goes on, and dropping does nothing.
    assert_eq!(case.tree().reap().unwrap(), Some(exit(Some(0), None)));
    assert_eq!(case.tree().end(PATIENCE).killed, 0);
    assert_eq!(case.tree().interrupt(Polite::Terminate).unwrap(), Delivery::AlreadyOver);
    let Case { spawned, marker, dir: _dir } = case;
    drop(spawned);
    assert_eq!(leftovers(&marker), [tool]);
    rustix::process::kill_process(pid(tool), rustix::process::Signal::KILL).unwrap();
    eventually("the tool's end", || leftovers(&marker).is_empty().then_some(()));
}

#[test]
fn noticing_the_exit_reaps_nothing() {
    let mut case = Case::start("exit 5\n");
    let id = case.tree().id();
    let watch = case.tree().exit_watch().unwrap();
    assert!(watch.wait(PATIENCE));
    assert_eq!(case.tree().exited().unwrap(), Some(exit(Some(5), None)));
    assert_eq!(case.tree().wait(Duration::ZERO).unwrap(), Some(exit(Some(5), None)));
    assert!(own_zombies().contains(&id), "its number is still held");
    assert_eq!(case.ends(&[]), exit(Some(5), None));
    assert!(watch.has_exited(), "a watch outlives the reaping");
}

#[test]
fn a_running_child_is_neither_reaped_nor_waited_for() {
    let mut case = Case::start("wait-forever\n");
    assert_eq!(case.tree().reap().unwrap(), None);
    assert_eq!(case.tree().wait(Duration::from_millis(20)).unwrap(), None);
    assert!(!case.tree().exit_watch().unwrap().wait(Duration::from_millis(20)));
    assert_eq!(case.ends(&[]), KILLED);
}

#[test]
fn dropping_ends_and_reaps() {
    let case = Case::start("fork\nsetsid\nwrite-pid $D/tool\nwait-forever\nend\nwait-forever\n");
    let (tool, id, marker) = (case.pid("tool"), case.spawned.tree.id(), case.marker.clone());
    let consumer = std::thread::spawn(move || {
        let _case = case;
        std::panic::panic_any("the consumer of events fails");
    });
    assert!(consumer.join().is_err());
    assert!(!alive(tool) && !alive(id));
    assert_eq!(leftovers(&marker), [0; 0]);
    assert!(!own_zombies().contains(&id));
}

#[test]
fn a_child_that_someone_else_reaped_is_not_signalled_by_number() {
    let mut case = Case::start(
        "daemonize\nwrite-pid $D/daemon\nwait-forever\nend\nfork\nwrite-pid $D/agent\nwait-forever\nend\nwait-file $D/agent\nexit 4\n",
    );
    let (daemon, agent) = (case.pid("daemon"), case.pid("agent"));
    let id = pid(case.tree().id());
    use rustix::process::{WaitId, WaitIdOptions};
    rustix::process::waitid(WaitId::Pid(id), WaitIdOptions::EXITED).unwrap();
    assert_eq!(case.tree().exited().unwrap(), Some(Exit::UNKNOWN));
    assert_eq!(case.tree().interrupt(Polite::Terminate).unwrap(), Delivery::AlreadyOver);
    std::thread::sleep(Duration::from_millis(50));
    assert!(alive(agent), "its group's number may be another's now");
    // What it left is found by its marker all the same.
    assert_eq!(case.ends(&[daemon, agent]), Exit::UNKNOWN);
}

#[test]
fn a_program_that_cannot_be_started_is_an_error() {
    let dir = TempDir::new().unwrap();
    let missing = Tree::spawn(Command::new(dir.path().join("nothing-here")), &Marker::unique());
    assert_eq!(missing.unwrap_err().kind(), std::io::ErrorKind::NotFound);
    let mut command = fake("exit 0\n", &dir);
    command.current_dir(dir.path().join("nothing-here"));
    assert_eq!(Tree::spawn(command, &Marker::unique()).unwrap_err().kind(), std::io::ErrorKind::NotFound);
}

#[tokio::test]
async fn tokio_wakes_at_the_exit() {
    let mut case = Case::start("wait-file $D/go\nexit 6\n");
    let watch = case.tree().exit_watch().unwrap();
    let early = tokio::time::timeout(Duration::from_millis(50), turnline_tokio::exit::exited(&watch)).await;
    assert!(early.is_err(), "it runs");
    // Two at once on the same watch: the second has to poll.
    let both = async { tokio::join!(turnline_tokio::exit::exited(&watch), turnline_tokio::exit::exited(&watch)) };
    std::fs::write(case.path("go"), "").unwrap();
    tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert_eq!(case.ends(&[]), exit(Some(6), None));
}
