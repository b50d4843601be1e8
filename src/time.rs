//! Timestamps: ISO 8601 text to a point in time and back; not a calendar, not a clock (*now* comes from outside).
//!
//! The grammar is the one of Python 3.11's `datetime.fromisoformat`, applied after every `Z` in the text became
//! `+00:00`. That is more than RFC 3339 (basic and week dates, any separator character, offsets down to the
//! microsecond) except for its leap second, less than ISO 8601 (no `24:00`, no ordinal date), and it has corners
//! that no standard describes; `Reader` and `read_clock` name them. Two programs that judge the same log must
//! agree on what a timestamp is, so the corners are kept. jiff and chrono read other grammars; the arithmetic
//! that remains once the text is read is a page, so neither is used.

use std::fmt;

/// A point in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Every value lies within a day of the years 1 to 9999, so differences never overflow. A timestamp whose own
/// date is in range may lie outside of it in UTC (`0001-01-01T00:00+23:59`); such values order and subtract
/// like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Why a text is no [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimestampError {
    /// The text does not match the grammar, or a part of it is out of range.
    NotATimestamp,
    /// The text is a date and time of day, but nothing says in which offset from UTC.
    NoOffset,
}

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotATimestamp => "not an ISO 8601 timestamp",
            Self::NoOffset => "timestamp without an offset from UTC",
        })
    }
}

impl std::error::Error for TimestampError {}

impl Timestamp {
    /// Returns the point in time that `text` names.
    ///
    /// # Errors
    /// [`TimestampError::NotATimestamp`] if Python 3.11's `datetime.fromisoformat` refuses the text after every
    /// `Z` became `+00:00`; [`TimestampError::NoOffset`] if it takes it but finds no offset.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        Reading::of(text.as_bytes(), Zulu::Upper)?.aware()
    }

    /// Like [`parse`](Self::parse), and a final lower-case `z` is `+00:00` too, as RFC 3339 allows.
    ///
    /// Every text that `parse` takes means the same here. (A lower-case `t` needs no leniency: any character
    /// may stand between date and time.)
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_lenient(text: &str) -> Result<Self, TimestampError> {
        Self::parse(text).or_else(|error| {
            if text.ends_with('z') { Reading::of(text.as_bytes(), Zulu::Final)?.aware() } else { Err(error) }
        })
    }

    /// Like [`parse`](Self::parse), but a text without an offset is read as UTC.
    ///
    /// # Errors
    /// [`TimestampError::NotATimestamp`], never `NoOffset`.
    pub fn parse_assuming_utc(text: &str) -> Result<Self, TimestampError> {
        let reading = Reading::of(text.as_bytes(), Zulu::Upper)?;
        Ok(Self(reading.local - reading.offset.unwrap_or(0)))
    }

    /// Returns the point `seconds` and `nanos` after 1970-01-01T00:00:00Z, cut to microseconds.
    ///
    /// This is how a wall clock comes in. Before 1970 `seconds` is negative and `nanos` still counts forward.
    /// What lies outside the years 1 to 9999 becomes the nearest end of that range.
    pub fn from_unix(seconds: i64, nanos: u32) -> Self {
        let micros = seconds.saturating_mul(SECOND).saturating_add(i64::from(nanos / 1000));
        Self(micros.clamp(FIRST, LAST))
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z.
    pub fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns how many microseconds `self` is after `earlier`; negative if it is before.
    pub fn micros_since(self, earlier: Self) -> i64 {
        // Both are within ±2.6e17, far from the ends of i64.
        self.0 - earlier.0
    }

    /// Returns the timestamp that a record stamped by the clock `self` carries: `self` floored to the second.
    ///
    /// `None` outside the years 1000 to 9999 UTC. The reference implementation stamps with `strftime`, which
    /// writes earlier years with fewer than four digits, so that its stamp is no timestamp when it is read again.
    pub fn stamp(self) -> Option<Self> {
        let floor = Self(self.0.div_euclid(SECOND) * SECOND);
        (YEAR_1000..=LAST).contains(&floor.0).then_some(floor)
    }
}

/// Writes `YYYY-MM-DDTHH:MM:SSZ`, in UTC, floored to the second.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.0.div_euclid(DAY));
        let second = self.0.rem_euclid(DAY) / SECOND;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Microseconds in a second.
