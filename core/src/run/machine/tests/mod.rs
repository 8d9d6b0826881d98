//! Explores every order of the facts of small runs, in simulated time, and checks what must hold in each.
//!
//! A [`World`] is a process, its pipes, its driver and its host: it answers the machine's actions as a real one could,
//! at any moment and in any order. Worlds that were seen before are not explored again, so all of them are seen.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod world;

use super::*;
use crate::run::options::WhenBusy;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;
use world::{Kind, Step, World, kind, secs, settings, world};

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Explores all worlds of a kind; returns how many there are and how many of them are over.
fn explore(kind: &Kind) -> (usize, usize) {
    let mut seen = BTreeSet::new();
    let mut text = alloc::string::String::new();
    // A path is kept as a list that shares its tail, to be told when something does not hold.
    let mut open: Vec<(World, Vec<Step>)> = vec![(world(kind), Vec::new())];
    let mut over = 0;
    while let Some((world, path)) = open.pop() {
        for step in world.steps(kind) {
            let mut next = world.clone();
            let told = Told { kind, path: &path, step };
            next.take(step, kind);
            next.check(kind);
            next.check_bound(kind);
            core::mem::forget(told);
            text.clear();
            write!(text, "{next:?}").unwrap();
            if seen.insert(hash(&text)) {
                over += usize::from(next.dones);
                let mut path = path.clone();
                path.push(step);
                open.push((next, path));
            }
        }
        assert!(seen.len() < 3_000_000, "too many worlds");
    }
    (seen.len(), over)
}

/// Tells the way to a world in which something does not hold.
struct Told<'a> {
    kind: &'a Kind,
    path: &'a [Step],
    step: Step,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        std::eprintln!("in {:?}\nafter {:?} then {:?}", self.kind, self.path, self.step);
    }
}

fn explored(name: &str, kind: &Kind) {
    let (worlds, over) = explore(kind);
    std::println!("{name}: {worlds} worlds, {over} of them over");
    assert!(over > 0);
}

#[test]
fn every_order_of_a_plain_run() {
    explored("plain", &kind());
    explored("pipes held", &Kind { held: true, ..kind() });
    explored("pipes held by one that escaped", &Kind { held: true, escaped: true, ..kind() });
    explored("unkillable", &Kind { unkillable: true, held: true, ..kind() });
    explored("closes its pipes", &Kind { closes_early: true, ..kind() });
}

#[test]
fn every_order_with_other_settings() {
    let mut none = kind();
    none.timers.grace = Duration::ZERO;
    explored("no grace", &none);
    explored("no polite signal", &Kind { interrupt: None, held: true, ..kind() });
    explored("background left", &Kind { leave_background: true, held: true, ..kind() });
    let mut patient = kind();
    patient.timers.drain = None;
    patient.timers.after_terminal = None;
    explored("no limits", &patient);
}

#[test]
fn every_order_with_limits() {
    let mut limits = kind();
    limits.timers.total = Some(secs(5));
    limits.timers.first_event = Some(secs(2));
    explored("total and first event", &limits);
    let mut idle = kind();
    idle.timers.idle = Some(secs(3));
    idle.held = true;
    explored("idle", &idle);
}

#[test]
fn every_order_with_a_prompt() {
    explored("prompt", &Kind { prompt: 2, seconds: 0, ..kind() });
    explored("prompt, closes early", &Kind { prompt: 1, closes_early: true, cancels: false, ..kind() });
}

#[test]
fn every_order_with_a_consumer_that_stalls() {
    explored("stalls", &Kind { stalls: true, seconds: 0, ..kind() });
    explored("stalls, pipes held", &Kind { stalls: true, held: true, seconds: 0, ..kind() });
}

#[test]
fn every_order_of_a_conversation() {
    let mut talks = Kind { turns: 2, stops: 1, seconds: 0, cancels: false, ..kind() };
    explored("two turns", &talks);
    talks.stops = 0;
    talks.when_busy = WhenBusy::Write;
    explored("two turns at once", &talks);
    talks.when_busy = WhenBusy::Refuse;
    explored("two turns, or refused", &talks);
    explored("a turn, cancelled", &Kind { turns: 1, stops: 1, seconds: 0, ..kind() });
}

#[test]
fn every_order_of_questions() {
    let mut asks = Kind { turns: 1, asks: 2, seconds: 0, cancels: false, ..kind() };
    explored("questions", &asks);
    asks.timers.answer = Some(secs(7));
    asks.asks = 1;
    explored("a question with a limit", &asks);
    asks.timers.idle = Some(secs(5));
    asks.timers.first_event = Some(secs(3));
    explored("a question and other limits", &asks);
}

#[test]
fn what_the_host_said_is_awaited() {
    let mut machine = Machine::new(settings(&kind()), Outgoing::conversation());
    machine.started();
    // The last word on the turn before is no word on what was said since.
    machine.observe(true);
    machine.bytes_said(b"x").unwrap();
    machine.said_all();
    machine.observe(true);
    machine.clock(secs(60));
    machine.settle();
    assert!(!machine.is_ending());
    machine.observe(false);
    machine.observe(true);
    machine.output();
    machine.clock(secs(64));
    machine.settle();
    assert!(machine.is_ending());
}
