//! What a scalar's text means: YAML 1.1's types, as `PyYAML`'s safe loader tells and reads them.

use std::borrow::Cow;

use super::timestamp::{self, Timestamp};

/// The types that a document may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Str,
    Timestamp,
    Seq,
    Map,
    /// `<<`, which counts only as a key.
    Merge,
    /// `=`, which counts only as a key.
    Value,
}

impl Tag {
    /// Returns the tag that is written out as `uri`; every other is refused.
    pub(super) fn from_uri(uri: &str) -> Option<Self> {
        Some(match uri.strip_prefix("tag:yaml.org,2002:")? {
            "null" => Self::Null,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            "str" => Self::Str,
            "timestamp" => Self::Timestamp,
            "seq" => Self::Seq,
            "map" => Self::Map,
            _ => return None,
        })
    }

    /// Returns the type of a scalar that has neither a tag nor quotes.
    pub(super) fn of_plain(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" | "no" | "No" | "NO"
            | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Self::Bool,
            "<<" => Self::Merge,
            "=" => Self::Value,
            _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => Self::Str,
            _ if is_float(text) => Self::Float,
            _ if is_int(text) => Self::Int,
            _ if timestamp::is_plain(text) => Self::Timestamp,
            _ => Self::Str,
        }
    }
}

/// A scalar with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    /// Decimal digits without leading zeros, `-` before them where the number is negative.
    Int(String),
    Float(f64),
    Str(Cow<'t, str>),
    Timestamp(Timestamp),
}

/// Why a scalar is not of its type.
pub(super) type Misfit = &'static str;

impl<'t> Scalar<'t> {
    /// Reads `text` as what `tag` says, be it written there or resolved.
    pub(super) fn read(tag: Tag, text: Cow<'t, str>) -> Result<Self, Misfit> {
        match tag {
            Tag::Null => Ok(Self::Null),
            Tag::Bool => bool(&text).map(Self::Bool).ok_or("not a boolean"),
            Tag::Int => int(&text).map(Self::Int),
            Tag::Float => float(&text).map(Self::Float),
            Tag::Timestamp => Timestamp::read(&text).map(Self::Timestamp),
            Tag::Str | Tag::Seq | Tag::Map | Tag::Merge | Tag::Value => Ok(Self::Str(text)),
        }
    }
}

// Telling the type of a plain scalar.

/// Eats its way through ASCII text.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'t>(pub(super) &'t [u8]);

impl<'t> Bytes<'t> {
    pub(super) fn eat(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        match self.0.split_first() {
            Some((&byte, rest)) if wanted(byte) => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// Eats at most `most` bytes and returns them.
    pub(super) fn run(&mut self, most: usize, wanted: impl Fn(u8) -> bool) -> &'t [u8] {
        let length = self.0.iter().take(most).take_while(|&&byte| wanted(byte)).count();
        let (run, rest) = self.0.split_at(length);
        self.0 = rest;
        run
    }

    pub(super) fn digits(&mut self, most: usize) -> &'t [u8] {
        self.run(most, |byte| byte.is_ascii_digit())
    }

