#!/usr/bin/python3
"""golden.py THRESHER LAUNCH [--renew] [--other] [--all] - the model of every solver of the table
keeps its bytes: SHA-256 of each on small data, on one rank and on three, beside table.txt
SPDX-License-Identifier: MIT

Works in the present folder. A model is what a solver makes of one of four data sets:
dense, sparse, with labels, and with weights. A change that moves code and nothing else
leaves table.txt as it is; one that changes models on purpose renews it, and its message
says why. The bits of libraries (HDF5, OpenBLAS, SLEEF) are part of a model's, so the
table tells with which ones it was made; with others, ranks are compared with each other
alone. --renew writes the table anew. --other: of another MPI, whose ranks spin where they
wait, so on two alone (one rank needs no MPI), one model after the other; HDF5 has another
name there, and is compared all the same. Ranks are many for one data set of each solver
and way to run it, in turn over the data sets; --all, and --renew: for every model.
"""
import collections
import concurrent.futures
import hashlib
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from solver_table import needed, solver_table  # noqa: E402

TABLE = os.path.join(HERE, "table.txt")
RANKS = (1, 3)
# What a run is like beyond what a solver needs: a word, the solvers, the options.
VARIANTS = (
    ("group", ("lasso", "os-prox-sgd", "saga"),
     "--penalty group --groups pairs.txt --lambda-ratio 0.3"),
    ("path", ("lasso", "prox-sgd", "ridge"), "--path 6 --path-min 0.1"),
    ("units", ("lasso", "ridge", "aerr", "os-prox-sgd", "sift"), "--no-standardize"),
    ("huber", ("lasso",), "--loss huber --path 6"),
    ("quantile", ("lasso",), "--loss quantile --quantile 0.7 --path 6"),
    ("select", ("sift",), "--select truth"),
    ("shared", ("exploration",), "--shared-support"),
    ("cg", ("ridge",), "--factor cg"),
    ("adagrad", ("aerr", "aelr", "ogd-ridge", "eg-lasso"), "--adagrad coordinate"),
)


def run(thresher, *arguments):
    return subprocess.run(["timeout", "-k", "5", "900", thresher, *arguments],
                          capture_output=True, text=True)


def must(thresher, *arguments):
    done = run(thresher, *arguments)
    if done.returncode != 0:
        sys.exit("golden.py: thresher %s: %s" % (" ".join(arguments), done.stderr))
    return done.stdout


def write_text(name, labels, weights, filled=1.0):
    """400 examples of 30 attributes; four of them are true"""
    draw = random.Random(name)
    truth = {3: 1.5, 7: -2.0, 12: 1.0, 21: 0.75}
    with open(name, "w", encoding="ascii") as file:
        file.write(",".join("v%d" % j for j in range(30)) + ",y" + ",w" * weights + "\n")
        for _ in range(400):
            x = [draw.gauss(0, 1) if draw.random() < filled else 0.0 for _ in range(30)]
            y = sum(c * x[j] for j, c in truth.items()) + draw.gauss(0, 0.5)
            row = x + [(1 if y > 0 else 0) if labels else y]
            row += [draw.choice((0, 0.5, 1, 3))] if weights else []
            file.write(",".join("%.17g" % v for v in row) + "\n")
    return name


def make_data(thresher):
    """name and options of each data set"""
    must(thresher, "generate", "murata", "-o", "dense.h5", "--examples", "1200",
         "--attributes", "300", "--support", "6", "--test", "0.1", "--seed", "5", "--row-group",
         "128", "--shards", "3", "--force")
    must(thresher, "generate", "sparse", "-o", "sparse.h5", "--examples", "1200",
         "--attributes", "300", "--support", "6", "--density", "0.05", "--test", "0.1", "--seed",
         "5", "--row-group", "128", "--shards", "2", "--force")
    must(thresher, "import", write_text("labels.csv", True, False, 0.6), "-o", "labels.h5",
         "--target", "y", "--type", "f64", "--layout", "sparse", "--force")
    must(thresher, "import", write_text("weights.csv", False, True), "-o", "weights.h5",
         "--target", "y", "--weights", "w", "--force")
    with open("pairs.txt", "w", encoding="ascii") as file:
        for j in range(0, 30, 2):
            file.write("%d %d\n" % (j, j + 1))
        for j in range(30, 300, 9):
            file.write(" ".join(str(k) for k in range(j, j + 9)) + "\n")
    with open("pairs30.txt", "w", encoding="ascii") as file:
        for j in range(0, 30, 2):
            file.write("%d %d\n" % (j, j + 1))
    return ("dense", "sparse", "labels", "weights")


def in_steps(row):
    """whether it takes steps towards the solution of a penalty"""
    return "penalty" in row["options"] and "batch" in row["options"]


