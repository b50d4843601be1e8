"""Decides random or recorded cases with sealpipe and with the reference, and reports every case they do not agree on.

Not a test of speed, and not a proof: what it has not generated it has not compared.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing import Pool
from pathlib import Path

import generate
import reference
from reference import Answer, Reference

SHOWN = 24
"""Differences printed in full: two of each of the first kinds, one of each further kind."""
TIMEOUT = 120
"""Seconds one run of sealpipe may take."""
CONTRACT_BLANKS = "white space around a contract that takes its file past the bound of a contract"
DUPLICATE_CONTRACT = "a contract file with a duplicate key is refused"
_MESSAGE = re.compile(r"^sealpipe: ([A-Z_]+): ", re.MULTILINE)


@dataclass(frozen=True)
class Difference:
    """One case on which the two disagree."""

    case: str
    contract: bytes
    clock: str
    line: bytes
    expected: str
    actual: str


@dataclass
class Tally:
    """What came out of some cases; tallies add up."""

    cases: int = 0
    agreed: int = 0
    documented: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        self.cases += other.cases
        self.agreed += other.agreed
        self.documented += other.documented
        self.answers += other.answers
        self.kinds += other.kinds
        self.differences += other.differences
        return self


@dataclass(frozen=True)
class Run:
    """One run of the filter: its exit status, the record lines, and what it said on standard error."""

    status: int
    records: list[str]
    message: str

    def refusal(self) -> str:
        code = _MESSAGE.search(self.message)
        return f"exit {self.status}, {code[1] if code else self.message[:500] or 'no message'}"


def run_filter(binary: str, contract: bytes, clock: str, lines: bytes, threads: int = 1) -> Run:
    with tempfile.TemporaryDirectory(prefix="sealpipe-differential-") as folder:
        path = Path(folder, "contract.json")
        path.write_bytes(contract)
        command = [binary, "-c", str(path), f"--now={clock}", "--record", "core", "-j", str(threads)]
        try:
            done = subprocess.run(command, input=lines, capture_output=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return Run(-1, [], f"no end after {TIMEOUT} seconds")
    return Run(done.returncode, done.stdout.decode(errors="replace").split("\n")[:-1], done.stderr.decode(errors="replace"))


def run_check(binary: str, contract: bytes, clock: str, document: bytes) -> Run:
    """The same question put to `sealpipe check`, for inputs that are whole YAML documents."""
    with tempfile.TemporaryDirectory(prefix="sealpipe-differential-") as folder:
        path, response = Path(folder, "contract.json"), Path(folder, "input.yaml")
        path.write_bytes(contract)
        response.write_bytes(document)
        command = [binary, "check", str(response), "--contract", str(path), "--format", "json", f"--now={clock}"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return Run(-1, [], f"no end after {TIMEOUT} seconds")
    return Run(done.returncode, done.stdout.decode(errors="replace").split("\n")[:-1], done.stderr.decode(errors="replace"))


def expected_record(answer: Answer, number: int) -> str:
    """The core record for an answer to line `number`."""
    if answer.record is not None:
        return answer.record
    return json.dumps({"decision": "rejected", "line": number, "reason_codes": [answer.error]}, separators=(",", ":"))


def expected_status(answer: Answer) -> int:
    if answer.record is not None:
        return 0 if '"decision":"sealed"' in answer.record else 1
    return answer.status


def documented(answer: Answer, line: bytes, actual: str) -> str | None:
    """Why an answer other than the expected one is right all the same, if it is."""
    rejected = '"decision":"rejected"' in actual
    if reference.CLOCK_RANGE in answer.lenient and '"decision":' in actual:
        return reference.CLOCK_RANGE
    if reference.CRASH in answer.lenient and (rejected or '"decision":' in actual):
        return answer.error
    deep = reference.nesting(line.decode(errors="replace")) > reference.TEXT_DEPTH
    if rejected and deep and "LIMIT_EXCEEDED" in actual and answer.error in (None, "SCHEMA_INVALID"):
        return reference.HIDDEN_DEPTH
    either = {"PARSE_FAILED", "LIMIT_EXCEEDED"}
    if rejected and deep and answer.error in either and any(code in actual for code in either):
        return reference.EITHER_WAY
    try:
        value = json.loads(line.decode().removeprefix("\ufeff"))["value"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return yaml_strictness(value, actual) if rejected and isinstance(value, str) else None


def yaml_strictness(text: str, refusal: str) -> str | None:
    """Why sealpipe refuses some YAML, where that is stricter than the reference on purpose."""
    return next((reason for reason, code, sign in reference.YAML_STRICT if code in refusal and sign.search(text)), None)


def has_duplicate_key(text: bytes) -> bool:
    found = []

    def pairs(items: list[tuple[str, object]]) -> None:
        found.append(len({key for key, _ in items}) < len(items))

    try:
        json.loads(text.decode().removeprefix("\ufeff"), object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return any(found)


def compare_group(binary: str, case: str, group: generate.Group) -> Tally:
    """Decides one group both ways."""
    tally = Tally()
    oracle = Reference(group.contract, group.clock)
    if is_refused(oracle) and oversized_only_by_blanks(group.contract):
        tally.documented[CONTRACT_BLANKS] += 1
        oracle = Reference(group.contract.strip(), group.clock)
    if is_refused(oracle):
        return compare_refusal(binary, case, group, oracle)
    run = run_filter(binary, group.contract, group.clock, group.ending.join(group.lines) + group.last_ending, 1 + hash_of(case) % 2)
    if not run.records and has_duplicate_key(group.contract) and run.status == 2:
        tally.cases = tally.agreed = 1
        tally.documented[DUPLICATE_CONTRACT] += 1
        return tally
    records = iter(run.records)
    worst = 0
    for number, (line, kind) in enumerate(zip(group.lines, group.kinds, strict=True), start=1):
        if kind == "blank":
            continue
        answer = oracle.answer(line)
        expected, actual = expected_record(answer, number), next(records, f"no record; {run.refusal()}")
        tally.cases += 1
        tally.kinds[kind] += 1
        tally.answers[summary(answer)] += 1
        for reason in answer.lenient:
            tally.documented[reason] += 1
        if expected == actual:
            tally.agreed += 1
            worst = max(worst, expected_status(answer))
        elif reason := documented(answer, line, actual):
            tally.agreed += 1
            tally.documented[reason] += 1
            worst = max(worst, run.status)
        else:
            tally.differences.append(Difference(f"{case}, line {number}", group.contract, group.clock, line, expected, actual))
            worst = max(worst, run.status)
    extra = list(records)
    if extra or run.status != worst:
        actual = f"exit {run.status} and {len(extra)} more records, standard error: {run.message[:500]}"
        tally.differences.append(Difference(f"{case}, the run", group.contract, group.clock, b"", f"exit {worst} and no more records", actual))
    return tally


def oversized_only_by_blanks(contract: bytes) -> bool:
    """Whether only white space around a contract takes its file past the bound; the bound is the contract's, not the file's."""
    return len(contract.strip()) <= reference.LIMITS.max_file_bytes < len(contract)


def is_refused(oracle: Reference) -> bool:
    """Whether the contract or the clock is refused before any line; a clock out of range is met line by line."""
    return oracle.failure is not None and reference.CLOCK_RANGE not in oracle.failure.lenient


def compare_refusal(binary: str, case: str, group: generate.Group, oracle: Reference) -> Tally:
    """A contract or a clock that the reference refuses: the filter must refuse it before any line, for the same reason.

    Where both are refused either reason is right: a command looks at its arguments before it opens its files.
    """
    tally, failure = Tally(cases=1), oracle.failure
    tally.answers[f"contract: {summary(failure)}"] += 1
    for reason in failure.lenient:
        tally.documented[reason] += 1
    run = run_filter(binary, group.contract, group.clock, group.ending.join(group.lines) + group.last_ending)
    expected = f"exit {failure.status}, {failure.error}"
    either = {"exit 2, PARSE_FAILED", "exit 3, LIMIT_EXCEEDED"}
    if run.refusal() in (expected, oracle.clock_refusal) and not run.records:
        tally.agreed = 1
    elif reference.CRASH in failure.lenient and run.status == 2 and not run.records:
        tally.agreed = 1
    elif {run.refusal(), expected} <= either and reference.nesting(group.contract.decode(errors="replace")) > reference.TEXT_DEPTH:
        tally.agreed = 1
        tally.documented[reference.EITHER_WAY] += 1
    elif has_duplicate_key(group.contract) and run.status == 2 and not run.records:
        tally.agreed = 1
        tally.documented[DUPLICATE_CONTRACT] += 1
    else:
        actual = run.refusal() + (f" after {len(run.records)} records" if run.records else "") + f" ({run.message.strip()[:300]})"
        tally.differences.append(Difference(f"{case}, the contract", group.contract, group.clock, group.lines[0], expected, actual))
    return tally


def hash_of(text: str) -> int:
    """A small number from a text, the same in every process."""
    return sum(text.encode())


def summary(answer: Answer) -> str:
    """An answer in a few words, for the coverage lines."""
    if answer.record is None:
        return f"rejected {answer.error.split(':')[0] if answer.error else ''}"
    record = json.loads(answer.record)
    return f"{record['decision']}/{record['truth_state']} {'+'.join(record['reason_codes'])}"


def random_groups(arguments: tuple[str, int, str | None, range]) -> Tally:
    binary, seed, kind, indexes = arguments
    tally = Tally()
    for index in indexes:
        tally += compare_group(binary, f"seed {seed}, group {index}", generate.group(seed, index, kind))
    return tally


def random_documents(arguments: tuple[str, int, str | None, range]) -> Tally:
    """Inputs that are whole YAML documents, one run of `sealpipe check` each."""
    binary, seed, _, indexes = arguments
    tally = Tally()
    for index in indexes:
        contract, clock, document = generate.yaml_case(seed, index)
        answer = Reference(contract, clock).answer(document, yaml=True)
        run = run_check(binary, contract, clock, document)
        expected = f"{answer.record or answer.error} (exit {expected_status(answer)})"
        actual = f"{''.join(run.records) or run.refusal().partition(', ')[2]} (exit {run.status})"
        tally.cases += 1
        tally.kinds["yaml document"] += 1
        tally.answers[summary(answer)] += 1
        for reason in answer.lenient:
            tally.documented[reason] += 1
        if expected == actual or reference.CRASH in answer.lenient and run.status in (2, 3) and not run.records:
            tally.agreed += 1
        elif not run.records and (reason := yaml_strictness(document.decode(), actual)):
            tally.agreed += 1
            tally.documented[reason] += 1
        else:
            tally.differences.append(Difference(f"case seed {seed}, document {index}", contract, clock, document, expected, actual))
    return tally


def recorded_cases(arguments: tuple[str | None, list[dict]]) -> Tally:
    """Cases whose answers are on record: the reference must give them too, or this program asks it wrongly."""
    binary, cases = arguments
    tally = Tally()
    for case in cases:
        contract, line = json.dumps(case["contract"]).encode(), case["line"].encode(errors="surrogatepass")
        yaml = case.get("yaml", False)
        answer = Reference(contract, case["now"]).answer(line, yaml=yaml)
        told = {key: value for key, value in case["expect"].items() if key != "contract"}
        asked = {"record": answer.record} if answer.record is not None else {"error": answer.error, "exit": answer.status}
        tally.cases += 1
        tally.kinds[case["group"]] += 1
        tally.answers[summary(answer)] += 1
        wrong = []
        if told != asked and not ("crash" in told and reference.CRASH in answer.lenient):
            wrong.append(("the reference", json.dumps(told), json.dumps(asked)))
        if binary and (found := recorded_difference(binary, case, contract, line, answer)):
            wrong.append(found)
        tally.agreed += not wrong
        tally.differences += [Difference(f"case {case['id']}, {who}", contract, case["now"], line, want, got) for who, want, got in wrong]
    return tally


def recorded_difference(binary: str, case: dict, contract: bytes, line: bytes, answer: Answer) -> tuple[str, str, str] | None:
    refused = case["expect"].get("contract", {}).get("error")
    if refused or case["expect"].get("error") == "CONTRACT_INVALID":
        run, expected = run_filter(binary, contract, case["now"], line + b"\n"), f"exit 2, {refused or 'CONTRACT_INVALID'}"
        return None if run.refusal() == expected and not run.records else ("the contract", expected, run.refusal())
    if case.get("yaml"):
        run = run_check(binary, contract, case["now"], line)
        actual = "".join(run.records) or run.refusal()
        expected = answer.record or f"exit {answer.status}, {answer.error}"
        if "crash" in case["expect"]:
            return None if run.status in (2, 3) and not run.records else ("sealpipe check", "a clear error", actual)
    else:
        run = run_filter(binary, contract, case["now"], line + b"\n")
        actual, expected = "\n".join(run.records) or run.refusal(), expected_record(answer, 1)
    return None if actual == expected and run.status == expected_status(answer) else ("sealpipe", expected, f"{actual} (exit {run.status})")


def shrink(binary: str, difference: Difference) -> bytes:
    """A shorter line on which the two still disagree, found by leaving out ever smaller pieces."""
    line, runs = difference.line, 0
    oracle = Reference(difference.contract, difference.clock)
    if oracle.failure or not line:
        return line
    size = len(line) // 2
    while size and runs < 400:
        start = 0
        while start < len(line) and runs < 400:
            shorter = line[:start] + line[start + size :]
            runs += 1
            if shorter.strip() and _disagrees(binary, oracle, difference, shorter):
                line = shorter
            else:
                start += size
        size //= 2
    return line


def _disagrees(binary: str, oracle: Reference, difference: Difference, line: bytes) -> bool:
    answer = oracle.answer(line)
    run = run_filter(binary, difference.contract, difference.clock, line + b"\n")
    actual = "\n".join(run.records) or run.refusal()
    if kind_of(actual) != kind_of(difference.actual) or kind_of(expected_record(answer, 1)) != kind_of(difference.expected):
        return False
    return actual != expected_record(answer, 1) and documented(answer, line, actual) is None


def kind_of(record: str) -> str:
    """What makes two differences the same one: the codes and the truth state, not the hashes."""
    found = re.findall(r'"(?:decision|truth_state)":"(\w+)"|"reason_codes":(\[[^\]]*\])', record)
    return str(found) if found else record[:40]


def show(binary: str | None, difference: Difference, folder: Path, number: int) -> None:
    """Prints one difference in full; what is too long to print goes to a file."""
    line = shrink(binary, difference) if binary and not difference.case.startswith("case") else difference.line
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.jsonl").write_bytes(difference.line)
    (folder / f"{number}.contract.json").write_bytes(difference.contract)
    print(f"\n--- {difference.case} (kept: {folder}/{number}.jsonl, {number}.contract.json)")
    for name, value in [("input", difference.line), ("shortest", line), ("contract", difference.contract)]:
        text = "".join(_shown(character) for character in value.decode("utf-8", "surrogateescape"))
        if name != "shortest" or line != difference.line:
            print(f"{name + ':':10}{text if len(text) <= 3000 else text[:1500] + f' ... {len(value)} bytes ... ' + text[-300:]}")
    print(f"{'clock:':10}{difference.clock!r}\n{'expected:':10}{difference.expected}\n{'sealpipe:':10}{difference.actual}")


def _shown(character: str) -> str:
    """A character as it stands where a terminal shows it; for the exact bytes there is the kept file."""
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def report(tally: Tally, binary: str | None, folder: Path, seconds: float) -> int:
    kinds: dict[tuple[str, str], list[Difference]] = {}
    for difference in tally.differences:
        lost = difference.actual.startswith("no record")
        kinds.setdefault(("a record" if lost else kind_of(difference.expected), kind_of(difference.actual)), []).append(difference)
    number = 0
    for (expected, actual), differences in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"\n=== {len(differences)} x expected {expected} sealpipe {actual}")
        for difference in sorted(differences, key=lambda item: len(item.line))[: 2 if number < SHOWN // 2 else number < SHOWN]:
            number += 1
            show(binary, difference, folder, number)
    print("\ncoverage, by answer:")
    for answer, count in sorted(tally.answers.items()):
        print(f"  {count:8}  {answer}")
    print("coverage, by kind: " + ", ".join(f"{kind} {count}" for kind, count in sorted(tally.kinds.items())))
    print("answers that are sealpipe's own by design (compared all the same wherever one answer is right):")
    for reason, count in sorted(tally.documented.items()):
        print(f"  {count:8}  {reason}")
    print(f"{tally.agreed} of {tally.cases} cases agree, {len(tally.differences)} differences, {seconds:.1f} s")
    return 1 if tally.differences else 0


def chunks(count: int, size: int) -> Iterable[range]:
    return (range(start, min(start + size, count)) for start in range(0, count, size))


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/differential", description="compares sealpipe with the reference on random cases")
    parser.add_argument("count", nargs="?", type=int, default=5000, help="how many cases (default 5,000)")
    parser.add_argument("seed", nargs="?", type=int, default=1, help="the same seed gives the same cases (default 1)")
    parser.add_argument("--golden", action="append", metavar="FILE", help="cases with recorded answers, one JSON object a line, instead of random ones")
    parser.add_argument("--yaml", action="store_true", help="whole YAML documents through `sealpipe check`")
    parser.add_argument("--kind", choices=generate.KINDS, help="inputs of this kind only")
    parser.add_argument("--binary", help="the sealpipe to ask; without it --golden asks the reference alone")
    parser.add_argument("--keep", default="target/differential/cases", help="folder for the differing cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="worker processes")
    arguments = parser.parse_args()
    began, total = time.monotonic(), Tally()
    with Pool(arguments.jobs) as pool:
        if arguments.golden:
            cases = [json.loads(line) for path in arguments.golden for line in Path(path).read_bytes().split(b"\n") if line]
            work = ((arguments.binary, [cases[index] for index in indexes]) for indexes in chunks(len(cases), 50))
            tallies = pool.imap(recorded_cases, work)
        else:
            if not arguments.binary:
                parser.error("--binary is needed for random cases")
            groups = arguments.count if arguments.yaml else generate.plan(arguments.count, arguments.seed)
            decide = random_documents if arguments.yaml else random_groups
            tallies = pool.imap(decide, ((arguments.binary, arguments.seed, arguments.kind, indexes) for indexes in chunks(groups, 20)))
        for tally in tallies:
            total += tally
    return report(total, arguments.binary, Path(arguments.keep), time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
