#!/usr/bin/env bash
# told.sh - what the import was told of a text, or has found, belongs to the data
# set and to its models: new text is read like it, by --like DATA and --like MODEL;
# what contradicts it is refused; numbers that may be names are asked about
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# says PATTERN N ARGUMENT...: the run succeeds and says so on stderr.
says()
{
  must "${@:2}" || return 0
  grep -qE -- "$1" must.err || {
    fail "wanted '$1': thresher ${*:3}"
    cat must.err >&2
  }
}

# silent PATTERN: the last run did not say so.
silent()
{
  ! grep -qE -- "$1" must.err || fail "said without a reason: $(grep -E "$1" must.err)"
}

# predicts MODEL TEXT LIKE WANTED N [OPTION...]: the text, imported like LIKE on N
# ranks, gets the predictions that stand in the file WANTED, one on a line.
predicts()
{
  local model=$1 text=$2 like=$3 wanted=$4 n=$5
  must "$n" import "$text" --like "$like" -o made.h5 --force "${@:6}" || return 0
  cp must.err import.err
  must 0 predict "$model" made.h5 -o made.out --force || return 0
  "$PYTHON" - "$wanted" <<'END' || fail "$text like $like, $n ranks: other predictions"
import csv, math, sys
want = [float(line) for line in open(sys.argv[1])]
rows = list(csv.DictReader(open("made.out")))
got = [float(r["prediction"]) for r in rows]
sys.exit(len(want) != len(got) or [int(r["row"]) for r in rows] != list(range(len(got)))
         or any(not math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-5)
                for a, b in zip(want, got)))
END
  cp import.err must.err
}

# expect MODEL FILE < ROWS: the predictions of rows that are given as Python
# dictionaries of attributes, by name or by number, one on a line.
expect()
{
  ranks 0 inspect "$1" --json >model.json
  "$PYTHON" -c '
import ast, json, sys
m = json.load(open("model.json"))
of = m["names"] or m["support"]
for line in sys.stdin:
    row = ast.literal_eval(line)
    print(m["intercept"] + sum(c * row.get(a, 0) for a, c in zip(of, m["coef"])))
' >"$2"
}

# known FILE NAME: what inspect knows of the text.
known()
{
  ranks 0 inspect "$1" --json >known.json
  key known.json "text.$2"
}

# is FILE NAME VALUE
is()
{
  [ "$(known "$1" "$2")" = "$3" ] || fail "$1: $2 is $(known "$1" "$2"), wanted $3"
}

"$PYTHON" - <<'END'
import random
random.seed(3)
g = lambda: random.gauss(0, 1)

def write(path, rows, sep=","):
    with open(path, "w") as f:
        f.writelines(sep.join(c if isinstance(c, str) else "%.6g" % c for c in r)
                     + "\n" for r in rows)

def svm(path, rows, base):
    with open(path, "w") as f:
        for label, x in rows:
            f.write(" ".join([label] * (label != "") +
                             ["%d:%.6g" % (j + base, v) for j, v in x]) + "\n")

# zero-based LIBSVM; in the new rows index 0 does not occur
rows = []
for _ in range(60):
    x = [(j, g()) for j in range(5) if random.random() < .7]
    rows.append(("%.6g" % (2 * dict(x).get(0, 0) - 3 * dict(x).get(1, 0) + 4), x))
svm("zero.svm", rows, 0)
svm("zero.new.svm", [("7.5", [(1, 1), (3, 1)]), ("3.5", [(2, 1), (4, 1)])], 0)
svm("zero.bare.svm", [("", [(1, 1), (3, 1)]), ("", [(2, 1), (4, 1)])], 0)
svm("zero.more.svm", [("7.5", [(1, 1), (3, 1), (5, 9), (8, 9)]), ("3.5", [(4, 1), (70, 2)])], 0)

