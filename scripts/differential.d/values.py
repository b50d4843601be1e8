"""Random JSON text: strings, numbers and documents in every notation, most of them valid, some nearly, some hostile."""

from __future__ import annotations

import json
import math
import struct
from decimal import Decimal, localcontext
from random import Random

KEYS = ["id", "name", "status", "items", "a", "z", "Z", "0", "10", "9", "", " ", "é", "e\u0301", "日本", "\ue000", "\uffff", "\U00010000", "🙂", "\u0000", "\u007f", "\u2028", '"', "\\", "a/b", "a~b"]
"""Keys whose order by code point, by UTF-16 unit and by byte differ, or that need care to write."""
WORDS = ["", " ", "a", "ok", "absent", "not_found", "customer:42", "null", "true", "0", "é", "日本", "🙂", "\u0000", "\b\f\n\r\t", "\u001f\u007f\u0080", '"\\/', "\u2028\u2029", "\ufeff", "\ufffd", "\ufdd0", "\U0010ffff", "x" * 60]
SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
INTEGERS = [0, 1, -1, 9, 10, 42, 200, 399, 400, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**127, 2**128, 10**22, 10**23, 10**40]
FLOATS = (
    "0.0 -0.0 0e0 -0e-0 0e999999999999 0.0e-400 1.0 1e0 1E5 1e+5 1e-5 1e-4 1.0e-4 9.999e-5 0.0001 0.00001 0.00009999999999999999 "
    "1e15 1e16 1e17 123456789012345680.0 9007199254740993.0 9007199254740992.5 999999999999999.9 9999999999999998.0 9999999999999999.0 "
    "1e21 1e22 1e23 8.5e22 5e-324 4.9e-324 2.4703282292062327e-324 2.4703282292062328e-324 2.2250738585072011e-308 2.2250738585072014e-308 "
    "1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 1e308 1e309 1e400 -1e400 1e-400 1e99999999999999999999 "
    "1e-99999999999999999999 100.000 0.1 0.2 0.3 1.1 3.14 2.5 1e1 1.5e-07 1e-7 1e-10 1e100 6.02e+23 0.30000000000000004"
).split()
NOT_NUMBERS = "01 -01 00 1. .5 -.5 1e 1e+ 1.e5 +1 - -- 0x1 1_0 NaN Infinity -Infinity nan inf None True １ 1e5.5 1,0 1a".split()
NOT_JSON = ["", "tru", "nul", "True", "[", "]", "{", "}", "[1,]", "[,1]", "[1 2]", '{"a"}', '{"a":}', '{"a":1,}', '{"a" 1}', "{a:1}", "{'a':1}", "{1:2}", '"', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\u+123"', '"\n"', '"\u0001"', "'a'", "[1]]", "1 2", "/*c*/1", "//", "\ufeff1", "\u00a01", "\f1", "\v1", "1\u2028", "1\u0000", "#", "{}{}"]
HALF_PAIRS = ["\\ud800", "\\udc00", "\\ud83dx", "\\ud83d\\ud83d", "\\ude42\\ud83d", "\\uD83D\\u0041", "\\ud83d\\n", "\\\\ud83d", "\\ud83d\\ude42\\ude42"]


def chance(rng: Random, probability: float) -> bool:
    return rng.random() < probability


def quote(rng: Random, text: str) -> str:
    """`text` as a JSON string, each character raw or escaped in one of its ways."""
    style = rng.random()
    if style < 0.6 or len(text) > 300:
        return json.dumps(text, ensure_ascii=style > 0.5)
    out = []
    for character in text:
        if style > 0.85 or character < " " and character not in SHORT_ESCAPES or chance(rng, 0.3):
            units = struct.unpack(f">{len(character.encode('utf-16-be')) // 2}H", character.encode("utf-16-be"))
            out.append("".join((r"\u%04x" if chance(rng, 0.5) else r"\u%04X") % unit for unit in units))
        elif character in SHORT_ESCAPES:
            out.append(SHORT_ESCAPES[character])
        elif character == "/" and chance(rng, 0.3):
            out.append(r"\/")
        else:
            out.append(character)
    return '"' + "".join(out) + '"'


def word(rng: Random) -> str:
    if chance(rng, 0.7):
        return rng.choice(WORDS)
    alphabet = rng.choice(["abc 019-_.:/", "aé日🙂\ufffd", "\u0000\u0008\u001f\u007f\u0085\ud7ff\ue000\U0010ffff\"\\"])
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(12)))