const SECOND: i64 = 1_000_000;
/// Microseconds in a day.
const DAY: i64 = 86_400 * SECOND;
/// Days from 0001-01-01 to 1970-01-01.
const EPOCH: i64 = 719_162;
/// 0001-01-01T00:00:00Z.
const FIRST: i64 = -EPOCH * DAY;
/// 1000-01-01T00:00:00Z.
const YEAR_1000: i64 = -354_285 * DAY;
/// 9999-12-31T23:59:59.999999Z.
const LAST: i64 = 2_932_897 * DAY - 1;

/// What a text says: local date and time of day, and the offset if it names one, in microseconds.
#[derive(Clone, Copy)]
struct Reading {
    local: i64,
    offset: Option<i64>,
}

impl Reading {
    /// Reads a text: the common form on a straight path, every other by the whole grammar.
    fn of(text: &[u8], zulu: Zulu) -> Result<Self, TimestampError> {
        read_common(text).or_else(|| read_any(text, zulu)).ok_or(TimestampError::NotATimestamp)
    }

    /// Returns the point in time, if there is an offset.
    fn aware(self) -> Result<Timestamp, TimestampError> {
        let offset = self.offset.ok_or(TimestampError::NoOffset)?;
        Ok(Timestamp(self.local - offset))
    }
}

/// Reads `YYYY-MM-DDTHH:MM:SS[.f…](Z|+00:00)`, the form nearly every log has; `None` leaves it to [`read_any`].
fn read_common(text: &[u8]) -> Option<Reading> {
    let (
        &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T' | b' ', h1, h2, b':', n1, n2, b':', s1, s2],
        tail,
    ) = text.split_first_chunk()?
    else {
        return None;
    };
    let micros = match tail.strip_suffix(b"Z").or_else(|| tail.strip_suffix(b"+00:00"))? {
        [] => 0,
        [b'.', fraction @ ..] if !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit) => {
            fraction.iter().chain(b"00000").take(6).fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'))
        }
        _ => return None,
    };
    let date = days_of(number([y1, y2, y3, y4])?, number([m1, m2])?, number([d1, d2])?)?;
    let clock = Clock { parts: [number([h1, h2])?, number([n1, n2])?, number([s1, s2])?], micros };
    Some(Reading { local: date * DAY + clock.time_of_day()?, offset: Some(0) })
}

/// Reads any timestamp of the grammar.
fn read_any(text: &[u8], zulu: Zulu) -> Option<Reading> {
    let mut reader = Reader { rest: text, within: 0, zulu };
    let head = Head::of(reader);
    let length = head.date_length(reader)?;
    let midnight = head.date(length)? * DAY;
    for _ in 0..length {
        reader.next();
    }
    if !reader.skip_char() {
        return Some(Reading { local: midnight, offset: None });
    }
    let (clock, whole) = read_clock(&mut reader, End::Sign)?;
    let local = midnight + clock.time_of_day()?;
    reader.skip_to_sign();
    match reader.next() {
        // Without an offset the time of day must be all there is; before an offset the rest was passed over.
        None => whole.then_some(Reading { local, offset: None }),
        Some(sign) => {
            let (clock, whole) = read_clock(&mut reader, End::Text)?;
            let offset = clock.offset()?;
            whole.then_some(Reading { local, offset: Some(if sign == b'-' { -offset } else { offset }) })
        }
    }
}

/// Which letters stand for `+00:00`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zulu {
    /// Each upper-case `Z`, wherever it is.
    Upper,
    /// Those, and a lower-case `z` at the very end.
    Final,
}

/// The bytes of a text in which every `Z` has become `+00:00`, one at a time, without building that text.
///
/// The replacement comes before the reading and so applies everywhere: `20261102Z+01:00` is the 2nd of November,
/// the separator `+`, the time `00:00` and the offset `+01:00`.
#[derive(Clone, Copy)]
struct Reader<'a> {
    rest: &'a [u8],
    /// How many bytes of the replacement for `rest[0]` are read already.
    within: usize,
    zulu: Zulu,
}

