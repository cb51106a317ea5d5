"""tree.py - the sources as the lints beside it read them: texts by path, functions, names
SPDX-License-Identifier: MIT

C is read by patterns, not parsed: they rely on clang-format's layout (Linux braces, a
definition begins in the first column), which lint.sh checks.
"""
import os
import re

TOPS = ("src", "io", "mpi")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Functions that are spoken everywhere, and headers whose functions have names of their own:
# mathematics, and what files offer to the tables of solvers and of commands.
VERBS = {"th_fail", "th_alloc", "th_grow", "th_agree", "th_min_i64", "th_max_i64"}
OWN_NAMES = {"elementary", "algorithms", "commands"}
# Comments and texts in quotes; what else is no code for who looks for names.
BLANK = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# What stands before the name, the name, the parameters, the body.
FUNCTION = re.compile(r"^((?!typedef|return|else)[A-Za-z_][\w \*\n]*?)"
                      r"\b(\w+)\(([^;{]*?)\)\s*\n\{\n(.*?)^\}", re.M | re.S)
PROTOTYPE = re.compile(r"^(?!static|typedef|#|return|\s)[\w \*\n]*?\b(th_\w+)\([^;{]*\)\s*;", re.M)
INLINE = re.compile(r"^static inline [\w \*\n]*?\b(th_\w+)\([^;{]*\)\s*\{", re.M)
TYPED = re.compile(r"^th_\w+ (th_\w+);", re.M)


def root_of(arguments):
    """The folder that a lint looks at: its argument, $SOURCE or the current one."""
    return arguments[0] if arguments else os.environ.get("SOURCE", ".")


def read(root, tops=TOPS, ends=(".c", ".h")):
    """{path: text} of all files below the tops whose names end so, sorted."""
    texts = {}
    for top in tops:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in (n for n in names if n.endswith(ends)):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    texts[os.path.relpath(path, root)] = file.read()
    return dict(sorted(texts.items()))


def functions_of(path, text):
    """(local, name, what stands before it, body) of each function that a text without
    comments defines; local: seen in its own file alone"""
    for start, name, _, body in FUNCTION.findall(text):
        yield start.startswith("static") and path.endswith(".c"), name, start, body


def declared_in(code):
    """Public functions that the code of a header declares."""
    return PROTOTYPE.findall(code) + INLINE.findall(code) + TYPED.findall(code)


def room_of(path):
    return os.path.dirname(path)


def stem_of(path):
    """The name of the module: sift of sift.c and sift.h"""
    return os.path.splitext(os.path.basename(path))[0]


def begins_with(name, words):
    """Whether a function is called th_<words>_...; of words in plural the singular will do."""
    module = "th_" + words
    return any(name == stem or name.startswith(stem + "_")
               for stem in (module, module.rstrip("s")))
