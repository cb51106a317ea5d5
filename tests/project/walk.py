#!/usr/bin/env python3
"""walk.py [ROOT] [SOLVER...] - follow one example from shard to model through the code
SPDX-License-Identifier: MIT

Starts where `thresher train` does and goes depth first through the calls, each function
once, in the order in which they stand there; a call through a table goes to the functions
of that name in the tables of the solver's row, and else to every one. Prints how many
functions lie on the way and how often the way changes files, which is what a reader has to
turn over. house.py does so from one step on, and leaves out what a reader takes on trust.
"""
import collections
import re
import sys

sys.dont_write_bytecode = True
import tree

CALL = re.compile(r"(->|\.)?\b([a-z]\w*)\s*\(|\b(th_\w+|[a-z_]+)\b(?=\s*[,)}])")
ENTRY = re.compile(r"\.(\w+) = &?\(?(\w+)\)?[,}\s]")
TABLE = re.compile(r"^(?:static )?const struct (th_\w+) (?:\*const )?(\w+)(?:\[\w*(?: \+ \d+)?\])? ="
                   r"\s*(.*?);$", re.S | re.M)
MACRO = re.compile(r"^#define ([A-Z]\w*)(?:\(([^)]*)\))?((?:[^\n]*\\\n)*[^\n]*)", re.M)
NAMED = re.compile(r'\.name = "([\w-]+)"')
ROW = "th_solver_row"
# The example comes from a shard: not from a generator, a benchmark or a caller's memory.
# Rooms are named by a function that lies in them, so that they may move.
ELSEWHERE = ("th_bench_command", "th_synthetic_dense", "th_data_open")
# What a reader of one step takes on trust: mathematics, ranks, HDF5 and whole files, and
# the ground, but for who observes examples and who deals them.
TRUSTED = ("th_loss_find", "th_kernel_gradient", "th_mpi_comm_start", "th_h5_open",
           "th_output_begin", "th_alloc", "th_agree", "th_slab_value", "th_state_one",
           "th_model_free")
OBSERVERS = ("th_source_block", "th_deal_init", "th_latin_rows")

Table = collections.namedtuple("Table", "kind text")


def rooms(functions, names):
    """The rooms of public functions."""
    missing = [name for name in names if ("", name) not in functions]
    if missing:
        sys.exit(f"walk.py names rooms by functions, and there is no {', '.join(missing)}")
    return {tree.room_of(functions["", name][0]) for name in names}


def expanded(text, macros, depth=3):
    """An initialiser with the macros that stand in it replaced by their texts."""
    def replaced(match):
        parameters, body = macros[match[1]]
        given = [a.strip() for a in (match[2] or "()")[1:-1].split(",")]
        for name, value in zip(parameters, given):
            body = re.sub(rf"\b{name}\b", value, body)
        return body
    for _ in range(depth):
        text = re.sub(r"\b([A-Z]\w*)(\([^()]*\))?",
                      lambda m: replaced(m) if m[1] in macros else m[0], text)
    return text


def pieces(text):
    """The rows of an array: what stands in the outermost braces."""
    depth, begin = 0, 0
    for k, c in enumerate(text):
        if c == "{":
            depth += 1
            begin = k if depth == 1 else begin
        elif c == "}":
            depth -= 1
            if depth == 0:
                yield text[begin:k + 1]


class Code:
    """functions: (file or "" with linkage, name) -> (file, body); tables: (file, name)"""

    def __init__(self, texts):
        self.functions, self.tables, self.rows = {}, {}, {}
        macros = {}
        for path, text in texts.items():
            for name, parameters, body in MACRO.findall(tree.COMMENT.sub("", text)):
                words = [p.strip() for p in parameters.split(",")] if parameters else []
                macros[name] = (words, body.replace("\\\n", " "))
        for path, text in texts.items():
            for local, name, _, body in tree.functions_of(path, tree.BLANK.sub("", text)):
                self.functions[path if local else "", name] = (path, body)
        away = rooms(self.functions, ELSEWHERE)
        self.functions = {key: value for key, value in self.functions.items()
                          if tree.room_of(value[0]) not in away}
        for path, text in texts.items():
            if tree.room_of(path) not in away:
                for kind, name, what in TABLE.findall(tree.COMMENT.sub("", text)):
                    self.tables[path, name] = Table(kind, expanded(what, macros))
        for (path, _), table in self.tables.items():
            if table.kind == ROW:
                for row in pieces(table.text[1:-1]):
                    for name in NAMED.findall(row):
                        self.rows[name] = (path, row)
        # what a row chooses among
        what = "".join(re.findall(rf"struct {ROW} \{{(.*?)^\}};", "\n".join(
            tree.COMMENT.sub("", t) for t in texts.values()), re.S | re.M))
        self.chosen = {ROW, *re.findall(r"const struct (th_\w+) \*(?!\()", what)}

    def tables_of(self, solver):
        """The tables that a solver's row names: of an array of tables that one whose
        index stands in the row, too."""
        if solver not in self.rows:
            sys.exit(f"there is no solver {solver}")
        row = self.rows[solver][1]
        words = set(re.findall(r"\w+", row))
        found, todo = set(), [row]
        while todo:
            for name in re.findall(r"\bth_\w+", todo.pop()):
                for (path, own), table in self.tables.items():
                    if own != name or (path, own) in found:
                        continue
                    found.add((path, own))
                    at = re.findall(r"\[(\w+)\] = (&\w+)", table.text)
                    mine = [value for index, value in at if index in words]
                    todo.append(" ".join(mine) if mine else table.text)
        return found

    def members(self, solver):
        """Where a call through a member of a table may go."""
        own = self.tables_of(solver)
        shown = [(path, table.text) for (path, name), table in self.tables.items()
                 if (path, name) in own or table.kind not in self.chosen]
        result = collections.defaultdict(list)
        for path, text in shown + [self.rows[solver]]:
            for member, value in ENTRY.findall(text):
                key = self.find(path, value)
                if key and key not in result[member]:
                    result[member].append(key)
        return result

    def find(self, path, name):
        """The function that a name in a file stands for, or None"""
        return next((key for key in ((path, name), ("", name)) if key in self.functions), None)

    def step_of(self, solver):
        """The function that makes a solver's update."""
        return next(self.find(path, value) for path, name in sorted(self.tables_of(solver))
                    for member, value in ENTRY.findall(self.tables[path, name].text)
                    if member == "step")

    def trusted(self):
        """Files that a story leaves out."""
        seen = {name.split("_")[1] for name in OBSERVERS}
        away = rooms(self.functions, TRUSTED)
        return {path for path, _ in self.functions.values() if tree.room_of(path) in away and
                tree.stem_of(path).split("_")[0] not in seen}

    def walk(self, solver, start, away=()):
        """The files of the functions on the way from start, in its order."""
        members, seen, way = self.members(solver), set(), []

        def visit(key):
            path, body = self.functions[key]
            if key in seen or path in away:
                return
            seen.add(key)
            way.append(path)
            for through, name, value in CALL.findall(body):
                found = members[name] if through else [self.find(path, name or value)]
                for one in filter(None, found):
                    visit(one)

        sys.setrecursionlimit(10000)
        visit(start)
        return way


def turns(way):
    return sum(a != b for a, b in zip(way, way[1:]))


def main():
    code = Code(tree.read(tree.root_of(sys.argv[1:])))
    for solver in sys.argv[2:] or code.rows:
        way = code.walk(solver, ("", "th_train"))
        print(f"{solver}: {len(way)} functions in {len(set(way))} files, "
              f"{turns(way)} changes of file")


if __name__ == "__main__":
    sys.exit(main())
