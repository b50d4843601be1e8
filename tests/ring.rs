//! The rings: what decides names no file, clock, environment, thread or socket and prints nothing; nothing at all
//! reaches a network; nothing is unsafe. This reads the sources as text, for what no lint can say.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::path::{Path, PathBuf};

/// The modules of the shell, which may read, write and look at the clock. Every other one is of the core.
const SHELL: [&str; 6] = ["cli", "import", "lib", "main", "pipe", "render"];

/// What no file of the core may name.
const NOT_IN_THE_CORE: [&str; 22] = [
    "std::io",
    "std::fs",
    "std::env",
    "std::time",
    "std::process",
    "std::thread",
    "std::net",
    "std::os",
    "SystemTime",
    "Instant::now",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "dbg!",
    "rayon",
    "rustix",
    "signal_hook",
    "indicatif",
    "anstream",
    "crate::pipe",
    "crate::cli",
];

/// What no file at all may name. A pair of connected descriptors inside the process is no network.
const NOT_ANYWHERE: [&str; 12] = [
    "std::net",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "UnixListener",
    "UnixDatagram",
    "UnixStream::connect",
    "rustix::net",
    "unsafe {",
    "unsafe fn",
    "unsafe impl",
    "unsafe extern",
];

/// Crates that open sockets or look up names, or exist to do so.
const NETWORK_CRATES: [&str; 32] = [
    "async-std",
    "attohttpc",
    "curl",
    "curl-sys",
    "h2",
    "hickory-resolver",
    "hyper",
    "hyper-util",
    "isahc",
    "minreq",
    "mio",
    "native-tls",
    "openssl",
    "openssl-sys",
    "quinn",
    "reqwest",
    "rustls",
    "smol",
    "socket2",
    "ssh2",
    "surf",
    "tiny_http",
    "tokio",
    "tonic",
    "trust-dns-resolver",
    "tungstenite",
    "ureq",
    "url",
    "warp",
    "webpki",
    "websocket",
    "zmq",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the Rust files below a directory, each with its text, comments left out.
fn sources(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.ends_with("target") {
                continue;
            }
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code: String = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .flat_map(|line| {
                    [
                        line, "
",
                    ]
                })
                .collect();
            found.push((path, code));
        }
    }
    found
}

/// Returns the code before the tests of a file: those may read fixtures.
fn without_tests(code: &str) -> &str {
    let end = code.find("#[cfg(test)]\nmod tests {").unwrap_or(code.len());
    &code[..end]
}

/// Returns the module of `src` that a file belongs to.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).unwrap();
    let first = inside.components().next().unwrap();
    Path::new(first.as_os_str()).file_stem().unwrap().to_str().unwrap().to_owned()
}

fn is_tests(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
        || path.file_stem().is_some_and(|name| name == "tests")
}

/// Returns the paths that the code names: `use std::{fs, io::Read}` names `std::fs` and `std::io::Read`.
fn names(code: &str) -> String {
    let mut all = String::new();
    for statement in code.split("use ").skip(1) {
        let Some((tree, _)) = statement.split_once(';') else { continue };
        expand("", &tree.split_whitespace().collect::<String>(), &mut all);
    }
    all.push_str(code);
    all
}

fn expand(prefix: &str, tree: &str, all: &mut String) {
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in tree.char_indices().chain([(tree.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = &tree[start..at];
                match part.split_once('{') {
                    Some((head, rest)) => {
                        expand(&format!("{prefix}{head}"), rest.strip_suffix('}').unwrap_or(rest), all);
                    }
                    None => all.extend([prefix, part, "\n"]),
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns true where `code` has `name` as a whole word.
fn mentions(code: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        // A module `x::std::…` would be another one, and `print!` is the end of `eprint!`.
        !before.is_some_and(|c| is_word(c) || c == ':')
            && (name.ends_with('!') || !after.is_some_and(is_word))
    })
}

#[test]
fn the_core_reads_no_file_no_clock_and_no_environment_and_prints_nothing() {
    let mut wrong = Vec::new();
    let mut read = 0;
    for (path, code) in sources(&root().join("src")) {
        if SHELL.contains(&module(&path).as_str()) || is_tests(&path) {
            continue;
        }
        read += 1;
        let names = names(without_tests(&code));
        for name in NOT_IN_THE_CORE {
            if mentions(&names, name) {
                wrong.push(format!("{} names {name}", path.display()));
            }
        }
    }
    assert!(read > 40, "only {read} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_source_has_network_code_or_is_unsafe() {
    let mut wrong = Vec::new();
    for directory in ["src", "tests", "benches"].map(|name| root().join(name)) {
        if !directory.is_dir() {
            continue;
        }
        for (path, code) in sources(&directory) {
            if path.ends_with("tests/ring.rs") {
                continue;
            }
            let names = names(&code);
            for name in NOT_ANYWHERE {
                if mentions(&names, name) {
                    wrong.push(format!("{} names {name}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    assert!(!root().join("build.rs").exists(), "nothing runs while building");
}

#[test]
fn no_dependency_has_network_code() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let packages: Vec<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    assert!(packages.len() > 20);
    let found: Vec<&&str> = packages.iter().filter(|name| NETWORK_CRATES.contains(*name)).collect();
    assert!(found.is_empty(), "{found:?}");
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rustix = manifest.lines().find(|line| line.starts_with("rustix ")).unwrap();
    assert!(!rustix.contains("\"net\""), "{rustix}");
}

#[test]
fn the_reading_itself_finds_what_it_looks_for() {
    for (code, name, expected) in [
        ("use std::io;", "std::io", true),
        ("use std::{fmt, io::Read};", "std::io", true),
        (
            "use std::{\n    collections::{BTreeMap, HashMap},\n    time::{Duration, Instant},\n};",
            "std::time",
            true,
        ),
        ("use std::{a::{b, c}, time::{Duration, Instant}};", "std::time::Instant", true),
        ("let x = std::env::var(\"x\");", "std::env", true),
        ("use std::iter;", "std::io", false),
        ("use core::fmt;", "std::io", false),
        ("eprintln!(\"x\")", "println!", false),
        ("println!(\"x\")", "println!", true),
        ("let at = Instant::now();", "Instant::now", true),
        ("use crate::time::Timestamp;", "std::time", false),
        ("unsafe { x }", "unsafe {", true),
        ("3  something unsafe  4", "unsafe {", false),
    ] {
        assert_eq!(mentions(&names(code), name), expected, "{code} {name}");
    }
}
