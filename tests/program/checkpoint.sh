#!/usr/bin/env bash
# checkpoint.sh - a run that was stopped or killed goes on from its checkpoint, on
# other ranks and data of another form, to the same bytes; what is damaged or of another
# run is noticed
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*
RANDOM=${SEED:-1} # ranks, layouts, damages and moments

must 0 generate murata -o data.h5 --examples 2400 --attributes 300 --support 6 --test 0
must 0 generate murata -o other.h5 --examples 2400 --attributes 300 --support 6 --test 0 \
  --seed 5
must 0 generate murata -o shards.h5 --examples 2400 --attributes 300 --support 6 --test 0 \
  --shards 4

# legs NAME LEGS OPTION...: the run is stopped after each update of LEGS legs, each on
# another number of ranks, then goes on to its end
legs()
{
  local name=$1 most=$2 leg rc data n
  shift 2
  rm -rf kept again.h5 "$name.jsonl" again.jsonl
  must 0 train data.h5 -o "$name.h5" --force --telemetry "$name.jsonl" --report "$name.json" "$@"
  for leg in $(seq "$most") end; do
    mkdir -p kept
    [ "$leg" = end ] || : >kept/STOP
    data=data.h5
    [ "$((RANDOM % 2))" = 0 ] || data=shards.h5
    rc=0
    n=$((RANDOM % 4))
    ranks "$n" train "$data" -o again.h5 --checkpoint kept --telemetry again.jsonl \
      --report again.json --force "$@" >leg.out 2>leg.err || rc=$?
    [ "$rc" -ne 0 ] || break
    compare "$name, leg $leg on $n ranks, $data" "$rc" == 3 >compared
    [ "$rc" = 3 ] || cat compared leg.err
    grep -q '^thresher: file STOP: stopped \(after\|within\) update [0-9]*; the same command goes on' leg.err || {
      fail "$name: $(tail -n 1 leg.err)"
      return
    }
    [ ! -e again.h5 ] || fail "$name: a model of a part"
  done
  [ "$rc" = 0 ] || fail "$name: status $rc: $(tail -n 1 leg.err)"
  cmp "$name.h5" again.h5 || fail "$name: another model after $leg legs"
  cmp <(sed 's/,"seconds\(_left\)*":[^,}]*//g' "$name.jsonl") <(sed 's/,"seconds\(_left\)*":[^,}]*//g' again.jsonl) ||
    fail "$name: another telemetry"
  [ -z "$(ls kept)" ] || fail "$name: checkpoints of a run that has ended: $(ls kept)"
  echo "$name: the same after legs up to $leg"
}

count=2
if long; then count=12; fi
legs sift "$count" --solver sift --budget 60
legs hybrid "$count" --solver hybrid --budget 80 -s 6 --passes 2
legs lasso "$count" --solver lasso --path 8
legs saga "$count" --solver saga --lambda 0.1 --epochs 6
legs oomp "$count" --solver oomp -s 5
if long; then
  legs iht "$count" --solver exploration --budget 60 -s 6 --passes 3
  legs far "$count" --solver lasso --lambda-ratio 0.001
  legs omp "$count" --solver omp -s 5
  legs rda "$count" --solver rda-ito -s 6 --budget 40
  others_than sift exploration hybrid lasso saga omp rda-ito oomp >others
  while read -r -u 7 solver options; do
    # shellcheck disable=SC2086 # words
    legs "$solver" "$count" --solver "$solver" $options
  done 7<others
fi

# --- costs go on
rm -rf kept && mkdir kept && : >kept/STOP
train=(train data.h5 -o cost.h5 --checkpoint kept --solver hybrid --budget 80 -s 6)
stopped()
{
  local rc=0
  "$@" >stopped.out 2>stopped.err || rc=$?
  compare "status of a stopped run" "$rc" == "${STATUS:-3}"
}
must 0 train data.h5 -o whole.h5 --report whole.json --solver hybrid --budget 80 -s 6
stopped ranks 2 "${train[@]}"
must 0 "${train[@]}" --report cost.json
cmp whole.h5 cost.h5 || fail "costs: another model"
compare "updates over both parts" "$(key cost.json updates)" == "$(key whole.json updates)"
compare "bytes observed over both parts" "$(key cost.json bytes_observed)" '>=' \
  "$(key whole.json bytes_observed)"
compare "calls over both parts" "$(key cost.json phases.gradient.calls)" '>=' \
  "$(key whole.json phases.gradient.calls)"

# --- ends by the clock of the batch system, with its own status
for late in THRESHER_STOP_AT SLURM_JOB_END_TIME; do
  STATUS=3 stopped env "$late=$(($(date +%s) - 5))" "$THRESHER" "${train[@]}" --force
done
STATUS=99 stopped env THRESHER_STOP_AT=1 THRESHER_STOP_STATUS=99 "$THRESHER" "${train[@]}" --force
stopped ranks 2 train --source murata:examples=40000,attributes=20000,support=5 -o late.h5 \
  --checkpoint late --max-time 1
export THRESHER_STOP_AT=soon
refused 2 'THRESHER_STOP_AT is soon, not a time' 0 "${train[@]}" --force
unset THRESHER_STOP_AT

# --- another run is not gone on with
stopped env THRESHER_STOP_AT=1 "$THRESHER" "${train[@]}" --force --fresh
refused 2 "with 'budget 80' where this one has 'budget 90'.*--fresh" 2 "${train[@]}" --force --budget 90
refused 2 "with 'data [0-9a-f]*' where this one has" 0 train other.h5 -o cost.h5 --force \
  --checkpoint kept --solver hybrid --budget 80 -s 6
