#!/usr/bin/env bash
# train.sh - what training writes beside the model: plan, report, telemetry,
# and a deck that makes the same model again
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
must 2 generate murata -o data.h5 --examples 6000 --attributes 300 --seed 3

ranks 2 train data.h5 --dry-run >plan.txt 2>plan.err
grep -q '^solver: ' plan.txt || fail "--dry-run prints no plan"
page=$(sed -n 's/^theory: .* \([^ ]*\.md\)$/\1/p' plan.txt)
[ -n "$page" ] && [ -s "$SOURCE/$page" ] || fail "--dry-run names no page: $page"
[ ! -s plan.err ] || fail "--dry-run says more than the plan"
grep -qE '^cost: .* to read, roughly [0-9]+ (s|min|h)' plan.txt ||
  fail "--dry-run estimates no time"
ranks 0 train data.h5 --solver lasso --path 5 --dry-run >plan.txt
grep -qE '^cost: +1 rank, .* roughly [0-9]+ (s|min|h)' plan.txt ||
  fail "--dry-run of one rank: $(grep '^cost' plan.txt)"

# one thing is one, two are two
ranks 0 train data.h5 --select truth --passes 1 --dry-run >plan.txt
grep -qE '^plan: .*; 1 pass;' plan.txt || fail "one pass: $(grep '^plan' plan.txt)"
ranks 0 train data.h5 --select truth --passes 2 --dry-run >plan.txt
grep -qE '^plan: .*; at most 2 passes;' plan.txt ||
  fail "two passes: $(grep '^plan' plan.txt)"
ranks 0 generate murata -o one.h5 --examples 1 --attributes 2 --support 1 2>one.txt
grep -q ': 1 example (0 for testing), 2 attributes, 1 of them true' one.txt ||
  fail "one example: $(cat one.txt)"

# data larger than memory, whose runs are short: what would make them longer, and does
for run in 64 100 512; do
  must 0 generate murata -o run$run.h5 --examples 20000 --attributes 300 --row-group $run
  ranks 0 train run$run.h5 --solver exploration -s 10 --budget 150 --dry-run \
    --memory 16M >plan$run.txt
done
grep -q '^reads: .* 64 examples of an attribute, 256 B; import --row-group 512 makes' \
  plan64.txt || fail "--dry-run advises no row group: $(cat plan64.txt)"
grep -q 'import --row-group 512 makes' plan100.txt ||
  fail "no row group is advised for 100 examples: $(cat plan100.txt)"
! grep '^reads:' plan512.txt || fail "the row group that was advised is not enough"
ranks 0 train run64.h5 --solver exploration -s 10 --budget 150 --dry-run >plan.txt
! grep '^reads:' plan.txt || fail "a row group is advised for data that stay in memory"

ranks 0 train data.h5 --solver prox-sgd --dry-run >plan.txt
grep -qE ' at most roughly [0-9]+ (s|min|h)' plan.txt ||
  fail "--dry-run of a run without an end: $(grep '^cost' plan.txt)"
ranks 0 train data.h5 --solver fs-prox-sgd --dry-run >plan.txt
grep -qE ' roughly [0-9].*, at most [0-9]+ (s|min|h)' plan.txt ||
  fail "--dry-run where a gap may end the run: $(grep '^cost' plan.txt)"

# how far a long run is, and how much time is left at most
ranks 0 generate toeplitz -n 4000 -d 1500 -o long.h5 -q
"$THRESHER" train long.h5 -o long.m.h5 --solver prox-sgd 2>long.err &
job=$!
await $job grep -qE '^ *[0-9]+ %, .*, at most [0-9]+ (s|min|h)[^,]* left  lambda ' \
  long.err || fail "progress of prox-sgd: $(cat long.err)"
kill $job
wait $job || true

# what Slurm grants counts, not what the machine has
for granted in "SLURM_MEM_PER_NODE=1" "SLURM_MEM_PER_CPU=1 SLURM_CPUS_ON_NODE=1"; do
  # shellcheck disable=SC2086 # words
  if env $granted "$THRESHER" train data.h5 -o small.h5 --solver hybrid -s 200 \
    --budget 290 2>small.err; then
    fail "$granted is not seen"
  fi
  grep -q '^thresher: this run needs' small.err || fail "$granted: $(cat small.err)"
done

must 2 train data.h5 -o model.h5 --solver hybrid -s 25 --budget 50 \
  --report run.json --telemetry run.jsonl
grep -q '^support: 25 attributes' must.err || fail "the summary has no support"
grep -q '^ledger: ' must.err || fail "the summary has no ledger"
grep -q '^run: .* s on 2 ranks, ' must.err || fail "the summary has no time"
! grep -q '^phase ' must.err || fail "phases that nobody asked for"
[ "$(sed -n '/^support:/=' must.err)" -lt "$(sed -n '/^run:/=' must.err)" ] ||
  fail "the result does not come first"
