#!/usr/bin/env bash
# typed.sh - the commands of a page, typed in a folder by a reader of README.md; to be sourced
# behind lib.sh
# SPDX-License-Identifier: MIT

# Readers' data are made by them.
if ! "$PYTHON" -c 'import h5py, scipy.sparse' 2>/dev/null; then
  echo "skipped: $PYTHON has no h5py or SciPy"
  exit 77
fi

# Digits are those of one version of SLEEF, the first that README.md names.
exactness=
"$THRESHER" bench self | saw "$(grep -oE 'arithmetic [0-9a-f]{16}' "$SOURCE/README.md" |
  head -n 1)" || exactness=roughly

# typed PAGE HEADING [PATTERN]: the commands below it that match, in a folder where
# the program was built, and in a shell that knows what README.md says. What they print
# is what the page prints.
typed()
{
  mkdir -p typed/build
  ln -sfn "$SOURCE/jobs" typed/jobs
  ln -sfn "$BUILD" typed/build/release
  readme_commands README.md '## Two commands' | grep -E '^(export|[.]) ' >typed/commands
  readme_commands "$1" "$2" | grep -E "${3:-.}" >typed/these ||
    fail "no commands: $1, $2"
  while read -r line; do # what is typed, and what comes of it
    printf "cat <<'TYPED'\n$ %s\nTYPED\n%s\n" "$line" "$line"
  done <typed/these >>typed/commands
  (cd typed && env -i HOME="$HOME" PATH="$PATH" THRESHER_CROWDED=yes \
    timeout -k 5 "$LIMIT" sh -e commands) >typed.out 2>&1 || {
    fail "as printed: $*"
    tail -n 5 typed.out >&2
  }
  "$PYTHON" "$SOURCE/tests/program/readme_output.py" "$SOURCE/$1" typed.out \
    ${THRESHER_UPDATE:+update} $exactness || fail "$1 prints something else"
  echo "$(wc -l <typed/these) commands: $1, $2"
}
