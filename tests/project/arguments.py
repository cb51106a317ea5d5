#!/usr/bin/env python3
"""arguments.py [ROOT] - no function of thresher.h, and no argument, is left untried
SPDX-License-Identifier: MIT

The rows of tests/unit/api/arguments.c (REFUSED, HARMLESS, ALLOWED: function, argument) against
the header: each argument of each function has a row, members of the structs that a caller
fills in among them. Where a call is REFUSED, it is so without an `error` as well.
"""
import re
import sys

ROOT = sys.argv[1] if len(sys.argv) > 1 else "."
FUNCTION = re.compile(r"^THRESHER_PUBLIC[\w \*\n]*?\b(thresher_\w+)\(([^;]*?)\);", re.M)
ROW = re.compile(r"\b(REFUSED|HARMLESS|ALLOWED)\(\s*(thresher_\w+),\s*([\w.]+),")
MEMBER = re.compile(r"\(\*(\w+)\)\(|\b(\w+);")
# What a caller fills in, by the argument that points to it
STRUCTS = {"thresher_data_from": ("source", "thresher_source"),
           "thresher_train": ("listener", "thresher_listener")}


def text_of(path):
    with open(f"{ROOT}/{path}") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def members(header, struct):
    body = re.search(r"^struct %s \{\n(.*?)^\};" % struct, header, re.M | re.S)[1]
    return [one or other for one, other in MEMBER.findall(re.sub(r"\)\([^;]*;", ")(", body))]


def wanted_of(header):
    """All pairs of a function and an argument; and how many functions there are."""
    wanted = set()
    functions = FUNCTION.findall(header)
    for name, parameters in functions:
        for parameter in parameters.split(","):
            if parameter.strip() != "void":
                wanted.add((name, re.search(r"(\w+)\s*$", parameter)[1]))
        if name in STRUCTS:
            argument, struct = STRUCTS[name]
            wanted |= {(name, f"{argument}.{member}") for member in members(header, struct)}
    return wanted, len(functions)


header = text_of("src/api/thresher.h")
wanted, functions = wanted_of(header)
rows = {(row[1], row[2]) for row in ROW.findall(text_of("tests/unit/api/arguments.c"))}
told = {name for kind, name, _ in ROW.findall(text_of("tests/unit/api/arguments.c"))
        if kind == "REFUSED"}
rows |= {(name, "error") for name in told}
for name, argument in sorted(wanted - rows):
    print(f"{name}: nothing tries its {argument}: add a row to tests/unit/api/arguments.c")
for name, argument in sorted(rows - wanted):
    print(f"tests/unit/api/arguments.c: thresher.h has no {name} with {argument}")
print(f"{functions} functions, {len(wanted)} arguments")
public = header.count("\nTHRESHER_PUBLIC")
if functions != public or functions < 30:
    print(f"{public} functions are public, and {functions} were read")
sys.exit(wanted != rows or functions != public or functions < 30)
