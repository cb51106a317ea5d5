#!/usr/bin/python3
# scaling_model.py JOBS - properties of the model of a run on more ranks
# SPDX-License-Identifier: MIT
"""A run that is made by the model's own terms comes back from its reports, more ranks do
not compute longer, and what the model does not know is refused."""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.join(os.path.dirname(__file__), "..", "..", "support")]
sys.dont_write_bytecode = True
import scaling_model as model  # noqa: E402
from checks import check, finish  # noqa: E402

MACHINE = model.Machine(1, 1, 1, 2e-6, 10e9)
OPTIONS = model.parse(["--runs", "none"])


def report(ranks, fixed=0.5, divided=8.0, operations=100):
    """of a run that sums 800 bytes of each rank, joins 10,000, exchanges 50,000"""
    sent = (800 * ranks * operations + 10000 * (ranks - 1) if ranks > 1 else 0)
    moved = 50000 * (ranks - 1) / ranks if ranks > 1 else 0
    phases = {"gradient": {"calls": 1, "seconds_mean": fixed + divided / ranks + 0.25,
                           "waiting_mean": 0.25, "operations": operations,
                           "bytes_sent": sent, "bytes_exchanged": 0},
              "gram": {"calls": 1, "seconds_mean": 0, "waiting_mean": 0,
                       "operations": 1, "bytes_sent": moved + 160 * (ranks > 1),
                       "bytes_exchanged": moved}}
    return {"ranks": ranks, "phases": phases, "bytes_read": 10 ** 9 + 10 ** 6 * ranks,
            "per_rank": [{"reading_seconds": 0.0}] * ranks, "solver": "lasso",
            "attributes": 10 ** 6, "peak_memory_per_rank": 10 ** 7 + 10 ** 9 // ranks}


run = model.Run([report(ranks) for ranks in (1, 2, 4, 8)])
for ranks in (1, 3, 16, 1024):
    told = report(ranks)
    work = sum(p["seconds_mean"] - p["waiting_mean"] for p in told["phases"].values())
    sent = sum(p["bytes_sent"] for p in told["phases"].values())
    found = model.predict(run, MACHINE, ranks, OPTIONS)
    check("work on %d ranks" % ranks, abs(found["work"] - work) < 1e-6 * work)
    check("bytes of %d ranks" % ranks,
          ranks == 1 or abs(run.bytes(ranks) - sent) < 0.02 * sent)
    check("memory of %d ranks" % ranks,
          abs(run.memory.at(ranks) / told["peak_memory_per_rank"] - 1) < 1e-6)
check("calls do not grow", run.operations() == 101)
times = [model.predict(run, MACHINE, 2 ** k, OPTIONS) for k in range(12)]
check("more ranks do not work longer",
      all(a["work"] >= b["work"] for a, b in zip(times, times[1:])))
check("one rank neither sums nor waits", times[0]["sums"] == 0 and times[0]["noise"] == 0)
check("more ranks sum longer", all(a["sums"] < b["sums"] for a, b in zip(times, times[1:])))
check("noise is that of the largest of many",
      abs(times[3]["noise"] / times[3]["work"] - OPTIONS.noise * 2.0393) < 1e-4)

# files: a rank's share at first, then the node's, then all that there are
few = model.parse(["--runs", "none", "--ranks-per-node", "64", "--osts", "4"])
many = model.parse(["--runs", "none", "--ranks-per-node", "64", "--osts", "400"])
check("one rank reads at its own rate",
      abs(model.files_seconds(run, 1, few) - 1.001e9 / 1e9 - 1.001e9 / 2 ** 20 * 3e-4) < 1e-6)
check("a node's ranks share it",
      abs(model.files_seconds(run, 64, many) - run.read.at(64) / 5e9) < 0.01)
check("all share the file system",
      abs(model.files_seconds(run, 1024, few) - run.read.at(1024) / 4e9) < 0.01)

# calls of another kind of run, as on too few ranks for a team, do not count for bytes
teams = [report(ranks, operations=2 if ranks == 2 else 100) for ranks in (1, 2, 4, 8)]
check("bytes where few ranks do without",
      abs(model.Run(teams).bytes(32) / sum(p["bytes_sent"] for p in
                                           report(32)["phases"].values()) - 1) < 0.02)
check("nothing comes of nothing", model.least_squares([(2, 0), (4, 0)], model.BYTES) == [0] * 4)


def refused(what, reason, function, *arguments):
    try:
        function(*arguments)
    except SystemExit as end:
        check("%s: %s" % (what, end), reason in str(end))
        return
    check(what + " is not refused", False)


asked = model.parse(["--runs", "none", "--ranks", "16 5000"])
refused("more ranks than cells", "3907 cells", model.ranks_to_predict, run, asked)
refused("no number", "--ranks", model.parse, ["--runs", "x", "--ranks", "4 many"])
check("only ranks with a cell", model.ranks_to_predict(run, OPTIONS)[-1] == 1024)
finish()
