#!/usr/bin/env python3
"""contracts.py [ROOT] - what headers say: of every function whether it is local or
collective, of every one that can fail with which codes
SPDX-License-Identifier: MIT

A comment speaks for the prototypes below it, up to the next comment; the head of a
header speaks for all of them. "Local" and "collective" may stand in either. A function
that returns th_status names its codes (TH_E...), or the head says which there are.
"""
import os
import re
import sys

TOKEN = re.compile(r"/\*.*?\*/|^(?:[A-Za-z_][\w \*\n]*?)\b(th_\w+)\([^;{]*\)\s*(?:;|\{)", re.S | re.M)
SPOKEN = re.compile(r"\b(local|collective)", re.I)
CODES = re.compile(r"\bTH_E[A-Z]+\b")


def functions(text):
    """(name, returns a status, comment) of the prototypes of a header"""
    comment = ""
    last = 0
    for match in TOKEN.finditer(text):
        if match[1] is None:
            between = text[last:match.start()]
            # a comment behind a member or on a line of code is not a function's
            if text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip() == "":
                comment = match[0]
        elif not match[0].startswith(("typedef", "#", "return", "static th_")) and \
                "=" not in match[0]:
            yield match[1], re.match(r"(static inline )?th_status\b", match[0]) is not None, comment
        last = match.end()


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SOURCE", ".")
    bad = []
    seen = 0
    for top in ("src", "io", "mpi"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(n for n in names if n.endswith(".h")):
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                head = re.match(r"/\*.*?\*/", text, re.S)[0]
                for function, status, comment in functions(text[len(head):]):
                    seen += 1
                    if not SPOKEN.search(comment) and not SPOKEN.search(head):
                        bad.append(f"{path}: {function}: local or collective?")
                    if status and not CODES.search(comment) and not CODES.search(head):
                        bad.append(f"{path}: {function}: fails with which codes?")
    if seen < 500:
        bad.append(f"only {seen} functions found: wrong folder?")
    print("\n".join(bad + [f"{seen} functions, {len(bad)} that do not say"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
