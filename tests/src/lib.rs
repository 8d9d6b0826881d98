//! What turnline's tests share.
#![forbid(unsafe_code)]

pub mod conform;
pub mod fake;
pub mod mutate;
pub mod oracles;
pub mod process;
pub mod reference;
