#!/bin/sh
# scripts.sh - every script parses, by the shell that its first line names, and
# those of jobs/ run by any sh, or say in one line how they want to be run
# SPDX-License-Identifier: MIT
set -eu
cd "${SOURCE:-.}"
bad=0
count=0
for script in .ci/run .ci/*.sh jobs/*.sh jobs/*.sbatch tests/*.sh tests/*/*.sh; do
  [ -f "$script" ] || continue
  count=$((count + 1))
  case $(sed -n '1p' "$script") in
  '#!/bin/sh') sh -n "$script" || bad=1 ;;
  '#!/usr/bin/env bash' | '#!/bin/bash') bash -n "$script" || bad=1 ;;
  *)
    echo "$script: its first line names neither sh nor bash"
    bad=1
    ;;
  esac
  if ! grep -q 'SPDX-License-Identifier: MIT' "$script"; then
    echo "$script: no SPDX line"
    bad=1
  fi
done
[ "$count" -ge 5 ] || bad=1

for script in jobs/*.sh; do
  status=0
  words=$(sh "$script" --help 2>&1) || status=$?
  case $status:$(echo "$words" | wc -l):$words in
  0:*) ;;
  "2:1:$(basename "$script"): "*) ;;
  *)
    echo "sh $script --help: status $status: $words"
    bad=1
    ;;
  esac
done
# Version 5 of Open MPI does not know it; jobs/env.sh says it to older ones.
if grep -nE 'mpirun (-q|--quiet)' jobs/* tests/*.sh tests/*/*.sh README.md \
  jobs/README.md mpi/README.md; then
  echo "mpirun is quieted in jobs/env.sh: sh jobs/launch.sh"
  bad=1
fi
# From the first %% behind its last argument on, gnuplot's sprintf cuts what does not
# fit: a command loses its end where the path in it has the wrong length.
if grep -n '%%' jobs/*.gp; then
  echo "no %% in a sprintf of gnuplot's: let awk print as it does"
  bad=1
fi
# A limit of a test is for hangs, and the same for all: LIMIT of tests/support/lib.sh. One
# that suits a machine that is alone is reached on a busy one.
if find tests/program tests/files tests/project -name '*.sh' ! -name 'slurm_*' -exec \
  grep -nE '(^|[^_])(LIMIT=[0-9]|timeout -k [0-9]+ [0-9])' /dev/null {} +; then
  echo "a limit of its own: leave it to LIMIT of tests/support/lib.sh"
  bad=1
fi
if grep -nE "TIMEOUT +[0-9]" tests/*/CMakeLists.txt; then
  echo "a limit of its own: those of tests/CMakeLists.txt are for all"
  bad=1
fi
echo "$count scripts"
exit "$bad"
