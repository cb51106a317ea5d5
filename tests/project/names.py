#!/usr/bin/env python3
"""names.py [ROOT] - what things are called: public functions begin with the name of
their module and are declared in its header, once; a word stands for one thing
SPDX-License-Identifier: MIT

The module of a function is the header that declares it: th_row_groups_find stands in
row_groups.h, or in row.h, or in row_groups_parts.h, of the folder of its definition or
of a folder above it (a contract). A few verbs are spoken everywhere (tree.py).
"""
import collections
import re
import sys

sys.dont_write_bytecode = True
import tree

# Words with several meanings, or with none that a reader could guess: say what is meant
# on the right.
WORDS = {
    "face": "active_set", "recall": "gradient_history", "descend": "inner_solver_solve",
    "polish": "sparsa", "panel": "row_cache", "sheet": "csc_cache", "travel": "redistribution",
    "outlook": "prefetch", "ahead": "prefetch_thread", "rooms": "buffer_pool",
    "placing": "row_assignment", "spill": "bucket_spill", "geometry": "row_groups",
    "smaller": "min_i64", "larger": "max_i64", "drift": "lazy_prox", "text_law": "zipf",
    "contest": "choice", "scoring": "evaluator", "loops": "loop_log",
}
TAG = re.compile(r"^(struct|enum|union) (\w+)\s*\{", re.M)
GUARD = re.compile(r"^#ifndef ((?:TH_\w+|THRESHER)_H)$", re.M)


def begins_with_module(name, header):
    words = tree.stem_of(header).split("_")
    return any(tree.begins_with(name, "_".join(words[:k + 1])) for k in range(len(words)))


def main():
    texts = tree.read(tree.root_of(sys.argv[1:]))
    bad = []
    declared = collections.defaultdict(list)
    defined = {}
    twice = collections.defaultdict(list)
    for path, text in texts.items():
        code = tree.COMMENT.sub("", text)
        if path.endswith(".h"):
            for name in tree.declared_in(code):
                declared[name].append(path)
            for name in tree.INLINE.findall(code):
                defined[name] = path
            for kind, name in TAG.findall(code):
                twice[kind + " " + name].append(path)
            end = tree.stem_of(path).upper() + "_H"
            guard = (GUARD.findall(text) + [""])[0]
            if not guard.endswith(end) and not path.endswith("_body.h"): # included per type
                bad.append(f"{path}: its guard should be TH_{end}")
            if guard:
                twice[guard].append(path)
        else:
            for local, name, _, _ in tree.functions_of(path, code):
                if name.startswith("th_") and local:
                    bad.append(f"{path}: {name} is static: no th_")
                elif name.startswith("th_"):
                    defined[name] = path
    bad += [f"{name} stands in {' and '.join(where)}"
            for name, where in twice.items() if len(where) > 1]
    for name, path in sorted(defined.items()):
        headers = declared.get(name, [])
        if len(headers) != 1:
            bad.append(f"{path}: {name} is declared in {len(headers)} headers")
            continue
        header = headers[0]
        folder = tree.room_of(header)
        if name not in tree.VERBS and tree.stem_of(header) not in tree.OWN_NAMES and \
                not begins_with_module(name, header):
            bad.append(f"{header}: {name} does not begin with the name of its module")
        if not (tree.room_of(path) + "/").startswith(folder + "/"):
            bad.append(f"{path}: {name} is declared in another folder, {header}")
    bad += [f"{where[0]}: {name} is declared and not defined"
            for name, where in declared.items() if name not in defined and
            not re.search(r"\b" + name + r"\b", "".join(
                t for p, t in texts.items() if p.endswith(".c")))]
    symbols = set(re.findall(r"\bth_\w+", "\n".join(texts.values())))
    for word, better in WORDS.items():
        for name in sorted(symbols):
            if name == "th_" + word or name.startswith("th_" + word.rstrip("_") + "_"):
                bad.append(f"{name}: say {better}")
    if len(defined) < 500:
        bad.append(f"only {len(defined)} functions found: wrong folder?")
    print("\n".join(bad + [f"{len(defined)} public functions, {len(bad)} against the rules"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