impl Reader<'_> {
    const UTC: &'static [u8; 6] = b"+00:00";

    fn at_zulu(&self) -> bool {
        match self.rest {
            [b'Z', ..] => true,
            [b'z'] => self.zulu == Zulu::Final,
            _ => false,
        }
    }

    fn peek(&self) -> Option<u8> {
        if self.at_zulu() { Self::UTC.get(self.within).copied() } else { self.rest.first().copied() }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        if self.at_zulu() && self.within + 1 < Self::UTC.len() {
            self.within += 1;
        } else {
            self.rest = self.rest.get(1..).unwrap_or_default();
            self.within = 0;
        }
        Some(byte)
    }

    /// Passes over one character and says whether there was one.
    fn skip_char(&mut self) -> bool {
        let found = self.next().is_some();
        while self.peek().is_some_and(|byte| byte & 0xc0 == 0x80) {
            self.next();
        }
        found
    }

    fn digit(&mut self) -> Option<i64> {
        number([self.next()?])
    }

    fn two_digits(&mut self) -> Option<i64> {
        number([self.next()?, self.next()?])
    }

    fn is_at(&self, end: End) -> bool {
        match self.peek() {
            None => true,
            Some(byte) => end == End::Sign && matches!(byte, b'+' | b'-'),
        }
    }

    fn skip_to_sign(&mut self) {
        while !self.is_at(End::Sign) {
            self.next();
        }
    }
}

/// Where a time of day ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Before the first `+` or `-`, or with the text: a time of day.
    Sign,
    /// With the text: an offset.
    Text,
}

/// Hours, minutes, seconds as written, in that order, and microseconds.
struct Clock {
    parts: [i64; 3],
    micros: i64,
}

impl Clock {
    fn seconds(&self) -> i64 {
        let [hours, minutes, seconds] = self.parts;
        hours * 3600 + minutes * 60 + seconds
    }

    /// Returns the microseconds since midnight, if there is such a time of day. Leap seconds and 24:00 are not.
    fn time_of_day(&self) -> Option<i64> {
        let [hours, minutes, seconds] = self.parts;
        (hours < 24 && minutes < 60 && seconds < 60).then(|| self.seconds() * SECOND + self.micros)
    }

    /// Returns the microseconds of an offset, which must be shorter than a day.
    ///
    /// Its minutes and seconds may exceed 59, and one without whole seconds is UTC whatever its fraction says.
    fn offset(&self) -> Option<i64> {
        let seconds = self.seconds();
        let micros = if seconds == 0 { 0 } else { seconds * SECOND + self.micros };
        (micros < DAY).then_some(micros)
    }
}

/// Reads `HH[[:]MM[[:]SS]][fraction]`; says too whether nothing follows, which a NUL character hides.
///
/// Corners kept from Python 3.11: the fraction may follow any part; a third colon, or nothing at all after
/// `HHMMSS`, serves for the decimal point; a colon, point or any one character after a part may come last before
/// an offset; and past six digits of the fraction anything at all may stand before an offset.
fn read_clock(reader: &mut Reader<'_>, end: End) -> Option<(Clock, bool)> {
    let mut clock = Clock { parts: [0; 3], micros: 0 };
    let mut colons = false;
    for (index, part) in clock.parts.iter_mut().enumerate() {
        *part = reader.two_digits()?;
        if reader.is_at(end) {
            return Some((clock, reader.peek().is_none()));
        }
        let before = *reader;
        let mark = reader.next()?;
        if index == 0 {
            colons = mark == b':';
        }
        if reader.is_at(end) {
            return Some((clock, mark == 0));
        }
        match mark {
            b':' if colons => {}
            b'.' | b',' => break,
            _ if colons => return None,
            _ => *reader = before,
        }
    }
    let mut scale = SECOND;
    while scale > 1 && !reader.is_at(end) {
        scale /= 10;
        clock.micros += reader.digit()? * scale;
    }
    while reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        reader.next();
    }
    Some((clock, reader.peek().is_none_or(|byte| byte == 0)))
}

/// The first bytes of a text, enough to hold any date and the byte after it; zero where there is none.
struct Head {
    bytes: [u8; 11],
    /// How many bytes there are, at most all of `bytes`.
    length: usize,
}

impl Head {
    fn of(mut reader: Reader<'_>) -> Self {
        let mut head = Self { bytes: [0; 11], length: 0 };
        for (slot, byte) in head.bytes.iter_mut().zip(std::iter::from_fn(|| reader.next())) {
            *slot = byte;
            head.length += 1;
        }
        head
    }

