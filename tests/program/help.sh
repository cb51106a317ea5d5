#!/usr/bin/env bash
# help.sh - help, the man page and the README files say the same
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

"$THRESHER" --man >thresher.1
cmp thresher.1 "$SOURCE/src/cli/thresher.1" ||
  fail "src/cli/thresher.1 is out of date: thresher --man > src/cli/thresher.1"
"$THRESHER" --help >all.txt
[ "$("$THRESHER" --version)" = \
  "thresher $(sed -n 's/^project(thresher VERSION \([0-9.]*\).*/\1/p' \
    "$SOURCE/CMakeLists.txt")" ] || fail "--version"
for command in generate import train evaluate verify predict export inspect \
  report watch solvers completion bench; do
  grep -q "^  $command " all.txt || fail "$command is not in --help"
  grep -q "^| .$command. |" "$SOURCE/README.md" || fail "$command is not in README.md"
  "$THRESHER" $command --help >brief.txt || fail "$command --help"
  "$THRESHER" $command --help-all >help.txt || fail "$command --help-all"
  for option in --quiet --deck --help --help-all; do
    grep -qE -- "$option|\[no-\]${option#--}" help.txt ||
      fail "$command --help-all lacks $option"
  done
  [ "$(cat brief.txt help.txt | wc -L)" -le 79 ] || fail "$command --help is too wide"
  # of a screen, or it is all there is
  cmp -s brief.txt help.txt || [ "$(wc -l <brief.txt)" -le 24 ] || fail "$command --help is too long"
  # what is overwritten is written
  case $command in
  inspect | verify | solvers | watch | completion | bench)
    ! grep -q -- '-f, --' help.txt || fail "$command takes --force" ;;
  *) grep -q -- '\[no-\]force' help.txt || fail "$command --help-all lacks --force" ;;
  esac
  cat help.txt >>all.txt
done

# the table of which solver to take has the words of the program
"$THRESHER" solvers --json >solvers.json
"$PYTHON" - "$SOURCE/src/solvers/README.md" <<'END' || fail "the first table of src/solvers/README.md"
import json, sys
page = open(sys.argv[1]).read()
rows = page[page.index("| you have | take |"):].split("\n\n")[0].splitlines()[2:]
told = ["| %s | `%s` |" % (s["for"], s["name"]) for s in json.load(open("solvers.json"))["solvers"]]
sys.exit("differ: %s" % sorted(set(rows) ^ set(told)) if sorted(rows) != sorted(told) else 0)
END

# every option that a page mentions is one, of ours or of a script
bash "$SOURCE/jobs/figures.sh" --help >>all.txt
bash "$SOURCE/jobs/picture.sh" --help >>all.txt
bash "$SOURCE/jobs/path.sh" --help >>all.txt
for study in sampling compare thresholding complexity study; do
  bash "$SOURCE/jobs/$study.sh" --help >>all.txt
done
for study in strong weak; do
  bash "$SOURCE/jobs/${study}_scaling.sh" --help >>all.txt
done
for model in cost_model scaling_model; do
  "$PYTHON" "$SOURCE/jobs/$model.py" --help >>all.txt
done
for family in exploration exploitation hybrid screening sampling oomp; do
  "$PYTHON" "$SOURCE/jobs/theory.py" $family --help >>all.txt
done
sh "$SOURCE/jobs/torture.sh" --help >>all.txt
# what tests take is said at their heads
head -n 25 "$SOURCE/tests/golden/golden.py" "$SOURCE/tests/project/house.py" >>all.txt
mentioned=$(cd "$SOURCE" && pages | xargs cat | grep -E 'thresher|--' |
  grep -oE -- '(^|[ `(])--[a-z][a-z-]+' | tr -d ' `(' | sort -u || true)
for option in $mentioned; do
  case $option in
  --version | --man | --oversubscribe | --preset | --build | --test-dir | \
    --output-on-failure | --prefix | --install | --mpi | --nodes | \
    --ntasks-per-node | --wrap | --cflags | --libs | --cpu-bind | --bind-to | --map-by | \
    --bfile | --bgen | --make-bed | --pca | --pfile | --pmerge-list | --vcf) continue ;; # of plink2
  esac
  grep -qE -- "$option|\[no-\]${option#--}( |$)|\[no-\]${option#--no-}( |$)" \
    all.txt || fail "a page mentions $option, --help does not"
done

# so is every word that a page gives to an option which takes one of some
pages | (cd "$SOURCE" && xargs cat) >pages.txt
"$PYTHON" - <<'END' || fail "pages"
import re
words = {}
for option, list_of in re.findall(r"^ +(?:-\w, )?--([a-z-]+) ((?:[a-z0-9.,-]+\|\s*)+[a-z0-9.,-]+)$",
                                  open("all.txt").read(), re.M):
    words.setdefault(option, set()).update(re.split(r"\|\s*", list_of))
words["format"] |= {"png", "svg", "pdf"}  # of scripts
assert len(words) > 15 and "sift" in words["solver"] and "group" in words["penalty"], words
bad = [(option, word) for option, word in
       re.findall(r"--([a-z-]+) ([a-z][a-z0-9-]*)", open("pages.txt").read())
       if option in words and word not in words[option]]
if bad:
    raise SystemExit("a page gives words to options that --help does not know: %s" % bad)
END

# results that cannot be written are an error, help among them
for where in full closed; do
  rc=0
  if [ $where = full ]; then
    "$THRESHER" solvers >/dev/full 2>error.txt || rc=$?
  else
    "$THRESHER" solvers >&- 2>error.txt || rc=$?
  fi
  [ $rc -eq 1 ] || fail "standard output $where: status $rc"
  [ "$(grep -c '^thresher: ' error.txt)" -eq 1 ] || fail "output $where"
done
finish
