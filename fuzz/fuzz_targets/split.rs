//! Where a stream is cut changes nothing.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| turnline_tests::oracles::split(data));