# names that are numbers
for kind, names in [("even", "1100,1102,1104,1106"), ("odd", "1100.5,1102.7,1103.1,1109"),
                    ("falling", "4000,3998,3996,3994"), ("index", "0,1,2,3")]:
    names = names.split(",")
    table = [[random.random() for _ in names] for _ in range(60)]
    write(kind + ".csv", [names + ["fat"]] + [r + [r[0] - 2 * r[2] + .5] for r in table])
    write(kind + ".bare.csv", [names] + [r for r in table])
    new = [[.1, .2, .3, .4], [.5, .5, .5, .5]]
    write(kind + ".new.csv", [names] + new)
    order = [2, 1, 0, 3]
    write(kind + ".turned.csv", [[names[j] for j in order]] + [[r[j] for j in order] for r in new])
    write(kind + ".part.csv", [[names[2], names[0]]] + [[r[2], r[0]] for r in new])
    write(kind + ".more.csv", [["x"] + names[::-1] + ["999"]] +
          [["?"] + r[::-1] + [1] for r in new])
    write(kind + ".rows.csv", new)
# years; prices are drawn as if nothing rose
write("years.csv", [["2000", "2001", "2002", "2003", "2004"]] +
      [[10 + 2 * g() for _ in range(5)] for _ in range(60)])
write("three.csv", [[10, 20, 30]] + [[random.randrange(50), 60 - random.randrange(50), random.randrange(5)]
      for _ in range(200)])
# numbers that are no names: sorted by chance, of very different size, sorted always
write("chance.csv", [[.1, .5, .8]] + [[random.random() for _ in range(3)] for _ in range(60)])
write("sizes.csv", [[random.random() + 10 ** k for k in range(6)] for _ in range(60)])
write("trend.csv", [[1.7e9 + k, .5 + .1 * g(), k] for k in range(60)])
write("sorted.csv", [sorted(g() for _ in range(7)) for _ in range(60)])
write("whole.csv", [[random.randrange(9) for _ in range(6)] for _ in range(60)])

# only the support was measured
write("abc.csv", [["a", "b", "c", "w", "id", "y"]] +
      [[r[0], r[1], r[2], 1 + (k % 3), k * k + 7, 2 * r[0] - 3 * r[2] + 1]
       for k, r in enumerate([[g(), g(), g()] for _ in range(60)])])
write("ac.csv", [["c", "a"], [2, 1], [.25, .5]])
write("more.csv", [["note", "c", "b", "a", "z"], ["q", 2, 9, 1, 9], ["r", .25, 9, .5, 9]])
write("a.csv", [["a", "b"], [1, 9], [.5, 9]])

# weights behind the label, of zero and one; without 0, nobody can tell
rows = [("%d" % (k % 2), [(j, g() + k % 2) for j in (0, 1)]) for k in range(40)]
svm("plain.svm", rows, 1)
svm("weighted.svm", [(l + ":%d" % (1 + k % 3), x) for k, (l, x) in enumerate(rows)], 1)
svm("repeated.svm", [(l, x) for k, (l, x) in enumerate(rows) for _ in range(1 + k % 3)], 1)
open("either.svm", "w").write("1:2 2:0.8\n1:0.5 2:0.5\n1:3 2:1\n")
open("none.svm", "w").write("1:2 2:0.8\n1:-0.5 2:0.5\n2:1\n")
open("behind.svm", "w").write("1:2 1:3 2:0.8\n0:0.5 1:0.5\n1:3 2:1\n")
END
for f in zero.new.svm even.new.csv more.csv behind.svm; do
  gzip -c $f >$f.gz
done

# --- the base of indices ---
must 3 import zero.svm --zero-based -o zero.h5
must 0 train zero.h5 -o zero.m.h5 --solver lasso --lambda-ratio 1e-6
printf '{1: 1, 3: 1}\n{2: 1, 4: 1}\n' | expect zero.m.h5 want
is zero.h5 zero_based true
is zero.m.h5 zero_based true
for like in zero.h5 zero.m.h5; do
  predicts zero.m.h5 zero.new.svm $like want 0
  predicts zero.m.h5 zero.new.svm.gz $like want 3
  predicts zero.m.h5 zero.bare.svm $like want 2
  grep -q '^target:   none' must.err || fail "zero.bare.svm: a target from nowhere"
  predicts zero.m.h5 zero.new.svm $like want 0 --zero-based
  refused 2 "--zero-based no contradicts $like, where it is yes" 2 \
    import zero.new.svm --like $like -o no.h5 --no-zero-based
