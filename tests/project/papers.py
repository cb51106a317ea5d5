#!/usr/bin/env python3
"""papers.py [ROOT] - a number that is ascribed to a paper stands in that paper's text
SPDX-License-Identifier: MIT

Looks at all pages, scripts and comments for sentences that name a paper and have a number
in them (numbers of sections, figures, algorithms, equations and years, and 0 to 2, aside), for tables
with a column of a paper's, and for scripts that print such a column. Each has to be in
tests/project/papers.txt, with the place in the paper's text. What is there and was not found has
to go. The papers themselves are not here: who adds a line has looked.
"""
import os
import re
import sys

ROOT = sys.argv[1] if len(sys.argv) > 1 else "."
KINDS = (".md", ".sh", ".py", ".c", ".h", ".gp", ".R", ".1", ".sbatch", ".cmake")
NAMES = (r"Murata|Suzuki|Liang|Poon|Kukliansky|Shamir|Saad|Blanchard|Arlot|Ito et|Kale et|"
         r"Steinhardt|Hazan|Koren|Cesa-Bianchi|Duchi|Singer|Xiao|Zhang")
PAPER = re.compile(r"\b(?:papers?\b(?!\.h5|\[@\]|\"\s*\]|\()|authors?'|read off|%s)" % NAMES)
# Not the rule of screening of that name, nor an option
OPTION = re.compile(r"(?:--screen-rule|rule|--)\s?paper\b|`paper`|\bproj, paper\b|\{paper|"
                    r"\$paper\b|TH_RULE_PAPER")
PLACE = re.compile(
    r"\b(?:[Ss]ections?|[Ff]igures?|[Aa]lgorithms?|[Ee]quations?|eq\.|[Tt]heorems?|[Ll]emmas?|"
    r"[Cc]orollar(?:y|ies)|[Pp]ropositions?|[Ll]ines?|[Rr]emarks?|[Aa]ssumptions?|[Tt]ables?|[Aa]ppendix|[Pp]ages?)"
    r"\s+[A-Z]?[\d.]*\d[a-z]?(?:(?:,| and| to|, and)\s+[A-Z]?\d[\d.]*\b(?!\s*%))*|"
    r"\b(?:19|20)\d\d\b|\bl[012]\b|\blog ?2\b|\br2\b|\bR2\b|\bf32\b|^\s*\d+\.\s")
# 0, 1 and 2 by themselves are parts of formulas, and in C other digits, too
NUMBER = re.compile(r"(?<![\w.^])-?(?:\d+[.,]\d[\d,.]*|\d{2,}|[3-9])(?:e-?\d+)?\b")
NUMBER_IN_C = re.compile(r"(?<![\w.^])-?(?:\d+[.,]\d[\d,.]*|\d{2,})(?:e-?\d+)?\b")
PRINTS = re.compile(r"\b(?:print|printf|echo)\b.*\bpaper\b(?![.]h5)")


def texts():
    """Names of the project's files that have words for people, below its folder."""
    for path, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders
                            if name != "build" and (name == ".ci" or name[0] != "."))
        for name in sorted(files):
            whole = os.path.relpath(os.path.join(path, name), ROOT)
            if name.endswith(KINDS) and whole not in ("tests/project/papers.py", "CHANGELOG.md"):
                yield whole


def comments_of(name, text):
    """Paragraphs of words: of a page, of comments, of a man page."""
    if name.endswith((".md", ".1")):
        words = re.sub(r"^\.\w+ ?", "", text, flags=re.M)
        return re.split(r"\n\s*\n|\n(?=\s*[-|]\s)|\n(?=\d+\. )|\n(?=    )", words)
    if name.endswith((".c", ".h")):
        found = re.findall(r"/\*(.*?)\*/", text, re.S)
        return [part for one in found
                for part in re.split(r"\n\s*\n", re.sub(r"^\s*\* ?", "", one, flags=re.M))]
    lines = [line.lstrip()[1:] if line.lstrip().startswith("#") else ""
             for line in text.split("\n")]
    found = "\n".join(lines) + "\n\n" + "\n\n".join(re.findall(r'"""(.*?)"""', text, re.S))
    return re.split(r"\n\s*\n|\n(?=\s*--)", found)


def sentences_of(name, text):
    for paragraph in comments_of(name, text):
        words = " ".join(paragraph.split())
        if not words.startswith("|"):
            yield from re.split(r"(?<=[a-z)`%\d][.:;])\s+(?=[A-Z`*(])", words)


def columns_of(name, text):
    """Of tables: cells below a head that names a paper."""
    heads = None
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = None
        elif heads is None:
            heads = [k for k, cell in enumerate(cells) if PAPER.search(OPTION.sub("", cell))]
        else:
            yield from (line for k in heads if k < len(cells) and NUMBER.search(cells[k]))


def ascribed(name, text):
    number = NUMBER_IN_C if name.endswith((".c", ".h")) else NUMBER
    for sentence in sentences_of(name, text):
        bare = OPTION.sub("", sentence)
        if PAPER.search(bare) and number.search(PLACE.sub("", bare)):
            yield sentence
    if name.endswith(".md"):
        yield from columns_of(name, text)
    if name.endswith((".py", ".sh", ".R", ".gp")):
        yield from (line.strip() for line in text.split("\n")
                    if PRINTS.search(OPTION.sub("", line)))


def listed():
    """FILE | words of the sentence | where it stands"""
    rows = []
    with open(f"{ROOT}/tests/project/papers.txt") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                parts = [part.strip() for part in line.split(" | ")]
                if len(parts) != 3 or not all(parts):
                    sys.exit(f"tests/project/papers.txt: not FILE | words | place: {line.strip()}")
                rows.append(tuple(parts))
    return rows


bad = 0
rows = listed()
seen = set()
for name in texts():
    with open(f"{ROOT}/{name}") as file:
        text = file.read()
    for sentence in ascribed(name, text):
        mine = [row for row in rows if row[0] == name and row[1] in sentence]
        seen.update(mine)
        if not mine:
            bad += 1
            print(f"{name}: in which paper, and where, does this stand? {sentence}")
for row in rows:
    if row not in seen:
        bad += 1
        print(f"tests/project/papers.txt: {row[0]} does not say: {row[1]}")
print(f"{len(rows)} numbers with their places, {bad} findings")
sys.exit(bad > 0 or len(rows) < 10)
