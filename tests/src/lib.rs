//! What turnline's tests share.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
pub mod chaos;
pub mod conform;
pub mod fake;
pub mod mutate;
pub mod oracles;
pub mod process;
pub mod reference;
pub mod run_facts;

/// The README's examples, tested as they stand there.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
