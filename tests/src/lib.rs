//! What turnline's tests share.
#![forbid(unsafe_code)]

pub mod conform;
pub mod fake;
pub mod oracles;
pub mod process;
pub mod reference;