refused 2 "counts only with --checkpoint" 0 train data.h5 -o no.h5 --fresh
refused 2 "give --checkpoint FOLDER with --max-time" 0 train data.h5 -o no.h5 --max-time 5
refused 1 "cannot be made" 0 train data.h5 -o no.h5 --checkpoint none/kept
refused 1 "cannot be opened" 0 train data.h5 -o no.h5 --checkpoint data.h5

# --- what is damaged is noticed: the one before is used, or none
two=(--solver sift --budget 60 --checkpoint two --checkpoint-every 1u --force)
must 0 train data.h5 -o sifted.h5 --budget 60 --solver sift
damaged() # HOW FILE
{
  case $1 in
  byte)
    "$PYTHON" - "$2" "$RANDOM" <<'END'
import random, sys
random.seed(int(sys.argv[2]))
with open(sys.argv[1], 'r+b') as file:
    data = bytearray(file.read())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    file.seek(0)
    file.write(data)
END
    ;;
  short) truncate -s -1 "$2" ;;
  long) printf x >>"$2" ;;
  empty) : >"$2" ;;
  gone) rm "$2" ;;
  pipe) rm "$2" && mkfifo "$2" ;;
  esac
}
rm -rf two
for _ in 1 2; do
  mkdir -p two && : >two/STOP
  stopped ranks 2 train data.h5 -o two.h5 "${two[@]}"
done
rm -rf saved && cp -r two saved
k=0
for how in byte short long empty gone pipe; do
  k=$((k + 1)) # in the ordinary suite every second of these
  for file in manifest part-0 part-1; do
    k=$((k + 1))
    tried $k 2 || continue
    rm -rf two && cp -r saved two
    damaged $how "$(ls two/*."$file" | tail -n 1)"
    n=$((RANDOM % 3))
    ranks "$n" train data.h5 -o two.h5 "${two[@]}" >out 2>err ||
      fail "$how $file, on $n ranks: $(tail -n 1 err)"
    [ "$how.$file" = gone.manifest ] || grep -q '^note: checkpoint two: .* is used' err ||
      fail "$how $file: nothing is said"
    cmp sifted.h5 two.h5 || fail "$how $file: another model"
  done
done
rm -rf two && cp -r saved two
for file in two/*.part-1; do damaged byte "$file"; done
refused 1 "none can be used: [0-9]*.part-1 is damaged; give --fresh to begin anew" 2 train data.h5 \
  -o two.h5 "${two[@]}"
: >two/mine
: >two/000007.part-3
: >two/000009.manifest.partial
must 2 train data.h5 -o two.h5 "${two[@]}" --fresh
cmp sifted.h5 two.h5 || fail "fresh: another model"
[ "$(ls two)" = mine ] || fail "left of a fresh run: $(ls two)"

# --- a folder belongs to one run
mkdir -p one
(
  failures=0 # those before are counted
  flock 9
  refused 1 "another run uses this folder" 2 train data.h5 -o one.h5 --checkpoint one
  exit "$failures"
) 9>one/.lock || failures=$((failures + 1))

# --- where no checkpoint can be written, the run goes on
wide=(--source "murata:examples=400,attributes=20000,support=5" --budget 2000)
must 0 train "${wide[@]}" -o wide.h5
(
  ulimit -f 100
  ranks 0 train "${wide[@]}" -o full.h5 --checkpoint full --checkpoint-every 1u >out 2>err
) || fail "no room: $(tail -n 2 err)"
if [ "$(grep -c 'note: no checkpoint was written: full: .*no space' err)" != 1 ]; then
  fail "no room: not said once"
  cat err >&2
fi
cmp wide.h5 full.h5 || fail "no room: another model"

# --- signals: stop, or only save; they come when one of the first checkpoints is there
long_run=(--source "murata:examples=20000,attributes=3000,support=5" --solver hybrid --budget 600
  -s 5 --passes 4 --force)
must 0 train "${long_run[@]}" -o undisturbed.h5
told() # SIGNAL RANKS
{
  local rc=0
  begin_held "$2" reached KILL_AFTER="$((1 + RANDOM % 4)).manifest" train "${long_run[@]}" -o told.h5 \
    --checkpoint told --checkpoint-every 1u >told.out 2>told.err
  kill "-$1" "$job"
  [ "$1" != USR2 ] || release reached # any thread may have heard it
  wait "$job" || rc=$?
  told_status=$rc
}
for how in TERM:0 INT:0 USR1:2 KILL:0 USR2:0 KILL:2 TERM:2; do
  rm -rf told told.h5
  told "${how%:*}" "${how#*:}"
  release reached # what outlives its launcher
  await 0 nobody_here
  case $how in
  TERM:0 | INT:0 | USR1:2) compare "status after $how" "$told_status" == 3 ;;
  USR2:0) compare "status after $how" "$told_status" == 0 ;;
  KILL:0) compare "status after $how" "$told_status" == 137 ;;
  esac
  ranks "$((RANDOM % 3))" train "${long_run[@]}" -o told.h5 --checkpoint told >again.out 2>again.err ||
    fail "$how: $(tail -n 1 again.err)"
  case $how in
  USR2:0 | KILL:2 | TERM:2) ;; # done, or it may be
  *) grep -q 'going on from checkpoint' again.err || fail "$how: began anew" ;;
  esac
  cmp undisturbed.h5 told.h5 || fail "$how: another model"
done
finish
