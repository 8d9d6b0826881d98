//! Envelopes of runs that were not started.

use turnline::{Envelope, ErrorClass, ErrorCode, ErrorSource, RunError, Status};

/// The envelope of a run that was refused.
pub(super) fn refused(executor: &str, code: ErrorCode, class: ErrorClass, what: &str) -> Envelope {
    let mut error = RunError::default();
    error.code = code;
    error.class = class;
    error.source = ErrorSource::Host;
    error.message = format!("executor '{executor}' was not started: {what}");
    let mut envelope = Envelope::default();
    executor.clone_into(&mut envelope.executor);
    envelope.status = Status::Failed;
    envelope.summary = Some(error.message.chars().take(200).collect());
    envelope.errors = vec![error];
    envelope
}
