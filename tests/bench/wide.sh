#!/usr/bin/env bash
# wide.sh [FOLDER] - a million attributes: memory, time and bytes of a run
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/bench.sh"

must "$RANKS" generate murata -o wide.h5 --examples 1000 --attributes 1000000 \
  --support 50 --seed 1 --force
bytes=$(du -sbc wide.h5 wide.shards | tail -n 1 | cut -f 1)
learn wide 1 wide.h5 --select truth --budget 20000
echo "report of the run:"
cat wide.1.run.json
compare "bytes read / bytes of the data set" \
  "$(key wide.1.run.json bytes_read) / $bytes" '<=' 1e9
remove wide.h5
finish
