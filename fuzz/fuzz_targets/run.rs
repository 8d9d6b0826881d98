//! Facts about a process come in any order, true or not, and the run machine stays what it promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| turnline_tests::run_facts::run(data));
