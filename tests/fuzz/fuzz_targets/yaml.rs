//! Any text as YAML: loaded or refused, quickly; never a panic.

#![no_main]

use bumpalo::Bump;
use libfuzzer_sys::fuzz_target;
use sealpipe::value::Limits;
use sealpipe::{Bundle, Contract, yaml};

fuzz_target!(|text: &[u8]| {
    if let Ok(text) = std::str::from_utf8(text) {
        let arena = Bump::new();
        if let Ok(document) = yaml::load(text, &arena, &Limits::DEFAULT) {
            assert_eq!(document.check_bounds(&Limits::DEFAULT), Ok(()));
        }
    }
    let _ = Contract::from_yaml(text);
    let _ = Bundle::from_yaml(text);
});
