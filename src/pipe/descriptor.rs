//! Descriptor numbers named by the user, adopted without trusting them, and which file a descriptor is; reading and
//! writing are elsewhere.

use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{OFlags, fcntl_getfl};

/// A descriptor number cannot be written to.
#[derive(Debug)]
pub enum DescriptorError {
    /// No such descriptor was inherited.
    NotOpen(i32),
    /// It is open, but not for writing.
    ReadOnly(i32),
    /// It is open, but the system does not hand it out: what it said.
    Refused(i32, io::Error),
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpen(number) => write!(f, "descriptor {number} is not open"),
            Self::ReadOnly(number) => write!(f, "descriptor {number} is open for reading only"),
            Self::Refused(number, error) => write!(f, "descriptor {number} cannot be used: {error}"),
        }
    }
}

impl std::error::Error for DescriptorError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_, error) => Some(error),
            Self::NotOpen(_) | Self::ReadOnly(_) => None,
        }
    }
}

/// Returns a duplicate of the inherited descriptor `number`, which is open for writing.
///
/// To be called before the process opens anything of its own, see the [module of the stream](super).
///
/// Where the system duplicates it (on Linux from 5.6 on, unless a sandbox forbids it; descriptors 0 to 2 always) the
/// duplicate shares offset and flags with whoever else holds the descriptor. Elsewhere it is opened anew through
/// `/dev/fd`: on the BSDs and macOS that shares them too; on Linux it starts at the same offset and keeps the append
/// flag, but what others write later through their own descriptor into a regular file without that flag lands at
/// *their* offset. A socket cannot be opened anew.
///
/// # Errors
/// When it is not open, not open for writing, or not to be had.
pub fn adopt_for_writing(number: i32) -> Result<OwnedFd, DescriptorError> {
    let fd = match number {
        ..0 => return Err(DescriptorError::NotOpen(number)),
        0 => duplicate(number, rustix::stdio::stdin()),
        1 => duplicate(number, rustix::stdio::stdout()),
        2 => duplicate(number, rustix::stdio::stderr()),
        _ => inherited::adopt(number),
    }?;
    let flags = fcntl_getfl(&fd).map_err(|error| DescriptorError::Refused(number, error.into()))?;
    if is_for_writing(flags) { Ok(fd) } else { Err(DescriptorError::ReadOnly(number)) }
}

fn duplicate(number: i32, fd: BorrowedFd<'_>) -> Result<OwnedFd, DescriptorError> {
    fd.try_clone_to_owned().map_err(|error| refusal(number, error))
}

fn is_for_writing(flags: OFlags) -> bool {
    matches!(flags & OFlags::RWMODE, OFlags::WRONLY | OFlags::RDWR)
}

fn refusal(number: i32, error: io::Error) -> DescriptorError {
    if error.raw_os_error() == Some(rustix::io::Errno::BADF.raw_os_error()) {
        DescriptorError::NotOpen(number)
    } else {
        DescriptorError::Refused(number, error)
    }
}

/// Linux: the process asks for a duplicate of its own descriptor as it would for another process's.
#[cfg(target_os = "linux")]
mod inherited {
    use std::fs::OpenOptions;
    use std::io::{self, Seek, SeekFrom};
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

    use super::{DescriptorError, is_for_writing, refusal};

    pub(super) fn adopt(number: i32) -> Result<OwnedFd, DescriptorError> {
        let known = Known::of(number)?;
        if let Ok(own) = pidfd_open(getpid(), PidfdFlags::empty()) {
            if own.as_raw_fd() == number {
                return Err(DescriptorError::NotOpen(number));
            }
            match pidfd_getfd(&own, number, PidfdGetfdFlags::empty()) {
                Ok(fd) => return Ok(fd),
                Err(Errno::BADF) => return Err(DescriptorError::NotOpen(number)),
                // Forbidden or unknown here.
                Err(_) => {}
            }
        }
        open_anew(number, known)
    }

    /// What `/proc` says of a descriptor; nothing where it is not mounted.
    #[derive(Clone, Copy, Default)]
    pub(super) struct Known {
        flags: Option<OFlags>,
        offset: Option<u64>,
    }

