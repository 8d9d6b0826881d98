//! What it costs, and how near the limits are.

use super::group::group;
use super::open_enum::open_enum;
use crate::text::Text;

open_enum! {
    /// What a usage figure covers.
    UsageScope {
        /// One request to the model.
        Request = "request",
        /// One step of a turn.
        Step = "step",
        /// One turn.
        #[default] Turn = "turn",
        /// The whole process.
        Process = "process",
        /// The whole thread, earlier processes included.
        Thread = "thread",
    }
}

open_enum! {
    /// How figures of one scope add up.
    UsageMode {
        /// Each is an amount of its own: they are summed.
        #[default] Delta = "delta",
        /// Each is a running total: the last one counts.
        Cumulative = "cumulative",
    }
}

group! {
    /// Tokens and money, as the vendor counts them. Absent is unknown, never zero.
    Usage {
        /// What the figure covers.
        scope: UsageScope,
        /// How figures of that scope add up.
        mode: UsageMode,
        /// Input tokens that no cache served.
        input: Option<u64>,
        /// Input tokens read from a cache.
        cache_read: Option<u64>,
        /// Input tokens written to a cache.
        cache_write: Option<u64>,
        /// Output tokens, without reasoning where the vendor splits it.
        output: Option<u64>,
        /// Reasoning tokens.
        reasoning: Option<u64>,
        /// The vendor's own total, else the sum.
        total: Option<u64>,
        /// The model, where the figure is of one.
        model: Option<Text<'a>>,
        /// Money in US dollars.
        #[serde(serialize_with = "crate::event::field::number")]
        cost_usd: Option<f64>,
    }

    /// A reading of one of the vendor's limits, verbatim.
    RateLimit {
        /// The vendor's name of the window.
        name: Text<'a>,
        /// How much of it is used, as the vendor counts (most give a fraction).
        #[serde(serialize_with = "crate::event::field::number")]
        utilization: Option<f64>,
        /// When it starts anew, as the vendor says it (most give Unix seconds).
        #[serde(serialize_with = "crate::event::field::number")]
        resets_at: Option<f64>,
        /// The vendor's word for its state.
        status: Option<Text<'a>>,
    }
}
