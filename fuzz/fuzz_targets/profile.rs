//! A profile is refused with a reason, or reads any stream.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| turnline_tests::oracles::profile(data));
