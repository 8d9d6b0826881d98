//! The vendor's limits: the last reading of each window, names and numbers verbatim.

use crate::envelope::RateLimitWindow;
use crate::limits::Limits;
use crate::text::Text;
use alloc::string::ToString;
use alloc::vec::Vec;

/// The windows seen, in the order of their first reading.
#[derive(Debug)]
pub(crate) struct Windows {
    list: Vec<(RateLimitWindow, u64)>,
    bound: usize,
    /// Bytes of a name or a status.
    text: usize,
}

impl Windows {
    pub(crate) fn new(limits: &Limits) -> Self {
        Windows { list: Vec::new(), bound: limits.remembered, text: limits.message }
    }

    /// A reading in record number `record`. Two readings of one record are one reading, told in two places.
    pub(crate) fn read(
        &mut self,
        record: u64,
        name: &Text<'_>,
        utilization: Option<f64>,
        resets_at: Option<f64>,
        status: Option<&Text<'_>>,
    ) {
        let (name, status) = (name.decode(), status.map(Text::decode));
        let name = crate::tally::cut(&name, self.text);
        let status = status.as_deref().map(|status| crate::tally::cut(status, self.text));
        let room = self.list.len() < self.bound;
        match self.list.iter_mut().find(|(window, _)| window.name == name) {
            Some((window, from)) => {
                let same = core::mem::replace(from, record) == record;
                window.utilization = utilization.or(window.utilization.filter(|_| same));
                window.resets_at = resets_at.or(window.resets_at.filter(|_| same));
                // A word that did not change is not written again.
                if status.is_some() && status != window.status.as_deref() {
                    window.status = status.map(ToString::to_string);
                } else if status.is_none() && !same {
                    window.status = None;
                }
            }
            None if room => {
                let (name, status) = (name.to_string(), status.map(ToString::to_string));
                self.list.push((RateLimitWindow { name, utilization, resets_at, status }, record));
            }
            None => {}
        }
    }

    pub(crate) fn into_list(self) -> Vec<RateLimitWindow> {
        self.list.into_iter().map(|(window, _)| window).collect()
    }
}
