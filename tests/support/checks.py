# checks.py - what tests in Python share: checks that go on, and their exit status
# SPDX-License-Identifier: MIT
import sys

failures = []


def check(what, good):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def finish():
    print("%d checks failed" % len(failures) if failures else "all checks passed")
    sys.exit(1 if failures else 0)
