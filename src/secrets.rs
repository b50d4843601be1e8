//! Credentials in references and ids: found by where they stand and by their shape, and masked. Not a scanner of texts.
//!
//! Three places: the user information of a URL (RFC 3986, 3.2.1), the value of a parameter with a telling name, and
//! tokens whose prefix says what they are. Too much masked is a reference that is harder to read; too little is a leak.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands where a credential was.
pub const MASK: &str = "[MASKED]";

/// Parts of the names of parameters that hold credentials, in lower case and without punctuation.
const TELLING: [&str; 16] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "signature",
    "credential",
    "auth",
    "session",
    "jwt",
    "bearer",
    "cookie",
    "assertion",
    "apikey",
];

/// Such names as a whole, too short to be looked for inside others.
const TELLING_NAMES: [&str; 5] = ["sig", "sas", "pass", "code", "pin"];

/// Patterns of this module, compiled once; a pattern that does not compile would mask nothing, so a test looks at each.
struct Patterns {
    user_information: Option<Regex>,
    password: Option<Regex>,
    authorization: Option<Regex>,
    token: Option<Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    Patterns {
    user_information: Regex::new(r"(://)[^/\s]*@").ok(),
    // A password may hold a slash; what looks like a port and a path is none.
    password: Regex::new(r"(://)([^\s/@:]+):([^\s@]*)@").ok(),
    authorization: Regex::new(r"(?i)\b(bearer|basic|digest)([\s:+]|%20)+[^\s,;&]+").ok(),
    token: Regex::new(concat!(
        r"(?:sk|rk|pk)[-_][A-Za-z0-9_-]{8,}",
        r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{16,}",
        r"|xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}",
        r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}",
        r"|eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)*",
        r"|(?:hf|npm|dop_v1|doo_v1|shpat|shpss|lin_api|whsec|dckr_pat|pul|r8|ntn)_[A-Za-z0-9]{16,}",
        r"|pypi-[A-Za-z0-9_-]{16,}|SG\.[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)?|AGE-SECRET-KEY-[A-Z0-9]+",
        r"|-----BEGIN[\s\S]*",
    ))
    .ok(),
}
});

/// Returns the text with every credential in it masked.
pub fn mask(text: &str) -> Cow<'_, str> {
    let patterns = &*PATTERNS;
    let mut masked = Cow::Borrowed(text);
    if text.contains("://") {
        let behind = |captures: &Captures<'_>| format!("{}{MASK}@", &captures[1]);
        masked = replace(masked, patterns.user_information.as_ref(), behind);
        masked = replace(masked, patterns.password.as_ref(), |captures| {
            let port = captures[3].bytes().take_while(u8::is_ascii_digit).count();
            let is_port = port > 0 && captures[3][port..].starts_with('/');
            if is_port || &captures[2] == MASK { captures[0].to_owned() } else { behind(captures) }
        });
    }
    if masked.contains('=') || masked.contains("%3") {
        masked = parameters(masked);
    }
    masked = replace(masked, patterns.authorization.as_ref(), |captures| format!("{} {MASK}", &captures[1]));
    replace(masked, patterns.token.as_ref(), |_| MASK.to_owned())
}

fn replace<'t>(
    text: Cow<'t, str>,
    pattern: Option<&Regex>,
    with: impl Fn(&Captures<'_>) -> String,
) -> Cow<'t, str> {
    // Without the pattern nothing can be told apart, so nothing is shown.
    let Some(pattern) = pattern else { return MASK.into() };
    match pattern.replace_all(&text, |captures: &Captures<'_>| with(captures)) {
        Cow::Borrowed(_) => text,
        Cow::Owned(replaced) => replaced.into(),
    }
}

/// Masks the values of parameters with telling names, wherever `name=value` stands, percent-encoded or not.
fn parameters(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut changed = false;
    let mut rest: &str = &text;
    while !rest.is_empty() {
        let end = find_first(rest, &["?", "&", ";", "#", ",", " ", "\t", "\n", "%26", "%3f", "%23", "%3b"]);
        let (piece, delimiter, after) = match end {
            Some((at, length)) => (&rest[..at], &rest[at..at + length], &rest[at + length..]),
            None => (rest, "", ""),
        };
        match value_of_telling_name(piece) {
            Some(at) if at < piece.len() && &piece[at..] != MASK => {
                out.push_str(&piece[..at]);
                out.push_str(MASK);
                changed = true;
            }
            _ => out.push_str(piece),
        }
        out.push_str(delimiter);
        rest = after;
    }
    if changed { out.into() } else { text }
}

