"""What the reference implementation (`resultseal` 0.2.0) answers for one case.

The reference reads JSON as Python's `json` does, which is laxer than RFC 8259, and it raises plain Python exceptions where a limit of
Python is hit. sealpipe is strict and never crashes. So that every case still has exactly one right answer, the reference is asked with
these points replaced and everything else as it is; each use of one of them is counted under its reason:

- `NaN`, `Infinity`, `-Infinity`, unpaired surrogates, and any encoding but UTF-8 are syntax errors;
- integers of more than 4,300 digits are read, not refused;
- a JSON text inside an input that nests deeper than 500 levels is a parse failure;
- a character such as `²`, a digit to `str.isdigit` but not to `int`, is an ordinary character of a version.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

import resultseal
from resultseal import safeio
from resultseal.errors import ContractInvalidError, InvalidArgumentError, ResultSealError, SchemaInvalidError
from resultseal.limits import Limits
from resultseal.report import render_json

LIMITS = Limits()
TEXT_DEPTH = 500
"""Levels a JSON text inside an input may nest; no JSON deeper than this is read at all."""

CONSTANT = "a number RFC 8259 does not have (NaN, Infinity)"
SURROGATE = "an unpaired surrogate"
ENCODING = "an encoding other than UTF-8"
BIG_INTEGER = "an integer of more than 4,300 digits"
TEXT_TOO_DEEP = "a JSON text nested deeper than 500 levels"
VERSION_DIGIT = "a version with a digit that is no decimal digit"
CLOCK_RANGE = "a clock outside the years 1 to 9999 in UTC"
CRASH = "the reference crashes"
HIDDEN_DEPTH = "a value nested deeper than 500 levels that a later duplicate key drops is refused"
EITHER_WAY = "broken JSON nested deeper than 500 levels: a limit or a syntax error"
YAML_STRICT = [
    ("YAML: a merge in which order or duplicates decide is refused", "UNSAFE_INPUT", re.compile(r"<<")),
    ("YAML: a mapping that stands for the scalar under `=` is refused", "UNSAFE_INPUT", re.compile(r"!!\w+\s*\{\s*=")),
    ("YAML: an escaped surrogate is refused", "PARSE_FAILED", re.compile(r"\\(?:u|U0000)[dD][89A-Fa-f]")),
    ("YAML: a tagged number only Python's int or float reads is refused", "PARSE_FAILED", re.compile(r"!!(?:int|float)|tag:yaml\.org,2002:(?:int|float)")),
    ("YAML: an integer of more than 4,300 digits is refused", "PARSE_FAILED", re.compile(r"[0-9a-fA-F_]{3500}")),
]
"""Where sealpipe refuses YAML that the reference reads: the reason, the code, and what the YAML text then holds."""

sys.set_int_max_str_digits(0)

_python_loads = json.loads
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_BIG_INTEGER = re.compile(r"(?<![0-9])[0-9]{4301}")


@dataclass(frozen=True)
class Answer:
    """One answer: a record, or an error code with its exit status; `lenient` holds the reasons the plain reference would differ."""

    record: str | None = None
    error: str | None = None
    status: int = 0
    lenient: frozenset[str] = frozenset()


class _Strict:
    """Stands in for `json.loads` while the reference runs."""

    def __init__(self) -> None:
        self.reasons: set[str] = set()

    def __call__(self, source: str | bytes, **options: object) -> object:
        if isinstance(source, bytes):
            text = self._decode(source)
        else:
            text = source
            if text.count("[") + text.count("{") > TEXT_DEPTH and nesting(text) > TEXT_DEPTH:
                self._refuse(TEXT_TOO_DEEP, text)
        value = _python_loads(text, parse_constant=lambda _: self._refuse(CONSTANT, text), **options)
        if (r"\ud" in text or r"\uD" in text) and has_unpaired_surrogate(text):
            self._refuse(SURROGATE, text)
        if len(text) > 4300 and _BIG_INTEGER.search(text):
            self.reasons.add(BIG_INTEGER)
        return value

    def _decode(self, source: bytes) -> str:
        if not json.detect_encoding(source).startswith("utf-8"):
            self.reasons.add(ENCODING)
        try:
            return source.decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            try:
                source.decode(errors="surrogatepass")
                self.reasons.add(SURROGATE)
            except UnicodeDecodeError:
                pass
            raise

    def _refuse(self, reason: str, text: str) -> None:
        self.reasons.add(reason)
        raise json.JSONDecodeError(reason, text, 0)


def nesting(text: str) -> int:
    """The deepest nesting of brackets outside strings, whether or not the text is well formed."""
    depth = deepest = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        match token[0][0]:
            case "[" | "{":
                depth += 1
                deepest = max(deepest, depth)
            case "]" | "}":
                depth -= 1
    return deepest


def has_unpaired_surrogate(text: str) -> bool:
    """Whether well-formed JSON text escapes half a surrogate pair somewhere, in a member a later duplicate hides too."""
    expected = -1  # where a low surrogate has to follow
    for escape in _ESCAPE.finditer(text):
        if expected not in (-1, escape.start()):
            return True
        unit = int(escape[1], 16) if escape[1] else 0
        if 0xDC00 <= unit < 0xE000:
            if expected == -1:
                return True
            expected = -1
        elif expected != -1:
            return True
        elif 0xD800 <= unit < 0xDC00:
            expected = escape.end()
    return expected != -1


def _ordinary_version(text: object) -> object:
    """`text` with each digit `int` does not know replaced by its neighbour that is none: same order, no crash."""
    if not isinstance(text, str):
        return text
    out = []
    for character in text:
        while character.isdigit() and not character.isdecimal():
            character = chr(ord(character) - 1)
        out.append(character)
    return "".join(out)


def read_clock(text: str) -> datetime:
    """The reference clock a `--now` names; raises `InvalidArgumentError` or `OverflowError` where the reference does."""
    try:
        now = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise InvalidArgumentError("--now") from None
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    now.astimezone(UTC)
    return now


class Reference:
    """One contract and one clock, against which many inputs are decided."""

    def __init__(self, contract: bytes, clock: str, *, yaml: bool = False) -> None:
        self._strict = _Strict()
        self.failure: Answer | None = None
        """What refuses the contract or the clock, if anything does."""
        self.clock_refusal = ""
        """What a run says that refuses the clock, if it is to be refused."""
        try:
            read_clock(clock)
        except InvalidArgumentError:
            self.clock_refusal = "exit 2, INVALID_ARGUMENT"
        except OverflowError:
            pass
        outcome = self._guard(lambda: self._load(contract, clock, yaml))
        if isinstance(outcome, Answer):
            self.failure = outcome

    def _load(self, contract: bytes, clock: str, yaml: bool) -> None:
        self._document = (safeio.load_yaml if yaml else safeio.load_json)(contract, LIMITS)
        if not isinstance(self._document, dict):
            raise ContractInvalidError("not an object")
        self._contract = resultseal.load_contract(self._document)
        self._now = read_clock(clock)

    def answer(self, line: bytes, *, yaml: bool = False) -> Answer:
        """What the reference says about one input; `yaml`: the input is a whole YAML document."""
        outcome = self._guard(lambda: self._decide(line, yaml))
        return outcome if isinstance(outcome, Answer) else Answer(record=outcome, lenient=frozenset(self._strict.reasons))

    def _decide(self, line: bytes, yaml: bool) -> str:
        raw = (safeio.load_yaml if yaml else safeio.load_json)(line, LIMITS)
        if not isinstance(raw, dict):
            raise SchemaInvalidError("not an object")
        if self.failure:
            raise _Refused(self.failure)
        try:
            return render_json(resultseal.check(raw, self._contract, now=self._now).record())
        except ValueError as error:
            if "invalid literal for int" not in str(error):
                raise
            self._strict.reasons.add(VERSION_DIGIT)
        document = {**self._document, "min_source_version": _ordinary_version(self._document.get("min_source_version"))}
        raw = {**raw, "source_version": _ordinary_version(raw.get("source_version"))}
        return render_json(resultseal.check(raw, resultseal.load_contract(document), now=self._now).record())

    def _guard(self, ask: object) -> object:
        self._strict.reasons.clear()
        json.loads = self._strict
        try:
            return ask()
        except _Refused as refused:
            return refused.answer
        except ResultSealError as error:
            return Answer(error=error.code, status=error.exit_code, lenient=frozenset(self._strict.reasons))
        except OverflowError:
            return Answer(error=CLOCK_RANGE, status=2, lenient=frozenset({CLOCK_RANGE}))
        except Exception as error:  # noqa: BLE001: whatever the reference dies of is an answer to report
            return Answer(error=f"{CRASH}: {type(error).__name__}: {error}", status=2, lenient=frozenset({CRASH}))
        finally:
            json.loads = _python_loads


class _Refused(Exception):
    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer
