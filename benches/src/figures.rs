//! Taking times, and what is said of a series of them.

use std::time::Duration;

/// How long this takes, in seconds of [`own_time`], when it is done so many times; not a number where that is never.
pub fn seconds(times: u64, mut work: impl FnMut()) -> f64 {
    let start = own_time();
    for _ in 0..times {
        work();
    }
    (own_time() - start).as_secs_f64() / times as f64
}

/// The processor time that this thread has had. Time in which other programs ran is not in it: it would make long works
/// look slower than short ones, which end before it is another program's turn.
#[cfg(target_os = "linux")]
#[must_use]
pub fn own_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time since the first call: this system has no clock of a thread's own time that can be had safely.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn own_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// The middle of the values; not a number where there are none. It is what a busy machine disturbs least.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => values[len / 2],
        len => f64::midpoint(values[len / 2 - 1], values[len / 2]),
    }
}

/// Does each of these in turn, `rounds` times: whatever else the machine does meets all of them alike.
///
/// Gives for each its seconds in each round.
pub fn take_turns(rounds: usize, works: &mut [&mut dyn FnMut()]) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(rounds); works.len()];
    for _ in 0..rounds {
        for (work, times) in works.iter_mut().zip(&mut times) {
            times.push(seconds(1, work));
        }
    }
    times
}

/// How many times faster `own` is than `base`, round by round, and the middle of that.
#[must_use]
pub fn ratio(base: &[f64], own: &[f64]) -> f64 {
    median(base.iter().zip(own).map(|(base, own)| base / own))
}
