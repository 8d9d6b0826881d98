//! A budget as a state machine: what is free, what is set aside for runs that go on, what was spent. No clock, no lock.

use std::fmt;
use turnline::{Envelope, launch::Request};

/// Tokens and money. Both count: an amount fits where both do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Amount {
    /// Tokens.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub micro_usd: u64,
}

impl Amount {
    /// So many tokens, and no money.
    #[must_use]
    pub const fn tokens(tokens: u64) -> Self {
        Amount { tokens, micro_usd: 0 }
    }

    /// So many US dollars, rounded up to a millionth, and no tokens. What is no amount (negative, no number) is nothing; what is
    /// too much is the most there is.
    #[must_use]
    pub fn usd(usd: f64) -> Self {
        // A cast saturates, and makes nothing of what is no number.
        Amount { tokens: 0, micro_usd: (usd * 1e6).ceil() as u64 }
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Amount) -> Self {
        Amount {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    /// What the vendor reported of a run: its own tokens and its own money, each zero where it is not known.
    #[must_use]
    pub fn reported(envelope: &Envelope) -> Self {
        let tokens = envelope.usage.and_then(|usage| usage.total).unwrap_or_default();
        Amount::tokens(tokens).and(Amount::usd(envelope.run_cost_usd.unwrap_or_default()))
    }

    /// The greater of both, in each respect.
    #[must_use]
    pub fn at_least(self, other: Amount) -> Self {
        Amount { tokens: self.tokens.max(other.tokens), micro_usd: self.micro_usd.max(other.micro_usd) }
    }

    fn fits(self, limit: Amount) -> bool {
        self.tokens <= limit.tokens && self.micro_usd <= limit.micro_usd
    }

    const fn less(self, other: Amount) -> Self {
        Amount {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }
}

/// What may be spent, and what was.
///
/// A run is [admitted](Budget::admit) with an estimate, which is set aside before anything is started, and
/// [settled](Budget::settle) when it is over: what it cost is what was reported, and never less than the estimate, since what
/// a failed, cancelled or dropped run really used nobody may have told. So in whatever order runs are admitted, fail, are
/// cancelled or dropped, the estimates of all admitted runs never come to more than the limit. A run that costs more than its
/// estimate is charged in full; it takes the room from those after it.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: Amount,
    spent: Amount,
    aside: Amount,
}

/// What was set aside for one admitted run. It goes back to the budget that gave it, by [`Budget::settle`]; one that is lost
/// stays set aside.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "what is set aside must be settled"]
pub struct Reservation {
    estimate: Amount,
}

/// There is no room for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverBudget {
    /// What was asked for.
    pub estimate: Amount,
    /// What is free.
    pub free: Amount,
}

impl Budget {
    /// A budget of which nothing is spent. `u64::MAX` in one respect is no limit in it.
    #[must_use]
    pub const fn new(limit: Amount) -> Self {
        Budget { limit, spent: Amount::tokens(0), aside: Amount::tokens(0) }
    }

    /// A limit of tokens alone.
    #[must_use]
    pub const fn of_tokens(tokens: u64) -> Self {
        Budget::new(Amount { tokens, micro_usd: u64::MAX })
    }

    /// A limit of US dollars alone.
    #[must_use]
    pub fn of_usd(usd: f64) -> Self {
        Budget::new(Amount { tokens: u64::MAX, ..Amount::usd(usd) })
    }

    /// Sets the estimate aside.
    ///
    /// # Errors
    /// Where it does not fit into what is free; nothing changed then.
    pub fn admit(&mut self, estimate: Amount) -> Result<Reservation, OverBudget> {
        let free = self.free();
        if !estimate.fits(free) {
            return Err(OverBudget { estimate, free });
        }
        self.aside = self.aside.and(estimate);
        Ok(Reservation { estimate })
    }

    /// Charges a run that is over; what it is charged. `reported` is what the vendor said, where it said something.
    pub fn settle(&mut self, reservation: Reservation, reported: Option<Amount>) -> Amount {
        let charge = reported.unwrap_or_default().at_least(reservation.estimate);
        self.aside = self.aside.less(reservation.estimate);
        self.spent = self.spent.and(charge);
        charge
    }

    /// What is neither spent nor set aside.
    #[must_use]
    pub const fn free(&self) -> Amount {
        self.limit.less(self.spent.and(self.aside))
    }

    /// What was charged.
    #[must_use]
    pub const fn spent(&self) -> Amount {
        self.spent
    }

    /// What is set aside for runs that go on.
    #[must_use]
    pub const fn set_aside(&self) -> Amount {
        self.aside
    }