must 0 train data.h5 -o verbose.h5 --budget 50 --verbose
grep -q '^phase .* max/mean ' must.err || fail "--verbose has no phases"
! grep -E '(^|[^0-9.])1 (passes|ranks|blocks|examples|attributes)\b' must.err ||
  fail "one of something is not many"
must 0 train data.h5 -o verbose.h5 --solver lasso --force -v
grep -q '^  loop .* gap ' must.err || fail "--verbose has no outer loops"
grep -q '^lambda: .* of lambda_max; objective .*, duality gap ' must.err ||
  fail "the summary has no solution"
"$PYTHON" - <<'END' || fail "the report"
import json
run = json.load(open("run.json"))
ranks, phases = run["per_rank"], run["phases"].values()
assert run["ranks"] == len(ranks) == 2
for name in "bytes_read", "bytes_sent":
    assert run[name] == sum(rank[name] for rank in ranks)
assert run["peak_memory_per_rank"] == max(r["peak_memory"] for r in ranks) > 0
assert run["seconds"] == max(rank["seconds"] for rank in ranks) > 0
for rank in ranks: # what the system counts of a process that does something
    assert 0 <= rank["system_seconds"] and 0 < rank["user_seconds"]
    assert 0 < rank["page_faults"] and 0 <= rank["page_faults_on_disk"]
for phase in phases:
    assert 0 <= phase["waiting_mean"] <= phase["seconds_mean"]
    assert phase["seconds_mean"] <= phase["seconds_max"]
    assert 1 <= phase["imbalance"] <= 2
assert run["phases"]["gradient"]["seconds_max"] > 0
assert sum(phase["seconds_mean"] for phase in phases) <= run["seconds"]
assert 0 < sum(phase["bytes_sent"] for phase in phases) <= run["bytes_sent"]
attributes = run["attributes_observed"] + run["validation_attributes"]
assert run["bytes_observed"] == 4 * attributes # f32
assert run["attributes_per_second"] > 0 and run["share_of_read"] > 0
assert abs(run["bytes_per_update"] * run["updates"] / run["bytes_sent"] - 1) < 1e-9
END
"$PYTHON" - <<'END' || fail "the telemetry"
import json
lines = [json.loads(line) for line in open("run.jsonl")]
assert len(lines) >= 3
for a, b in zip(lines, lines[1:]):
    assert a["examples"] <= b["examples"]
    assert a["attributes"] <= b["attributes"]
assert lines[-1]["support_size"] == 25
assert lines[-1]["population_mse"] < lines[0]["population_mse"]
END

# the distance from another model, by its definition: in the last line that of
# the model itself where nothing is fitted after the last update
short=(--solver hybrid -s 12 --budget 50 --validation 0 --refit no)
must 0 train data.h5 -o near.h5 "${short[@]}" --seed 5
must 2 train data.h5 -o plain.h5 "${short[@]}"
must 2 train data.h5 -o again.h5 "${short[@]}" --telemetry plain.jsonl \
  --reference near.h5
cmp plain.h5 again.h5 || fail "--reference changes a model"
rm again.h5
ranks 0 inspect near.h5 --json >near.json
ranks 0 inspect plain.h5 --json >plain.json
"$PYTHON" - <<'END' || fail "the distance in the telemetry"
import json
def coefficients(path):
    model = json.load(open(path))
    return dict(zip(model["support"], model["coef"]))
a, b = coefficients("plain.json"), coefficients("near.json")
assert a.keys() - b.keys() and b.keys() - a.keys()
apart = sum((a.get(j, 0) - b.get(j, 0)) ** 2 for j in a.keys() | b.keys()) ** 0.5
lines = [json.loads(line) for line in open("plain.jsonl")]
assert all(line["distance"] > 0 for line in lines)
assert abs(lines[-1]["distance"] / apart - 1) < 1e-12
END
refused 2 '--reference counts only with --telemetry' 2 train data.h5 -o no.h5 --reference near.h5
refused 1 'near.json: ' 2 train data.h5 -o no.h5 --telemetry no.jsonl \
  --reference near.json
must 0 generate murata -o other.h5 --examples 200 --attributes 299
refused 2 'the model is for 300 attributes, the data have 299' 2 train other.h5 \
  -o no.h5 --telemetry no.jsonl --reference near.h5
refused 2 'near.h5 is an input as well' 2 train data.h5 -o near.h5 --force \
  --telemetry no.jsonl --reference near.h5

