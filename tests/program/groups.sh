#!/usr/bin/env bash
# groups.sh - groups of attributes: from a file, from the data set, the same
# model for any number of ranks; what is wrong is said with its line
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# 700 attributes are three cells; no group of a.txt keeps to one of them, and
# ranks share all of them. b.txt: the same groups in other words.
"$PYTHON" - <<'END'
import random
random.seed(4)
d, n = 700, 150
with open("data.csv", "w") as out:
    for i in range(n):
        x = [random.gauss(0, 1) for j in range(d)]
        y = x[3] + x[103] - 2 * x[203] + 0.1 * random.gauss(0, 1)
        out.write(",".join("%.4f" % v for v in x + [y]) + "\n")
with open("a.txt", "w") as out:
    for g in range(100):
        members = ",".join(str(j) for j in range(g, d, 100))
        weight = " weight=%g" % (1 + g % 3) if g % 4 else ""
        out.write(members + weight + "\n")
with open("b.txt", "w") as out:
    out.write("# from the last to the first\n\n")
    for g in reversed(range(100)):
        members = [str(j) for j in range(g, d, 100)]
        weight = "weight=%g " % (1 + g % 3) if g % 4 else ""
        out.write(weight + " ".join(reversed(members)) + " # a group\n")
with open("rows.txt", "w") as out:
    for g in range(70):
        out.write("%d-%d\n" % (10 * g, 10 * g + 9))
END

# Data sets with and without groups.
must 0 import data.csv -o with.h5 --no-shuffle --groups a.txt --shards 2
must 3 import data.csv -o three.h5 --no-shuffle --groups b.txt --shards 2
must 0 import data.csv -o without.h5 --no-shuffle --shards 3
for name in with three without; do
  must 2 inspect "$name.h5" --check
  ranks 0 inspect "$name.h5" --json >"$name.json"
  compare "fingerprint of $name.h5" "$(key "$name.json" fingerprint)" == \
    "$(key with.json fingerprint)"
done
compare "groups of with.h5" "$(key with.json attribute_groups.count)" == 100
compare "groups of three.h5" "$(key three.json attribute_groups)" == \
  "$(key with.json attribute_groups)"
compare "groups of without.h5" "'$(key without.json attribute_groups)'" == "'null'"
"$PYTHON" - <<'END' || fail "groups as h5py sees them"
import h5py
with h5py.File("with.h5") as a, h5py.File("three.h5") as b:
    for name in "first", "count", "group", "weight":
        assert (a["attribute_groups"][name][:] == b["attribute_groups"][name][:]).all()
    first, count, group, weight = (a["attribute_groups"][k][:]
                                   for k in ("first", "count", "group", "weight"))
    assert count.sum() == 700 and (group == first % 100).all()
    assert weight[1] == 2 and weight[4] == 0
END

# The groups of the data set or of a file, on any ranks, in any shards.
train()
{
  must "$1" train "$2" -o "$3" --force --seed 3 --solver prox-sgd --no-standardize --epochs 3 \
    --lambda-ratio 0.2 "${@:4}"
}
for penalty in group sparse-group; do
  train 1 with.h5 "$penalty.h5" --penalty "$penalty"
  for n in 0 2 3 4; do
    train "$n" with.h5 this.h5 --penalty "$penalty" &&
      cmp "$penalty.h5" this.h5 || fail "$penalty, $n ranks: another model"
  done
  train 2 without.h5 this.h5 --penalty "$penalty" --groups b.txt &&
    cmp "$penalty.h5" this.h5 || fail "$penalty with --groups: another model"
  train 2 with.h5 this.h5 --penalty "$penalty" --groups rows.txt &&
    ! cmp -s "$penalty.h5" this.h5 || fail "$penalty: --groups is ignored"
done
# l1 has weights only where they are asked for.
train 1 with.h5 l1.h5 --penalty l1
train 2 without.h5 this.h5 --penalty l1 && cmp l1.h5 this.h5 ||
  fail "l1: the groups of the data set are used"
train 1 with.h5 weighted.h5 --penalty l1 --groups a.txt
train 3 with.h5 this.h5 --penalty l1 --groups a.txt && cmp weighted.h5 this.h5 ||
  fail "l1 with weights: another model on 3 ranks"
! cmp -s l1.h5 weighted.h5 || fail "l1: the weights of --groups are ignored"
# A group stays or goes as a whole; the model says which groups there were.
ranks 0 inspect group.h5 --json >group.json
compare "groups of the model" "$(key group.json deck.groups)" == \
  "$(key with.json attribute_groups.fingerprint)"
"$PYTHON" - <<'END' || fail "parts of groups in the support"
import json
support = json.load(open("group.json"))["support"]
indices = [s if isinstance(s, int) else s["attribute"] for s in support]
assert len(indices) > 0 and len(indices) % 7 == 0, len(indices)
assert len({j % 100 for j in indices}) * 7 == len(indices)
END

# A group whose first rank holds nothing but zeros of it is in the support.
"$PYTHON" - >turned.csv <<'END'
for line in open("data.csv"):
    row = line.strip().split(",")
    print(",".join(row[300:700] + row[:300] + row[700:]))
END
exact=(--solver lasso --no-standardize --penalty sparse-group --mix 0.9 --lambda-ratio 0.2)
must 0 import turned.csv -o turned.h5 --no-shuffle --groups a.txt
must 0 train turned.h5 -o exact.h5 "${exact[@]}"
ranks 0 inspect exact.h5 --json >exact.json
for n in 2 3; do
  must "$n" train turned.h5 -o this.h5 --force "${exact[@]}" &&
    cmp exact.h5 this.h5 || fail "lasso, $n ranks: another model"
done
compare "the members of that group" "'$(key exact.json support)'" == \
  "'[403, 503, 603]'"

# Models carry their groups: a certificate is verified with those it is about.
must 2 verify group.h5 with.h5
must 3 verify weighted.h5 without.h5
must 0 verify l1.h5 with.h5

# What is refused.
printf '0-699\n5\n' >twice.txt
printf '0-100,102-699' >missing.txt
printf '0-699 weight=-1' >weight.txt
job=(-o never.h5 --solver prox-sgd --no-standardize --penalty group)
refused 1 'twice[.]txt:2: attribute 5 is in the groups of lines 1 and 2' 2 \
  train without.h5 "${job[@]}" --groups twice.txt
refused 1 'missing[.]txt: attribute 101 is in no group' 3 \
  import data.csv -o never.h5 --groups missing.txt
refused 1 'weight[.]txt:1:14: the weight must not be below 0' 1 \
  import data.csv -o never.h5 --groups weight.txt
refused 1 'none[.]txt: ' 2 import data.csv -o never.h5 --groups none.txt
refused 2 'needs groups' 2 train without.h5 "${job[@]}"
# A changed table is noticed where it is used, and by a check.
"$PYTHON" - <<'END'
import h5py
with h5py.File("three.h5", "r+") as f:
    f["attribute_groups/weight"][3] = 7
END
refused 1 'three[.]h5.*attribute_groups/weight' 2 inspect three.h5 --check
refused 1 'three[.]h5.*attribute_groups/weight' 2 train three.h5 "${job[@]}"
finish
