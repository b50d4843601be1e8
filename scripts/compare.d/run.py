"""Times sealpipe, jq, jaq and the reference on the same files, each the best of three, and prints a Markdown table."""

import json
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import time

sealpipe, folder, repeats = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
log, bundle = folder / "log.jsonl", pathlib.Path("fixtures/day/bundle.yaml")
NOW = "2026-11-02T18:00:00Z"


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def best(words, runs=3):
    """Returns the least wall-clock seconds of a command, whatever it ends with but a failure to run."""
    least = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        status = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
        least = min(least, time.perf_counter() - start)
        assert status in (0, 1, 2, 3), (words, status)
    return least


def peak(words):
    """Returns the peak resident memory of a command in MiB."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)"
    code += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    return int(subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout) / 1024


def write_log():
    """The day's log, its records that jq can read, over and over with new call ids."""
    lines = []
    for line in pathlib.Path("fixtures/day/log.jsonl").read_text().splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass
    with log.open("w") as out:
        for turn in range(repeats):
            for number, record in enumerate(lines):
                record["tool_call_id"] = f"call_{turn:06}_{number:02}"
                out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    return len(lines) * repeats


def stream_rows(count):
    size = log.stat().st_size / 1e6
    filter_ = [sealpipe, "-c", str(bundle), "--now", NOW, "--record", "core"]
    programs = [("sealpipe -j 1", [*filter_, "-j", "1", str(log)]), ("sealpipe -j 2", [*filter_, "-j", "2", str(log)])]
    programs += [(f"{name} -c .", [name, "-c", ".", str(log)]) for name in ("jq", "jaq") if shutil.which(name)]
    for name in ("jq", "jaq"):
        if not shutil.which(name):
            print(f"compare: no {name} here", file=sys.stderr)
    times = {name: best(words) for name, words in programs}
    print(f"\n{processor()}, {size:.0f} MB, {count} records\n")
    print("| program | seconds | MB/s | records/s | times jq | peak MiB |\n|---|---:|---:|---:|---:|---:|")
    for name, words in programs:
        seconds = times[name]
        ratio = f"{times['jq -c .'] / seconds:.1f}" if "jq -c ." in times else "-"
        print(f"| `{name}` | {seconds:.2f} | {size / seconds:.0f} | {count / seconds:.0f} | {ratio} | {peak(words):.0f} |")


def replay_rows():
    """1,000 fixture files through `replay` of both, which must print the same."""
    fixtures = folder / "fixtures"
    fixtures.mkdir()
    portable = [path for path in sorted(pathlib.Path("fixtures/catalogue").glob("*.yaml")) if 'schema_version: "2"' not in path.read_text()]
    files = []
    for number in range(1000):
        path = fixtures / f"{number:04}.yaml"
        path.write_text(portable[number % len(portable)].read_text())
        files.append(str(path))
    reference = pathlib.Path(sys.executable).with_name("resultseal")
    if not reference.exists():
        print("compare: no reference here", file=sys.stderr)
        return
    words = {"sealpipe replay": [sealpipe, "replay", *files], "resultseal replay": [str(reference), "replay", *files]}
    said = [subprocess.run(command, capture_output=True, check=False).stdout for command in words.values()]
    assert said[0] == said[1], "the two do not print the same"
    times = {name: best(command) for name, command in words.items()}
    print("\n| 1,000 fixture files | seconds | times faster |\n|---|---:|---:|")
    for name, seconds in times.items():
        print(f"| `{name}` | {seconds:.3f} | {times['resultseal replay'] / seconds:.0f} |")


stream_rows(write_log())
replay_rows()
