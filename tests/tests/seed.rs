//! The seed cases: one fact at a time, for the three executors that Turnline began with.

use turnline_tests::conform::{check, corpus, suite};

#[test]
fn seed_cases() {
    let cases = corpus::seeds();
    assert_eq!(cases.len(), 85);
    suite::all(
        &cases,
        |case| case.name.clone(),
        |case, diff| {
            check::conforms(&case.input, &[], diff, |reading, diff| check::seed(&case.expect, reading, diff));
        },
    );
}
