#!/usr/bin/env bash
# kill_points.sh KILL_AT.so - a run that is killed before any one of its calls
# that rename, remove, make or flush files leaves the old output or the new one, and
# the next run succeeds and takes away what the killed one has left; the ordinary suite
# takes every fourth of these calls
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
kill_at=$1
rm -rf ./* .[a-z]*

make="murata --examples 300 --attributes 60 --support 5 --shards 2 --row-group 256"
"$PYTHON" - <<'END'
import random
random.seed(5)
for name in "one", "two":
    with open(name + ".svm", "w") as f:
        for i in range(300):
            f.write("%d " % (i % 7) + " ".join(
                "%d:%.5f" % (j, random.random()) for j in range(1 + i % 9, 60, 9))
                + "\n")
END
gzip -k two.svm
must 0 generate $make -o data.h5 --seed 3
solve="--solver hybrid --budget 40 -s 5 --validation 0 -q"

# What is run; it replaces what `before` has made.
declare -A command=(
  [generate]="generate $make -o made.h5 --seed 4"
  [import]="import two.svm -o made.h5 --shards 3"
  [import_gz]="import two.svm.gz -o made.h5 --shards 1"
  [train]="train data.h5 -o model.h5 $solve --report model.json --telemetry model.jsonl"
  [checkpoint]="train data.h5 -o model.h5 $solve --checkpoint kept --checkpoint-every 1u"
)
declare -A before=(
  [generate]="generate $make -o made.h5 --seed 5"
  [import]="import one.svm -o made.h5 --shards 2"
  [import_gz]="import one.svm -o made.h5 --shards 2"
  [train]="train data.h5 -o model.h5 --solver lasso --lambda-ratio 0.3 -q"
  [checkpoint]="train data.h5 -o model.h5 --solver lasso --lambda-ratio 0.3 -q"
)

output_of()
{
  case $1 in train | checkpoint) echo model.h5 ;; *) echo made.h5 ;; esac
}

# content NAME: what it says of itself when every byte is checked, or `none`.
content()
{
  local out
  out=$(output_of "$1")
  if [ ! -e "$out" ]; then
    echo none
  elif ranks 0 inspect "$out" --check --json >told 2>told.err; then
    grep -E '^  "(fingerprint|solver|coefficients)":' told
  else
    echo "unreadable: $(tail -n 1 told.err)"
  fi
}

names()
{
  find . \( -name '*made*' -o -name '*model*' -o -path './kept/*' \) | sort
}

clear()
{
  rm -rf made* model* kept .made* .model* .thresher*
}

# begin NAME KIND: KIND new: nothing is there; old: something is replaced.
begin()
{
  clear
  [ "$2" = new ] || must 0 ${before[$1]}
}

# points NAME KIND: all kill points of that command.
points()
{
  local name=$1 kind=$2 force='' old new n k now
  begin "$name" "$kind"
  [ "$kind" = new ] || force=--force
  old=$(content "$name")
  rm -f calls
  KILL_COUNT=$PWD/calls LD_PRELOAD=$kill_at must 0 ${command[$name]} $force
  new=$(content "$name")
  names >wanted
  n=$(wc -l <calls)
  [ "$old" != "$new" ] || fail "$name: old and new cannot be told apart"
  [ "$n" -ge 5 ] || fail "$name: only $n calls"
  for ((k = 1; k <= n; k++)); do
    tried $((k + ${#name} + ${#kind})) 4 || continue
    killed=$((killed + 1))
    begin "$name" "$kind"
    KILL_AT=$k LD_PRELOAD=$kill_at ranks 0 ${command[$name]} $force \
      >/dev/null 2>&1 && fail "$name $kind: call $k of $n was not reached"
    now=$(content "$name")
    if [ "$now" != "$old" ] && [ "$now" != "$new" ]; then
      fail "$name $kind, killed at call $k ($(sed -n "${k}p" calls)): $now"
    fi
    # a run that fails before it writes, and another one that is killed, take nothing
    # that is good with them
    for fails in "" "$((k % 4 + 1))" ""; do
      [ "$kind" = old ] || continue
      KILL_AT=$fails LD_PRELOAD=${fails:+$kill_at} ranks 0 import absent.svm \
        -o "$(output_of "$name")" --force >/dev/null 2>&1 || true
    done
    [ "$(content "$name")" = "$now" ] ||
      fail "$name $kind, killed at call $k: lost by runs that fail: $(content "$name")"
    # the same line again, which may find outputs that are whole
    [ -z "$(find . -name "made.h5" -o -name "model.*")" ] || force=--force
    must 0 ${command[$name]} $force || fail "$name $kind, after call $k: refused"
    [ "$(content "$name")" = "$new" ] || fail "$name $kind, after call $k: another one"
    names | diff wanted - || fail "$name $kind, after call $k ($(sed -n "${k}p" calls))"
    [ "$kind" = old ] || force=
  done
  echo "$name, $kind: $n calls"
}

killed=0
for name in generate import import_gz train checkpoint; do
  for kind in new old; do
    points "$name" "$kind"
  done
done
compare "kills" "$killed" ">=" 55
finish
