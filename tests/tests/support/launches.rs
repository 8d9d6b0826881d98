//! Launch examples of the documentation: what is asked for, and the plan or the refusal that comes of it.
#![allow(unreachable_pub, missing_docs)]

use serde_json::{Map, Value, json};
use turnline::Profile;
use turnline::launch::{Document, Host, Plan, Request, Sandbox, Stdin, attach, plan, probe};

/// The caller's directory in the examples.
const HOME: &str = "/home/me/app";

/// What comes of one example, in the form in which the documentation tells it.
pub fn outcome(profile: &Profile, asked: &Value) -> Value {
    let (request, make) = request(asked);
    let mut host = Host::default();
    host.current_dir = Some(HOME.into());
    let (spec, command) = (&profile.spec().launch, profile.command());
    let made = match make {
        "probe" => probe(spec, command, &request, &host),
        "attach" => attach(spec, command, &request, &host),
        _ => plan(spec, command, &request, &host),
    };
    match made {
        Ok(plan) => told(&plan),
        Err(error) => json!({ "refused": error.code(), "class": error.class().as_str(), "message": error.message() }),
    }
}

fn request(asked: &Value) -> (Request, &str) {
    let mut request = Request::default();
    let mut make = "run";
    for (name, value) in asked.as_object().expect("what is asked for") {
        let text = || value.as_str().unwrap_or_else(|| panic!("{name}: {value}")).to_owned();
        match name.as_str() {
            "prompt" => request.prompt = text(),
            "model" => request.model = Some(text()),
            "resume" if value == "last" => request = request.resume_last(),
            "resume" => request = request.resume(text()),
            "kept" => request.keep_session = value == true,
            "partial" => request.partial_messages = value == true,
            "interactive" => request.interactive = value == true,
            "sandbox" => {
                request.sandbox = Some(match &*text() {
                    "read_only" => Sandbox::ReadOnly,
                    "workspace_write" => Sandbox::WorkspaceWrite,
                    "full" => Sandbox::Full,
                    other => panic!("{other}"),
                });
            }
            "output_schema" => {
                request.output_schema = Some(match value {
                    Value::String(file) => Document::File(file.clone()),
                    document => Document::Text(document.to_string()),
                });
            }
            "extra" => {
                let all = value.as_array().expect("a list").iter();
                request.extra_args = all.map(|arg| arg.as_str().expect("text").to_owned()).collect();
            }
            "make" => make = value.as_str().expect("text"),
            other => panic!("{other} is not one of what the examples ask for"),
        }
    }
    (request, make)
}

fn told(plan: &Plan) -> Value {
    let mut argv = vec![plan.program.clone()];
    argv.extend(plan.args.iter().cloned());
    let millis = |limit: Option<std::time::Duration>| limit.map(|limit| limit.as_millis());
    let timers = &plan.timers;
    let limits = [
        ("total_ms", millis(timers.total)),
        ("idle_ms", millis(timers.idle)),
        ("first_event_ms", millis(timers.first_event)),
        ("after_terminal_ms", millis(timers.after_terminal)),
        ("drain_ms", millis(timers.drain)),
        ("grace_ms", millis(Some(timers.grace))),
    ];
    let limits = limits.into_iter().filter_map(|(name, limit)| Some((name.to_owned(), Value::from(limit? as u64))));
    // The working directory is the same in all of them.
    let set: Map<String, Value> = plan
        .env
        .set
        .iter()
        .filter(|(name, _)| *name != "PWD")
        .map(|(name, value)| (name.clone(), value.clone().into()))
        .collect();
    let names = ["WREN_COLOR", "WREN_SESSION", "WREN_TRACE_X", "HOME"];
    let kept: Vec<&str> = names.into_iter().filter(|name| plan.keeps_variable(name)).collect();
    json!({
        "argv": argv,
        "stdin": match &plan.stdin {
            Stdin::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
            Stdin::Null => Value::Null,
            Stdin::Open => "(open)".into(),
            _ => "(the terminal)".into(),
        },
        "set": set,
        "kept": kept,
        "timers": limits.collect::<Map<_, _>>(),
        "interrupt": plan.interrupt.map(|signal| format!("{signal:?}").to_lowercase()),
    })
}
