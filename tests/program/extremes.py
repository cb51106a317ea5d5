#!/usr/bin/python3
# extremes.py THRESHER COUNT SEED - runs commands with extreme values of their options
# SPDX-License-Identifier: MIT
"""COUNT pairs of an option and an extreme value, or all of them (0), each in a run.

A run ends in one line or with a result: no crash, no message of a sanitizer. One
that takes longer than its time, since it was asked for more than there is, is told
to end, and has to.
"""
import os
import random
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from solver_table import solver_table  # noqa: E402

MOST = str(2**63 - 1)
VALUES = ["0", "-1", "1", MOST, "-" + MOST, str(-2**63), str(2**63), "1e19", "1e308", "-1e308",
          "5e-324", "nan", "inf", "-inf", "1e400", "", " ", "0x10"]
SECONDS = 10  # then it is told to end
HANG = 600  # and so long after that it hangs
# An option needs a file, or the run needs one.
LEFT_OUT = ("--output", "--telemetry", "--report", "--checkpoint", "--deck", "--like", "--model")
COMMANDS = {
    "train": ["train", "data.h5", "-o", "made.h5", "--force", "-q", "--memory", "64M"],
    "import": ["import", "text.svm", "-o", "set.h5", "--force", "-q", "--memory", "64M"],
    "generate": ["generate", "murata", "-n", "100", "-d", "30", "-o", "set.h5", "--force", "-q"],
    "evaluate": ["evaluate", "model.h5", "data.h5"],
    "predict": ["predict", "model.h5", "data.h5", "-o", "made.csv", "--force"],
    "inspect": ["inspect", "data.h5"],
    "verify": ["verify", "exact.h5", "data.h5"],
}


def options(program, command):
    text = subprocess.run([program, command, "--help-all"], capture_output=True, text=True,
                          check=True).stdout
    found = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+) [A-Z]", text, re.M)
    return [name for name in found if name not in LEFT_OUT]


def fault(words):
    """What is wrong with a run; None: nothing."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace") as run:
        asked = False
        try:
            err = run.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            asked = True
            run.terminate()
            try:
                err = run.communicate(timeout=HANG)[1]
            except subprocess.TimeoutExpired:
                run.kill()
                return "does not end when it is told to"
    reports = [line for line in err.split("\n")
               if "runtime error" in line or "Sanitizer" in line]
    if reports:
        return reports[0]
    if run.returncode not in (0, 1, 2, 3) and not (asked and run.returncode == -signal.SIGTERM):
        return f"status {run.returncode}: {err.strip()[-200:]}"
    own = [line for line in err.split("\n") if line.startswith("thresher: ")]
    if run.returncode in (1, 2) and len(own) != 1:
        return f"{len(own)} lines"
    return None


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    dice = random.Random(seed)
    jobs = [(command, name, value) for command in COMMANDS
            for name in options(program, command) for value in VALUES]
    all_jobs = len(jobs)
    if count > 0:
        jobs = dice.sample(jobs, count)
    solvers = list(solver_table(program))
    bad = 0
    for number, (command, name, value) in enumerate(jobs):
        words = [program] + COMMANDS[command]
        if command == "train" and name != "--solver":
            words += ["--solver", solvers[number % len(solvers)]]
        words += [f"{name}={value}"]
        wrong = fault(words)
        if wrong is not None:
            bad += 1
            print(f"FAILED: thresher {' '.join(words[1:])}: {wrong}", file=sys.stderr)
    print(f"{len(jobs)} of {all_jobs} pairs of an option and a value, {bad} failures")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
