//! The windows of the vendor's limits.

/// A window of the vendor's limits, and the record of its last reading.
pub(super) struct Window {
    pub(super) name: String,
    pub(super) utilization: Option<f64>,
    pub(super) resets_at: Option<f64>,
    pub(super) status: Option<String>,
    record: u64,
}

/// The last reading wins; two readings of one record are one.
pub(super) fn read_window(
    windows: &mut Vec<Window>,
    record: u64,
    name: &str,
    utilization: Option<f64>,
    resets_at: Option<f64>,
    status: Option<String>,
) {
    let new = Window { name: name.to_owned(), utilization, resets_at, status, record };
    match windows.iter_mut().find(|window| window.name == name) {
        Some(old) if old.record == record => {
            old.utilization = new.utilization.or(old.utilization);
            old.resets_at = new.resets_at.or(old.resets_at);
            old.status = new.status.or(old.status.take());
        }
        Some(old) => *old = new,
        None => windows.push(new),
    }
}
