#!/usr/bin/env bash
# scaling.sh - sourced by strong_scaling.sh and weak_scaling.sh: options, runs
# SPDX-License-Identifier: MIT
#
# The caller sets the defaults and calls `options "$@"`:
#
#   --ranks "1 2 4"     numbers of ranks (powers of two up to the cores, or up to
#                       the tasks of the Slurm job)
#   --out DIR           results (build/scaling/NAME)
#   --repeats K         runs of each number of ranks; medians count (3)
#   --examples N        --attributes D   --budget B   --passes P   --solver NAME
#   -- OPTION...        handed to `thresher train` as they are; without, for
#                       solvers that want them: --sparsity 100 --validation 0
#
# Environment: THRESHER, the program (build/release/thresher);
# THRESHER_LAUNCHER=mpirun: mpirun instead of srun inside a Slurm job.
#
# What comes out: DIR/ranks-N/bench.json (the machine with N ranks at work) and
# DIR/ranks-N/run-K/ with command, environment, stdout, stderr, wall_seconds and
# report.json of each run; DIR/summary.csv, DIR/phases.csv and PNGs.
jobs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$jobs/env.sh"
PYTHON=${PYTHON:-/usr/bin/python3}
name=$(basename "$0" .sh)
thresher=${THRESHER:-$jobs/../build/release/thresher}

refuse()
{
  echo "$name.sh: $*" >&2
  exit 2
}

# The comments at the top of the script and of this file are the help.
help()
{
  local file
  for file in "$0" "${BASH_SOURCE[0]}"; do
    awk 'NR > 1 && !/^#/ { exit } NR > 1 && !/SPDX/ { sub(/^# ?/, ""); print }' \
      "$file"
  done
}

default_ranks()
{
  local n=1 most=${SLURM_NTASKS:-$(nproc)}
  while [ "$n" -le "$most" ]; do
    echo "$n"
    n=$((2 * n))
  done
}

# whole VARIABLE VALUE: set it to a whole number above 0
whole()
{
  [[ $2 =~ ^[1-9][0-9]*$ ]] || refuse "--$1 $2: wanted a whole number above 0"
  declare -g "$1=$2"
}

options()
{
  ranks=$(default_ranks)
  out=$jobs/../build/scaling/$name
  repeats=3
  extra=()
  while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
      help
      exit 0
      ;;
    --stored)
      [ -n "${stored:-}" ] || refuse "--stored is for weak scaling"
      stored=yes
      shift
      continue
      ;;
    --)
      extra=("${@:2}")
      break
      ;;
    esac
    [ $# -ge 2 ] || refuse "$1 wants a value, or is unknown; see --help"
    case $1 in
    --ranks) ranks=$2 ;;
    --out) out=$2 ;;
    --solver) solver=$2 ;;
    --data)
      [ -n "${data+set}" ] || refuse "--data is for strong scaling"
      data=$(realpath -e "$2") || refuse "--data $2: no such data set"
      ;;
    --repeats | --examples | --attributes | --budget | --passes)
      whole "${1#--}" "$2"
      ;;
    *) refuse "$1 is no option; see --help" ;;
    esac
    shift 2
  done
  read -r -a ranks <<<"${ranks//$'\n'/ }"
  [ ${#ranks[@]} -gt 0 ] || refuse "--ranks: wanted numbers"
  fewest=${ranks[0]}
  most=$fewest
  [ "$solver" = sift ] || [ ${#extra[@]} -gt 0 ] ||
    extra=(--sparsity 100 --validation 0)
  for n in "${ranks[@]}"; do
    [[ $n =~ ^[1-9][0-9]*$ ]] || refuse "--ranks: '$n' is no number of ranks"
    most=$((n > most ? n : most))
    fewest=$((n < fewest ? n : fewest))
  done
  command -v "$thresher" >/dev/null ||
    refuse "no program $thresher: build it (README.md), or set THRESHER"
  thresher=$(realpath "$(command -v "$thresher")")
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  rm -rf "$out"/ranks-[0-9]* "$out"/attributes-[0-9]* \
    "$out"/{summary,phases,by_attributes}.csv
  made=$(mktemp -d "$out/data.XXXXXX") # data sets, gone at the end
  trap 'rm -rf "$made"' EXIT
}

launch() # RANKS COMMAND...
{
  sh "$jobs/launch.sh" "$@"
}

# What a run depends on beyond its command.
environment()
{
  echo "program: $("$thresher" --version | head -n 1)"
  echo "commit:  $(git -C "$jobs" describe --always --dirty 2>/dev/null || echo none)"
  echo "host:    $(uname -srm), $(nproc) cores"
  echo "cpu:     $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
  echo "slurm:   ${SLURM_JOB_ID:-none} ${SLURM_JOB_NODELIST:-}"
  echo "began:   $(date -u +%FT%TZ)"
  env | grep -E '^(OMPI_MCA_|OPENBLAS_|THRESHER_)' | sort || true
}

# bench RANKS: the machine with that many ranks at work, once
bench()
{
  mkdir -p "$out/ranks-$1"
  [ -s "$out/ranks-$1/bench.json" ] ||
    launch "$1" "$thresher" bench memory ranks --json >"$out/ranks-$1/bench.json"
}

# run FOLDER RANKS OPTION...: one training, in a folder of its own
run()
{
  local folder=$1 n=$2 began=$EPOCHREALTIME rc=0
  local command=("$thresher" train -o "$1/model.h5" --report "$1/report.json"
    --force "${@:3}" "${extra[@]}")
  mkdir -p "$folder"
  echo "sh $jobs/launch.sh $n ${command[*]@Q}" >"$folder/command"
  environment >"$folder/environment"
  launch "$n" "${command[@]}" >"$folder/stdout" 2>"$folder/stderr" || rc=$?
  if [ $rc -ne 0 ]; then
    tail -n 5 "$folder/stderr" >&2
    echo "$name.sh: status $rc: see $folder" >&2
    exit 1
  fi
  awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }' \
    >"$folder/wall_seconds"
  echo "${folder#"$out"/}: $(cat "$folder/wall_seconds") s"
}

# The table and, where there is gnuplot, the pictures.
summary() # [--weak]
{
  "$PYTHON" "$jobs/scaling_summary.py" "$out" "$@"
  if command -v gnuplot >/dev/null; then
    gnuplot -e "folder = '$out'; kind = '${name%_scaling}'" \
      -e "fewest = $fewest; most = $most" "$jobs/scaling.gp"
  else
    echo "no gnuplot, no pictures (sh jobs/packages.sh jobs)"
  fi
  column -s, -t "$out/summary.csv" | cut -c 1-118
  echo "results: $out"
}