    impl Known {
        fn of(number: i32) -> Result<Self, DescriptorError> {
            let known = match std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")) {
                Ok(text) => Self::read(&text),
                Err(_) => Self::default(),
            };
            if known.flags.is_some_and(|flags| flags.contains(OFlags::CLOEXEC)) {
                // It would have been closed on the way here: it is one of our own.
                return Err(DescriptorError::NotOpen(number));
            }
            if known.flags.is_some_and(|flags| !is_for_writing(flags)) {
                return Err(DescriptorError::ReadOnly(number));
            }
            Ok(known)
        }

        pub(super) fn read(text: &str) -> Self {
            let member = |name| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            Self {
                flags: member("flags:")
                    .and_then(|digits| u32::from_str_radix(digits, 8).ok())
                    .map(OFlags::from_bits_retain),
                offset: member("pos:").and_then(|digits| digits.parse().ok()),
            }
        }
    }

    /// Opens what the descriptor is open on once more, for writing.
    pub(super) fn open_anew(number: i32, known: Known) -> Result<OwnedFd, DescriptorError> {
        let path = format!("/dev/fd/{number}");
        let mut options = OpenOptions::new();
        options.write(true);
        // Without waiting for a reader of a pipe that has none any more. The flag is this opening's own.
        let mut flags = OFlags::NONBLOCK;
        flags.set(OFlags::APPEND, known.flags.is_some_and(|flags| flags.contains(OFlags::APPEND)));
        options.custom_flags(flags.bits().cast_signed());
        let mut file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DescriptorError::NotOpen(number),
            io::ErrorKind::PermissionDenied => DescriptorError::Refused(number, error),
            _ => refusal(number, error),
        })?;
        if let Some(offset) = known.offset.filter(|&offset| offset > 0) {
            file.seek(SeekFrom::Start(offset)).map_err(|error| refusal(number, error))?;
        }
        Ok(file.into())
    }

    #[cfg(test)]
    pub(super) fn known(number: i32) -> Result<Known, DescriptorError> {
        Known::of(number)
    }
}

/// Elsewhere: `/dev/fd` duplicates.
#[cfg(not(target_os = "linux"))]
mod inherited {
    use std::fs::OpenOptions;
    use std::io;
    use std::os::fd::OwnedFd;

    use super::{DescriptorError, refusal};

    pub(super) fn adopt(number: i32) -> Result<OwnedFd, DescriptorError> {
        match OpenOptions::new().write(true).open(format!("/dev/fd/{number}")) {
            Ok(file) => Ok(file.into()),
            Err(error) => Err(match error.kind() {
                io::ErrorKind::NotFound => DescriptorError::NotOpen(number),
                io::ErrorKind::PermissionDenied => DescriptorError::ReadOnly(number),
                _ => refusal(number, error),
            }),
        }
    }
}

