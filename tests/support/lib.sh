#!/usr/bin/env bash
# lib.sh - sourced by the scripts of program/ and bench/: run the program, check, count
# SPDX-License-Identifier: MIT

. "$SOURCE/jobs/env.sh"
PYTHON=${PYTHON:-/usr/bin/python3}
# UCX, on which some systems' MPI stands, has a thread that makes files of its own; a test
# that holds a program at its first change of a folder would hold that
export UCX_VFS_ENABLE=n
failures=0
# Seconds after which a run or a wait counts as hanging. No run of a test takes a tenth
# of that alone; beside others it may take many times longer.
LIMIT=${LIMIT:-900}
PAUSE=0.02 # seconds between two looks of `await`

fail()
{
  printf 'FAILED: %s\n' "$*" >&2
  failures=$((failures + 1))
}

# left_out WHAT: of a test, since something is missing here; a failure where nothing
# may be (THRESHER_COMPLETE=yes).
left_out()
{
  echo "left out: $*"
  [ "${THRESHER_COMPLETE:-no}" = no ] || fail "left out: $*"
}

# saw [OPTION] PATTERN: behind a pipe, what grep -q would say; but all is read. grep -q ends
# with the first line that matches, and under pipefail who still writes then has failed.
saw()
{
  [ "$(grep -c "$@")" -gt 0 ]
}

# At the end of a script: its exit status.
finish()
{
  if [ "$failures" -gt 0 ]; then
    echo "$failures checks failed"
    exit 1
  fi
  echo "all checks passed"
}

# Whether this is the long suite, where nothing is left to a sample.
long()
{
  [ "${THRESHER_LONG:-no}" = yes ]
}

# tried K N: whether member K of a sweep is: every Nth, in the long suite each
tried()
{
  long || [ $(($1 % $2)) -eq 0 ]
}

# ranks N ARGUMENT...: the program on N ranks; 0: without a launcher. A hang
# becomes status 124.
ranks()
{
  local n=$1
  shift
  if [ "$n" -eq 0 ]; then
    timeout -k 5 "$LIMIT" "$THRESHER" "$@"
  else
    THRESHER_LIMIT="$LIMIT" sh "$SOURCE/jobs/launch.sh" "$n" \
      "$THRESHER" "$@"
  fi
}

# must N ARGUMENT...: the same; has to succeed, and is quiet when it does.
must()
{
  if ! ranks "$@" >must.out 2>must.err; then
    fail "on $1 ranks: thresher ${*:2}"
    cat must.out must.err >&2
    return 1
  fi
}

# await PID COMMAND...: until the command succeeds, which asks for a state that stays; a
# failure if the process ends without it, or hangs. PID 0: of no process.
await()
{
  local pid=$1 end=$((EPOCHSECONDS + LIMIT)) ended=no
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $ended = yes ] || [ "$EPOCHSECONDS" -gt "$end" ]; then
      fail "waited in vain for: $*"
      return 1
    fi
    # it may come to be just before the end: look once more
    [ "$pid" -eq 0 ] || kill -0 "$pid" 2>/dev/null || ended=yes
    sleep "$PAUSE"
  done
}

# begin_held N FILE WHERE ARGUMENT...: the program on N ranks, in the background as $job.
# At the call that WHERE names, KILL_AT=CALL or KILL_AFTER=END, it makes the file and
# waits until a signal has come or release FILE: see kill_at.c. Returns when it waits.
begin_held()
{
  local n=$1 file=$2 where=$3 launch
  shift 3
  rm -f "$file" "$file.open"
  launch=(env "HOLD=$PWD/$file" "$where" "LD_PRELOAD=$KILL_AT_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}"
    "$THRESHER")
  [ "$n" -eq 0 ] || launch=(sh "$SOURCE/jobs/launch.sh" "$n" "${launch[@]}")
  set -m # SIGINT is not ignored, as it is in the background of a script
  "${launch[@]}" "$@" &
  job=$!
  set +m
  await "$job" test -s "$file"
}

release()
{
  : >"$1.open"
}

# ranks_here: the processes that run the program in this folder; those of other folders,
# checkouts and users are none of a test's business.
ranks_here()
{
  local link
  find /proc -maxdepth 2 -name exe -lname "$(readlink -f "$THRESHER")" 2>/dev/null |
    while read -r link; do
      [ "$(readlink "${link%exe}cwd" 2>/dev/null)" != "$(pwd -P)" ] ||
        basename "${link%/exe}"
    done || true
}

nobody_here()
{
  [ -z "$(ranks_here)" ]
}

# key FILE NAME[.NAME...]: one value of a JSON file. A plain one that has a line of its own,
# as in what the program prints, needs no Python, which takes longer to start than a run.
key()
{
  local text='' plain='(-?[0-9]+|"[A-Za-z0-9_ -]*"|true|false|null)'
  read -r -d '' text <"$1" || true
  if [[ $text =~ $'\n  "'"$2"'": '$plain,?$'\n' ]]; then
    echo "${BASH_REMATCH[1]}"
    return
  fi
  "$PYTHON" -S - "$1" "$2" <<'END'
import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2].split('.'):
    value = value[name]
print(json.dumps(value))
END
}

# solvers_with OPTION: the solvers of the table that use it, one on a line
solvers_with()
{
  ranks 0 solvers --json | "$PYTHON" -c 'import json, sys
for row in json.load(sys.stdin)["solvers"]:
    if sys.argv[1] in row["options"]:
        print(row["name"])' "$1"
}