def options_of(row, data):
    small = data in ("labels", "weights")
    options = ["--solver", row["name"]]
    options += needed(row, sparsity=4 if small else 6, budget=12 if small else 60,
                      start="3,7,12,21" if small else "3,17,90,200")
    if in_steps(row):
        options += ["--lambda-ratio", "0.2", "--epochs", "6"]
    return options


def settings(thresher):
    """(what, data, options) of every model"""
    table = solver_table(thresher)
    for data in make_data(thresher):
        for solver, row in table.items():
            yield f"{solver} {data}", data, options_of(row, data)
        for word, solvers, extra in VARIANTS:
            for solver in solvers:
                words = extra.split()
                plain = ["--solver", solver] if "lambda" in extra or "path" in extra \
                    else options_of(table[solver], data)
                if data in ("labels", "weights"):
                    words = ["pairs30.txt" if w == "pairs.txt" else w for w in words]
                if word in ("group", "path") and in_steps(table[solver]):
                    words += ["--epochs", "6"]
                yield f"{solver}+{word} {data}", data, plain + words


def of_each_kind(models):
    """of each solver and way to run it one model, in turn over those that are not refused"""
    kinds = collections.OrderedDict()
    for what, digest in models.items():
        kind = kinds.setdefault(what.split()[0], [])
        if not digest.startswith("status"):
            kind.append(what)
    return {kind[k % len(kind)] for k, kind in enumerate(kinds.values()) if kind}


def wanted_here(system, other):
    """the models of the table, unless other libraries made them"""
    made_with, wanted = read_table()
    if made_with == system or other:
        return wanted
    print(f"table.txt was made with {made_with}, and here is {system}: ranks alone are compared")
    return {}


def train(job):
    """the model's hash, or how the run was refused"""
    thresher, launch, ranks, what, data, options = job
    model = "model-%s-%d.h5" % (what.replace(" ", "-"), ranks)
    command = [thresher, "train", data + ".h5", "-o", model, "-q", "--force", *options]
    if ranks > 1:
        command = ["sh", launch, str(ranks), *command]
    environment = dict(os.environ, THRESHER_LIMIT="900")
    done = subprocess.run(["timeout", "-k", "5", "900", *command], capture_output=True,
                          text=True, env=environment)
    if done.returncode not in (0, 2) or not os.path.exists(model):
        refused = done.returncode in (1, 2)
        return "status %d%s" % (done.returncode, "" if refused else
                                ": " + done.stderr.strip()[-400:])
    with open(model, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    os.remove(model)
    return digest


def system_of(thresher):
    """the libraries that have a say in the bits of a model, as their files are called"""
    found = set()
    for line in subprocess.run(["ldd", thresher], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        words = line.split()
        if len(words) > 2 and re.match(r"lib(hdf5|openblas|blas|lapack|scalapack|sleef)",
                                       words[0]):
            found.add(os.path.basename(os.path.realpath(words[2])))
    return " ".join(sorted(found))


def read_table():
    found = collections.OrderedDict()
    system = ""
    with open(TABLE, encoding="ascii") as file:
        for line in file:
            if line.startswith("# with: "):
                system = line[8:].strip()
            elif line.strip() and not line.startswith("#"):
                what, digest = line.rstrip("\n").split(": ")
                found[what] = digest
    return system, found


def main():
    thresher, launch = sys.argv[1:3]
    renew, other = "--renew" in sys.argv[3:], "--other" in sys.argv[3:]
    every = renew or "--all" in sys.argv[3:]
    some = of_each_kind(read_table()[1])
    jobs = [(thresher, launch, ranks, *setting) for setting in settings(thresher)
            for ranks in ((2,) if other else RANKS)
            if ranks == 1 or every or setting[0] in some]
    with concurrent.futures.ThreadPoolExecutor(1 if other else 2) as pool:
        digests = list(pool.map(train, jobs))
    bad, made = [], collections.OrderedDict()
    for job, digest in zip(jobs, digests):
        what = job[3]
        if made.setdefault(what, digest) != digest:
            bad.append(f"{what}: {made[what]}, on {job[2]} ranks {digest}")
    system = system_of(thresher)
    if renew:
        with open(TABLE, "w", encoding="ascii") as file:
            file.write("# SHA-256 of models: golden.py says which, and when they may change\n"
                       "# with: %s\n" % system)
            file.writelines(f"{what}: {digest}\n" for what, digest in made.items())
    if wanted := wanted_here(system, other):
        left = () if other and not every else wanted
        bad += [f"{what}: {made.get(what, 'not made')}, table.txt has {wanted.get(what, 'none')}"
                for what in {**dict.fromkeys(left), **made}
                if wanted.get(what) != made.get(what)]
    print("\n".join(bad))
    if bad:
        print("models that change on purpose, or are new: in an empty folder,\n  python3 "
              f"{os.path.abspath(__file__)} {thresher} {launch} --renew")
    refused = sum(d.startswith("status") for d in made.values())
    print(f"{len(made)} models, {refused} of them refused; {len(bad)} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
