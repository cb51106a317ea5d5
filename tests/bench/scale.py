"""scale.py - seconds, imbalance and planned memory of the trainings of scale.sh.

SPDX-License-Identifier: MIT
"""
import concurrent.futures
import json
import lzma
import os
import re
import shutil
import subprocess

import bench

TIMES = int(os.environ.get("TIMES", "3"))


def generate(kind, name, examples, attributes, *options):
    bench.run(0, "generate", kind, "-o", name, "--force", "--seed", 1, "--examples", examples,
              "--attributes", attributes, *options)


def train(ranks, data, *options, model="model.h5"):
    """User seconds, wall seconds."""
    return bench.run(ranks, "train", data, "-o", model, "--force", "--quiet", *options)


def least(ranks, data, *options, of=1):
    """The least wall seconds (of=1), or user seconds (of=0), of TIMES runs."""
    return min(train(ranks, data, *options)[of] for _ in range(TIMES))


def few_and_more():
    """Default training on both sides of the number of examples where its end changes."""
    seconds = []
    for examples in 4900, 5100:
        generate("sparse", "sparse.h5", examples, 1000000)
        seconds.append(least(0, "sparse.h5"))
    print(f"default, 10^6 attributes: 4,900 examples {seconds[0]:.2f} s, 5,100 {seconds[1]:.2f} s, "
          f"ratio {seconds[0] / seconds[1]:.2f}")
    generate("murata", "dense.h5", 20000, 10000)
    print(f"default, 20,000 x 10,000 dense: {least(0, 'dense.h5'):.2f} s")


def spent(ranks, data, *options, model="model.h5"):
    """Seconds that a run says of itself: without the start of MPI."""
    train(ranks, data, "--report", model + ".json", *options, model=model)
    with open(model + ".json", encoding="utf-8") as report:
        return json.load(report)["seconds"]


def two_ranks(name, data, *options):
    """Speed of two ranks over one, beside two runs of one rank at the same time, which the
    launcher would bind to one core."""
    one, two, both = [], [], []
    for _ in range(TIMES):
        one.append(spent(0, data, *options))
        two.append(spent(2, data, *options))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(spent, 0, data, *options, model=f"model.{k}.h5") for k in (1, 2)]
            both.append(max(run.result() for run in runs))
    print(f"{name}: one rank {min(one):.2f} s, two ranks {min(two):.2f} s: {min(one) / min(two):.2f} "
          f"times, where the machine has {2 * min(one) / min(both):.2f}")


def dorothea():
    source = os.path.join(os.environ["DATA"], "dorothea.train.svm.xz")
    if not os.path.exists(source):
        print(f"no {source}: path of dorothea left out")
        return
    with lzma.open(source) as text, open("dorothea.svm", "wb") as plain:
        shutil.copyfileobj(text, plain)
    bench.run(0, "import", "dorothea.svm", "-o", "dorothea.h5", "--force")
    two_ranks("dorothea, path of 100", "dorothea.h5", "--solver", "lasso", "--path", 100, "--loss",
              "logistic")


def explore(size, budget):
    """User seconds of exploration where the support is as large as a block beside it."""
    generate("murata", "explore.h5", 20000, 20000, "--support", 20, "--shards", 4)
    seconds = least(0, "explore.h5", "--solver", "exploration", "-s", size, "--budget", budget,
                    "--batch-explore", 1500, "--growth", 1, "--rounds", 6, "--refit", "no",
                    "--validation", 0, "--passes", 40, of=0)
    print(f"exploration, s = {size}, budget {budget}: {seconds:.2f} s of the processor")


def exploit():
    """The slowest rank's work over the mean, the least of TIMES runs: ranks share cores."""
    generate("murata", "exploit.h5", 20000, 20000, "--support", 500, "--shards", 4)
    slowest = []
    for _ in range(TIMES):
        train(4, "exploit.h5", "--solver", "exploitation", "--start",
              ",".join(map(str, range(500))), "--report", "exploit.json")
        with open("exploit.json", encoding="utf-8") as report:
            slowest.append(json.load(report)["imbalance"])
    print(f"exploitation, 500 members on 4 ranks: the slowest over the mean {min(slowest):.3f}")


def planned(ranks, solver):
    """Bytes that a dry run plans for all ranks, which are one node, beside stored values."""
    start = [*bench.LAUNCH, str(ranks), bench.THRESHER, "train", "--source",
             "murata:n=100000000,d=10000", "--solver", solver, "--dry-run"]
    text = subprocess.run(start, capture_output=True, text=True, check=False).stdout
    number, unit = re.search(r"ranks?, ([\d.]+) (\w+) of memory", text).groups()
    return ranks * float(number) * {"MB": 1e6, "GB": 1e9, "TB": 1e12}[unit]


def plan():
    """A plan is told, too, where the machine has less memory."""
    for solver in "lasso", "os-prox-sgd", "aerr":
        one, eight = planned(1, solver), planned(8, solver)
        print(f"dry run, 10^8 x 10^4, {solver}: a node of 8 ranks over one of 1 {eight / one:.2f}")


few_and_more()
two_ranks("default, 20,000 x 10,000 dense", "dense.h5")
two_ranks("lasso, path of 20, the same data", "dense.h5", "--solver", "lasso", "--path", 20,
          "--path-min", 0.05)
dorothea()
explore(20, 520)
explore(500, 1000)
exploit()
plan()
