#!/usr/bin/env bash
# cli_limits.sh - limits of the process on files and memory: one line, and
# nothing is left
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/lib.sh"
rm -rf ./*

must 0 generate toeplitz -o data.h5 --examples 3000 --attributes 300 \
  --support 5 --seed 2
must 0 train data.h5 -o model.h5 --budget 50
"$PYTHON" - <<'END'
with open("text.csv", "w") as f:
    for i in range(6000):
        f.write(",".join(str((i * k) % 97) for k in range(1, 12)) + "\n")
END

# limited KB PATTERN ARGUMENT...: refused where files may have so many KB.
limited()
{
  local most=$1 pattern=$2 rc=0 before after
  shift 2
  before=$(names_below .)
  (
    ulimit -f "$most"
    exec timeout -k 5 100 "$THRESHER" "$@" --quiet
  ) 2>&1 | cat >"$TMPDIR/limited" || rc=${PIPESTATUS[0]}
  after=$(names_below .)
  [ "$rc" -eq 1 ] || fail "status $rc with ulimit -f $most: thresher $*"
  [ "$(wc -l <"$TMPDIR/limited")" -eq 1 ] &&
    grep -q "^thresher: .*$pattern" "$TMPDIR/limited" || {
    fail "wanted one line with '$pattern', ulimit -f $most: thresher $*"
    cat "$TMPDIR/limited" >&2
  }
  [ "$before" = "$after" ] || fail "names left, ulimit -f $most: thresher $*"
}
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -r "$TMPDIR"' EXIT

space='no space left (needs about .* raise ulimit -f)'
for most in 1 4 20 100; do
  limited $most "$space" generate toeplitz -n 2000 -d 300 -o new.h5
  limited $most "$space" generate sparse -n 2000 -d 3000 --density 0.2 -o new.h5
  limited $most "$space" import text.csv --target 11 -o new.h5
  limited $most "$space" import text.csv --target 11 -o new.h5 --layout sparse
done
for most in 1 4; do
  limited $most "$space" train data.h5 -o new.h5 --solver lasso
  limited $most 'new.csv: File too large' predict model.h5 data.h5 -o new.csv
  limited $most 'new.jsonl' train data.h5 -o new.h5 --telemetry new.jsonl \
    --solver saga --epochs 300 --tolerance 1e-12
done
finish