/// Returns where the value begins, if a piece of a query is a name that tells and a value.
fn value_of_telling_name(piece: &str) -> Option<usize> {
    let mut from = 0;
    while let Some((at, length)) = find_first(&piece[from..], &["=", "%3d"]) {
        let name = &piece[from..from + at];
        from += at + length;
        if is_telling(name) {
            return Some(from);
        }
    }
    None
}

fn is_telling(name: &str) -> bool {
    let name = decoded(name.rsplit(['/', '@', ':']).next().unwrap_or(name));
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    TELLING.iter().any(|part| plain.contains(part)) || TELLING_NAMES.contains(&plain.as_str())
}

/// Returns a name with its percent-encoded ASCII characters decoded.
fn decoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(u8::is_ascii);
        match byte {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &after[2..];
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

/// Returns the first of several ASCII texts, in lower case and looked for without regard to it: place and length.
fn find_first(text: &str, wanted: &[&str]) -> Option<(usize, usize)> {
    (0..text.len()).find_map(|at| {
        let here = &text.as_bytes()[at..];
        let found = wanted.iter().find(|wanted| {
            here.get(..wanted.len()).is_some_and(|part| part.eq_ignore_ascii_case(wanted.as_bytes()))
        });
        found.map(|found| (at, found.len()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn masks_credentials() {
        for (text, expected) in [
            ("mcp://crm", "mcp://crm"),
            ("customer:42", "customer:42"),
            ("https://api.test/v1?id=42&page=2", "https://api.test/v1?id=42&page=2"),
            ("https://registry.test:443/@scope/pkg", "https://registry.test:443/@scope/pkg"),
            ("https://user:pw@db.test/app", "https://[MASKED]@db.test/app"),
            ("postgres://app:p@ss:w@db.test/app", "postgres://[MASKED]@db.test/app"),
            ("postgres://app:p/ss@db.test/app", "postgres://[MASKED]@db.test/app"),
            ("postgres://app:p#s?s@db.test/app", "postgres://[MASKED]@db.test/app"),
            ("https://x.test/?apiKey=sk-EXAMPLE-0000", "https://x.test/?apiKey=[MASKED]"),
            (
                "https://x.test/?api_key=a&q=1#access_token=b",
                "https://x.test/?api_key=[MASKED]&q=1#access_token=[MASKED]",
            ),
            ("https://x.test/?X-Amz-Signature=ab%2F==&x=1", "https://x.test/?X-Amz-Signature=[MASKED]&x=1"),
            ("https://x.test/?sig=ab&se=2026", "https://x.test/?sig=[MASKED]&se=2026"),
            ("https://x.test/?%74oken=ab", "https://x.test/?%74oken=[MASKED]"),
            (
                "https://x.test/?next=https%3A%2F%2Fy%3Ftoken%3Dabc%26a%3D1",
                "https://x.test/?next=https%3A%2F%2Fy%3Ftoken%3D[MASKED]%26a%3D1",
            ),
            ("token=abc, q=1", "token=[MASKED], q=1"),
            ("db:password=hunter2", "db:password=[MASKED]"),
            ("call-sk-EXAMPLE-0000", "call-[MASKED]"),
            ("run/ghp_0123456789abcdefghij", "run/[MASKED]"),
            ("AKIAIOSFODNN7EXAMPLE", "[MASKED]"),
            ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_ y", "x [MASKED] y"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [MASKED]"),
            ("key=", "key="),
            ("", ""),
        ] {
            assert_eq!(mask(text), expected, "{text}");
            assert_eq!(mask(expected), expected, "twice: {text}");
        }
        assert!(PATTERNS.user_information.is_some() && PATTERNS.password.is_some());
        assert!(PATTERNS.authorization.is_some() && PATTERNS.token.is_some());
    }

    proptest! {
        #[test]
        fn any_text_can_be_masked(text in "\\PC{0,64}|[a-z:/?&=%@# ]{0,64}") {
            mask(&text);
        }

        #[test]
        fn a_token_in_a_url_never_shows(host in "[a-z]{1,8}", name in "(api)?[kK]ey|[a-z]{0,3}token|sig", rest in "[a-z0-9=]{0,8}") {
            let text = format!("https://{host}.test/p?a={rest}&{name}=CANARY-{rest}&z=1");
            prop_assert!(!mask(&text).contains("CANARY"), "{}", mask(&text));
        }
    }
}
