# claims.py - what a paper says of a figure, beside what the runs say
# SPDX-License-Identifier: MIT
"""Imported by the *_tables.py of the figures. Each has a table of claims, and finds the
parts of a claim in its results: names and numbers, and what they have to do with each other.
A part is (its names, its words, whether it is so); None where the runs do not tell, or where
their number is too small for the difference."""
import csv
import math

ALIKE = 1.5  # two numbers are alike if neither is that many times the other
NOISE = 1.02  # no number is above another one by less than that: seeds differ by more


ONE = "1"    # what a ratio is compared with: its value is its name


def number(value):
    return value if isinstance(value, str) else "%.3g" % value


def missing(names, values):
    return [name for name in names if values.get(name) is None]


def near(a, b):
    return max(a, b) <= ALIKE * min(a, b)


def relation(one, words, other, values, holds):
    names = (one, other)
    if missing(names, values):
        return names, "", None
    return names, "%s is not %s %s" % (one, words, other), holds(values[one], values[other])


def below(low, high, values):
    """That the value of the first name is the smaller one."""
    return relation(low, "below", high, values, lambda a, b: a < b)


def well_below(low, high, values):
    """That the value of the first name is the smaller one, and not of the same size."""
    return relation(low, "below", high, values, lambda a, b: a < b and not near(a, b))


def not_above(low, high, values):
    """That the value of the first name is not the larger one, but for noise."""
    return relation(low, "at or below", high, values, lambda a, b: a <= NOISE * b)


def alike(one, other, values):
    """That the two values are of one size."""
    return relation(one, "near", other, values, near)


def alike_or_below(one, other, values):
    """That the first value is of the size of the second, or smaller."""
    return relation(one, "near or below", other, values, lambda a, b: a < b or near(a, b))


def nearer(one, to, than, values):
    """That the first value is nearer to the second one than to the third."""
    names = (one, to, than)
    if missing(names, values):
        return names, "", None
    a, b, c = (values[name] for name in names)
    return names, "%s is not nearer to %s than to %s" % names, abs(a - b) <= abs(a - c)


def falling(names, values):
    """That each value is below the one before it."""
    return [below(low, high, values) for high, low in zip(names, names[1:])]


def unless_noise(part, difference, *errors):
    """The part, not told where the difference that it goes by is less than two standard
    errors; errors: those of the numbers in it."""
    names, words, _ = part
    if abs(difference) > 2 * math.hypot(*errors):
        return part
    return names, words.replace(" is not ", " is ", 1), None


def verdict(parts):
    told = [holds for _, _, holds in parts if holds is not None]
    others = [words for _, words, holds in parts if holds is False]
    near_ones = [words for _, words, holds in parts if holds is None and words]
    if not told and not near_ones:
        return "the runs do not tell"
    order = "another order: " + ", ".join(others) if others else "the same order"
    few = "too few runs to tell whether " + ", ".join(near_ones) if near_ones else ""
    return ", ".join(filter(None, (told and order, few)))


def evidence(parts, values):
    """The numbers of the parts, each once."""
    names = dict.fromkeys(name for some, _, _ in parts for name in some if name != ONE)
    return ", ".join("%s %s" % (name, number(values[name])) if values.get(name) is not None
                     else "no " + name for name in names)


def case(where, values, parts):
    """What the runs say: where, the numbers, and the verdict."""
    return "%s: %s: %s" % (where, evidence(parts, values), verdict(parts))


def sentence(claim, *cases):
    """One line: the claim (figure, what the paper says), what the runs say, and notes."""
    return "%s: the paper: %s; here, %s" % (*claim, "; ".join(filter(None, cases)))


def read_table(path):
    with open(path) as file:
        return list(csv.DictReader(file, delimiter="\t"))
