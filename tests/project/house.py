#!/usr/bin/env python3
"""house.py [--write] [--list NAME] [ROOT] - how large the house is, and how tangled: every
number against its ceiling in ceilings.txt, and it may only fall
SPDX-License-Identifier: MIT

A room is a folder with sources; a module is a .c and a .h of one name. A number above its
ceiling fails, with what has grown since the ceiling was written; one below it fails, too,
with the number to write, so that it cannot rise again unseen. --write writes the lower
numbers; --list shows all that a number counts, the heaviest first.
"""
import argparse
import collections
import io
import os
import re
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
import tree
import walk

CEILINGS = "tests/project/ceilings.txt"
SHOWN = 12
# Static functions that every file of a kind has: what a solver or a store puts into its
# table, and what owns memory.
EVERYWHERE = {"begin", "certificate_of", "claims_of", "compare", "create", "describe", "done_of",
              "end", "ending_of", "finish", "free_state", "keeps_held_out", "loss_of", "publish",
              "release", "reserve", "run", "selected_of", "slab_of", "start", "statistics_of",
              "step", "step_size_of", "support_of", "targets_of"}
STORIES = (("exploration", "exploration", "explore"), ("sift", "sift", None),
           ("lasso", "lasso", None), ("stochastic", "os-prox-sgd", "th_stochastic_step"),
           ("read", "sift", "th_source_block"))
LONG = 900 # lines
SHORT = 100 # lines net
MODULES = 16 # of a room
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.M)
OBJECT = re.compile(r"^const struct th_\w+ (?:\*const )?(\w+)(?:\[[^]]*\])? =", re.M)
# Compiled once per instruction set
KERNEL = re.compile(r"^const struct th_\w+ TH_\w+_SET =", re.M)
TABLE = re.compile(r"^(?:static )?const [^;(){}]*= \{.*?^\};|^(?:static )?const [^;(){}]*= \{[^\n]*\};",
                   re.S | re.M)
CODES = "(?:USAGE|ARG|DATA|BUDGET|NUMERIC|FORMAT|IO|NOMEM)"
CODE = re.compile(rf"\bTH_E{CODES}\b")
COMPARED = re.compile(rf"(?:[=!]= |\bcase )TH(?:RESHER)?_E{CODES}\b|"
                      rf"\bTH(?:RESHER)?_E{CODES} [=!]=")
BEGINS = re.compile(r"/\*\s*(The same|Whether)\b")

WORD = re.compile(r"\b(?:th|TH|thresher)_\w+")
TESTS = (".c", ".h", ".cpp", ".in")
USERS = (("public_in_room", "called by no other room", ("room", "tests", "tested", "module")),
         ("public_in_module", "called by their own module and tests alone",
          ("tested", "module")),
         ("public_for_tests", "called by tests alone", ("tests",)))
HEAD = """# Numbers that house.py measures, and that may only fall: name, number, what it counts.
# `python3 tests/project/house.py --write` writes those that have fallen, and settles
# conflicts of a merge in this file.
"""
Measure = collections.namedtuple("Measure", "what items total")


def net(code):
    return sum(1 for line in code.split("\n") if line.strip())


def module(path):
    return os.path.splitext(path)[0]


