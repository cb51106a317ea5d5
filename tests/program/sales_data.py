"""Tables of numbers and words, some missing, and sparse lines: for scripts that import them.

SPDX-License-Identifier: MIT
"""
import random

HEAD = ["id", "a", "b", "c", "d", "color", "y"]


def seed(number):
    random.seed(number)


def gauss():
    return random.gauss(0, 1)


def rows(n, colors=("red", "blue")):
    """Rows of HEAD; y follows from a, c and the color."""
    for k in range(n):
        x = [round(gauss(), 3) for _ in range(4)]
        color = random.choice(colors)
        y = round(x[0] - 2 * x[2] + (color == "red") + gauss() / 4, 3)
        yield ["p%d" % k, *("" if random.random() < .1 else v for v in x), color, y]


def table(name, some, head=None):
    """Write a CSV file."""
    with open(name, "w") as f:
        for r in [head or HEAD, *some]:
            print(*r, sep=",", file=f)


def lines(name, some):
    """Write a file of LIBSVM text: a label, and pairs, of each example."""
    with open(name, "w") as f:
        for label, x in some:
            print(label, *("%d:%s" % (j, x[j]) for j in sorted(x)), file=f)
