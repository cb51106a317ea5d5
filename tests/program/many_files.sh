#!/usr/bin/env bash
# many_files.sh - import of many files: hardly any is open, compressed or not, whichever
# rank looks at one and whoever reads it; what is wrong is said with its place
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
count=150
long && count=1500

# few N ARGUMENT...: the program where a process may have only some files open
few()
{
  (
    failures=0 # those before are counted
    ulimit -n 64
    must "$@"
    exit "$failures"
  ) || fail "with few files open: thresher ${*:2}"
}

# The examples of whole.csv: in every third file with its columns turned, in every fourth
# one compressed.
mkdir csv svm
"$PYTHON" - "$count" <<'END'
import bz2
import gzip
import random
import sys
random.seed(5)
whole, lines = ["y,a,b,c\n"], []
for k in range(int(sys.argv[1])):
    rows = [[f"{random.gauss(0, 1):.3f}" for _ in "yabc"] for _ in range(1 + k % 5)]
    turned = k % 3 == 2
    order = (3, 1, 0, 2) if turned else (0, 1, 2, 3)
    text = "".join(",".join(row[j] for j in order) + "\n" for row in ["yabc", *rows])
    with (gzip.open if k % 4 == 1 else bz2.open if k % 4 == 3 else open)(
            f"csv/{k:04d}.csv", "wt") as file:
        file.write(("\ufeff" if k % 7 == 0 else "") + text)
    some = "".join(f"{row[0]} 1:{row[1]} 3:{row[2]} 7:{row[3]}\n" for row in rows)
    with (gzip.open if k % 4 == 2 else open)(f"svm/{k:04d}.svm", "wt") as file:
        file.write(some)
    whole += [",".join(row) + "\n" for row in rows]
    lines.append(some)
open("whole.csv", "w").writelines(whole)
open("whole.svm", "w").writelines(lines)
END

for format in csv svm; do
  target=()
  [ $format = svm ] || target=(--target y)
  mkdir "of_one.$format"
  must 0 import whole.$format -o of_one.$format/out.h5 "${target[@]}" --quiet
  for n in 0 2 5; do
    mkdir many
    few $n import $format/*.$format -o many/out.h5 "${target[@]}" --quiet
    diff -r of_one.$format many || fail "$format, $n ranks: other data"
    rm -r many
  done
  mkdir many
  few 2 import $format/*.$format -o many/out.h5 "${target[@]}" --quiet --threads 2
  diff -r of_one.$format many || fail "$format, threads: other data"
  rm -r many
done

# parts with one head, whose columns are found once, with IDs, words and a date; one with another
# end of its first line, one that begins alike and has one column more
PYTHONPATH="$SOURCE/tests/program" "$PYTHON" - <<'END'
import os
from sales_data import HEAD, rows, seed, table
seed(3)
some = [[*r[:6], "2020-01-%02d" % (1 + k % 28), r[6]] for k, r in enumerate(rows(300))]
head = HEAD[:-1] + ["day", "y"]
os.mkdir("same")
table("whole.csv", some, head)
for k in range(0, 300, 25):
    table("same/%03d.csv" % k, some[k:k + 25], head)
text = open("same/050.csv").read().replace("\n", "\r\n", 1)
open("same/050.csv", "w", newline="").write(text)
END
mkdir of_one.same
must 0 import whole.csv -o of_one.same/out.h5 --target y --id id --quiet
for how in "0 --threads 1" "0 --threads 2" "3 --threads 1" "5 --threads 2"; do
  mkdir many
  # shellcheck disable=SC2086
  few ${how%% *} import same -o many/out.h5 --target y --id id --quiet ${how#* }
  diff -r of_one.same many || fail "one head, $how: other data"
  rm -r many
done
few 3 import same -o like.h5 --like of_one.same/out.h5 --quiet
rm like.h5 && rm -r like.shards
sed '1s/y$/y2/' same/075.csv >longer && mv longer same/075.csv
refused 1 'same/075.csv:1' 2 import same -o no.h5 --target y --id id
sed '1s/2$//; 3s/$/,7/' same/075.csv >longer && mv longer same/075.csv
refused 1 'same/075.csv:3:.* found, expected' 3 import same -o no.h5 --target y --id id

# like other data: each file is looked at for its labels, too
few 3 import svm/*.svm -o like.h5 --like of_one.svm/out.h5 --quiet
few 3 import csv/*.csv -o like.h5 --like of_one.csv/out.h5 --quiet --force
sed 's/^[^ ]* //' svm/0000.svm >bare.svm

# what is wrong in the middle is said by all, and nothing is left
middle=$(printf %04d $((count / 2 + 4)))
cp "csv/$middle.csv" kept
bad() # STATUS PATTERN
{
  for n in 0 4; do
    refused "$1" "$2" $n import csv/*.csv -o no.h5 --target y
  done
}
printf 'y,a,b,c\n1,2,3,4\n5,6,x,8\n' >"csv/$middle.csv"
bad 1 "csv/${middle}[.]csv:3:5: "
printf 'a,b,c\n2,3,4\n' >"csv/$middle.csv"
bad 1 "csv/${middle}[.]csv:1:1: "
printf 'y,a,b,d\n2,3,4,5\n' >"csv/$middle.csv"
bad 1 "csv/${middle}[.]csv:1"
printf 'y,a,b,c\n' >"csv/$middle.csv"
bad 1 "csv/${middle}[.]csv:1:1: no example found"
: >"csv/$middle.csv"
bad 1 "csv/${middle}[.]csv:1:1: an empty file found"
head -c 40 csv/0001.csv >"csv/$middle.csv" # cut short
bad 1 "csv/${middle}[.]csv: "
printf 'a\0\0\0\0' >"csv/$middle.csv"
bad 1 "csv/${middle}[.]csv:1"
cp of_one.csv/out.h5 "csv/$middle.csv"
bad 1 "csv/${middle}[.]csv is a data set, not text"
rm "csv/$middle.csv"
mkfifo "csv/$middle.csv"
bad 1 "csv/${middle}[.]csv: nothing writes to this pipe"
rm "csv/$middle.csv"
mkdir "csv/$middle.csv"
bad 1 "csv/${middle}[.]csv: a folder without files to import"
rmdir "csv/$middle.csv"
for n in 0 3; do
  refused 1 "csv/${middle}[.]csv: No such file" $n import csv/000?.csv "csv/$middle.csv" -o no.h5 \
    --target y
done
cp kept "csv/$middle.csv"
for n in 0 3; do
  refused 1 'bare[.]svm' $n import svm/*.svm bare.svm -o no.h5 --like of_one.svm/out.h5
done
finish
