//! Prompts that were not read, or not to their end.

use crate::sim::{ABORTED, INIT, RESULT, Sim};
use turnline::launch::Request;
use turnline::run::Input;

#[test]
fn whether_the_prompt_or_the_exit_came_first_makes_no_difference() {
    let broken = || Input::StdinBroken("Broken pipe".into());
    let classes = |prompt: &str, code: i32, output: &[u8]| {
        let orders: [&dyn Fn(&mut Sim); 5] = [
            &|sim| _ = sim.tell(Input::StdinWritten(prompt.len())).exited(code),
            &|sim| _ = sim.tell(broken()).exited(code),
            &|sim| _ = sim.exited(code).tell(broken()),
            &|sim| _ = sim.exited(code),
            &|sim| _ = sim.tell(Input::StdinWritten(1)).exited(code),
        ];
        orders.map(|order| {
            let mut sim = Sim::started(Request::new(prompt));
            sim.tell(Input::Stdout(output));
            order(&mut sim);
            sim.closed().gone();
            sim.run.finish().errors.iter().map(|error| error.class.to_string()).collect::<Vec<_>>()
        })
    };
    // A pipe takes it, or not, as the end of the process comes later or sooner: it says nothing of what was read.
    for (code, output, want) in [
        (0, &b""[..], &["interrupted"][..]),
        (0, INIT, &["interrupted"]),
        (0, RESULT, &[]),
        (1, b"", &["exit"]),
        (1, ABORTED, &["unknown"]),
    ] {
        for (at, found) in classes("hello", code, output).iter().enumerate() {
            assert_eq!(found, want, "{code} {} {at}", output.escape_ascii());
        }
    }
    // Of more than a pipe takes it is told that it was not read, behind what came of it.
    let [_, rest @ ..] = classes(&"x".repeat((64 << 10) + 1), 0, b"");
    for found in rest {
        assert_eq!(found, ["interrupted", "stream"]);
    }
}
