//! The files that people write, read whole: bounded in size, JSON or YAML by name, and found in directories.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Failure;
use crate::document::Format;

/// Returns the format of a file: by its name, else by its first character.
pub(super) fn format(path: &Path, text: &[u8]) -> Format {
    Format::of(path.extension().and_then(|extension| extension.to_str()), text)
}

/// Returns true for the path that stands for standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a whole file, or standard input for `-`; no more than `most` bytes and one, so that what is too large shows.
pub(super) fn read(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    read_raw(path, most).map_err(|error| Failure::reading(path, &error))
}

/// The same, for who tells of failures in another way.
pub(super) fn read_raw(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = Vec::new();
    if is_stdin(path) {
        io::stdin().lock().take(limit).read_to_end(&mut text)?;
    } else {
        File::open(path)?.take(limit).read_to_end(&mut text)?;
    }
    Ok(text)
}

/// A file to work on, or what stands in the way of finding any.
pub(super) type Found = Result<PathBuf, (PathBuf, io::Error)>;

/// Returns the files that the arguments name, in their order. A directory stands for every `.yaml`, `.yml` and `.json`
/// file in it and below, sorted by name; what begins with a dot is passed over, and links to directories are not
/// followed.
pub(super) fn expand(paths: &[PathBuf]) -> Vec<Found> {
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        if !is_stdin(path) && path.is_dir() {
            let before = found.len();
            walk(path, &mut found);
            if found.len() == before {
                let nothing = io::Error::other("no .yaml, .yml or .json file in this directory");
                found.push(Err((path.clone(), nothing)));
            }
        } else {
            found.push(Ok(path.clone()));
        }
    }
    found
}

fn walk(directory: &Path, found: &mut Vec<Found>) {
    let entries: io::Result<Vec<_>> = fs::read_dir(directory).and_then(Iterator::collect);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return found.push(Err((directory.to_owned(), error))),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let is_document = ["yaml", "yml", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known));
        match entry.file_type() {
            _ if is_hidden => {}
            Ok(kind) if kind.is_dir() => walk(&path, found),
            Ok(_) if is_document => found.push(Ok(path)),
            Ok(_) => {}
            Err(error) => found.push(Err((path, error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_stands_for_the_documents_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("b/deep")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join("empty")).unwrap();
        for name in
            ["c.yaml", "a.json", "b/deep/x.YML", "b/y.yaml", "b.txt", "README.md", ".git/z.yaml", ".h.json"]
        {
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("b/loop")).unwrap();
        let names = |paths: &[PathBuf]| -> Vec<String> {
            expand(paths)
                .into_iter()
                .map(|found| match found {
                    Ok(path) => path.strip_prefix(root).unwrap_or(&path).display().to_string(),
                    Err((path, _)) => format!("! {}", path.strip_prefix(root).unwrap().display()),
                })
                .collect()
        };
        assert_eq!(names(&[root.to_owned()]), ["a.json", "b/deep/x.YML", "b/y.yaml", "c.yaml"]);
        let some = ["c.yaml", "empty", "b.txt", "nowhere"].map(|name| root.join(name));
        assert_eq!(names(&some), ["c.yaml", "! empty", "b.txt", "nowhere"]);
        assert_eq!(names(&[PathBuf::from("-")]), ["-"]);
    }
}