# each_solver SPARSITY BUDGET START: lines NAME OPTION...: the solvers of the table, with what
# each of them needs
each_solver()
{
  ranks 0 solvers --json | "$PYTHON" -c 'import json, sys
given = dict(zip(("sparsity", "budget", "start"), sys.argv[1:]))
for row in json.load(sys.stdin)["solvers"]:
    print(row["name"], *(f"--{need} {given[need]}" for need in row["needs"]))' "$@"
}

# others_than NAME...: lines as of each_solver of all other solvers, small and with some updates
others_than()
{
  local solver options
  each_solver 6 60 0,1,2,3,4,5 | while read -r solver options; do
    case " $* " in *" $solver "*) continue ;; esac
    ! solvers_with epochs | saw -x -- "$solver" || options="$options --lambda-ratio 0.1 --epochs 8"
    echo "$solver $options"
  done
}

# relates A RELATION B: whether they do. Whole numbers are bash's, all else is Python's.
relates()
{
  local whole='^(0|-?[1-9][0-9]{0,17})$' relation='^([=!<>]=|[<>])$' result
  if [[ $1 =~ $whole && $3 =~ $whole && $2 =~ $relation ]]; then
    let "result = $1 $2 $3"
  else
    "$PYTHON" -S -c "import sys; sys.exit(not ($1 $2 $3))" 2>/dev/null
  fi
}

# compare WHAT A RELATION B, with RELATION an operator of Python's.
compare()
{
  if relates "$2" "$3" "$4"; then
    echo "$1: $2 (wanted $3 $4)"
  else
    fail "$1: $2, wanted $3 $4"
  fi
}

# own FILE: standard error without what mpirun adds. From version 5 on nothing
# keeps it from telling, between two rulers, that a run has failed.
own()
{
  if grep -q '^prterun ' "$1"; then
    grep '^thresher: ' "$1"
  else
    cat "$1"
  fi
}

# readme_commands PAGE HEADING: the commands below that heading of a page, up to the
# next one, one on a line. PAGE is a path below the project's folder.
readme_commands()
{
  awk -v heading="$2" '/^##?#? / { inside = $0 == heading }
    inside && /^    [$] / {
      line = substr($0, 7)
      while (sub(/\\$/, "", line) && (getline rest) > 0)
        line = line rest
      print line
    }' "$SOURCE/$1"
}

# All pages that explain something, one on a line.
pages()
{
  (cd "$SOURCE" && find README.md src io mpi jobs tests -name README.md -o -name FAQ.md -o -path "io/guides/*.md" | sort)
}

# is_picture FILE: it is what its name says, and has been drawn in.
is_picture()
{
  local kind=${1##*.} bytes
  bytes=$(wc -c <"$1" 2>/dev/null || echo 0)
  case $kind in
  png) [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] ;;
  pdf) [ "$(head -c 4 "$1")" = %PDF ] ;;
  svg) head -n 5 "$1" | saw '<svg' && tail -n 2 "$1" | saw '</svg>' ;;
  esac && [ "$bytes" -gt 3000 ] || fail "$1 is no picture"
}

# All names below the folders, hidden ones too: what a failed run must not add to.
names_below()
{
  find "$@" 2>/dev/null | sort
}

# refused STATUS PATTERN N ARGUMENT...: the run fails with that status, says so
# in exactly one line that begins `thresher: ` and matches the pattern, and
# leaves no file behind in $CLEAN (default: the working folder).
refused()
{
  local status=$1 pattern=$2 n=$3 rc=0 lines before after
  shift 3
  before=$(names_below "${CLEAN:-.}" | grep -v '/refused[.]')
  ranks "$n" "$@" >refused.out 2>refused.err || rc=$?
  after=$(names_below "${CLEAN:-.}" | grep -v '/refused[.]')
  [ "$rc" -eq "$status" ] ||
    fail "status $rc, wanted $status, on $n ranks: thresher $*"
  lines=$(grep -c '^thresher: ' refused.err || true)
  if [ "$lines" -ne 1 ] || ! grep '^thresher: ' refused.err |
    grep -qE -- "$pattern"; then
    fail "wanted one line with '$pattern' on $n ranks: thresher $*"
    cat refused.err >&2
  fi
  [ ! -s refused.out ] || fail "results on stdout of a failed run: thresher $*"
  if [ "$before" != "$after" ]; then
    fail "files were left behind, or are gone: thresher $*"
    diff <(echo "$before") <(echo "$after") >&2 || true
  fi
}

# untrained WHAT ARGUMENT...: one line with WHAT in it, and nothing is left
untrained()
{
  local what=$1
  shift
  if ranks 0 train "$@" -o refused.h5 >out 2>err; then
    fail "train $*: not refused"
  fi
  [ "$(grep -c '^thresher: ' err)" -eq 1 ] || fail "train $*: not one line"
  grep -q -- "$what" err || fail "train $*: $(tail -n 1 err)"
  [ ! -e refused.h5 ] || fail "train $*: refused.h5 is there"
}

# no_solver_takes LOSS DATA: those that take steps, have a budget or select
no_solver_takes()
{
  local solver
  for solver in sift saga omp ridge; do
    ranks 0 train "$2" -o no.h5 --solver $solver --loss "$1" 2>err &&
      fail "solver $solver takes $1 loss"
    grep -q "solver $solver does not support --loss $1" err || fail "$solver: $(cat err)"
  done
}
