//! What a host says to an executor that goes on listening: turns, interrupts, answers, settings, each one line of JSON.
//!
//! The shapes are the profile's ([`InputSpec`]); what is put into them is escaped here, so that no text of a host or of a
//! model can end a line or a string early. Nothing is written: an [`Encoder`] gives bytes. What may be said when is
//! decided by the [run](crate::run::Run).
//!
//! ```
//! use turnline::Profile;
//! use turnline::input::{Encoder, UserTurn};
//!
//! let profile = Profile::builtin("claude-code")?;
//! let line = Encoder::new(&profile).turn(&UserTurn::from("Say \"pong\"."))?;
//! assert!(line.ends_with(b"\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod encode;
mod error;
mod said;
mod shape;
mod spec;

pub use encode::Encoder;
pub use error::{InputError, InputErrorKind};
pub use said::{Answer, Part, UserTurn};
pub use spec::{InputSpec, Shape};

pub(crate) use encode::Templates;
