"""Random cases: groups of input lines under one version-1 contract and one clock, a function of the seed alone.

Each line starts as an input its contract would seal and is then spoilt a little: members dropped, doubled, swapped in type, put on
and just past their bounds; then, rarely, the text itself; a few are built to sit on a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from random import Random

from values import KEYS, NOT_JSON, WORDS, array, body_text, chance, document, gap, members, nested, number, quote, scalar, word
from yaml_text import scalar as scalar_text
from yaml_text import yaml_value

LINES = 40
"""Lines in a group whose contract is valid."""
KINDS = ["json", "http_json", "mcp", "stdio", "yaml", "claim_only"]
CLAIMS = ["found", "not_found", "read_complete", "effect_observed", "task_complete"]
SENTINELS = ["absent", "not_found", "不在", "0", "true", "null", "🙂", "\u0000", "a" * 256]
SOURCES = ["crm://customers", "mcp://crm-server", "s", "é" * 1024]
TARGETS = ["customer:42", "ticket/7", "t", "🙂" * 1024]
VERSIONS = ["1", "9", "10", "012", "12", "rev-9", "rev-12", "v1.2.9", "v1.2.10", "1a", "a1", "a-1", "-", "unknown", "", "٣", "3", "1٣", "𝟙", "²", "1²", "a²", "①1", "½", "1.0", "1..0", "1.0.0", "0" * 30, "9" * 256, "9" * 255 + "a", "A", "ä", "🙂", "\uffff", "1 ", " 1", "12-3", "12.3", "12a"]
WRONG = ["null", "true", "false", "0", "1", "-1", "1.5", "200.0", '""', '"x"', "[]", "{}", '["x"]', '{"a":1}', "1e400", '" "', "10000000000000000000000"]
"""A value of each type, to stand where another type belongs."""

PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
"""A surrogate pair as JSON escapes it."""

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Group:
    """Input lines, some of them blank, and what they are decided under."""

    contract: bytes
    clock: str
    lines: list[bytes]
    kinds: list[str]
    """For the coverage report: what each line was built as."""
    ending: bytes
    last_ending: bytes


def group(seed: int, index: int, only: str | None = None) -> Group:
    """The group number `index` of a seed, the same on every machine and in any order; `only`: inputs of this kind."""
    rng = Random(f"{seed}/{index}")
    now, clock = make_clock(rng)
    contract = make_contract(rng)
    if only_contract(seed, index):
        text, count = broken_contract(rng, contract), 1
    else:
        text, count = contract_text(rng, contract), LINES
    lines, kinds = [], []
    for _ in range(count):
        if chance(rng, 0.02) and count > 1:
            lines.append(rng.choice([b"", b" ", b"\t", b"  \t "]))
            kinds.append("blank")
        kind = only or rng.choices(KINDS, [24, 18, 18, 18, 8, 8])[0]
        lines.append(make_line(rng, kind, contract, now))
        kinds.append(kind)
    ending = b"\r\n" if chance(rng, 0.05) else b"\n"
    return Group(text, clock, lines, kinds, ending, ending if chance(rng, 0.8) else b"")


def yaml_case(seed: int, index: int) -> tuple[bytes, str, bytes]:
    """A contract, a clock and one input that is a whole YAML document."""
    rng = Random(f"{seed}/{index}/yaml")
    now, contract = datetime(2026, 11, 2, 12, tzinfo=UTC), make_contract(rng)
    if chance(rng, 0.06):
        return contract_text(rng, contract), now.isoformat(), yaml_value(rng, contract).encode()
    lines = [f"{key}: {text}" for key, text in make_input(rng, "json", contract, now) if key not in ("body", "metadata")]
    rng.shuffle(lines)
    value = yaml_value(rng, contract)
    inline = "\n" not in value and ": " not in value and not value.startswith(("#", "%", "-", ".", "?"))
    lines.append("body: " + value if inline else "body:\n" + "\n".join("  " + line for line in value.split("\n")))
    if chance(rng, 0.2):
        lines.append(f"metadata: {{{scalar_text(rng)}: {scalar_text(rng)}, b: {scalar_text(rng)}}}")
    text = "\n".join(lines) + rng.choice(["\n", ""])
    if chance(rng, 0.98):  # YAML has no surrogates; an escaped pair is refused
        text = PAIR.sub(lambda pair: "\\U%08x" % ord(bytes.fromhex(pair[1] + pair[2]).decode("utf-16-be")), text)
    if chance(rng, 0.04):
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(["\t", "\u0000", ":", "\u2028", "\ufeff", "&x ", "\x85", "\x7f", "\r", "#", "\ud7ff", "\uffff", "'"]) + text[place:]
    return contract_text(rng, contract), now.isoformat(), text.encode()


def only_contract(seed: int, index: int) -> bool:
    """Whether a group is one line and about its contract."""
    return chance(Random(f"{seed}/{index}/contract"), 0.45)


def plan(count: int, seed: int) -> int:
    """How many groups hold at least `count` cases."""
    index = 0
    while count > 0:
        count -= 1 if only_contract(seed, index) else LINES
        index += 1
    return index


# Clocks and timestamps


def make_clock(rng: Random) -> tuple[datetime, str]:
    """An instant and a text that names it; some texts name none, or none that can be computed with."""
    now = datetime(2026, 11, 2, 12, tzinfo=UTC) + timedelta(seconds=rng.randrange(-(10**8), 10**8))
    if chance(rng, 0.3):
        now += timedelta(microseconds=rng.randrange(10**6))
    kind = rng.random()
    if kind < 0.9:
        return now, timestamp(rng, now)
    if kind < 0.98:
        text = rng.choice([now.strftime("%Y-%m-%d"), now.strftime("%Y%m%dT%H"), " " + now.isoformat(), now.replace(tzinfo=None).isoformat(), "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    else:
        text = rng.choice(["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-00:01", *(broken_timestamp(rng, now) for _ in range(4))])
    try:
        now = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        now = now if now.tzinfo else now.replace(tzinfo=UTC)
        now.astimezone(UTC)
    except (ValueError, OverflowError):
        now = datetime(2026, 11, 2, 12, tzinfo=UTC)
    return now, text


def timestamp(rng: Random, moment: datetime) -> str:
    """A moment in one of the many spellings of ISO 8601, with an offset."""
    seconds = rng.choice([0, 0, 0, 3600, -5 * 3600, 19800, 12 * 3600, -86399, 86399, 30, -1, 1800])
    if chance(rng, 0.5) or not 2 <= moment.year <= 9998:
        seconds = 0
    there = moment.astimezone(timezone(timedelta(seconds=seconds)))
    date = there.strftime(rng.choice(["%Y-%m-%d", "%Y-%m-%d", "%Y%m%d"])).zfill(8)
    if chance(rng, 0.15):
        year, week, day = there.isocalendar()
        date = f"{year:04}" + rng.choice(["-W{:02}-{}", "W{:02}{}"]).format(week, day)
    separator = rng.choice("TTTTT t_x🙂-+:W0")
    colon = rng.choice([":", ":", ""])
    clock = there.strftime(f"%H{colon}%M{colon}%S")
    fraction = f"{there.microsecond:06}"
    if there.microsecond or chance(rng, 0.2):
        clock += rng.choice(".,") + fraction + rng.choice(["", "", "0", "9", "999999999"])
    if seconds == 0 and chance(rng, 0.7):
        return date + separator + clock + "Z"
    sign, size = "-" if seconds < 0 else "+", abs(seconds)
    offset = [f"{size // 3600:02}", f"{size // 60 % 60:02}"] + ([f"{size % 60:02}"] if size % 60 else [])
    if size % 3600 == 0 and chance(rng, 0.2):
        offset = offset[:1]
    return date + separator + clock + sign + rng.choice([":", ":", ""]).join(offset)


def broken_timestamp(rng: Random, moment: datetime) -> str:
    text = list(timestamp(rng, moment))
    for _ in range(rng.choice([1, 1, 2, 3])):
        place = rng.randrange(len(text))
        match rng.randrange(4):
            case 0:
                text[place] = rng.choice("0123456789:-+.,TZzW ٣/é")
            case 1:
                text.insert(place, rng.choice("0123456789:-+.,TZzW "))
            case 2 if len(text) > 1:
                del text[place]
            case _:
                text = text[: place + 1]
    return "".join(text)


def observed_at(rng: Random, contract: dict, now: datetime) -> str:
    freshness = contract["freshness"].get("max_age_seconds") or 0
    if chance(rng, 0.12):
        return broken_timestamp(rng, now)
    if chance(rng, 0.08):
        return rng.choice(["", "now", "2026-11-02", "2026-11-02T12:00:00", "2026-W45", "2026-11-02T24:00:00Z", "2024-02-29T00:00:00Z", "2025-02-29T00:00:00Z", "2026-W53-7T00:00Z", "2020-W53-7T00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-11-02T12:00:60Z", "1" * 64, "1" * 65])
    edge = timedelta(seconds=freshness)
    age = rng.choice([timedelta(0), edge, edge / 2, edge / 2, edge / 3, edge + timedelta(microseconds=1), edge - timedelta(microseconds=1), timedelta(microseconds=-1), timedelta(seconds=-1), edge + timedelta(seconds=1), timedelta(days=400)])
    try:
        return timestamp(rng, now - age)
    except OverflowError:
        return now.isoformat()


# Contracts


def make_contract(rng: Random) -> dict:
    """A valid version-1 contract."""
    mode = rng.choice(["not_required", "not_required", "source_version", "max_age_seconds"])
    freshness: dict = {"mode": mode}
    if mode == "max_age_seconds":
        freshness["max_age_seconds"] = rng.choice([0, 1, 60, 3600, 86400, 31536000])
    elif chance(rng, 0.1):
        freshness["max_age_seconds"] = None
    claim = rng.choice(CLAIMS)
    contract: dict = {
        "schema_version": "1",
        "claim_type": claim,
        "required_fields": [] if claim == "not_found" and chance(rng, 0.7) else rng.choice([[], [], ["id"], ["id", "name"], ["id", "id"], ["é"], [" "], ["a" * 256], ["k%d" % i for i in range(64)], [rng.choice(KEYS) or "id" for _ in range(3)]]),
        "freshness": freshness,
        "source_ref": rng.choices(SOURCES, [6, 3, 2, 1])[0],
        "target_ref": rng.choices(TARGETS, [6, 3, 2, 1])[0],
    }
    if mode == "source_version" or chance(rng, 0.1):
        contract["min_source_version"] = rng.choice(VERSIONS) or "1"
    if contract["claim_type"] == "not_found" and chance(rng, 0.95) or chance(rng, 0.3):
        contract["not_found_sentinel"] = rng.choice(SENTINELS)
    if chance(rng, 0.6):
        contract["effect_evidence_required"] = chance(rng, 0.7)
    return contract


def contract_pairs(rng: Random, contract: dict) -> Pairs:
    pairs = []
    for key, value in contract.items():
        if key == "freshness":
            text = members(rng, [(name, json.dumps(part)) for name, part in value.items()])
        elif isinstance(value, str):
            text = quote(rng, value)
        else:
            text = json.dumps(value, ensure_ascii=chance(rng, 0.5))
        pairs.append((key, text))
    rng.shuffle(pairs)
    return pairs


def contract_text(rng: Random, contract: dict) -> bytes:
    bom = "\ufeff" if chance(rng, 0.03) else ""
    return (bom + members(rng, contract_pairs(rng, contract)) + rng.choice(["", "\n", " "])).encode()


def broken_contract(rng: Random, contract: dict) -> bytes:
    """A contract with something wrong in it, or exactly on the bound where it is still right."""
    pairs = contract_pairs(rng, contract)
    kind = rng.random()
    if kind < 0.55:
        place = rng.randrange(len(pairs))
        key = pairs[place][0]
        pairs[place] = (key, contract_edge(rng, key) if chance(rng, 0.6) else rng.choice(WRONG))
    elif kind < 0.65:
        del pairs[rng.randrange(len(pairs))]
    elif kind < 0.7:
        pairs.append((rng.choice(["x", "Claim_type", "metadata", "", "min_version", "tool"]), rng.choice(WRONG)))
    elif kind < 0.75:
        pairs.append(rng.choice(pairs))
    elif kind < 0.8:
        return rng.choice(NOT_JSON + WRONG).encode(errors="surrogatepass")
    elif kind < 0.83:
        return spoil_text(rng, members(rng, pairs).encode())
    elif kind < 0.86:
        pairs.append(("x", nested(rng, rng.choice([30, 31, 32, 33, 1500]))))
    elif kind < 0.88:
        pairs.append(("x", '"' + "x" * rng.choice([16384, 16385]) + '"'))
    elif kind < 0.9:
        pairs.append(("x", array(rng, ["0"] * rng.randrange(4040, 4096))))
    elif kind < 0.92:
        text = members(rng, pairs)
        return (text + " " * (rng.choice([131072, 131073]) - len(text.encode()))).encode()
    return members(rng, pairs).encode()


def contract_edge(rng: Random, key: str) -> str:
    """The JSON text of a value on or just past a bound of one contract member."""
    match key:
        case "schema_version":
            return rng.choice(['"1"', "1", '"1.0"', '"3"', '""', '"01"', '"1 "', '"\\u0031"', '"１"'])
        case "claim_type":
            return rng.choice(['"found"', '"Found"', '"found "', '"foun\\u0064"', '"exists"', '["found"]'])
        case "required_fields":
            name = rng.choice(["a", "🙂"])
            return json.dumps(rng.choice([[name * 256], [name * 257], [name] * 64, [name] * 65, [""], [1], [None], [["a"]], "a", {"a": 1}]))
        case "freshness":
            return rng.choice(
                ['{"mode":"not_required"}', '{"mode":"not_required","max_age_seconds":1}', '{"mode":"max_age_seconds"}', '{"mode":"source_version"}', '{"mode":"source_version","max_age_seconds":5}', '{"mode":"Not_required"}', '{"mode":null}', '{"mode":["not_required"]}', "{}", '{"max_age_seconds":5}', '{"mode":"not_required","x":null}', '{"mode":"not_required","mode":"max_age_seconds"}']
                + ['{"mode":"max_age_seconds","max_age_seconds":%s}' % text for text in ["0", "-0", "-1", "31536000", "31536001", "1.0", "1e2", "true", "null", '"1"', "99999999999999999999", "-0.0", number(rng)]]
            )
        case "effect_evidence_required":
            return rng.choice(WRONG)
        case _:
            bound = 1024 if key.endswith("_ref") else 256
            return quote(rng, rng.choice(["a", "é", "🙂", "\u0000"]) * rng.choice([0, 1, bound, bound + 1]))


# Inputs


def make_line(rng: Random, kind: str, contract: dict, now: datetime) -> bytes:
    pairs = make_input(rng, kind, contract, now)
    for _ in range(rng.choices([0, 1, 2, 4], [65, 22, 9, 4])[0]):
        spoil_members(rng, pairs)
    if chance(rng, 0.75):
        rng.shuffle(pairs)
    if chance(rng, 0.012):
        return on_a_limit(rng, pairs)
    line = (gap(rng) + members(rng, pairs) + gap(rng)).encode()
    return spoil_text(rng, line) if chance(rng, 0.05) else line


def make_input(rng: Random, kind: str, contract: dict, now: datetime) -> Pairs:
    """An input that its contract might well seal."""
    pairs: Pairs = []

    def maybe(probability: float, key: str, text: Callable[[], str]) -> None:
        if chance(rng, probability):
            pairs.append((key, text()))

    maybe(0.85 if kind not in ("yaml", "claim_only") else 1, "kind", lambda: quote(rng, kind))
    maybe(0.98, "source_ref", lambda: quote(rng, contract["source_ref"] if chance(rng, 0.93) else rng.choice(SOURCES)))
    if kind != "http_json" or chance(rng, 0.8):
        maybe(0.98, "target_ref", lambda: quote(rng, contract["target_ref"] if chance(rng, 0.93) else rng.choice(TARGETS)))
    maybe(0.6, "tool_name", lambda: quote(rng, rng.choice(["search", "a" * 256, "日本", "🙂" * 256])))
    maybe(0.2, "observation_id", lambda: quote(rng, rng.choice(["id-1", "é" * 256, "a\u0000b", "🙂", '"\\'])))
    maybe(0.2, "tool_call_id", lambda: quote(rng, rng.choice(["call 1", "/", "\u001f\u007f", "\u2028"])))
    fresh = contract["freshness"]["mode"]
    maybe(0.9 if fresh == "max_age_seconds" else 0.2, "observed_at", lambda: quote(rng, observed_at(rng, contract, now)))
    least = contract.get("min_source_version", "1")
    maybe(0.9 if fresh == "source_version" else 0.2, "source_version", lambda: quote(rng, source_version(rng, least)))
    maybe(0.5, "evidence_refs", lambda: evidence_refs(rng))
    maybe(0.25, "metadata", lambda: metadata(rng))
    KIND_MEMBERS[kind](rng, pairs, contract)
    maybe(0.1, rng.choice(["x", "", "Kind", "note"]), lambda: document(rng, 2))
    return pairs


def source_version(rng: Random, least: str) -> str:
    kind = rng.random()
    if kind < 0.3:
        return least[:256]
    if kind < 0.5:
        return (least + rng.choice(["0", "1", ".1", "a", " "]))[-256:]
    if kind < 0.6 and len(least) > 1:
        return least[:-1]
    return rng.choice(VERSIONS)


def evidence_refs(rng: Random) -> str:
    if chance(rng, 0.07):
        edge = rng.choice([["e"] * 64, ["e"] * 65, ["e" * 2048], ["🙂" * 2048], ["é" * 2049], [""], ["a", ""]])
        return array(rng, [quote(rng, item) for item in edge])
    if chance(rng, 0.05):
        return array(rng, [scalar(rng) for _ in range(3)])
    return array(rng, [quote(rng, rng.choice(["log:1", "row/2", "é", "🙂", "a\tb", "log:1", "\u007f"])) for _ in range(rng.randrange(4))])


def metadata(rng: Random) -> str:
    if chance(rng, 0.2):
        count = rng.randrange(60, 68)
        pairs = [(f"m{i}", scalar(rng) if chance(rng, 0.9) else "[]") for i in range(count)]
    else:
        pairs = [(rng.choice(KEYS), document(rng, 1)) for _ in range(rng.randrange(4))]
    for key in ("input_kind", "protocol_conflict", "command", "claimed_text", "missing_schema_fields"):
        if chance(rng, 0.08):
            pairs.insert(rng.randrange(len(pairs) + 1), (key, rng.choice(["true", "false", "1", '"true"', "null", "[]"])))
    return members(rng, pairs)


def payload(rng: Random, contract: dict) -> str:
    """A JSON value that may hold what the contract asks for."""
    sentinel = contract.get("not_found_sentinel")
    kind = rng.random()
    if contract["claim_type"] == "not_found" and sentinel is not None and kind < 0.6 or kind < 0.03 and sentinel is not None:
        form = rng.random()
        if form < 0.4:
            return quote(rng, sentinel)
        if form < 0.8:
            return members(rng, [("status", quote(rng, sentinel)), *((key, scalar(rng)) for key in contract["required_fields"][:4] + rng.sample(KEYS, 1))])
        if form < 0.9:
            return members(rng, [("status", quote(rng, sentinel)), ("status", scalar(rng))])
        return rng.choice(["[{0}]", '{{{0}:1}}', '{{"a":{{"b":{0}}}}}', '{{"a":[{0}]}}']).format(quote(rng, sentinel))
    if kind < 0.12:
        return rng.choice(["null", '""', "{}", "[]", "0", "false", '" "', "[[]]", "[null]"])
    if kind < 0.3:
        return document(rng)
    required = contract["required_fields"]
    pairs = [(key, document(rng, 2) if len(required) < 5 else "1") for key in required if chance(rng, 0.97 if len(required) < 5 else 0.999)]
    pairs += [(rng.choice(KEYS), document(rng, 2)) for _ in range(rng.randrange(1, 4))]
    rng.shuffle(pairs)
    return members(rng, pairs)


def body(rng: Random, contract: dict) -> str:
    """A `body`: a JSON value, or a string that holds one as text."""
    kind = rng.random()
    if kind < 0.55:
        return payload(rng, contract)
    return quote(rng, payload(rng, contract) if kind < 0.8 else body_text(rng))


def json_members(rng: Random, pairs: Pairs, contract: dict) -> None:
    pairs.append(("body", body(rng, contract)))


def http_members(rng: Random, pairs: Pairs, contract: dict) -> None:
    status = rng.choices([200, 204, 399, 299, 400, 199, 500, 0, -1, 10**20], [60, 5, 3, 3, 3, 3, 3, 1, 1, 1])[0]
    pairs.append(("status_code", str(status)))
    pairs.append(("body", body(rng, contract)))
    for key in ("request_target", "response_target"):
        if chance(rng, 0.5):
            pairs.append((key, quote(rng, contract["target_ref"]) if chance(rng, 0.7) else rng.choice(WRONG)))


def mcp_members(rng: Random, pairs: Pairs, contract: dict) -> None:
    if chance(rng, 0.75):
        pairs.append(("structuredContent", payload(rng, contract)))
    if chance(rng, 0.5):
        pairs.append(("text", quote(rng, rng.choice([contract.get("not_found_sentinel") or "t", *WORDS, body_text(rng)])) if chance(rng, 0.8) else document(rng, 2)))
    if chance(rng, 0.4):
        pairs.append(("isError", rng.choices(["false", "true", *WRONG], [10, 5] + [1] * len(WRONG))[0]))
    if chance(rng, 0.3):
        required = array(rng, [quote(rng, rng.choice(KEYS)) if chance(rng, 0.9) else document(rng, 1) for _ in range(rng.randrange(4))])
        pairs.append(("outputSchema", members(rng, [("type", '"object"'), ("required", required if chance(rng, 0.9) else rng.choice(WRONG))]) if chance(rng, 0.9) else rng.choice(WRONG)))


def stdio_members(rng: Random, pairs: Pairs, contract: dict) -> None:
    pairs.append(("exit_code", rng.choices(["0", "-0", "1", "-9", "255", "100000000000000000000"], [80, 4, 4, 2, 2, 1])[0]))
    if chance(rng, 0.9):
        pairs.append(("stdout", body(rng, contract)))
    if chance(rng, 0.6):
        pairs.append(("output_format", rng.choices(['"json"', '"text"', '"JSON"', '"jso\\u006e"', "null", "[]"], [8, 2, 1, 1, 1, 1])[0]))
    if chance(rng, 0.3):
        pairs.append(("command", scalar(rng)))
    if chance(rng, 0.2):
        pairs.append(("stderr", scalar(rng)))


def yaml_members(rng: Random, pairs: Pairs, contract: dict) -> None:
    pairs.append(("value", quote(rng, yaml_value(rng, contract)) if chance(rng, 0.95) else rng.choice(WRONG)))


def claim_members(rng: Random, pairs: Pairs, contract: dict) -> None:
    del contract
    if chance(rng, 0.8):
        pairs.append(("claim", rng.choice([quote(rng, word(rng)), quote(rng, "🙂é" * 150), document(rng, 2)])))
    if chance(rng, 0.4):
        pairs[:] = [pair for pair in pairs if pair[0] not in ("source_ref", "target_ref")]


KIND_MEMBERS = {"json": json_members, "http_json": http_members, "mcp": mcp_members, "stdio": stdio_members, "yaml": yaml_members, "claim_only": claim_members}
BOUNDS = {"source_ref": 1024, "target_ref": 1024, "tool_name": 256, "observation_id": 256, "tool_call_id": 256, "observed_at": 64, "source_version": 256, "response_target": 1024}
"""Characters a string member may have."""


def spoil_members(rng: Random, pairs: Pairs) -> None:
    """One change to the members of an input."""
    if not pairs:
        return
    place = rng.randrange(len(pairs))
    key, text = pairs[place]
    kind = rng.random()
    if kind < 0.2:
        del pairs[place]
    elif kind < 0.5:
        pairs[place] = (key, rng.choice(WRONG))
    elif kind < 0.62:
        pairs.insert(rng.randrange(len(pairs) + 1), (key, rng.choice([text, rng.choice(WRONG), document(rng, 1)])))
    elif kind < 0.75:
        bounded = rng.choice(list(BOUNDS))
        bound = BOUNDS[bounded] + rng.choice([0, 1])
        replaced = (bounded, quote(rng, rng.choice(["a", "é", "🙂", "\u0000"]) * bound))
        pairs[:] = [pair for pair in pairs if pair[0] != bounded] + [replaced]
    elif kind < 0.8:
        pairs[place] = (rng.choice([key.upper(), key + " ", "é" + key, key[:-1]]), text)
    elif kind < 0.9:
        foreign = rng.choice(["structuredContent", "isError", "outputSchema", "exit_code", "stdout", "stderr", "status_code", "body", "text", "value", "claim", "tool_call_dispatched"])
        pairs.append((foreign, rng.choice(WRONG)))
    else:
        pairs[place] = (key, document(rng, 2))


def spoil_text(rng: Random, line: bytes) -> bytes:
    """A change to the bytes of a line that knows nothing of JSON; never a line feed, never a line of blanks."""
    kind = rng.random()
    place = rng.randrange(len(line) + 1)
    if kind < 0.2:
        out = line[:place] + bytes([rng.choice([0, 1, 0x0B, 0x0C, 0x20, 0x22, 0x2C, 0x5C, 0x7B, 0x7D, 0x7F, 0x80, 0xC3, 0xED, 0xFF, rng.randrange(256)])]) + line[place + 1 :]
    elif kind < 0.35:
        out = line[:place] + rng.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb9\x82", b"\xf4\x90\x80\x80", b"\xe2\x28\xa1", b"\xc3", b"\x00", b"\xef\xbb\xbf", b"\\ud800", b"\\", b'"', b",", b"[", b"}", b"\xc2\xa0", b"\x0c", b"\r", b"NaN"]) + line[place:]
    elif kind < 0.45:
        out = line[:place]
    elif kind < 0.55:
        out = line[:place] + line[place + rng.randrange(1, 6) :]
    elif kind < 0.7:
        out = line + rng.choice([b"x", b"}", b" {}", b"\x00", b",", b" // c", b"\xc2\xa0", b"\r", b"\xff", b"[", b"#", b"\xef\xbb\xbf"])
    elif kind < 0.8:
        out = b"\xef\xbb\xbf" + line
    elif kind < 0.86:
        out = rng.choice([b"\xef\xbb\xbf\xef\xbb\xbf", b"\xef\xbb", b"\xff\xfe", b"\xfe\xff", b"\x0c", b"\xc2\xa0", b"\x00", b" \xef\xbb\xbf"]) + line
    elif kind < 0.9:
        out = line.decode(errors="replace").encode(rng.choice(["utf-16-le", "utf-16-be", "utf-16", "utf-32"]))
    elif kind < 0.95:
        out = rng.choice(NOT_JSON + WRONG).encode() or b"x"
    else:
        out = line.replace(b'"', rng.choice([b"'", b'\\"', b'""']), 1)
    out = out.replace(b"\n", b"\x0b")
    return out if out.strip(b" \t\r\x0b\x0c\xc2\xa0") else b"x"


def on_a_limit(rng: Random, pairs: Pairs) -> bytes:
    """An input that sits on, or just past, a bound of a document; some hide it where a later duplicate key drops it."""
    kind = rng.randrange(6)
    if kind == 0:
        hostile = nested(rng, rng.choice([30, 31, 32, 33, 40, 127, 128, 129, 800, 5000]))
    elif kind == 1:
        hostile = quote(rng, rng.choice(["a", "é", "🙂"]) * rng.choice([16383, 16384, 16385])) if chance(rng, 0.5) else '{"%s":1}' % ("k" * rng.choice([16384, 16385]))
    elif kind == 2:
        spent = len(_flat(pairs)) + 1
        hostile = array(rng, ["0"] * (4096 - spent - 1 + rng.randrange(-2, 3)))
    elif kind == 3:
        hostile = members(rng, [(f"k{i}" if chance(rng, 0.5) else "same", "1") for i in range(rng.choice([2000, 2040, 4000, 5000]))])
    else:
        return _padded(rng, pairs)
    key = rng.choice(["x", "body", "structuredContent", "stdout", "metadata", "claim", "source_ref", "evidence_refs"])
    place = rng.randrange(len(pairs) + 1)
    pairs.insert(place, (key, hostile))
    if chance(rng, 0.25):
        pairs.insert(rng.randrange(place + 1, len(pairs) + 1), (key, rng.choice(WRONG)))
    line = members(rng, pairs)
    if chance(rng, 0.1):
        line = line[: rng.randrange(len(line))] or "{"
    return line.encode()


def _flat(pairs: Pairs) -> list[str]:
    """A list as long as the nodes of the members' values and keys, where they can be counted."""
    count = []

    def walk(value: object) -> None:
        count.append("")
        if isinstance(value, dict):
            for item in value.values():
                count.append("")
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    try:
        walk({key: json.loads(text) for key, text in pairs})
    except (ValueError, RecursionError):
        pass
    return count


def _padded(rng: Random, pairs: Pairs) -> bytes:
    """A line of about 131,072 bytes: blanks, or strings that are each within bounds."""
    line = members(rng, pairs).encode()
    size = 131072 + rng.choice([-1, 0, 1, 2])
    if chance(rng, 0.3):
        line = b"\xef\xbb\xbf" + line
    if chance(rng, 0.5):
        line = line[:-1] + b',"p":[%s]}' % b",".join([b'"' + b"p" * 16000 + b'"'] * 7)
    blanks = b" " * max(0, size - len(line))
    return rng.choice([line + blanks, line[:-1] + blanks + b"}"])
