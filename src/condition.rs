//! Conditions on a payload: what means failure, emptiness, absence or more to come. Data only, no expressions.
//!
//! A condition has three answers. [`Answer::Unclear`] is the one where the payload does not decide it: the path names
//! nothing, or a value of a type that cannot be compared. Whoever asks takes it for the answer that does not seal. What
//! each operator makes of a path that names nothing:
//!
//! | operator | nothing there |
//! |---|---|
//! | `exists: true`, `exists: false` | no, yes |
//! | `non_empty: true` | no |
//! | `is_empty: true` | unclear |
//! | `equals`, `in`, `matches`, `minimum`, `maximum` | unclear |
//! | `equals_path`, `differs_from`, `exceeds_count_of` | unclear, whichever of the two paths it is |

use std::cmp::Ordering;

use crate::contract::Collector;
use crate::contract::read::{unknown_member, with_article};
use crate::fields::read_pointer;
use crate::pattern::Pattern;
use crate::scalar::{self, Scalar};
use crate::value::{Kind, Object, Pointer, Value};

/// Whether a condition holds. The order is that of "any of them": the greatest answer is the answer of all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// It does not hold.
    No,
    /// The payload does not decide it.
    Unclear,
    /// It holds.
    Yes,
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

impl std::ops::Not for Answer {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Unclear => Self::Unclear,
            Self::Yes => Self::No,
        }
    }
}

/// One condition, or several that must hold together.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A test on one path.
    Test(Test),
    /// Every one of these tests; not empty.
    All(Box<[Test]>),
}

/// A test on one path.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Where in the payload.
    pub path: Pointer,
    /// What is asked of it.
    pub operator: Operator,
}

/// What a test asks.
#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// The value is this scalar, of this type.
    Equals(Scalar),
    /// It is one of these.
    In(Box<[Scalar]>),
    /// There is a value, null included; or there is none.
    Exists(bool),
    /// It is null, `""`, `[]` or `{}`.
    IsEmpty,
    /// It is there and none of these.
    NonEmpty,
    /// It is a string in which the pattern is found.
    Matches(Pattern),
    /// It is a number that is not below this one.
    Minimum(Scalar),
    /// It is a number that is not above this one.
    Maximum(Scalar),
    /// It is the same as the value there.
    EqualsPath(Pointer),
    /// It is another one than the value there.
    DiffersFrom(Pointer),
    /// It is a number above the count of elements or members there.
    ExceedsCountOf(Pointer),
}

impl Operator {
    const NAMES: [&'static str; 11] = [
        "equals",
        "in",
        "exists",
        "is_empty",
        "non_empty",
        "matches",
        "minimum",
        "maximum",
        "equals_path",
        "differs_from",
        "exceeds_count_of",
    ];

    /// Returns what is asked, in words that hold no value.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Equals(_) => "the value that the contract names",
            Self::In(_) => "one of the values that the contract names",
            Self::Exists(true) => "present",
            Self::Exists(false) => "absent",
            Self::IsEmpty => "empty",
            Self::NonEmpty => "not empty",
            Self::Matches(_) => "a match of the contract's pattern",
            Self::Minimum(_) => "a number from the contract's minimum on",
            Self::Maximum(_) => "a number up to the contract's maximum",
            Self::EqualsPath(_) => "the same as the other path of the condition",
            Self::DiffersFrom(_) => "another one than the other path of the condition",
            Self::ExceedsCountOf(_) => "a number above the count at the other path of the condition",
        }
    }
}

impl Condition {
    /// Returns whether the condition holds for a payload.
    pub fn answer(&self, payload: Value<'_>) -> Answer {
        self.tests().iter().map(|test| test.answer(payload)).min().unwrap_or(Answer::Unclear)
    }

    /// Returns the tests that must hold together; at least one.
    pub fn tests(&self) -> &[Test] {
        match self {
            Self::Test(test) => std::slice::from_ref(test),
            Self::All(tests) => tests,
        }
    }
}