must 2 train data.h5 -o silent.h5 --solver hybrid -s 25 --budget 50 --quiet
[ ! -s must.err ] || fail "--quiet is not quiet"
cmp model.h5 silent.h5 || fail "--quiet, --report or --telemetry change a model"

# the deck that inspect prints makes the same model
ranks 0 inspect model.h5 | sed -n '/^\[model\]/,$p' >again.ini
must 2 train data.h5 -o again.h5 --deck again.ini
cmp model.h5 again.h5 || fail "the model's own deck makes another model"

# begin from a model, from a list, from a list with coefficients
must 2 train data.h5 -o from-model.h5 --solver exploitation --start model.h5
must 2 train data.h5 -o from-list.h5 --solver exploitation --start 20,3,17
ranks 0 inspect from-list.h5 --json >list.json
compare "support" "$(key list.json support)" == '[3, 17, 20]'
must 0 train data.h5 -o from-coef.h5 --solver exploitation --start 3:0.5,17:-1
usage()
{
  refused 2 "$1" 2 train data.h5 -o no.h5 --solver exploitation --start "$2"
}
usage 'not a list such as' '3,,4'
usage 'attribute 300 is not within 0..299' '3,300'
usage 'attribute 3 is there twice' '3,4,3'
usage 'to all attributes or to none' '3,4:1'

# exploration and hybrid begin with H_s of it, before a step that changes nothing;
# batches as given, one after the other, and then growing
for solver in exploration hybrid; do
  exploit=0
  small=
  if [ $solver = hybrid ]; then
    exploit=5
    small="--batch-exploit 5 --updates-exploit 1"
  fi
  # shellcheck disable=SC2086 # words
  must 2 train data.h5 -o from-more.h5 --force --solver $solver -s 2 --budget 102 \
    --start 3:0.5,17:-1,20:0.7 --eta 1e-9 --refit no --rounds 4 --growth 2 --passes 9 \
    --validation 0 --batch-explore 10,40,20 $small \
    --telemetry sizes.jsonl
  ranks 0 inspect from-more.h5 --json >more.json
  compare "the two largest" "$(key more.json support)" == '[17, 20]'
  compare "their values" "[round(x, 6) for x in $(key more.json coef)]" == '[-1, 0.7]'
  "$PYTHON" - sizes.jsonl $exploit <<'END' || fail "the batches of $solver"
import json
import sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="ascii")]
seen = [line["examples"] for line in lines if "update" in line]
steps = [b - a for a, b in zip([0] + seen, seen) if b > a]
each = int(sys.argv[2])
wanted = [3 * rows + (each << k) for k, rows in enumerate((10, 40, 20, 40))]
sys.exit(steps != wanted and "%s, wanted %s" % (steps, wanted))
END
done
refused 2 'has 3 attributes, and the model at most 2: give coefficients' \
  2 train data.h5 -o no.h5 --solver hybrid -s 2 --budget 102 --start 3,17,20
refused 2 'batch-explore x: not a whole number' 2 train data.h5 -o no.h5 \
  --solver hybrid -s 2 --budget 102 --batch-explore 10,x

# a step size that is far too large comes down; where it never comes down far
# enough, that is an error, not an empty model
must 2 train data.h5 -o large.h5 --solver hybrid -s 5 --budget 20 --eta 1e6
grep -q '^note: .*the step size is now' must.err || fail "a step size of 1e6 stays"
refused 1 'step size' 2 train data.h5 -o no.h5 --solver hybrid -s 5 \
  --budget 20 --eta 1e200

# values whose squares leave the range of f32 count like any others
"$PYTHON" - <<'END' || fail "cannot write far.csv"
import numpy
draw = numpy.random.RandomState(1)
x = draw.randn(500, 9)
y = x[:, 0] + x[:, 1] + 0.1 * draw.randn(500)
x[:, 0] *= 1e30
x[:, 1] *= 1e-30
numpy.savetxt("far.csv", numpy.column_stack([x, y]), fmt="%.9g", delimiter=",")
END
must 0 import far.csv -o far.h5
must 0 train far.h5 -o far-model.h5
compare "attributes 0 and 1" "$(ranks 0 inspect far-model.h5 --json |
  "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["support"] == [0, 1])')" \
  == True

refused 1 'model.h5' 2 train data.h5 -o model.h5
refused 1 'run.json' 2 train data.h5 -o no.h5 --report run.json
refused 1 'run.jsonl' 2 train data.h5 -o no.h5 --telemetry run.jsonl
refused 1 'model.h5' 2 train model.h5 -o no.h5
refused 2 'budget' 2 train data.h5 -o no.h5 --budget 301
refused 2 'budget' 2 train data.h5 -o no.h5 --solver hybrid -s 50 --budget 50
finish
