//! What kind of machine the figures are of.

use std::{env, fs, thread};

/// One line for under a table: processor, threads, system. No name of the machine is in it.
#[must_use]
pub fn kind() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let processor = model.map_or(env::consts::ARCH, |(_, name)| name.trim());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    format!("{processor}, {threads} threads, {} {}", env::consts::OS, env::consts::ARCH)
}