/// Returns the answer of a list in which every condition must hold; no where the list is empty.
pub fn all(conditions: &[Condition], payload: Value<'_>) -> Answer {
    conditions.iter().map(|condition| condition.answer(payload)).min().unwrap_or(Answer::No)
}

impl Test {
    /// Returns whether the test holds for a payload.
    pub fn answer(&self, payload: Value<'_>) -> Answer {
        let value = self.path.resolve(payload);
        match &self.operator {
            Operator::Exists(expected) => return (value.is_some() == *expected).into(),
            Operator::NonEmpty => return value.is_some_and(|value| !is_empty(value)).into(),
            _ => {}
        }
        let Some(value) = value else { return Answer::Unclear };
        match &self.operator {
            Operator::Exists(_) | Operator::NonEmpty => Answer::Unclear,
            Operator::IsEmpty => is_empty(value).into(),
            Operator::Equals(scalar) => equals(scalar, value),
            Operator::In(scalars) => {
                // One that is equal decides; else one that was unclear leaves it open, unless another was comparable.
                let answers = scalars.iter().map(|scalar| equals(scalar, value));
                let (mut best, mut any_no) = (Answer::No, false);
                for answer in answers {
                    any_no |= answer == Answer::No;
                    best = best.max(answer);
                }
                let near = scalars
                    .iter()
                    .any(|scalar| scalar::compare(scalar.kind(), value.kind()) == Some(Ordering::Equal));
                if best == Answer::Unclear && any_no && !near { Answer::No } else { best }
            }
            Operator::Matches(pattern) => match value.as_str() {
                Some(text) => pattern.is_found_in(text).into(),
                None => Answer::Unclear,
            },
            Operator::Minimum(bound) => ordered(value, bound, Ordering::is_ge),
            Operator::Maximum(bound) => ordered(value, bound, Ordering::is_le),
            Operator::EqualsPath(other) => match other.resolve(payload) {
                Some(other) => alike(value, other),
                None => Answer::Unclear,
            },
            Operator::DiffersFrom(other) => match other.resolve(payload) {
                Some(other) => !alike(value, other),
                None => Answer::Unclear,
            },
            Operator::ExceedsCountOf(other) => {
                let count = match other.resolve(payload).map(Value::kind) {
                    Some(Kind::Array(array)) => array.len(),
                    Some(Kind::Object(object)) => object.len(),
                    _ => return Answer::Unclear,
                };
                let count = Scalar::Integer(i64::try_from(count).unwrap_or(i64::MAX));
                ordered(value, &count, Ordering::is_gt)
            }
        }
    }
}

/// Returns true for null, `""`, `[]` and `{}`.
pub fn is_empty(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::String(text) => text.is_empty(),
        Kind::Array(array) => array.is_empty(),
        Kind::Object(object) => object.is_empty(),
        Kind::Bool(_) | Kind::Integer(_) | Kind::Float(_) | Kind::Timestamp(_) => false,
    }
}

fn ordered(value: Value<'_>, bound: &Scalar, holds: impl Fn(Ordering) -> bool) -> Answer {
    scalar::compare(value.kind(), bound.kind()).map_or(Answer::Unclear, |order| holds(order).into())
}

/// Whether a value is the scalar that a contract names. Values of another type decide nothing: the author thought of
/// a member that this payload does not have. Null named by the contract is the exception, as every value may be it.
fn equals(scalar: &Scalar, value: Value<'_>) -> Answer {
    match (scalar.kind(), value.kind()) {
        (a, b) if scalar::same(a, b) => Answer::Yes,
        (Kind::Null, _) | (Kind::Bool(_), Kind::Bool(_)) | (Kind::String(_), Kind::String(_)) => Answer::No,
        // 1 and 1.0 are not the same, and yet too near to be taken for different.
        (a, b) => match scalar::compare(a, b) {
            Some(Ordering::Less | Ordering::Greater) => Answer::No,
            Some(Ordering::Equal) | None => Answer::Unclear,
        },
    }
}

