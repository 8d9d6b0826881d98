//! The scripted fake executor: stands for a coding CLI in tests. Its language is described in [`turnline_tests::fake`].
#![forbid(unsafe_code)]

fn main() -> ! {
    turnline_tests::fake::main()
}
