#!/usr/bin/env bash
# checkpoint_edges.sh KILL_AT.so - an update without an end is left when a stop is asked for;
# checkpoints are neither lost, nor mixed, nor taken for other files
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
kill_at=$1
rm -rf ./* .[a-z]*

must 0 generate murata -o data.h5 --examples 800 --attributes 200 --support 5 --test 0.1 \
  --row-group 64
stopped()
{
  local rc=0
  "$@" >stopped.out 2>stopped.err || rc=$?
  compare "status of a stopped run" "$rc" == 3
}

# all_at_work N: so many ranks have worked for half a second each, which is longer than it
# takes to begin
all_at_work()
{
  local rank ticks count=0
  for rank in $(ranks_here); do
    ticks=$(cut -d ' ' -f 14 "/proc/$rank/stat")
    [ "${ticks:-0}" -lt $(($(getconf CLK_TCK) / 2)) ] || count=$((count + 1))
  done
  [ "$count" -ge "$1" ]
}

# --- an update that would take hours is left where it is
endless=(train data.h5 -o endless.h5 --solver saga --lambda 0.01 --epochs 1000000000
  --screen-every 1000000000000 --force -q)
for n in 0 2; do
  launch=("$THRESHER")
  [ "$n" = 0 ] || launch=(sh "$SOURCE/jobs/launch.sh" "$n" "$THRESHER")
  mkdir -p kept
  "${launch[@]}" "${endless[@]}" --checkpoint kept >out 2>err &
  job=$!
  await $job all_at_work $((n > 0 ? n : 1))
  if [ "$n" = 0 ]; then kill -USR1 "$job"; else : >kept/STOP; fi
  rc=0
  wait "$job" || rc=$?
  compare "status of a run that is left, on $n ranks" "$rc" == 3
  grep -q '^thresher: \(file STOP: \)\?stopped before the first update was done' err || fail "$(cat err)"
  [ -z "$(ls kept)" ] || fail "left: $(ls kept)"
done
if long; then # within the end of sift, which takes some seconds
  must 0 generate murata -n 20000 -d 2000 --support 20 --test 0 -o wide.h5
  must 0 train wide.h5 -o whole.h5 --budget 2000
  for n in 0 2; do
    stopped ranks "$n" train wide.h5 -o left.h5 --budget 2000 --checkpoint left --max-time 3 --force
    must "$n" train wide.h5 -o left.h5 --budget 2000 --checkpoint left --force
    cmp whole.h5 left.h5 || fail "left within the end, on $n ranks: another model"
  done
fi

# --- a run that begins with some attributes goes on, too
for start in 5,6 5:1,6:2; do
  must 0 train data.h5 -o start.h5 --solver omp -s 8 --start "$start" --force
  for leg in 1 2; do
    stopped env THRESHER_STOP_AT=1 "$THRESHER" train data.h5 -o again.h5 --solver omp -s 8 \
      --start "$start" --force --checkpoint start
  done
  must 2 train data.h5 -o again.h5 --solver omp -s 8 --start "$start" --force --checkpoint start
  cmp start.h5 again.h5 || fail "start $start, after leg $leg: another model"
done

# --- --fresh removes nothing before the run can begin; a folder in the place of a manifest
# is in nobody's way
path=(train data.h5 -o path.h5 --solver lasso --path 5 --force --checkpoint fresh)
stopped env THRESHER_STOP_AT=1 "$THRESHER" "${path[@]}"
before=$(ls fresh)
refused 1 'absent.h5' 0 "${path[@]}" --fresh --telemetry path.jsonl --reference absent.h5
refused 1 'more than two values' 0 "${path[@]}" --fresh --loss logistic
[ "$(ls fresh)" = "$before" ] || fail "--fresh has removed: $before"
mkdir fresh/000009.manifest
must 0 "${path[@]}" --fresh
[ "$(ls fresh)" = 000009.manifest ] || fail "left: $(ls fresh)"

# --- names, numbers, and folders that are others
refused 2 'has a name as files of checkpoints have it' 0 train data.h5 -o fresh/000001.part-0 \
  --checkpoint fresh
mkdir odd
echo mine >odd/9223372036854775807.part-0
stopped env THRESHER_STOP_AT=1 "$THRESHER" "${path[@]}" --checkpoint odd
must 0 "${path[@]}" --checkpoint odd
[ "$(ls odd)" = 9223372036854775807.part-0 ] || fail "odd numbers: $(ls odd)"
mkdir far # the largest number that names have: those after it would not be found
echo mine >far/70368744177664.part-0
stopped env THRESHER_STOP_AT=1 "$THRESHER" "${path[@]}" --checkpoint far
[ -e far/000001.manifest ] || fail "far numbers: $(ls far)"
must 0 "${path[@]}" --checkpoint far
mkdir -p a/kept b/kept
for folder in a b; do cp -r data.h5 data.shards $folder; done
rc=0
# (an mpirun of version 5 breaks when it is asked for two folders itself)
# shellcheck disable=SC2016 # the ranks expand it
timeout -k 5 "$LIMIT" "${THRESHER_MPIRUN:-mpirun}" -n 2 sh -c '
  [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] && cd a || cd b
  exec "$0" train data.h5 -o path.h5 --checkpoint kept' "$THRESHER" >out 2>err || rc=$?
compare "status where ranks see two folders" "$rc" == 1
grep -q '^thresher: rank 1: checkpoint kept: is another folder here' err || fail "$(cat err)"

# --- the report's name is claimed at the start, a telemetry tells what it lacks
path=(train data.h5 -o path.h5 --solver lasso --path 5 --force --checkpoint gap)
stopped env THRESHER_STOP_AT=1 "$THRESHER" "${path[@]}"
must 0 "${path[@]}" --telemetry gap.jsonl
grep -q 'note: .* without a telemetry file, and are not in this one' must.err ||
  fail "a gap in the telemetry: $(cat must.err)"

# --- a checkpoint does not grow by the telemetry, which is kept once. What is behind a
# checkpoint is cut off; what is lost is told, and the model is the same
growing=(train data.h5 -o grown.h5 --solver ogd-ridge --passes 20 --force)
must 0 "${growing[@]}" --telemetry whole.jsonl
mv grown.h5 whole.h5
untimed() { sed 's/,"seconds\(_left\)*":[^,}]*//g; s/,"run":.*/}/' "$1"; }
killed_late() # OPTION...
{
  rm -rf grown
  KILL_AT=900 LD_PRELOAD=$kill_at ranks 0 "${growing[@]}" "$@" --checkpoint grown \
    --checkpoint-every 1u >out 2>&1 && fail "not killed: $*"
  stat -c %s grown/*.part-0 | sort -n | tail -n 1 >size
}
killed_late
alone=$(cat size)
killed_late --telemetry grown.jsonl
compare "bytes of a part beside a telemetry" "$(cat size)" '<' "$((alone + 1000))"
compare "bytes of the telemetry" "$(stat -c %s grown/telemetry.kept)" '>' 5000
echo '{"update":77' >>grown/telemetry.kept
must 0 "${growing[@]}" --telemetry grown.jsonl --checkpoint grown
grep -q 'going on from checkpoint' must.err || fail "grown: began anew"
cmp whole.h5 grown.h5 || fail "grown: another model"
cmp <(untimed whole.jsonl) <(untimed grown.jsonl) || fail "grown: another telemetry"
[ -z "$(ls -A grown)" ] || fail "grown: left: $(ls -A grown)"
for how in 'truncate -s 100' 'sed -i s/loss/LOSS/' rm; do
  killed_late --telemetry grown.jsonl
  $how grown/telemetry.kept
  must 0 "${growing[@]}" --telemetry grown.jsonl --checkpoint grown
  cmp whole.h5 grown.h5 || fail "grown, $how: another model"
  grep -q '^note: the updates so far are not in the telemetry file: .*telemetry.kept' must.err ||
    fail "grown, $how: $(cat must.err)"
  cmp <(untimed whole.jsonl | tail -n "$(wc -l <grown.jsonl)") <(untimed grown.jsonl) ||
    fail "grown, $how: not the rest of the telemetry"
done
refused 2 'has a name as files of checkpoints have it' 0 train data.h5 -o x.h5 \
  --telemetry grown/telemetry.kept --checkpoint grown
"$THRESHER" "${endless[@]}" --report claimed.json 2>err &
job=$!
await $job test -e .claimed.json.partial
refused 1 'another run is writing claimed.json' 0 train data.h5 -o other.h5 --report claimed.json
kill "$job"
wait "$job" || true
export THRESHER_STOP_STATUS=abc
refused 2 'THRESHER_STOP_STATUS is abc, not a number' 0 "${path[@]}"
unset THRESHER_STOP_STATUS

# --- SIGUSR2 where there is nothing to write
for words in "generate murata -n 40000 -d 500 -o much.h5" "train --source murata:n=30000,d=3000 --solver hybrid --budget 600 -s 5 -o usr2.h5"; do
  begin_held 0 reached KILL_AT=1 $words --force -q 2>err
  for _ in $(seq 40); do
    kill -USR2 "$job" 2>/dev/null || break
    sleep 0.02
  done
  wait "$job" || fail "$words: ended by SIGUSR2: $(cat err)"
done
finish
