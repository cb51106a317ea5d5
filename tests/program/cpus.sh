#!/usr/bin/env bash
# cpus.sh - data and models have the same bytes whatever the processor, the
# libraries below and the compiler: each set of kernels forced, a libm without
# FMA, each kind of OpenBLAS; in the long suite a build by the other compiler, too
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# Sets of kernels that this processor runs, plain first.
forms=
for form in plain avx2 avx512; do
  if THRESHER_KERNELS=$form ranks 0 solvers >/dev/null 2>form.err; then
    forms="$forms $form"
  else
    grep -q "processor does not run it" form.err || fail "$form: $(cat form.err)"
  fi
done
case $forms in " plain avx2"*) ;; *) fail "sets of kernels: $forms" ;; esac
read -ra forms <<<"$forms"
[ "${#forms[@]}" -eq 3 ] || echo "not tested: AVX-512, which this processor lacks"

# An environment is a list of NAME=VALUE; the first one is what others are held
# against.
tunables=glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-AVX2,-AVX512F
environments=("THRESHER_KERNELS=${forms[-1]}"
  "THRESHER_KERNELS=plain OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=$tunables"
  "THRESHER_KERNELS=avx2 OPENBLAS_CORETYPE=Haswell")
if long; then
  for form in "${forms[@]}"; do
    environments+=("THRESHER_KERNELS=$form")
  done
  for kind in Haswell SkylakeX Zen Sandybridge Prescott; do
    environments+=("OPENBLAS_CORETYPE=$kind")
  done
  environments+=("GLIBC_TUNABLES=$tunables"
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2")
fi

program=$THRESHER
# in ENVIRONMENT N ARGUMENT...
in_environment()
{
  local setting
  local settings
  read -ra settings <<<"$1"
  shift
  (
    for setting in "${settings[@]}"; do
      case $setting in
      PROGRAM=*) THRESHER=${setting#PROGRAM=} ;;
      *) export "${setting?}" ;;
      esac
    done
    must "$@"
  )
}

# Another compiler: the program alone.
other_build()
{
  local compiler=clang-14
  case $(sed -n 's/^CMAKE_C_COMPILER:.*=//p' "$(dirname "$program")/CMakeCache.txt") in
  *clang*) compiler=gcc ;;
  esac
  if ! command -v "$compiler" >/dev/null; then
    left_out "a build by $compiler"
    return
  fi
  if cmake -G Ninja -S "$SOURCE" -B other -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=Release -DTHRESHER_TESTS=OFF >other.log 2>&1 &&
    cmake --build other --target thresher >>other.log 2>&1; then
    environments+=("PROGRAM=$PWD/other/thresher")
  else
    fail "a build by $compiler: $(tail -n 20 other.log)"
  fi
}
long && other_build

# The hash of the arithmetic, too, is one.
for environment in "${environments[@]}"; do
  in_environment "$environment" 0 bench self >/dev/null || true
  cat must.out
done | sort -u >hashes
compare "hashes of the arithmetic" "$(wc -l <hashes)" == 1
grep -qE '^arithmetic [0-9a-f]{16}$' hashes || fail "bench self: $(cat hashes)"
grep -qF "$(cat hashes)" "$SOURCE/README.md" ||
  fail "README does not name $(cat hashes): a version of SLEEF that it does not know?"

# Generated data, in double: each bit shows.
generate() # ENVIRONMENT FAMILY NAME
{
  local family=("$2")
  case $2 in
  toeplitz) family+=(--correlation 0.6) ;;
  sparse) family+=(--density 0.05) ;;
  kukliansky) family+=(--alpha -0.7) ;;
  oomp) family+=(--design toeplitz --correlation 0.6) ;;
  esac
  [ "$2" = kukliansky ] || family+=(--support 12)
  in_environment "$1" 0 generate "${family[@]}" -o "$3" --examples 2000 \
    --attributes 700 --type f64 --seed 5 --row-group 128 --shards 1 --force
}

# Labels, which nothing generates.
"$PYTHON" - <<'EOF'
import random
random.seed(4)
for name, share in (("dense", 1.0), ("sparse", 0.1)):
    with open(name + ".svm", "w") as f:
        for i in range(1200):
            x = {j: random.gauss(0, 1) for j in range(400) if random.random() < share}
            z = sum(x.get(j, 0) for j in (3, 17, 200, 201)) * 2 + random.gauss(0, 1)
            f.write("%d %s\n" % (1 if z > 0 else -1, " ".join(
                "%d:%.6f" % (j + 1, v) for j, v in sorted(x.items()))))
EOF

arguments() # SOLVER
{
  case $1 in
  sift) echo "--solver sift --budget 150" ;;
  exploitation) echo "--solver exploitation --budget 150 -s 6 --start 3,17,300" ;;
  lasso) echo "--solver lasso --path 12 --path-min 0.1" ;;
  aerr | aelr) echo "--solver $1 --budget 40" ;;
  ogd-ridge | eg-lasso) echo "--solver $1 --passes 2" ;;
  hybrid | exploration) echo "--solver $1 --budget 150 -s 6" ;;
  *) echo "--solver $1 --lambda-ratio 0.3 --epochs 3 --batch 8" ;;
  esac
}

# train ENVIRONMENT RANKS SOLVER LAYOUT LOSS MODEL
train()
{
  local options
  read -ra options <<<"$(arguments "$3")"
  in_environment "$1" "$2" train "$4.h5" -o "$6" --loss "$5" --seed 3 --quiet \
    --force "${options[@]}"
}

for layout in dense sparse; do
  must 0 import "$layout.svm" -o "$layout.h5" --layout "$layout" --test 0.1 \
    --row-group 128 --quiet
done
solvers=(sift hybrid lasso os-prox-sgd saga aelr)
if long; then
  solvers+=(aerr ogd-ridge eg-lasso exploration exploitation prox-sgd fs-prox-sgd truncated-gradient sgd rda
    svrg)
fi
first=${environments[0]}
for family in murata toeplitz sparse kukliansky oomp genotypes; do
  generate "$first" "$family" first.h5
  for environment in "${environments[@]:1}"; do
    generate "$environment" "$family" other.h5
    cmp first.shards/00000.h5 other.shards/00000.h5 ||
      fail "$family data by $environment"
  done
done
for solver in "${solvers[@]}"; do
  for layout in dense sparse; do
    for loss in squared logistic; do
      case $loss-$solver in # no labels
      logistic-ae* | logistic-ogd-ridge | logistic-eg-lasso) continue ;;
      esac
      train "$first" 0 "$solver" "$layout" "$loss" first.model.h5
      for environment in "${environments[@]:1}"; do
        train "$environment" 0 "$solver" "$layout" "$loss" other.model.h5
        cmp first.model.h5 other.model.h5 ||
          fail "$solver, $layout, $loss by $environment"
      done
    done
  done
done

# Ranks with other sets of kernels train together.
cat >mixed.sh <<'EOF'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-0}" -eq 0 ] && export THRESHER_KERNELS=plain
exec "$MIXED" "$@"
EOF
chmod +x mixed.sh
export MIXED=$program
train "$first" 0 sift dense logistic first.model.h5
THRESHER=$PWD/mixed.sh must 2 train dense.h5 -o other.model.h5 --loss logistic \
  --seed 3 --quiet --force --solver sift --budget 150
cmp first.model.h5 other.model.h5 || fail "ranks with other sets of kernels"
finish