    /// Returns how many bytes the date takes. Only the shape is looked at, before anything is known to be valid.
    ///
    /// As any character may separate date and time, `YYYY-Www-` and a digit or two could be a day of the week and
    /// a digit for a separator, or a hyphen for a separator and an hour: it is the second. Where `YYYYWww` goes on
    /// in digits, their number tells: one is the day of the week; of more, as a time of day has an even number, an
    /// even number begins with day and separator and an odd one with the separator.
    fn date_length(&self, reader: Reader<'_>) -> Option<usize> {
        if self.length == 7 {
            return Some(7);
        }
        Some(match (self.bytes[4], self.bytes[5]) {
            (b'-', b'W') => match self.bytes[8] {
                b'-' if self.length == 9 => return None,
                b'-' if !self.bytes[10].is_ascii_digit() => 10,
                _ => 8,
            },
            (b'-', _) => 10,
            (b'W', _) => {
                let mut reader = reader;
                let digits =
                    std::iter::from_fn(|| reader.next()).skip(7).take_while(u8::is_ascii_digit).count();
                if digits == 0 || (digits > 1 && digits % 2 == 1) { 7 } else { 8 }
            }
            _ => 8,
        })
    }

    /// Returns the days from 1970-01-01 to the date in the first `length` bytes.
    fn date(&self, length: usize) -> Option<i64> {
        match *self.bytes.get(..length)? {
            [y1, y2, y3, y4, b'-', b'W', w1, w2] | [y1, y2, y3, y4, b'W', w1, w2] => {
                days_of_week(number([y1, y2, y3, y4])?, number([w1, w2])?, 1)
            }
            [y1, y2, y3, y4, b'-', b'W', w1, w2, b'-', d] | [y1, y2, y3, y4, b'W', w1, w2, d] => {
                days_of_week(number([y1, y2, y3, y4])?, number([w1, w2])?, number([d])?)
            }
            [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] | [y1, y2, y3, y4, m1, m2, d1, d2] => {
                days_of(number([y1, y2, y3, y4])?, number([m1, m2])?, number([d1, d2])?)
            }
            _ => None,
        }
    }
}

/// Returns the number that ASCII digits write; `None` if a byte is none.
fn number<const N: usize>(digits: [u8; N]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, &byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the days from 1970-01-01 to the first of January of a year from 1 on.
fn days_of_year(year: i64) -> i64 {
    let before = year - 1;
    before * 365 + before / 4 - before / 100 + before / 400 - EPOCH
}

/// Returns the days from 1970-01-01 to a date of the years 1 to 9999; `None` if there is no such date.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let index = usize::try_from(month).ok()?.checked_sub(1)?;
    let (&before, &until) = (BEFORE.get(index)?, BEFORE.get(index + 1)?);
    let leap = i64::from(is_leap(year));
    let in_month = until - before + if month == 2 { leap } else { 0 };
    ((1..=9999).contains(&year) && (1..=in_month).contains(&day))
        .then(|| days_of_year(year) + before + if month > 2 { leap } else { 0 } + day - 1)
}

/// Returns the days from 1970-01-01 to an ISO 8601 week date (Monday is day 1); `None` if there is none.
///
/// The year is that of the week; the days of its first and last weeks may belong to the years beside it, but not
/// beyond 9999.
fn days_of_week(year: i64, week: i64, day: i64) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=7).contains(&day) {
        return None;
    }
    let january = days_of_year(year);
    // 1970-01-01 was a Thursday: Monday is 0.
    let weekday = (january + 3).rem_euclid(7);
    let weeks = if weekday == 3 || (weekday == 2 && is_leap(year)) { 53 } else { 52 };
    // The first week is the one with the year's first Thursday.
    let monday = january - weekday + if weekday > 3 { 7 } else { 0 };
    let days = monday + (week - 1) * 7 + day - 1;
    ((1..=weeks).contains(&week) && days * DAY <= LAST).then_some(days)
}

/// Returns year, month and day of the date `days` after 1970-01-01, in the proleptic Gregorian calendar.
fn date_of(days: i64) -> (i64, i64, i64) {
    // Years that begin in March put the leap day last; 0000-03-01 begins an era of 400 years.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + carry, month, day)
}

#[cfg(test)]
mod tests;
