//! What was read, in the words of others: for hosts that speak a protocol or feed an observability system already.
//!
//! Each module stands behind a feature, and lists what its words cannot say.

#[cfg(feature = "acp")]
pub mod acp;
#[cfg(feature = "otel")]
pub mod otel;