done
# what training has not seen is left out, and counted
printf '{1: 1, 3: 1}\n{4: 1}\n' | expect zero.m.h5 want
for like in zero.h5 zero.m.h5; do
  for n in 0 3; do
    predicts zero.m.h5 zero.more.svm $like want $n
    grep -q "^left out: 3 values of 3 indices beyond 4, the last one of $like, where the first is 0$" \
      must.err || fail "zero.more.svm like $like: $(cat must.err)"
  done
done
must 0 import plain.svm -o plain.h5
must 0 train plain.h5 -o plain.m.h5 --solver lasso
is plain.h5 zero_based false
is plain.h5 label_weights false
is plain.h5 targets '[0.0, 1.0]'
for like in plain.h5 plain.m.h5; do
  refused 2 "--zero-based yes contradicts $like, where it is no" 0 \
    import plain.svm --like $like -o no.h5 --zero-based
done

# --- names that are numbers ---
for kind in even odd falling index; do
  must 0 import $kind.csv -o $kind.h5 --target fat
  must 0 train $kind.h5 -o $kind.m.h5 --solver lasso --lambda-ratio 1e-3
  first=$(head -n 1 $kind.csv | cut -d, -f1) third=$(head -n 1 $kind.csv | cut -d, -f3)
  printf '{"%s": 0.1, "%s": 0.3}\n{"%s": 0.5, "%s": 0.5}\n' \
    "$first" "$third" "$first" "$third" | expect $kind.m.h5 want
  for like in $kind.h5 $kind.m.h5; do
    predicts $kind.m.h5 $kind.new.csv $like want 0
    predicts $kind.m.h5 $kind.turned.csv $like want 3
    predicts $kind.m.h5 $kind.rows.csv $like want 0 # by places, which is said
    grep -q "^note: .* the first row is no header, and the text of $like has one" must.err ||
      fail "$kind: not said that there is no header"
    refused 2 "--header no contradicts $like, where it is yes" 0 \
      import $kind.new.csv --like $like -o no.h5 --header no
  done
  # a name that is wrong, above a row or two
  { head -n 1 $kind.new.csv | sed 's/[^,]*$/77777/' && sed -n 2p $kind.new.csv; } >wrong.csv
  refused 1 "wrong.csv:1.*77777" 0 import wrong.csv --like $kind.h5 -o no.h5
  [ "$(key model.json support)" = '[0, 2]' ] || fail "$kind: another support"
  predicts $kind.m.h5 $kind.part.csv $kind.m.h5 want 2
  predicts $kind.m.h5 $kind.more.csv $kind.m.h5 want 0
  grep -q "^left out: 4 columns of 6, which $kind.m.h5 does not use$" must.err ||
    fail "$kind: $(cat must.err)"
  # nobody knows without --like
  refused 2 "$kind.bare.csv:1:1: the first row .*--header yes that it is a header, or with --header no" \
    2 import $kind.bare.csv -o no.h5
  must 0 import $kind.bare.csv -o bare.h5 --header yes --target 4 --force
  is bare.h5 header true
  must 0 import $kind.bare.csv -o bare.h5 --header no --force
  is bare.h5 header false
done
printf '{"1100": 0.1, "1104": 0.3}\n{"1100": 0.5, "1104": 0.5}\n' | expect even.m.h5 want
predicts even.m.h5 even.new.csv.gz even.m.h5 want 3
refused 2 'years.csv:1:1: the first row of numbers, 2000, 2001, 2002.., is not like those below' \
  3 import years.csv -o no.h5
must 0 import years.csv -o years.h5 --header yes --target 5
refused 2 'three.csv:1:1: the first row of numbers, 10, 20, 30, is not like those below' \
  0 import three.csv -o no.h5
[ "$(known years.h5 columns)" = 5 ] || fail "years: columns"
for first in 0,1 1,2; do # two columns without names, as pandas writes them
  printf '%s\n0.25,0.5\n1.5,-0.75\n0.5,2\n' "$first" >nameless.csv
  refused 2 "nameless.csv:1:1: the first row .*, ${first/,/, }, is not like those below" 0 \
    import nameless.csv -o no.h5
done
printf '0,1\n1,0\n0,1\n1,1\n' >nameless.csv
must 0 import nameless.csv -o nameless.h5
is nameless.h5 header false
for name in chance sizes sorted whole trend; do
  must 0 import $name.csv -o $name.h5
  is $name.h5 header false
