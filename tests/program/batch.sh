#!/usr/bin/env bash
# batch.sh - jobs/train.sbatch puts a job into the queue again if it was told to stop,
# stopped in time or lost a node, and not if it is done, has failed, was stopped by a file
# STOP, or comes no further; srun, scontrol and the program are played by scripts
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./* .[a-z]*
mkdir bin
cat >bin/srun <<'END'
#!/usr/bin/env bash
echo "$*" >told
while [ "${1#--}" != "$1" ]; do shift; done
[ "$1" != -n ] || shift 2
exec "$@"
END
cat >bin/scontrol <<'END'
#!/usr/bin/env bash
case $1 in
requeue) echo "$*" >>queue ;;
show) [ "$PLAY" = ended_progress_cancelled ] && echo "JobState=CANCELLED" ;;
esac
END
printf '#!/bin/sh\n' >bin/sleep
# The program: $PLAY says what it does
cat >bin/played <<'END'
#!/usr/bin/env bash
[ "$1" != --version ] || exit 0
stopped="after update 2; the same command goes on from there"
case $PLAY in
*progress*) : >run/000002.manifest ;;
esac
case $PLAY in
told*)
  trap 'echo "thresher: stopped $stopped" >&2; exit 3' USR1
  : >ready
  while :; do /bin/sleep 0.1; done # the trap ends it
  ;;
in_time*) echo "thresher: stopped in time $stopped" >&2 && exit 3 ;;
graced*) echo "thresher: stopped $stopped" >&2 && exit 3 ;; # SIGTERM to the ranks
stop*) echo "thresher: file STOP: stopped $stopped" >&2 && exit 3 ;;
limited*) echo "thresher: stopped after 10 examples; m.h5 is what" >&2 && exit 3 ;;
held*)
  tries=$(($(cat tries 2>/dev/null || echo 0) + 1))
  echo "$tries" >tries
  [ "$tries" -gt "${PLAY##*_}" ] && exit 0
  case $PLAY in
  *folder*) echo "thresher: checkpoint run: another run uses this folder (process 7 on host n2); wait" >&2 ;;
  *) echo "thresher: another run is writing model.h5; wait for it" >&2 ;;
  esac
  exit 1
  ;;
fails) echo "thresher: no data" >&2 && exit 1 ;;
lost*) exit 205 ;;
ended*) echo "thresher: interrupted by SIGTERM, or a node is lost" >&2 && exit 1 ;;
esac
END
chmod +x bin/*

# plays PLAY STATUS QUEUED
plays()
{
  local rc=0 queued=no job
  rm -f queue ready
  PATH=$PWD/bin:$PATH PLAY=$1 SLURM_JOB_ID=7 SLURM_NTASKS=1 SLURM_JOB_NODELIST=n1 \
    THRESHER=played THRESHER_LAUNCHER=srun RUN_FOLDER=run THRESHER_STOP_STATUS=99 \
    bash "$SOURCE/jobs/train.sbatch" data.h5 model.h5 >log 2>&1 &
  job=$!
  case $1 in
  told*)
    await "$job" test -e ready
    kill -USR1 "$job" || fail "$1: $(cat log)"
    ;;
  esac
  wait "$job" || rc=$?
  [ ! -e queue ] || queued=yes
  compare "$1: status" "$rc" == "$2"
  [ "$queued" = "$3" ] || fail "$1: in the queue again: $queued, wanted $3: $(cat log)"
}
plays in_time_progress 3 yes
plays in_time_progress 3 no # the checkpoint is the same
grep -q 'no checkpoint was written, so' log || fail "in time: nothing is said"
# What is cut short or told to end from outside may come no further twice in a row
for play in lost_progress:205 ended_progress:1 told_progress:3 graced_progress:3; do
  rm -rf run
  plays "${play%:*}" "${play#*:}" yes
  plays "${play%:*}" "${play#*:}" yes # the checkpoint is the same
  rm run/*.manifest
  plays "${play%:*}" "${play#*:}" yes # there is progress again
  plays "${play%:*}" "${play#*:}" yes
  plays "${play%:*}" "${play#*:}" yes
  plays "${play%:*}" "${play#*:}" no
  grep -q 'written in 3 starts that were cut short' log || fail "$play: nothing is said"
done
rm -rf run
plays in_time_progress 3 yes
rm run/*.manifest
plays stop_progress 3 no # what the leg before it said does not count
plays limited_progress 3 no
plays ended_progress_cancelled 1 no
plays fails 1 no
# A leg that is dying still has the folder or the model: tried again, but not for ever
for play in held_folder_1:0:2 held_model_3:0:4 held_folder_99:1:12; do
  rm -rf run tries
  IFS=: read -r name status tries <<<"$play"
  plays "$name" "$status" no
  compare "$name: attempts" "$(cat tries)" == "$tries"
done
grep -q '^status 1 ' log || fail "held: $(cat log)"
plays ends 0 no
grep -q -- '^--mpi=pmix ' told || fail "srun hears $(cat told)"
# A cluster whose MPI library talks to srun in another way
export THRESHER_SRUN_MPI=pmi2
plays ends 0 no
grep -q -- '^--mpi=pmi2 ' told || fail "train.sbatch: srun hears $(cat told)"
PATH=$PWD/bin:$PATH THRESHER_LAUNCHER=srun sh "$SOURCE/jobs/launch.sh" 2 true
grep -q -- '^--mpi=pmi2 .*-n 2 true$' told || fail "launch.sh: srun hears $(cat told)"
# Ranks of a node read each other's memory, unless that may be refused, or tests share it
copies() # NAME=VALUE...
{
  env -i PATH="$PATH" "$@" sh -c ". '$SOURCE/jobs/env.sh'
    echo \${OMPI_MCA_btl_vader_single_copy_mechanism:-left} \${OMPI_MCA_smsc:-left}"
}
free="left left"
grep -q '^Seccomp:[[:blank:]]*0' /proc/self/status || free="none ^cma"
[ "$(copies)" = "$free" ] || fail "single copies: $(copies)"
[ "$(copies THRESHER_CROWDED=yes)" = "none ^cma" ] || fail "single copies in tests"
[ "$(copies OMPI_MCA_smsc=xpmem THRESHER_CROWDED=yes)" = "none xpmem" ] ||
  fail "single copies that were chosen: $(copies OMPI_MCA_smsc=xpmem THRESHER_CROWDED=yes)"
finish
