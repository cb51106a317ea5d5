#!/usr/bin/env bash
# parts.sh [FOLDER] [PARTS] [KB] - import of many part files beside one file of the same
# content: seconds of the processor, user and system, on one thread, as plain LIBSVM text, as
# CSV with a header in each part, of 61 and of 1,001 columns, and as gzip. Wanted: at most 1.2
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"
# its idle threads would count
export OPENBLAS_NUM_THREADS=1
parts=${2:-2000}
kilobytes=${3:-1000}

# The parts of one kind, and the whole.
"$PYTHON" - "$parts" "$kilobytes" <<'END'
import gzip, os, random, shutil, sys
parts, size = int(sys.argv[1]), 1000 * int(sys.argv[2])
random.seed(1)
gauss = lambda: random.gauss(0, 1)
def svm():
    at = sorted(random.sample(range(1, 1001), 40))
    return "%.4f " % gauss() + " ".join("%d:%.4f" % (j, gauss()) for j in at) + "\n"
def csv(columns=61):
    return ",".join("%.5g" % gauss() for _ in range(columns)) + "\n"
def head(columns):
    return ",".join(["y"] + ["c%d" % k for k in range(1, columns)]) + "\n"
for kind, line, top in (("svm", svm, ""), ("csv", csv, head(61)),
                        ("wide.csv", lambda: csv(1001), head(1001))):
    some = [line() for _ in range(2000)]
    shutil.rmtree(kind, ignore_errors=True)
    os.mkdir(kind)
    with open("whole." + kind, "w") as whole:
        whole.write(top)
        for part in range(parts):
            text, first = [], random.randrange(len(some))
            while sum(map(len, text[-1:])) * len(text) < size:
                text.append(some[(first + len(text)) % len(some)])
            text = "".join(text)
            whole.write(text)
            with open("%s/part-%05d.%s" % (kind, part, kind), "w") as f:
                f.write(top + text)
END
rm -rf svm.gz
mkdir svm.gz
gzip -kc whole.svm >whole.svm.gz
for file in svm/*.svm; do gzip -c "$file" >"svm.gz/${file#svm/}.gz"; done

TIMEFORMAT='%U %S'
# processor INPUT OPTION...: seconds of the quickest of three imports
processor()
{
  for _ in 1 2 3; do
    { time must 0 import "$@" -o made.h5 --force --quiet --threads 1 >&2; } 2>&1
    remove made.h5
  done | "$PYTHON" -c 'import sys
print(min(sum(map(float, line.split())) for line in sys.stdin))'
}
for kind in svm csv wide.csv svm.gz; do
  options=()
  [ "${kind%csv}" = $kind ] || options=(--target y)
  one=$(processor whole.$kind "${options[@]}")
  many=$(processor $kind "${options[@]}")
  "$PYTHON" -c "print('$kind: $parts parts of $kilobytes kB %.2f s, one file %.2f s: %.2f times'
      % ($many, $one, $many / $one))"
done
[ "${KEEP:-no}" = yes ] || rm -rf svm csv wide.csv svm.gz whole.*
