//! The compiled form of a profile's rules: every path is a place in a scanned line.

use crate::envelope::ErrorClass;
use crate::event::{Column, Severity, ToolKind, UsageMode, UsageScope};
use crate::profile::emit::Emit;
use crate::profile::field::ValueType;
use crate::profile::spec::UsageOf;
use crate::rules::pattern::Pattern;
use crate::scan::Trie;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// An event as the engine makes it.
pub(crate) type CompiledEmit = Emit<Expr, Cond, List>;

/// Everything that the engine needs of a profile, shared by all its parsers.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) trie: Trie,
    pub(crate) record_type: Vec<Expr>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) dispatch: Dispatch,
    pub(crate) emits: Vec<CompiledEmit>,
    pub(crate) usage: Vec<UsageRule>,
    pub(crate) rate_limits: Vec<RateLimitRule>,
    pub(crate) metadata: Vec<MetadataRule>,
    pub(crate) notices: Vec<NoticeRule>,
    pub(crate) classes: Vec<ClassTable>,
    pub(crate) stderr: Vec<(Pattern, Option<ErrorClass>)>,
    pub(crate) tools: Vec<(Box<str>, ToolKind)>,
    /// Where in a tool's input its command is.
    pub(crate) commands: Vec<(Box<str>, CommandPath)>,
    pub(crate) mcp: Option<(Box<str>, Box<str>)>,
    pub(crate) failure_told_by_notice: bool,
    /// Of a record without members nothing is made, whatever came before.
    pub(crate) empty_is_unmapped: bool,
}

/// Keys from a tool's input down to its command.
pub(crate) type CommandPath = Box<[Box<str>]>;

/// What may be a record's, found by the value of one field, so that a record meets only tests that can tell.
#[derive(Debug, Default)]
pub(crate) struct Dispatch {
    pub(crate) by: Option<Source>,
    pub(crate) buckets: Vec<(Box<str>, Bucket)>,
    /// For any other value.
    pub(crate) others: Bucket,
}

/// Everything for records with one value of that field. Tests on the field itself are already decided and left out.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    /// In the order of the profile: the first one whose tests hold is the record's.
    pub(crate) rules: Vec<Candidate>,
    pub(crate) usage: Vec<Candidate>,
    pub(crate) rate_limits: Vec<Candidate>,
    pub(crate) metadata: Vec<Candidate>,
}

/// A rule by its number, and the tests that are left.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) number: u16,
    pub(crate) tests: Vec<Test>,
}

/// A place in a scanned record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A slot of the record.
    Root(u16),
    /// A slot of the element.
    Here(u16),
    /// The key of the entry.
    Key,
    /// The number of the block in its message.
    Block,
}

/// What stands in a field of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expr {
    pub(crate) sources: Vec<Source>,
    pub(crate) literal: Option<Box<str>>,
    pub(crate) map: Vec<(Box<str>, Box<str>)>,
    pub(crate) default: Option<Box<str>>,
    pub(crate) missing: Option<Box<str>>,
}

impl Expr {
    /// True where values pass as they are.
    pub(crate) fn is_plain(&self) -> bool {
        self.map.is_empty() && self.default.is_none()
    }

    /// True where it is the same for all elements of a list.
    pub(crate) fn is_fixed(&self) -> bool {
        self.sources.iter().all(|source| matches!(source, Source::Root(_)))
    }
}

/// Groups of tests of which one must hold whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cond {
    pub(crate) groups: Vec<Vec<Test>>,
}

/// A test on a value.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) sources: Vec<Source>,
    pub(crate) check: Check,
}

#[derive(Clone, Debug)]
pub(crate) enum Check {
    OneOf(Vec<Literal>),
    NoneOf(Vec<Literal>),
    Prefix(Box<str>),
    Present(bool),
    Is(ValueType),
    Blank(bool),
    Pattern(Pattern),
}

