//! What hostile YAML costs at the default bounds: milliseconds, never more than in proportion to its length.

use std::time::Instant;

use bumpalo::Bump;
use sealpipe::value::Limits;
use sealpipe::yaml;

fn milliseconds(text: &str) -> u128 {
    let start = Instant::now();
    let _ = yaml::load(text, &Bump::new(), &Limits::DEFAULT);
    start.elapsed().as_millis()
}

/// The bound allows a slow machine and a build without optimization.
#[test]
fn hostile_texts_are_cheap() {
    let pieces = [
        "[", "{", "- ", "? ", "a: ", ": ", ":", "{? ", "[a: ", "''", "' ", "[\n", "]", "a ] ", "!a ", "&a ",
        "!", "|\n", "\n", "-\n", "\t", "---\n", "'',", "1:59", "0x", "<<: {", "- - \n", "? - ", "\"", "\\",
        "#", "%", "\u{2028}",
    ];
    for piece in pieces {
        for prefix in ["", "[", "{", "a: ", "\"", "|\n ", "- "] {
            let mut text = prefix.to_owned();
            text.push_str(&piece.repeat((131_072 - prefix.len()) / piece.len()));
            assert!(milliseconds(&text) < 2000, "{prefix:?} {piece:?}");
        }
    }
    let directives = (0..8000).fold(String::new(), |text, at| text + &format!("%TAG !{at}! x\n"));
    assert!(milliseconds(&directives) < 2000, "directives");
    let hex = format!("0x{},", "f".repeat(3500)).repeat(36);
    assert!(milliseconds(&format!("[{hex}]")) < 2000, "long integers");
}
