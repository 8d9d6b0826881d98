//! The state of a conversation, whatever executor it is with: turns, messages, calls, sessions. It knows no vendor.

use crate::envelope::ToolCounts;
use crate::event::{Part, Resumed, ToolStatus};
use crate::hash::hash;
use crate::limits::Limits;
use crate::memory::Memory;
use crate::options::Resume;
use crate::text::Text;
use alloc::string::String;
use alloc::vec::Vec;

/// Turns, messages, calls and sessions of one run.
#[derive(Debug)]
pub(crate) struct Conversation {
    turns: u64,
    open: bool,
    main: Scope,
    agents: Memory<Scope>,
    calls: Memory<Call>,
    /// Room of calls that are over, used again.
    spare: Vec<Vec<u8>>,
    tools: ToolCounts,
    sessions: Memory<()>,
    first_session: Option<Session>,
    terminal_session: Option<Session>,
    messages_made: u64,
    calls_made: u64,
    resume: Option<Resume>,
    /// A copy of that session goes on.
    forked: bool,
}

/// The id of a session, as it stands in its line and decoded.
#[derive(Debug)]
struct Session {
    raw: Vec<u8>,
    id: String,
}

impl Session {
    fn new(id: &Text<'_>) -> Self {
        Session { raw: id.bytes().to_vec(), id: id.decode().into_owned() }
    }
}

/// The message that an agent is at.
#[derive(Debug, Default)]
struct Scope {
    message: Vec<u8>,
    state: Current,
    blocks: u64,
    /// Pieces came without an id whose whole text is still to come: of the text, of the thought.
    pieces: [bool; 2],
}

/// A text without an id of its message, as far as that tells which message it is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saying {
    pub(crate) how: How,
    /// It is what the model thought.
    pub(crate) thought: bool,
}

impl Saying {
    /// A piece of a text.
    pub(crate) const PIECE: Saying = Saying { how: How::Piece, thought: false };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Piece,
    Whole,
    /// The whole of the pieces that came before it.
    Completing,
    /// A block of the list that the text before it stood in.
    NextBlock,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Current {
    /// No message.
    #[default]
    None,
    /// A message that a record began; pieces without an id are its.
    Begun,
    /// A message without an id that goes on with each piece.
    Ours,
}

#[derive(Debug, Default)]
pub(crate) struct Call {
    /// Its input was shown.
    pub(crate) has_input: bool,
    /// The sub-agent it is of, then the call that started that one.
    of: Vec<u8>,
    /// Where the second begins.
    parent: usize,
}

impl Call {
    pub(crate) fn agent(&self) -> &[u8] {
        self.of.get(..self.parent).unwrap_or_default()
    }

    pub(crate) fn parent(&self) -> &[u8] {
        self.of.get(self.parent..).unwrap_or_default()
    }
}

impl Conversation {
    pub(crate) fn new(limits: &Limits, resume: Option<Resume>, forked: bool) -> Self {
        Conversation {
            turns: 0,
            open: false,
            main: Scope::default(),
            agents: Memory::new(limits.remembered),
            calls: Memory::new(limits.open_calls),
            spare: Vec::new(),
            tools: ToolCounts::default(),
            sessions: Memory::new(limits.remembered),
            first_session: None,
            terminal_session: None,
            messages_made: 0,
            calls_made: 0,
            resume,
            forked,
        }
    }

