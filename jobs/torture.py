#!/usr/bin/python3
# torture.py MINUTES [OPTION...] - kills, damages and starves the program at random
# SPDX-License-Identifier: MIT
"""Try to get a wrong answer out of the program, for so many minutes.

A trial is one of these:

  kill      a training run is killed or told to stop at a random moment, or as soon
            as it has written a checkpoint, up to three times, each time on another
            number of ranks and with the data in other shards; it then goes on to
            its end. The model must have the bytes of a run that nobody disturbed.
  damage    bytes of a data set, a model or a checkpoint are changed. The program
            must say which file is damaged, or give the bytes of the undamaged
            one.
  limit     memory, the size of files or their number is limited. The program must
            end in one line, or give the right bytes.

Nothing may crash or hang. Trial K of a seed is the same whenever it is run, but
for the moments of the kills: --seed S --first K --trials 1 repeats it.
"""
import argparse
import filecmp
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

JOBS = os.path.dirname(os.path.abspath(__file__))
LIMIT = 900  # seconds after which a run counts as hanging, also on a busy machine
ALONE = 30  # seconds after which a launcher without ranks is ended
DENSE = "dense"
SIGNS = "signs"

# What is killed: name, data, options. A run takes about half a second.
RUNS = [
    ("sift", DENSE, "--solver sift --budget 300"),
    ("exploration", DENSE, "--solver exploration --budget 400 -s 8 --passes 6 --validation 0"),
    ("exploitation", DENSE, "--solver exploitation --start 0,1,2,3,4,5,6,7 --passes 4"),
    ("hybrid", DENSE, "--solver hybrid --budget 400 -s 8 --passes 6 --validation 0"),
    ("prox-sgd", SIGNS, "--solver prox-sgd --lambda-ratio 0.1 --epochs 30"),
    ("fs-prox-sgd", SIGNS, "--solver fs-prox-sgd --lambda-ratio 0.1 --epochs 30"),
    ("os-prox-sgd", SIGNS, "--solver os-prox-sgd --lambda-ratio 0.1 --epochs 30"),
    ("sgd", SIGNS, "--solver sgd --lambda-ratio 0.1 --epochs 30"),
    ("truncated-gradient", SIGNS, "--solver truncated-gradient --lambda-ratio 0.1 --epochs 30"),
    ("rda", SIGNS, "--solver rda --lambda-ratio 0.1 --epochs 30"),
    ("saga", SIGNS, "--solver saga --path 8 --path-min 0.2"),
    ("svrg", SIGNS, "--solver svrg --path 8 --path-min 0.2"),
    ("lasso", DENSE, "--solver lasso --path 40"),
    ("lasso-sparse", SIGNS, "--solver lasso --path 60 --path-min 0.01 --choose last"),
    ("elastic-net", SIGNS, "--solver lasso --penalty elastic-net --mix 0.5 --path 40 "
     "--path-min 0.01 --choose last"),
    ("ridge", DENSE, "--solver ridge --path 20"),
    ("omp", DENSE, "--solver omp -s 20"),
    ("oomp", DENSE, "--solver oomp -s 8"),
    ("aerr", DENSE, "--solver aerr --passes 30 --validation 0"),
    ("aelr", DENSE, "--solver aelr --passes 30 --validation 0"),
    ("ogd-ridge", DENSE, "--solver ogd-ridge --passes 8"),
    ("eg-lasso", DENSE, "--solver eg-lasso --passes 8"),
    ("rda-ito", DENSE, "--solver rda-ito -s 8 --budget 200 --passes 4"),
    ("dantzig", DENSE, "--solver dantzig -s 8 --budget 200"),
    ("ssr", DENSE, "--solver ssr --passes 4"),
]
# Their updates are short, and to write each of them takes minutes.
SHORT = ("ssr", "prox-sgd", "aerr", "aelr", "rda-ito", "ogd-ridge", "eg-lasso", "oomp")
KILLS = ["rank", "launcher", "all", "term", "usr1"]


class Failure(Exception):
    """What the program did wrong, in one line."""


