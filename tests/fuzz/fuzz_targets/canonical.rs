//! Any bytes as JSON: both parsers agree, what they take serde_json takes too, and canonical form is its own canonical form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sealpipe::canon::Writer;
use sealpipe::value::{Limits, Parser};

fuzz_target!(|text: &[u8]| {
    let (mut fast, mut exact) = (Parser::default(), Parser::default());
    let (fast, exact) = (fast.parse(text), exact.parse_exact(text));
    let (fast, exact) = match (fast, exact) {
        (Ok(fast), Ok(exact)) => (fast, exact),
        (Err(fast), Err(exact)) => return assert_eq!(fast, exact),
        (Ok(_), Err(error)) => panic!("the fast parser takes what the exact one refuses: {error}"),
        (Err(error), Ok(_)) => panic!("the fast parser refuses what the exact one takes: {error}"),
    };
    assert_eq!(fast.check_bounds(&Limits::DEFAULT), exact.check_bounds(&Limits::DEFAULT));
    assert_eq!(fast.has_duplicate_keys(), exact.has_duplicate_keys());
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let outcome = Writer::default().write(fast.root(), &mut one);
    assert_eq!(outcome, Writer::default().write(exact.root(), &mut other));
    for root in [fast.root(), exact.root()] {
        assert_eq!(Writer::default().text(root, &mut Vec::new()), outcome.map(|()| one.as_slice()));
    }
    if outcome.is_err() {
        return;
    }
    assert_eq!(one, other);
    let mut again = Parser::default();
    let again = again.parse(&one).expect("canonical text is JSON");
    let mut twice = Vec::new();
    Writer::default().write(again.root(), &mut twice).expect("canonical text has a canonical form");
    assert_eq!(one, twice);
    assert!(!again.has_duplicate_keys());
    // serde_json's own depth limit is 128.
    if again
        .check_bounds(&Limits {
            depth: 120,
            ..Limits { bytes: usize::MAX, nodes: usize::MAX, characters: usize::MAX, depth: 0 }
        })
        .is_ok()
    {
        serde_json::from_slice::<serde_json::Value>(text).expect("serde_json takes it too");
    }
});
