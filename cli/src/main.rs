//! The command `turnline`. Everything is in the library beside it.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    turnline_cli::main()
}
