//! Runs an executor, prints its events and what it all came to.
//!
//! ```text
//! cargo run --example run -- claude-code "Say one word."
//! ```
#![allow(clippy::print_stdout)]

use turnline::Profile;
use turnline_tokio::Runner;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (executor, prompt) = args.next().zip(args.next()).ok_or("usage: run EXECUTOR PROMPT [PROGRAM]")?;
    let mut runner = Runner::new(&Profile::builtin(&executor)?);
    runner.prompt(prompt);
    if let Some(program) = args.next() {
        runner.program(program);
    }
    let mut run = runner.spawn()?;
    while let Some(event) = run.next_event().await {
        println!("{:>4} {}", event.seq, event.kind.name());
    }
    println!("{}", serde_json::to_string_pretty(&run.wait().await)?);
    Ok(())
}
