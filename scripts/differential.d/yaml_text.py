"""Random YAML text: what tools return, the corners of YAML 1.1's plain scalars, and what must be refused."""

from __future__ import annotations

from random import Random

PLAIN = (
    "yes no on off Yes TRUE true ~ null Null 0 -0 +1 010 0o10 0x1F 0b101 1_000 1:30 190:20:30 1.5 .5 1. 1e5 1.0e5 1.5e+3 .inf -.Inf .NaN 12345678901234567890 "
    "2026-11-02 2026-11-02T12:00:00Z 2026-1-2 abc ok absent not_found customer:42 a#b http://x y n Y <<x =x 0.1 0_ 08 09 1e400 1.0e+400 é 日本 🙂"
).split()
QUOTED = ['"a"', "'a'", '"\\n"', "'it''s'", '"\\u00e9"', '"\\x41"', '""', "''", '"a: b"', '"\\/"', '"\\U0001F642"']
REFUSED = ["&a 1", "*a", "!!binary aGk=", "!!set {a}", "!!python/name:os.system", "!local x", "!!omap []", "! x", "!!str 1", "!!int '7'", "!!float 1", "!!bool yes", "!!null ''", "!!timestamp 2026-11-02", "!!int x", "!!float abc", "!!bool maybe", "!!seq [1]", "!!map {a: 1}", "!<tag:yaml.org,2002:int> 3"]
BROKEN = ["[", "{a: 1", "a: b: c", "- a\nb", "\ta: 1", "a: 1\n b: 2", "'", '"', "%YAML 1.1\n---\n1", "--- 1\n--- 2", "---\n...\n", "@x", "`x", "%x", "a: [1, 2", "? a\n: b", "? [a]\n: b", "{[1]: 2}", "- - - 1", "a:\n- 1\n- 2", "# only a comment", "", " ", "---", "...", "\ufeffa: 1", "a: |\n  x\n  y\n", "a: >-\n  x\n\n  y\n", "a: |2\n   x", "[a, , b]", "[a,]", "{a, b: 1}", "{a:1}", "x: &a 1\ny: *a", "<<: {a: 1}\nb: 2", "<<: [{a: 1}, {a: 2}]", "<<: 1", "a: 1\na: 2", "1: x", "true: x", "~: x", "2026-11-02: x", "1.5: x", "!!str 1: x"]


SPELLED = ["0123456789", "01234567_.", "0123456789+-.eE", "01b_xX0aF", "0123456:5.", "-+.infINFnaNA", "yYesnoNOfFtTrue~", "0123-: TtZ+.", "ab :-#,[]{}'\"&*!|>%@`?=<"]
"""Alphabets in which plain scalars are nearly numbers, dates, booleans, or no longer plain."""
SIGNS = list(":-#,[]{}'\"&*!|>%@`?=<\t\n ~.\\") + [": ", "- ", " #", "\n ", "\n  ", "\r", "\x85", "\u2028", "\ufeff", "\x7f", "\u00a0", "---", "...", "\n\n", "!!str ", "é"]


def scalar(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.55:
        return rng.choice(PLAIN)
    if kind < 0.7:
        return rng.choice(QUOTED)
    if kind < 0.78:
        return f"{rng.randrange(1900, 2100)}-{rng.randrange(14)}-{rng.randrange(33):02}" + rng.choice(["", "", "T", " ", "t"]) + rng.choice(["", "12:00:00", "1:02:03", "23:59:60", "24:00:00"]) + rng.choice(["", "Z", " Z", "+01:00", " -1", "+0130", ".5", ".1234567", ".123Z"])
    if kind < 0.84:
        return rng.choice([repr, "{:.3e}".format, "{:.17g}".format, "{:+.1f}".format])(rng.uniform(-10, 10) * 10.0 ** rng.randrange(-30, 30))
    alphabet = rng.choice(SPELLED[:8] if kind < 0.97 else SPELLED)
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 9)))


def flow(rng: Random, depth: int) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.5:
        return scalar(rng)
    if kind < 0.75:
        return "[" + ", ".join(flow(rng, depth - 1) for _ in range(rng.randrange(4))) + "]"
    return "{" + ", ".join(f"{rng.choice(['a', 'b', 'id', 'k', scalar(rng)])}: {flow(rng, depth - 1)}" for _ in range(rng.randrange(4))) + "}"


def block(rng: Random, indent: int, depth: int, keys: list[str]) -> str:
    pad = " " * indent
    lines = []
    if rng.random() < 0.7:
        for key in [*keys, *rng.sample(["a", "b", "status", "k"], 2)]:
            nested = depth > 0 and rng.random() < 0.25
            lines.append(f"{pad}{key}:" + ("\n" + block(rng, indent + 2, depth - 1, []) if nested else " " + flow(rng, 1)))
    else:
        for _ in range(rng.randrange(1, 4)):
            lines.append(f"{pad}- {flow(rng, 1)}")
    return "\n".join(lines)


def yaml_value(rng: Random, contract: dict) -> str:
    """YAML text for a payload that may hold what the contract asks for; now and then with a sign where it does not belong."""
    text = clean_value(rng, contract)
    while rng.random() < 0.12:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(SIGNS) + text[place + rng.randrange(2) :]
    return text


def text_block(rng: Random) -> str:
    """A literal, folded, quoted or plain scalar of several lines."""
    lines = [rng.choice(["a", "b c", "", "  d", "e: f", "# g", "- h", "\ti", "é"]) for _ in range(rng.randrange(1, 5))]
    style = rng.choice(["|", ">", "|-", ">+", "|+", ">-", "|2", ">1-", "", '"', "'"])
    if style in ("", '"', "'"):
        return style + "\n  ".join(lines) + style
    return style + rng.choice(["", " # c"]) + "\n" + "\n".join("  " + line for line in lines) + rng.choice(["", "\n", "\n\n"])


def clean_value(rng: Random, contract: dict) -> str:
    kind = rng.random()
    keys = [key for key in contract["required_fields"][:5] if key.isalnum()]
    if kind < 0.45:
        return block(rng, 0, 2, keys) + rng.choice(["", "\n"])
    if kind < 0.55:
        sentinel = contract.get("not_found_sentinel") or "absent"
        return rng.choice([f"status: {sentinel}", sentinel, f"'{sentinel}'", f'status: "{sentinel}"'])
    if kind < 0.75:
        return flow(rng, 2)
    if kind < 0.85:
        return rng.choice(["{}", "a: {}", "[{}]", "- {}", "a: [1, {}]"]).format(rng.choice(REFUSED)) if rng.random() < 0.9 else rng.choice(REFUSED)
    if kind < 0.92:
        return rng.choice(["", "k: ", "- "]) + text_block(rng)
    if kind < 0.97:
        return rng.choice(BROKEN)
    levels = rng.choice([31, 32, 33, 200])
    return "[" * levels + "]" * rng.choice([levels, 0])
