#!/usr/bin/env bash
# theory.sh - theory.py prints what the papers' formulas give: each is written out here once
# more, in numbers; bounds move as the theorems say; bad sizes are refused
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

theory()
{
  "$PYTHON" "$SOURCE/jobs/theory.py" "$@"
}

# value NAME FAMILY OPTION...: what it prints of that
value()
{
  local name=$1
  shift
  theory "$@" | awk -v name="$name" '$1 == name { print $2 }'
}

# is NAME FORMULA: the line NAME of the file `printed` has the value of the formula
is()
{
  local found
  found=$(awk -v name="$1" '$1 == name { print $2 }' printed)
  "$PYTHON" -S -c 'import sys
from math import *
found, wanted = float(sys.argv[1]), float(eval(f"({sys.argv[2]})"))
sys.exit(not abs(found - wanted) <= 1e-8 * abs(wanted))' "${found:-nan}" "$2" ||
    fail "$1: ${found:-not there}, wanted $2"
}

# moves NAME RELATION FAMILY OPTION SMALL LARGE...: its value at LARGE beside that at SMALL
moves()
{
  local name=$1 relation=$2 family=$3 option=$4 small=$5 large=$6
  shift 6
  compare "$name of $family at $option $large beside $small" \
    "$(value "$name" "$family" "$option" "$large" "$@")" "$relation" \
    "$(value "$name" "$family" "$option" "$small" "$@")"
}

# --- Murata and Suzuki 2018. L = 4, mu = 2: kappa = 2, eta = 1/16, eta L = 1/4
sizes=(--attributes 1000 --budget 40 -s 20 --true 5 --smoothness 4 --convexity 2 --bound 2
  --noise 0.5 --gap 8 --accuracy 1 --smallest 0.5 --delta 0.2 --examples 1000)
theory exploration "${sizes[@]}" >printed
is step_size '1 / 16'
is step_size_below '1 / 8'
is contraction '1 / 64'
# Proposition A.1: max(2 (3/8) / (1/8) - 1, 64 / (1/8)^2 + 1) = max(5, 4097), of s* = 5
is least_sparsity 20485
is least_sparsity_of_proof '(40 * 64 + 1) * 5'
is contraction_at_sparsity '0.5 * (1 - 10 / 25) * 2 * 0.375 / 16'
is blocks 50
is updates 177 # log 16 / log(64/63) = 176.06
# its proof: R^4 = 16, delta_t = 0.2 / 354, 1/(4 eta) + L/2 = 6, (63/64)^177
is batch 'ceil(max(4 * 20 / 5 * 25 ** 2 * 2.75 * 16 / 16 * log(2000 * 354 / 0.2) / 6,
  4 * 0.25 * 20 * 2.75 * 4 / 16 * log(1000 * 354 / 0.2) * 177 / 8 / (63 / 64) ** 177))'
is examples "50 * 177 * $(awk '$1 == "batch" { print $2 }' printed)"
# Corollary 4.2: 2 * 16/4 * 1000 * 400/20 + 2 * 4/2 * 1000 * 20/20 * 0.25/1
is order_of_examples '8 * 20000 + 4 * 1000 * 0.25'
grep -qx 'sparsity_suffices  *no .*' printed || fail "s = 20 is not 20485"

theory exploitation "${sizes[@]}" >printed
# Theorem 4.3: eta cancels, 1 - eta L = 3/4
is batch_true_support 'ceil(max(2 * 20 * 25 * 16 * log(40 * 354 / 0.2) * 4 / 0.75 * 4 / 4,
  2 * 0.25 * 20 * 4 / 16 * 1.75 * log(20 * 354 / 0.2) * 177 / 8 / (63 / 64) ** 177))'