/// Whether two values of a payload are the same, all the way down.
///
/// Unclear where only the type of a number or null tells them apart.
pub fn alike(a: Value<'_>, b: Value<'_>) -> Answer {
    // No document is deeper than `value::MAX_DEPTH`, so the recursion ends.
    match (a.kind(), b.kind()) {
        (Kind::Array(a), Kind::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b.iter()).map(|(a, b)| alike(a, b)).min().unwrap_or(Answer::Yes)
        }
        (Kind::Object(a), Kind::Object(b)) if a.len() == b.len() => a
            .iter()
            .map(|(key, value)| match key.as_str().and_then(|key| b.get(key)) {
                Some(other) => alike(value, other),
                None => Answer::No,
            })
            .min()
            .unwrap_or(Answer::Yes),
        (Kind::Array(_), Kind::Array(_)) | (Kind::Object(_), Kind::Object(_)) => Answer::No,
        (a, b) if scalar::same(a, b) => Answer::Yes,
        // A timestamp of YAML may be the same point in another spelling.
        (Kind::Null | Kind::Timestamp(_), _)
        | (_, Kind::Null | Kind::Timestamp(_))
        // "42" and 42 may well be one id: neither the same nor surely another.
        | (Kind::String(_), Kind::Integer(_) | Kind::Float(_) | Kind::Bool(_))
        | (Kind::Integer(_) | Kind::Float(_) | Kind::Bool(_), Kind::String(_)) => Answer::Unclear,
        (a @ (Kind::Integer(_) | Kind::Float(_)), b @ (Kind::Integer(_) | Kind::Float(_))) => {
            match scalar::compare(a, b) {
                Some(Ordering::Less | Ordering::Greater) => Answer::No,
                Some(Ordering::Equal) | None => Answer::Unclear,
            }
        }
        _ => Answer::No,
    }
}

/// The most conditions of one list, and the most values of an `in`.
const MOST: usize = 64;

/// Returns the conditions that an array holds; reports what is wrong with them.
pub(crate) fn read_list(value: Value<'_>, report: &mut Collector<'_>) -> Option<Box<[Condition]>> {
    let Some(array) = value.as_array().filter(|array| !array.is_empty() && array.len() <= MOST) else {
        report.invalid(format!("must be an array of 1 to {MOST} conditions"));
        return None;
    };
    let mut conditions: Vec<Condition> = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let mut report = report.at(&index.to_string());
        let Some(condition) = read(element, &mut report) else { continue };
        if conditions.contains(&condition) {
            report.warn("stands here twice");
        }
        conditions.push(condition);
    }
    (conditions.len() == array.len()).then(|| conditions.into())
}

fn read(value: Value<'_>, report: &mut Collector<'_>) -> Option<Condition> {
    let object = as_condition(value, report)?;
    let Some(all) = object.get("all") else { return test(object, report).map(Condition::Test) };
    if object.len() > 1 {
        report.invalid("has members beside `all`; put them into it");
        return None;
    }
    let mut report = report.at("all");
    let Some(array) = all.as_array().filter(|array| !array.is_empty() && array.len() <= MOST) else {
        report.invalid(format!("must be an array of 1 to {MOST} conditions"));
        return None;
    };
    let mut tests: Vec<Test> = Vec::with_capacity(array.len());
    for (index, element) in array.iter().enumerate() {
        let mut report = report.at(&index.to_string());
        let Some(object) = as_condition(element, &mut report) else { continue };
        if object.get("all").is_some() {
            report.at("all").invalid("nests one level only");
            continue;
        }
        let Some(test) = test(object, &mut report) else { continue };
        if tests.iter().any(|other| contradict(other, &test)) {
            report.warn("contradicts an earlier one of the same `all`: together they can never hold");
        }
        tests.push(test);
    }
    (tests.len() == array.len()).then(|| Condition::All(tests.into()))
}

