//! Which questions of the executor wait for the host's word.

use crate::limits::Limits;
use crate::memory::Memory;
use crate::text::{Form, Text};
use alloc::vec::Vec;

/// The open permission requests; over [`Limits::open_calls`] the oldest is forgotten.
#[derive(Debug)]
pub(crate) struct Requests {
    /// By the request's id: the call that waits, where it is named.
    open: Memory<Vec<u8>>,
}

impl Requests {
    pub(crate) fn new(limits: &Limits) -> Self {
        Requests { open: Memory::new(limits.open_calls) }
    }

    /// True while the executor waits: the usual answer, no, costs nothing.
    pub(crate) fn any(&self) -> bool {
        self.open.len() > 0
    }

    pub(crate) fn ask(&mut self, id: &[u8], call: &[u8]) {
        match self.open.find(id) {
            Some(at) => {
                if let Some(known) = self.open.value_mut(at) {
                    *known = call.to_vec();
                }
            }
            None => {
                self.open.insert(id, call.to_vec());
            }
        }
    }

    /// A request was answered or withdrawn: the call it was about, where it was open.
    pub(crate) fn settle(&mut self, id: &[u8]) -> Option<Vec<u8>> {
        let at = self.open.find(id)?;
        self.open.remove(at)
    }

    /// The same by the id in plain words: the id as it came, and the call.
    pub(crate) fn answer(&mut self, id: &str) -> Option<(Vec<u8>, Vec<u8>)> {
        let named = |at: &usize| self.open.at(*at).is_some_and(|entry| Text::borrowed(&entry.id, Form::Escaped) == *id);
        let at = self.entries().find(named)?;
        let kept = self.open.at(at)?.id.clone();
        Some((kept, self.open.remove(at)?))
    }

    /// The request about a call was answered: its id, where there is one.
    pub(crate) fn call_settled(&mut self, call: &[u8]) -> Option<Vec<u8>> {
        let at = self.entries().find(|at| self.call(*at) == Some(call))?;
        let id = self.open.at(at)?.id.clone();
        self.open.remove(at);
        Some(id)
    }

    /// A call has come to its end: nobody waits to be allowed to make it.
    pub(crate) fn call_ended(&mut self, call: &[u8]) {
        self.keep(|waiting| waiting.is_empty() || waiting != call);
    }

    /// Of requests that name no call there are no more than calls that still run: each waits for one.
    pub(crate) fn at_most(&mut self, calls: usize) {
        loop {
            let unnamed = self.entries().filter(|at| self.call(*at).is_some_and(<[u8]>::is_empty));
            let (count, oldest) = unnamed.fold((0, None), |(count, oldest), at| {
                let order = |at: usize| self.open.at(at).map(|entry| entry.order);
                let older = oldest.is_none_or(|known| order(at) < order(known));
                (count + 1, if older { Some(at) } else { oldest })
            });
            match oldest {
                Some(at) if count > calls => drop(self.open.remove(at)),
                _ => return,
            }
        }
    }

    /// Forgets the requests about calls that do not pass.
    pub(crate) fn keep(&mut self, passes: impl Fn(&[u8]) -> bool) {
        let mut at = 0;
        while let Some(call) = self.call(at) {
            if passes(call) {
                at += 1;
            } else {
                self.open.remove(at);
            }
        }
    }

    fn entries(&self) -> impl Iterator<Item = usize> {
        0..self.open.len()
    }

    fn call(&self, at: usize) -> Option<&[u8]> {
        self.open.at(at).map(|entry| &*entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(all: &[(&str, &str)]) -> Requests {
        let mut requests = Requests::new(&Limits { open_calls: 3, ..Limits::default() });
        for (id, call) in all {
            requests.ask(id.as_bytes(), call.as_bytes());
        }
        requests
    }

    #[test]
    fn settled_by_their_id() {
        let mut requests = asked(&[("r1", "c1"), ("r2", "")]);
        assert_eq!(requests.settle(b"r1").as_deref(), Some(&b"c1"[..]));
        assert_eq!(requests.settle(b"r1"), None);
        assert!(requests.any());
        requests.settle(b"r2");
        assert!(!requests.any());
    }

    #[test]
    fn settled_by_the_end_of_their_call() {
        let mut requests = asked(&[("r1", "c1"), ("r2", "c2"), ("r3", "")]);
        requests.call_ended(b"c1");
        assert!(requests.settle(b"r1").is_none());
        assert!(requests.settle(b"r2").is_some());
        assert!(requests.settle(b"r3").is_some());
    }

    #[test]
    fn settled_by_a_word_on_their_call() {
        let mut requests = asked(&[("r1", "c1"), ("r2", "")]);
        assert_eq!(requests.call_settled(b"c1").as_deref(), Some(&b"r1"[..]));
        assert_eq!(requests.call_settled(b"c1"), None);
        assert!(requests.any());
    }

    #[test]
    fn of_those_without_a_call_the_oldest_is_settled_when_fewer_calls_run() {
        let mut requests = asked(&[("r1", ""), ("r2", ""), ("r3", "c")]);
        requests.at_most(2);
        requests.at_most(1);
        assert!(requests.settle(b"r1").is_none());
        assert!(requests.settle(b"r2").is_some());
        assert!(requests.settle(b"r3").is_some());
    }

    #[test]
    fn more_than_the_bound_forgets_the_oldest_and_the_same_id_asks_once() {
        let mut requests = asked(&[("a", ""), ("b", ""), ("c", ""), ("d", ""), ("d", "x")]);
        assert!(requests.settle(b"a").is_none());
        for id in [b"b", b"c", b"d"] {
            assert!(requests.any());
            assert!(requests.settle(id).is_some());
        }
        assert!(!requests.any());
    }

    #[test]
    fn a_bound_of_zero_waits_for_nothing() {
        let mut requests = Requests::new(&Limits { open_calls: 0, ..Limits::default() });
        requests.ask(b"a", b"");
        assert!(!requests.any());
    }
}
