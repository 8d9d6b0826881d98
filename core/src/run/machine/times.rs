//! When what is to happen by itself. A time that stands still is no time.

use super::{Ask, Machine, Tree};
use core::time::Duration;

/// How long the pipes of a killed tree are read on: its own ends are closed by then, only a stranger holds them.
const AFTER_KILL: Duration = Duration::from_secs(1);

impl Machine {
    pub(super) fn passed(&self, at: Option<Duration>) -> bool {
        at.is_some_and(|at| at <= self.now)
    }

    pub(super) fn held(&self) -> bool {
        self.held_since.is_some()
    }

    pub(super) fn pipes_closed(&self) -> bool {
        !self.stdout_open && !self.stderr_open
    }

    /// It has nothing more to say.
    pub(super) fn lingers(&self) -> bool {
        (self.is_settled() && !self.out.talks()) || !self.stdout_open
    }

    /// The tree is being ended, or is said to be gone while the process itself has not been seen to end.
    pub(super) fn awaits_end(&self) -> bool {
        self.tree == Tree::Killing || (self.tree == Tree::Over && self.exited.is_none())
    }

    pub(super) fn total_end(&self, started: Duration) -> Option<Duration> {
        self.settings.timers.total.map(|limit| started.saturating_add(limit))
    }

    pub(super) fn first_event_end(&self, started: Duration) -> Option<Duration> {
        let limit = self.settings.timers.first_event.filter(|_| !self.any_event)?;
        // One that has been told nothing has nothing to say.
        let since = if self.out.converses() { self.dialog.begun? } else { started };
        Some(started.max(since).saturating_add(limit))
    }

    pub(super) fn idle_end(&self) -> Option<Duration> {
        let limit = self
            .settings
            .timers
            .idle
            .filter(|_| !self.is_settled() && self.stdout_open && !self.held() && !self.waits_for_host())?;
        Some(self.last_output.saturating_add(limit))
    }

    pub(super) fn lingering_end(&self) -> Option<Duration> {
        let limit = self.settings.timers.after_terminal.filter(|_| self.lingers() && !self.held())?;
        Some(self.last_output.saturating_add(limit))
    }

    pub(super) fn grace_end(&self) -> Duration {
        self.ending_since.saturating_add(self.settings.timers.grace)
    }

    pub(super) fn drain_end(&self) -> Option<Duration> {
        let limit = self.settings.timers.drain.filter(|_| !self.held())?;
        Some(self.exited_at.saturating_add(limit))
    }

    pub(super) fn kill_end(&self) -> Duration {
        self.killed_at.saturating_add(self.settings.timers.kill)
    }

    /// Not held by a stalled consumer: what is ended must be over some time.
    pub(super) fn after_kill_end(&self) -> Option<Duration> {
        let limit = self.settings.timers.drain.map_or(AFTER_KILL, |drain| drain.min(AFTER_KILL));
        matches!(self.tree, Tree::Over | Tree::GivenUp).then(|| self.over_at.saturating_add(limit))
    }

    pub(super) fn reap_end(&self) -> Duration {
        self.reap_at.saturating_add(self.settings.timers.kill)
    }

    /// When something is to be decided even if nothing happens.
    pub(in crate::run) fn deadline(&self) -> Option<Duration> {
        if self.done_at.is_some() {
            return None;
        }
        let started = self.started?;
        // Reading goes on: the clocks that stood still have to be told the time.
        let resumed = (self.held() && !self.full).then_some(self.now);
        let running = self.exited.is_none();
        let alone = self.tree == Tree::Alone;
        let when = |condition: bool, at: Option<Duration>| at.filter(|_| condition);
        [
            resumed,
            when(running && self.ending.is_none(), self.total_end(started)),
            when(running && self.ending.is_none(), self.first_event_end(started)),
            when(running && self.ending.is_none(), self.idle_end()),
            when(running && self.ending.is_none(), self.lingering_end()),
            when(running && self.ending.is_none(), self.answer_end()),
            when(alone && self.ending.is_some() && !self.by_itself, Some(self.grace_end())),
            when(!running && alone && self.by_itself, self.drain_end()),
            when(self.awaits_end(), Some(self.kill_end())),
            when(!self.drained, self.after_kill_end()),
            when(self.reap != Ask::No && !self.reaped, Some(self.reap_end())),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