def circles_of(arrows):
    """Components of more than one node in which each reaches each other (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(arrows.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return [component for component in found if len(component) > 1]


class House:
    """What is measured of the texts of a tree; tests: all words of its tests."""

    def __init__(self, texts, tests):
        self.texts, self.tests = texts, tests
        self.code = {p: tree.COMMENT.sub("", t) for p, t in texts.items()}
        plain = {p: tree.BLANK.sub(" ", t) for p, t in texts.items()}
        self.home, self.header = {}, {} # files of a body, of a declaration
        self.statics = collections.defaultdict(set)
        self.rooms = collections.defaultdict(set)
        through = {} # what names whoever names it names, too: macros, inline functions
        for path, code in plain.items():
            self.rooms[tree.room_of(path)].add(tree.stem_of(path))
            through.update((n, body) for n, _, body in walk.MACRO.findall(code))
            for local, name, start, body in tree.functions_of(path, code):
                if local:
                    self.statics[name].add(path)
                    continue
                self.home[name] = path
                if path.endswith(".h"):
                    through[name] = body
            for name in OBJECT.findall(code):
                self.home.setdefault(name, path)
            if path.endswith(".h"):
                self.header.update((name, path) for name in tree.declared_in(code))
        self.public = {n: p for n, p in self.header.items() if n in self.home}
        self.once = {p: collections.Counter(WORD.findall(code)) for p, code in plain.items()}
        # a header declares; what it names is what its inline functions name
        self.named = {p: set(words) if p.endswith(".c") else set(WORD.findall(
            " ".join(body for *_, body in tree.functions_of(p, plain[p]))))
            for p, words in self.once.items()}
        self.used = {p: self.through(words, through) for p, words in self.named.items()}

    @staticmethod
    def through(words, macros):
        found, todo = set(words), list(words)
        while todo:
            more = set(WORD.findall(macros.get(todo.pop(), ""))) - found
            found |= more
            todo += more
        return found

    def small(self):
        for path, code in self.code.items():
            lines = net(code)
            rows = sum(net(m[0]) for m in TABLE.finditer(code))
            if path.endswith(".c") and lines < SHORT and 2 * rows < lines and \
                    not KERNEL.search(code):
                yield path, SHORT - lines

    def users(self):
        """(function, its file, who uses it): who is "other" rooms, modules of its "room",
        its own "module" or "tests" alone"""
        where = collections.defaultdict(set)
        for path, words in self.used.items():
            for word in words:
                where[word].add(path)
        for name in self.public:
            home = self.home[name]
            if name.startswith("thresher_"): # of the library, for programs
                continue
            others = {p for p in where[name] if module(p) != module(home)}
            if {tree.room_of(p) for p in others} - {tree.room_of(home)}:
                yield name, home, "other"
            elif others:
                yield name, home, "room"
            elif self.once[home][name] < 2 and name in self.tests:
                yield name, home, "tests"
            else:
                yield name, home, "tested" if name in self.tests else "module"

    def misnamed(self):
        for name, header in self.public.items():
            if name.startswith("th_") and name not in tree.VERBS and \
                    tree.stem_of(header) not in tree.OWN_NAMES and \
                    not tree.begins_with(name, tree.stem_of(self.home[name])):
                yield name, self.home[name]

    def idea(self, path):
        """The module that a file is of, also where it is a part without a header of its
        own: sift of sift.c and of sift_parts.h"""
        room, words = tree.room_of(path), tree.stem_of(path).split("_")
        for k in range(len(words), 0, -1):
            stem = f"{room}/{'_'.join(words[:k])}"
            if f"{stem}.h" in self.texts or f"{stem}_parts.h" in self.texts:
                return re.sub("_parts$", "", stem)
        return module(path)

    def circles(self):
        """Files of one room of which each comes to each other by includes and by names of
        functions and tables"""
        arrows = collections.defaultdict(set)
        for path, code in self.code.items():
            room = tree.room_of(path)
            for name in INCLUDE.findall(code):
                arrows[path].update(p for p in (f"{room}/{name}", name, f"src/{name}")
                                    if p in self.texts and tree.room_of(p) == room)
            for word in self.named[path]:
                home = self.home.get(word)
                if home and tree.room_of(home) == room and module(home) != module(path):
                    arrows[path].add(home)
        return circles_of(arrows)


def measure(texts, tests):
    """{name: Measure}: what it counts, {which: how much}, and how these make a number"""
    house, result = House(texts, tests), {}

    def count(name, what, items, total=sum):
        weights = collections.Counter()
        for which, weight in items:
            weights[which] += weight
        result[name] = Measure(what, weights, total)

    rooms = [(room, len(stems)) for room, stems in house.rooms.items()]
    lines = [(path, net(code)) for path, code in house.code.items()]
    users = list(house.users())
    circles = house.circles()
    count("files", ".c and .h files in src, io and mpi",
          [(tree.room_of(path) + "/", 1) for path in texts])
    count("fullest_room", "modules of the room that has most", rooms, max)
    count("full_rooms", f"rooms of more than {MODULES} modules",
          [(room, 1) for room, modules in rooms if modules > MODULES])
    count("small_files", f".c files under {SHORT} lines of code that are no table and no kernel",
          [(path, 1) for path in house.small()])
    count("long_files", f"files over {LONG} lines",
          [(path, 1) for path, text in texts.items() if text.count("\n") > LONG])
    count("lines", "lines of code without comments and blanks", lines)
    count("public", "public functions", [(f"{p}: {n}", 1) for n, p in house.public.items()])
    for name, what, kinds in USERS:
        count(name, "of these: " + what,
              [(f"{path}: {function}", 1) for function, path, kind in users if kind in kinds])
    count("namesakes", "names of static functions that stand in two files or more",
          [(f"{name}: {' '.join(sorted(paths))}", 1) for name, paths in house.statics.items()
           if len(paths) > 1 and name not in EVERYWHERE])
    count("misnamed", "public functions that do not begin with the name of their file",
          [(f"{path}: {name}", 1) for name, path in house.misnamed()])
    count("circles", "circles of files inside a room, by includes and calls",
          [(" ".join(c), 1) for c in circles])
    count("circles_between", "of these: between different modules",
          [(" ".join(c), 1) for c in circles if len(set(map(house.idea, c))) > 1])
    count("files_in_circles", "files of these circles", [(" ".join(c), len(c)) for c in circles])
    code = walk.Code(texts)
    away = code.trusted()
    for name, solver, start in STORIES:
        step = code.step_of(solver)
        way = code.walk(solver, code.find(code.functions[step][0], start) if start else step, away)
        what = "the story of " + (f"{start} of {solver}" if start else f"the step of {solver}")
        count(f"{name}_files", f"files of {what}", [(path, 1) for path in set(way)])
        count(f"{name}_turns", f"changes of file of {what}",
              [(b, 1) for a, b in zip(way, way[1:]) if a != b])
    count("codes_in_headers", "lines of headers that name a code TH_E...; not thresher.h, which has THRESHER_E...",
          [(path, 1) for path, text in texts.items() if path.endswith(".h")
           for line in text.split("\n") if CODE.search(line)])
    count("codes_compared", "places that compare a code",
          [(path, len(COMPARED.findall(code))) for path, code in house.code.items()])
    count("same_whether", "comments that begin with The same or Whether",
          [(path, len(BEGINS.findall(text))) for path, text in texts.items()])
    return result


def number(one):
    return one.total(one.items.values()) if one.items else 0


def read_ceilings(path):
    """{name: number}, and lines that are none; a name that stands twice, as after a merge,
    has its larger number"""
    result, odd = {}, []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                parts = line.split(maxsplit=2)
                if len(parts) == 3 and parts[1].isdigit():
                    if parts[0] in result:
                        odd.append(f"{CEILINGS}: {parts[0]} stands there twice")
                    result[parts[0]] = max(int(parts[1]), result.get(parts[0], 0))
                elif parts and parts[0] != "#":
                    odd.append(f"{CEILINGS}: not NAME NUMBER WHAT: {line.strip()}")
    return result, odd


def write_ceilings(path, measures, ceilings):
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for name, one in measures.items():
            most = min(number(one), ceilings.get(name, number(one)))
            if ceilings.get(name) != most:
                print(f"wrote {name}: {ceilings.get(name, 'new,')} -> {most}")
            file.write(f"{name:17} {most:6}  {one.what}\n")


def words_of(texts):
    return set(re.findall(r"\bth_\w+", " ".join(texts.values())))


def tree_of(root):
    return measure(tree.read(root), words_of(tree.read(root, ("tests",), TESTS)))


def before(root):
    """What was measured when the ceilings were last written; None where git cannot say."""
    def git(*words):
        return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True).stdout
    try:
        if os.path.realpath(git("rev-parse", "--show-toplevel").decode().strip()) != \
                os.path.realpath(root):
            return None
        commit = git("log", "-1", "--format=%H", "--", CEILINGS).decode().strip()
        with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
            texts = {m.name: archive.extractfile(m).read().decode() for m in archive
                     if m.isfile() and m.name.endswith(TESTS)}
    except (OSError, subprocess.CalledProcessError, tarfile.TarError):
        return None
    return measure({p: t for p, t in texts.items() if p.endswith((".c", ".h")) and
                    p.split("/")[0] in tree.TOPS},
                   words_of({p: t for p, t in texts.items() if p.startswith("tests/")}))


def heaviest(items, most=SHOWN):
    ordered = sorted(items.items(), key=lambda item: (-item[1], item[0]))
    return [f"    {weight:5}  {which}" for which, weight in ordered[:most]]


def grown(one, old):
    """What there is more of than before; a file that has moved is the same file."""
    def bare(which):
        return re.sub(r"[\w/]+/(?=\w)", "", str(which))
    was = collections.Counter()
    for which, weight in old.items.items() if old else ():
        was[bare(which)] += weight
    return {which: weight - was[bare(which)] for which, weight in one.items.items()
            if weight > was[bare(which)]}


def judge(root, measures, ceilings):
    """Findings, each with its lines"""
    above = {n for n, one in measures.items() if n in ceilings and number(one) > ceilings[n]}
    old = before(root) if above else None
    for name, one in measures.items():
        now, most = number(one), ceilings.get(name)
        if most is None:
            yield f"{name}: {now}, and {CEILINGS} does not say: write {now}"
        elif now < most:
            yield f"{name}: {now}, the ceiling is {most}: it may only fall: write {now}"
        elif now > most:
            more = grown(one, old.get(name)) if old else {}
            yield "\n".join(
                [f"{name}: {now}, the ceiling is {most}: {one.what}",
                 "  grown since the ceiling was written:" if more else "  the heaviest:"] +
                heaviest(more or one.items))
    for name in ceilings.keys() - measures.keys():
        yield f"{name}: {CEILINGS} has it, and nothing measures it"


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("root", nargs="?", default=os.environ.get("SOURCE", "."))
    options.add_argument("--write", action="store_true", help="write numbers that have fallen")
    options.add_argument("--list", metavar="NAME", help="all that a number counts")
    given = options.parse_args()
    measures = tree_of(given.root)
    if given.list:
        if given.list not in measures:
            sys.exit(f"no number {given.list}: one of {', '.join(measures)}")
        print("\n".join(heaviest(measures[given.list].items, None)))
        return 0
    path = os.path.join(given.root, CEILINGS)
    if given.write:
        write_ceilings(path, measures, read_ceilings(path)[0])
    ceilings, bad = read_ceilings(path)
    bad += judge(given.root, measures, ceilings)
    if len(measures["public"].items) < 500:
        bad.append("few functions found: wrong folder?")
    hints = ["numbers that have fallen are written by tests/project/house.py --write"
             ] * any(": write " in line for line in bad)
    hints += [f"what is new may raise a number: by hand, in {CEILINGS}, with the reason in the "
              "message of the commit"] * any(", the ceiling is" in line and ": write " not in line
                                             for line in bad)
    print("\n".join(bad + hints +
                    [f"{len(measures)} numbers, {len(bad)} findings"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
