#!/usr/bin/env bash
# scaling.sh - scaling studies without Slurm: folders, tables, pictures; the
# model of the cost reads what they leave
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*
export THRESHER PYTHON

# study NAME OPTION...: run a small one and look at what it left
study()
{
  local name=$1
  sh "$SOURCE/jobs/${name}_scaling.sh" --ranks "1 2" --out "$name" \
    --repeats 2 --examples 600 --passes 2 "${@:2}" >"$name.out" 2>"$name.err" || {
    fail "$name scaling"
    cat "$name.out" "$name.err" >&2
    return
  }
  [ "$(head -n 1 "$name/summary.csv" | cut -d , -f 1-7)" = \
    ranks,seconds,efficiency,share_of_read,bytes_per_update,speedup,ceiling ] ||
    fail "$name: the head of summary.csv"
  "$PYTHON" - "$name" <<'END' || fail "$name: summary.csv"
import csv, glob, json, statistics, sys
folder = sys.argv[1]
rows = [{k: float(v) if v else None for k, v in r.items()}
        for r in csv.DictReader(open(folder + "/summary.csv"))]
assert [r["ranks"] for r in rows] == [1, 2], rows
assert rows[0]["efficiency"] == 1
for r in rows:
    runs = [json.load(open(path)) for path in glob.glob(
        "%s/ranks-%d/run-*/report.json" % (folder, r["ranks"]))]
    assert len(runs) == 2 and all(x["ranks"] == r["ranks"] for x in runs)
    traffic = runs[0]["bytes_sent"] / runs[0]["updates"]
    assert abs(r["bytes_per_update"] - traffic) <= 1e-4 * traffic
    most = max(x["seconds"] for x in runs)
    assert 0 < r["seconds"] <= most <= r["wall_seconds"] * 2
    assert 0 < r["share_of_read"] < 10
    assert r["efficiency_low"] <= r["efficiency"] <= r["efficiency_high"]
    assert r["least_seconds"] <= r["seconds"] <= r["most_seconds"]
    assert r["page_faults"] > 0 and r["system_seconds"] >= 0
    assert abs(r["speedup"] / r["ranks"] / r["efficiency"] - 1) < 1e-4
if folder == "strong":
    one, two = rows
    together = [max(json.load(open(path))["seconds"] for path in glob.glob(
        "strong/ranks-2/alone-%d/[01]/report.json" % k)) for k in (1, 2)]
    assert one["ceiling"] is None
    assert 2 * one["seconds"] / max(together) <= two["ceiling"], together
    assert abs(two["efficiency"] * 2 * two["seconds"] / one["seconds"] - 1) < 1e-4
END
  for file in command environment stdout stderr wall_seconds report.json; do
    [ -e "$name/ranks-2/run-2/$file" ] || fail "$name: no $file of a run"
  done
}

pictures() # FOLDER NAME...
{
  command -v gnuplot >/dev/null || {
    left_out "pictures: no gnuplot"
    return 0
  }
  local name
  for name in "${@:2}"; do
    is_picture "$1/$name.${format:-png}"
  done
}

study strong --attributes 3000 --budget 700
pictures strong speedup efficiency bytes_ranks phases
grep -q ' 600 x 3000,' strong/title || fail "strong: its title"
# The speed-up stands beside what the machine allows.
if command -v gnuplot >/dev/null; then
  gnuplot -e "folder = 'strong'; kind = 'strong'; fewest = 1; most = 2; format = 'svg';
    style = '$SOURCE/jobs/style.gp'; what = 'the same'" "$SOURCE/jobs/scaling.gp"
  grep -q '>what the machine allows<' strong/speedup.svg || fail "no ceiling in the picture"
fi
# The machine is measured once: here `bench` says again what it said for the first study.
bench_of=$PWD/strong
cat >measured <<END
#!/bin/sh
kept='$bench_of'/ranks-\${OMPI_COMM_WORLD_SIZE:-1}/bench.json
if [ "\$1" != bench ] || [ ! -s "\$kept" ]; then
  exec '$THRESHER' "\$@"
elif [ "\${OMPI_COMM_WORLD_RANK:-0}" = 0 ]; then
  cat "\$kept"
fi
END
chmod +x measured
measures=$THRESHER
THRESHER=$PWD/measured
study weak --attributes 1500 --budget 300 --format pdf
format=pdf pictures weak speedup efficiency bytes_ranks phases bytes_attributes
# Every phase has a colour of its own.
"$PYTHON" - "$SOURCE/jobs/style.gp" <<'END' || fail "the colours of the phases"
import csv, re, sys
style = open(sys.argv[1]).read().replace("\\\n", "")
words = {name: re.search(name + ' = "([^"]*)"', style).group(1).split()
         for name in ("phases_known", "phase_colours")}
colours = words["phase_colours"]
assert len(colours) == len(set(colours)) == len(words["phases_known"])
names = next(csv.reader(open("strong/phases.csv")))[1:]
assert len(names) > 8 and not set(names) - set(words["phases_known"]), names
END
# Data that are computed are always there: the command can be given again.
sh -c "$(cat weak/ranks-1/run-1/command)" 2>/dev/null ||
  fail "the command of a run does not run again"
[ "$(cut -d , -f 1 weak/by_attributes.csv | tr '\n' ' ')" = \
  "attributes 187 750 3000 " ] || fail "weak: by_attributes.csv"

sh "$SOURCE/jobs/weak_scaling.sh" --stored --ranks 1 --repeats 1 --examples 600 \
  --attributes 800 --budget 200 --passes 1 --out stored >stored.out 2>&1 || {
  fail "weak scaling --stored"
  cat stored.out >&2
}
grep -q '/800[.]h5' stored/ranks-1/run-1/command || fail "--stored: not stored"
THRESHER=$measures
compgen -G '*/data.*' >/dev/null && fail "data sets were left behind"

bench=("strong/ranks-1/bench.json" "strong/ranks-2/bench.json")
model=$SOURCE/jobs/cost_model.py
"$PYTHON" "$model" --bench "${bench[@]}" --check \
  strong/ranks-2/run-1/report.json >check.txt || fail "cost model: --check"
grep -q 'run-1/report.json *2 ' check.txt || fail "cost model: no line of the run"
if command -v gnuplot >/dev/null; then
  "$PYTHON" "$model" --bench "${bench[@]}" --out model >model.txt ||
    fail "cost model"
  pictures model cost_model
  "$PYTHON" "$model" --bench "${bench[@]}" --out model --format svg >model.txt ||
    fail "cost model --format"
  format=svg pictures model cost_model
  [ "$(wc -l <model/cost_model.csv)" -eq 91 ] || fail "cost model: its table"
fi

# refuses COMMAND...: status 2, and one line that says why
refuses()
{
  local rc=0
  "$@" >refuse.out 2>refuse.err || rc=$?
  [ $rc -eq 2 ] && [ "$(wc -l <refuse.err)" -eq 1 ] || fail "not refused: $*"
}
refuses bash "$SOURCE/jobs/strong_scaling.sh" --ranks "1 x"
refuses bash "$SOURCE/jobs/strong_scaling.sh" --nonsense 1
refuses bash "$SOURCE/jobs/strong_scaling.sh" --format gif
refuses bash "$SOURCE/jobs/strong_scaling.sh" --stored
refuses bash "$SOURCE/jobs/weak_scaling.sh" --examples 0
refused 2 'nothing is no part' 0 bench nothing
finish
