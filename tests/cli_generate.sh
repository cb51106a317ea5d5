#!/usr/bin/env bash
# cli_generate.sh - generated data: the same bytes for any number of ranks, the
# same content for any number of shards, the values that the families promise
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/lib.sh"
rm -rf ./*

tried="0 3"
! long || tried="0 1 2 3 4"

sums()
{
  (cd "$1" && find . -type f | sort | xargs sha256sum)
}

fingerprint()
{
  ranks 0 inspect "$1" --json >inspect.json
  key inspect.json fingerprint
}

check_family()
{
  local name=$1 n
  shift
  for n in $tried; do
    mkdir -p $name.$n
    must $n generate $name -o $name.$n/x.h5 --examples 2000 --attributes 1500 \
      --test 0.2 --shards 4 --seed 5 "$@"
    [ "$(sums $name.0)" = "$(sums $name.$n)" ] ||
      fail "$name: $n ranks give other bytes"
  done
  must 2 generate $name -o $name.h5 --examples 2000 --attributes 1500 \
    --test 0.2 --shards 1 --seed 5 "$@"
  [ "$(fingerprint $name.h5)" = "$(fingerprint $name.0/x.h5)" ] ||
    fail "$name: the fingerprint depends on the shards"
  must 2 generate $name -o other.h5 --examples 2000 --attributes 1500 \
    --test 0.2 --seed 6 --force "$@"
  [ "$(fingerprint $name.h5)" != "$(fingerprint other.h5)" ] ||
    fail "$name: another seed, the same data"
  must 2 inspect $name.0/x.h5 --check
}
check_family murata
check_family toeplitz --correlation 0.9
check_family sparse --density 0.02
check_family sparse --density 0.02 --type u8 --force
check_family kukliansky --alpha -0.7
check_family kukliansky --task lasso --type u2 --force

ranks 0 inspect murata.h5 --json >inspect.json
compare "training" "$(key inspect.json training)" == 1600
compare "family" "$(key inspect.json truth.family)" == '"murata"'
compare "true attributes" "len($(key inspect.json truth.support))" == 25

refused 1 'murata.h5' 2 generate murata -o murata.h5 --examples 9 --attributes 9
refused 1 'cannot be stored as u8' 2 generate murata -o no.h5 --examples 90 \
  --attributes 9 --type u8
refused 1 'nowhere' 2 generate murata -o nowhere/no.h5 --examples 9 \
  --attributes 9

if "$PYTHON" -c 'import h5py' 2>/dev/null; then
  "$PYTHON" - <<'END' || fail "the matrix is not what the family promises"
import h5py, numpy
with h5py.File("toeplitz.h5") as f:
    x, y, row = f["X"][:].astype(float), f["y"][:], f["row"][:]
assert x.shape == (1500, 2000) and (row == numpy.arange(2000)).all()
assert abs(x.mean()) < 0.02 and abs(x.var() - 1) < 0.03
for lag, wanted in (1, 0.9), (2, 0.81), (5, 0.59049):
    found = (x[lag:] * x[:-lag]).mean()
    assert abs(found - wanted) < 0.03, (lag, found)
coef = numpy.r_[numpy.ones(13), -numpy.ones(12)]
noise = y - coef @ x[:25]
assert abs(noise.var() - 1) < 0.2, noise.var()
END
else
  left_out "the values: no h5py"
fi
finish