class Torture:
    def __init__(self, args):
        self.args = args
        self.out = os.path.abspath(args.out)
        self.program = os.path.abspath(args.thresher)
        self.shm = f"/dev/shm/thresher-torture-{os.getpid()}"
        os.makedirs(self.shm, exist_ok=True)
        self.known = {}  # run: seconds it takes undisturbed
        self.counts = {}
        self.env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                        OMPI_MCA_btl_vader_backing_directory=self.shm)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def path(self, name):
        return os.path.join(self.out, name)

    # ---- runs

    def start(self, ranks, words, **more):
        """Start the program on some ranks, 0: without a launcher."""
        command = [self.program] + words
        if ranks > 0:
            command = ["sh", os.path.join(JOBS, "launch.sh"), str(ranks)] + command
        return subprocess.Popen(command, cwd=self.out, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True, **more)

    def end(self, process, words):
        """Wait for it: its status, and what it printed on standard error."""
        try:
            err = process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            self.strike("all", process, None)
            process.communicate()
            raise Failure("hangs: thresher " + " ".join(words)) from None
        return process.returncode, err.decode(errors="replace")

    def end_struck(self, process, words):
        """The same after a strike. Open MPI's mpirun may wait for itself for ever, with all
        ranks gone, if one was killed while it started: such a launcher is ended and counted."""
        for _ in range(LIMIT // ALONE):
            began = time.monotonic()
            while process.poll() is None and not self.ranks_of(process.pid):
                if time.monotonic() > began + ALONE:
                    self.count("launchers of Open MPI that stayed after their ranks")
                    process.kill()
                    break
                time.sleep(0.1)
            try:
                err = process.communicate(timeout=ALONE)[1]
                return process.returncode, err.decode(errors="replace")
            except subprocess.TimeoutExpired:
                pass
        return self.end(process, words)

    def run(self, ranks, words, **more):
        return self.end(self.start(ranks, words, **more), words)

    def must(self, words):
        status, err = self.run(0, words)
        if status != 0:
            raise Failure(f"status {status}: thresher {' '.join(words)}: {err.strip()}")

    def prepare(self):
        os.makedirs(self.out, exist_ok=True)
        for old in os.listdir(self.out):
            old = self.path(old)
            if os.path.isdir(old):
                shutil.rmtree(old)
            else:
                os.remove(old)
        size = ["--examples", "6000", "--attributes", "1200", "--support", "8"]
        small = ["--examples", "400", "--attributes", "90", "--support", "4", "--row-group", "64"]
        for shards in 1, 5:
            more = ["--shards", str(shards), "-q"]
            self.must(["generate", "murata", "-o", f"dense{shards}.h5"] + size + more)
            self.must(["generate", "sparse", "-o", f"signs{shards}.h5", "--density", "0.05",
                       "--test", "0"] + size + more)
        self.must(["generate", "murata", "-o", "small.h5", "--shards", "2", "-q"] + small)
        self.must(["generate", "sparse", "-o", "thin.h5", "--shards", "2", "-q", "--density", "0.1"]
                  + small)

    # ---- kills

    def reference(self, name, data, options):
        if name not in self.known:
            began = time.monotonic()
            self.must(["train", f"{data}1.h5", "-o", f"ref-{name}.h5", "-q"] + options)
            self.known[name] = time.monotonic() - began
        return self.known[name]

    def ranks_of(self, session):
        """The processes of a session that run the program."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.getsid(int(name)) == session and \
                        os.readlink(f"/proc/{name}/exe") == self.program:
                    found.append(int(name))
            except OSError:
                pass
        return found

    def strike(self, how, process, dice):
        ranks = self.ranks_of(process.pid)
        try:
            if how == "all":
                os.killpg(process.pid, signal.SIGKILL)
                for rank in ranks:
                    os.kill(rank, signal.SIGKILL)
            elif how == "rank" and ranks:
                os.kill(dice.choice(ranks), signal.SIGKILL)
            elif how == "term":
                process.terminate()
            elif how == "usr1" and ranks:
                process.send_signal(signal.SIGUSR1)
            else:
                process.kill()
        except ProcessLookupError:
            pass
        return how

    def settle(self, session):
        """All ranks have to end after their launcher."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            ranks = self.ranks_of(session)
            if not ranks:
                return
            time.sleep(0.1)
        for rank in ranks:
            os.kill(rank, signal.SIGKILL)
        raise Failure(f"ranks live on {LIMIT} seconds after their launcher")

    def manifests(self):
        kept = self.path("kept")
        return {name for name in (os.listdir(kept) if os.path.exists(kept) else [])
                if name.endswith(".manifest")}

    def await_checkpoint(self, process, before):
        """Until there is another checkpoint: some are there only just before the model."""
        while process.poll() is None and not self.manifests() - before:
            time.sleep(0.001)

    def layout(self, dice, data):
        words = [f"{data}{dice.choice('15')}.h5"]
        words += dice.choice([[], ["--memory", "1M"], ["--memory", "8M"], ["--no-prefetch"],
                              ["--no-map"]])
        return words

    def kill(self, dice, number):
        name, data, text = RUNS[number % len(RUNS)]
        options = text.split()
        seconds = self.reference(name, data, options)
        shutil.rmtree(self.path("kept"), ignore_errors=True)
        done = ["-o", "killed.h5", "--checkpoint", "kept", "--telemetry", "killed.jsonl", "--force",
                "-q", "--checkpoint-every", dice.choice(["40u", "1"] if name in SHORT else ["1u", "3u", "1"])] + options
        told = [name]
        status = None
        for _ in range(dice.randrange(1, 4)):
            ranks = dice.randrange(5)
            words = ["train"] + self.layout(dice, data) + done
            before = self.manifests()
            process = self.start(ranks, words)
            moment = dice.random() * (1.3 * seconds * max(1, ranks / 2) + (0.6 if ranks else 0))
            if dice.random() < 0.5:
                time.sleep(moment)
            else:
                self.await_checkpoint(process, before)
            how = self.strike(dice.choice(KILLS), process, dice)
            status, err = self.end_struck(process, words)
            self.settle(process.pid)
            told.append(f"{how} of {ranks}: {status}")
            self.count(f"{name}: {'ended before' if status == 0 else 'killed'}")
            if status in (1, 2) and "thresher: " in err and "interrupted by" not in err:
                raise Failure(f"{told}: {err.strip().splitlines()[-1]}")
            if status == 0:
                break
        if status != 0:
            ranks = dice.randrange(5)
            words = ["train"] + self.layout(dice, data) + [w for w in done if w != "-q"]
            status, err = self.run(ranks, words)
            told.append(f"on {ranks}: {status}")
            if status != 0:
                raise Failure(f"{told}: {err.strip().splitlines()[-1:]}")
            self.count("runs that went on" if "going on" in err else "runs that began anew")
        self.same(f"ref-{name}.h5", "killed.h5", str(told))
        kept = self.path("kept")  # the program removes it if it made it
        left = os.listdir(kept) if os.path.exists(kept) else []
        if left:
            raise Failure(f"{told}: left in the folder: {left}")
        return "; ".join(told)

    def same(self, wanted, made, what):
        if not filecmp.cmp(self.path(wanted), self.path(made), shallow=False):
            raise Failure(f"{what}: other bytes than {wanted}")

    # ---- damage

    def spoil(self, dice, path):
        """Change some bytes of a file. What was done, in words."""
        size = os.path.getsize(path)
        how = dice.choice(["bit", "byte", "block", "zeros", "short", "long"])
        at = dice.randrange(size) if size else 0
        length = 1 if how in ("bit", "byte") else dice.randrange(1, 4097)
        with open(path, "r+b") as file:
            if how == "short":
                file.truncate(at)
                return f"cut at {at}"
            if how == "long":
                file.seek(0, os.SEEK_END)
                file.write(dice.randbytes(length))
                return f"{length} bytes more"
            file.seek(at)
            old = file.read(length)
            if not old:
                return "nothing"
            new = {"bit": lambda: bytes([old[0] ^ 1 << dice.randrange(8)]),
                   "byte": lambda: bytes([(old[0] + dice.randrange(1, 256)) % 256]),
                   "block": lambda: dice.randbytes(len(old)),
                   "zeros": lambda: bytes(len(old))}[how]()
            if new == old:
                return "nothing"
            file.seek(at)
            file.write(new)
        return f"{how} of {len(old)} at {at} of {size}"

    def judge(self, what, words, names, files):
        """A run on damaged files: a line that names one, or the right bytes. files: made,
        wanted."""
        status, err = self.run(0, words)
        lines = [line for line in err.splitlines() if line.startswith("thresher: ")]
        if status == 0:
            if files:
                self.same(files[1], files[0], what)
            return "harmless"
        if status not in (1, 2) or len(lines) != 1:
            raise Failure(f"{what}: status {status}: thresher {' '.join(words)}: {err[-300:]}")
        if not any(name in lines[0] for name in names):
            raise Failure(f"{what}: names no file: {lines[0]}")
        return "found"

    def damage(self, dice, number):
        kind = ("master", "shard", "model", "checkpoint")[number % 4]
        base = dice.choice(["small", "thin"])
        train = ["--solver", "sift", "--budget", "40", "-q", "--force"]
        if base not in self.known:
            self.known[base] = 0
            self.must(["train", f"{base}.h5", "-o", f"ref-{base}.h5"] + train)
            self.must(["predict", f"ref-{base}.h5", f"{base}.h5", "-o", f"ref-{base}.csv", "-q"])
            os.makedirs(self.path(f"kept-{base}"))
            for _ in range(2):
                open(self.path(f"kept-{base}/STOP"), "w", encoding="ascii").close()
                self.run(2, ["train", f"{base}.h5", "-o", "none.h5", "--checkpoint",
                             f"kept-{base}"] + train)
        if kind == "model":
            shutil.copy(self.path(f"ref-{base}.h5"), self.path("bad.h5"))
            told = self.spoil(dice, self.path("bad.h5"))
            checked = self.judge(f"model {base}: {told}", ["inspect", "bad.h5", "--check"],
                                 ["bad.h5"], None)
            if checked == "harmless" and told != "nothing":
                raise Failure(f"model {base}: {told}: inspect --check does not see it")
            words = ["predict", "bad.h5", f"{base}.h5", "-o", "bad.csv", "-q", "--force"]
            end = self.judge(f"model {base}: {told}", words, ["bad.h5"],
                             ("bad.csv", f"ref-{base}.csv"))
        elif kind == "checkpoint":
            shutil.rmtree(self.path("bad"), ignore_errors=True)
            shutil.copytree(self.path(f"kept-{base}"), self.path("bad"))
            file = dice.choice(sorted(os.listdir(self.path("bad"))))
            told = file + ": " + self.spoil(dice, self.path("bad/" + file))
            words = ["train", f"{base}.h5", "-o", "bad.h5", "--checkpoint", "bad"] + train
            end = self.judge(f"checkpoint {base}: {told}", words, ["bad"],
                             ("bad.h5", f"ref-{base}.h5"))
        else:
            end, told = self.damage_data(dice, base, kind, train)
        self.count(f"{kind} {end}")
        return f"{kind} {base}: {told}: {end}"

    def damage_data(self, dice, base, kind, train):
        shutil.rmtree(self.path("bad.shards"), ignore_errors=True)
        shutil.copytree(self.path(f"{base}.shards"), self.path("bad.shards"))
        shutil.copy(self.path(f"{base}.h5"), self.path("bad.h5"))
        # a master names its shards: they have to keep that folder
        real = self.path(f"{base}.h5")
        aside = self.path("aside.h5")
        shards = self.path(f"{base}.shards")
        os.rename(real, aside)
        os.rename(shards, self.path("aside.shards"))
        try:
            os.rename(self.path("bad.h5"), real)
            os.rename(self.path("bad.shards"), shards)
            file = real if kind == "master" else \
                os.path.join(shards, dice.choice(sorted(os.listdir(shards))))
            told = os.path.basename(file) + ": " + self.spoil(dice, file)
            names = [os.path.basename(file), f"{base}.h5", f"{base}.shards"]
            checked = self.judge(f"{base} {told}", ["inspect", f"{base}.h5", "--check"], names, None)
            end = self.judge(f"{base} {told}", ["train", f"{base}.h5", "-o", "trained.h5"] + train,
                             names, ("trained.h5", f"ref-{base}.h5"))
            if checked == "harmless" and "nothing" not in told:
                raise Failure(f"{base} {told}: inspect --check does not see it")
        finally:
            shutil.rmtree(shards)
            os.rename(aside, real)
            os.rename(self.path("aside.shards"), shards)
        return end, told

    # ---- limits

    def limit(self, dice, _number):
        which, value = dice.choice([
            (resource.RLIMIT_AS, int(10 ** dice.uniform(7, 9.3))),
            (resource.RLIMIT_FSIZE, int(10 ** dice.uniform(2, 6.5))),
            (resource.RLIMIT_NOFILE, dice.randrange(3, 40))])
        name, data, text = dice.choice(RUNS)
        options = text.split()
        self.reference(name, data, options)
        for old in "kept", "limited.h5":
            shutil.rmtree(self.path(old), ignore_errors=True)
            if os.path.exists(self.path(old)):
                os.remove(self.path(old))
        words = ["train", f"{data}5.h5", "-o", "limited.h5", "-q", "--checkpoint", "kept",
                 "--checkpoint-every", "2u"] + options
        told = f"{name}, limit {which} of {value}"
        status, err = self.run(
            0, words, preexec_fn=lambda: resource.setrlimit(which, (value, value)))
        lines = [line for line in err.splitlines() if line.startswith("thresher: ")]
        # where not even the libraries can be loaded, the system says so
        loaded = status != 127 and "error while loading shared libraries" not in err
        if loaded and status != 0 and (status != 1 or len(lines) != 1):
            raise Failure(f"{told}: status {status}: {err[-300:]}")
        self.count("limit: " + ("enough" if status == 0 else "refused"))
        if status != 0:
            if os.path.exists(self.path("limited.h5")):
                raise Failure(f"{told}: a model of a run that failed")
            self.must(words)
        self.same(f"ref-{name}.h5", "limited.h5", told)
        return f"{told}: {status}"

    # ---- all

    def trial(self, number):
        dice = random.Random(f"{self.args.seed}/{number}")
        kinds = [self.kill, self.damage, self.limit]
        kind = getattr(self, self.args.only) if self.args.only else kinds[number % 3]
        nth = number if self.args.only else number // 3
        try:
            told = kind(dice, nth)
            if self.args.verbose:
                print(f"{number} {kind.__name__}: {told}", flush=True)
            self.count(f"{kind.__name__}: right")
            return True
        except Failure as failure:
            print(f"FAILED {number} {kind.__name__}: {failure}", flush=True)
            self.count(f"{kind.__name__}: WRONG")
            return False

    def all(self):
        end = time.monotonic() + 60 * self.args.minutes
        number = self.args.first
        good = True
        try:
            self.prepare()
            while number - self.args.first < self.args.trials and time.monotonic() < end:
                good = self.trial(number) and good
                number += 1
        finally:
            shutil.rmtree(self.shm, ignore_errors=True)
        for what in sorted(self.counts):
            print(f"{self.counts[what]:6d}  {what}")
        print(f"seed {self.args.seed}: {number - self.args.first} trials, "
              f"{'all right' if good else 'NOT all right'}")
        return good


def untried(program):
    """Solvers of the program's table that no run has."""
    told = subprocess.run([program, "solvers", "--json"], capture_output=True, text=True,
                          check=True).stdout
    return sorted({row["name"] for row in json.loads(told)["solvers"]} - {r[0] for r in RUNS})


def main():
    parser = argparse.ArgumentParser(
        prog="torture.sh", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float, metavar="MINUTES")
    parser.add_argument("--seed", default=str(int(time.time())), help="default: the time")
    parser.add_argument("--first", type=int, default=0, metavar="K", help="the first trial")
    parser.add_argument("--trials", type=int, default=1 << 60, metavar="N", help="at most so many")
    parser.add_argument("--only", choices=["kill", "damage", "limit"], help="only these trials")
    parser.add_argument("--out", default="torture", metavar="FOLDER",
                        help="a folder that is emptied and filled; default: torture")
    parser.add_argument("--thresher", default=os.environ.get("THRESHER", "build/release/thresher"),
                        metavar="FILE", help="the program; default: THRESHER, or that of the build")
    parser.add_argument("--verbose", action="store_true", help="print every trial")
    args = parser.parse_args()
    new = untried(args.thresher)
    if new:
        sys.exit(f"torture.py: no run for {', '.join(new)}: RUNS wants a line for each")
    sys.exit(0 if Torture(args).all() else 1)


if __name__ == "__main__":
    main()
