//! A profile's rules: read from the file's form, compiled to places in a line, evaluated on a scanned record.

pub(crate) mod compile;
pub(crate) mod compiled;
pub(crate) mod empty;
pub(crate) mod eval;
pub(crate) mod path;
pub(crate) mod pattern;
