#!/usr/bin/env bash
# watch.sh - a run is followed from another shell until it ends, or is killed; its numbers for
# Prometheus are those of its telemetry, and the file is never there in part
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
find . -mindepth 1 -delete
must 0 generate murata -o data.h5 --examples 2000 --attributes 60 --support 4 --seed 3

# --- numbers for Prometheus
for n in 0 2; do
  must $n train data.h5 -o model.h5 --budget 10 --telemetry run.jsonl --metrics run.prom --force
  "$PYTHON" - <<'END' || fail "metrics on $n ranks: $(cat run.prom)"
import json, re, sys
last = [json.loads(line) for line in open("run.jsonl")][-1]
found, kinds = {}, {}
for line in open("run.prom"):
    head = re.fullmatch(r"# (HELP|TYPE) (thresher_[a-z_]+) (.+)\n", line)
    value = re.fullmatch(r"(thresher_[a-z_]+) (\S+)\n", line)
    if head and head[1] == "TYPE":
        kinds[head[2]] = head[3]
    elif value:
        found[value[1]] = float(value[2])
    elif not head:
        sys.exit("a line %r" % line)
wanted = {"thresher_running": 0, "thresher_updates_total": last["update"],
          "thresher_examples_total": last["examples"], "thresher_support_attributes": last["support_size"],
          "thresher_attributes_observed_total": last["attributes"], "thresher_loss": last["loss"],
          "thresher_attributes": 60}
bad = {k: (v, found.get(k)) for k, v in wanted.items() if found.get(k) != v}
bad.update({k: kinds.get(k) for k in found if kinds.get(k) not in ("gauge", "counter")})
bad.update({k: "counter" for k in found if (kinds[k] == "counter") != k.endswith("_total")})
sys.exit(bad or None)
END
done
must 0 train data.h5 -o lasso.h5 --solver lasso --lambda-ratio 0.1 --metrics lasso.prom
grep -q '^thresher_duality_gap ' lasso.prom || fail "no gap: $(cat lasso.prom)"
! grep -q '^thresher_loss ' lasso.prom || fail "an objective is no loss"
refused 1 'run.prom exists; give --force' 0 train data.h5 -o other.h5 --budget 10 --metrics run.prom
refused 2 'name one in place of -' 0 train data.h5 -o other.h5 --budget 10 --metrics -
refused 2 'another output as well' 0 train data.h5 -o other.h5 --budget 10 --metrics a --telemetry a

# --- a run that has ended
must 0 watch run.jsonl
grep -q 'update [0-9]* .*mean squared error .*support [0-9]* ' must.out || fail "the last line: $(cat must.out)"
[ "$(tail -n 1 must.out)" = "ended: run.jsonl" ] || fail "the end is not told: $(cat must.out)"
must 2 watch .
[ "$(tail -n 1 must.out)" = "ended: ./run.jsonl" ] || fail "the file of a folder: $(cat must.out)"
refused 1 'absent.jsonl: .*no run is writing it' 0 watch absent.jsonl
refused 1 'data.h5: not a telemetry' 0 watch data.h5
mkdir empty
refused 1 'no telemetry is in this folder' 0 watch empty

# --- a run that goes on: followed from the first line to the last
endless=(train data.h5 --solver saga --lambda 0.01 --epochs 1000000000 --tolerance 1e-300 -q)
followed() # WORDS...: a run in the folder live and a watch of WORDS; sets run and looker
{
  rm -rf live seen seen.err && mkdir live
  set -m
  timeout -k 5 "$LIMIT" "$THRESHER" "${endless[@]}" -o live/m.h5 --telemetry live/run.jsonl --checkpoint live/kept &
  run=$!
  set +m
  await $run test -s live/.run.jsonl.partial
  set -m
  timeout -k 5 "$LIMIT" "$THRESHER" watch "$@" >seen 2>seen.err &
  looker=$!
  set +m
  await $looker test -s seen
}
# the folder finds it; it ends when the run stops
followed live
: >live/kept/STOP
wait $run || true
rc=0
wait $looker || rc=$?
[ $rc -eq 1 ] && grep -q '^thresher: live/run.jsonl: its run has ended without finishing' seen.err ||
  fail "a run that was stopped: status $rc, $(cat seen.err)"
[ "$(wc -l <seen)" -ge 2 ] && grep -q ' elapsed' seen || fail "what was seen: $(cat seen)"
# SIGINT ends the looking on, in silence, and the run goes on
followed live/run.jsonl
kill -INT $looker # timeout passes it on
rc=0
wait $looker || rc=$?
[ $rc -eq 0 ] && [ ! -s seen.err ] || fail "SIGINT: status $rc, $(cat seen.err)"
kill -0 $run || fail "the run ended with whoever looked on"
# nobody reads any more
timeout -k 5 "$LIMIT" "$THRESHER" watch live 2>seen.err | head -n 1 >first || true
[ ! -s seen.err ] && [ -s first ] || fail "into head: $(cat seen.err)"
# a run that is killed
rm seen seen.err
timeout -k 5 "$LIMIT" "$THRESHER" watch live >seen 2>seen.err &
looker=$!
await $looker test -s seen
kill -KILL -- -$run
wait $run || true
rc=0
wait $looker || rc=$?
[ $rc -eq 1 ] && grep -q 'ended without finishing' seen.err || fail "a run that was killed: status $rc, $(cat seen.err)"
must 0 report live/.run.jsonl.partial -o killed.html
grep -q 'id="curves"' killed.html || fail "a killed run's telemetry"

# --- on a terminal a bar, and nothing of it is left
rm -rf live
"$PYTHON" - "$THRESHER" <<'END' >/dev/null || fail "on a terminal"
import os, pty, sys
out = []
def read(fd):
    data = os.read(fd, 1024)
    out.append(data)
    return data
status = pty.spawn([sys.argv[1], "watch", "run.jsonl"], read)
text = b"".join(out)
sys.exit(status != 0 or b"ended: run.jsonl" not in text or b"update" not in text)
END
finish
