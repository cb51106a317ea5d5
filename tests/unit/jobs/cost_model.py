#!/usr/bin/python3
# cost_model.py JOBS - properties of the model of the cost
# SPDX-License-Identifier: MIT
"""One rank never communicates, more ranks never compute longer, every value of the
blocks is read once, and all-reduces cost what closed forms say."""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.join(os.path.dirname(__file__), "..", "..", "support")]
sys.dont_write_bytecode = True
import cost_model as model  # noqa: E402
from checks import check, finish  # noqa: E402

MACHINE = model.Machine(read=10e9, gradient=9e9, flops=10e9, latency=1e-6,
                        bandwidth=5e9)
OPTIONS = model.parse(["--bench", "none"])
RANKS = [2 ** k for k in range(15)]


def computing(ranks, update):
    return sum(c for c, _ in model.parts(MACHINE, ranks, update).values())


def communicating(ranks, update):
    return sum(c for _, c in model.parts(MACHINE, ranks, update).values())


for d in model.ATTRIBUTES:
    u = model.update_of(d, OPTIONS)
    check("one rank communicates, d = %d" % d, communicating(1, u) == 0)
    for few, more in zip(RANKS, RANKS[1:]):
        check("%d ranks compute longer than %d, d = %d" % (more, few, d),
              computing(more, u) <= computing(few, u))
    check("every value is read, d = %d" % d,
          u.values == OPTIONS.batch * d and
          u.rows >= OPTIONS.batch * d / max(64, 0.1 * d))
    steps = model.crossovers(MACHINE, u, RANKS[-1])
    check("crossovers begin at one rank and ascend, d = %d" % d,
          steps[0][0] == 1 and sorted(steps) == steps)

large = model.update_of(10 ** 9, OPTIONS)
check("at 10^9 attributes one rank spends its time on gradients",
      model.dominant(model.seconds(MACHINE, 1, large)) == "gradient")
small = model.update_of(10 ** 4, OPTIONS)
check("at 10^4 attributes and 16,384 ranks gradients do not matter",
      model.dominant(model.seconds(MACHINE, 16384, small)) != "gradient")
for size in (8, 2048, 1 << 20):
    times = [model.all_reduce(MACHINE, ranks, size) for ranks in RANKS]
    check("an all-reduce of %d bytes grows with the ranks" % size,
          times == sorted(times))
# Two ranks, closed forms: one latency and the bytes once
check("a small all-reduce of two ranks",
      abs(model.all_reduce(MACHINE, 2, 8) - (1e-6 + 8 / 5e9)) < 1e-15)
# Many ranks and bytes: Rabenseifner's two times the bytes
check("a large all-reduce of 1,024 ranks",
      abs(model.all_reduce(MACHINE, 1024, 1 << 30) -
          (20e-6 + 2 * (1 << 30) / 5e9 * 1023 / 1024)) < 1e-9)
finish()
