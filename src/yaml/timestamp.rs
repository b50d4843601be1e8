//! YAML 1.1 timestamps: dates, and dates with a time, read from their text and printed as ISO 8601.
//!
//! This is not the timestamp of a contract's freshness: that is a string in ISO 8601, this a type of YAML.

use std::fmt;

use super::resolve::{Bytes, Misfit};

/// A date, or a date and a time of day with or without an offset from UTC; all parts in range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timestamp {
    year: u16,
    month: u8,
    day: u8,
    time: Option<Time>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Time {
    hour: u8,
    minute: u8,
    second: u8,
    microsecond: u32,
    /// In minutes east of UTC.
    offset: Option<i16>,
}

/// What a timestamp is equal to as a mapping's key: the same date, the same local time, or the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    Date(u16, u8, u8),
    /// In microseconds from the year 0 on.
    Local(i64),
    /// In microseconds from the year 0 on, in UTC.
    Instant(i64),
}

/// Returns true where a plain scalar is a timestamp: two digits each in a date alone, one or two before a time.
pub(super) fn is_plain(text: &str) -> bool {
    Parts::read(text).is_some_and(|parts| parts.time.is_some() || text.len() == 10)
}

impl Timestamp {
    /// Reads a date such as `2026-1-2` or a date and a time such as `2026-11-02 10:00:00.5 +1`.
    pub(super) fn read(text: &str) -> Result<Self, Misfit> {
        let Parts { date: [year, month, day], time } = Parts::read(text).ok_or("not a timestamp")?;
        if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) {
            return Err("a date that no calendar has");
        }
        let time = match time {
            Some((time @ [hour, minute, second], microsecond, offset)) => {
                if hour > 23 || minute > 59 || second > 59 {
                    return Err("a time that no clock shows");
                }
                let offset = match offset {
                    Some(offset) if offset.abs() >= 24 * 60 => return Err("an offset of a day or more"),
                    other => other,
                };
                let [hour, minute, second] = time.map(narrow);
                Some(Time { hour, minute, second, microsecond, offset })
            }
            None => None,
        };
        Ok(Self { year, month: narrow(month), day: narrow(day), time })
    }

    pub(super) fn moment(self) -> Moment {
        let Self { year, month, day, time } = self;
        let Some(time) = time else { return Moment::Date(year, month, day) };
        let seconds = ((days_before(year, u16::from(month)) + i64::from(day)) * 24 + i64::from(time.hour))
            * 3600
            + i64::from(time.minute) * 60
            + i64::from(time.second);
        match time.offset {
            None => Moment::Local(seconds * 1_000_000 + i64::from(time.microsecond)),
            Some(offset) => {
                Moment::Instant((seconds - i64::from(offset) * 60) * 1_000_000 + i64::from(time.microsecond))
            }
        }
    }
}

/// As Python's `isoformat` prints it.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day, time } = self;
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        let Some(Time { hour, minute, second, microsecond, offset }) = time else { return Ok(()) };
        write!(f, "T{hour:02}:{minute:02}:{second:02}")?;
        if *microsecond > 0 {
            write!(f, ".{microsecond:06}")?;
        }
        if let Some(offset) = offset {
            let sign = if *offset < 0 { '-' } else { '+' };
            let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
            write!(f, "{sign}{hours:02}:{minutes:02}")?;
        }
        Ok(())
    }
}

/// The digits of a timestamp before anyone looks whether they make sense.
struct Parts {
    date: [u16; 3],
    /// Hour, minute and second; microseconds; the offset in minutes.
    time: Option<([u16; 3], u32, Option<i16>)>,
}

impl Parts {
    fn read(text: &str) -> Option<Self> {
        let mut rest = Bytes(text.as_bytes());
        let year = number(&mut rest, 4, 4)?;
        let month = part(&mut rest, b'-', 1)?;
        let day = part(&mut rest, b'-', 1)?;
        let date = [year, month, day];
        if rest.is_empty() {
            return Some(Self { date, time: None });
        }
        let blanks = rest.run(usize::MAX, is_blank).len();
        if blanks == 0 && !rest.eat(|byte| matches!(byte, b'T' | b't')) {
            return None;
        }
        let hour = number(&mut rest, 1, 2)?;
        let minute = part(&mut rest, b':', 2)?;
        let second = part(&mut rest, b':', 2)?;
        let mut microsecond = 0;
        if rest.eat(|byte| byte == b'.') {
            let mut unit = 100_000;
            for digit in rest.digits(usize::MAX).iter().take(6) {
                microsecond += u32::from(digit - b'0') * unit;
                unit /= 10;
            }
        }
        let offset = if rest.is_empty() { None } else { Some(offset(&mut rest)?) };
        rest.is_empty().then_some(Self { date, time: Some(([hour, minute, second], microsecond, offset)) })
    }
}

/// `Z`, or a sign, hours and perhaps minutes, blanks before either.
fn offset(rest: &mut Bytes<'_>) -> Option<i16> {
    rest.run(usize::MAX, is_blank);
    if rest.eat(|byte| byte == b'Z') {
        return Some(0);
    }
    let negative = rest.eat(|byte| byte == b'-');
    if !negative && !rest.eat(|byte| byte == b'+') {
        return None;
    }
    let hours = number(rest, 1, 2)?;
    let minutes = if rest.is_empty() { 0 } else { part(rest, b':', 2)? };
    let total = i16::try_from(hours * 60 + minutes).ok()?;
    Some(if negative { -total } else { total })
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn part(rest: &mut Bytes<'_>, separator: u8, least: usize) -> Option<u16> {
    rest.eat(|byte| byte == separator).then_some(())?;
    number(rest, least, 2)
}

fn number(rest: &mut Bytes<'_>, least: usize, most: usize) -> Option<u16> {
    let digits = rest.digits(most);
    (digits.len() >= least)
        .then(|| digits.iter().fold(0, |value, digit| value * 10 + u16::from(digit - b'0')))
}

fn narrow(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u16, month: u16) -> u16 {
    match month {
        2 => 28 + u16::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_before(year: u16, month: u16) -> i64 {
    let years = i64::from(year);
    let leap_days = (years + 3) / 4 - (years + 99) / 100 + (years + 399) / 400;
    years * 365 + leap_days + (1..month).map(|month| i64::from(days_in(year, month))).sum::<i64>()
}
