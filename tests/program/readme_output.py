#!/usr/bin/env python3
"""readme_output.py PAGE TRANSCRIPT [update] - what a page prints below its commands is what
they print, digit for digit
SPDX-License-Identifier: MIT

TRANSCRIPT: lines `$ COMMAND`, each with the command's output below it. Of the commands of
the page that are in it and have output there, every line is compared, with these rules:

- numbers before a unit of time, bytes or speed (s, ms, kB, MB, GB, MB/s, GB/s) are the
  machine's: any number does. So is all of the line `run:`, and there is no progress;
- a line `...` stands for any lines, and `, ...` at the end of one for the rest of it.

roughly: the page was printed with other elementary functions (SLEEF) than this program has:
long numbers are compared in five digits, and hashes not at all.
update: write the output into the page instead, where a line differs. What `...` leaves out
stays out: the lines beside it are found by their first words.
    THRESHER_UPDATE=yes sh tests/run.sh long -R cli_readme does so for all pages.
"""
import re
import sys

MACHINE = re.compile(r"\d[\d.,]*(?= (?:s|ms|kB|MB|GB|MB/s|GB/s)\b)")
PROGRESS = re.compile(r"\d (?:s|min|h) elapsed\b")
OF_MACHINE = "run:  "
REST = ", ..."
ROUGHLY = "roughly" in sys.argv[3:]


def blocks_of(lines):
    """Commands with the numbers of the lines of their output."""
    found = []
    k = 0
    while k < len(lines):
        if not lines[k].startswith("    $ "):
            k += 1
            continue
        command = lines[k][6:]
        while command.endswith("\\"):
            k += 1
            command = command[:-1] + lines[k]
        k += 1
        first = k
        while k < len(lines) and lines[k].startswith("    ") and lines[k][4:6] != "$ ":
            k += 1
        found.append((command, range(first, k)))
    return found


def outputs_of(path):
    outputs = {}
    with open(path) as file:
        for line in file.read().split("\n"):
            if line.startswith("$ "):
                mine = outputs[line[2:]] = []
            elif outputs and not PROGRESS.search(line):
                mine.append(line.rstrip())
    for lines in outputs.values():
        while lines and not lines[-1]:
            lines.pop()
    return outputs


def roughly(text):
    text = re.sub(r"\b[0-9a-f]{16}\b", "#", text)
    return re.sub(r"\d+\.\d{6,}", lambda number: "%.5g" % float(number[0]), text)


def same(printed, line):
    if ROUGHLY:
        printed, line = roughly(printed), roughly(line)
    if printed.startswith(OF_MACHINE):
        return line.startswith(OF_MACHINE)
    printed, line = (MACHINE.sub("#", text) for text in (printed.rstrip(), line))
    if printed.endswith(REST):
        return line.startswith(printed[:-len(REST)])
    return printed == line


def begins(printed, line):
    return line.split()[:1] == printed.split()[:1]


def parts_of(printed):
    """The lines between those that stand for any."""
    parts = [[]]
    for line in printed:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def find(line, lines, start, alike):
    for at in range(start, len(lines)):
        if alike(line, lines[at]):
            return at
    return None


def place(parts, lines):
    """Where the lines of each part are: (part, first, end), or what is not there."""
    end = 0
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        if not part:
            continue
        first = find(part[0], lines, end, begins) if k > 0 else 0
        if first is None:
            sys.exit(f"no output begins as this line does: {part[0]}")
        end = len(lines)
        if not last:
            end = find(part[-1], lines, first + max(0, len(part) - 1), begins)
            end = min(first + len(part), len(lines)) if end is None else end + 1
        yield part, first, end


def fresh(printed, line):
    """A line as the page prints it: machines' numbers stay, and so does the cut."""
    if same(printed, line):
        return printed
    if printed.endswith(REST):
        return ", ".join(line.split(", ")[:printed.count(", ")]) + REST
    return line


def updated(printed, lines):
    done = []
    dots = [line for line in printed if line.strip() == "..."]
    for part, first, end in place(parts_of(printed), lines):
        if done or printed[0].strip() == "...":
            done.append(dots.pop(0))
        for k, line in enumerate(lines[first:end]):
            done.append(fresh(part[min(k, len(part) - 1)], line))
    return done + dots


def differences(printed, lines):
    for part, first, end in place(parts_of(printed), lines):
        for k in range(max(len(part), end - first)):
            mine = part[k] if k < len(part) else None
            line = lines[first + k] if first + k < end else None
            if mine is None or line is None or not same(mine, line):
                yield mine, line


def main(page, transcript, update):
    with open(page) as file:
        lines = file.read().split("\n")
    outputs = outputs_of(transcript)
    bad = compared = 0
    for command, numbers in reversed(blocks_of(lines)):
        printed = [lines[k][4:] for k in numbers]
        if not printed or command not in outputs:
            continue
        compared += len(printed)
        found = list(differences(printed, outputs[command]))
        for mine, line in found:
            print(f"{page}: {command}\n  printed: {mine}\n  is:      {line}")
        bad += len(found)
        if update and found:
            new = updated(printed, outputs[command])
            lines[numbers[0]:numbers[-1] + 1] = [("    " + line).rstrip() for line in new]
    if update and bad:
        with open(page, "w") as file:
            file.write("\n".join(lines))
    print(f"{page}: {compared} lines of output compared, {bad} differ")
    return bad > 0 and not update


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], "update" in sys.argv[3:]))