is batch_any_support 'ceil(max(4 * 177 * 20 * 25 * 16 / 256 * log(40 * 354 / 0.2) / 0.75,
  16 * 20 * 25 * 16 / 16 * (63 / 64) * log(40 * 354 / 0.2) / 2 * 177,
  2 * 0.25 * 20 * 4 / 16 * log(20 * 354 / 0.2) / 8 * 177))'

theory hybrid "${sizes[@]}" >printed
is updates_explore 3                                         # Theorem 4.4
is updates_exploit 'ceil(log(1000 / (4 * 20)) / log(64 / 63))' # kappa^2 (s' - s) = 80
is rounds_to_support 'ceil(log(4 * 8 / (0.25 * 2)) / log(64 / 63))'
k='ceil(log(64) / log(64 / 63))'
is batch_explore "max(4 * 16 / 16 * 3 * 400,
  0.25 * 64 / ((63 / 64) ** $k * 8) * 4 / 4 * 3 * 20 / (63 / 64) ** 3)"
# Corollary 4.5: kappa^3 R^4/mu^2 s^2, and kappa^2 s / (mu r^2) = 160 below 1000
is order_of_examples '8 * 16 / 4 * 400 + 8 * 20000 + 4 * 160 * 0.25'
is order_of_exploration '8 * 20000 + 4 * 1000 * 0.25'

# --- Liang and Poon 2022
theory screening --examples 400 --attributes 50 --gap 0.02 --penalty 0.5 --smoothness 0.25 \
  --norm 9 --primal 3 --infeasible 0.1 --exponent 0.7 --bound 2 --variance 0.3 --fresh 800 \
  --delta 0.1 >printed
is sphere 'sqrt(2 * 0.25 * 0.02 / 0.25)'                        # (2.4)
is radius_printed 'sqrt(2 * 0.25 * 0.02 / 0.25) * sqrt(9 / 400)' # and below (2.5)
is radius 'sqrt(2 * 0.25 * 0.02 * 9) / 0.5'
is radius_online 'sqrt(2 * 0.25 * 9) / 0.5 * sqrt(0.02 + 3 * 0.1)' # Lemma 3.1
is order_of_online_error '400 ** -0.2'
# 2 n exp(-2 K e^2 / G) = delta, n = 50
is half_width_printed 'sqrt(2 * log(1000) / 1600)'
is half_width_hoeffding '2 / 0.5 * sqrt(2 * log(1000) / 800)'
is half_width_bernstein 'sqrt(0.6 * log(2000) / 800) + 14 * 4 * log(2000) / (3 * 799)'

# --- Kukliansky and Shamir 2015. Moments 1, 1/4, 1/9 (times 36/49): N_half = (11/6)^2 36/49
theory sampling --examples 1000 --attributes 3 --budget 3 --radius 2 --decay -2 --first 100 \
  --delta 0.1 >printed
half='(121 / 49)' one='(49 / 36)' e='(3 * log(60) / 300)'
is norm_half "$half"
is norm_one "$one"
is attributes_in_all 3000
is moment_error "$e"                                   # Algorithm 2, line 11
is ridge_uniform '4 * 4 * sqrt(2 * 3 / 2000)'          # below Theorem 3.1
is ridge_uniform_step 'sqrt(2 / 6000)'
is ridge_known "4 * 4 / sqrt(1000) * sqrt($half / 2 + 1)" # Theorem 3.5
is ridge_known_step "1 / sqrt(1000 * ($half / 2 + 1))"
is ridge_norm_known_step "max(sqrt(2 / (18 * 900)),
  sqrt(2 / (900 * (2 * $half + 2 * sqrt(5 / 3) * 3 * sqrt($half * $e) + 2))))" # Theorem 3.6
is ridge_norm_known "16 / sqrt(900) * sqrt(2 / 2 * $half +
  2 / 2 * sqrt(5 / 3) * 3 * sqrt($half) * sqrt($e) + 1)"