def double(rng: Random) -> float:
    """A finite double; all exponents alike, or all subnormals, or near the places where the notation changes."""
    kind = rng.random()
    if kind < 0.4:
        bits = rng.getrandbits(64)
    elif kind < 0.5:
        bits = rng.getrandbits(52) >> rng.randrange(52)
    elif kind < 0.8:
        return rng.uniform(-10, 10) * 10.0 ** rng.randrange(-8, 20)
    else:
        return round(rng.uniform(-1e6, 1e6), rng.randrange(8))
    if bits >> 52 & 0x7FF == 0x7FF:
        bits ^= 1 << 62
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def exact_digits(rng: Random, value: float) -> str:
    """A decimal that lies on `value`, halfway to its neighbour, or a hair off: all its digits, far more than 17."""
    with localcontext(prec=1100):
        place = Decimal(value)
        (bits,) = struct.unpack("<q", struct.pack("<d", value))
        if chance(rng, 0.7) and bits & 0x7FFFFFFFFFFFFFFF < 0x7FEFFFFFFFFFFFFF:
            place = (place + Decimal(struct.unpack("<d", struct.pack("<q", bits + 1))[0])) / 2
        if place and chance(rng, 0.5):
            hair = Decimal(rng.choice([1, -1])).scaleb(place.adjusted() - rng.randrange(20, 800))
            place += hair
        text = format(place, rng.choice(["f", "e", "E"])) if abs(place.adjusted()) < 400 else format(place, "e")
    return text if len(text) < 1500 else repr(value)


def number(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.3:
        return str(rng.choice(INTEGERS))
    if kind < 0.45:
        text = rng.choice(FLOATS)
        return text if math.isfinite(float(text)) or chance(rng, 0.1) else "0.5"
    if kind < 0.55:
        digits = rng.choice([1, 3, 15, 16, 17, 18, 19, 20, 21, 38, 39, 40, 100, 300, 309, 310])
        return rng.choice(["", "-"]) + str(rng.randrange(1, 10)) + "".join(str(rng.randrange(10)) for _ in range(digits - 1))
    if kind < 0.56:
        return rng.choice(["", "-"]) + str(rng.randrange(1, 10)) * rng.choice([4299, 4300, 4301, 5000])
    if kind < 0.562:
        return rng.choice(NOT_NUMBERS)
    value = double(rng)
    if kind < 0.72:
        return repr(value)
    if kind < 0.90:
        text = format(value, rng.choice([".16e", ".17E", ".20e", ".17g", ".3e", ".25e", ".0e"]))
        return text.replace("e+", rng.choice(["e+", "e", "E+", "E", "e+0"])) if chance(rng, 0.5) else text
    if kind < 0.94 and 1e-300 < abs(value) < 1e200:
        return format(Decimal(value), "f")[:1200].rstrip(".")
    return exact_digits(rng, value)


def scalar(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.35:
        return number(rng)
    if kind < 0.75:
        return quote(rng, word(rng))
    if kind < 0.751:
        return '"' + rng.choice(HALF_PAIRS) + '"'
    return rng.choice(["null", "true", "false"])


def gap(rng: Random) -> str:
    return "" if chance(rng, 0.8) else "".join(rng.choice(" \t") for _ in range(rng.randrange(4)))


def array(rng: Random, items: list[str]) -> str:
    return "[" + gap(rng) + (gap(rng) + "," + gap(rng)).join(items) + gap(rng) + "]"


def members(rng: Random, pairs: list[tuple[str, str]]) -> str:
    """An object from keys and the JSON text of their values."""
    body = (gap(rng) + "," + gap(rng)).join(quote(rng, key) + gap(rng) + ":" + gap(rng) + text for key, text in pairs)
    return "{" + gap(rng) + body + gap(rng) + "}"


def document(rng: Random, depth: int = 3) -> str:
    """Any JSON value, as text; keys repeat now and then."""
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return scalar(rng)
    if kind < 0.5:
        return array(rng, [document(rng, depth - 1) for _ in range(rng.randrange(4))])
    return members(rng, [(rng.choice(KEYS), document(rng, depth - 1)) for _ in range(rng.randrange(5))])


def nested(rng: Random, levels: int) -> str:
    """A value of exactly so many levels of arrays, objects, or both."""
    style = rng.randrange(3)
    opened, closed = [], []
    for _ in range(levels):
        if style == 0 or style == 2 and chance(rng, 0.5):
            opened.append("[")
            closed.append("]")
        else:
            opened.append('{"k":')
            closed.append("}")
    inner = rng.choice(["", "1"]) if opened and opened[-1] == "[" else "1"
    return "".join(opened) + inner + "".join(reversed(closed))


def body_text(rng: Random) -> str:
    """The text of a JSON document that travels inside a string: mostly good, sometimes not JSON at all."""
    kind = rng.random()
    if kind < 0.72:
        return gap(rng) + document(rng, 2) + gap(rng)
    if kind < 0.86:
        return rng.choice(NOT_JSON)
    if kind < 0.93:
        return rng.choice(['""', '" "', "null", "{}", "[]", "[[]]", "[null]", '{"":null}', "0", "false", "-0", "\n[]\r\n", "\t1"])
    if kind < 0.95:
        levels = rng.choice([31, 32, 33, 127, 128, 129, 499, 500, 501, 520, 700])
        return nested(rng, levels) if chance(rng, 0.8) else "[" * levels
    if kind < 0.96:
        return "[" * rng.choice([400, 900, 1100, 8000]) + "]" * rng.choice([0, 1, 1100])
    if kind < 0.98:
        return '"' + rng.choice(HALF_PAIRS) + '"'
    text = document(rng, 2)
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(["", "x", ",", "\u0000", "\ufeff", '"', "}"]) + text[place + 1 :]
