//! Usage as attributes by the names of OpenTelemetry's semantic conventions for generative AI (their registry in late 2026,
//! stability: development).
//!
//! Plain keys and values, for whatever carries them: a span's attributes, a metric's, a log record's. The conventions count
//! differently: `gen_ai.usage.input_tokens` contains what was read from caches and written to them, and
//! `gen_ai.usage.output_tokens` contains reasoning. Absent counters give no attribute; a sum of which a part is not known
//! counts what is.
//!
//! ```
//! use turnline::export::otel::{self, Value};
//! use turnline::{Envelope, TokenUsage};
//!
//! let mut usage = TokenUsage::default();
//! (usage.input, usage.cache_read, usage.output) = (Some(10), Some(90), Some(5));
//! let mut envelope = Envelope::default();
//! envelope.usage = Some(usage);
//! let attributes = otel::attributes(&envelope);
//! assert!(attributes.contains(&("gen_ai.usage.input_tokens", Value::Int(100))));
//! assert!(attributes.contains(&("gen_ai.usage.cache_read.input_tokens", Value::Int(90))));
//! ```

use crate::envelope::{Envelope, TokenUsage};
use crate::event::Usage;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// An attribute's value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
}

/// An attribute.
pub type Attribute = (&'static str, Value);

/// Every key that is ever given.
pub const KEYS: &[&str] = &[
    "gen_ai.operation.name",
    "gen_ai.agent.name",
    "gen_ai.conversation.id",
    "gen_ai.response.model",
    "error.type",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.reasoning.output_tokens",
];

/// What the conventions have no attribute for, or what is not known here: a field of the envelope, and why.
pub const NOT_EXPRESSED: &[(&str, &str)] = &[
    ("usage.total", "there is no attribute for a total"),
    ("cost_usd", "there is no attribute for money"),
    ("thread_usage", "a running total of other runs is no usage of this one"),
    ("model_usage", "one attribute names one model: of several none is named, and what each used is not told"),
    ("rate_limits", "there are no attributes for a provider's limits"),
    ("provider", "`gen_ai.provider.name` is required there, and an executor does not say who serves its model: add it"),
    ("finish_reasons", "an envelope has a status and errors, and no reason for each generation"),
];

/// What one run used, as the attributes of a span of the agent that was run.
#[must_use]
pub fn attributes(envelope: &Envelope) -> Vec<Attribute> {
    let text = |text: &str| Value::Text(text.to_string());
    let mut all: Vec<Attribute> = alloc::vec![("gen_ai.operation.name", text("invoke_agent"))];
    all.push(("gen_ai.agent.name", text(&envelope.executor)));
    all.extend(envelope.session_id.as_deref().map(|id| ("gen_ai.conversation.id", text(id))));
    if let [only] = envelope.model_usage.as_slice() {
        all.push(("gen_ai.response.model", text(&only.model)));
    }
    all.extend(envelope.errors.first().map(|error| ("error.type", text(error.class.as_str()))));
    all.extend(envelope.usage.iter().flat_map(tokens));
    all
}

/// The tokens of an envelope, or of a turn's report.
#[must_use]
pub fn tokens(usage: &TokenUsage) -> Vec<Attribute> {
    let TokenUsage { input, cache_read, cache_write, output, reasoning, .. } = *usage;
    let counted = [
        ("gen_ai.usage.input_tokens", sum([input, cache_read, cache_write])),
        ("gen_ai.usage.cache_read.input_tokens", cache_read),
        ("gen_ai.usage.cache_creation.input_tokens", cache_write),
        ("gen_ai.usage.output_tokens", sum([output, reasoning, None])),
        ("gen_ai.usage.reasoning.output_tokens", reasoning),
    ];
    let int = |count: u64| Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
    counted.into_iter().filter_map(|(key, count)| Some((key, int(count?)))).collect()
}

/// The tokens of an event, and its model. Whether they are an amount of their own or a running total, its mode says.
#[must_use]
pub fn event(usage: &Usage<'_>) -> Vec<Attribute> {
    let counted = TokenUsage {
        input: usage.input,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        output: usage.output,
        reasoning: usage.reasoning,
        total: usage.total,
    };
    let mut all: Vec<Attribute> = Vec::new();
    all.extend(usage.model.as_ref().map(|model| ("gen_ai.response.model", Value::Text(model.decode().into_owned()))));
    all.extend(tokens(&counted));
    all
}

fn sum(parts: [Option<u64>; 3]) -> Option<u64> {
    let known = parts.into_iter().flatten();
    known.fold(None, |sum: Option<u64>, part| Some(sum.unwrap_or_default().saturating_add(part)))
}