    fn sign(&mut self) {
        self.eat(|byte| matches!(byte, b'+' | b'-'));
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// `:` and a number below 60, as often as they come; tells whether they come at all.
    fn sixties(&mut self) -> bool {
        let mut any = false;
        loop {
            let mut ahead = *self;
            if !ahead.eat(|byte| byte == b':') {
                return any;
            }
            match ahead.digits(usize::MAX) {
                [_] | [b'0'..=b'5', _] => {}
                _ => return any,
            }
            *self = ahead;
            any = true;
        }
    }
}

fn is_digit_or_gap(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

fn is_int(text: &str) -> bool {
    let mut rest = Bytes(text.as_bytes());
    rest.sign();
    match rest.0 {
        [b'0'] => true,
        [b'0', b'b', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(|b| matches!(b, b'0' | b'1' | b'_'))
        }
        [b'0', b'x', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(|b| b.is_ascii_hexdigit() || *b == b'_')
        }
        [b'0', digits @ ..] => digits.iter().all(|b| matches!(b, b'0'..=b'7' | b'_')),
        [b'1'..=b'9', ..] => {
            rest.run(usize::MAX, is_digit_or_gap);
            rest.is_empty() || (rest.sixties() && rest.is_empty())
        }
        _ => false,
    }
}

fn is_float(text: &str) -> bool {
    let mut rest = Bytes(text.as_bytes());
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if rest.0.first() == Some(&b'.') && rest.0.get(1).is_some_and(u8::is_ascii_digit) {
        rest.run(1, |_| true);
        rest.run(usize::MAX, is_digit_or_gap);
        return exponent_or_end(rest);
    }
    rest.sign();
    if matches!(rest.0, b".inf" | b".Inf" | b".INF") {
        return true;
    }
    if !rest.0.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    rest.run(usize::MAX, is_digit_or_gap);
    let sixties = rest.sixties();
    if !rest.eat(|byte| byte == b'.') {
        return false;
    }
    rest.run(usize::MAX, is_digit_or_gap);
    if sixties { rest.is_empty() } else { exponent_or_end(rest) }
}

/// An exponent must have its sign: `1.0e3` is a string.
fn exponent_or_end(mut rest: Bytes<'_>) -> bool {
    if rest.eat(|byte| matches!(byte, b'e' | b'E')) {
        return rest.eat(|byte| matches!(byte, b'+' | b'-'))
            && !rest.digits(usize::MAX).is_empty()
            && rest.is_empty();
    }
    rest.is_empty()
}

// Reading a scalar of a known type.

fn bool(text: &str) -> Option<bool> {
    let is = |word: &&str| text.eq_ignore_ascii_case(word);
    if ["yes", "true", "on"].iter().any(is) {
        Some(true)
    } else if ["no", "false", "off"].iter().any(is) {
        Some(false)
    } else {
        None
    }
}

/// The longest integer in decimal digits: what Python 3.11 converts between text and number.
const MOST_DIGITS: usize = 4300;

const NO_INT: Misfit = "not an integer";
const LONG_INT: Misfit = "an integer of more than 4300 digits";

fn int(text: &str) -> Result<String, Misfit> {
    let digits = text.replace('_', "");
    let (negative, digits) = split_sign(&digits);
    let magnitude = match digits.as_bytes() {
        [] => return Err(NO_INT),
        [b'0'] => String::from("0"),
        [b'0', b'b', ..] => from_radix(2, &digits[2..])?,
        [b'0', b'x', ..] => from_radix(16, &digits[2..])?,
        [b'0', ..] => from_radix(8, &digits[1..])?,
        _ if digits.contains(':') => from_sixties(digits)?,
        bytes if bytes.iter().all(u8::is_ascii_digit) => String::from(digits),
        _ => return Err(NO_INT),
    };
    if magnitude.len() > MOST_DIGITS {
        return Err(LONG_INT);
    }
    Ok(if negative && magnitude != "0" { format!("-{magnitude}") } else { magnitude })
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn from_radix(radix: u32, digits: &str) -> Result<String, Misfit> {
    if digits.len() > MOST_DIGITS * 4 {
        return Err(LONG_INT);
    }
    Ok(Natural::from_digits(radix, digits).ok_or(NO_INT)?.to_decimal())
}

/// `1:30:00` is 5400.
fn from_sixties(digits: &str) -> Result<String, Misfit> {
    if digits.len() > MOST_DIGITS {
        return Err(LONG_INT);
    }
    let mut places = digits.split(':');
    let first = places.next().and_then(|place| Natural::from_digits(10, place));
    let mut number = first.ok_or(NO_INT)?;
    for place in places {
        let value = Some(place).filter(|place| place.bytes().all(|byte| byte.is_ascii_digit()));
        number.multiply_add(60, value.and_then(|place| place.parse().ok()).ok_or(NO_INT)?);
    }
    Ok(number.to_decimal())
}

/// A natural number of any size, in limbs of nine decimal digits, the lowest first.
#[derive(Default)]
struct Natural(Vec<u32>);

impl Natural {
    const LIMB: u64 = 1_000_000_000;

    fn from_digits(radix: u32, digits: &str) -> Option<Self> {
        let mut number = Self::default();
        let (mut factor, mut value) = (1, 0);
        for c in digits.chars() {
            // As many digits at once as fit.
            if factor > u32::MAX / radix {
                number.multiply_add(factor, value);
                (factor, value) = (1, 0);
            }
            factor *= radix;
            value = value * radix + c.to_digit(radix)?;
        }
        number.multiply_add(factor, value);
        (!digits.is_empty()).then_some(number)
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.0 {
            let value = u64::from(*limb) * u64::from(factor) + carry;
            *limb = u32::try_from(value % Self::LIMB).unwrap_or_default();
            carry = value / Self::LIMB;
        }
        while carry > 0 {
            self.0.push(u32::try_from(carry % Self::LIMB).unwrap_or_default());
            carry /= Self::LIMB;
        }
    }

    fn to_decimal(&self) -> String {
        let Some((highest, rest)) = self.0.split_last() else { return String::from("0") };
        rest.iter().rev().fold(highest.to_string(), |text, limb| text + &format!("{limb:09}"))
    }
}

const NO_FLOAT: Misfit = "not a float";

/// Places of base 60 whose powers a double holds exactly.
const MOST_SIXTIES: usize = 13;

fn float(text: &str) -> Result<f64, Misfit> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (negative, magnitude) = split_sign(&text);
    let value = match magnitude {
        ".inf" => f64::INFINITY,
        ".nan" => return Ok(f64::NAN),
        _ if magnitude.contains(':') => {
            let mut value = 0.0;
            let mut place_value = 1.0;
            if magnitude.split(':').count() > MOST_SIXTIES {
                return Err("a float of too many places of base 60");
            }
            for place in magnitude.rsplit(':') {
                value += decimal(place)? * place_value;
                place_value *= 60.0;
            }
            value
        }
        _ => decimal(magnitude)?,
    };
    Ok(if negative { -value } else { value })
}

/// Digits with a fraction and an exponent, or one of Python's words.
fn decimal(text: &str) -> Result<f64, Misfit> {
    let word = matches!(text, "inf" | "infinity" | "nan");
    if word || text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return text.parse().map_err(|_| NO_FLOAT);
    }
    Err(NO_FLOAT)
}