/// Whether two tests on the same path can surely not hold together; not every such pair is found.
fn contradict(a: &Test, b: &Test) -> bool {
    let against = |a: &Operator, b: &Operator| match (a, b) {
        (Operator::Exists(false), other) => !matches!(other, Operator::Exists(false)),
        (Operator::IsEmpty, Operator::NonEmpty) => true,
        (Operator::Equals(x), Operator::Equals(y)) => !scalar::same(x.kind(), y.kind()),
        (Operator::Minimum(least), Operator::Maximum(most)) => {
            scalar::compare(least.kind(), most.kind()) == Some(Ordering::Greater)
        }
        _ => false,
    };
    a.path == b.path && (against(&a.operator, &b.operator) || against(&b.operator, &a.operator))
}

fn as_condition<'t>(value: Value<'t>, report: &mut Collector<'_>) -> Option<Object<'t>> {
    let object = value.as_object();
    if object.is_none() {
        report.invalid(format!("a condition is an object with `path`, not {}", with_article(value)));
    }
    object
}

fn test(object: Object<'_>, report: &mut Collector<'_>) -> Option<Test> {
    let mut operators = Vec::new();
    let mut sound = true;
    for (key, value) in object.iter() {
        match key.as_str() {
            Some("path") => {}
            Some(name) if Operator::NAMES.contains(&name) => operators.push((name, value)),
            name => {
                let name = name.unwrap_or_default();
                let known = ["path"].into_iter().chain(Operator::NAMES).chain(["all"]);
                report.at(name).invalid(unknown_member(name, known));
                sound = false;
            }
        }
    }
    let path = match object.get("path") {
        Some(value) => read_pointer(value, &mut report.at("path")),
        None => {
            report.at("path").invalid("is missing; it must be a JSON Pointer, or \"\" for the whole payload");
            None
        }
    };
    let &[(name, value)] = operators.as_slice() else {
        let names = Operator::NAMES.join(", ");
        match operators.len() {
            0 if !sound => {}
            0 => report.invalid(format!("asks nothing of its path; add one of {names}")),
            _ => report.invalid("asks several things at once; use `all` with one condition for each"),
        }
        return None;
    };
    let operator = operator(name, value, &mut report.at(name));
    let test = Test { path: path?, operator: operator? };
    let other = match &test.operator {
        Operator::EqualsPath(other) | Operator::DiffersFrom(other) | Operator::ExceedsCountOf(other) => {
            Some(other)
        }
        _ => None,
    };
    if other == Some(&test.path) {
        report.at(name).invalid("is the condition's own path, so that it always has the same answer");
        return None;
    }
    sound.then_some(test)
}

fn operator(name: &str, value: Value<'_>, report: &mut Collector<'_>) -> Option<Operator> {
    let number = |report: &mut Collector<'_>| match Scalar::of(value) {
        Some(scalar @ (Scalar::Integer(_) | Scalar::BigInteger(_) | Scalar::Float(_))) => Some(scalar),
        _ => {
            report.invalid(format!("must be a finite number, not {}", with_article(value)));
            None
        }
    };
    match name {
        "equals" => scalar_of(value, report).map(Operator::Equals),
        "in" => {
            let Some(array) = value.as_array().filter(|array| !array.is_empty() && array.len() <= MOST)
            else {
                report.invalid(format!("must be an array of 1 to {MOST} values"));
                return None;
            };
            let read = |(index, element): (usize, _)| scalar_of(element, &mut report.at(&index.to_string()));
            let scalars: Vec<Scalar> = array.iter().enumerate().filter_map(read).collect();
            (scalars.len() == array.len()).then(|| Operator::In(scalars.into()))
        }
        "exists" => match value.as_bool() {
            Some(expected) => Some(Operator::Exists(expected)),
            None => {
                report.invalid(format!("must be true or false, not {}", with_article(value)));
                None
            }
        },
        "is_empty" | "non_empty" => {
            let (operator, other) = match name {
                "is_empty" => (Operator::IsEmpty, "non_empty"),
                _ => (Operator::NonEmpty, "is_empty"),
            };
            if value.as_bool() == Some(true) {
                return Some(operator);
            }
            report.invalid(format!("must be true; for the opposite use `{other}: true`"));
            None
        }
        "matches" => Pattern::read(value, report).map(Operator::Matches),
        "minimum" => number(report).map(Operator::Minimum),
        "maximum" => number(report).map(Operator::Maximum),
        "equals_path" => read_pointer(value, report).map(Operator::EqualsPath),
        "differs_from" => read_pointer(value, report).map(Operator::DiffersFrom),
        _ => read_pointer(value, report).map(Operator::ExceedsCountOf),
    }
}

