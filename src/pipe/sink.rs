//! Descriptors to write to, completely and in order, however slowly they are read; not what is written.
//!
//! Nothing is kept back here: what a call was given has been handed to the system when it returns.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::Errno;

use super::descriptor::{DescriptorError, FileId, adopt_for_writing, widen_pipe};

/// Writing to a sink failed. A part of what was given may have been written, the last line of it cut anywhere.
#[derive(Debug)]
pub struct SinkError {
    /// The sink's name, as the user would know it.
    pub sink: String,
    /// What happened.
    pub fault: SinkFault,
}

/// What happened to a sink.
#[derive(Debug)]
pub enum SinkFault {
    /// Its reader went away: a reason to stop quietly.
    Closed,
    /// Anything else, a full disk among it.
    Io(io::Error),
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            SinkFault::Closed => write!(f, "the reader of {} went away", self.sink),
            SinkFault::Io(error) => write!(f, "cannot write to {}: {error}", self.sink),
        }
    }
}

impl std::error::Error for SinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            SinkFault::Closed => None,
            SinkFault::Io(error) => Some(error),
        }
    }
}

/// An open descriptor to write to.
///
/// Its flags are left alone, because whoever else holds it shares them: a non-blocking one is waited for, a blocking
/// one stays so. A pipe may be made to hold more.
#[derive(Debug)]
pub struct Sink {
    name: String,
    file: File,
    id: FileId,
    kind: Kind,
}

/// How a descriptor takes bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// At once, as far as anyone can know: a regular file or a disk.
    Ready,
    /// When a person or a program on the other side of a terminal reads.
    Terminal,
    /// When there is room: a pipe, a socket, another device.
    Waits,
}

impl Sink {
    /// Returns standard output, under the name `standard output`.
    ///
    /// # Errors
    /// When it is not open for writing. One that was closed at the start is open on `/dev/null` by now, see the
    /// [module of the stream](super).
    pub fn stdout() -> Result<Self, DescriptorError> {
        Self::over(adopt_for_writing(1)?, "standard output".to_owned())
            .map_err(|error| DescriptorError::Refused(1, error))
    }

    /// Returns the inherited descriptor `number`, under the name `descriptor N`; see [`adopt_for_writing`].
    ///
    /// # Errors
    /// When it is not open, not open for writing, or not to be had.
    pub fn inherit(number: i32) -> Result<Self, DescriptorError> {
        Self::over(adopt_for_writing(number)?, format!("descriptor {number}"))
            .map_err(|error| DescriptorError::Refused(number, error))
    }

    /// Returns the file at `path`, made or emptied, under the name of its path in backticks, control characters escaped.
    ///
    /// A file that is one of `in_use` (the inputs, the other sink) is refused before it is emptied.
    ///
    /// # Errors
    /// As `open(2)`; `AlreadyExists` for a regular file in use.
    pub fn create(path: &Path, in_use: &[FileId]) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        let sink = Self::over(file.into(), format!("`{}`", path.display().to_string().escape_debug()))?;
        if sink.file.metadata()?.is_file() {
            if in_use.contains(&sink.id) {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "the file is in use by this run already",
                ));
            }
            sink.file.set_len(0)?;
        }
        Ok(sink)
    }

    /// Returns a sink over an open descriptor.
    ///
    /// # Errors
    /// As `fstat(2)`.
    pub fn over(fd: OwnedFd, name: String) -> io::Result<Self> {
        let file = File::from(fd);
        let metadata = file.metadata()?;
        let id = FileId::from(&metadata);
        if metadata.file_type().is_fifo() {
            widen_pipe(&file);
        }
        let kind = match metadata.file_type() {
            kind if kind.is_file() || kind.is_block_device() => Kind::Ready,
            kind if kind.is_char_device() && file.is_terminal() => Kind::Terminal,
            _ => Kind::Waits,
        };
        Ok(Self { name, file, id, kind })
    }

    /// The name under which errors speak of it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which file, pipe or device it is.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Writes all of `bytes`, waiting as long as it takes.
    ///
    /// # Errors
    /// When the reader went away or the system refuses.
    pub fn write_all(&self, mut bytes: &[u8]) -> Result<(), SinkError> {
        while !bytes.is_empty() {
            match self.write_some(bytes)? {
                0 => self.wait_for_room()?,
                written => bytes = &bytes[written..],
            }
        }
        Ok(())
    }

    /// Writes once; 0 when there is no room now.
    fn write_some(&self, bytes: &[u8]) -> Result<usize, SinkError> {
        loop {
            match (&self.file).write(bytes) {
                Ok(0) if !bytes.is_empty() => return Err(self.failed(io::ErrorKind::WriteZero.into())),
                Ok(written) => return Ok(written),
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock => return Ok(0),
                    _ => return Err(self.failed(error)),
                },
            }
        }
    }

    fn wait_for_room(&self) -> Result<(), SinkError> {
        wait(&mut [PollFd::new(&self.file, PollFlags::OUT)]).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> SinkError {
        let fault = match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => SinkFault::Closed,
            _ => SinkFault::Io(error),
        };
        SinkError { sink: self.name.clone(), fault }
    }

    /// The most that a write may try without the danger of waiting, once a poll reported room.
    fn room(&self) -> usize {
        match fcntl_getfl(&self.file) {
            Ok(flags) if flags.contains(OFlags::NONBLOCK) => usize::MAX,
            // POSIX lets a blocking pipe report room when this much fits; other kinds report it at more.
            _ => rustix::pipe::PIPE_BUF,
        }
    }

    /// Whether bytes for both must not be written in turns: into the same file they would mix, a terminal is one
    /// screen by any path, and what never waits needs no turns.
    fn takes_no_turns_with(&self, other: &Self) -> bool {
        self.id == other.id
            || self.kind == Kind::Ready
            || other.kind == Kind::Ready
            || (self.kind == Kind::Terminal && other.kind == Kind::Terminal)
    }
}

