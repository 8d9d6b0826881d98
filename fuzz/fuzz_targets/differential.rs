//! The product reads what the reference reads.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| turnline_tests::oracles::differential(data));