is ridge_two_phase_sure '16 / sqrt(900) * sqrt(18 / 2)'
is ridge_two_phase "16 * 4 / 30 * sqrt((11 / 7 + 3 * sqrt(2 * $e)) ** 2 / 2 + 1)" # 3.12
is lasso_uniform '16 * sqrt(30 * log(6) / 2000)' # below Theorem 4.1
is lasso_uniform_step 'sqrt(log(6) / (5 * (8 * 4 * 3 / 2) * 1000))'
is lasso_known "16 * sqrt(5 * log(6) * ($one / 2 + 1) / 1000)" # Theorem 4.6
is lasso_known_step "sqrt(log(6) / (5 * 1000 * ($one / 2 + 1))) / 4"
is lasso_two_phase_sure '61 * 4 * sqrt(3 * log(6) / 1800)' # Theorem 4.7
is lasso_two_phase "16 * sqrt(5 * (16 * $one + 88 / 3 * 3 * $e + 2) * log(6) / 1800)"
is order_ridge_new "sqrt(($half + 2) / 2000)" # Table 1
is order_ridge_old 'sqrt(3 / 2000)'
is order_ridge_full 'sqrt(1 / 1000)'
is order_lasso_new "sqrt(($one + 2) * log(3) / 2000)"
is order_lasso_old 'sqrt(3 * log(3) / 2000)'
is order_lasso_full 'sqrt(log(3) / 1000)'
# what a bound is from: eta minimises 2 B^2 / (eta m) + eta G^2 / 2 of Theorem 3.1
is ridge_known "(lambda eta: 8 / (eta * 1000) + eta / 2 * 16 * ($half / 2 + 1))(
  1 / sqrt(1000 * ($half / 2 + 1)))"
is lasso_uniform '(lambda eta: 2 * (log(6) / (eta * 1000) + 5 * eta * 48))(
  sqrt(log(6) / (5 * 48 * 1000)))'

# --- Saad, Blanchard and Arlot 2024
theory oomp --attributes 100 --true 2 --selected 1 --score 0.2 --rho 0.25 --smoothness 0.5 \
  --bound 1 --mu 0.5 --gamma 1 --noise 0.3 --xi 0.1 --delta 0.12 >printed
# s* = 2, gamma = 1: squares 1/2 and 1/8, with the means 5/16 and 1/8
is guarantee 0.76
is delta_of_selection '0.12 / 12'                        # Algorithm 3
is steps_of_optim '21 * 20 ** 2 * log(100) / (0.25 * 0.1)' # D.2: G = 8/0.5 + 4
is examples_of_omp '18 * 0.09 * log(400 / 0.12) / (0.25 * 0.0625 * 0.125)' # (42)
is cost_of_omp '204 * 18 * 0.09 * log(400 / 0.12) / (0.25 * 0.0625 * 0.125)'
# Theorem 5.2: W = 0.1 of the best, least W = 0.2/3
is cost_optim '100 * log(1 / (0.01 * 0.1))'
is cost_try_select '99 * 225 * log(100 / (0.01 * 0.1)) * log(1 / 0.1)'
# Corollary 5.3, k = 0 and 1
is cost_optim_all '8 * log(8 / 0.12)'
is cost_try_select_all '100 * 3.2 * log(3.2) * log(100 * 3.2 / 0.12) +
  100 * 8 * log(8) * log(100 * 8 / 0.12)'
is ratio_to_omp 'log(2 / 0.125) ** 2 / 2 * (0.125 / 0.3125 + 1)' # Corollary 5.4
is ratio_to_ssr 'log(16) ** 2 / 4 * 1.4'
is ratio_by_decay 'log(2) ** 2 / 2' # (9)
# (26) to (28): W = 0.2 / 5; no n below has it
n=$(awk '$1 == "examples_of_try_select" { print $2 }' printed)
width='lambda n: 8 * sqrt(0.5 * log(200 * n * n / 0.01) / (0.25 * n)) +
  27 * (1 + 2 * sqrt(4)) * log(200 * n * n / 0.01) / n'
