//! Killing all processes of a tree, step by step.

use std::collections::HashSet;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::select::{Life, Proc};
use super::{EndStep, Ended, MAX_STEP_WAIT, sys};

/// Looks that may go by while processes are being stopped; then killing starts all the same.
const FREEZE_LOOKS: u32 = 10;
/// Looks in a row that must find nothing alive: one alone can miss a process in the middle of an `exec`.
const CLEAR_LOOKS: u32 = 2;
/// The same while some process of the right age shows no environment at all.
const UNSURE_LOOKS: u32 = 5;
/// Kills of the group where processes cannot be listed.
const BLIND_KILLS: u32 = 3;
/// The pause between two looks when all is quiet or processes are being stopped.
const SHORT_PAUSE: Duration = Duration::from_millis(2);

/// Where a hunt stands.
#[derive(Debug, Default)]
pub(super) struct Hunt {
    rounds: u32,
    clear: u32,
    /// Looks spent on stopping.
    freezing: u32,
    /// Looks spent on killing.
    killing: u32,
    killed: HashSet<(u32, u64)>,
    /// The last look saw a process of which it could not tell whether it carries the marker.
    pub(super) unsure: bool,
}

impl Hunt {
    /// What is to be done with the `members` that the look just now has found (`None`: it cannot look). `group` is the child's, if its number is still held.
    pub(super) fn step(&mut self, members: Option<&[Proc]>, group: Option<Pid>, exited: bool) -> EndStep {
        self.rounds = self.rounds.saturating_add(1);
        let Some(members) = members else {
            return self.blind(group, exited);
        };
        let alive: Vec<&Proc> = members.iter().filter(|m| m.life != Life::Zombie).collect();
        if alive.is_empty() && (exited || group.is_none()) {
            self.clear += 1;
            let enough = if self.unsure { UNSURE_LOOKS } else { CLEAR_LOOKS };
            if self.clear >= enough {
                return EndStep::Done(self.done(Vec::new()));
            }
            // Where nobody was ever there, as after most runs, nobody is waited for.
            let quiet = self.freezing == 0 && self.killing == 0 && !self.unsure;
            return EndStep::Again(if quiet { Duration::ZERO } else { SHORT_PAUSE });
        }
        self.clear = 0;
        if self.killing == 0 && self.freezing < FREEZE_LOOKS {
            self.freezing += 1;
            let moving = alive.iter().filter(|m| m.life == Life::Running);
            if moving.filter(|m| sys::send(m, Signal::STOP)).count() > 0 {
                return EndStep::Again(SHORT_PAUSE);
            }
        }
        self.killing = self.killing.saturating_add(1);
        // The group in one call, which no fork in it can race; then each by itself.
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        for member in alive {
            if sys::send(member, Signal::KILL) {
                self.killed.insert((member.pid, member.start));
            }
        }
        EndStep::Again(self.pause())
    }

    /// Only the group can be reached. A zombie that is not reaped keeps the group from looking empty, so this kills a few times and trusts.
    fn blind(&mut self, group: Option<Pid>, exited: bool) -> EndStep {
        if let Some(group) = group
            && (!exited || self.killing < BLIND_KILLS)
        {
            self.killing = self.killing.saturating_add(1);
            if kill_process_group(group, Signal::KILL).is_ok() {
                self.killed.insert((group.as_raw_nonzero().get().unsigned_abs(), 0));
            }
            return EndStep::Again(self.pause());
        }
        EndStep::Done(self.done(Vec::new()))
    }

    /// The end of it for lack of time.
    pub(super) fn give_up(&mut self, members: Option<&[Proc]>) -> Ended {
        let alive = members.unwrap_or_default().iter().filter(|m| m.life != Life::Zombie);
        self.done(alive.map(|m| m.pid).collect())
    }

    fn done(&mut self, left: Vec<u32>) -> Ended {
        let hunt = std::mem::take(self);
        Ended { killed: hunt.killed.len(), rounds: hunt.rounds, left }
    }

    /// Longer from kill to kill: a process needs a moment to die.
    fn pause(&self) -> Duration {
        (SHORT_PAUSE / 2 * 2_u32.saturating_pow(self.killing.min(5))).min(MAX_STEP_WAIT)
    }
}

#[cfg(test)]
mod tests {
    use super::super::select::Mark;
    use super::*;

    /// A process that does not exist: signals to it go nowhere.
    fn ghost(life: Life) -> Proc {
        Proc { pid: 999_999_999, parent: 1, group: 5, session: 5, start: 1, life, mark: Mark::Ours }
    }

    #[test]
    fn is_done_after_two_clear_looks() {
        let mut hunt = Hunt::default();
        assert_eq!(hunt.step(Some(&[]), None, true), EndStep::Again(Duration::ZERO));
        assert_eq!(
            hunt.step(Some(&[ghost(Life::Zombie)]), None, true),
            EndStep::Done(Ended { killed: 0, rounds: 2, left: vec![] })
        );
    }

    #[test]
    fn a_process_that_turns_up_again_starts_the_count_again() {
        let mut hunt = Hunt::default();
        assert!(matches!(hunt.step(Some(&[]), None, true), EndStep::Again(_)));
        assert!(matches!(hunt.step(Some(&[ghost(Life::Running)]), None, true), EndStep::Again(_)));
        assert!(matches!(hunt.step(Some(&[]), None, true), EndStep::Again(_)));
        assert!(matches!(hunt.step(Some(&[]), None, true), EndStep::Done(_)));
    }

    #[test]
    fn looks_longer_while_some_process_shows_no_environment() {
        let mut hunt = Hunt { unsure: true, ..Hunt::default() };
        let looks = (1..20).find(|_| matches!(hunt.step(Some(&[]), None, true), EndStep::Done(_)));
        assert_eq!(looks, Some(5));
    }

    #[test]
    fn tells_what_is_left_when_time_is_over() {
        let mut hunt = Hunt::default();
        hunt.step(Some(&[ghost(Life::Running)]), None, true);
        let ended = hunt.give_up(Some(&[ghost(Life::Running), ghost(Life::Zombie)]));
        assert_eq!(ended, Ended { killed: 0, rounds: 1, left: vec![999_999_999] });
    }

    #[test]
    fn pauses_stay_within_the_promised_bound() {
        for killing in 0..100 {
            assert!(Hunt { killing, ..Hunt::default() }.pause() <= MAX_STEP_WAIT);
        }
    }

    #[test]
    fn without_a_process_list_the_group_is_killed_until_the_child_is_gone() {
        use std::os::unix::process::CommandExt;
        // The shell's own child is in its group.
        let mut child =
            std::process::Command::new("sh").args(["-c", "sleep 60; sleep 60"]).process_group(0).spawn().unwrap();
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let mut hunt = Hunt::default();
        let mut steps = 0;
        let ended = loop {
            let exited = child.try_wait().unwrap().is_some();
            match hunt.step(None, group.filter(|_| !exited), exited) {
                EndStep::Done(ended) => break ended,
                EndStep::Again(pause) => std::thread::sleep(pause),
            }
            steps += 1;
            assert!(steps < 1000);
        };
        assert_eq!(ended.killed, 1);
    }
}
