//! Writing standard output in a thread of its own.

use super::reader;
use crate::failure::Failure;
use crate::output::Output;
use std::io::{self, Write as _};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// Pieces that wait to be written; together with their size this bounds what is kept for a slow reader.
const WAITING: usize = 4;
/// How long a reader that takes nothing has, once the run was cancelled.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same after a second signal, which is a wish for an end now: enough for one that reads to get the envelope.
const HASTE: Duration = Duration::from_millis(250);

/// Why nothing more is written.
#[derive(Debug)]
pub(super) enum Gone {
    /// The reader has gone.
    Reader,
    /// The reader takes nothing, and the run was cancelled.
    Blocked,
    /// The system's reason.
    Failed(io::Error),
}

enum Piece {
    Text(Vec<u8>),
    Status(String),
}

/// The thread, as this side sees it.
pub(super) struct Writer {
    pieces: Option<mpsc::Sender<Piece>>,
    ended: oneshot::Receiver<Result<(), io::Error>>,
    signals: watch::Receiver<u32>,
    watch: reader::Watch,
}

impl Writer {
    /// Starts the thread. `signals` is the number of those that have come.
    pub(super) fn start(for_people: bool, signals: watch::Receiver<u32>) -> Self {
        let (pieces, mut waiting) = mpsc::channel(WAITING);
        let (end, ended) = oneshot::channel();
        std::thread::spawn(move || {
            let mut sink = Sink::new(for_people);
            let mut done = Ok(());
            while let Some(piece) = waiting.blocking_recv() {
                done = sink.write(piece);
                if done.is_err() {
                    break;
                }
            }
            if done.is_ok() {
                done = sink.clear();
            }
            // Closed before it is told: whoever waits for room is woken by that.
            drop(waiting);
            let _ = end.send(done);
        });
        Writer { pieces: Some(pieces), ended, signals, watch: reader::Watch::new() }
    }

    /// Hands a text to the thread, when there is room.
    pub(super) async fn write(&mut self, text: Vec<u8>) -> Result<(), Gone> {
        self.hand(Piece::Text(text)).await
    }

    /// Shows this line until the next text.
    pub(super) async fn status(&mut self, line: String) -> Result<(), Gone> {
        self.hand(Piece::Status(line)).await
    }

    async fn hand(&mut self, piece: Piece) -> Result<(), Gone> {
        let sent = match &self.pieces {
            Some(pieces) => tokio::select! {
                biased;
                sent = pieces.send(piece) => sent.is_ok(),
                () = patience(&mut self.signals) => return Err(Gone::Blocked),
            },
            None => false,
        };
        if sent { Ok(()) } else { Err(self.why().await) }
    }

    /// Completes when nothing can be written any more, also while nothing is.
    pub(super) async fn gone(&mut self) -> Gone {
        let closed = async {
            match &self.pieces {
                Some(pieces) => pieces.closed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = closed => {}
            () = self.watch.gone() => return Gone::Reader,
        }
        self.why().await
    }

    /// Waits until all is written.
    pub(super) async fn finish(&mut self) -> Result<(), Gone> {
        self.pieces = None;
        tokio::select! {
            biased;
            ended = &mut self.ended => match ended {
                Ok(Err(error)) => Err(reason(error)),
                _ => Ok(()),
            },
            () = patience(&mut self.signals) => Err(Gone::Blocked),
        }
    }

    /// How many signals have come.
    pub(super) fn signals(&self) -> u32 {
        *self.signals.borrow()
    }

    async fn why(&mut self) -> Gone {
        match (&mut self.ended).await {
            Ok(Err(error)) => reason(error),
            _ => Gone::Reader,
        }
    }
}

fn reason(error: io::Error) -> Gone {
    match Failure::writing(&error) {
        Failure::ReaderGone => Gone::Reader,
        Failure::Message(_) => Gone::Failed(error),
    }
}

/// Completes when a signal has come and the reader has had its time, which a second one makes short.
async fn patience(signals: &mut watch::Receiver<u32>) {
    if signals.wait_for(|count| *count > 0).await.is_err() {
        return std::future::pending().await;
    }
    let _ = tokio::time::timeout(PATIENCE, async {
        if signals.wait_for(|count| *count > 1).await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(HASTE).await;
    })
    .await;
}

/// What the thread writes to, and whether a status line stands there.
struct Sink {
    output: Output,
    status: bool,
}

impl Sink {
    fn new(for_people: bool) -> Self {
        let output = if for_people { Output::for_people().0 } else { Output::plain() };
        Sink { output, status: false }
    }

    fn write(&mut self, piece: Piece) -> io::Result<()> {
        self.erase();
        match piece {
            Piece::Text(text) => self.output.buffer().extend_from_slice(&text),
            Piece::Status(line) => {
                self.status = true;
                // Cut at the edge instead of wrapped: it must stay one line, to be erased.
                let _ = write!(self.output.buffer(), "\x1b[?7l\x1b[2m{line}\x1b[0m\x1b[?7h");
            }
        }
        self.output.send()
    }

    fn clear(&mut self) -> io::Result<()> {
        self.erase();
        self.output.send()
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.status) {
            self.output.buffer().extend_from_slice(b"\r\x1b[2K");
        }
    }
}
