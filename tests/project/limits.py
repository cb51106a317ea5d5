#!/usr/bin/env python3
"""limits.py [ROOT] - how much one thing may ask of a reader: a function at most 7
parameters, a struct at most 30 members
SPDX-License-Identifier: MIT

Parameters are counted in definitions, prototypes and pointers to functions. Members are
counted by declarators: "double a, b;" are two, a pointer to a function is one. The
members of a struct inside another count for the outer one, too, where it has no name.
"""
import re
import sys

sys.dont_write_bytecode = True
import tree

PARAMETERS = 7
MEMBERS = 30
# What is larger, by name: procedures of LAPACK and ScaLAPACK as others have made them.
WIDE = {"dposv_", "pdposv_", "descinit_"} # bench/solve.c
LARGE = set()
NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
                   r"|^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.S | re.M)
# A name, or a pointer to a function with its name, before a list of parameters.
CALLED = re.compile(r"(?:\b([A-Za-z_]\w*)|\(\s*\*\s*([A-Za-z_]\w*)\s*\))\s*\(")
STRUCT = re.compile(r"\b(struct|union)\b\s*(\w*)\s*\{")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def closing(text, opening):
    """where the bracket at text[opening] is closed"""
    depth = 0
    for k in range(opening, len(text)):
        if text[k] in "([{":
            depth += 1
        elif text[k] in ")]}":
            depth -= 1
            if depth == 0:
                return k
    return len(text)


def pieces(text, mark):
    """text cut at the marks that stand in no bracket"""
    depth, start, found = 0, 0, []
    for k, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == mark and depth == 0:
            found.append(text[start:k])
            start = k + 1
    return [piece for piece in found + [text[start:]] if piece.strip()]


def members(body):
    count = 0
    for declaration in pieces(body, ";"):
        inner = STRUCT.search(declaration)
        if not inner:
            count += len(pieces(declaration, ","))
            continue
        end = closing(declaration, inner.end() - 1)
        declarators = len(pieces(declaration[end + 1:], ","))
        if inner[2] and declarators: # a named struct within: its members are its own
            count += declarators
        else:
            count += members(declaration[inner.end():end]) + declarators
    return count


def functions(code):
    """(where, name, parameters) of what a file declares or defines"""
    outside = list(code)
    for match in re.finditer(r"^\{", code, re.M): # bodies of functions
        for k in range(match.start() + 1, closing(code, match.start())):
            if outside[k] != "\n":
                outside[k] = " "
    text = "".join(outside)
    for match in CALLED.finditer(text):
        name = match[1] or match[2]
        inside = text[match.end():closing(text, match.end() - 1)]
        yield match.start(), name, len(pieces(inside, ","))


def main():
    bad, unused = [], set(WIDE) | set(LARGE)
    seen = {"functions": 0, "structs": 0}

    def judge(kind, path, code, at, name, count, most, excused):
        seen[kind] += 1
        if count <= most:
            return
        unused.discard(name)
        if name not in excused:
            line = code.count("\n", 0, at) + 1
            bad.append(f"{path}:{line}: {name} has {count}, at most {most}")

    for path, text in tree.read(tree.root_of(sys.argv[1:]), tree.TOPS + ("tests",)).items():
        code = NOISE.sub(blank, text)
        for at, called, count in functions(code):
            judge("functions", path, code, at, called, count, PARAMETERS, WIDE)
        for match in STRUCT.finditer(code):
            body = code[match.end():closing(code, match.end() - 1)]
            judge("structs", path, code, match.start(),
                  f"{match[1]} {match[2] or '(no name)'}", members(body), MEMBERS, LARGE)
    bad += [f"{name} is within the limits: strike it off the list" for name in sorted(unused)]
    if seen["functions"] < 2000 or seen["structs"] < 200:
        bad.append("few found: wrong folder?")
    print("\n".join(bad + [f"{seen['functions']} declarations of functions and "
                           f"{seen['structs']} structs, {len(bad)} against the limits"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
