#!/usr/bin/env bash
# slurm.sh NO_LOCKS.so - jobs under Slurm, on a throw-away cluster of two nodes: training
# by train.sbatch gives the same bytes as without Slurm; a scaling study; jobs that
# are told to end, are preempted, or lose a node, go on
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
no_locks=$1

cluster=$PWD/cluster
bash "$SOURCE/tests/program/slurm_down.sh" "$cluster" # of a run that was killed
rm -rf ./*

trap 'bash "$SOURCE/tests/program/slurm_down.sh" "$cluster"' EXIT
bash "$SOURCE/tests/program/slurm_up.sh" "$cluster" 2 || exit $?
export SLURM_CONF=$cluster/slurm.conf THRESHER
# Jobs have their nodes to themselves, and a network
unset THRESHER_CROWDED THRESHER_LAUNCHER THRESHER_MPIRUN
unset "${!OMPI_MCA_@}" "${!PRTE_MCA_@}"
# The pretend nodes have more processors than the machine: who waits lets others work
export OMPI_MCA_mpi_yield_when_idle=1
. "$SOURCE/jobs/env.sh"
PAUSE=0.2 # every look at a job is a program of its own

# No job comes to the end of its time: legs are ended by what the test does.
hours=12:00:00
jobs=()
submit() # NAME SBATCH-ARGUMENT...
{
  jobs+=("$1:$(sbatch --parsable --job-name="$1" --output="$1.log" \
    --error="$1.log" --time="$hours" "${@:2}")")
}

job_state() # ID
{
  scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'
}

restarts() # ID
{
  scontrol show job "$1" 2>/dev/null | sed -n 's/.* Restarts=\([0-9]*\).*/\1/p'
}

# hasten ID: a job that is in the queue again, which Slurm lets wait for two minutes. Not
# at once: the last leg's credential is still known.
hastened=
hasten()
{
  local leg
  leg=$1:$(restarts "$1")
  case $leg in *:0 | "$hastened") return ;; esac
  hastened=$leg
  scontrol update JobId="$1" StartTime=now+3
}

# ended JOB: for good; what Slurm has answered is in $state
ended()
{
  state=$(job_state "$1")
  case $state in
  PENDING)
    hasten "$1" || true
    return 1
    ;;
  RUNNING | COMPLETING | '') return 1 ;;
  esac
}

# All jobs have to end well.
wait_jobs()
{
  local job state
  for job in "${jobs[@]}"; do
    await 0 ended "${job#*:}" || true
    if [ "$state" != COMPLETED ]; then
      fail "job ${job%%:*}: $state"
      cat "${job%%:*}.log" >&2
    fi
  done
}

train_options=(--budget 80 --solver hybrid -s 6 --passes 2)
must 0 generate murata -o data.h5 --examples 3000 --attributes 400 --support 6 \
  --shards 3
must 0 train data.h5 -o plain.h5 "${train_options[@]}"
batch=$SOURCE/jobs/train.sbatch
submit one -N 1 --ntasks-per-node=2 "$batch" data.h5 one.h5 "${train_options[@]}"
submit two -N 2 --ntasks-per-node=2 "$batch" data.h5 two.h5 "${train_options[@]}"
THRESHER_LAUNCHER=mpirun submit three -N 2 --ntasks-per-node=1 "$batch" \
  data.h5 three.h5 "${train_options[@]}"
submit study -N 1 -n 2 --wrap "bash '$SOURCE/jobs/strong_scaling.sh' \
  --out '$PWD/study' --repeats 1 --examples 600 --attributes 2000 \
  --budget 500 --passes 2"
# The page's line as it is printed
mkdir -p typed/build
ln -s "$SOURCE/jobs" typed/jobs
ln -s "$BUILD" typed/build/release
must 0 generate murata -o typed/mine.h5 --examples 600 --attributes 90
readme_commands jobs/README.md '## A job under Slurm' | grep ' sbatch ' >typed/line
(cd typed && env -u THRESHER SBATCH_OUTPUT=../readme.log SBATCH_TIMELIMIT=$hours sh -e line) >typed.out ||
  fail "not submitted: $(cat typed/line)"
