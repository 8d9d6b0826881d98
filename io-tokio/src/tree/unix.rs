//! Unix systems other than Linux: nothing beyond the process group.
//!
//! There is no `/proc`, the system's own process listing (`libproc`, `sysctl`) needs unsafe code, and parsing `ps` is no ground
//! for killing. So descendants that leave the child's process group are not found, and signals to single processes are never sent.

use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal};

use super::marker::Marker;
use super::select::Proc;

pub(super) fn snapshot(_marker: &Marker, _born: u64, _stop: bool) -> Option<Vec<Proc>> {
    None
}

pub(super) fn start_time(_pid: u32) -> Option<u64> {
    None
}

pub(super) fn marked(_marker: &Marker) -> Vec<u32> {
    Vec::new()
}

pub(super) fn exit_fd(_pid: Pid) -> Option<OwnedFd> {
    None
}

pub(super) fn send(_proc: &Proc, _signal: Signal) -> bool {
    false
}
