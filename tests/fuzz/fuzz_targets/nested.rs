//! Any bytes as what stands between the quotes of a JSON string: read where it stands it is the document that its decoded
//! text is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sealpipe::canon::Writer;
use sealpipe::value::{Limits, Parser};

fuzz_target!(|raw: &[u8]| {
    let line = [b"[\"", raw, b"\"]"].concat();
    let (mut outer, mut nested, mut decoded) = (Parser::default(), Parser::default(), Parser::default());
    let Ok(outer) = outer.parse(&line) else { return };
    let Some(string) = outer.root().as_array().and_then(|array| array.iter().next()) else { return };
    let Some(text) = string.as_str() else { return };
    let (nested, decoded) = match (nested.parse_string(string), decoded.parse_exact(text.as_bytes())) {
        (Ok(nested), Ok(decoded)) => (nested, decoded),
        (nested, decoded) => return assert_eq!(nested.map(|_| ()), decoded.map(|_| ())),
    };
    assert_eq!(format!("{:?}", nested.root()), format!("{:?}", decoded.root()));
    assert_eq!(nested.has_duplicate_keys(), decoded.has_duplicate_keys());
    for limit in [1, 2, 3, 8] {
        let limits = Limits { depth: limit, nodes: 4 * limit, characters: limit, ..Limits::DEFAULT };
        assert_eq!(nested.check_bounds(&limits), decoded.check_bounds(&limits));
    }
    let (mut one, mut other) = (Vec::new(), Vec::new());
    assert_eq!(
        Writer::default().text(nested.root(), &mut one),
        Writer::default().text(decoded.root(), &mut other)
    );
});