done
# text without a header stays so, whatever its first row counts
printf '0,1,2,3\n' >counted.csv
says '^target:   column 6 of 6' 0 import sizes.csv --like sizes.h5 -o again.h5
must 0 import whole.csv -o four.h5 --ignore 1,2 --force
refused 2 '--header yes contradicts whole.h5, where it is no' 0 \
  import whole.csv --like whole.h5 -o no.h5 --header yes
must 0 import chance.csv -o four.h5 --force
printf '1,2,3\n' >counted.csv
must 0 import counted.csv --like four.h5 -o counted.h5
must 0 inspect counted.h5 --json
[ "$(key must.out examples)" = 1 ] || fail "a row of text without a header became one"

# --- only the attributes that a model uses ---
must 0 import abc.csv -o abc.h5 --target y --weights w --ignore id
must 0 train abc.h5 -o abc.m.h5 --solver lasso --lambda-ratio 1e-3
printf '{"a": 1, "c": 2}\n{"a": 0.5, "c": 0.25}\n' | expect abc.m.h5 want
[ "$(key model.json names)" = '["a", "c"]' ] || fail "abc: another support"
predicts abc.m.h5 ac.csv abc.m.h5 want 0
predicts abc.m.h5 ac.csv abc.m.h5 want 3
silent '^left out'
predicts abc.m.h5 more.csv abc.m.h5 want 0
predicts abc.m.h5 more.csv.gz abc.m.h5 want 2
grep -q '^left out: 3 columns of 5, which abc.m.h5 does not use$' must.err ||
  fail "more.csv: $(cat must.err)"
refused 1 "ac.csv:1:1: 1 of the attributes of abc.h5 is missing, first 'b'; .*--like MODEL.h5" \
  0 import ac.csv --like abc.h5 -o no.h5
refused 1 "a.csv:1:1: 1 of the attributes of abc.m.h5 is missing, first 'c'; add the column$" \
  2 import a.csv --like abc.m.h5 -o no.h5
# a column may have a new name
renamed() # HEADER LIKE TEXT
{
  { echo "$1" && tail -n +2 abc.csv; } >renamed.csv
  refused 1 "renamed.csv:1:1: $3" 0 import renamed.csv --like "$2" -o no.h5 --ignore id
}
renamed a,beta,c,w,id,y abc.h5 "column 2, 'beta', is no attribute of abc.h5, where 'b' is missing; rename column 2 if it is that one, or leave it out with --ignore id,beta$"
renamed a,C,B,w,id,y abc.h5 "2 columns are no attributes of abc.h5, 2, 'C', 3, 'B', where 'c' is missing; rename column 2 if it is that one, or leave them out"
renamed a,n,-b-,w,id,y abc.h5 "2 columns are no attributes of abc.h5, 2, 'n', 3, '-b-', where 'b' is missing; rename column 2 if it is that one, or leave them out"
renamed a,b,C.,w,id,y abc.m.h5 "1 of the attributes of abc.m.h5 is missing, first 'c'; rename column 3, 'C.', if it is that one$"
# a table with the target can be scored
must 0 import abc.csv --like abc.m.h5 -o scored.h5
must 0 evaluate abc.m.h5 scored.h5
compare "r2 like a model" "$(awk '$1 == "r2" { print $2 }' must.out)" ">" 0.99
# without any attribute there is nothing to match
must 0 train abc.h5 -o nothing.h5 --solver lasso --lambda-ratio 1
refused 1 'nothing.h5 uses no attribute: its prediction is ' 2 \
  import ac.csv --like nothing.h5 -o no.h5

# --- weights in the labels ---
refused 2 "either.svm:1:1: lines that begin like '1:2' may have no label, and be index:value, or have label:weight; say --labels none or --labels weighted" \
  3 import either.svm --like plain.h5 -o no.h5
