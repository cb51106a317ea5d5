#!/usr/bin/env python3
"""built.py FOLDER CHECKED - what the loader and an attacker find in built files
SPDX-License-Identifier: MIT

Of every program and shared library below the folder (but not of CMake's own trials, and
not of the working folders of tests, NAME.run):

- where libraries are looked for: absolute folders alone, and no DT_RPATH. An empty or a
  relative element is the current folder, where anybody may have put a library;
- it lies anywhere in memory (PIE), its tables are read-only once it is loaded (RELRO, NOW)
  and its stack is not executable;
- of program and library: the stack is guarded, and calls are checked (_FORTIFY_SOURCE),
  if they are to be (CHECKED yes): where the build optimises, without a sanitizer.
"""
import os
import re
import subprocess
import sys

FOLDER = sys.argv[1]
CHECKED = sys.argv[2] == "yes"
MAIN = re.compile(r"^(thresher|libthresher\.so[.\d]*)$")


def files_of(folder):
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders
                      if name != "CMakeFiles" and not name.endswith(".run")]
        for name in files:
            whole = os.path.join(path, name)
            if os.path.islink(whole) or name.endswith((".o", ".a")):
                continue
            with open(whole, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield whole


def told(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C")).stdout


def look_up(dynamic):
    """What is wrong with where it looks for libraries."""
    if "(RPATH)" in dynamic:
        yield "has an RPATH, which LD_LIBRARY_PATH cannot change"
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        for element in path.split(":"):
            if not re.match(r"/|\$ORIGIN\b|\$\{ORIGIN\}", element):
                yield f"looks for libraries in '{element}': {path}"


def placed(head):
    kind = re.search(r"^\s*Type:\s+(\w+)", head, re.M)[1]
    if kind != "DYN":
        yield f"is {kind}, which lies at one place in memory"
    if not re.search(r"^\s*GNU_RELRO\b", head, re.M):
        yield "has tables that stay writable: no GNU_RELRO"
    stack = re.search(r"^\s*GNU_STACK\b.*\s([RWE ]{3})\s+0x\w+$", head, re.M)
    if stack is None or "E" in stack[1]:
        yield "has a stack that may be executed"


def guarded(symbols):
    if "__stack_chk_fail" not in symbols:
        yield "does not guard its stack"
    if CHECKED and not re.search(r"\b__\w+_chk\b", symbols.replace("__stack_chk", "")):
        yield "does not check lengths: no _FORTIFY_SOURCE"


def faults(path):
    dynamic = told("readelf", "-dW", path)
    yield from look_up(dynamic)
    yield from placed(told("readelf", "-hlW", path))
    if not re.search(r"\bBIND_NOW\b|FLAGS_1\).*\bNOW\b", dynamic):
        yield "binds functions when they are called: no BIND_NOW"
    if MAIN.match(os.path.basename(path)):
        yield from guarded(told("readelf", "--dyn-syms", "-W", path))


bad = 0
count = 0
main = 0
for path in sorted(files_of(FOLDER)):
    count += 1
    main += MAIN.match(os.path.basename(path)) is not None
    for fault in faults(path):
        print(f"{path} {fault}")
        bad += 1
print(f"{count} programs and libraries, {bad} faults")
if main < 2:
    print(f"{FOLDER}: the program or the library is not there")
sys.exit(bad > 0 or main < 2)
