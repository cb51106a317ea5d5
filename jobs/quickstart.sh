#!/bin/sh
# quickstart.sh [FOLDER] - from a fresh machine to a trained, tested model
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds, generates the problem of Murata and Suzuki
# (2018, section 6), trains on two ranks, evaluates on held-out examples. All
# output goes to FOLDER, by default build/quickstart.
set -eu
case ${1:-} in
-*)
  echo "quickstart.sh: wanted: sh jobs/quickstart.sh [FOLDER]" >&2
  exit 2
  ;;
esac
cd "$(dirname "$0")/.."
out=${1:-build/quickstart}
ranks=${THRESHER_RANKS:-2}
thresher=build/release/thresher

say()
{
  printf '\n== %s\n' "$*"
}
# Show a command, then run it on all ranks.
run()
{
  printf '$ sh jobs/launch.sh %s %s\n' "$ranks" "$*"
  sh jobs/launch.sh "$ranks" "$@"
}

say "What is needed"
sh jobs/packages.sh build
say "Building $thresher"
cmake --preset release -DTHRESHER_TESTS=OFF
cmake --build --preset release --target thresher
mkdir -p "$out"

say "100,000 examples of 500 attributes, 25 of which matter; a tenth held out"
run "$thresher" generate murata -o "$out/murata.h5" --examples 100000 \
  --attributes 500 --test 0.1 --force

say "Training: at most 50 of the 500 attributes of an example are looked at"
run "$thresher" train "$out/murata.h5" -o "$out/model.h5" --budget 50 --force

say "How good it is on the held-out examples (the noise alone has mse 1)"
run "$thresher" evaluate "$out/model.h5" "$out/murata.h5"

say "The support found, and the ledger of what was observed"
"$thresher" inspect "$out/model.h5"

cat <<END

== What to try next
The data and the model are in $out. With a file of your own,
LIBSVM text or CSV, also .gz, .bz2 or .xz:

  export PATH="$PWD/build/release:\$PATH"
  thresher import mine.svm -o mine.h5 --test 0.1
  sh jobs/launch.sh $ranks thresher train mine.h5 -o mine-model.h5
  thresher evaluate mine-model.h5 mine.h5
  thresher predict mine-model.h5 mine.h5 -o mine-predictions.csv
  thresher inspect mine-model.h5 --json

  thresher --help           all commands
  thresher solvers          what can train
  sh tests/run.sh           all tests
END
