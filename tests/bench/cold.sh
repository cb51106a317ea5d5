#!/usr/bin/env bash
# cold.sh [FOLDER] - training on data that the system has not got in memory,
# beside dd, on the same file in turns
# SPDX-License-Identifier: MIT
#
# One rank; 262,144 examples and 4,096 attributes as f32 (4.3 GB), each read once:
# the lasso at nearly the largest lambda. Seconds are those of the whole run. Before
# each turn the system forgets the file. REPEATS (5) turns; the medians are compared.
# A disk behind a network or a host has memory and neighbours of its own, so look at
# the single turns, too.
set -euo pipefail
RANKS=0
. "$(dirname "$0")/bench.sh"
repeats=${REPEATS:-5}
file=cold.shards/00000.h5

forget()
{
  sync "$file"
  dd if="$file" iflag=nocache count=0 status=none
}

# rate FILE BYTES SECONDS: append GB/s
rate() { awk -v b="$2" -v s="$3" 'BEGIN { printf "%.3f\n", b / s / 1e9 }' | tee -a "$1"; }

# median FILE
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

[ -e cold.h5 ] || must 0 generate murata -o cold.h5 --examples 262144 \
  --attributes 4096 --row-group 1024 --shards 1 --seed 1
rm -f dd.txt run.txt
size=$(stat -c %s "$file")
for ((turn = 1; turn <= repeats; turn++)); do
  forget
  begin=$(date +%s.%N)
  dd if="$file" of=/dev/null bs=8M status=none
  printf 'dd        GB/s  '
  rate dd.txt "$size" "$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')"
  forget
  must 0 train cold.h5 -o cold.model.h5 --force --quiet --solver lasso \
    --lambda-ratio 0.9 --report run.json
  printf 'training  GB/s  '
  rate run.txt "$(key run.json bytes_read)" "$(key run.json seconds)"
done
compare "from the disk: training over dd, medians" \
  "$(median run.txt) / $(median dd.txt)" '>=' 0.7
remove cold.h5
finish