impl Check {
    /// It never holds where there is no value.
    pub(crate) fn needs_a_value(&self) -> bool {
        match self {
            Check::OneOf(_) | Check::Prefix(_) | Check::Pattern(_) => true,
            Check::Present(there) => *there,
            Check::Blank(blank) => !blank,
            Check::Is(kind) => *kind != ValueType::Null,
            Check::NoneOf(_) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Text(Box<str>),
    Flag(bool),
    Whole(i64),
    Number(f64),
}

/// `true`, `false` or conditions.
#[derive(Clone, Debug, Default)]
pub(crate) enum Switch {
    #[default]
    Never,
    Always,
    When(Cond),
}

/// A list field of an event.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) each: Option<u16>,
    /// Those that the profile names; each has its expression.
    pub(crate) fields: Vec<(Column, Option<Expr>)>,
}

/// One step of a rule.
#[derive(Debug)]
pub(crate) enum Op {
    Emit(u32),
    Each(Box<EachOp>),
}

/// An iteration.
#[derive(Debug)]
pub(crate) struct EachOp {
    pub(crate) when: Option<Cond>,
    pub(crate) site: u16,
    /// The slot of the element itself.
    pub(crate) element: u16,
    pub(crate) record_type: Option<Expr>,
    pub(crate) ignore: Vec<Box<str>>,
    pub(crate) ops: Vec<Op>,
    /// Whether its elements are the blocks of a message.
    pub(crate) counts_blocks: bool,
    /// The id of that message, where a step has one.
    pub(crate) message_id: Option<Expr>,
    /// A slot of the element without which none of the steps applies: of elements that lack it no condition is looked at.
    pub(crate) gate: Option<u16>,
    /// Emits whose texts are one text: those of all elements have the same key.
    pub(crate) joins: Vec<Vec<u32>>,
}

#[derive(Debug, Default)]
pub(crate) struct Rule {
    pub(crate) agent: Option<Expr>,
    pub(crate) parent_tool_call_id: Option<Expr>,
    pub(crate) session_id: Option<Expr>,
    pub(crate) begins_message: Option<Expr>,
    pub(crate) owes: Switch,
    pub(crate) terminal: Switch,
    pub(crate) withdraws_failures: Switch,
    pub(crate) background: Option<Expr>,
    pub(crate) queued: Option<Expr>,
    pub(crate) record_id: Option<Expr>,
    pub(crate) answer: Option<Expr>,
    pub(crate) structured_output: Option<Expr>,
    pub(crate) ops: Vec<Op>,
}

/// Counters in the order of [`COUNTERS`].
pub(crate) const COUNTERS: [&str; 6] = ["input", "cache_read", "cache_write", "output", "reasoning", "total"];
pub(crate) const TOTAL: usize = 5;

#[derive(Debug)]
pub(crate) struct UsageRule {
    pub(crate) each: Option<u16>,
    pub(crate) of: UsageOf,
    pub(crate) scope: UsageScope,
    pub(crate) mode: UsageMode,
    pub(crate) cost_mode: UsageMode,
    /// Groups of counters of which one must be there whole.
    pub(crate) required: Vec<Vec<usize>>,
    /// (counter, the counter it lies inside)
    pub(crate) inside: Vec<(usize, usize)>,
    pub(crate) zero_is_unknown: bool,
    pub(crate) id: Option<Expr>,
    pub(crate) counters: [Option<Expr>; 6],
    pub(crate) model: Option<Expr>,
    pub(crate) cost_usd: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct RateLimitRule {
    pub(crate) each: Option<u16>,
    pub(crate) name: Expr,
    pub(crate) utilization: Option<Expr>,
    pub(crate) resets_at: Option<Expr>,
    pub(crate) status: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct MetadataRule {
    pub(crate) fields: Vec<(Box<str>, Expr)>,
}

#[derive(Debug)]
pub(crate) struct NoticeRule {
    pub(crate) pattern: Pattern,
    pub(crate) severity: Severity,
    pub(crate) code: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) struct ClassTable {
    pub(crate) class: ErrorClass,
    pub(crate) labels: Vec<Box<str>>,
    pub(crate) patterns: Vec<Pattern>,
}
