#!/usr/bin/python3
"""oomp_speed.py TELEMETRY.jsonl REPORT.json - time by candidates (oomp_speed.sh).

SPDX-License-Identifier: MIT
"""
import json
import sys

lines = [json.loads(line) for line in open(sys.argv[1])]
report = json.load(open(sys.argv[2]))
looks = {}
most = 0
for before, after in zip(lines, lines[1:]):
    rows = after["examples"] - before["examples"]
    values = after["attributes"] - before["attributes"]
    if before["epochs"] < 1 or rows == 0 or after["support_size"] > 0:
        continue  # values come into memory in the first pass
    candidates = values / rows
    most = max(most, candidates)
    halving = 0
    while candidates * 2 ** (halving + 1) <= most:
        halving += 1
    sums = looks.setdefault(halving, [0, 0, 0.0])
    sums[0] += rows
    sums[1] += values
    sums[2] += after["seconds"] - before["seconds"]
print(" candidates  examples  microseconds of an example  nanoseconds of a value")
for halving in sorted(looks):
    rows, values, seconds = looks[halving]
    print(f"{values / rows:11.0f} {rows:9} {1e6 * seconds / rows:27.1f} "
          f"{1e9 * seconds / values:23.3f}")
rows, values, seconds = looks[0]
gbs = 4e-9 * values / seconds
most = report["read_gbs"] * report["ranks"]
print(f"all candidates: {values / seconds:.3g} values, {gbs:.2f} GB a second; the machine "
      f"reads {most:.2f} GB a second: {gbs / most:.2f}")
