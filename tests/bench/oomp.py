#!/usr/bin/python3
"""oomp.py SEEDS ATTRIBUTES... - online OMP on its paper's problems (oomp.sh).

SPDX-License-Identifier: MIT
"""
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../jobs"))
from complexity_tables import DELTA, DESIGNS, examples_of_omp, law  # noqa: E402

THRESHER = os.environ["THRESHER"]


def run(*arguments):
    return subprocess.run([THRESHER, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout


def train(attributes, design, seed, examples, *options):
    rho, _ = DESIGNS[design]
    source = f"oomp:examples={examples},attributes={attributes},design={design},seed={seed}"
    if rho:
        source += f",correlation={rho}"
    run("train", "--source", source, "-o", "model.h5", "--force", "--no-intercept",
        "--no-standardize", *options)
    return json.loads(run("inspect", "model.h5", "--json"))


def needed(attributes, design, size, seeds):
    """The power of 2 from which on OMP finds all true attributes in all runs."""
    examples = 1 << 20
    while all(sorted(train(attributes, design, seed, examples // 2, "--solver", "omp", "-s",
                           size)["selected"]) == list(range(size))
              for seed in range(1, seeds + 1)):
        examples //= 2
    return examples


def study(attributes, design, seeds):
    rho, mu = DESIGNS[design]
    size, least, most = law(attributes, rho)
    enough = examples_of_omp(attributes, size, least, mu)
    ratios, whole, wrong, examples = [], 0, 0, 0
    for seed in range(1, seeds + 1):
        told = train(attributes, design, seed, 20000000, "--solver", "oomp", "--delta", DELTA,
                     "--mu", mu, "--rho", least, "--smoothness", most, "-s", size)
        cost = told["cost"]["try_select"] + told["cost"]["optim"]
        ratios.append(math.log2(cost / ((size * attributes + size ** 2) * enough)))
        examples += told["examples_to_select"] / seeds
        whole += sorted(told["selected"]) == list(range(size))
        wrong += any(k >= size for k in told["selected"])
    mean = sum(ratios) / len(ratios)
    print(f"{attributes:6} {design:11} {whole:4} of {seeds} {wrong:6} {mean:8.2f} "
          f"{min(ratios):8.2f} {max(ratios):8.2f} {examples:11.0f} {enough:11.0f} "
          f"{needed(attributes, design, size, seeds):9}", flush=True)


if __name__ == "__main__":
    print("attributes design  found whole  wrong  log2(C_OOMP/C_OMP): mean, least, most  "
          "examples: OOMP, OMP by theory, by trial")
    for text in sys.argv[2:]:
        for name in DESIGNS:
            study(int(text), name, int(sys.argv[1]))
