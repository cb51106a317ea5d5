#!/usr/bin/env bash
# terminal.sh - names never reach the terminal raw: no control character, no end
# of a line, no turn of direction, nothing that is not UTF-8, whatever a name holds
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
find . -mindepth 1 -delete
mkdir said files
export LC_ALL=C

# What no terminal is to get, one at a time and all together: of C0, of C1 as UTF-8,
# ends of lines and directions of Unicode, what is not UTF-8 (alone, too long, a
# surrogate, beyond the last one, not finished).
bad=($'\x1b[31m' $'\x07' $'\x7f' $'\xc2\x9b31m' $'\xc2\x85' $'\xc2\x80' $'\xc2\x9f'
  $'\xe2\x80\xa8' $'\xe2\x80\xa9' $'\xe2\x80\xaa' $'\xe2\x80\xae' $'\xe2\x81\xa6'
  $'\xe2\x81\xa9' $'\xe2\x80\x8e' $'\xe2\x80\x8f' $'\xd8\x9c' $'\xef\xbb\xbf'
  $'\x9b31m' $'\xff' $'\xc0\x9b' $'\xe0\x82\x9b' $'\xed\xa0\x80' $'\xf4\x90\x80\x80'
  $'\xe2\x80' $'\xef\xbf\xbd9b31m' $'\xef\xbf\xbd')
all=$(printf '%s' "${bad[@]}")
file="files/n$all"$'\t\n'"'ö"

# says STATUS N ARGUMENT...: a run, of which what it says is kept.
runs=0
says()
{
  local wanted=$1 rc=0
  runs=$((runs + 1))
  printf '%q ' "${@:2}" >said/$runs.line
  ranks "${@:2}" >said/$runs.out 2>said/$runs.err || rc=$?
  [ "$rc" -eq "$wanted" ] || {
    fail "status $rc, wanted $wanted: thresher $(cat -v said/$runs.line)"
    cat -v said/$runs.err >&2
  }
  [ "$rc" -eq 0 ] && return
  if [ "$(grep -c '^thresher: ' said/$runs.err)" -ne 1 ] ||
    grep -qvE '^(thresher|note|target|positive|left out): ' said/$runs.err; then
    fail "not one line: thresher $(cat -v said/$runs.line)"
    cat -v said/$runs.err >&2
  fi
}

# ---- texts with such names, of columns and of classes ----
cat >make.py <<'PYTHON'
import random, sys
bad = [b"a" + name + b"\xc3\xb6" for name in map(
    lambda text: text.encode("utf-8", "surrogateescape"), sys.argv[1:])]
draw = random.Random(1)
everything = b"".join(name[1:-2] for name in bad)
with open("t.csv", "wb") as plain, open("c.csv", "wb") as classes, \
        open("names", "wb") as names:
    header = b",".join(bad) + b",y" + everything + b"\n"
    plain.write(header)
    classes.write(header)
    names.write(b"\n".join(bad) + b"\n")
    for i in range(200):
        x = [draw.gauss(0, 1) for name in bad]
        row = b",".join(b"%.9g" % v for v in x)
        total = sum((1 + j) * v for j, v in enumerate(x))
        plain.write(b"%s,%.9g\n" % (row, total))
        classes.write(row + b"," + (b"c" if total > 0 else b"d") + everything + b"\n")
open("turned.csv", "wb").writelines(
    b",".join(line.rstrip(b"\n").split(b",")[::-1]) + b"\n" for line in open("t.csv", "rb"))
