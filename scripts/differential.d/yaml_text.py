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


def scalar(rng: Random) -> str:
    return rng.choice(PLAIN) if rng.random() < 0.75 else rng.choice(QUOTED)


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
    """YAML text for a payload that may hold what the contract asks for."""
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
    if kind < 0.97:
        return rng.choice(BROKEN)
    levels = rng.choice([31, 32, 33, 200])
    return "[" * levels + "]" * rng.choice([levels, 0])