fn scalar_of(value: Value<'_>, report: &mut Collector<'_>) -> Option<Scalar> {
    let scalar = Scalar::of(value);
    if scalar.is_none() {
        report.invalid(format!(
            "must be null, a boolean, a finite number or a string, not {}",
            with_article(value)
        ));
    }
    scalar
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Problems;
    use crate::value::Parser;

    fn parse(text: &str) -> Result<Box<[Condition]>, Problems> {
        let mut parser = Parser::default();
        let document = parser.parse(text.as_bytes()).unwrap();
        let mut problems = Problems::default();
        let list = read_list(document.root(), &mut Collector::new(&mut problems));
        list.filter(|_| problems.0.is_empty()).ok_or(problems)
    }

    fn answer(condition: &str, payload: &str) -> Answer {
        let list = parse(&format!("[{condition}]")).unwrap_or_else(|problems| panic!("{problems}"));
        list[0].answer(Parser::default().parse(payload.as_bytes()).unwrap().root())
    }

    #[test]
    fn answers() {
        use Answer::{No, Unclear, Yes};
        for (condition, payload, expected) in [
            (r#"{"path":"/ok","equals":false}"#, r#"{"ok":false}"#, Yes),
            (r#"{"path":"/ok","equals":false}"#, r#"{"ok":true}"#, No),
            (r#"{"path":"/ok","equals":false}"#, r#"{"ok":"false"}"#, Unclear),
            (r#"{"path":"/ok","equals":false}"#, r#"{"ok":0}"#, Unclear),
            (r#"{"path":"/ok","equals":false}"#, r#"{"ok":null}"#, Unclear),
            (r#"{"path":"/ok","equals":false}"#, r"{}", Unclear),
            (r#"{"path":"/data","equals":null}"#, r#"{"data":[]}"#, No),
            (r#"{"path":"/data","equals":null}"#, r#"{"data":null}"#, Yes),
            (r#"{"path":"/code","equals":0}"#, r#"{"code":0.0}"#, Unclear),
            (r#"{"path":"/code","equals":0}"#, r#"{"code":-0}"#, Yes),
            (r#"{"path":"/code","equals":0}"#, r#"{"code":7.5}"#, No),
            (r#"{"path":"/s","in":["a","b"]}"#, r#"{"s":"b"}"#, Yes),
            (r#"{"path":"/s","in":["a","b"]}"#, r#"{"s":"c"}"#, No),
            (r#"{"path":"/s","in":["a","b"]}"#, r#"{"s":1}"#, Unclear),
            (r#"{"path":"/s","in":["a",1]}"#, r#"{"s":2}"#, No),
            (r#"{"path":"/s","in":["a",1]}"#, r#"{"s":1.0}"#, Unclear),
            (r#"{"path":"/s","in":[2,1]}"#, r#"{"s":1.0}"#, Unclear),
            (r#"{"path":"/e","exists":true}"#, r#"{"e":null}"#, Yes),
            (r#"{"path":"/e","exists":true}"#, "[]", No),
            (r#"{"path":"/e","exists":false}"#, "{}", Yes),
            (r#"{"path":"","is_empty":true}"#, "[]", Yes),
            (r#"{"path":"/e","is_empty":true}"#, r#"{"e":""}"#, Yes),
            (r#"{"path":"/e","is_empty":true}"#, r#"{"e":0}"#, No),
            (r#"{"path":"/e","is_empty":true}"#, "{}", Unclear),
            (r#"{"path":"/e","non_empty":true}"#, r#"{"e":[0]}"#, Yes),
            (r#"{"path":"/e","non_empty":true}"#, r#"{"e":false}"#, Yes),
            (r#"{"path":"/e","non_empty":true}"#, r#"{"e":null}"#, No),
            (r#"{"path":"/e","non_empty":true}"#, "{}", No),
            (r#"{"path":"/s","matches":"^4"}"#, r#"{"s":"404"}"#, Yes),
            (r#"{"path":"/s","matches":"^4"}"#, r#"{"s":404}"#, Unclear),
            (r#"{"path":"/s","minimum":400}"#, r#"{"s":404}"#, Yes),
            (r#"{"path":"/s","minimum":400}"#, r#"{"s":399.9}"#, No),
            (r#"{"path":"/s","minimum":400}"#, r#"{"s":"404"}"#, Unclear),
            (r#"{"path":"/s","maximum":0}"#, r#"{"s":1e400}"#, No),
            (r#"{"path":"/a","equals_path":"/b"}"#, r#"{"a":{"x":[1]},"b":{"x":[1]}}"#, Yes),
            (r#"{"path":"/a","equals_path":"/b"}"#, r#"{"a":{"x":[1]},"b":{"x":[1.0]}}"#, Unclear),
            (r#"{"path":"/a","differs_from":"/b"}"#, r#"{"a":7,"b":12}"#, Yes),
            (r#"{"path":"/a","differs_from":"/b"}"#, r#"{"a":12,"b":12}"#, No),
            (r#"{"path":"/a","differs_from":"/b"}"#, r#"{"a":"12","b":12}"#, Unclear),
            (r#"{"path":"/a","differs_from":"/b"}"#, r#"{"a":12}"#, Unclear),
            (r#"{"path":"/n","exceeds_count_of":"/i"}"#, r#"{"n":3,"i":[1,2]}"#, Yes),
            (r#"{"path":"/n","exceeds_count_of":"/i"}"#, r#"{"n":2,"i":[1,2]}"#, No),
            (r#"{"path":"/n","exceeds_count_of":"/i"}"#, r#"{"n":"3","i":[1,2]}"#, Unclear),
            (r#"{"path":"/n","exceeds_count_of":"/i"}"#, r#"{"n":3}"#, Unclear),
            (r#"{"all":[{"path":"/e","exists":true},{"path":"/e","equals":"x"}]}"#, "{}", No),
            (r#"{"all":[{"path":"/e","exists":true},{"path":"/e","equals":"x"}]}"#, r#"{"e":"x"}"#, Yes),
            (r#"{"all":[{"path":"/e","exists":true},{"path":"/e","equals":"x"}]}"#, r#"{"e":1}"#, Unclear),
        ] {
            assert_eq!(answer(condition, payload), expected, "{condition} {payload}");
        }
    }

    #[test]
    fn reports_every_mistake_at_once() {
        for (list, places) in [
            ("[]", vec![""]),
            (r#"[{"path":"a","equals":1},{"path":"/a","equal":1}]"#, vec!["0.path", "1.equal"]),
            (r#"[{"path":"/a"},{"equals":1}]"#, vec!["0", "1.path"]),
            (r#"[{"path":"/a","equals":1,"exists":true}]"#, vec!["0"]),
            (r#"[{"path":"/a","equals":[]},{"path":"/a","in":[]}]"#, vec!["0.equals", "1.in"]),
            (r#"[{"path":"/a","is_empty":false}]"#, vec!["0.is_empty"]),
            (r#"[{"path":"/a","matches":"("},{"path":"/a","minimum":"1"}]"#, vec!["0.matches", "1.minimum"]),
            (r#"[{"path":"/a","differs_from":"/a"}]"#, vec!["0.differs_from"]),
            (r#"[{"all":[{"all":[{"path":"/a","exists":true}]}]}]"#, vec!["0.all.0.all"]),
            (r#"[{"all":[],"path":"/a"}]"#, vec!["0"]),
            (r#"["/a"]"#, vec!["0"]),
        ] {
            let problems = parse(list).unwrap_err();
            let found: Vec<&str> = problems.0.iter().map(|problem| problem.place.as_str()).collect();
            assert_eq!(found, places, "{list}: {problems}");
        }
    }
}
