//! What holds for every profile that passes its check, and for what is billed.

use proptest::prelude::*;
use serde_json::{Value, json};
use turnline::{Profile, catalogue};
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::input::Input;
use turnline_tests::conform::reading::unmoved_by;
use turnline_tests::mutate::{Dice, mutate_profile, mutated, streams};
use turnline_tests::oracles::{compare, feeds, round_trip};

fn none(diff: Diff) -> Result<(), TestCaseError> {
    let differences = diff.into_vec();
    prop_assert!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

#[test]
fn built_in_profiles_come_back_the_same() {
    let mut diff = Diff::new();
    for id in catalogue::ids() {
        round_trip(&Profile::builtin(id).unwrap(), &mut diff);
    }
    assert_eq!(diff.into_vec(), Vec::<String>::new());
}

/// The executors whose output is records.
fn with_rules() -> Vec<&'static str> {
    catalogue::ids().filter(|id| !Profile::builtin(id).unwrap().spec().rules.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: u32::MAX, ..ProptestConfig::default() })]

    /// Whatever passes the check reads any stream like the reference, and comes back the same from a file.
    #[test]
    fn changed_profiles_are_refused_or_read_any_stream(
        id in prop::sample::select(with_rules()),
        at in 0..streams().len(),
        seed: u64,
        changes in 1..7_usize,
    ) {
        let mut dice = Dice::new(seed);
        let mut spec = serde_json::to_value(Profile::builtin(id).unwrap().spec()).unwrap();
        mutate_profile(&mut spec, &mut dice, changes);
        let Ok(profile) = Profile::from_json(&spec.to_string()) else { return Err(TestCaseError::reject("refused")) };
        let mut diff = Diff::new();
        round_trip(&profile, &mut diff);
        // Its own executor's streams reach its rules.
        let own: Vec<usize> = (0..streams().len()).filter(|at| streams()[*at].0 == id).collect();
        let at = if own.is_empty() || seed % 4 == 0 { at } else { own[at % own.len()] };
        let input = Input::clean(id, mutated(&streams()[at].1, &mut dice, (seed % 3) as usize));
        compare(&input, &profile, &mut diff);
        let whole = input.whole(&profile);
        unmoved_by(&feeds(seed as u8, input.stdout.len())[1..3], &input, &profile, &whole, &mut diff);
        none(diff)?;
    }

    /// opencode: one figure a step, a repeated part replaces, one that cannot be read makes the whole unknown.
    #[test]
    fn steps_add_up(steps in prop::collection::vec((0..6_u8, 0..2000_u64, 0..2000_u64, 0..2000_u64, 0..30_u8), 1..20)) {
        let mut stream = String::new();
        let mut last: std::collections::BTreeMap<u8, Option<[u64; 3]>> = std::collections::BTreeMap::new();
        for (part, input, output, read, spoil) in &steps {
            let mut tokens = json!({"input": input, "output": output, "reasoning": 0, "cache": {"read": read, "write": 0}});
            match spoil {
                0 => tokens["input"] = (-1).into(),
                1 => tokens["output"] = "7".into(),
                2 => drop(tokens.as_object_mut().unwrap().remove("input")),
                _ => {}
            }
            last.insert(*part, (*spoil > 2).then_some([*input, *output, *read]));
            let record = json!({"type": "step_finish", "sessionID": "s", "part": {"id": format!("p{part}"), "type": "step-finish", "reason": "stop", "tokens": tokens}});
            stream.push_str(&format!("{record}\n"));
        }
        let envelope = Input::clean("opencode", stream).whole(&Profile::builtin("opencode").unwrap()).envelope;
        let all: Option<Vec<[u64; 3]>> = last.into_values().collect();
        let want = all.map(|all| [0, 1, 2].map(|n| all.iter().map(|figure| figure[n]).sum::<u64>()));
        let got = envelope.usage.map(|usage| [usage.input, usage.output, usage.cache_read].map(Option::unwrap));
        prop_assert_eq!(got, want);
        let total = envelope.usage.and_then(|usage| usage.total);
        prop_assert_eq!(total, want.map(|[input, output, read]| input + output + read));
    }

    /// claude-code: the turns' figures are summed, money is the last; each counter is required.
    #[test]
    fn turns_add_up(turns in prop::collection::vec((prop::array::uniform4(0..100_000_u64), 0..1000_u32, 0..20_usize), 1..8)) {
        const NAMES: [&str; 4] = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
        let mut stream = String::new();
        for (figures, cents, lacks) in &turns {
            let given = NAMES.iter().zip(figures).enumerate().filter(|(n, _)| n != lacks);
            let usage: serde_json::Map<String, Value> = given.map(|(_, (name, value))| ((*name).to_owned(), (*value).into())).collect();
            let record = json!({"type": "result", "subtype": "success", "is_error": false, "result": "r", "usage": usage, "total_cost_usd": f64::from(*cents) / 64.0});
            stream.push_str(&format!("{record}\n"));
        }
        let envelope = Input::clean("claude-code", stream).whole(&Profile::builtin("claude-code").unwrap()).envelope;
        let whole = turns.iter().all(|(_, _, lacks)| *lacks >= 4);
        let want = whole.then(|| [0, 1, 2, 3].map(|n| turns.iter().map(|(figures, ..)| figures[n]).sum::<u64>()));
        let got = envelope.usage.map(|u| [u.input, u.cache_read, u.cache_write, u.output].map(Option::unwrap));
        prop_assert_eq!(got, want);
        prop_assert_eq!(envelope.cost_usd, turns.last().map(|(_, cents, _)| f64::from(*cents) / 64.0));
    }
}
