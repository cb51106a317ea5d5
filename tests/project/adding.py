"""adding.py KIND CONTRIBUTING.md TREE - add a toy solver, loss, option or number to a tree
SPDX-License-Identifier: MIT

The files are those that the section "Adding a KIND" of CONTRIBUTING.md lists, one a
line: "- `path`". An edit finds its place by a line, in exactly one of these files, so
that it does not matter where they lie. Every file that is listed must be edited.
"""

import os
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "adding")
MAN = "thresher.1"  # written by the program


def listed(page, kind):
    """The files of a section."""
    files = []
    inside = False
    with open(page, encoding="utf-8") as text:
        for line in text:
            if line.startswith("#"):
                inside = line.strip("# \n") in (f"Adding a {kind}", f"Adding an {kind}")
            elif inside and line.startswith("- `"):
                files.append(line.split("`")[1])
    return files


def find(tree, files, place):
    """The file that has this line, and its lines."""
    found = []
    for name in files:
        path = os.path.join(tree, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as text:
                lines = text.read().split("\n")
            if place in lines:
                found.append((name, lines))
    if len(found) != 1:
        sys.exit(f"adding.py: {len(found)} of {files} have the line: {place}")
    return found[0]


def insert(tree, files, place, text, behind):
    """Put lines before the last such line, or behind the first one."""
    name, lines = find(tree, files, place)
    at = lines.index(place) + 1 if behind else len(lines) - 1 - lines[::-1].index(place)
    lines[at:at] = text.rstrip("\n").split("\n")
    with open(os.path.join(tree, name), "w", encoding="utf-8") as out:
        out.write("\n".join(lines))
    return name


def create(tree, files, source):
    """The one listed file that is not there yet."""
    new = [name for name in files if not os.path.exists(os.path.join(tree, name))]
    if len(new) != 1:
        sys.exit(f"adding.py: not one new file, but {new}")
    with open(os.path.join(HERE, source), encoding="utf-8") as text:
        body = text.read()
    with open(os.path.join(tree, new[0]), "w", encoding="utf-8") as out:
        out.write(body)
    return new[0]


def edits(path):
    """Pairs of a line such as `-- before LINE` or `-- behind LINE`, and the text
    beneath it."""
    parts = []
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line.startswith("-- "):
                _, where, place = line.rstrip("\n").split(" ", 2)
                parts.append([where, place, ""])
            else:
                parts[-1][2] += line
    return parts


def main():
    kind, page, tree = sys.argv[1:]
    files = [name for name in listed(page, kind) if os.path.basename(name) != MAN]
    if not files:
        sys.exit(f"adding.py: {page} lists no files for a {kind}")
    touched = set()
    if os.path.exists(os.path.join(HERE, f"toy_{kind}.c")):
        touched.add(create(tree, files, f"toy_{kind}.c"))
    for where, place, text in edits(os.path.join(HERE, f"{kind}.edits")):
        touched.add(insert(tree, files, place, text, where == "behind"))
    idle = set(files) - touched
    if idle:
        sys.exit(f"adding.py: {page} names for a {kind}, without need: {sorted(idle)}")
    print(f"{kind}: {len(touched)} files")


main()
