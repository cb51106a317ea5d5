#!/usr/bin/env bash
# columns.sh - what the columns of a CSV file are taken for: target, row
# index, left out; one class against all others, in CSV and LIBSVM
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# file NAME LINE...
file()
{
  printf '%s\n' "${@:2}" >"$1"
}

# same NAME A B: two data sets have the same content.
same()
{
  [ "$(key_of "$2" fingerprint)" = "$(key_of "$3" fingerprint)" ] ||
    fail "$1: $2 and $3 differ"
}

key_of()
{
  ranks 0 inspect "$1" --json >inspected.json
  key inspected.json "$2"
}

# says PATTERN N ARGUMENT...: the run succeeds and says so on stderr.
says()
{
  must "${@:2}" || return 0
  grep -qE -- "$1" must.err || {
    fail "wanted '$1': thresher ${*:3}"
    cat must.err >&2
  }
}

# --- which column is the target ---
file price.csv a,b,price 1,2,3 4,5,6 7,8,10
refused 2 "price.csv:1:1: which column is the target\? .*--target NAME .*--target price .*--like TRAIN.h5" \
  2 import price.csv -o no.h5
says "^target:   column 3 of 3, 'price'$" 3 import price.csv -o price.h5 \
  --target price
says "^target:   column 1 of 3, 'a'$" 0 import price.csv -o first.h5 --target 1
[ "$(key_of price.h5 target)" = '"price"' ] || fail "the target's name is lost"
must 0 import price.csv -o quiet.h5 --target price --quiet
[ ! -s must.err ] || fail "--quiet is not quiet"
for name in y Target LABEL Class outcome Response; do
  file "$name.csv" "a,b,$name" 1,2,3 4,5,6 7,8,10
  says "^target:   column 3 of 3, '$name'$" 0 import "$name.csv" -o "$name.h5"
  same "$name" price.h5 "$name.h5" # the target's name is not content
done
file yes.csv a,b,yes 1,2,3
refused 2 'which column is the target' 0 import yes.csv -o no.h5
file none.csv 2,2,3 4,5,6 7,8,10
says '^target:   column 3 of 3 \(there is no header\)$' 0 import none.csv -o none.h5
refused 2 'which column is the target\? The last one has another use' 0 \
  import none.csv -o no.h5 --weights 3
# files in another order take the target of the first one
file turned.csv price,b,a 3,2,1 6,5,4 10,8,7
must 0 import price.csv price.csv -o twice.h5 --target price --no-shuffle
must 2 import price.csv turned.csv -o turned.h5 --target price --no-shuffle
file y1.csv a,b,y 1,2,3 4,5,6
file y2.csv y,b,a 3,2,1 6,5,4
must 0 import y1.csv y2.csv -o both.h5
same "another order" twice.h5 turned.h5

# --- a first record with text, which is a header or a row ---
file iris.data 5.1,3.5,1.4,setosa 4.9,3.0,1.4,setosa 7,3.2,4.7,versicolor
must 0 import iris.data -o iris.h5 --positive-class setosa
[ "$(key_of iris.h5 examples)" = 3 ] || fail "a row was taken for a header"
file numbers.csv 0,1,2,class 5.1,3.5,1.4,setosa 4.9,3.0,1.4,versicolor
must 0 import numbers.csv -o numbers.h5 --positive-class setosa
[ "$(key_of numbers.h5 examples)" = 2 ] || fail "a header was taken for a row"
file waves.csv 1100,1102,1104,y 5.1,3.5,1.4,1 4.9,3.0,1.4,2
must 0 import waves.csv -o waves.h5
[ "$(key_of waves.h5 examples)" = 2 ] || fail "waves: header taken for a row"

# --- columns that only count the rows ---
file r.csv '"","a","b","y"' '"1",0.5,2,3' '"2",1,5,6' '"3",7,8,10'
file pandas.csv ,a,b,y 0,0.5,2,3 1,1,5,6 2,7,8,10
file again.csv 'Unnamed: 0,a,b,y' 0,0.5,2,3 1,1,5,6 2,7,8,10
file later.csv a,Row_ID,b,y 0.5,17,2,3 1,18,5,6 7,19,8,10
file plain.csv a,b,y 0.5,2,3 1,5,6 7,8,10
must 0 import plain.csv -o plain.h5
for case in "r 1 ''" "pandas 1 ''" "again 1 'Unnamed: 0'" "later 2 'Row_ID'"; do
  read -r name number quoted <<<"$case"
  typed=$number
  [ "$name" = again ] && typed="'Unnamed: 0'"
  [ "$name" = later ] && typed=Row_ID
  refused 1 "$name.csv:1:1: column $number, $quoted, only counts the rows; leave it out with --ignore $typed, keep it as IDs with --id $typed, or rename it" \
    3 import $name.csv -o no.h5
  says '^left out: 1 column of 4$' 0 import $name.csv -o $name.h5 \
    --ignore "${typed//\'/}"
  same "$name without its index" plain.h5 $name.h5
done
file swapped.csv index,a,y 0,1,2 2,3,4 1,4,5
file broken.csv index,a,y 0,1,2 1,3,4 2,4,5 4,4,5
file named.csv year,a,y 0,1,2 1,3,4 2,4,5
file single.csv index,a,y 0,1,2
for name in swapped broken; do
  says "^note: *column 1, 'index', is an attribute; --ignore index leaves" 0 \
    import $name.csv -o $name.h5
