//! The command `turnline`: here too, so that it can be tested with the fake executor.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    turnline_cli::main()
}
