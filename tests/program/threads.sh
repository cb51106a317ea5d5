#!/usr/bin/env bash
# threads.sh - threads of import and generate: the same bytes for any number of
# them, and no more memory than --memory says
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

sums()
{
  (cd "$1" && find . -type f | sort | xargs sha256sum)
}

# same COMMAND ARGUMENT...: the same bytes on 1, 2 and 5 threads, and on two ranks
# of 2 threads.
same()
{
  local how
  for how in "0 1" "0 2" "0 5" "2 2"; do
    rm -rf now
    mkdir now
    must "${how% *}" "$@" -o now/x.h5 --threads "${how#* }" --quiet || return 0
    [ "$how" != "0 1" ] || { rm -rf one && cp -r now one; }
    [ "$(sums one)" = "$(sums now)" ] ||
      fail "$*: other bytes on ${how% *} ranks of ${how#* } threads"
  done
}

# peak THREADS: memory of an import with 16M, in KB
peak()
{
  "$PYTHON" - "$1" <<'END'
import os, resource, subprocess, sys
subprocess.run([os.environ["THRESHER"], "import", "many.csv", "-o", "out.h5", "--force",
                "--quiet", "--target", "1", "--memory", "16M", "--threads", sys.argv[1]],
               check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

# More records than two threads may hold, which is as many as 16M has room for
awk 'BEGIN {
  for (k = 0; k < 1000; k++)
    line = line "," k % 10
  for (i = 0; i < 3000; i++)
    print i % 7 line
}' >many.csv
same import many.csv --target 1 --memory 16M
same import many.csv --target 1

# 4 MB for each of 64 threads would be 250 MB
few=$(peak 2)
many=$(peak 64)
compare "64 threads with 16M, KB more than two" $((many - few)) '<' 50000

# Several shards on several threads of several ranks
same generate murata --examples 9000 --attributes 700 --shards 3
same generate toeplitz --correlation 0.9 --examples 9000 --attributes 900 --test 0.2
same generate sparse --density 0.02 --examples 5000 --attributes 3000 --shards 4
same generate kukliansky --alpha -0.7 --examples 9000 --attributes 300 --type u2
same generate genotypes --examples 9000 --attributes 700 --shards 2
for n in 1 5; do # what fails first does not depend on the threads
  refused 1 'example 0, attribute 0: ' 0 generate murata -o no.h5 --examples 9000 \
    --attributes 900 --type u8 --threads $n
done
finish