jobs+=("readme:$(sed -n 's/^Submitted batch job //p' typed.out)")
wait_jobs
[ -s typed/mine-model.h5 ] || fail "no model from $(cat typed/line)"

for name in one two three; do
  cmp plain.h5 "$name.h5" || fail "$name.h5 differs from the model without Slurm"
done
for name in one:2 two:4 three:2; do
  compare "ranks of job ${name%:*}" \
    "$(key "$(echo "${name%:*}".run-*/report.json)" ranks)" '==' "${name#*:}"
done
# --- a job whose first leg is cut short is put into the queue again, and goes on
long_options=(--solver ogd-ridge --passes 10 --validation 0)
must 0 generate murata -o long.h5 --examples 3000 --attributes 300 --support 5
must 0 train long.h5 -o undisturbed.h5 "${long_options[@]}"

# again JOB: it is in the queue for the second time. There it stays, since no job begins
# in a partition that is down; what runs in it runs on.
again()
{
  [ "$(restarts "$1")" -ge 1 ] && [ "$(job_state "$1")" = PENDING ]
}
is_state()
{
  [ "$(job_state "$1")" = "$2" ]
}
partition()
{
  scontrol update PartitionName="$1" State="$2"
}

# How a leg is cut short
told() { scancel --batch --signal=USR1 "$1"; }
preempted()
{
  urgent=$(sbatch --parsable --output=urgent.log --time="$hours" -p urgent -N 2 \
    --ntasks-per-node=2 --wrap 'until [ -e go ]; do sleep 0.2; done')
}
graced() { preempted; } # its ranks are told to end first
loses_node() { scontrol update NodeName=n2 State=DOWN Reason=test; }

# The program, whose first leg waits behind its first checkpoint, until a signal comes
cat >held <<END
#!/bin/sh
LD_PRELOAD='$KILL_AT_LIBRARY'\${LD_PRELOAD:+:\$LD_PRELOAD}\${ALSO_PRELOADED:+:\$ALSO_PRELOADED}
export LD_PRELOAD
KILL_AFTER=.manifest exec '$THRESHER' "\$@"
END
chmod +x held

# legs LAUNCHER HOW
legs()
{
  local leg name=legs-$1-$2 partition=main
  [ "$2" != graced ] || partition=graced
  rm -f go
  export THRESHER_LAUNCHER=$1 RUN_FOLDER=$PWD/$name HOLD=$PWD/$name.held
  leg=$(THRESHER=$PWD/held sbatch --parsable --output="$name.log" --time="$hours" -N 2 \
    --ntasks-per-node=1 -p $partition "$batch" long.h5 "$name.h5" "${long_options[@]}" \
    --checkpoint-every 50u --telemetry "$name.jsonl")
  await 0 test -s "$name.held" || cat "$name.log" >&2
  partition $partition DOWN
  "$2" "$leg"
  await 0 again "$leg" || scontrol show job "$leg" >&2
  : >go
  case $2 in
  loses_node) scontrol update NodeName=n2 State=RESUME 2>/dev/null || true ;; # by itself
  preempted | graced) await 0 is_state "$urgent" COMPLETED ;;
  esac
  partition $partition UP
  jobs=("$name:$leg")
  wait_jobs
  cmp undisturbed.h5 "$name.h5" || fail "$name: another model after two legs"
  grep -q 'going on from checkpoint' "$RUN_FOLDER/stderr" || fail "$name: began anew"
  [ -z "$(ls "$RUN_FOLDER"/*.manifest 2>/dev/null)" ] || fail "$name: checkpoints are left"
  unset THRESHER_LAUNCHER RUN_FOLDER HOLD
}