done
must 0 import named.csv -o named.h5
! grep -q note: must.err || fail "a column of years is noticed"
must 0 import single.csv -o single.h5

# --- columns that are left out ---
file text.csv 'name,"b, c",a,w,d,y' 'x y,9,0.5,1,?,3' ',9,1,1,z,6' '"q, r",9,7,1,,10'
file short.csv a,w,y 0.5,1,3 1,1,6 7,1,10
must 0 import short.csv -o short.h5 --weights w
refused 1 "text.csv:2:1: 'x y' found, .* column 1 \(name\); leave the column out with --ignore name" \
  0 import text.csv -o no.h5 --weights w --levels 0
file holes.csv a,b,y 1,NA,3 2,5,4
refused 1 "holes.csv:2:3: 'NA' found in .* --missing error refuses; fill it in, drop the row, or leave the column out with --ignore b" \
  0 import holes.csv -o no.h5 --missing error
says '^left out: 3 columns of 6$' 3 import text.csv -o text.h5 --weights w \
  --ignore 'name,"b, c",d'
same "text columns" short.h5 text.h5
must 0 import text.csv -o numbers.h5 --weights w --ignore 5,1,2,1 --force
same "by numbers" short.h5 numbers.h5
ranks 0 inspect text.h5 | saw 'provenance:.*, 3 columns left out' ||
  fail "provenance does not tell what was left out"
refused 1 "text.csv:1:1: no column 'b' found, .* correct --ignore" 0 \
  import text.csv -o no.h5 --ignore b
refused 1 "no column '7' found" 0 import text.csv -o no.h5 --ignore 7
refused 1 'column 6 cannot be target and left out at once' 0 \
  import text.csv -o no.h5 --ignore y --target y
refused 1 'column 4 cannot be weight and left out at once' 0 \
  import text.csv -o no.h5 --ignore w --weights w

printf '1 1:1\n2 2:1\n' >x.svm
refused 2 'id are for CSV; x.svm is read as LIBSVM' 0 \
  import x.svm -o no.h5 --ignore 1

# --- one class against all others ---
file all.csv a,b,class 0.5,2,ALL 1,5,AML 7,8,ALL 2,3,MLL
file ones.csv a,b,class 0.5,2,1 1,5,-1 7,8,1 2,3,-1
file all.svm 'ALL 1:0.5 2:2' 'AML 1:1 2:5' ' ALL	1:7 2:8 # c' 'MLL 1:2 2:3'
file ones.svm '1 1:0.5 2:2' '-1 1:1 2:5' '1 1:7 2:8' '-1 1:2 2:3'
file three.svm '3.0 1:0.5 2:2' '2 1:1 2:5' '+3 1:7 2:8' '33 1:2 2:3'
for name in ones.csv ones.svm; do
  must 0 import $name -o $name.h5
done
refused 1 "all.csv:2:7: 'ALL' found, .* the target; .* --positive-class ALL" \
  0 import all.csv -o no.h5
refused 1 "all.svm:1:1: 'ALL' found, .* --positive-class A" 3 \
  import all.svm -o no.h5
for case in all.csv:ALL:ones.csv all.svm:ALL:ones.svm three.svm:3:ones.svm; do
  IFS=: read -r name class ones <<<"$case"
  says "^positive: '$class', 2 of 4 examples$" 3 import "$name" -o "$name.h5" \
    --positive-class "$class"
  same "$name" "$ones.h5" "$name.h5"
  [ "$(key_of "$name.h5" positive_class)" = "\"$class\"" ] ||
    fail "$name: the class is not remembered"
  ranks 0 inspect "$name.h5" | saw "^classes: *1 is '$class', -1 all" ||
    fail "$name: inspect does not say the class"
done
[ "$(key_of ones.csv.h5 positive_class)" = null ] || fail "a class from nowhere"
refused 1 "no example has the target 'all', the first has 'ALL'" 3 \
  import all.csv -o no.h5 --positive-class all
file na.csv a,b,class 0.5,2,ALL 1,5,NA 7,8,AML
refused 1 "na.csv:3:5: 'NA' found" 0 import na.csv -o no.h5 \
  --positive-class ALL
file several.svm '1,2 1:3' '2 1:1'
refused 1 "several.svm:1:2: several labels in '1,2'" 0 \
  import several.svm -o no.h5 --positive-class 2
# the error that sends here, and what becomes of it
must 0 import three.svm -o three.h5
refused 1 'exactly two; import with --positive-class A, such as 33, ' 2 \
  train three.h5 -o no.h5 --loss logistic
must 2 train three.svm.h5 -o model.h5 --solver lasso --loss logistic
# data like these: the same class, which may be missing in them
file fresh.csv class,b,a MLL,2,1 AML,3,1
file fresh1.csv class,b,a -1,2,1 -1,3,1
must 2 import fresh.csv -o fresh.h5 --like all.csv.h5
must 0 import fresh1.csv -o fresh1.h5 --like ones.csv.h5
same "like" fresh1.h5 fresh.h5
refused 2 "the positive class of all.csv.h5 is 'ALL'" 0 \
  import fresh.csv -o no.h5 --like all.csv.h5 --positive-class AML
finish
