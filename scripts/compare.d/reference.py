"""The reference in one process, as a program that uses it would: read a line, decide, print the record.

usage: reference.py BUNDLE LOG NOW > records
"""

import json
import sys
from datetime import datetime

import resultseal
from resultseal.errors import ResultSealError
from resultseal.report import render_json

bundle, log, now = sys.argv[1:]
now = datetime.fromisoformat(now)
with open(bundle, encoding="utf-8") as file:
    contracts = {tool: resultseal.load_contract(contract) for tool, contract in json.load(file)["contracts"].items()}
with open(log, encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        raw = json.loads(line)
        try:
            print(render_json(resultseal.check(raw, contracts[raw["tool_name"]], now=now).record()))
        except ResultSealError as error:
            print(json.dumps({"decision": "rejected", "line": number, "reason_codes": [error.code]}, separators=(",", ":")))
