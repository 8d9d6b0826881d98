//! What differs between systems. Bytes go straight to the descriptors: no buffer of ours may hold or read too much, and
//! no lock may keep a signal's instructions from printing.

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

/// Which of the standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdin,
    Stdout,
    Stderr,
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, LazyLock};

    use rustix::io::Errno;
    use rustix::process::{Signal, getpid, kill_process};
    use rustix::stdio;
    use signal_hook::iterator::Signals;

    use super::Stream;
    use crate::process::ignored;

    /// The signals that ask for an end, each with whether it still ends this process.
    static ENDS: LazyLock<[(Signal, Arc<AtomicBool>); 2]> =
        LazyLock::new(|| [Signal::INT, Signal::TERM].map(|signal| (signal, Arc::new(AtomicBool::new(true)))));

    /// Signals that ask for an end are heard although whoever started the tests ignores them, as a script that puts them into
    /// the background does: CLIs do so too, when they set their handlers.
    pub(crate) fn hear() -> io::Result<()> {
        for (signal, ends) in ENDS.iter().filter(|(signal, _)| ignored(signal.as_raw())) {
            signal_hook::flag::register_conditional_default(signal.as_raw(), ends.clone())?;
        }
        Ok(())
    }

    /// The signal, which does no longer what it does by itself.
    fn taken(name: &str) -> io::Result<i32> {
        let taken = signal(name)?;
        for (_, ends) in ENDS.iter().filter(|(signal, _)| *signal == taken) {
            ends.store(false, Ordering::SeqCst);
        }
        Ok(taken.as_raw())
    }

    pub(crate) fn write(stream: Stream, mut bytes: &[u8]) -> io::Result<()> {
        let fd = if stream == Stream::Stderr { stdio::stderr() } else { stdio::stdout() };
        while !bytes.is_empty() {
            match rustix::io::write(fd, bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    pub(crate) fn read(buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::io::read(stdio::stdin(), &mut *buffer) {
                Err(Errno::INTR) => {}
                other => return Ok(other?),
            }
        }
    }

    /// The pipe's end is closed by putting the null device in its place.
    pub(crate) fn close(stream: Stream) -> io::Result<()> {
        let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
        match stream {
            Stream::Stdin => stdio::dup2_stdin(null)?,
            Stream::Stdout => stdio::dup2_stdout(null)?,
            Stream::Stderr => stdio::dup2_stderr(null)?,
        }
        Ok(())
    }

    fn signal(name: &str) -> io::Result<Signal> {
        Ok(match name.strip_prefix("SIG").unwrap_or(name) {
            "INT" => Signal::INT,
            "TERM" => Signal::TERM,
            "HUP" => Signal::HUP,
            "QUIT" => Signal::QUIT,
            "USR1" => Signal::USR1,
            "USR2" => Signal::USR2,
            "KILL" => Signal::KILL,
            "STOP" => Signal::STOP,
            other => return Err(io::Error::other(format!("unknown signal '{other}'"))),
        })
    }

    /// A handler that does nothing: unlike `SIG_IGN` it is not inherited by programs that are started.
    pub(crate) fn ignore(name: &str) -> io::Result<()> {
        signal_hook::flag::register(taken(name)?, Arc::new(AtomicBool::new(false))).map(drop)
    }

    pub(crate) fn on(name: &str, mut action: impl FnMut() + Send + 'static) -> io::Result<()> {
        let mut signals = Signals::new([taken(name)?])?;
        std::thread::Builder::new().spawn(move || {
            for _ in signals.forever() {
                action();
            }
        })?;
        Ok(())
    }

    pub(crate) fn kill_self(name: &str) -> io::Result<()> {
        kill_process(getpid(), signal(name)?)?;
        // A handler runs in a thread of its own: give it time.
        std::thread::sleep(std::time::Duration::from_millis(50));
        Ok(())
    }

    pub(crate) fn setsid() -> io::Result<()> {
        rustix::process::setsid()?;
        Ok(())
    }

    /// Returns only on failure.
    pub(crate) fn exec_sleep(seconds: &str) -> io::Error {
        std::process::Command::new("sleep").arg(seconds).exec()
    }
}

#[cfg(not(unix))]
mod other {
    use std::io::{self, Read as _, Write as _};

    use super::Stream;

    pub(crate) fn write(stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if stream == Stream::Stderr {
            io::stderr().write_all(bytes)
        } else {
            let mut out = io::stdout().lock();
            out.write_all(bytes)?;
            out.flush()
        }
    }

    pub(crate) fn read(buffer: &mut [u8]) -> io::Result<usize> {
        io::stdin().lock().read(buffer)
    }

    fn unsupported() -> io::Error {
        io::Error::new(io::ErrorKind::Unsupported, "this system has no such thing")
    }

    pub(crate) fn close(_stream: Stream) -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn hear() -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn ignore(_name: &str) -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn on(_name: &str, _action: impl FnMut() + Send + 'static) -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn kill_self(_name: &str) -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn setsid() -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn exec_sleep(_seconds: &str) -> io::Error {
        unsupported()
    }
}
