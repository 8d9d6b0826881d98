//! Arbitrary facts in any order, true or not.

use crate::sim::{INIT, RESULT, Sim, hello, message, ms};
use proptest::prelude::*;
use turnline::Status;
use turnline::run::{Action, Input, RunOptions};

fn facts() -> impl Strategy<Value = Vec<(u8, u64)>> {
    prop::collection::vec((0u8..24, prop_oneof![Just(0), 0u64..200, 0u64..8_000]), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Any facts in any order, true or not: nothing panics, the order of actions holds, one envelope comes out, and it
    /// agrees with what was told.
    #[test]
    fn any_facts_in_any_order(facts in facts(), read_ahead in prop_oneof![Just(16usize << 20), 0usize..300], leave in any::<bool>()) {
        let mut options = RunOptions::default();
        options.read_ahead = read_ahead;
        options.leave_background = leave;
        let mut sim = Sim::with(hello().timeout(ms(9_000)).idle_timeout(ms(7_000)), options);
        let (mut told_exit, mut signal_first, mut cancelled) = (None, false, false);
        let mut wants_signal = false;
        let mut started = false;
        for (fact, wait) in facts {
            sim.pass(wait);
            let open = !sim.run.is_done();
            match fact {
                0 | 1 => { started |= open; sim.tell(Input::Started); }
                2 => { sim.tell(Input::Stdout(INIT)); }
                3 => { sim.tell(Input::Stdout(RESULT)); }
                4 => { sim.tell(Input::Stdout(b"{\"type\":")); }
                5 => { sim.tell(Input::Stderr(b"noise\n")); }
                6 => { sim.tell(Input::StdoutClosed); }
                7 => { sim.tell(Input::StderrClosed); }
                8 => { sim.tell(Input::StdinWritten(2)); }
                9 => { sim.tell(Input::StdinBroken("broken".into())); }
                10 | 11 => {
                    if wants_signal && open && told_exit.is_none() { signal_first = true; }
                    sim.tell(Input::Signalled);
                }
                12 | 13 => {
                    if started && open { told_exit.get_or_insert(signal_first); }
                    sim.exited(0);
                }
                14 => { sim.tell(Input::TreeGone); }
                15 => { sim.tell(Input::Reaped); }
                16 => { cancelled |= open; sim.tell(Input::Cancel); }
                17 => { cancelled |= open; sim.tell(Input::CancelNow); }
                18 => { sim.events(); }
                19 => { sim.tell(Input::StdoutBroken("broken".into())); }
                20 => { sim.tell(Input::Stdout(&[])); }
                21 => { sim.say_raw(b"x"); sim.run.end_input(sim.now); }
                22 => { sim.run.stdout_space(10); sim.tell(Input::StdoutFilled(0)); }
                _ => { sim.tell(Input::Tick); }
            }
            wants_signal |= sim.run.is_ending();
        }
        let ended_by_itself = told_exit == Some(false);
        let asked = sim.asked();
        let at = |wanted: fn(&Action) -> bool| asked.iter().position(wanted);
        let reap = at(|action| matches!(action, Action::Reap));
        for signal in [at(|action| matches!(action, Action::KillTree)), at(|action| matches!(action, Action::Interrupt(_)))] {
            prop_assert!(reap.is_none() || signal.is_none() || signal < reap, "{asked:?}");
        }
        let done = at(|action| matches!(action, Action::Done));
        prop_assert!(done.is_none_or(|done| done + 1 == asked.len()), "{asked:?}");
        for action in &asked {
            let once = !matches!(action, Action::Write(_) | Action::StopReading | Action::ResumeReading);
            prop_assert!(!once || asked.iter().filter(|other| *other == action).count() == 1, "{asked:?}");
        }
        let exit = sim.run.exit();
        let envelope = sim.run.finish();
        prop_assert_eq!(envelope.errors.is_empty(), envelope.status == Status::Ok);
        if ended_by_itself {
            prop_assert!(envelope.status != Status::Cancelled, "{}", message(&envelope));
        }
        if exit.cancelled {
            prop_assert_eq!(envelope.status, Status::Cancelled);
            prop_assert!(cancelled || told_exit.is_none());
        }
    }
}
