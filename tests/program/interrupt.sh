#!/usr/bin/env bash
# interrupt.sh - a run that is interrupted at any moment takes
# away what it had begun, says so in one line, and leaves what was there before;
# one that was killed leaves nothing that the next one does not take away
# SPDX-License-Identifier: MIT
set -euo pipefail
# What mpirun gives ranks when nobody says otherwise is a second to take leave; where
# others are busy a second may be none.
export OMPI_MCA_odls_base_sigkill_timeout=4 PRTE_MCA_odls_base_sigkill_timeout=4
. "$SOURCE/tests/support/lib.sh"
count=16 # half of them at a moment, half of them at a call
RANDOM=1
if long; then
  count=200
  RANDOM=7
fi
rm -rf ./* .[a-z]*

# Large enough for a fifth of a second, or more where there are ranks.
make_data()
{
  local common="--examples 2000 --attributes 1200 --support 8 --row-group 256"
  declare -g make="murata $common --shards 3"
  must 0 generate $make -o data.h5 --seed 3
  must 0 train data.h5 -o model.h5 --solver lasso --lambda-ratio 0.2
  "$PYTHON" - <<'END'
import random
random.seed(5)
with open("text.svm", "w") as f:
    for i in range(4000):
        f.write("%d " % (i % 7) + " ".join(
            "%d:%.5f" % (j, random.random()) for j in range(1 + i % 9, 400, 9))
            + "\n")
END
  gzip text.svm
}

declare -A commands=(
  [generate]='generate $make -o made.h5 --seed 4'
  [import]='import text.svm.gz -o made.h5 --memory 300k --shards 3'
  [train]="train data.h5 -o made.h5 --report made.json --telemetry made.jsonl \
    --solver os-prox-sgd --lambda-ratio 0.02 --epochs 20"
  [predict]='predict model.h5 data.h5 -o made.csv'
)
names=(generate import train predict)

outputs()
{
  find . -name '*made*' | sort
}

# What was there, byte for byte.
content()
{
  find . -name '*made*' -type f | sort | xargs -r sha256sum
}

# begin N ARGUMENT...: in the background, but with SIGINT as in the foreground;
# $pid gets the signals. $program is the program, and words before it.
begin()
{
  local n=$1
  shift
  local launch=("${program[@]}")
  [ "$n" -eq 0 ] ||
    launch=(sh "$SOURCE/jobs/launch.sh" "$n" "${program[@]}")
  set -m
  "${launch[@]}" "$@" >run.out 2>run.err &
  pid=$!
  set +m
}

# end: the status of what was begun.
end()
{
  rc=0
  wait "$pid" 2>/dev/null || rc=$?
}

now()
{
  date +%s%N
}

declare -A seconds calls whole
program=("$THRESHER")

# How long a command takes, in milliseconds, how many calls it makes that change a folder
# or wait for the disk (kill_at.c), and what it makes.
measure()
{
  local name=$1 n=$2 began
  rm -f calls
  [ -n "${calls[$name]:-}" ] ||
    eval "KILL_COUNT=$PWD/calls LD_PRELOAD=$KILL_AT_LIBRARY must 0 ${commands[$name]} --force"
  [ ! -e calls ] || calls[$name]=$(wc -l <calls)
  rm -rf made* .made*
  began=$(now)
  eval "must $n ${commands[$name]}"
  seconds[$name.$n]=$((($(now) - began) / 1000000))
  whole[$name]=$(content)
  rm -rf made* .made*
}

reached_or_ended()
{
  [ -s reached ] || ! kill -0 "$pid"
}

# begin_somewhere HOW N ARGUMENT...: and return at a random moment, or when it waits at one
# of its calls, by chance, for a signal. $where says which.
begin_somewhere()
{
  local how=$1 n=$2 name=$3 at wait
  rm -f reached
  at=$((1 + RANDOM % calls[$name]))
  where="call $at of ${calls[$name]}"
  [ "$how" = moment ] || program=(env "HOLD=$PWD/reached" "KILL_AT=$at"
    "LD_PRELOAD=$KILL_AT_LIBRARY" "$THRESHER")
  eval "begin $n ${commands[$name]} $force"
  program=("$THRESHER")
  if [ "$how" = moment ]; then
    wait=$((RANDOM * ${seconds[$name.$n]} / 32768))
    where="$wait of ${seconds[$name.$n]} ms"
    sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
  else # a rank may make fewer calls: then the run ends
    await 0 reached_or_ended
  fi
}

# passed_on N: true if what so many ranks say is always seen. An mpirun of version 5 may
# end before it has passed it on.
launcher=$("${THRESHER_MPIRUN:-mpirun}" --version 2>/dev/null)
passed_on()
{
  [ "$1" -eq 0 ] || [[ $launcher != *"Open MPI) 5"* ]]
}

# interrupt HOW NAME N SIGNAL: a run that came to its end before is as good.
interrupt()
{
  local how=$1 name=$2 n=$3 signal=$4 force='' before lines number
  [ -n "${seconds[$name.$n]:-}" ] || measure "$name" "$n"
  if [ $((RANDOM % 2)) -eq 0 ]; then # something to replace
    eval "must 0 ${commands[$name]}"
    force=--force
  fi
  before=$(content)
  begin_somewhere "$how" "$n" "$name"
  kill -s "$signal" "$pid" 2>/dev/null || true
  end
  lines=$(grep -c '^thresher: ' run.err || true)
  number=$(kill -l "$signal")
  what="$name, $n ranks, $signal at $where, $force"
  [ ! -s reached ] || held=$((held + 1))
  [ ! -s reached ] || ! passed_on "$n" || due=$((due + 1))
  [ ! -s reached ] || [ "$rc" -ne 0 ] || fail "$what: was not interrupted"
  if [ "$rc" -eq 0 ]; then
    [ "$lines" -eq 0 ] || fail "$what: a line of a run that ended well"
    [ "$(outputs | grep -c '/[.]')" -eq 0 ] || fail "$what: names are left"
  else
    ended=$((ended + 1))
    # a launcher has a status of its own
    [ "$n" -gt 0 ] || [ "$rc" -eq $((128 + number)) ] ||
      fail "$what: status $rc"
    # at the very beginning nobody listens yet; then nothing is made either
    if [ "$lines" -gt 1 ] || { [ "$lines" -eq 1 ] &&
      ! grep -q '^thresher: interrupted by SIG[A-Z]*[;,] ' run.err; }; then
      fail "$what: $lines lines"
    fi
    [ ! -s reached ] || ! passed_on "$n" || spoken=$((spoken + lines))
    # outputs come one after the other: some may be there already
    [ "$(outputs | grep -c '/[.]')" -eq 0 ] || {
      fail "$what: names are left"
      outputs >&2
    }
    # as before, or whole, if it came between the end and the end of the process
    if [ "$name" != train ] && [ "$before" != "$(content)" ] &&
      [ "${whole[$name]}" != "$(content)" ]; then
      fail "$what: other content"
      outputs >&2
    fi
  fi
  [ ! -e made.h5 ] || [ "$name" = train ] || must 0 inspect made.h5 --check
  rm -rf made* .made*
}

# Killed at a random moment: the next run takes the rest away.
killed()
{
  local name=$1 n=$2 force=
  [ -n "${seconds[$name.$n]:-}" ] || measure "$name" "$n"
  begin_somewhere moment "$n" "$name"
  kill -KILL "$pid" 2>/dev/null || true
  end
  await 0 nobody_here # ranks outlive a launcher that is killed
  eval "ranks $n ${commands[$name]} --force" >run.out 2>run.err || true
  if [ ! -e made.h5 ] && [ ! -e made.csv ]; then
    fail "$name on $n ranks cannot follow one that was killed"
    cat run.err >&2
  elif [ "$(outputs | grep -c '/[.]')" -gt 0 ]; then
    fail "$name on $n ranks, killed: names are left"
    outputs >&2
  fi
  rm -rf made* .made*
}

# Ctrl-C on a terminal: the kernel sends the signal, to all in the foreground.
control_c()
{
  local n=$1
  rm -f reached
  "$PYTHON" - "$n" "$THRESHER" ${make} <<'END' || fail "Ctrl-C on $1 ranks"
import os, pty, select, subprocess, sys, time
n, program = int(sys.argv[1]), sys.argv[2]
line = ["env", "HOLD=reached", "KILL_AT=fsync",
        "LD_PRELOAD=" + os.environ["KILL_AT_LIBRARY"], program,
        "generate"] + sys.argv[3:] + ["-o", "made.h5"]
if n > 0:
    line = ["sh", os.environ["SOURCE"] + "/jobs/launch.sh", str(n)] + line
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(line[0], line)
shown, asked, end = b"", False, time.time() + 900
while time.time() < end:
    if not asked and os.path.exists("reached"):
        os.write(terminal, b"\x03")
        asked = True
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
_, status = os.waitpid(pid, 0)
text = shown.decode(errors="replace")
left = [name for name in os.listdir(".") if "made." in name]
lines = [x for x in text.replace("\r\x1b[K", "\n").replace("^C", "\n").splitlines()
         if x.startswith("thresher: ")]
# an mpirun of version 5 may end before it has passed on what ranks say
silent = n > 0 and "Open MPI) 4" not in subprocess.run(
    ["mpirun", "--version"], capture_output=True, text=True).stdout
good = asked and not left and len(lines) >= 1 - silent and all(
    "interrupted by SIG" in line for line in lines[:1]) and len(lines) <= 1
if n == 0:
    good = good and os.WIFSIGNALED(status) and os.WTERMSIG(status) == 2
if not good:
    print("status", status, "left", left, repr(text), file=sys.stderr)
sys.exit(not good)
END
}

# What nohup ignores stays ignored.
ignored()
{
  rm -f reached
  HOLD=$PWD/reached KILL_AT=fsync LD_PRELOAD=$KILL_AT_LIBRARY eval \
    "nohup $THRESHER ${commands[generate]} >run.out 2>run.err &"
  pid=$!
  await "$pid" test -s reached
  kill -HUP "$pid"
  release reached
  end
  [ "$rc" -eq 0 ] && [ -e made.h5 ] || fail "nohup: status $rc"
  rm -rf made* .made*
}

make_data
ended=0
held=0
due=0
spoken=0
signals=(TERM INT HUP)
for ((k = 0; k < count; k++)); do
  n=$((k / 4 % 5 < 3 ? 0 : (k / 4 + 1) % 3 + 1))
  how=moment
  [ $((k / 4 % 2)) -eq 0 ] || how=call
  interrupt "$how" "${names[$((k % 4))]}" "$n" "${signals[$((RANDOM % 3))]}"
done
echo "$ended of $count runs were interrupted; of $held that waited for it $spoken of $due said so"
compare "runs that waited for a signal" "$held" '>=' $((count * 3 / 10))
compare "those that said so" "$spoken" '>=' $((due / 2)) # not before MPI has begun
for ((k = 0; k < count; k += 5)); do
  killed "${names[$((k / 5 % 4))]}" $((k / 5 % 8 == 6 ? 2 : 0))
done
control_c 0
control_c 2
ignored
finish
