//! What a host tells a parser before the stream begins.

use crate::acts::ActTable;
use crate::envelope::Baseline;
use crate::limits::Limits;
use alloc::string::String;

/// What a parser is told beforehand. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The bounds.
    pub limits: Limits,
    /// The session that the run was asked to go on with.
    pub resume: Option<Resume>,
    /// The run goes on with a copy of that session: another id is what is expected, and the session's totals are the copy's.
    pub forked: bool,
    /// What the session had used before this run, as the [envelope](crate::Envelope::baseline) of the run before it says.
    /// With it a resumed run's own usage and money are known even where the vendor reports running totals of the session.
    /// It counts for nothing where another session than the one asked for came back.
    pub baseline: Baseline,
    /// The run takes several turns, each asked for by the host: the envelope takes the last turn's verdict and answer, and a
    /// turn that the end of the stream cut off is a failure even where an earlier one ended well. Without it a reported
    /// failure stays one whatever comes after it.
    pub interactive: bool,
    /// Takes notes, so that [`Parser::finish_explained`](crate::Parser::finish_explained) can say why the envelope is what
    /// it is. They are bounded, and cost time.
    pub explain: bool,
    /// Looks for consequential acts in the commands that tools run, by this table
    /// ([`ActTable::built_in`](crate::acts::ActTable::built_in), or one of your own). None: no acts are looked for.
    pub acts: Option<ActTable>,
}

/// The session that a run was asked to go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resume {
    /// The session with this id.
    Id(String),
    /// The latest one.
    Last,
}
