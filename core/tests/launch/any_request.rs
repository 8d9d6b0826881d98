//! Whatever is asked for: a prompt goes where the plan says it goes, whole, and nowhere else.

use proptest::prelude::*;
use turnline::Profile;
use turnline::launch::{Host, Platform, Request, Sandbox, Stdin, Via, plan};

const IDS: [&str; 15] = [
    "claude-code",
    "codex",
    "codex-legacy",
    "opencode",
    "gemini",
    "qwen",
    "pi",
    "kimi",
    "cursor-agent",
    "amp",
    "copilot",
    "crush",
    "droid",
    "goose",
    "raw",
];

/// Words that cannot be in any other argument, with what a shell would make something of.
fn prompts() -> impl Strategy<Value = String> {
    let text = prop_oneof!["\\PC{0,40}", "[-@/$`&|;<>^%!\"'\\\\ \n\t(){}*?~#]{0,20}"];
    (text.clone(), text).prop_map(|(before, after)| format!("{before}§marked§{after}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_prompt_goes_one_way(
        id in prop::sample::select(&IDS[..]),
        prompt in prompts(),
        via in prop::option::of(prop_oneof![Just(Via::Stdin), Just(Via::Argument)]),
        windows in any::<bool>(),
        program in prop_oneof![Just("tool"), Just("tool.exe"), Just("tool.cmd"), Just("dir/tool.bat"), Just("TOOL.Bat .")],
        extra in prop::collection::vec("[a-z-]{1,8}", 0..3),
        full in any::<bool>(),
    ) {
        let profile = Profile::builtin(id).unwrap();
        let mut host = Host::default();
        host.platform = if windows { Platform::Windows } else { Platform::Unix };
        host.current_dir = Some(if windows { r"C:\w" } else { "/w" }.into());
        let mut request = Request::new(prompt.clone()).program(program).args(extra.clone());
        request.via = via;
        if full {
            request.sandbox = Some(Sandbox::Full);
        }
        let shim = windows && program.to_lowercase().trim_end_matches(['.', ' ']).ends_with(['d', 't']);
        let Ok(plan) = plan(&profile.spec().launch, profile.command(), &request, &host) else { return Ok(()) };
        prop_assert!(!shim, "a script that cmd.exe runs");
        let marked: Vec<usize> = (0..plan.args.len()).filter(|at| plan.args[*at].contains("§marked§")).collect();
        match plan.prompt_at() {
            Some(at) => {
                prop_assert_eq!(&plan.stdin, &Stdin::Null);
                prop_assert_eq!(marked, vec![at]);
                let argument = plan.args[at].strip_prefix("--prompt=").unwrap_or(&plan.args[at]);
                prop_assert_eq!(argument, &prompt);
                let ends_options = at.checked_sub(1).is_some_and(|before| plan.args[before] == "--");
                prop_assert!(ends_options || !plan.args[at].starts_with('-') || plan.args[at].starts_with("--prompt="));
            }
            None => {
                prop_assert_eq!(&plan.stdin, &Stdin::Bytes(prompt.clone().into_bytes()));
                prop_assert_eq!(marked.len(), 0);
            }
        }
        prop_assert!(!plan.program.contains("§marked§"));
        prop_assert!(plan.env.set.values().all(|value| !value.contains("§marked§")));
        let placed = extra.is_empty() || plan.args.windows(extra.len()).any(|window| window == extra.as_slice());
        prop_assert!(placed, "extra arguments are verbatim and in order");
    }
}
