//! The vendor's limits: the last reading of each window, names and numbers verbatim.

use crate::envelope::RateLimitWindow;
use crate::limits::Limits;
use crate::text::Text;
use alloc::vec::Vec;

/// The windows seen, in the order of their first reading.
#[derive(Debug)]
pub(crate) struct Windows {
    list: Vec<(RateLimitWindow, u64)>,
    bound: usize,
}

impl Windows {
    pub(crate) fn new(limits: &Limits) -> Self {
        Windows { list: Vec::new(), bound: limits.remembered }
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
        let known = self.list.iter().position(|(window, _)| *name == *window.name);
        let room = self.list.len() < self.bound;
        let window = match known {
            Some(at) => self.list.get_mut(at),
            None => None,
        };
        match window {
            Some((window, from)) => {
                let same = core::mem::replace(from, record) == record;
                window.utilization = utilization.or(window.utilization.filter(|_| same));
                window.resets_at = resets_at.or(window.resets_at.filter(|_| same));
                // A word that did not change is not written again.
                if status.is_some_and(|status| window.status.as_deref().is_none_or(|known| *status != *known)) {
                    window.status = status.map(|status| status.decode().into_owned());
                } else if status.is_none() && !same {
                    window.status = None;
                }
            }
            None if room => {
                let name = name.decode().into_owned();
                let status = status.map(|status| status.decode().into_owned());
                self.list.push((RateLimitWindow { name, utilization, resets_at, status }, record));
            }
            None => {}
        }
    }

    pub(crate) fn into_list(self) -> Vec<RateLimitWindow> {
        self.list.into_iter().map(|(window, _)| window).collect()
    }
}
