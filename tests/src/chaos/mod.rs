//! Chaos: random scripts of the fake executor run by the tokio driver, disturbed at random moments. What may come of a run is
//! derived from its script and from what the host did to it, never from what the driver says.

mod oracle;
mod script;

pub use oracle::{Host, check};
pub use script::{ANSWER, Natural, Script, random};

use crate::mutate::Dice;
use crate::process::{PATIENCE, alive, eventually, own_zombies};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use turnline::{Envelope, Profile};
use turnline_tokio::Runner;
use turnline_tokio::tree::{Marker, leftovers};

/// One run: its seed, its script, what the host does.
#[derive(Clone, Debug)]
pub struct Case {
    /// Gives the rest.
    pub seed: u64,
    /// What runs.
    pub script: Script,
    /// What is done to it.
    pub host: Host,
}

impl Case {
    /// The case of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let script = random(&mut dice);
        let host = Host::random(&mut dice, script.natural);
        Case { seed, script, host }
    }

    /// Runs it, and says what came of it; nothing for one that was dropped.
    ///
    /// # Errors
    ///
    /// What must not be: a verdict that the script does not allow, or something that was left behind.
    pub async fn run(&self, program: &Path) -> Result<Option<Envelope>, String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let text = self.script.text.replace("$D", &folder.path().to_string_lossy());
        let profile = Profile::builtin("claude-code").map_err(|error| error.to_string())?;
        let mut runner = Runner::new(&profile);
        runner.program(program).prompt(self.script.prompt.clone()).env("FAKE_SCRIPT", text);
        runner.grace(Duration::from_millis(60)).drain(Some(Duration::from_millis(80)));
        // Where it means to linger; one that a busy machine delays between its last word and its exit does not.
        let lingers = self.script.natural == Natural::Lingers;
        runner.after_terminal(Some(Duration::from_millis(if lingers { 60 } else { 20_000 })));
        self.host.prepare(&mut runner);
        let run = runner.spawn().map_err(|error| error.to_string())?;
        let marker = run.marker().to_owned();
        let watched = tokio::time::timeout(PATIENCE, self.host.watch(run));
        let envelope = watched.await.map_err(|_| "it does not end".to_owned())?;
        self.nothing_left(&marker, folder.path())?;
        if let Some(envelope) = &envelope {
            check(&self.script, &self.host, envelope)?;
        }
        Ok(envelope)
    }

    /// Nothing carries the marker, and none of the processes that told their number lives.
    fn nothing_left(&self, marker: &str, folder: &Path) -> Result<(), String> {
        let marker = Marker::named(marker).ok_or("a marker without a name")?;
        let left = leftovers(&marker);
        if !left.is_empty() {
            return Err(format!("left behind: {left:?}"));
        }
        for n in 0..self.script.processes {
            // One that was killed before it wrote its number left nothing.
            let told = std::fs::read_to_string(folder.join(format!("p{n}"))).unwrap_or_default();
            if let Some(pid) = told.trim().parse().ok().filter(|pid| alive(*pid)) {
                return Err(format!("process {pid} lives on"));
            }
        }
        Ok(())
    }
}

/// Descriptors that are open.
///
/// # Panics
///
/// Without `/proc`.
#[must_use]
pub fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("/proc").count()
}

/// Kilobytes of memory that are resident, and that were at most.
///
/// # Panics
///
/// Without `/proc`.
#[must_use]
pub fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// Waits until as many descriptors are open as before, and no child waits to be reaped.
///
/// # Panics
///
/// When that does not come about.
pub fn settled(files: usize) {
    eventually("descriptors and zombies as before", || {
        (open_files() <= files && own_zombies().is_empty()).then_some(())
    });
}