/// Writes all of `one_bytes` to `one` and all of `other_bytes` to `other`, waiting as long as it takes.
///
/// A sink that is not read from at the moment does not hold up the other: a reader of both gets its bytes at whatever
/// speeds it takes them, down to one sink only, until this call has nothing left for that one. Beyond it memory would
/// have to grow, so whoever reads one sink to its end first and then the other needs a file for the other.
///
/// Sinks that are the same file, pipe or terminal get the bytes of `one` and then those of `other`. Their order then
/// depends on where a stream was cut into blocks: who wants one order in one place compares [`Sink::id`] before the
/// run and writes to a single sink. Two descriptors opened separately on one regular file overwrite each other, here
/// as in a shell, unless both append.
///
/// # Errors
/// When a reader went away or the system refuses, for the sink that failed first; the other may lack bytes then.
pub fn write_pair(one: &Sink, one_bytes: &[u8], other: &Sink, other_bytes: &[u8]) -> Result<(), SinkError> {
    let (mut first, mut second) = (one_bytes, other_bytes);
    if !first.is_empty() && !second.is_empty() && !one.takes_no_turns_with(other) {
        (first, second) = write_in_turns(one, first, other, second)?;
    }
    // A sink that never waits goes first, lest the other hold it up.
    if other.kind == Kind::Ready && one.id != other.id {
        other.write_all(second)?;
        one.write_all(first)
    } else {
        one.write_all(first)?;
        other.write_all(second)
    }
}

/// Writes to whichever sink has room until one of them has got everything; returns what is left for each.
fn write_in_turns<'a>(
    one: &Sink,
    mut first: &'a [u8],
    other: &Sink,
    mut second: &'a [u8],
) -> Result<(&'a [u8], &'a [u8]), SinkError> {
    let (one_room, other_room) = (one.room(), other.room());
    while !first.is_empty() && !second.is_empty() {
        let mut fds = [PollFd::new(&one.file, PollFlags::OUT), PollFd::new(&other.file, PollFlags::OUT)];
        wait(&mut fds).map_err(|error| one.failed(error))?;
        // Any event counts: an error or a descriptor that cannot be polled is for the write to report.
        if !fds[0].revents().is_empty() {
            first = &first[one.write_some(&first[..first.len().min(one_room)])?..];
        }
        if !fds[1].revents().is_empty() {
            second = &second[other.write_some(&second[..second.len().min(other_room)])?..];
        }
    }
    Ok((first, second))
}

