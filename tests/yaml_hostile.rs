//! Hostile YAML as long as the default bounds allow: every text is refused or loaded within them, and none takes so long
//! that this test would not end. What they cost is measured in `benches/stages.rs`.

use bumpalo::Bump;
use sealpipe::Reason;
use sealpipe::value::Limits;
use sealpipe::yaml;

fn ends(text: &str) {
    let arena = Bump::new();
    match yaml::load(text, &arena, &Limits::DEFAULT) {
        Ok(document) => assert_eq!(document.check_bounds(&Limits::DEFAULT), Ok(()), "{:?}", &text[..24]),
        Err(refusal) => assert!(
            matches!(refusal.reason, Reason::LimitExceeded | Reason::ParseFailed | Reason::UnsafeInput),
            "{:?}: {refusal}",
            &text[..24]
        ),
    }
}

#[test]
fn hostile_texts_end() {
    let pieces = [
        "[", "{", "- ", "? ", "a: ", ": ", ":", "{? ", "[a: ", "''", "' ", "[\n", "]", "a ] ", "!a ", "&a ",
        "!", "|\n", "\n", "-\n", "\t", "---\n", "'',", "1:59", "0x", "<<: {", "- - \n", "? - ", "\"", "\\",
        "#", "%", "\u{2028}",
    ];
    for piece in pieces {
        for prefix in ["", "[", "{", "a: ", "\"", "|\n ", "- "] {
            let mut text = prefix.to_owned();
            text.push_str(&piece.repeat((131_072 - prefix.len()) / piece.len()));
            ends(&text);
        }
    }
    let directives = (0..8000).fold(String::new(), |text, at| text + &format!("%TAG !{at}! x\n"));
    ends(&directives);
    let hex = format!("0x{},", "f".repeat(3500)).repeat(36);
    ends(&format!("[{hex}]"));
}