    /// The limit.
    #[must_use]
    pub const fn limit(&self) -> Amount {
        self.limit
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut any = false;
        for (what, wanted, free) in [
            ("tokens", self.estimate.tokens, self.free.tokens),
            ("millionths of a dollar", self.estimate.micro_usd, self.free.micro_usd),
        ] {
            if wanted > free {
                let comma = if any { ", and " } else { "" };
                write!(f, "{comma}{wanted} {what} were asked for, {free} are free")?;
                any = true;
            }
        }
        Ok(())
    }
}

impl std::error::Error for OverBudget {}

/// How much a run may cost, told before it is started.
pub trait Estimate {
    /// The estimate of one run.
    fn estimate(&self, request: &Request) -> Amount;
}

impl<F: Fn(&Request) -> Amount> Estimate for F {
    fn estimate(&self, request: &Request) -> Amount {
        self(request)
    }
}

/// The same for every run.
impl Estimate for Amount {
    fn estimate(&self, _: &Request) -> Amount {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_run_is_charged_what_was_reported_and_never_less_than_its_estimate() {
        let mut budget = Budget::of_tokens(100);
        let first = budget.admit(Amount::tokens(40)).unwrap();
        let second = budget.admit(Amount::tokens(60)).unwrap();
        assert_eq!(budget.free().tokens, 0);
        let over = budget.admit(Amount::tokens(1)).unwrap_err();
        assert_eq!(over.to_string(), "1 tokens were asked for, 0 are free");
        assert_eq!(budget.settle(first, Some(Amount::tokens(10))).tokens, 40);
        assert_eq!(budget.settle(second, Some(Amount::tokens(90))).tokens, 90);
        assert_eq!((budget.spent().tokens, budget.set_aside().tokens, budget.free().tokens), (130, 0, 0));
        assert!(budget.admit(Amount::tokens(1)).is_err());
        // Nothing fits always.
        assert!(budget.admit(Amount::tokens(0)).is_ok());
    }

    #[test]
    fn money_is_rounded_up_and_what_is_none_is_nothing() {
        assert_eq!([0.5, 1e-9, 0.0].map(|usd| Amount::usd(usd).micro_usd), [500_000, 1, 0]);
        assert_eq!([-1.0, f64::NAN, f64::INFINITY].map(|usd| Amount::usd(usd).micro_usd), [0, 0, u64::MAX]);
        let mut budget = Budget::of_usd(1.0);
        let run = budget.admit(Amount::usd(0.75).and(Amount::tokens(u64::MAX))).unwrap();
        assert_eq!(budget.admit(Amount::usd(0.3)).unwrap_err().free.micro_usd, 250_000);
        assert_eq!(budget.settle(run, None).micro_usd, 750_000);
    }

    /// What can happen to a budget.
    #[derive(Clone, Debug)]
    enum Step {
        Admit(u64, u64),
        /// A run ends: which, and what is reported of it.
        Settle(usize, Option<(u64, u64)>),
    }

    fn step() -> impl Strategy<Value = Step> {
        let amount = || prop_oneof![4 => 0..60_u64, 1 => Just(u64::MAX)];
        prop_oneof![
            (amount(), amount()).prop_map(|(tokens, money)| Step::Admit(tokens, money)),
            (0..8_usize, proptest::option::of((amount(), amount()))).prop_map(|(n, said)| Step::Settle(n, said)),
        ]
    }

    proptest! {
        #[test]
        fn no_order_admits_more_than_the_budget(
            limit in (0..200_u64, prop_oneof![0..200_u64, Just(u64::MAX)]),
            steps in proptest::collection::vec(step(), 0..60),
        ) {
            let limit = Amount { tokens: limit.0, micro_usd: limit.1 };
            let mut budget = Budget::new(limit);
            let mut open: Vec<Reservation> = Vec::new();
            // Kept in wide numbers, which cannot saturate.
            let (mut admitted, mut charged) = ((0_u128, 0_u128), (0_u128, 0_u128));
            for step in steps {
                let before = budget.clone();
                match step {
                    Step::Admit(tokens, micro_usd) => {
                        let estimate = Amount { tokens, micro_usd };
                        let room = |spent: u128, aside: u64, wanted: u64, limit: u64| {
                            spent + u128::from(aside) + u128::from(wanted) <= u128::from(limit)
                                // Over the limit already: only nothing fits.
                                || wanted == 0
                        };
                        let fits = room(charged.0, before.set_aside().tokens, tokens, limit.tokens)
                            && room(charged.1, before.set_aside().micro_usd, micro_usd, limit.micro_usd);
                        match budget.admit(estimate) {
                            Ok(reservation) => {
                                prop_assert!(fits);
                                admitted = (admitted.0 + u128::from(tokens), admitted.1 + u128::from(micro_usd));
                                open.push(reservation);
                            }
                            Err(over) => {
                                prop_assert!(!fits);
                                prop_assert_eq!(over.free, before.free());
                                prop_assert_eq!(budget.free(), before.free());
                                prop_assert!(!over.to_string().is_empty());
                            }
                        }
                    }
                    Step::Settle(n, said) => {
                        if open.is_empty() {
                            continue;
                        }
                        let reservation = open.swap_remove(n % open.len());
                        let estimate = reservation.estimate;
                        let said = said.map(|(tokens, micro_usd)| Amount { tokens, micro_usd });
                        let charge = budget.settle(reservation, said);
                        prop_assert_eq!(charge, estimate.at_least(said.unwrap_or_default()));
                        charged = (charged.0 + u128::from(charge.tokens), charged.1 + u128::from(charge.micro_usd));
                    }
                }
                // The estimates of all that was ever admitted never come to more than the limit.
                prop_assert!(admitted.0 <= u128::from(limit.tokens) && admitted.1 <= u128::from(limit.micro_usd));
                let aside = open.iter().fold(Amount::default(), |sum, one| sum.and(one.estimate));
                prop_assert_eq!(budget.set_aside(), aside);
                let spent = |charged: u128| u64::try_from(charged).unwrap_or(u64::MAX);
                prop_assert_eq!((budget.spent().tokens, budget.spent().micro_usd), (spent(charged.0), spent(charged.1)));
            }
        }
    }
}