is examples_of_try_select "$n if ($width)($n) < 0.04 <= ($width)($n - 1) else nan"
is remaining_bound "sqrt(0.5 / 0.25 ** 3) * (0.2 + ($width)($n))" # appendix F

# --- Which way bounds move
moves least_sparsity '>' exploration --convexity 2 1
moves least_sparsity '==' exploration --attributes 500 5000
moves batch '>' exploration --delta 0.1 0.01
moves batch '>=' exploration --noise 1 100
moves examples '>' exploration --attributes 500 5000
moves examples '<' exploration --budget 50 500
moves contraction_at_sparsity '>' exploration --sparsity 25 40 --true 5
moves order_of_examples '>' hybrid --smallest 10 0.1
moves rounds_to_support '>' hybrid --smallest 1 0.1
moves radius '==' screening --examples 100 10000
moves radius_printed '<' screening --examples 100 10000
moves radius '<' screening --penalty 0.1 0.2
moves half_width_bernstein '<' screening --variance 1 0.01
moves norm_half '>' sampling --decay -2 -1
moves norm_half '==' sampling --decay 0 -0.0
compare "norm_half of equal moments" "$(value norm_half sampling --decay 0)" == 500
moves ridge_known '<' sampling --examples 1000 100000
moves ridge_uniform '==' sampling --decay -1 -2
moves ridge_two_phase '<' sampling --first 1000 50000
moves lasso_known '<' sampling --budget 5 50
moves examples_of_try_select '>' oomp --mu 0 0.5
moves examples_of_try_select '<' oomp --score 0.01 0.1
moves ratio_by_decay '<' oomp --gamma 0 1
moves ratio_by_decay '==' oomp --gamma 0.5 2
theory oomp --gamma 0 --true 6 >printed
is ratio_to_omp 'log(36) ** 2' # coefficients that are alike
# however small a coefficient is, hybrid has the second part of exploration, and s^2 / mu^2
compare "hybrid beside exploration" "$(value order_of_examples hybrid --smallest 1e-9)" == \
  "$(value order_of_exploration hybrid --smallest 1e-9) + 25 ** 2 / 4"

# --- Sizes that cannot be: one line, status 2, and nothing printed
bad()
{
  local status=0
  theory "$@" >bad.out 2>bad.err || status=$?
  [ "$status" -eq 2 ] || fail "status $status, wanted 2: theory.py $*"
  if [ -s bad.out ] || [ "$(wc -l <bad.err)" -ne 1 ] || ! grep -q '^theory.py: ' bad.err; then
    fail "not one line: theory.py $*: $(cat bad.err)"
  fi
}
bad
bad nothing
bad exploration --attributes 0
bad exploration --attributes 1.5
bad exploration --sparsity 50
bad exploration --true 26
bad exploration --budget 501
bad exploration --convexity 3
bad exploration --accuracy nan
bad exploration --gap inf
bad hybrid --delta 1
bad hybrid --smallest 0
bad exploitation --examples x
bad screening --exponent 0.4
bad screening --fresh 1
bad screening --budget 5
bad sampling --budget 1
bad sampling --first 100000
bad sampling --examples 1
bad sampling --decay 1
bad oomp --mu 1
bad oomp --rho 1
bad oomp --selected 6
bad oomp --score 1e-300
theory --help | saw 'src/solvers/THEORY.md' || fail "no help"

# what the page quotes is what comes out
while read -r -a words; do
  case ${words[*]:0:3} in
  '$ python3 jobs/theory.py') theory "${words[@]:3}" >printed ;;
  *) grep -qxF "${words[*]}" <(tr -s ' ' <printed) || fail "THEORY.md: ${words[*]}" ;;
  esac
done < <(grep -E '^    (\$ python3 jobs/theory.py|[a-z_]+  )' "$SOURCE/src/solvers/THEORY.md" |
  sed 's/  *#.*//')
finish