# On a file system without locks, a leg that was killed leaves the record of its owner.
# The next leg is on another node, from where nobody can look at that process.
killed_without_locks()
{
  local leg name=legs-unlocked owner
  export RUN_FOLDER=$PWD/$name NO_FLOCK=38 NO_OFD=38 ALSO_PRELOADED=$no_locks
  export HOLD=$PWD/$name.held
  scontrol update NodeName=n2 State=DRAIN Reason=test
  leg=$(THRESHER=$PWD/held sbatch --parsable --output="$name.log" --time="$hours" -N 1 \
    --ntasks-per-node=1 "$batch" long.h5 "$name.h5" "${long_options[@]}" \
    --checkpoint-every 100u)
  await 0 test -s "$name.held" || cat "$name.log" >&2
  owner=$(readlink "$RUN_FOLDER/.lock.owner")
  case $owner in "thresher n1 "*" $leg.thresher 0 "*) ;; *) fail "owner: $owner" ;; esac
  scontrol update NodeName=n2 State=RESUME
  scontrol update NodeName=n1 State=DRAIN Reason=test
  partition main DOWN
  scancel --signal=KILL "$leg.0"
  await 0 again "$leg" || scontrol show job "$leg" >&2
  [ "$(readlink "$RUN_FOLDER/.lock.owner")" = "$owner" ] || fail "$name: the record is gone"
  partition main UP
  unset RUN_FOLDER NO_FLOCK NO_OFD ALSO_PRELOADED HOLD
  jobs=("$name:$leg")
  wait_jobs
  cmp undisturbed.h5 "$name.h5" || fail "$name: another model after two legs"
  grep -q 'going on from checkpoint' "$name/stderr" || fail "$name: began anew"
  grep -q 'on n2' "$name/environment" || fail "$name: not on the other node"
  [ -z "$(find "$name" . -maxdepth 1 -name '.*.owner' -o -maxdepth 1 -name '.lock')" ] ||
    fail "$name: records are left"
  scontrol update NodeName=n1 State=RESUME
}
killed_without_locks
legs srun told
legs mpirun told
legs srun preempted
legs srun graced
legs mpirun loses_node

has_manifest()
{
  ls "$1"/*.manifest
}

# --- the network of a node is taken down: without Slurm, since it would wait longer
cat >agent <<END
#!/bin/sh
host=\$1
shift
exec nsenter -t "\$(cat '$cluster/nodes/'"\$host.pid")" -n -u -i -m -p --wd='$PWD' -- sh -c "\$*"
END
chmod +x agent
network=$(sed -n 's/ n1$//p' "$cluster/hosts")
network=${network%.*}.0/24
: >lost.err
timeout -k 5 "$LIMIT" mpirun -H n1:1,n2:1 --bind-to none --mca plm rsh --mca ras ^slurm \
  --mca plm_rsh_agent "$PWD/agent" --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl tcp,self \
  --mca oob_tcp_if_include "$network" --mca btl_tcp_if_include "$network" \
  "$THRESHER" train long.h5 -o lost.h5 --solver prox-sgd --lambda-ratio 0.001 --epochs 1000000 \
  --checkpoint lost --checkpoint-every 1u >lost.out 2>lost.err &
running=$!
await $running has_manifest lost || fail "no checkpoint: $(cat lost.err)"
ip link set "$(cat "$cluster/bridge").2" down
SECONDS=0
wait "$running" && fail "a run without its network ended well"
# half a minute by what jobs/env.sh sets; the system's own would be a quarter of an hour
compare "seconds until the loss of the network was noticed" "$SECONDS" '<' 300
grep -q 'interrupted by SIGTERM, .* a node is lost' lost.err || fail "no line: $(cat lost.err)"
ranks 1 train long.h5 -o lost.h5 --solver prox-sgd --lambda-ratio 0.001 --epochs 1000000 \
  --checkpoint lost --max-time 3s 2>again.err || [ $? -eq 3 ] || fail "the run did not go on"
grep -q 'going on from checkpoint' again.err || fail "began anew: $(cat again.err)"
ip link set "$(cat "$cluster/bridge").2" up

# A failing run is a failing job: the program's status is the job's.
bad=$(sbatch --parsable --wait --output=refused.log "$batch" none.h5 x.h5) &&
  fail "job ${bad:-?} without data did not fail"
[ "$(head -n 1 study/summary.csv | cut -d , -f 1-5)" = \
  ranks,seconds,efficiency,share_of_read,bytes_per_update ] ||
  fail "study: head of summary.csv"
[ "$(cut -d , -f 1 study/summary.csv | tail -n 2 | tr '\n' ' ')" = "1 2 " ] ||
  fail "study: wanted rows of 1 and 2 ranks"
finish
