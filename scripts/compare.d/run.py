"""Times sealpipe, jq, jaq and the reference on the same files and prints Markdown tables.

usage: run.py SEALPIPE FOLDER PARSING HASHING      the seconds that the floor takes
"""

import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

sealpipe, folder = sys.argv[1], pathlib.Path(sys.argv[2])
parsing, hashing = map(float, sys.argv[3:5])
log, bundle = folder / "log.jsonl", folder / "bundle.json"
here = pathlib.Path(__file__).parent
NOW = "2026-11-02T12:00:00+00:00"


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def run(words, stdin=None, out=subprocess.DEVNULL):
    """Returns the wall-clock seconds of a command and its peak resident memory in MiB."""
    start = time.perf_counter()
    child = subprocess.Popen(words, stdin=stdin, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 1, 2, 3), (words, child.returncode)
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def best(words, runs=5):
    return min(run(words) for _ in range(runs))


def piped(words, runs=5):
    """The same with the log through a pipe."""
    times = []
    for _ in range(runs):
        feeder = subprocess.Popen(["cat", str(log)], stdout=subprocess.PIPE)
        times.append(run(words, stdin=feeder.stdout))
        feeder.stdout.close()
        feeder.wait()
    return min(times)


def measure(path):
    """Returns the bytes and lines of a file, which is not held: what this process has held counts as its children's peak."""
    with path.open("rb") as lines:
        return path.stat().st_size, sum(1 for _ in lines)


def absent(name):
    print(f"compare: no {name} here", file=sys.stderr)


def filter_rows():
    size, count = measure(log)
    size /= 1e6
    words = [sealpipe, "-c", str(bundle), "--now", NOW, "--exit-zero", "--no-progress"]
    core = [*words, "--record", "core"]
    rows = {
        "floor, 1 thread": (parsing + hashing, None),
        "`sealpipe -j 1 --record core`": best([*core, "-j", "1", str(log)]),
        "`sealpipe -j 2 --record core`": best([*core, "-j", "2", str(log)]),
        "`sealpipe -j 2` (full records)": best([*words, "-j", "2", str(log)]),
        "`cat log \\| sealpipe -j 2 --record core`": piped([*core, "-j", "2"]),
    }
    for name in ("jq", "jaq"):
        if path := shutil.which(name):
            rows[f"`{name} -c .`"] = best([path, "-c", ".", str(log)], runs=2)
        else:
            absent(name)
    try:
        rows["reference in process"] = reference([*core, "-j", "2", str(log)])
    except ImportError:
        absent("reference")
    seconds = rows["`sealpipe -j 2 --record core`"][0]
    print(f"\n{processor()}, {os.cpu_count()} cores; {size:.0f} MB, {count:,} records\n")
    print("| program | seconds | MB/s | records/s | times `sealpipe -j 2` | peak MiB |\n|---|---:|---:|---:|---:|---:|")
    for name, (taken, peak) in rows.items():
        memory = "" if peak is None else f"{peak:.0f}"
        print(f"| {name} | {taken:.2f} | {size / taken:.0f} | {count / taken:,.0f} | {taken / seconds:.2f} | {memory} |")


def reference(ours):
    """Times the reference, whose records must be ours."""
    import resultseal  # noqa: F401  (where it is not there, nothing is compared)

    with tempfile.TemporaryFile() as their_records, tempfile.TemporaryFile() as our_records:
        words = [sys.executable, str(here / "reference.py"), str(bundle), str(log), NOW]
        timed = run(words, out=their_records)
        run(ours, out=our_records)
        digests = []
        for records in (their_records, our_records):
            records.seek(0)
            digests.append(hashlib.file_digest(records, "sha256").hexdigest())
        assert digests[0] == digests[1], "the records are not the same"
    return timed


def size_rows(words):
    """Longer and longer logs, what starting costs taken off; then lines of one length each."""
    empty = folder / "empty.jsonl"
    empty.touch()
    start, _ = best([*words, str(empty)], runs=20)
    print(f"\nStarting and ending: {start * 1000:.1f} ms.\n\n| records | ns a byte | MB/s |\n|---:|---:|---:|")
    first = folder / "first.jsonl"
    for count in (1_000, 100_000, 2_000_000):
        with log.open("rb") as source, first.open("wb") as out:
            held = sum(out.write(line) and 1 for _, line in zip(range(min(count, 200_000)), source))
        times = -(-count // held)
        size = first.stat().st_size * times
        taken = best([*words, *[str(first)] * times], runs=20 if count == 1_000 else 3)[0] - start
        print(f"| {held * times:,} | {taken / size * 1e9:.2f} | {size / taken / 1e6:.0f} |")
    print("\n| bytes a line | MB/s | records/s |\n|---:|---:|---:|")
    for length in (150, 1_000, 10_000, 100_000):
        path = folder / f"lines-{length}.jsonl"
        size, count = measure(path)
        taken = best([*words, str(path)], runs=3)[0] - start
        print(f"| {length:,} | {size / taken / 1e6:.0f} | {count / taken:,.0f} |")


core = [sealpipe, "-c", str(bundle), "--now", NOW, "--exit-zero", "--no-progress", "--record", "core", "-j", "2"]
filter_rows()
size_rows(core)