    /// The turn that events belong to now.
    pub(crate) fn turn(&self) -> u32 {
        u32::try_from(self.turns.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    pub(crate) fn turn_is_open(&self) -> bool {
        self.open
    }

    /// Starts a turn, where none is open.
    pub(crate) fn start_turn(&mut self) {
        self.open = true;
        self.turns += 1;
        self.main.end_ours();
    }

    /// Ends the open turn.
    pub(crate) fn end_turn(&mut self) {
        self.open = false;
        self.main.end_ours();
        self.main.pieces = [false; 2];
    }

    fn scope(&mut self, agent: Option<&[u8]>) -> Option<&mut Scope> {
        let Some(agent) = agent else { return Some(&mut self.main) };
        let at = match self.agents.find(agent) {
            Some(at) => at,
            None => self.agents.insert(agent, Scope::default())?,
        };
        self.agents.value_mut(at)
    }

    /// A record began a message: its blocks are numbered from 0.
    pub(crate) fn begin_message(&mut self, agent: Option<&[u8]>, id: &[u8]) {
        if let Some(scope) = self.scope(agent) {
            scope.begin(id);
        }
    }

    /// The number of the next block of a message; `first`: a list of blocks begins with it.
    pub(crate) fn next_block(&mut self, agent: Option<&[u8]>, message: Option<&[u8]>, first: bool) -> u64 {
        let Some(scope) = self.scope(agent) else { return 0 };
        if let Some(id) = message
            && (scope.state != Current::Begun || scope.message != id)
        {
            scope.begin(id);
        }
        // Without an id, and where no record began a message, a list is a message of its own.
        if first && message.is_none() && scope.state != Current::Begun {
            scope.blocks = 0;
        }
        let block = scope.blocks;
        scope.blocks += 1;
        block
    }

    /// The id of the message that a text without one belongs to. A whole text is a message of its own, unless it completes
    /// pieces, or is a further block of a list.
    pub(crate) fn message_of(&mut self, agent: Option<&[u8]>, saying: Saying) -> &[u8] {
        let next = self.messages_made + 1;
        let scope = match agent {
            None => &mut self.main,
            Some(agent) => {
                let at = self.agents.find(agent).or_else(|| self.agents.insert(agent, Scope::default()));
                match at.and_then(|at| self.agents.value_mut(at)) {
                    Some(scope) => scope,
                    None => return b"",
                }
            }
        };
        if scope.text(saying, next) {
            self.messages_made = next;
        }
        &scope.message
    }

    /// Something else than text of the agent came: a message of ours ends here.
    pub(crate) fn end_message(&mut self, agent: Option<&[u8]>) {
        if let Some(scope) = self.scope(agent) {
            scope.end_ours();
        }
    }

    /// Somebody else spoke, or a turn is over: what comes next completes no pieces from before.
    pub(crate) fn forget_pieces(&mut self, agent: Option<&[u8]>) {
        if let Some(scope) = self.scope(agent) {
            scope.pieces = [false; 2];
        }
    }

    /// The place of an open call.
    pub(crate) fn open_call(&self, id: &[u8]) -> Option<usize> {
        self.calls.find(id)
    }

    pub(crate) fn open_calls(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn newest_call(&self) -> Option<usize> {
        self.calls.newest()
    }

    pub(crate) fn call(&self, at: usize) -> Option<(&[u8], &Call)> {
        self.calls.at(at).map(|entry| (&*entry.id, &entry.value))
    }

    pub(crate) fn call_mut(&mut self, at: usize) -> Option<&mut Call> {
        self.calls.value_mut(at)
    }

    /// The call that must be closed before another one is opened.
    pub(crate) fn call_to_close(&self) -> Option<usize> {
        if self.calls.is_full() { self.calls.oldest() } else { None }
    }

    pub(crate) fn start_call(&mut self, id: &[u8], has_input: bool, agent: &[u8], parent: &[u8]) {
        let mut of =
            if agent.is_empty() && parent.is_empty() { Vec::new() } else { self.spare.pop().unwrap_or_default() };
        of.clear();
        of.extend_from_slice(agent);
        of.extend_from_slice(parent);
        let call = Call { has_input, of, parent: agent.len() };
        self.tools.started += 1;
        if self.calls.insert(id, call).is_none() {
            self.tools.unknown += 1;
        }
    }

    /// A number of ours for a call without an id.
    pub(crate) fn next_call_number(&mut self) -> u64 {
        self.calls_made += 1;
        self.calls_made
    }

    pub(crate) fn end_call(&mut self, at: usize, status: ToolStatus) {
        if let Some(call) = self.calls.remove(at)
            && call.of.capacity() > 0
        {
            self.spare.push(call.of);
        }
        let tools = &mut self.tools;
        match status {
            ToolStatus::Completed => tools.completed += 1,
            ToolStatus::Failed => tools.failed += 1,
            ToolStatus::Declined => tools.declined += 1,
            ToolStatus::Cancelled => tools.cancelled += 1,
            _ => tools.unknown += 1,
        }
    }

    /// The call that was opened first of those still open.
    pub(crate) fn oldest_call(&self) -> Option<usize> {
        self.calls.oldest()
    }

    pub(crate) fn tools(&self) -> ToolCounts {
        self.tools
    }

    /// The session that the main agent is in; the first one counts. True when it was not known.
    pub(crate) fn session(&mut self, id: &Text<'_>) -> bool {
        if self.first_session.is_none() {
            self.first_session = Some(Session::new(id));
        }
        if self.sessions.find(id.bytes()).is_some() {
            return false;
        }
        self.sessions.insert(id.bytes(), ());
        true
    }

    /// True for the session that the run began in: the usual case, at no cost.
    pub(crate) fn is_first_session(&self, id: &[u8]) -> bool {
        self.first_session.as_ref().is_some_and(|first| first.raw == id)
    }

    /// The terminal record's word on the session.
    pub(crate) fn terminal_session(&mut self, id: &Text<'_>) {
        if self.terminal_session.as_ref().is_none_or(|known| known.raw != id.bytes()) {
            self.terminal_session = Some(Session::new(id));
        }
    }

    pub(crate) fn session_id(&self) -> Option<&str> {
        self.terminal_session.as_ref().or(self.first_session.as_ref()).map(|session| &*session.id)
    }

    /// Whether a session is the one that was asked for.
    pub(crate) fn resumed(&self, id: &Text<'_>) -> Option<Resumed> {
        match self.resume.as_ref()? {
            Resume::Last => Some(Resumed::Same),
            Resume::Id(asked) if *id == **asked => Some(Resumed::Same),
            Resume::Id(_) if self.forked => Some(Resumed::Forked),
            Resume::Id(_) => Some(Resumed::Replaced),
        }
    }

    /// True where another session than the one asked for goes on.
    pub(crate) fn replaced(&self) -> bool {
        match (&self.resume, &self.first_session) {
            (Some(Resume::Id(asked)), Some(first)) => first.id != *asked && !self.forked,
            _ => false,
        }
    }
}

impl Scope {
    /// Makes the message that of a text. True where it is a new one, of this number.
    fn text(&mut self, saying: Saying, number: u64) -> bool {
        let piece = saying.how == How::Piece;
        let [text, thought] = &mut self.pieces;
        let pieces = if saying.thought { thought } else { text };
        let begins = match (self.state, saying.how) {
            // It goes on whatever comes.
            (Current::Begun, _) => return false,
            (Current::Ours, How::Piece) => false,
            (_, How::Completing) => !*pieces,
            (_, How::NextBlock) => self.message.is_empty(),
            (_, How::Piece | How::Whole) => true,
        };
        *pieces = piece;
        self.state = if piece { Current::Ours } else { Current::None };
        if begins {
            self.pieces = if saying.thought { [false, piece] } else { [piece, false] };
            self.message.clear();
            self.message.extend_from_slice(b"message-");
            crate::event::write_u64(number, &mut self.message);
        }
        begins
    }

    fn begin(&mut self, id: &[u8]) {
        self.message.clear();
        self.message.extend_from_slice(id);
        self.state = Current::Begun;
        self.blocks = 0;
    }

    fn end_ours(&mut self) {
        if self.state == Current::Ours {
            self.state = Current::None;
        }
    }
}

/// The key of a part of a message: the same for a number and for an id that is its digits.
pub(crate) fn part_key(part: Option<Part<'_>>) -> u64 {
    match part {
        Some(Part::Index(number)) => {
            let (digits, from) = crate::event::digits(number);
            hash(digits.get(from..).unwrap_or_default())
        }
        Some(Part::Id(id)) => hash(id.canonical().bytes()),
        None => 0,
    }
}
