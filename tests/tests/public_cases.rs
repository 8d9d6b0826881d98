//! The cases that public bug reports gave their form.

use turnline_tests::conform::feed::Feed;
use turnline_tests::conform::{check, corpus, suite};

#[test]
fn public_cases() {
    let cases = corpus::public_cases();
    assert_eq!(cases.len(), 50);
    suite::all(
        &cases,
        |case| case.name.clone(),
        |case, diff| {
            let as_reported: Vec<Feed> = case.chunks.clone().map(Feed::push).into_iter().collect();
            check::conforms(&case.input, &as_reported, diff, |reading, diff| {
                check::public(&case.input.executor, &case.expect, reading, diff);
            });
        },
    );
}
