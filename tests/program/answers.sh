#!/usr/bin/env bash
# answers.sh - help that answers: what may be meant, one solver, one word, whole numbers as
# people write them, completion for shells, and silence where nobody reads any more
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
find . -mindepth 1 -delete

# --- what may be meant
refused 2 "^thresher: trian is not a command; did you mean train\?" 0 trian
refused 2 "^thresher: xyzzyplugh is not a command; thresher --help" 0 xyzzyplugh
refused 2 "lassso: must be .*; did you mean lasso\?$" 0 train a.h5 -o b.h5 --solver lassso
refused 2 "logistc: must be .*; did you mean logistic\?$" 0 train a.h5 -o b.h5 --loss logistc
refused 2 "murta is not a family; .*did you mean murata\?$" 0 generate murta -o a.h5 -n 10 -d 3
refused 2 "lassso is not a solver; did you mean lasso\?" 2 solvers lassso
refused 2 "help: budgte is no .*did you mean budget\?" 2 help budgte
refused 2 "completion: tcsh is not a shell" 0 completion tcsh

# --- what is asked for
"$THRESHER" version >one && "$THRESHER" --version | cmp - one || fail "version"
"$THRESHER" help >one && "$THRESHER" --help | cmp - one || fail "help"
"$THRESHER" help train >one && "$THRESHER" train --help | cmp - one || fail "help train"
"$THRESHER" help deal unit | saw 'drawn together' || fail "help deal unit"
"$THRESHER" help --budget | saw 'observed' || "$THRESHER" help --checkpoint | saw FOLDER || fail "help --budget"
"$THRESHER" help checkpoint | saw -- '--checkpoint FOLDER' || fail "help checkpoint"
must 2 help words
cp must.out words
# words of a plan and of a result that people ask for
for word in 'deal unit' 'strict support' ledger draws block pass support budget standardized lambda; do
  grep -qx "$word" words || fail "help words lacks $word"
done
[ "$(wc -L <words)" -le 79 ] || fail "help words is too wide"
for solver in $("$THRESHER" solvers | grep '^[a-z]'); do
  "$THRESHER" solvers "$solver" >"$solver.solver" || fail "solvers $solver"
done
"$THRESHER" solvers --json >all.json
"$THRESHER" solvers lasso --json >lasso.json
"$PYTHON" - <<'END' || fail "what solvers NAME says"
import json, re, sys
solvers = json.load(open("all.json"))["solvers"]
for solver in solvers:
    text = open(solver["name"] + ".solver").read()
    said = re.findall(r"^  (?:-\w, )?--(?:\[no-\])?([a-z][a-z0-9-]*)", text, re.M)
    if set(said) != set(solver["options"]) or solver["summary"] not in text or solver["source"] not in text:
        sys.exit("%s: %s" % (solver["name"], said))
    if "\nfor:     %s\n" % solver["for"] not in text or len(solver["for"].split()) < 5:
        sys.exit("%s: for whom is not said in a line" % solver["name"])
if len({s["for"] for s in solvers}) != len(solvers):
    sys.exit("two solvers are for the same people")
sys.exit(json.load(open("lasso.json"))["solvers"] != [s for s in solvers if s["name"] == "lasso"])
END

# --- whole numbers
for text in 1000 1e3 1k 1K 0.001M 1.0e+3; do
  must 0 generate murata -o n.h5 -n $text -d 12 --support 2 --force
  must 0 inspect n.h5 --json
  compare "examples of $text" "$(key must.out examples)" == 1000
done
for text in 1.5 1kk 10q 0x10 1e30 k 1e nan inf; do
  refused 2 'not a whole number such as' 0 generate murata -o no.h5 -n $text -d 12
done

# --- nobody reads any more
must 0 generate murata -o many.h5 -n 40k -d 12 --support 2
must 0 train many.h5 -o m.h5 --budget 6
for n in 0 2; do
  (ranks $n predict m.h5 many.h5 -o - -q || true) 2>err | head -n 2 >top || true
  [ "$(wc -l <top)" -eq 2 ] || fail "head on $n ranks: $(cat top)"
  ! grep -q '^thresher: ' err || fail "into head on $n ranks: $(cat err)"
done
"$THRESHER" predict m.h5 many.h5 -o - -q 2>err | true || true
[ ! -s err ] || fail "into nothing: $(cat err)"

# --- completion, from the tables
"$THRESHER" completion bash >c.bash
bash -n c.bash || fail "completion bash"
# completed WORD...: what the last of the words may become
completed()
{
  bash -c '. ./c.bash
    complete -p thresher >/dev/null || exit 1
    COMP_WORDS=(thresher "$@") COMP_CWORD=$#
    _thresher
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
[ "$(completed tr)" = train ] || fail "tr: $(completed tr)"
[ "$(completed train --solver las)" = lasso ] || fail "--solver las: $(completed train --solver las)"
[ "$(completed train m --no-stand)" = --no-standardize ] || fail "--no-stand: $(completed train m --no-stand)"
[ "$(completed generate mur)" = murata ] || fail "generate mur: $(completed generate mur)"
[ "$(completed solvers omp)" = omp ] || fail "solvers omp"
[ "$(completed predict many.h)" = many.h5 ] || fail "a file: $(completed predict many)"
[ "$(completed train --telemetry many.h)" = many.h5 ] || fail "a value that is a file"
for command in $("$THRESHER" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  "$THRESHER" $command --help-all | grep -oE '^  (-., )?--(\[no-\])?[a-z][a-z0-9-]*' |
    sed 's/.*--//; s/^\[no-\]//; s/^/--/' | sort >listed
  completed "$command" -- | grep -v '^--no-' | sort >complete
  cmp -s listed complete || fail "$command: $(diff listed complete)"
done
"$THRESHER" completion zsh >_thresher
"$THRESHER" completion fish >thresher.fish
for shell in zsh:_thresher fish:thresher.fish; do
  [ -s "${shell#*:}" ] || fail "completion ${shell%:*}"
  ! command -v "${shell%:*}" >/dev/null || "${shell%:*}" -n "${shell#*:}" || fail "completion ${shell%:*}"
done
finish
