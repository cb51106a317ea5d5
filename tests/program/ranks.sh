#!/usr/bin/env bash
# ranks.sh - ranks that were started otherwise, or that see other files
# under the same names, end the run in one line; each rank in turn is the odd one
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# Rank $ODD runs $ODD_PROGRAM in $ODD_FOLDER, with $ODD_MORE behind its
# arguments: what differs between the machines of a job.
export REAL=$THRESHER ODD ODD_FOLDER ODD_MORE ODD_PROGRAM
THRESHER=$PWD/odd.sh
cat >odd.sh <<'END'
#!/bin/sh
if [ "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-0}}" = "$ODD" ]; then
  cd "${ODD_FOLDER:-.}" || exit 1
  exec "${ODD_PROGRAM:-$REAL}" "$@" $ODD_MORE
fi
exec "$REAL" "$@"
END
chmod +x odd.sh

# The lowest rank that is not like rank 0.
named()
{
  if [ "$ODD" -eq 0 ]; then echo 1; else echo "$ODD"; fi
}

# every N FUNCTION: on N ranks, with each of them the odd one.
every()
{
  for ((ODD = 0; ODD < $1; ODD++)); do
    "$2" "$1"
  done
  ODD=
}

# ---- other programs and arguments ----
other_arguments()
{
  local given="was given --seed, where the arguments of rank 0 end"
  [ "$ODD" -ne 0 ] || given="was given nothing, where rank 0 was given --seed"
  ODD_MORE="--seed 7" refused 2 "rank $(named) $given" "$1" \
    generate murata -o never.h5 --examples 100 --attributes 10
}
other_build()
{
  ODD_PROGRAM=$PWD/other refused 1 "rank $(named) runs another build" "$1" \
    solvers
}
cp "$REAL" other
printf ' ' >>other
every 3 other_arguments
ODD=1 other_build 2
# Another value, and another command altogether: as the MPI standard has it.
mixed()
{
  local rc=0
  timeout -k 5 "$LIMIT" mpirun -n 1 "$REAL" "${one[@]}" : -n 2 "$REAL" "$@" \
    >mixed.out 2>mixed.err || rc=$?
  [ "$rc" -eq 2 ] || fail "status $rc of ${one[*]} beside $*"
  [ "$(grep -c '^thresher: ' mixed.err)" -eq 1 ] &&
    grep -q "^thresher: rank 1 was given $wanted; start every" mixed.err ||
    { fail "${one[*]} beside $*" && cat mixed.err >&2; }
  [ ! -e never.h5 ] || fail "a file of ranks that differ"
}
one=(generate murata -o never.h5 --examples 100 --attributes 10 --seed 1)
if timeout -k 5 "$LIMIT" mpirun -n 1 "$REAL" solvers : -n 1 "$REAL" solvers \
  >mixed.out 2>&1; then
  wanted='2, where rank 0 was given 1'
  mixed "${one[@]:0:8}" --seed 2
  wanted='solvers, where rank 0 was given generate'
  mixed solvers
else # 5.0.7 of Debian 13 ends with a segmentation fault of its own
  left_out "ranks of two command lines: this mpirun cannot start them"
fi

# ---- other data under the same name ----
mkdir here there
make_data() # FOLDER SEED MORE...
{
  must 0 generate murata -o "$1/data.h5" --examples 600 --attributes 300 \
    --support 5 --test 0.1 --row-group 64 --shards 2 --seed "$2"
}
make_data here 1
make_data there 2
mkdir resealed
cp -r here/data.h5 here/data.shards resealed
"$PYTHON" - <<'END'
import h5py
# Targets of another data set, whose checksums are right, under the old name.
with h5py.File("resealed/data.h5", "r+") as to, h5py.File("there/data.h5") as f:
    for name in "y", "group/checksum_y":
        to[name][:] = f[name][:]
        to[name].attrs["checksum"] = f[name].attrs["checksum"]
END
must 0 train here/data.h5 -o here/model.h5 --budget 60
cd here
stale()
{
  ODD_FOLDER=$folder refused 1 \
    "rank $(named): data[.]h5 is not the file that rank 0 reads" "$1" \
    train data.h5 -o never.h5 --budget 60
}
folder=../there
every 3 stale
folder=../resealed
ODD=1 stale 2
ODD=1 ODD_FOLDER=$folder refused 1 'is not the file that rank 0 reads' 2 \
  evaluate model.h5 data.h5
# An old shard alone.
rm -r ../resealed/data.h5 ../resealed/data.shards/00001.h5
cp data.h5 ../resealed
cp ../there/data.shards/00001.h5 ../resealed/data.shards
ODD=1 ODD_FOLDER=../resealed refused 1 \
  'rank 1: shard data.shards/00001[.]h5: not the one that data[.]h5' 2 \
  train data.h5 -o never.h5 --budget 60
cd ..

# Targets in memory that ranks of a node share, and targets that are read row
# group by row group.
for n in 20000 1100000; do
  for folder in here there; do
    must 0 generate murata -o $folder/many.h5 --examples $n --attributes 2 \
      --support 1 --seed ${#folder} --force
  done
  cd here
  ODD=1 ODD_FOLDER=../there refused 1 'rank 1: many[.]h5 is not the file' 2 \
    train many.h5 -o never.h5 --memory 1M
  cd ..
done

# ---- other text under the same name, of the same length ----
for folder in here there; do
  awk -v seed=${#folder} 'BEGIN { srand(seed); print "a,b,y"
    for (i = 0; i < 5000; i++) print int(10 * rand()) "," int(10 * rand()) \
      "," int(10 * rand()) }' >$folder/text.csv
done
cd here
ODD=1 ODD_FOLDER=../there refused 1 \
  'rank 1: text[.]csv: other text here than on rank 0' 2 \
  import text.csv -o "$PWD/never.h5"
cd ..

# ---- files that rank 0 reads for all ----
rm -r there/*
cp -r here/data.h5 here/data.shards there
cp here/model.h5 here/start.h5
must 0 train here/data.h5 -o there/start.h5 --budget 60 --seed 9 -s 2
printf '[run]\nseed = 3\n' >here/deck.ini
printf '[run]\nseed = 4\n' >there/deck.ini
printf '0-99\n100-299\n' >here/groups.txt
printf '0-199\n200-299\n' >there/groups.txt
cd here
job=(train data.h5 -o model.h5 --force --deck deck.ini)
started=("${job[@]}" --solver exploitation --start start.h5 --budget 60
  --telemetry steps.jsonl --reference start.h5)
grouped=("${job[@]}" --solver lasso --penalty group --groups groups.txt)
for name in started grouped; do
  declare -n arguments=$name
  ODD=
  must 2 "${arguments[@]}" && cp model.h5 ../expected.h5
  # what rank 1 would have made of its own files
  (cd ../there && must 0 "${arguments[@]}")
  ! cmp -s ../there/model.h5 ../expected.h5 || fail "$name: nothing differs"
  ODD=1 ODD_FOLDER=../there must 2 "${arguments[@]}" &&
    cmp model.h5 ../expected.h5 || fail "$name: files of rank 1 count"
done
finish
