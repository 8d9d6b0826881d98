//! What must hold in every world.

use super::{Kind, Step, World, secs};
use crate::run::options::WhenBusy;

impl World {
    pub(in crate::run::machine::tests) fn check(&self, kind: &Kind) {
        let exit = self.machine.exit();
        let by_itself = self.exit_told && !self.signal_first;
        if by_itself {
            assert!(!exit.cancelled && exit.timed_out.is_none() && !exit.ended_by_driver, "it had ended by itself");
            assert_eq!((exit.code, exit.signal), (Some(0), None));
        }
        let ours = [exit.cancelled, exit.timed_out.is_some(), exit.ended_by_driver];
        assert!(ours.iter().filter(|ours| **ours).count() <= 1, "ended for two reasons at once");
        if self.dones == 1 {
            if exit.cancelled {
                assert!(self.cancel_asked, "nobody cancelled it");
            }
            if exit.timed_out.is_some() {
                assert!(kind.timers.total.is_some() || kind.timers.idle.is_some() || kind.timers.first_event.is_some());
                assert!(!self.finished_in_time || self.background, "it had said its last word in time");
            }
            if exit.ended_by_driver {
                // Whether a turn that was written into another one has an end of its own is not known.
                let unknown = kind.when_busy == WhenBusy::Write;
                assert!(self.finished || self.stdout_told || unknown, "it had not said its last word");
            }
            let ours =
                exit.cancelled || exit.timed_out.is_some() || exit.ended_by_driver || exit.stream_error.is_some();
            assert!(by_itself || ours || exit.spawn_error.is_some(), "nobody knows why it ended: {exit:?}");
            assert!(
                self.machine.gave_up()
                    || self.reaps == 1
                    || exit.spawn_error.is_some()
                    || (exit.cancelled && self.ended.is_none())
            );
            assert!(kind.unkillable || self.exit_told == self.ended.is_some() || self.machine.gave_up());
            if kind.leave_background && by_itself && self.machine.ending.is_none() {
                assert_eq!(self.kills, 0, "what was left behind was to be left alone");
            }
        }
        if kind.turns > 0 {
            self.check_talk(kind);
        }
        // Politely first, and with the whole grace.
        let polite = kind.interrupt.is_some() && !kind.timers.grace.is_zero() && !self.cancel_now;
        if self.kills == 1 && polite && !self.exit_told {
            assert_eq!(self.interrupts, 1, "killed without being asked");
            assert!(self.machine.killed_at >= self.machine.ending_since + kind.timers.grace, "killed too soon");
        }
    }

    /// With nobody answering any more the run is over in bounded time, once something ends it.
    pub(in crate::run::machine::tests) fn check_bound(&self, kind: &Kind) {
        let bound = kind.timers.grace + kind.timers.kill * 2 + secs(2) + kind.timers.drain.unwrap_or_default();
        let by_itself = self.exit_told && !self.signal_first;
        let ends = self.machine.started.is_some() && self.machine.ending.is_some() && (!by_itself || self.cancel_asked);
        let drains = self.exit_told && kind.timers.drain.is_some() && !self.stalled;
        if self.dones == 1 || !(ends || drains) {
            return;
        }
        let mut alone = self.clone();
        let start = alone.machine.now;
        while alone.dones == 0 {
            assert!(alone.machine.deadline().is_some(), "it waits for ever");
            alone.take(Step::Timer, kind);
            assert!(alone.machine.now <= start + bound, "it takes too long");
        }
    }
}
