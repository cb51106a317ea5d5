#!/usr/bin/env bash
# manual.sh - each command has a manual page with all sections, which groff formats without a
# warning; it names every variable of the environment that the sources read, and every option;
# the examples of all commands run, one after the other, as they are printed
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

sections="NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES FILES ENVIRONMENT EXIT_STATUS SEE_ALSO"
commands=$("$THRESHER" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 13 ] || fail "commands: $commands"
mkdir pages
for command in $commands; do
  page=pages/thresher-$command.1
  "$THRESHER" --man "$command" >"$page" || fail "--man $command"
  cmp "$page" "$BUILD/src/cli/thresher-$command.1" || fail "$command: the page of the build is an older one"
  # shellcheck disable=SC2046
  [ "$(echo $(sed -n 's/^[.]SH //p' "$page" | tr ' ' _))" = "$sections" ] ||
    fail "sections of $command: $(grep '^.SH' "$page")"
  awk '/^[.]SH/ { if (name != "" && !lines) { print name; bad = 1 } name = $0; lines = 0; next }
    { lines++ } END { exit bad || !lines }' "$page" || fail "$command: a section is empty"
  grep -qE "^thresher\\\\-$command .- [a-z].*[^.]\$" "$page" || fail "$command: the line of its name"
  "$THRESHER" "$command" --help-all >help
  sed -nE 's/^  (-., )?--(\[no-\])?([a-z-]+).*/\3/p' help | sort >options
  tr -d '\\' <"$page" | sed -nE 's/^[.]B (-., )?--(\[no-\])?([a-z-]+).*/\3/p' | sort |
    diff options - >differ || fail "$command: options of help (<), and of the page (>): $(cat differ)"
  [ "$(wc -l <options)" -ge 4 ] || fail "$command: options"
  # what --help-all has as examples is what the page has
  sed -n '/^Examples:/,$s/^    //p' help |
    sed -e ':next' -e '/\\$/{N;s/ \\\n */ /;b next' -e '}' >"$command.lines"
  awk '/^[.]nf/ { inside = 1; next } /^[.]fi/ { inside = 0 } inside' "$page" | sed 's,\\:,,g; s,\\,,g' |
    cmp - "$command.lines" || fail "$command: other examples in the page"
  [ -s "$command.lines" ] || fail "$command has no example"
done
refused 2 'did you mean train' 0 --man trian
refused 2 '--man takes the name of one command' 0 --man train import

if command -v groff >groff; then
  "$THRESHER" --man >pages/thresher.1
  for page in pages/*; do
    groff -man -ww -Tutf8 -P-cbou "$page" >shown 2>warned || fail "$page: groff"
    [ ! -s warned ] || fail "$page: $(cat warned)"
    saw 'EXIT STATUS' <shown || fail "$page: nothing is shown"
  done
else
  left_out "no groff: manual pages were not formatted"
fi

# variables that are read are documented, and those that are documented are read
(cd "$SOURCE" && grep -rhoE '"((THRESHER|SLURM|OMPI|PMIX|PMI)_[A-Z_]+|TMPDIR)"' \
  --include='*.c' src io mpi) | tr -d '"' | sort -u >variables
sed -n '/^[.]SH ENVIRONMENT/,/^[.]SH EXIT/s/^[.]B //p' pages/thresher-*.1 | tr -d ' ' | tr ',' '\n' |
  sort -u >told
diff variables told >differ || fail "variables that are read (<), and told (>): $(cat differ)"
[ "$(wc -l <variables)" -ge 15 ] || fail "variables: $(cat variables)"

# --- the examples, typed by somebody who has the files that they are about
mkdir typed
"$PYTHON" - <<'END'
import random
random.seed(7)
def table(path, n, priced):
    with open(path, "w") as f:
        f.write("id,street,size,rooms,age" + (",price\n" if priced else "\n"))
        for i in range(n):
            size, rooms, age = random.uniform(30, 200), random.randrange(1, 8), random.randrange(90)
            price = 2000 * size - 500 * age + random.gauss(0, 9000)
            f.write("h%d,%d Main St,%.1f,%d,%d" % (i, i, size, rooms, age) +
                    (",%.0f\n" % price if priced else "\n"))
table("typed/houses.csv", 400, True)
table("typed/new.csv", 5, False)
with open("typed/mine.svm", "w") as f:
    for i in range(60):
        f.write("%d 1:%d 4:%d\n" % (i % 2, i % 2, i % 3))
END
{
  # shellcheck disable=SC2016 # expanded where it is run
  echo 'PATH=$BUILD:$PATH'
  for command in $commands; do
    while read -r line; do
      printf "cat <<'LINE'\n\$ %s\nLINE\n%s\n" "$line" "$line"
    done <"$command.lines"
  done
} >lines
(cd typed && set -a && . "$SOURCE/jobs/env.sh" && OPENBLAS_NUM_THREADS=1 THRESHER_CROWDED=yes \
  timeout -k 5 "$LIMIT" bash -e ../lines </dev/null) >typed.out 2>&1 ||
  fail "examples: $(tail -n 4 typed.out)"
[ "$(wc -l <typed/predicted.csv)" -eq 6 ] || fail "predictions of the example"
for file in murata.h5 lasso.h5 long.h5 prices.c report.html both.html run.jsonl; do
  [ -s typed/$file ] || fail "the examples left no $file"
done
[ ! -e typed/large.h5 ] || fail "--dry-run made a model"
echo "$(cat ./*.lines | wc -l) examples"
finish