PYTHON
"$PYTHON" make.py "${bad[@]}"
target=$((${#bad[@]} + 1))
cp t.csv "$file.csv"

# ---- runs that succeed ----
says 0 0 generate toeplitz -o "$file.g.h5" --examples 80 --attributes 8 --support 2
says 0 0 import "$file.csv" -o "$file.h5" --target $target --no-shuffle
says 0 2 import t.csv -o t2.h5 --target "y$all" --ignore "a${bad[0]}ö"
says 0 0 import turned.csv -o turned.h5 --like "$file.h5"
says 0 0 import t.csv -o like.h5 --like t2.h5
says 0 0 import c.csv -o c.h5 --target $target --positive-class "c$all"
says 0 0 import t.csv -o rounded.h5 --target $target --type f32
says 0 0 inspect "$file.h5" --check
says 0 0 inspect c.h5
for n in 0 2; do
  says 0 $n train "$file.h5" -o "$file.model.h5" --solver lasso --lambda-ratio 0.001 \
    --force --report "$file.report" --telemetry "$file.telemetry"
done
next=$(sed -n 's/^next: *thresher evaluate //p' said/$((runs - 1)).err)
says 0 0 inspect "$file.model.h5" --data "$file.h5"
says 0 0 evaluate "$file.model.h5" "$file.h5"
says 0 0 evaluate "$file.model.h5" turned.h5
says 0 0 verify "$file.model.h5" "$file.h5"
says 0 0 predict "$file.model.h5" "$file.h5" -o "$file.predictions"
says 0 0 export "$file.model.h5" -o "$file.tsv"
says 0 0 export "$file.model.h5" --as c
says 0 0 export "$file.model.h5" --as json
says 1 0 export "$file.model.h5" --as plink-score
says 0 0 train c.h5 -o class.h5 --loss logistic --solver lasso --lambda-ratio 0.1
sed 1d t.csv >bare.csv
says 0 0 import bare.csv -o "$file.bare.h5" --target $target --no-shuffle
says 0 0 evaluate "$file.model.h5" "$file.bare.h5"
printf '0-9\n10-%d\n' $((target - 2)) >"$file.groups"
says 0 0 train "$file.h5" -o "$file.groups.h5" --solver lasso --lambda-ratio 0.1 \
  --penalty group --groups "$file.groups"
says 0 0 inspect "$file.groups.h5"
kept=(train "$file.h5" -o "$file.kept.h5" --solver exploitation --budget 4 --passes 3
  --start "a${bad[0]}ö" --checkpoint "$file.folder" --force)
says 0 0 "${kept[@]}"
says 0 0 solvers
says 0 0 train --help

# What is to be typed is the name.
typed=$(bash -c "printf '%s|' $next" || true)
[ "$typed" = "$file.model.h5|$file.h5|" ] ||
  fail "what train says to type is something else: $(cat -v <<<"$next")"

# ---- JSON ----
# json NAME ARGUMENT...: what the run prints, as NAME.json, too
json()
{
  says 0 0 "${@:2}" --json
  cp said/$runs.out said/$runs.json
  cp said/$runs.out "$1.json"
}
json data inspect "$file.h5"
json classes inspect c.h5
json model inspect "$file.model.h5"
json groups inspect "$file.groups.h5"
json scores evaluate "$file.model.h5" "$file.h5"
json verdict verify "$file.model.h5" "$file.h5"

# ---- runs that fail, whatever the name is of ----
printf '1%s 2:3\n' "$all" >label.svm
printf '1 2:3%s\n' "$all" >value.svm
printf 'a,b\n1,2%s\n3,4\n' "$all" >value.csv
printf 'a,b\n1,2%s\n' "$all" >word.csv
printf 'a,b,y%s\n1,2,3\n1,x,4\n' "$all" >text.csv
printf 'row%s,b,y\n1,2,3\n2,x,4\n' "$all" >column.csv
printf '0-1%s\n' "$all" >wrong.groups
printf '[solver]\nso%s = 3\n' "$all" >name.deck
printf '[solver%s]\nsolver = omp\n' "$all" >section.deck
printf '[solver]\nloss = sq%s\n' "$all" >value.deck
for one in "${bad[@]}" "$all"; do
  name="n${one}ö"
  says 2 0 "$name"
  says 1 0 inspect "files/$name"
  says 2 0 train "$file.h5" -o no.h5 --solver "$name"
  says 2 0 train "$file.h5" -o no.h5 "--$name" 3
  says 2 0 generate "$name" -o no.h5
done
says 0 0 inspect --help "$all"
says 2 0 --version "$all"
says 2 0 solvers "$all"
says 2 0 bench "$all"
says 1 0 generate toeplitz -o "$file.g.h5" --examples 80 --attributes 8 --support 2
says 1 0 generate toeplitz -o "no$all/x.h5" --examples 80 --attributes 8 --support 2
says 2 0 import t.csv -o no.h5 --format "$all"
says 2 0 import t.csv -o no.h5 --memory "$all"
says 2 0 import t.csv -o no.h5
says 1 0 import t.csv -o no.h5 --target "$all"
says 1 0 import t.csv -o no.h5 --target $target --ignore "$all"
says 1 0 import t.csv -o no.h5 --target $target --weights "$all"
says 1 0 import c.csv -o no.h5 --target $target --positive-class "$all"
says 1 0 import c.csv -o no.h5 --target $target
says 1 0 import "$file.csv" -o no.h5 --like like.h5 --ignore "$all"
says 1 0 import "$file.csv" -o no.h5 --like "$file.g.h5"
for text in label.svm value.svm value.csv word.csv text.csv column.csv; do
  mv $text "files/$all$text"
done
for text in label.svm value.svm column.csv; do
  says 1 0 import "files/$all$text" -o no.h5
done
says 1 0 import "files/${all}value.csv" -o no.h5 --target a
says 0 0 import "files/${all}word.csv" -o word.h5 --target a
says 0 0 inspect word.h5 --json
says 1 0 import "files/${all}text.csv" -o no.h5 --target 3
says 2 0 import "files/${all}text.csv" -o no.h5
says 1 0 train "$file.h5" -o no.h5 --solver lasso --lambda-ratio 0.1 \
  --penalty group --groups wrong.groups
for deck in name section value; do
  mv $deck.deck "files/$all$deck"
  says 2 0 train "$file.h5" -o no.h5 --deck "files/$all$deck"
done
says 2 0 train "$file.h5" -o no.h5 --loss "$all"
says 2 0 train "$file.h5" -o no.h5 --budget "$all"
says 2 0 train "$file.h5" -o no.h5 --solver exploitation --start "$all"
says 2 0 train --source "$all" -o no.h5
says 2 0 train --source "toeplitz:$all=3" -o no.h5
says 2 0 train "$file.csv" -o no.h5
says 1 0 train "$file.h5" -o "$file.model.h5"
says 1 0 train "$file.h5" -o no.h5 --reference "$all" --telemetry no.jsonl
says 1 0 evaluate "$file.csv" "$file.h5"
says 0 0 evaluate "$file.model.h5" "$file.csv"
says 1 0 evaluate "$file.model.h5" t2.h5
says 1 0 predict "$file.model.h5" "$file.h5" -o "$file.predictions"
says 1 0 predict "$file.model.h5" "$all" -o no.csv
says 1 0 verify "$file.model.h5" t2.h5
says 1 0 verify "$file.kept.h5" "$file.h5"
says 1 0 inspect "$file.groups"
says 2 0 inspect "$file.h5" --data "$all"
THRESHER_KERNELS=$all says 2 0 solvers

# ---- what they have said ----
cat >check.py <<'PYTHON'
import glob, json, re, sys
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
                    "\u2066-\u2069\ufeff]")
failed = 0

def fault(path, what):
    global failed
    failed += 1
    line = re.sub("json$|out$|err$", "line", path)
    print(path, what, ascii(open(line).read()[:200]), file=sys.stderr)

def check(path):
    data = open(path, "rb").read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return fault(path, "is not UTF-8: %s" % data[error.start - 60:error.start + 20])
    found = HIDDEN.search(text)
    if found is not None:
        fault(path, "has %s" % ascii(text[max(0, found.start() - 60):found.end() + 20]))

for path in glob.glob("said/*.out") + glob.glob("said/*.err"):
    check(path)
for path in glob.glob("said/*.json"):
    try:
        json.load(open(path, encoding="utf-8"))
    except ValueError as error:
        fault(path, "is not JSON: %s" % error)

def bytes_of(text):
    """What a text of JSON stands for: U+FFFD and two digits are a byte."""
    return re.sub(rb"\xef\xbf\xbd([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]),
                  text.encode("utf-8"))

def load(name):
    return json.load(open(name + ".json", encoding="utf-8"))

names = [name for name in open("names", "rb").read().split(b"\n") if name]
everything = b"".join(name[1:-2] for name in names)
model, data, classes = load("model"), load("data"), load("classes")
for k, name in zip(model["support"], model["names"]):
    if bytes_of(name) != names[k]:
        sys.exit("another name: %s, %s" % (ascii(name), names[k]))
if len(names) != len(model["names"]) or len(set(model["names"])) != len(names):
    sys.exit("the model has %d of %d names" % (len(set(model["names"])), len(names)))
for name, wanted in ((data["target"], b"y"), (classes["positive_class"], b"c")):
    if name is None or bytes_of(name) != wanted + everything:
        sys.exit("another target or class: %s" % ascii(name))
sys.exit(failed > 0)
PYTHON
"$PYTHON" check.py || fail "what reached the terminal"
finish