refused 2 'may have no label' 0 import either.svm --like plain.m.h5 -o no.h5
printf '{0: 2, 1: 0.8}\n{0: 0.5, 1: 0.5}\n{0: 3, 1: 1}\n' | expect plain.m.h5 want
predicts plain.m.h5 either.svm plain.m.h5 want 2 --labels none
printf '{1: 0.8}\n{1: 0.5}\n{1: 1}\n' | expect plain.m.h5 want
predicts plain.m.h5 either.svm plain.h5 want 0 --labels weighted
printf '{0: 2, 1: 0.8}\n{0: -0.5, 1: 0.5}\n{1: 1}\n' | expect plain.m.h5 want
predicts plain.m.h5 none.svm plain.h5 want 3
refused 2 "behind.svm:1:1: '1:2' found, which is no index:value, but may be label:weight; .*--labels weighted" \
  0 import behind.svm --like plain.h5 -o no.h5
refused 1 "either.svm:1:1: '1:2' found, .*--like TRAIN.h5, or say --labels weighted" 0 \
  import either.svm -o no.h5
refused 2 '--labels none: .*--like TRAIN.h5' 0 import none.svm -o no.h5 --labels none
refused 1 'plain.svm:1:.*: no weight found behind the label, expected label:weight' 3 \
  import plain.svm -o no.h5 --labels weighted
says '^weights:  in the labels' 3 import weighted.svm -o weighted.h5 --labels weighted
must 0 import repeated.svm -o repeated.h5
is weighted.h5 label_weights true
for data in weighted repeated; do
  must 0 train $data.h5 -o $data.m.h5 --solver lasso --lambda 0.01 --tolerance 1e-12
done
printf '{0: 3, 1: 0.8}\n{0: 0.5}\n{1: 1}\n' | expect repeated.m.h5 want
for like in weighted.h5 weighted.m.h5; do
  predicts weighted.m.h5 behind.svm $like want 0
  predicts weighted.m.h5 behind.svm.gz $like want 3
  refused 2 'may have no label' 0 import either.svm --like $like -o no.h5
  refused 2 "--labels plain contradicts $like, where it is weighted" 0 \
    import plain.svm --like $like -o no.h5 --labels plain
  says "^weights:  none, $like has some" 0 import plain.svm --like $like -o made.h5 --force
  # labels that the other data do not have
  for label in -7 +7 0; do
    printf -- '%s:2 2:1\n%s:1 1:3\n' $label $label >new.svm
    says '^weights:  in the labels' 0 import new.svm --like $like -o made.h5 --force
  done
  printf '7:2 8:1\n7:1 9:3\n' >new.svm
  refused 2 'may have no label' 0 import new.svm --like $like -o no.h5
done
printf '1:0 1:1\n0:2 1:2\n1:1 1:3\n' >nought.svm
says '^weights:  1 of 3 examples have weight 0' 2 \
  import nought.svm -o nought.h5 --labels weighted
refused 1 'less.svm:2:3: weight -1 found' 0 import \
  "$(printf '0:1 1:1\n1:-1 1:2\n' >less.svm && echo less.svm)" -o no.h5 --labels weighted

# --- classes: how many examples each has ---
printf 'x,k\n' >classes.csv
for k in 1 2 3 4 5 6 7 8 9; do
  echo "$k,$([ $k -gt 2 ] && echo b || echo A)$([ $k = 9 ] && echo c)"
done >>classes.csv
for n in 0 3; do
  says "^positive: 'A', 2 of 9 examples" $n \
    import classes.csv -o classes.h5 --target k --positive-class A --force
  grep -q "^negative: 'b' 6, 'bc' 1$" must.err || fail "classes: $(cat must.err)"
done
printf 'x,k\n' >many.csv
for k in $(seq 100); do
  echo "$k,c$((k % 50))"
done >>many.csv
for n in 0 2; do
  must $n import many.csv -o many.h5 --target k --positive-class c7 --force
  grep -q "^negative: 98 of other classes$" must.err || fail "many classes: $(cat must.err)"
done
head -n 21 many.csv >some.csv
says "^negative: 'c1' 1, 'c10' 1, .*, 11 of other classes$" 3 \
  import some.csv -o some.h5 --target k --positive-class c7
is classes.h5 positive_class '"A"'
is classes.h5 other_classes '["b", "bc"]'

