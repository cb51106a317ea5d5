"""coverage.py BUILD FOLDER... - lines that ran, of each folder with sources, by gcov
SPDX-License-Identifier: MIT

gcov comes with gcc. A line that several objects have, such as a kernel that is
compiled for each instruction set, counts once: it ran if it did in one of them.
"""

import collections
import json
import os
import subprocess
import sys


def counts_of(build, folders):
    """How often each line of each file in the folders ran, over all objects."""
    notes = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(build)
        for name in names
        if name.endswith(".gcno")
    ]
    ran = collections.defaultdict(lambda: collections.defaultdict(int))
    for start in range(0, len(notes), 64):
        some = [os.path.abspath(name) for name in notes[start : start + 64]]
        text = subprocess.run(
            ["gcov", "--json-format", "--stdout", *some],
            cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
        ).stdout  # fmt: skip
        for line in text.decode().splitlines():
            for file in json.loads(line)["files"] if line.startswith("{") else []:
                name = os.path.relpath(file["file"])
                for at in file["lines"] if name.split("/")[0] in folders else []:
                    ran[name][at["line_number"]] += at["count"]
    return ran


def main():
    build, folders = sys.argv[1], sys.argv[2:]
    rooms = collections.defaultdict(lambda: [0, 0])
    for name, lines in counts_of(build, folders).items():
        for room in (os.path.dirname(name), "all"):
            rooms[room][0] += sum(count > 0 for count in lines.values())
            rooms[room][1] += len(lines)
    if not rooms:
        sys.exit(f"coverage.py: nothing was counted in {build}")
    for room, (reached, lines) in sorted(rooms.items()):
        share = 100 * reached / lines
        print(f"{room:32} {reached:6} of {lines:6} lines  {share:5.1f} %")


main()
