//! What the tests of process trees share.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use turnline_tests::process::{PATIENCE, alive, eventually, own_zombies, pid_in};
use turnline_tokio::tree::{Exit, Marker, Spawned, Tree, leftovers};

/// A running fake executor and the folder where its processes leave their numbers.
pub struct Case {
    pub spawned: Spawned,
    pub marker: Marker,
    pub dir: TempDir,
}

impl Case {
    /// `$D` in the script is the folder.
    pub fn start(script: &str) -> Self {
        let marker = Marker::unique();
        let dir = TempDir::new().unwrap();
        let spawned = Tree::spawn(fake(script, &dir), &marker).unwrap();
        Self { spawned, marker, dir }
    }

    pub fn tree(&mut self) -> &mut Tree {
        &mut self.spawned.tree
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn pid(&self, name: &str) -> u32 {
        pid_in(&self.path(name))
    }

    pub fn wait_for(&self, name: &str) {
        let path = self.path(name);
        eventually(name, || path.exists().then_some(()));
    }

    /// Ends the tree and proves it: none of `pids` lives, nothing carries the marker, the child is reaped.
    pub fn ends(&mut self, pids: &[u32]) -> Exit {
        let ended = self.tree().end(PATIENCE);
        assert_eq!(ended.left, [0; 0], "{ended:?}");
        for pid in pids {
            assert!(!alive(*pid), "{pid} lives on after {ended:?}");
        }
        assert_eq!(leftovers(&self.marker), [0; 0]);
        let exit = self.tree().reap().unwrap().expect("the child has ended");
        assert!(!own_zombies().contains(&self.tree().id()));
        exit
    }
}

pub fn fake(script: &str, dir: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-executor"));
    // Replaced here: a process without environment could not do it.
    command.env("FAKE_SCRIPT", script.replace("$D", &dir.path().to_string_lossy()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

pub const KILLED: Exit = exit(None, Some(9));

pub const fn exit(code: Option<i32>, signal: Option<i32>) -> Exit {
    // `Exit` may grow, so it has no literal outside its crate.
    let mut exit = Exit::UNKNOWN;
    exit.code = code;
    exit.signal = signal;
    exit
}

pub fn pid(pid: u32) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}
