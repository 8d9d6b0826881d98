//! What a run costs beyond its process: the time from `spawn()` to the first event, and of a whole run of 14 lines, against a
//! bare `tokio::process` spawn of the same program that reads the same pipes and waits for the exit.
//!
//! ```text
//! cargo bench --bench spawn [-- ROUNDS]
//! ```
//!
//! The program is this benchmark itself: it prints the lines and exits. Both ways take turns, so that whatever else the
//! machine does meets both; medians are compared.
#![allow(clippy::print_stdout, missing_docs)]

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::Instant;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use turnline::{Profile, Status};
use turnline_tokio::Runner;

const CHILD: &str = "TURNLINE_BENCH_CHILD";
const PROMPT: &str = "Say one word.";
const ROUNDS: usize = 300;

fn lines() -> String {
    let mut text = String::from(
        r#"{"type":"system","subtype":"init","session_id":"s-1","cwd":"/w","model":"m","tools":["Bash"]}"#,
    );
    text.push('\n');
    for i in 0..12 {
        text.push_str(&format!(
            r#"{{"type":"assistant","message":{{"id":"m-{i}","role":"assistant","content":[{{"type":"text","text":"Line {i} of what it says."}}]}},"session_id":"s-1"}}"#
        ));
        text.push('\n');
    }
    text.push_str(r#"{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1","total_cost_usd":0.01,"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}"#);
    text.push('\n');
    text
}

fn main() {
    if std::env::var_os(CHILD).is_some() {
        let mut prompt = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut prompt);
        let _ = std::io::stdout().write_all(lines().as_bytes());
        return;
    }
    let mut rounds = ROUNDS;
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            // How cargo runs benchmarks as tests.
            "--test" => rounds = 3,
            other => rounds = other.parse().unwrap_or(rounds),
        }
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for _ in 0..rounds.min(20) {
            bare().await;
            ours().await;
        }
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            without.push(bare().await);
            with.push(ours().await);
        }
        println!(
            "{rounds} rounds, in milliseconds    bare: median, 95th    turnline: median, 95th    difference of medians"
        );
        for (name, pick) in [("to the first event", 0), ("the whole run", 1), ("the whole run, by the envelope", 2)] {
            let (bare, ours) = (figures(&without, pick), figures(&with, pick));
            println!(
                "{name:<31} {:>14.3} {:>7.3} {:>18.3} {:>7.3} {:>18.3}",
                bare.0,
                bare.1,
                ours.0,
                ours.1,
                ours.0 - bare.0
            );
        }
    });
}

/// The median and the 95th percentile.
fn figures(all: &[[f64; 3]], pick: usize) -> (f64, f64) {
    let mut all: Vec<f64> = all.iter().filter_map(|one| one.get(pick).copied()).collect();
    all.sort_by(f64::total_cmp);
    let at = |part: f64| all.get((all.len() as f64 * part) as usize).copied().unwrap_or(f64::NAN);
    (at(0.5), at(0.95))
}

/// Milliseconds to the first line, and to the end with all pipes read and the exit known.
async fn bare() -> [f64; 3] {
    let begin = Instant::now();
    let mut command = tokio::process::Command::new(std::env::current_exe().expect("its own path"));
    command.args(["--print", "--output-format", "stream-json"]).env(CHILD, "1");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let (mut stdin, stdout, mut stderr) =
        (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    stdin.write_all(PROMPT.as_bytes()).await.expect("written");
    drop(stdin);
    let mut lines = BufReader::new(stdout).lines();
    let first = lines.next_line().await.expect("read").expect("a line");
    let to_first = begin.elapsed();
    let mut count = usize::from(!first.is_empty());
    let mut said = Vec::new();
    let (_, read) = tokio::join!(
        async {
            while let Ok(Some(_)) = lines.next_line().await {
                count += 1;
            }
        },
        stderr.read_to_end(&mut said)
    );
    read.expect("read");
    assert!(child.wait().await.expect("waited for").success());
    let whole = begin.elapsed().as_secs_f64() * 1e3;
    assert_eq!(count, 14);
    [to_first.as_secs_f64() * 1e3, whole, whole]
}

/// The same with the driver: to the first event, and to the envelope; and what the envelope says of that.
async fn ours() -> [f64; 3] {
    let begin = Instant::now();
    let mut runner = Runner::new(&Profile::builtin("claude-code").expect("built in"));
    runner.program(std::env::current_exe().expect("its own path")).prompt(PROMPT).env(CHILD, "1");
    let mut run = runner.spawn().expect("a plan");
    assert!(run.next_event().await.is_some());
    let to_first = begin.elapsed();
    while run.next_event().await.is_some() {}
    let envelope = run.wait().await;
    let whole = begin.elapsed();
    assert_eq!((envelope.status, envelope.stream.lines), (Status::Ok, 14));
    let told = envelope.timing.and_then(|timing| timing.run_ms).expect("a time");
    [to_first.as_secs_f64() * 1e3, whole.as_secs_f64() * 1e3, told]
}
