//! What Python reads and prints, row by row, and that every day reads back.

use proptest::prelude::*;

use super::TimestampError::{NoOffset, NotATimestamp};
use super::{DAY, FIRST, LAST, SECOND, Timestamp, TimestampError, YEAR_1000, Zulu, date_of, days_of};
use super::{read_any, read_common};

fn micros(result: Result<Timestamp, TimestampError>) -> Result<i64, TimestampError> {
    result.map(Timestamp::as_micros)
}

/// What Python 3.11.7 says about each text.
const TEXTS: &[(&str, Result<i64, TimestampError>)] = &[
    // The common form.
    ("2026-11-02T11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50:00+00:00", Ok(1_793_620_200_000_000)),
    ("2026-11-02 11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50:00.5Z", Ok(1_793_620_200_500_000)),
    ("2026-11-02T11:50:00.123456+00:00", Ok(1_793_620_200_123_456)),
    ("2026-11-02T11:50:00.123456789Z", Ok(1_793_620_200_123_456)),
    ("2026-11-02T11:50:00.9999999Z", Ok(1_793_620_200_999_999)),
    ("1970-01-01T00:00:00Z", Ok(0)),
    ("1969-12-31T23:59:59.999999Z", Ok(-1)),
    ("2024-02-29T00:00:00Z", Ok(1_709_164_800_000_000)),
    ("2023-02-29T00:00:00Z", Err(NotATimestamp)),
    ("2000-02-29T00:00:00Z", Ok(951_782_400_000_000)),
    ("1900-02-29T00:00:00Z", Err(NotATimestamp)),
    ("2026-04-31T00:00:00Z", Err(NotATimestamp)),
    ("2026-00-10T00:00:00Z", Err(NotATimestamp)),
    ("2026-13-10T00:00:00Z", Err(NotATimestamp)),
    ("2026-11-00T00:00:00Z", Err(NotATimestamp)),
    ("2026-11-02T24:00:00Z", Err(NotATimestamp)),
    ("2026-11-02T23:60:00Z", Err(NotATimestamp)),
    ("2026-11-02T23:59:60Z", Err(NotATimestamp)),
    ("2026-11-02T11:50:00.Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50:00.5xZ", Err(NotATimestamp)),
    ("2026-11-02T11:50:00-00:00", Ok(1_793_620_200_000_000)),
    // Separators.
    ("2026-11-02t11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02_11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02-11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02+11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02:11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02011:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02\u{e9}11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02\u{4e2d}11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02\u{1f600}11:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02\x0011:50:00Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02  11:50:00Z", Err(NotATimestamp)),
    ("2026-11-02\u{301} 11:50:00Z", Err(NotATimestamp)),
    ("2026-11-0211:50:00Z", Err(NotATimestamp)),
    // Dates.
    ("20261102T11:50:00Z", Ok(1_793_620_200_000_000)),
    ("20261102T115000Z", Ok(1_793_620_200_000_000)),
    ("2026-1102T11:50:00Z", Err(NotATimestamp)),
    ("202611-02T11:50:00Z", Err(NotATimestamp)),
    ("2026-11T11:50:00Z", Err(NotATimestamp)),
    ("2026-306T11:50:00Z", Err(NotATimestamp)),
    ("2026306T11:50:00Z", Err(NotATimestamp)),
    ("26-11-02T11:50:00Z", Err(NotATimestamp)),
    ("+2026-11-02T11:50:00Z", Err(NotATimestamp)),
    ("0000-01-01T00:00:00Z", Err(NotATimestamp)),
    ("0001-01-01T00:00:00Z", Ok(-62_135_596_800_000_000)),
    ("9999-12-31T23:59:59.999999Z", Ok(253_402_300_799_999_999)),
    ("10000-01-01T00:00:00Z", Err(NotATimestamp)),
    ("\u{662}026-11-02T11:50:00Z", Err(NotATimestamp)),
    ("2026-11-0\u{662}T11:50:00Z", Err(NotATimestamp)),
    // Week dates.
    ("2026-W45T11:50Z", Ok(1_793_620_200_000_000)),
    ("2026W45T11:50Z", Ok(1_793_620_200_000_000)),
    ("2026-W45-1T11:50Z", Ok(1_793_620_200_000_000)),
    ("2026W451T11:50Z", Ok(1_793_620_200_000_000)),
    ("2026-W45-7T11:50Z", Ok(1_794_138_600_000_000)),
    ("2026-W45-0T11:50Z", Err(NotATimestamp)),
    ("2026-W45-8T11:50Z", Err(NotATimestamp)),
    ("2026-W00T11:50Z", Err(NotATimestamp)),
    ("2026-W53T11:50Z", Ok(1_798_458_600_000_000)),
    ("2025-W53T11:50Z", Err(NotATimestamp)),
    ("2020-W53-7T11:50Z", Ok(1_609_674_600_000_000)),
    ("2027-W01-1T00Z", Ok(1_799_020_800_000_000)),
    ("0001-W01-1T00Z", Ok(-62_135_596_800_000_000)),
    ("9999-W52-5T00Z", Ok(253_402_214_400_000_000)),
    ("9999-W52-6T00Z", Err(NotATimestamp)),
    ("2026-W451T11Z", Err(NotATimestamp)),
    ("2026W45-1T11Z", Err(NotATimestamp)),
    ("2026-w45T11Z", Err(NotATimestamp)),
    ("2020-W01-0000Z", Ok(1_577_664_000_000_000)),
    ("2020-W01-00Z", Ok(1_577_664_000_000_000)),
    ("2020-W01-5011Z", Err(NotATimestamp)),
    ("2020W01500Z", Ok(1_577_664_000_000_000)),
    ("2020W0150030Z", Ok(1_577_665_800_000_000)),
    ("2020W01003Z", Ok(1_577_674_800_000_000)),
    ("2020W01500300Z", Ok(1_578_020_400_000_000)),
    ("2020W0110030+01", Ok(1_577_662_200_000_000)),
    ("2020-W01-", Err(NotATimestamp)),
    ("2020W01", Err(NoOffset)),
    // Times.
    ("2026-11-02T11Z", Ok(1_793_617_200_000_000)),
    ("2026-11-02T1150Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T115000Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T115000.25Z", Ok(1_793_620_200_250_000)),
    ("2026-11-02T115000,25Z", Ok(1_793_620_200_250_000)),
    ("2026-11-02T11:50:00,25Z", Ok(1_793_620_200_250_000)),
    ("2026-11-02T11.5Z", Ok(1_793_617_200_500_000)),
    ("2026-11-02T11:50.5Z", Ok(1_793_620_200_500_000)),
    ("2026-11-02T11:5000Z", Err(NotATimestamp)),
    ("2026-11-02T1150:00Z", Err(NotATimestamp)),
    ("2026-11-02T1:50:00Z", Err(NotATimestamp)),
    ("2026-11-02T11:5:00Z", Err(NotATimestamp)),
    ("2026-11-02T11:50:0Z", Err(NotATimestamp)),
    ("2026-11-02T11:50:00:30Z", Ok(1_793_620_200_300_000)),
    ("2026-11-02T11500030Z", Ok(1_793_620_200_300_000)),
    ("2026-11-02T115000:30Z", Err(NotATimestamp)),
    ("2026-11-02T11:50:00.-5Z", Err(NotATimestamp)),
    ("2026-11-02T11:50:00 Z", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50:00.123456abcZ", Ok(1_793_620_200_123_456)),
    ("2026-11-02T11:50:00.12345abcZ", Err(NotATimestamp)),
    ("2026-11-02T11:+00:00", Ok(1_793_617_200_000_000)),
    ("2026-11-02T11xZ", Ok(1_793_617_200_000_000)),
    ("2026-11-02T11:50:xZ", Err(NotATimestamp)),
    ("2026-11-02TZ", Err(NotATimestamp)),
    ("2026-11-02T+01:00", Err(NotATimestamp)),
    ("2026-11-02T11:50:00\u{2212}05:00", Err(NotATimestamp)),
    // Offsets.
    ("2026-11-02T11:50+01", Ok(1_793_616_600_000_000)),
    ("2026-11-02T11:50-0130", Ok(1_793_625_600_000_000)),
    ("2026-11-02T11:50+01:30:15", Ok(1_793_614_785_000_000)),
    ("2026-11-02T11:50+013015", Ok(1_793_614_785_000_000)),
    ("2026-11-02T11:50-01:30:15.25", Ok(1_793_625_615_250_000)),
    ("2026-11-02T11:50+23:59:59.999999", Ok(1_793_533_800_000_001)),
    ("2026-11-02T11:50-23:59:59.999999", Ok(1_793_706_599_999_999)),
    ("2026-11-02T11:50+24:00", Err(NotATimestamp)),
    ("2026-11-02T11:50-24:00", Err(NotATimestamp)),
    ("2026-11-02T11:50+23:60", Err(NotATimestamp)),
    ("2026-11-02T11:50+22:99:59", Ok(1_793_535_001_000_000)),
    ("2026-11-02T11:50-00:00:00.5", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50-00:00:01.5", Ok(1_793_620_201_500_000)),
    ("2026-11-02T11:50+1", Err(NotATimestamp)),
    ("2026-11-02T11:50+01:", Err(NotATimestamp)),
    ("2026-11-02T11:50+", Err(NotATimestamp)),
    ("2026-11-02T11:50:00+00:00:30", Ok(1_793_620_170_000_000)),
    ("2026-11-02T11:50+01:00:00:5", Ok(1_793_616_599_500_000)),
    ("2026-11-02T11:50+01:00 ", Err(NotATimestamp)),
    ("2026-11-02T11:50+01:00+01:00", Err(NotATimestamp)),
    ("2026-11-02T11:50+-1:00", Err(NotATimestamp)),
    ("2026-11-02T11:50UTC", Err(NotATimestamp)),
    ("0001-01-01T00:00+23:59", Ok(-62_135_683_140_000_000)),
    ("9999-12-31T23:59:59-23:59", Ok(253_402_387_139_000_000)),
    // Every Z is an offset.
    ("2026-11-02Z", Err(NoOffset)),
    ("20261102Z+01:00", Ok(1_793_574_000_000_000)),
    ("20261102Z-0130", Ok(1_793_583_000_000_000)),
    ("2026-11-02Z11:50:00Z", Err(NotATimestamp)),
    ("2026-11-02T11:50ZZ", Err(NotATimestamp)),
    ("2026-11-02T11:50Z+00:00", Err(NotATimestamp)),
    ("2026-11-02T11:50+00:00Z", Err(NotATimestamp)),
    ("2026-11-02T11:50z", Err(NotATimestamp)),
    ("2026-11-02T11:50:00Z ", Err(NotATimestamp)),
    ("2026-11-02T11:50:00Z\n", Err(NotATimestamp)),
    (" 2026-11-02T11:50:00Z", Err(NotATimestamp)),
    ("Z", Err(NotATimestamp)),
    ("ZZ", Err(NotATimestamp)),
    ("2026Z11-02", Err(NotATimestamp)),
    // NUL hides the rest of a part.
    ("2026-11-02T11:50:00Z\0", Ok(1_793_620_200_000_000)),
    ("2026-11-02T11:50:00.123456\0junk", Err(NoOffset)),
    ("2026-11-02T11:50:00.5\0junk", Err(NotATimestamp)),
    ("2026-11-02T11:50+01:00:00.500000\0junk", Ok(1_793_616_599_500_000)),
    ("2026-11-02T11:50+01:00:00.5\0junk", Err(NotATimestamp)),
    ("2026-11-02T11:50+01\0", Ok(1_793_616_600_000_000)),
    ("2026-11-02T11:50+01\x000", Err(NotATimestamp)),
    ("2026-11-02\0", Err(NotATimestamp)),
    ("2026-11-02T11\0", Err(NoOffset)),
    // No offset.
    ("2026-11-02", Err(NoOffset)),
    ("20261102", Err(NoOffset)),
    ("2026-W45", Err(NoOffset)),
    ("2026W451", Err(NoOffset)),
    ("2026-11-02T11:50:00", Err(NoOffset)),
    ("2026-11-02T11:50:00.5", Err(NoOffset)),
    ("2026-11-02T", Err(NotATimestamp)),
    ("2026-11-02\u{e9}", Err(NotATimestamp)),
    ("2026-11-02 ", Err(NotATimestamp)),
    ("2026-11-02T11:50:00:", Err(NotATimestamp)),
    ("2026-11-02T11:50:", Err(NotATimestamp)),
    // No timestamp at all.
    ("", Err(NotATimestamp)),
    ("0", Err(NotATimestamp)),
    ("2026", Err(NotATimestamp)),
    ("202611", Err(NotATimestamp)),
    ("2026-11", Err(NotATimestamp)),
    ("1793620200", Err(NotATimestamp)),
    ("1793620200.5", Err(NotATimestamp)),
    ("now", Err(NotATimestamp)),
    ("T11:50:00Z", Err(NotATimestamp)),
    ("11:50:00Z", Err(NotATimestamp)),
    (
        "2026-11-02T11:50:00.000000000000000000000000000000000000000000000000000000000000Z",
        Ok(1_793_620_200_000_000),
    ),
    ("2026/11/02T11:50:00Z", Err(NotATimestamp)),
    ("Mon, 02 Nov 2026 11:50:00 GMT", Err(NotATimestamp)),
    ("2026-11-02T11:50:00[Europe/Paris]", Err(NotATimestamp)),
    ("\u{feff}2026-11-02T11:50:00Z", Err(NotATimestamp)),
];

#[test]
fn reads_what_python_reads() {
    for &(text, expected) in TEXTS {
        assert_eq!(micros(Timestamp::parse(text)), expected, "{text:?}");
    }
}

#[test]
fn assumes_utc_only_where_the_offset_is_missing() {
    for &(text, expected) in TEXTS {
        let assumed = micros(Timestamp::parse_assuming_utc(text));
        match expected {
            Err(NoOffset) => assert!(assumed.is_ok(), "{text:?}"),
            _ => assert_eq!(assumed, expected, "{text:?}"),
        }
    }
    let cases = [
        ("2026-11-02", 1_793_577_600_000_000),
        ("2026-11-02T11:50:00.5", 1_793_620_200_500_000),
        ("2026-11-02Z", 1_793_577_600_000_000),
        ("2026-11-02T11:50:00.123456\0junk", 1_793_620_200_123_456),
    ];
    for (text, expected) in cases {
        assert_eq!(micros(Timestamp::parse_assuming_utc(text)), Ok(expected), "{text:?}");
    }
}

#[test]
fn leniency_adds_a_final_lower_case_z_and_nothing_else() {
    for &(text, expected) in TEXTS {
        let lenient = micros(Timestamp::parse_lenient(text));
        if !text.ends_with('z') {
            assert_eq!(lenient, expected, "{text:?}");
        }
    }
    let cases = [
        ("2026-11-02t11:50:00z", Ok(1_793_620_200_000_000)),
        ("2026-11-02T11:50:00.25z", Ok(1_793_620_200_250_000)),
        ("20261102T1150z", Ok(1_793_620_200_000_000)),
        ("2026-11-02z11:50:00z", Ok(1_793_620_200_000_000)),
        ("2026-11-02z11:50:00Z", Ok(1_793_620_200_000_000)),
        ("20261102z", Err(NoOffset)),
        // One character may come last before an offset, so `zZ` is a timestamp, and this too.
        ("2026-11-02T11:50:00zz", Ok(1_793_620_200_000_000)),
        ("2026-11-02T11:50:00zzz", Err(NotATimestamp)),
        ("2026-11-02T11:50:00z ", Err(NotATimestamp)),
        ("2026-11-02T11:50:00+01:00z", Err(NotATimestamp)),
        ("2026-w45T11:50:00z", Err(NotATimestamp)),
        ("z", Err(NotATimestamp)),
    ];
    for (text, expected) in cases {
        assert_eq!(micros(Timestamp::parse_lenient(text)), expected, "{text:?}");
    }
}

#[test]
fn prints_utc_floored_to_the_second() {
    let cases = [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (1_793_620_200_999_999, "2026-11-02T11:50:00Z"),
        (951_782_400_000_000, "2000-02-29T00:00:00Z"),
        (YEAR_1000 - 1, "0999-12-31T23:59:59Z"),
        (FIRST, "0001-01-01T00:00:00Z"),
        (LAST, "9999-12-31T23:59:59Z"),
        (-62_135_683_140_000_000, "0000-12-31T00:01:00Z"),
        (253_402_387_139_000_000, "10000-01-01T23:58:59Z"),
    ];
    for (micros, expected) in cases {
        assert_eq!(Timestamp(micros).to_string(), expected);
    }
}

#[test]
fn stamps_are_whole_seconds_of_four_digit_years() {
    let cases = [
        (1_793_620_200_999_999, Some(1_793_620_200_000_000)),
        (-1, Some(-1_000_000)),
        (YEAR_1000, Some(YEAR_1000)),
        (YEAR_1000 - 1, None),
        (FIRST, None),
        (LAST, Some(LAST - 999_999)),
        (LAST + 1, None),
    ];
    for (clock, expected) in cases {
        assert_eq!(Timestamp(clock).stamp().map(Timestamp::as_micros), expected, "{clock}");
    }
}

#[test]
fn takes_the_wall_clock() {
    let cases = [
        (0, 0, 0),
        (1, 999, 1_000_000),
        (1, 999_999_999, 1_999_999),
        (-1, 999_999_999, -1),
        (i64::MAX, u32::MAX, LAST),
        (i64::MIN, 0, FIRST),
    ];
    for (seconds, nanos, expected) in cases {
        assert_eq!(Timestamp::from_unix(seconds, nanos).as_micros(), expected, "{seconds} {nanos}");
    }
}

#[test]
fn subtracts_between_the_ends_of_the_range() {
    let first = Timestamp::parse("0001-01-01T00:00+23:59:59.999999").unwrap();
    let last = Timestamp::parse("9999-12-31T23:59:59.999999-23:59:59.999999").unwrap();
    assert_eq!(last.micros_since(first), 315_537_897_599_999_999 + 2 * (DAY - 1));
    assert_eq!(first.micros_since(last), -last.micros_since(first));
    assert!(first < last);
}

#[test]
fn every_day_reads_back() {
    for days in FIRST / DAY..=LAST / DAY {
        let (year, month, day) = date_of(days);
        assert_eq!(days_of(year, month, day), Some(days));
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in prop_oneof![
        any::<String>(),
        "[0-9WZz:.,+\\-T \\x00\u{e9}\u{661}]{0,40}",
        "[0-9]{4}(-[0-9]{2}-[0-9]{2}|-?W[0-9]{2}-?[0-9]?|[0-9]{4})[T0W\u{e9}Z-][0-9:.Z+-]{0,24}",
    ]) {
        let strict = Timestamp::parse(&text);
        prop_assert!(strict.is_err() || strict == Timestamp::parse_lenient(&text));
        prop_assert_eq!(strict.err() == Some(NotATimestamp), Timestamp::parse_assuming_utc(&text).is_err());
        if let Ok(timestamp) = strict {
            prop_assert!((FIRST - DAY..=LAST + DAY).contains(&timestamp.as_micros()));
        }
    }

    #[test]
    fn printed_text_reads_back(micros in FIRST..=LAST) {
        let text = Timestamp(micros).to_string();
        let second = micros.div_euclid(SECOND) * SECOND;
        prop_assert_eq!(Timestamp::parse(&text), Ok(Timestamp(second)));
        let basic = text.replace(['-', ':'], "");
        prop_assert_eq!(Timestamp::parse(&basic), Ok(Timestamp(second)));
        let fraction = text.replace('Z', &format!(".{:06}-00:00", micros - second));
        prop_assert_eq!(Timestamp::parse(&fraction), Ok(Timestamp(micros)));
    }

    #[test]
    fn an_offset_moves_the_point(micros in FIRST..=LAST, offset in 0..86_400_i64, east: bool) {
        let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
        let sign = if east { '+' } else { '-' };
        let text = Timestamp(micros).to_string();
        let there = text.replace('Z', &format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"));
        let moved = if east { -offset } else { offset } * SECOND;
        let utc = Timestamp::parse(&text).unwrap();
        prop_assert_eq!(Timestamp::parse(&there).unwrap().micros_since(utc), moved);
    }

    #[test]
    fn the_straight_path_agrees_with_the_grammar(
        text in "[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9]([.][0-9]{0,9})?(Z|[+]00:00|z)",
    ) {
        let common = read_common(text.as_bytes()).map(|reading| (reading.local, reading.offset));
        let any = read_any(text.as_bytes(), Zulu::Upper).map(|reading| (reading.local, reading.offset));
        prop_assert!(common.is_none() || common == any, "{:?} {:?}", common, any);
    }
}