/// Makes a pipe hold more, where the system lets it: fewer and larger reads and writes, a flood cut into full blocks.
///
/// The size belongs to the pipe, not to this end of it; it is never made smaller, and it costs memory only as far as
/// the pipe fills up. As much as Linux lets anybody have by default (`/proc/sys/fs/pipe-max-size`), of which a user may
/// have 64.
pub(super) fn widen_pipe(fd: impl AsFd) {
    #[cfg(target_os = "linux")]
    {
        const WIDE: usize = 1 << 20;
        // No pipe, or no more allowed: then it stays as it is.
        if rustix::pipe::fcntl_getpipe_size(&fd).is_ok_and(|size| size < WIDE) {
            let _ = rustix::pipe::fcntl_setpipe_size(&fd, WIDE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = fd;
}

/// Which file, pipe or device something is, whatever the descriptor or path it is reached by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of what `path` leads to.
    ///
    /// # Errors
    /// As `stat(2)`.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|file| Self::from(&file))
    }

    /// Returns the identity of an open descriptor.
    ///
    /// # Errors
    /// As `fstat(2)`.
    pub fn of(fd: &impl AsFd) -> io::Result<Self> {
        File::from(fd.as_fd().try_clone_to_owned()?).metadata().map(|file| Self::from(&file))
    }
}

impl From<&Metadata> for FileId {
    fn from(file: &Metadata) -> Self {
        Self { device: file.dev(), inode: file.ino() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;

    use super::*;

    /// A descriptor that is passed on to programs, as an inherited one is. `dup2` without the flag that closes it.
    fn inheritable(fd: impl AsFd) -> OwnedFd {
        rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::empty()).unwrap();
        let other = fd.as_fd().try_clone_to_owned().unwrap();
        rustix::io::fcntl_setfd(&other, rustix::io::FdFlags::empty()).unwrap();
        other
    }

    #[test]
    fn numbers_that_cannot_be_written_to_are_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        std::fs::write(&path, b"x").unwrap();
        let read_only = inheritable(File::open(&path).unwrap());
        let (pipe_end, _write) = rustix::pipe::pipe().unwrap();
        let own = File::create(&path).unwrap();
        let cases = [
            (-1, "descriptor -1 is not open".to_owned()),
            (900, "descriptor 900 is not open".to_owned()),
            (read_only.as_raw_fd(), format!("descriptor {} is open for reading only", read_only.as_raw_fd())),
            (pipe_end.as_raw_fd(), format!("descriptor {} is open for reading only", pipe_end.as_raw_fd())),
            #[cfg(target_os = "linux")]
            (own.as_raw_fd(), format!("descriptor {} is not open", own.as_raw_fd())),
        ];
        for (number, message) in cases {
            assert_eq!(adopt_for_writing(number).unwrap_err().to_string(), message);
        }
        drop(own);
    }

    #[test]
    fn an_adopted_descriptor_writes_where_the_inherited_one_would() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let mut file = File::create(&path).unwrap();
        let inherited = inheritable(&file);
        file.write_all(b"before ").unwrap();
        let mut adopted = File::from(adopt_for_writing(inherited.as_raw_fd()).unwrap());
        adopted.write_all(b"adopted ").unwrap();
        drop(adopted);
        #[cfg(target_os = "linux")]
        if rustix::process::pidfd_open(rustix::process::getpid(), rustix::process::PidfdFlags::empty())
            .is_err()
        {
            return;
        }
        file.write_all(b"after").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before adopted after");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn opened_anew_it_goes_on_at_the_offset_or_appends() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        for append in [false, true] {
            std::fs::write(&path, b"0123456789").unwrap();
            let mut file = OpenOptions::new().write(true).append(append).open(&path).unwrap();
            if !append {
                file.write_all(b"ab").unwrap();
            }
            let fd = inheritable(&file);
            let known = inherited::known(fd.as_raw_fd()).unwrap();
            let mut anew = File::from(inherited::open_anew(fd.as_raw_fd(), known).unwrap());
            anew.write_all(b"XY").unwrap();
            let expected = if append { "0123456789XY" } else { "abXY456789" };
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn opened_anew_a_pipe_is_the_same_pipe_and_does_not_wait_for_a_reader() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let known = inherited::known(write.as_raw_fd()).unwrap();
        let mut anew = File::from(inherited::open_anew(write.as_raw_fd(), known).unwrap());
        anew.write_all(b"abc").unwrap();
        let mut buffer = [0; 3];
        File::from(read).read_exact(&mut buffer).unwrap();
        assert_eq!(&buffer, b"abc");
        inherited::open_anew(write.as_raw_fd(), known).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_made_wider_and_never_narrower() {
        use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
        let (read, write) = rustix::pipe::pipe().unwrap();
        let before = fcntl_getpipe_size(&read).unwrap();
        widen_pipe(&read);
        assert!(fcntl_getpipe_size(&read).unwrap() >= before);
        // Larger than anybody may make it without a privilege.
        if fcntl_setpipe_size(&write, 4 << 20).is_ok() {
            widen_pipe(&write);
            assert_eq!(fcntl_getpipe_size(&read).unwrap(), 4 << 20);
        }
    }

    #[test]
    fn a_file_is_the_same_by_any_path_and_descriptor() {
        let directory = tempfile::tempdir().unwrap();
        let (one, link) = (directory.path().join("one"), directory.path().join("link"));
        let file = File::create(&one).unwrap();
        std::os::unix::fs::symlink(&one, &link).unwrap();
        assert_eq!(FileId::of(&file).unwrap(), FileId::of_path(&link).unwrap());
        let other = File::create(directory.path().join("other")).unwrap();
        assert_ne!(FileId::of(&file).unwrap(), FileId::of(&other).unwrap());
    }
}