# --- an attribute that is 0 in all training rows loses nothing there ---
printf '1 1:1 2:0.5\n0 1:2\n1 1:3 2:1\n0 1:5 2:2\n' >seen.svm
printf '1 1:1 3:0.1\n0 1:2 3:0.3\n1 2:1 3:1234567.89\n' >unseen.svm
must 0 import seen.svm -o unseen.h5 --test-file unseen.svm
silent 'digits'

# --- every option of import: told of the text and taken over, or of no meaning for
# --- new text; each value of the first kind is contradicted above or below
"$PYTHON" - >options <<'END'
import os, re, subprocess
text = subprocess.run([os.environ["THRESHER"], "import", "--help-all"], stdout=subprocess.PIPE,
                      check=True).stdout.decode()
print(*sorted(set(re.findall(r"^ {1,6}(?:-\w, )?--(?:\[no-\])?([a-z][a-z-]+)", text, re.M))))
END
told="decimal format header id ignore labels missing positive-class target weights zero-based"
taken="attributes layout type" # of --like; attributes excludes it, others may be said
free="append deck files force groups help help-all ids levels like map max-line max-missing memory names output quiet report
  row-group seed shards shuffle test test-file threads watchdog"
for option in $(cat options); do
  case " $(echo $told $taken $free) " in
  *" $option "*) ;;
  *) fail "--$option: is it of the text, and taken over by --like?" ;;
  esac
  case " $(echo $told) " in
  *" $option "*) grep -q -- "\`--$option" "$SOURCE/io/README.md" ||
    fail "--$option is not in the table of io/README.md" ;;
  esac
done
# format: a single column tells nothing; LIBSVM is named
printf '3\n4\n5\n' >lone
printf 'x,y\n1,2\n2,4\n3,7\n' >pair.csv
must 0 import pair.csv -o pair.h5 --target y
must 0 train pair.h5 -o pair.m.h5 --solver lasso --lambda-ratio 1e-3
printf '{"x": 3}\n{"x": 4}\n{"x": 5}\n' | expect pair.m.h5 want
predicts pair.m.h5 lone pair.h5 want 0
predicts pair.m.h5 lone pair.m.h5 want 2
refused 2 '--format libsvm contradicts pair.h5, where it is csv' 0 \
  import lone --like pair.h5 -o no.h5 --format libsvm
# separator: a name with commas
printf 'a;b;y\n1;2;3\n2;1;5\n4;3;2\n' >semi.csv
must 0 import semi.csv -o semi.h5 --target y
is semi.h5 separator '";"'
is semi.h5 decimal '"."'
printf 'a;b,c,d\n1;2\n' >semi.new.csv
refused 1 "semi.new.csv:1:1: column 2, 'b,c,d', is no attribute of semi.h5" 0 \
  import semi.new.csv --like semi.h5 -o no.h5
printf 'a,b\n1,2\n' >comma.csv
says '^note: .*columns are separated by commas, those of semi.h5 by semicolons' 0 \
  import comma.csv --like semi.h5 -o comma.h5
# target, weights and ignore, by name and by place
is abc.h5 target '"y"'
is abc.h5 weight_name '"w"'
is abc.m.h5 weight_column 4
is abc.h5 other_names '["w", "id"]'
for like in abc.h5 abc.m.h5; do
  says '^weights:  column 4 of 6, as in ' 2 import abc.csv --like $like -o made.h5 --force
  must 0 inspect made.h5 --json
  [ "$(key must.out weighted)" = true ] || fail "like $like: no weights"
  refused 2 "abc.csv:1:1: --target id contradicts $like, where it is y, which is there" 0 \
    import abc.csv --like $like -o no.h5 --target id
  refused 2 "abc.csv:1:1: --weights id contradicts $like, where it is w, which is there" 3 \
    import abc.csv --like $like -o no.h5 --weights id
  must 0 import abc.csv --like $like -o made.h5 --force --target y --weights w --ignore id
done
refused 1 "1 of the attributes of abc.h5 is missing, first 'b'" 0 \
  import abc.csv --like abc.h5 -o no.h5 --ignore b
refused 1 "1 of the attributes of abc.m.h5 is missing, first 'a'" 0 \
  import abc.csv --like abc.m.h5 -o no.h5 --ignore a