/// Waits until something happens to one of `fds`.
fn wait(fds: &mut [PollFd<'_>]) -> io::Result<()> {
    loop {
        match poll(fds, None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

impl AsFd for Sink {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use proptest::prelude::*;
    use rustix::fs::fcntl_setfl;

    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};

    fn pipe(name: &str) -> (File, Sink) {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        (File::from(read), Sink::over(write, name.to_owned()).unwrap())
    }

    fn socket(name: &str) -> (File, Sink) {
        let (read, write) = UnixStream::pair().unwrap();
        (File::from(OwnedFd::from(read)), Sink::over(write.into(), name.to_owned()).unwrap())
    }

    fn numbered(lines: std::ops::Range<u32>) -> Vec<u8> {
        lines.flat_map(|n| format!("line {n} {}\n", "x".repeat(n as usize % 90)).into_bytes()).collect()
    }

    /// Reads to the end, `at_once` bytes at a time, with a pause after each.
    fn read_slowly(mut file: &File, at_once: usize, pause: Duration) -> Vec<u8> {
        let (mut all, mut buffer) = (Vec::new(), vec![0; at_once]);
        loop {
            match file.read(&mut buffer).unwrap() {
                0 => return all,
                read => all.extend_from_slice(&buffer[..read]),
            }
            thread::sleep(pause);
        }
    }

    #[test]
    fn everything_arrives_at_a_slow_reader_blocking_or_not() {
        let bytes = numbered(0..8000);
        for nonblocking in [false, true] {
            for (read, sink) in [pipe("p"), socket("s")] {
                if nonblocking {
                    fcntl_setfl(&sink, OFlags::NONBLOCK).unwrap();
                }
                thread::scope(|threads| {
                    let reader = threads.spawn(|| {
                        let read = read;
                        read_slowly(&read, 10_000, Duration::from_micros(200))
                    });
                    sink.write_all(&bytes).unwrap();
                    let flags = fcntl_getfl(&sink).unwrap();
                    assert_eq!(flags.contains(OFlags::NONBLOCK), nonblocking, "flags are left alone");
                    drop(sink);
                    assert!(reader.join().unwrap() == bytes);
                });
            }
        }
    }

    #[test]
    fn a_reader_that_went_away_is_closed_and_a_full_disk_is_not() {
        for (read, sink) in [pipe("standard output"), socket("standard output")] {
            drop(read);
            let error = sink.write_all(b"x").unwrap_err();
            assert!(matches!(error.fault, SinkFault::Closed));
            assert_eq!(error.to_string(), "the reader of standard output went away");
        }
        if let Ok(full) = OpenOptions::new().write(true).open("/dev/full") {
            let sink = Sink::over(full.into(), "descriptor 9".to_owned()).unwrap();
            let error = sink.write_all(b"x").unwrap_err();
            assert!(
                matches!(&error.fault, SinkFault::Io(error) if error.kind() == io::ErrorKind::StorageFull)
            );
            assert!(error.to_string().starts_with("cannot write to descriptor 9: "), "{error}");
            let (_read, other) = pipe("other");
            let error = write_pair(&other, b"x", &sink, b"y").unwrap_err();
            assert_eq!(error.sink, "descriptor 9");
        }
    }

    #[test]
    fn a_reader_that_goes_away_ends_a_write_that_waits() {
        for nonblocking in [false, true] {
            let (read, sink) = pipe("p");
            let (other_read, other) = pipe("q");
            if nonblocking {
                fcntl_setfl(&sink, OFlags::NONBLOCK).unwrap();
            }
            let bytes = numbered(0..400_000);
            thread::scope(|threads| {
                threads.spawn(move || {
                    thread::sleep(Duration::from_millis(50));
                    drop(read);
                });
                // The other sink is not read from at all: the error has to come through all the same.
                let error = write_pair(&sink, &bytes, &other, &bytes).unwrap_err();
                assert!(matches!(error.fault, SinkFault::Closed) && error.sink == "p");
            });
            drop(other_read);
        }
    }

    /// Writes blocks to two sinks that are read at different speeds.
    fn pair_arrives(pair: [(File, Sink); 2], sizes: &[(u32, u32)], paces: [(usize, u64); 2]) {
        let [(one_read, one), (other_read, other)] = pair;
        let (mut one_all, mut other_all) = (Vec::new(), Vec::new());
        thread::scope(|threads| {
            let readers = [(one_read, paces[0]), (other_read, paces[1])].map(|(read, (at_once, pause))| {
                threads.spawn(move || read_slowly(&read, at_once, Duration::from_micros(pause)))
            });
            for &(first, second) in sizes {
                let (first, second) = (numbered(0..first), numbered(7..7 + second));
                write_pair(&one, &first, &other, &second).unwrap();
                one_all.extend(first);
                other_all.extend(second);
            }
            drop((one, other));
            let [one_got, other_got] = readers.map(|reader| reader.join().unwrap());
            assert!(one_got == one_all && other_got == other_all);
        });
    }

    #[test]
    fn two_sinks_read_at_different_speeds() {
        let sizes = [(9000, 9000), (0, 5000), (5000, 0), (9000, 100), (100, 9000), (1, 1)];
        for paces in [[(65536, 0), (4096, 300)], [(4096, 300), (65536, 0)], [(1 << 20, 0), (1 << 20, 0)]] {
            for make in [pipe, socket] {
                pair_arrives([make("one"), make("other")], &sizes, paces);
            }
        }
    }

    #[test]
    fn one_sink_is_read_only_once_the_other_has_its_block() {
        // Whichever is read first: the call ends, because the bytes for that one never wait for the other.
        for swapped in [false, true] {
            let (read, sink) = pipe("read first");
            let (late_read, late) = pipe("read late");
            let bytes = numbered(0..9000);
            thread::scope(|threads| {
                let (got, wait_for_it) = channel();
                let length = bytes.len();
                threads.spawn(move || {
                    let mut all = vec![0; length];
                    (&read).read_exact(&mut all).unwrap();
                    got.send(all).unwrap();
                });
                let late_reader = threads.spawn(move || {
                    let first = wait_for_it.recv_timeout(Duration::from_secs(20)).unwrap();
                    (first, read_slowly(&late_read, 65536, Duration::ZERO))
                });
                if swapped {
                    write_pair(&late, &bytes, &sink, &bytes).unwrap();
                } else {
                    write_pair(&sink, &bytes, &late, &bytes).unwrap();
                }
                drop(late);
                let (first, second) = late_reader.join().unwrap();
                assert!(first == bytes && second == bytes);
            });
        }
    }

    #[test]
    fn a_file_beside_a_pipe_is_written_before_the_pipe_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let file = Sink::create(&path, &[]).unwrap();
        let (read, sink) = pipe("p");
        let bytes = numbered(0..8000);
        thread::scope(|threads| {
            let reader = threads.spawn(move || {
                while std::fs::metadata(&path).unwrap().len() == 0 {
                    thread::sleep(Duration::from_millis(1));
                }
                read_slowly(&read, 65536, Duration::ZERO)
            });
            write_pair(&sink, &bytes, &file, &bytes).unwrap();
            drop(sink);
            assert!(reader.join().unwrap() == bytes);
        });
    }

    #[test]
    fn sinks_on_the_same_pipe_take_whole_blocks_in_order() {
        let (read, one) = pipe("one");
        let other = Sink::over(one.as_fd().try_clone_to_owned().unwrap(), "other".to_owned()).unwrap();
        assert_eq!(one.id(), other.id());
        let (first, second) = (numbered(0..4000), numbered(4000..8000));
        thread::scope(|threads| {
            let reader = threads.spawn(move || read_slowly(&read, 65536, Duration::ZERO));
            write_pair(&one, &first, &other, &second).unwrap();
            drop((one, other));
            assert!(reader.join().unwrap() == [first.clone(), second.clone()].concat());
        });
    }

    #[test]
    fn a_file_in_use_is_refused_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("in\nput");
        std::fs::write(&path, b"precious").unwrap();
        let in_use = [FileId::of_path(&path).unwrap()];
        assert_eq!(Sink::create(&path, &in_use).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        let sink = Sink::create(&path, &[]).unwrap();
        sink.write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert!(sink.name().ends_with("in\\nput`"), "{}", sink.name());
    }

    #[test]
    fn standard_output_and_a_number_are_sinks() {
        assert_eq!(Sink::stdout().unwrap().name(), "standard output");
        let (_read, write) = rustix::pipe::pipe().unwrap();
        let sink = Sink::inherit(std::os::fd::AsRawFd::as_raw_fd(&write)).unwrap();
        assert!(sink.name().starts_with("descriptor "));
        assert_eq!(Sink::inherit(901).unwrap_err().to_string(), "descriptor 901 is not open");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_blocks_at_any_pace_arrive_on_both(
            sizes in prop::collection::vec((0u32..3000, 0u32..3000), 0..5),
            one in (1000usize..80_000, 0u64..60),
            other in (1000usize..80_000, 0u64..60),
            sockets in any::<bool>(),
        ) {
            let make = if sockets { socket } else { pipe };
            pair_arrives([make("one"), make("other")], &sizes, [one, other]);
        }
    }
}
