//! Nothing panics, and the contract's invariants hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| turnline_tests::oracles::stream(data));