tail -n +2 abc.csv >places.csv
must 0 import places.csv -o places.h5 --target 6 --weights 4 --ignore 5
must 0 train places.h5 -o places.m.h5 --solver lasso --lambda-ratio 1e-3
for like in places.h5 places.m.h5; do
  says '^target:   column 6 of 6' 2 import places.csv --like $like -o made.h5 --force
  grep -q '^weights:  column 4 of 6, as in ' must.err || fail "places: no weights"
  must 0 evaluate places.m.h5 made.h5
  compare "r2 by places" "$(awk '$1 == "r2" { print $2 }' must.out)" ">" 0.99
  refused 2 "places.csv:1:1: --target 1 contradicts $like, where it is 6" 0 \
    import places.csv --like $like -o no.h5 --target 1
  refused 2 "places.csv:1:1: --weights 5 contradicts $like, where it is 4" 0 \
    import places.csv --like $like -o no.h5 --weights 5
done
# classes
must 0 train classes.h5 -o classes.m.h5 --solver lasso
for like in classes.h5 classes.m.h5; do
  says "^positive: 'A', 2 of 9" 0 import classes.csv --like $like -o made.h5 --force
  refused 2 "--positive-class b: the positive class of $like is 'A'" 0 \
    import classes.csv --like $like -o no.h5 --positive-class b
done
refused 2 '--positive-class 7: the targets of pair.h5 are numbers' 0 \
  import pair.csv --like pair.h5 -o no.h5 --positive-class 7
# type and layout are those of the data set; a model knows the type
must 0 import pair.csv -o u8.h5 --target y --type u8
must 0 train u8.h5 -o u8.m.h5 --solver lasso --lambda-ratio 1e-3
for like in u8.h5 u8.m.h5; do
  must 0 import pair.csv --like $like -o made.h5 --force
  must 0 inspect made.h5 --json
  [ "$(key must.out type)" = '"u8"' ] || fail "like $like: another type"
done

# --- what cannot be; and files of an older program ---
must 0 inspect abc.m.h5
grep -q '^text: *csv, a header, separator .,., decimal mark' must.out ||
  fail "inspect does not show the text of a model"
must 0 inspect weighted.h5
grep -q '^text: *libsvm, indices from 1, labels with weights' must.out ||
  fail "inspect does not show the text of a data set"
if "$PYTHON" -c 'import h5py' 2>/dev/null; then
  "$PYTHON" - <<'END'
import h5py, shutil
def make(of, name, change):
    shutil.copy(of + ".h5", name + ".h5")
    if ".m" not in of:
        shutil.copytree(of + ".shards", name + ".shards")
    with h5py.File(name + ".h5", "r+") as f:
        change(f)
FACTS = ("text_format", "zero_based", "label_weights", "header", "separator", "decimal",
         "weight_column", "weight_name", "whole_targets", "labels")
def forget(f):
    for name in FACTS:
        if name in f.attrs:
            del f.attrs[name]
    if f.attrs["format"] == b"thresher model":
        del f.attrs["type"]
for of in ("abc", "plain", "abc.m", "plain.m"):
    make(of, "old." + of, forget)
make("abc", "bad.header", lambda f: f.attrs.modify("header", 2))
make("abc", "bad.weight", lambda f: f.attrs.modify("weight_column", 3))
make("abc", "bad.mark", lambda f: f.attrs.modify("separator", "ab"))
make("plain", "bad.labels", lambda f: f.attrs.modify("labels", 1 << 40))
make("plain.m", "bad.model", lambda f: f.attrs.modify("zero_based", -1))
END
  for file in old.abc.h5 old.abc.m.h5; do
    must 0 import abc.csv --like $file -o made.h5 --force
    must 0 predict abc.m.h5 made.h5 -o made.out --force
  done
  must 0 import plain.svm --like old.plain.h5 -o made.h5 --force
  must 0 predict old.plain.m.h5 made.h5 -o made.out --force
  must 0 import plain.svm --like old.plain.m.h5 -o made.h5 --force
  must 0 inspect old.plain.h5 --json
  [ "$(key must.out text)" = null ] || fail "an old data set knows its text"
  for file in header weight mark labels model; do
    refused 1 "bad.$file.h5: columns of a text that cannot be" 2 \
      import abc.csv --like bad.$file.h5 -o no.h5
  done
else
  left_out "older and forged files: no h5py"
fi
finish
