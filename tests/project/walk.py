#!/usr/bin/env python3
"""walk.py [ROOT] [SOLVER...] - follow one example from shard to model through the code
SPDX-License-Identifier: MIT

Starts where `thresher train` does and goes depth first through the calls, each function
once, in the order in which they stand there; a call through a table goes to the functions
of that name in the tables of the solver, and else to every one. Prints how many functions
lie on the way and how often the way changes files, which is what a reader has to turn over.
"""
import os
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.S)
FUNCTION = re.compile(r"^((?:[A-Za-z_][\w \*\n]*?)\b(\w+))\(([^;{]*?)\)\n\{\n(.*?)^\}", re.S | re.M)
CALL = re.compile(r"(->|\.)?\b([a-z]\w*)\s*\(|\b(th_\w+|[a-z_]+)\b(?=\s*[,)}])")
ENTRY = re.compile(r"\.(\w+) = &?(\w+)[,}\s]")
TABLE = re.compile(r"^(?:static )?const struct (th_\w+) (\w+)(?:\[\w*\])? = \{(.*?)^\};|"
                   r"^(?:static )?const struct (th_\w+) (\w+) = \{([^;]*?)\};", re.S | re.M)


def load(root):
    functions, tables = {}, {}
    for top in ("src", "io", "mpi"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            # the example comes from a shard, not from a generator or a caller
            if "/bench" in folder or "/synthetic" in folder or "/api" in folder:
                continue
            for name in sorted(n for n in names if n.endswith((".c", ".h"))):
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = COMMENT.sub("", file.read())
                for match in FUNCTION.finditer(text):
                    local = match[1].startswith("static") and path.endswith(".c")
                    functions[(path if local else "", match[2])] = (path, match[4])
                for match in TABLE.finditer(text):
                    tables[(path, match[2] or match[5])] = (match[1] or match[4],
                                                            ENTRY.findall(match[3] or match[6]))
    return functions, tables


def walk(functions, members, start):
    seen, way = set(), []

    def visit(key):
        if key in seen:
            return
        seen.add(key)
        path, body = functions[key]
        way.append(path)
        for match in CALL.finditer(body):
            through, name, value = match.groups()
            name = name or value
            found = []
            if through:
                found = members.get(name, [])
            elif (path, name) in functions:
                found = [(path, name)]
            elif ("", name) in functions:
                found = [("", name)]
            for next_key in found:
                visit(next_key)

    sys.setrecursionlimit(10000)
    visit(start)
    return way


def members_of(functions, tables, solver_tables):
    """Where a call through a member of a table may go."""
    missing = set(solver_tables) - {name for _, name in tables}
    if missing:
        sys.exit(f"there is no table {', '.join(sorted(missing))}")
    result = {}
    for (path, name), (kind, entries) in tables.items():
        if kind in ("th_algorithm", "th_update", "th_screening") and name not in solver_tables:
            continue
        for member, value in entries:
            key = (path, value) if (path, value) in functions else ("", value)
            if key in functions and key not in result.setdefault(member, []):
                result[member].append(key)
    return result


SOLVERS = {"sift": ["th_sift_algorithm"], "lasso": ["th_lasso_algorithm"],
           "os-prox-sgd": ["th_stochastic_algorithm", "th_prox_sgd_update", "th_screen_online"]}


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SOURCE", ".")
    functions, tables = load(root)
    for solver in sys.argv[2:] or SOLVERS:
        members = members_of(functions, tables, SOLVERS[solver])
        way = walk(functions, members, ("", "th_train"))
        turns = sum(a != b for a, b in zip(way, way[1:]))
        print(f"{solver}: {len(way)} functions in {len(set(way))} files, {turns} changes of file")


if __name__ == "__main__":
    sys.exit(main())
