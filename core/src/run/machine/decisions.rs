//! What follows from the facts and the time.

use super::{Ask, Cause, Machine, Tree};
use crate::exit::TimeLimit;
use core::time::Duration;

impl Machine {
    /// Looks at the time and at all facts, and decides. To be called after every fact.
    pub(in crate::run) fn settle(&mut self) {
        self.talk();
        // Each step can make the next one possible; none is ever taken back.
        self.limits();
        self.after_exit();
        self.reaping();
        self.finishing();
    }

    pub(super) fn end(&mut self, cause: Cause) {
        if self.ending.is_some() || self.done_at.is_some() {
            return;
        }
        self.ending = Some(cause);
        self.ending_since = self.now;
        self.out.stop();
    }

    pub(super) fn kill(&mut self) {
        if self.tree == Tree::Alone {
            self.tree = Tree::Killing;
            self.killed_at = self.now;
            self.kill.want();
            if self.interrupt == Ask::Wanted {
                self.interrupt = Ask::No;
            }
        }
    }

    fn limits(&mut self) {
        let Some(started) = self.started else { return };
        if self.exited.is_some() {
            return;
        }
        if self.ending.is_none()
            && let Some(cause) = self.limit_reached(started)
        {
            self.end(cause);
        }
        if self.ending.is_some() && self.tree == Tree::Alone && self.interrupt == Ask::No {
            let polite = self.settings.interrupt.is_some() && !self.settings.timers.grace.is_zero();
            if polite {
                self.interrupt.want();
                // A cancel that came before the start has its whole grace.
                self.ending_since = self.now;
            } else {
                self.kill();
            }
        }
        if self.ending.is_some() && (self.at_once || self.passed(Some(self.grace_end()))) {
            self.kill();
        }
    }

    fn limit_reached(&self, started: Duration) -> Option<Cause> {
        let lingers = self.lingers();
        let limits = [
            (self.total_end(started), Cause::TimedOut(TimeLimit::Total)),
            (self.first_event_end(started), Cause::TimedOut(TimeLimit::FirstEvent)),
            (self.idle_end(), Cause::TimedOut(TimeLimit::Idle)),
            (self.lingering_end(), Cause::Lingers),
        ];
        let earliest = limits.into_iter().filter_map(|(at, cause)| Some((at?, cause))).min_by_key(|(at, _)| *at);
        let (_, cause) = earliest.filter(|(at, _)| *at <= self.now)?;
        // A run that has said its last word is not late, whichever limit ends it.
        Some(if lingers { Cause::Lingers } else { cause })
    }

    fn after_exit(&mut self) {
        if self.exited.is_none() || self.tree != Tree::Alone {
            return;
        }
        let ended_by_us = self.ending.is_some() && !self.by_itself;
        if ended_by_us {
            // Behind a shim that is gone the executor itself may still be saving its session.
            if self.at_once || self.pipes_closed() || self.passed(Some(self.grace_end())) {
                self.kill();
            }
        } else if self.cancel_asked {
            // It had ended by itself; who cancels waits for nothing it left behind.
            self.kill();
        } else {
            self.drained |= self.pipes_closed() || self.passed(self.drain_end());
            if self.drained && self.settings.leave_background {
                self.tree = Tree::Over;
                self.over_at = self.now;
            } else if self.drained {
                self.kill();
            }
        }
    }

    fn reaping(&mut self) {
        if self.awaits_end() && self.passed(Some(self.kill_end())) {
            self.tree = Tree::GivenUp;
            self.over_at = self.now;
        }
        if self.exited.is_some() && matches!(self.tree, Tree::Over | Tree::GivenUp) && self.reap == Ask::No {
            self.reap.want();
            self.reap_at = self.now;
        }
        if self.reap != Ask::No && self.passed(Some(self.reap_end())) {
            self.reaped = true;
        }
        self.drained |= self.pipes_closed() || self.passed(self.after_kill_end());
    }

    fn finishing(&mut self) {
        let over = self.spawn_error.is_some()
            || (self.reaped && self.drained)
            // It can neither be ended nor waited for.
            || (self.tree == Tree::GivenUp && self.exited.is_none());
        if over && self.done_at.is_none() {
            self.done_at = Some(self.now);
            self.done.want();
        }
    }
}
