#!/usr/bin/env python3
"""contracts.py [ROOT] - what headers say of their functions, held against what these do
SPDX-License-Identifier: MIT

A comment speaks for the prototypes below it, up to the next comment; the head of a
header, or of a section of it ("--- ..."), speaks for those of which a comment says
nothing. Of every function they say

- whether it is local or collective. What is said to be local calls no operation of the
  ranks; what frees or closes and says nothing of its own is what it does.
- that it is there for tests, if nothing but its own file and tests uses it.

Of errors it holds nothing against them: a header says in words what is refused, and names a
code (TH_E...) only where a caller branches on it (house.py counts these).

The calls are read off the text: a name that is called or handed on, and of tables the
members of TABLES. What a table of solvers or of readers of files adds is not seen.
"""
import collections
import re
import sys

sys.dont_write_bytecode = True
import tree

NAME = r"((?:th|thresher)_\w+)"
PROTOTYPE = re.compile(r"/\*.*?\*/|^(?:THRESHER_PUBLIC )?[A-Za-z_][\w \*\n]*?\b" + NAME +
                       r"\([^;{]*?\)(?:\s*__attribute__\(\(.*?\)\))?\s*[;{]", re.S | re.M)
SPOKEN = re.compile(r"\b(local|collective)(?:ly)?\b", re.I)
OPERATION = re.compile(r"ops->(sum_i64|prefix_i64|max_i64|max_f64|bcast|exchange|join|sum_start|"
                       r"sum_finish|share|join_shared|show|unshare|barrier|split|release)\(")
TABLES = ("slab", "targets", "statistics", "cost")

Said = collections.namedtuple("Said", "path name comment head")


def said_of(path, text):
    """What a header says of each of its functions."""
    head = re.match(r"(?:/\*.*?\*/)?", text, re.S)[0]
    text = text[len(head):]
    comment = ""
    for match in PROTOTYPE.finditer(text):
        if match[1] is None:
            # a comment behind a member or on a line of code is not a function's
            if text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip() == "":
                comment = match[0]
            if match[0].startswith("/* ---") and SPOKEN.search(match[0]):
                head = match[0]
        elif not match[0].startswith(("typedef", "#", "return")) and "=" not in match[0]:
            yield Said(path, match[1], comment, head)


class Calls:
    """Functions by (file, name), file "" where they have linkage: what each of them calls,
    and whether it is collective."""

    def __init__(self, texts):
        self.body, self.calls, self.table = {}, {}, collections.defaultdict(set)
        plain = {p: tree.BLANK.sub(" ", t) for p, t in texts.items()}
        for path, text in plain.items():
            for start, name, _, body in tree.FUNCTION.findall(text):
                here = path if start.startswith("static") and path.endswith(".c") else ""
                self.body[here, name] = (path, start, body)
        for path, text in plain.items():
            for member, name in re.findall(r"\.(\w+) = (\w+),", text):
                if member in TABLES:
                    self.table[member] |= set(self.find(path, name))
        for key, (path, _, body) in self.body.items():
            names = set(re.findall(r"(?<![>.\w])(\w+)\s*\(|[?:] (\w+)\)?[ :(]|\b(th_\w+)", body))
            names = {name for some in names for name in some if name}
            called = {k for n in names for k in self.find(path, n)}
            for member in re.findall(r"->(\w+)\(", body):
                called |= self.table[member] if member in TABLES else set()
            self.calls[key] = called - {key}
        alone = {k for k, (_, _, body) in self.body.items() if "th_comm_self(" in body}
        alone |= {k for k, called in self.calls.items() if any(c in alone and c[0] for c in called)}
        self.collective = {k for k, (_, _, body) in self.body.items()
                           if OPERATION.search(body)} - alone
        self.spread(alone)

    def find(self, path, name):
        return [k for k in ((path, name), ("", name)) if k in self.body][:1]

    def spread(self, alone):
        """What is called makes its callers collective, until nothing changes."""
        before = -1
        while before != (now := len(self.collective)):
            before = now
            for key, called in self.calls.items():
                if key not in alone and called & self.collective:
                    self.collective.add(key)


def check_kind(said, collective):
    own = {word.lower() for word in SPOKEN.findall(said.comment)}
    head = {word.lower() for word in SPOKEN.findall(said.head)}
    kind = own or head
    if not own and len(head) != 1:
        return "local or collective?"
    if collective and "collective" not in kind:
        return "local, but calls what is collective"
    if not collective and "local" not in kind:
        return "collective, but calls nothing that is"
    return None


def users(root, texts):
    """In which files each name is met, how often; "tests" stands for all of those."""
    met = collections.defaultdict(dict)
    for text in tree.read(root, ("tests",), (".c", ".h", ".cpp", ".in")).values():
        for word in set(re.findall(r"\bth_\w+", tree.BLANK.sub(" ", text))):
            met[word]["tests"] = 1
    for path, text in texts.items():
        words = re.findall(r"\bth_\w+", tree.BLANK.sub(" ", text))
        for word, times in collections.Counter(words).items():
            met[word][path] = times
    return met


def check_use(said, where, home):
    """home: the file of its body."""
    declared = {said.path} if where.get(said.path) == 1 else set()
    elsewhere = set(where) - declared - {home, "tests"}
    if elsewhere or said.name.startswith("thresher_") or said.name.endswith("_free"):
        return None
    if "tests" not in where:
        return "used in its own file alone: static?"
    return None if re.search(r"\btests?\b", said.comment + said.head) else "for tests alone?"


def main():
    root = tree.root_of(sys.argv[1:])
    texts = tree.read(root)
    calls = Calls(texts)
    met = users(root, texts)
    every = [s for p, t in texts.items() if p.endswith(".h") for s in said_of(p, t)]
    bad = []
    for said in every:
        key = ("", said.name)
        home = calls.body[key][0] if key in calls.body else None
        # mpi/ is what the operations are made of
        collective = key in calls.collective or "collective" in said.comment.lower() and \
            said.path.startswith("mpi/")
        found = [check_kind(said, collective)]
        if home is not None and home != said.path:
            found.append(check_use(said, met[said.name], home))
        bad += [f"{said.path}: {said.name}: {what}" for what in found if what]
    if len(every) < 500:
        bad.append(f"only {len(every)} functions found: wrong folder?")
    print("\n".join(bad + [f"{len(every)} functions, {len(bad)} findings"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
