//! What bytes are read from and how to wait for them; not how they are cut into lines.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::descriptor::{FileId, widen_pipe};
use super::stop::Stop;

/// Something to read bytes from.
pub trait Source: Read {
    /// The descriptor to poll before a read that might block; none where reading never waits (a regular file, bytes
    /// in memory).
    fn waits_on(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Source for &[u8] {}

/// An open file, pipe, terminal, socket or device as a [`Source`].
#[derive(Debug)]
pub struct Input {
    file: File,
    never_waits: bool,
}

impl Input {
    /// Opens `path` for reading.
    ///
    /// A named pipe that nobody writes to yet does not hold up the call: the wait for its first writer is part of
    /// reading, where a [`Stop`] can end it.
    ///
    /// # Errors
    /// As `open(2)`; a directory is an error here, not at the first read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true);
        if std::fs::metadata(path)?.file_type().is_fifo() && cfg!(target_os = "linux") {
            // Linux reports nothing to poll until a first writer came; elsewhere that reads as an end of input.
            options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        }
        Self::from_file(options.open(path)?)
    }

    /// Returns standard input. It shares its offset with whoever else holds it, as any reader of it does.
    ///
    /// # Errors
    /// When it is closed or the process may open no more descriptors.
    pub fn stdin() -> io::Result<Self> {
        Self::from_fd(rustix::stdio::stdin().try_clone_to_owned()?)
    }

    /// Returns an input over an open descriptor. Its flags are left alone, a non-blocking one is fine; a pipe
    /// may be made to hold more.
    ///
    /// # Errors
    /// As `fstat(2)`; a directory is an error.
    pub fn from_fd(fd: OwnedFd) -> io::Result<Self> {
        Self::from_file(File::from(fd))
    }

    fn from_file(file: File) -> io::Result<Self> {
        let kind = file.metadata()?.file_type();
        if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if kind.is_fifo() {
            widen_pipe(&file);
        }
        Ok(Self { never_waits: kind.is_file() || kind.is_block_device(), file })
    }

    /// The size in bytes of a regular file; none for what has no size.
    pub fn size(&self) -> Option<u64> {
        self.file.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
    }

    /// Which file this is, to compare with what is written to.
    ///
    /// # Errors
    /// As `fstat(2)`.
    pub fn id(&self) -> io::Result<FileId> {
        FileId::of(&self.file)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Source for Input {
    fn waits_on(&self) -> Option<BorrowedFd<'_>> {
        (!self.never_waits).then(|| self.file.as_fd())
    }
}

/// What a look at a source found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    /// A read will not block: there are bytes, the end, or an error to fetch.
    Ready,
    /// Nothing there now; only without waiting.
    NotNow,
    /// A stop was requested, whatever the source has.
    Stopped,
}

/// Looks whether `source` can be read, with `wait` until it can or until `stop` is requested.
pub(super) fn readiness(source: &impl Source, stop: &Stop, wait: bool) -> io::Result<Readiness> {
    loop {
        if stop.is_requested() {
            return Ok(Readiness::Stopped);
        }
        let Some(fd) = source.waits_on() else { return Ok(Readiness::Ready) };
        let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut fds, if wait { None } else { Some(&at_once) }) {
            Ok(0) => return Ok(Readiness::NotNow),
            // Any event counts: an end, an error or a descriptor that cannot be polled is for `read` to report.
            Ok(_) if !fds[1].revents().is_empty() => return Ok(Readiness::Stopped),
            Ok(_) => return Ok(Readiness::Ready),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};

    #[test]
    fn a_regular_file_never_waits_and_has_a_size() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        std::fs::write(&path, b"abc\n").unwrap();
        let mut input = Input::open(&path).unwrap();
        assert_eq!(input.size(), Some(4));
        assert!(input.waits_on().is_none());
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc\n");
    }

    #[test]
    fn a_directory_or_nothing_is_an_error_when_opened() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Input::open(directory.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(Input::open(&directory.path().join("x")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_pipe_is_ready_with_bytes_and_at_its_end_but_not_before() {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let input = Input::from_fd(read).unwrap();
        let stop = Stop::new().unwrap();
        assert_eq!(input.size(), None);
        assert_eq!(readiness(&input, &stop, false).unwrap(), Readiness::NotNow);
        rustix::io::write(&write, b"x").unwrap();
        assert_eq!(readiness(&input, &stop, true).unwrap(), Readiness::Ready);
        drop(write);
        assert_eq!(readiness(&input, &stop, true).unwrap(), Readiness::Ready);
        stop.request();
        assert_eq!(readiness(&input, &stop, true).unwrap(), Readiness::Stopped);
    }

    #[test]
    fn a_wait_ends_when_a_stop_is_requested() {
        let (read, _write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let input = Input::from_fd(read).unwrap();
        let stop = Stop::new().unwrap();
        let other = stop.clone();
        std::thread::scope(|threads| {
            threads.spawn(move || {
                std::thread::sleep(Duration::from_millis(30));
                other.request();
            });
            assert_eq!(readiness(&input, &stop, true).unwrap(), Readiness::Stopped);
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_named_pipe_without_a_writer_opens_at_once_and_waits_for_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let input = Input::open(&path).unwrap();
        let stop = Stop::new().unwrap();
        assert_eq!(readiness(&input, &stop, false).unwrap(), Readiness::NotNow);
        let _writer = OpenOptions::new().write(true).open(&path).unwrap();
        assert_eq!(readiness(&input, &stop, false).unwrap(), Readiness::NotNow);
        stop.request();
        assert_eq!(readiness(&input, &stop, true).unwrap(), Readiness::Stopped);
    }
}
