#!/usr/bin/env bash
# quoted.sh - scripts work in a checkout, with a program and on data whose paths have
# blanks and quotes, and load nothing from the folder that they are typed in
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
checkout="$PWD/it's a \"checkout\" \$HOME"
mkdir -p "$checkout/build" work
(cd "$SOURCE" && find . -name .git -prune -o -path ./build -prune -o -type f -print0 |
  tar -c --null -T -) | tar -x -C "$checkout"
ln -s "$BUILD" "$checkout/build/release"
own=$checkout/build/release/thresher
cd work
for name in json csv math statistics h5py numpy; do
  echo 'raise SystemExit("foreign")' >$name.py
done
echo 'stop("foreign")' >.Rprofile
echo 'exit error "foreign"' >.gnuplot

# works COMMAND...: without a program of the environment's
works()
{
  env -u THRESHER timeout -k 5 "$LIMIT" "$@" >../out 2>../err ||
    fail "$*: $(tail -n 3 ../err)"
  if grep -E "foreign|not found|No such file|unexpected|syntax error" ../out ../err; then
    fail "$*: says the above"
  fi
}

for script in "$checkout"/jobs/*.sh "$checkout/jobs/cost_model.py"; do
  case $script in
  *.py) works "$PYTHON" "$script" --help ;;
  *) grep -q '^ *-h | --help)' "$script" && works bash "$script" --help ;;
  esac
done
works sh "$checkout/jobs/launch.sh" 2 "$own" --version
works "$own" generate murata -o "it's mine.h5" --examples 600 --attributes 30 --test 0.2 -q
works "$own" train "it's mine.h5" -o "it's.model.h5" --report "it's.json" -q
works bash "$checkout/jobs/complexity.sh" --seeds 1 --attributes "4" --designs orthogonal \
  --out "it's complex"
works bash "$checkout/jobs/weak_scaling.sh" --ranks 1 --repeats 1 --attributes 300 \
  --examples 600 --budget 50 --out "it's weak"
works sh -c "$(cat "it's weak/ranks-1/run-1/command")"
works "$PYTHON" "$checkout/jobs/cost_model.py" --latency 1.5 --bandwidth 12 --out "it's model"
works bash "$checkout/jobs/compare.sh" "it's mine.h5" --solvers "sift lasso" --quick \
  --seeds 1 --points 1 --no-peers --out "it's compared"
if command -v gnuplot >../gnuplot; then
  for picture in "it's complex/complexity.png" "it's model/cost_model.png" \
    "it's compared/summary.png"; do
    is_picture "$picture"
  done
fi

# the rules for the source, as tests call them
cd ..
for rule in layering functions headers pages elementary; do
  SOURCE=$checkout sh "$checkout/tests/project/$rule.sh" >rule.out 2>&1 ||
    fail "$rule.sh: $(tail -n 3 rule.out)"
done
for rule in names papers arguments; do
  "$PYTHON" "$checkout/tests/project/$rule.py" "$checkout" >rule.out 2>&1 ||
    fail "$rule.py: $(tail -n 3 rule.out)"
done
bash -c '. "$1/tests/support/lib.sh" && pages' lib "$checkout" >rule.out || fail "lib.sh"
rm -rf "$checkout"
finish
