//! Runs a check over many cases on all cores, and fails once, with every case that failed.

use super::diff::Diff;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Differences shown of one case; the first ones tell most.
const SHOWN: usize = 4;

/// Checks every case.
///
/// # Panics
/// When there is no case, or when one or more failed: with the name and the first differences of each. A check that
/// panics fails its case only.
pub fn all<C: Sync>(cases: &[C], name: impl Fn(&C) -> String + Sync, check: impl Fn(&C, &mut Diff) + Sync) {
    assert!(!cases.is_empty(), "the corpus is empty");
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut diff = Diff::new();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(case, &mut diff))) {
                diff.add(format!("panicked: {}", words(panic.as_ref())));
            }
            let differences = diff.into_vec();
            if !differences.is_empty() {
                failed.lock().expect("no check holds the lock").push((name(case), differences));
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let mut failed = failed.into_inner().expect("no check holds the lock");
    failed.sort();
    let mut report = String::new();
    for (name, differences) in &failed {
        let more = differences.len().saturating_sub(SHOWN);
        let shown = differences[..differences.len() - more].join("; ");
        let _ = write!(report, "\n{name}: {shown}");
        if more > 0 {
            let _ = write!(report, "; and {more} more");
        }
    }
    assert!(failed.is_empty(), "{} of {} cases failed:{report}\n", failed.len(), cases.len());
}

fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failing_case_is_named() {
        let result = catch_unwind(|| {
            all(
                &[1, 2, 3, 4],
                |n| format!("case {n}"),
                |n, diff| {
                    diff.hold(*n != 2, || "is two".into());
                    assert_ne!(*n, 3, "is three");
                },
            );
        });
        let panic = result.unwrap_err();
        let report = words(panic.as_ref());
        assert!(report.contains("2 of 4 cases failed"), "{report}");
        assert!(report.contains("case 2: is two"), "{report}");
        assert!(report.contains("case 3: panicked: ") && report.contains("is three"), "{report}");
    }
}
