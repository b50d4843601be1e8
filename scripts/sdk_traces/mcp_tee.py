"""Runs a command and copies what goes in and out, raw to one log and wrapped to another."""

import json
import subprocess
import sys
import threading
from datetime import datetime, timezone

raw_path, wrapped_path, *command = sys.argv[1:]
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
lock = threading.Lock()


def copy(source, sink, direction, raw, wrapped):
    for line in source:
        with lock:
            now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
            raw.write(line)
            raw.flush()
            record = {"ts": now, "dir": direction, "server": "crm", "message": json.loads(line)}
            wrapped.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
            wrapped.flush()
        sink.write(line)
        sink.flush()
    sink.close()


with open(raw_path, "wb") as raw, open(wrapped_path, "wb") as wrapped:
    threads = [
        threading.Thread(target=copy, args=(sys.stdin.buffer, child.stdin, "client->server", raw, wrapped)),
        threading.Thread(target=copy, args=(child.stdout, sys.stdout.buffer, "server->client", raw, wrapped)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(child.wait())
