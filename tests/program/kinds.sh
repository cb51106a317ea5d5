#!/usr/bin/env bash
# kinds.sh - what stands in the columns of tables: text for a data set or a model has the kinds of
# fields that their text had; words of --missing are missing in columns of all kinds; long decimals
# with a comma; blanks inside quotes; line ends inside quotes; rows that end with a delimiter
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# says PATTERN: the last run of must did
says()
{
  grep -qE -- "$1" must.err || fail "wanted '$1': $(cat must.err)"
}

# --- the kinds of older data ---
printf '%s\n' since,share,flag,color,y 2020-01-01,5%,yes,red,1 2020-02-01,6%,no,blue,2 \
  2020-03-01,7%,yes,red,3 2020-04-01,8%,no,red,4 2020-05-01,9%,yes,blue,5.5 >old.csv
printf '%s\n' color,flag,share,since red,yes,5%,2020-06-01 blue,no,7%,2020-07-01 >good.csv
printf '%s\n' since,share,flag,color 2020-01-01,5%,yes,red 43831,0.05,3,red 43862,0.06,0,blue >bad.csv
must 2 import old.csv -o old.h5 --target y
must 0 train old.h5 -o m.h5 --solver lasso --lambda-ratio 0.001 --no-standardize # one attribute
for n in 0 2; do
  must $n import good.csv --like old.h5 -o good.h5 --force
  refused 1 "bad.csv:3:1: 3 columns are of another kind than in old.h5: column 1, 'since', has numbers, such as '43831', where dates were, column 2, 'share', has numbers, such as '0.05', where numbers with % were, column 3, 'flag', has numbers, such as '3', where truth values were" \
    $n import bad.csv --like old.h5 -o no.h5
  refused 1 "bad.csv:3:1: .* of another kind than in good.h5" $n import bad.csv --like good.h5 -o no.h5
  refused 1 "bad.csv:3:1: 1 column is of another kind than in m.h5: column 1, 'since'," \
    $n predict m.h5 bad.csv -o p.csv
done
must 0 predict m.h5 good.csv -o p.csv
[ ! -e no.h5 ] || fail "something was left"
printf '%s\n' since,share,flag,color,y 7,5%,yes,red,1 >more.csv
refused 1 "more.csv:2:1: 1 column is of another kind than in old.h5: column 1, 'since'" \
  2 import more.csv --append -o old.h5
# each kind where plain numbers were, also after the rows that are looked at first
printf '%s\n' a,b,y 1,2,3 2,3,4 5,1,2 >plain.csv
must 0 import plain.csv -o plain.h5 --target y
for field in 2020-01-01 7% yes; do
  { echo a,b,y; seq -f '%g,2,3' 1200; echo "$field,8,9"; } >late.csv
  refused 1 "late.csv:1202:1: 1 column is of another kind than in plain.h5: column 1, 'a'" \
    2 import late.csv --append -o plain.h5
done
# the target, and a column that has nothing but later numbers
printf '%s\n' a,b,y 1,2,yes 2,3,no >truth.csv
refused 1 "truth.csv:2:1: 1 column is of another kind .* column 3, 'y'" \
  0 import truth.csv --append -o plain.h5
{ echo since,share,flag,color; printf ',5%%,yes,red\n%.0s' $(seq 1200); echo 7,5%,yes,red; } >empty.csv
refused 1 "empty.csv:1202:1: 1 column is of another kind than in old.h5: column 1, 'since'" \
  2 import empty.csv --like old.h5 -o no.h5
# without a header, by places
sed 1d old.csv | cut -d, -f1-3,5 >bare.csv
must 0 import bare.csv -o bare.h5 --header no
must 0 train bare.h5 -o bare.m.h5 --solver lasso --lambda-ratio 0.001
printf '43831,5%%,yes,1\n' >bare_bad.csv
refused 1 "bare_bad.csv:1:1: 1 column is of another kind than in bare.h5: column 1 has numbers" \
  0 import bare_bad.csv --like bare.h5 -o no.h5 --header no
refused 1 "bare_bad.csv:1:1: 1 column is of another kind than in bare.m.h5: column 1 has" \
  0 evaluate bare.m.h5 bare_bad.csv --header no

# --- --missing in columns of every kind ---
for pair in 1900-01-01:2020-01-0 9999-12-31:2020-01-0 no:yes FALSE:TRUE -99%:5%; do
  word=${pair%:*} usual=${pair#*:}
  case $usual in *0) usual=${usual}1 ;; esac
  printf '%s\n' a,b,y "$usual,1,2" "$word,2,3" "$usual,3,4" >g.csv
  must 0 import g.csv -o g.h5 --missing "$word" --force
  says '^missing:  1 value of 1 of 2 attributes'
  printf '%s\n' a,b,y "1,$usual,$usual" "2,$usual,$word" >t.csv
  refused 1 "t.csv:3:.*$word.* a missing value" 0 import t.csv -o no.h5 --target y --missing "$word"
done

# --- fields ---
zeros=$(printf '%066d' 0)
printf '%s\n' 'y;a' "1;0,${zeros}123" "2;1,${zeros}124" '3;0,5' >long.csv
must 0 import long.csv -o long.h5 --decimal , --target y
! grep -q words: must.err || fail "long numbers are words"
printf '%s\n' a,c,y '"12 ","red ",1' '" 13",red,2' '" ",blue,3' >blanks.csv
must 0 import blanks.csv -o blanks.h5 --target y
says "^words: +'c' has 2,"
says '^missing:  1 value of 1 of 3 attributes'
printf 'id,text,a,y\n1,"hello\nworld",5,1\n2,"x",6,2\n' >lines.csv
refused 1 "lines.csv:2:3: .*line end inside them, which rows cannot have" \
  0 import lines.csv -o no.h5 --ignore id,text
for end in ',' ';'; do
  printf "y,a,b\n1,2,3,\n4,5,6, \n7,8,8,\r\n" | tr , "$end" >ends.csv
  refused 1 "ends.csv:1:1: rows end with .* names 3 of 4 columns, and the last one is empty" \
    0 import ends.csv -o no.h5 --target y
done
printf 'y,a,b\nr1,2,3,\nr2,5,6,7\nr3,8,8,2\n' >names.csv
must 0 import names.csv -o names.h5 --target y
says '^IDs: +column 1 of 4, the names of rows'
finish
