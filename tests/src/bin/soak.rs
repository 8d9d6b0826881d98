//! Runs the fake executor over and over for a given time: `soak [--seconds N] [--seed N] [--at-once N]`. Prints runs, bytes, verdicts,
//! what was left behind (0 it must be), descriptors and peak memory, and ends with 1 where something was not as it must be.
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;
    use std::time::{Duration, Instant};
    use tokio::task::JoinSet;
    use turnline::{Profile, Status};
    use turnline_tests::chaos::{Case, memory, open_files, settled};
    use turnline_tokio::Runner;

    /// Bytes that each flooding run prints.
    const FLOOD: u64 = 64 << 20;

    /// What came of it all.
    #[derive(Default)]
    struct Sum {
        runs: u64,
        bytes: u64,
        verdicts: BTreeMap<String, u64>,
        failures: Vec<String>,
    }

    pub(super) fn main() -> ExitCode {
        let number = |name: &str, usual: u64| {
            let mut args = std::env::args().skip_while(|arg| arg != name).skip(1);
            args.next().and_then(|text| text.parse().ok()).unwrap_or(usual)
        };
        let (seconds, at_once) = (number("--seconds", 60), number("--at-once", 4).max(1));
        let mut seed = number("--seed", 1);
        // Built beside this program.
        let program = std::env::current_exe().map(|path| path.with_file_name("fake-executor")).unwrap_or_default();
        let mut out = std::io::stdout();
        if !program.exists() {
            let _ = writeln!(out, "{} is missing: cargo build --bins -p turnline-tests", program.display());
            return ExitCode::from(2);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let Ok(runtime) = runtime else { return ExitCode::from(2) };
        let (begun, mut sum, mut files, mut told) = (Instant::now(), Sum::default(), None, Instant::now());
        while begun.elapsed() < Duration::from_secs(seconds) && sum.failures.is_empty() {
            runtime.block_on(batch(&mut sum, &program, seed, at_once));
            seed += at_once;
            settled(*files.get_or_insert_with(open_files));
            if told.elapsed() > Duration::from_secs(30) {
                told = Instant::now();
                let _ = writeln!(out, "{} s: {}", begun.elapsed().as_secs(), line(&sum));
            }
        }
        let _ = writeln!(out, "{} s: {}", begun.elapsed().as_secs(), line(&sum));
        for (verdict, count) in &sum.verdicts {
            let _ = writeln!(out, "  {verdict}: {count}");
        }
        for failure in &sum.failures {
            let _ = writeln!(out, "{failure}");
        }
        ExitCode::from(u8::from(!sum.failures.is_empty()))
    }

    fn line(sum: &Sum) -> String {
        let (resident, peak) = memory();
        format!(
            "{} runs, {:.2} GB of stream, leaks {}, {} descriptors, {} MiB resident, {} MiB at most",
            sum.runs,
            sum.bytes as f64 / 1e9,
            sum.failures.len(),
            open_files(),
            resident >> 10,
            peak >> 10
        )
    }

    /// Chaos, and beside it one run that prints much.
    async fn batch(sum: &mut Sum, program: &Path, seed: u64, at_once: u64) {
        let mut tasks = JoinSet::new();
        for seed in seed..seed + at_once {
            let program = program.to_owned();
            tasks.spawn(async move {
                let case = Case::new(seed);
                match case.run(&program).await {
                    Ok(None) => Ok(("dropped".to_owned(), 0)),
                    Ok(Some(envelope)) => Ok((envelope.status.to_string(), envelope.stream.bytes)),
                    Err(error) => Err(format!("TURNLINE_CHAOS_SEED={seed}: {error}")),
                }
            });
        }
        // Not in each round: thousands of runs are wanted too.
        if seed % 5 == 1 || at_once > 5 {
            tasks.spawn(flood(program.to_owned()));
        }
        for outcome in tasks.join_all().await {
            sum.runs += 1;
            match outcome {
                Ok((verdict, bytes)) => {
                    sum.bytes += bytes;
                    *sum.verdicts.entry(verdict).or_default() += 1;
                }
                Err(error) => sum.failures.push(error),
            }
        }
    }

    async fn flood(program: PathBuf) -> Result<(String, u64), String> {
        let line = r#"{"type":"assistant","message":{"id":"m@I@","content":[{"type":"text","text":"A line of some length, as they are: @PAD@"}]},"session_id":"s-1"}"#;
        let count = FLOOD / 1024;
        let padded = line.replace("@PAD@", &"y".repeat(870));
        let script = format!(
            "read-stdin\nrepeat {count} {padded}\nprint {{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\"session_id\":\"s-1\"}}\n"
        );
        let profile = Profile::builtin("claude-code").map_err(|error| error.to_string())?;
        let mut runner = Runner::new(&profile);
        runner.program(program).prompt("go").env("FAKE_SCRIPT", script);
        let mut run = runner.spawn().map_err(|error| error.to_string())?;
        let mut events = 0_u64;
        while run.next_event().await.is_some() {
            events += 1;
        }
        let envelope = run.wait().await;
        match (envelope.status, envelope.stream.records) {
            (Status::Ok, records) if records == count + 1 && events > count => {
                Ok(("ok".to_owned(), envelope.stream.bytes))
            }
            (status, records) => Err(format!("a flood of {count} records came to {status} with {records}")),
        }
    }
}
