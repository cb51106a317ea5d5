#!/usr/bin/env bash
# text.sh - lasso for labels on sparse text: words that depend on each other, small
# penalties, the same solution as of the same data stored dense, the same bytes on ranks
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

# 300 texts of 1,500 words. Of each ten, one comes whenever another one does, once with
# the same count and once with twice that; a third is the sum of two others.
"$PYTHON" - >text.svm <<'END'
import random
random.seed(17)
for i in range(300):
    count = {}
    for _ in range(60):
        word = int(1500 * random.random() ** 2)
        if word % 10 > 2:
            count[word] = count.get(word, 0) + 1
    for word in list(count):
        if word % 10 == 3:
            count[word - 3], count[word - 2] = count[word], 2 * count[word]
        if word % 10 in (4, 5):
            third = word - word % 10 + 2
            count[third] = count.get(third, 0) + count[word]
    score = sum(c for w, c in count.items() if w % 7 == 0) - sum(
        c for w, c in count.items() if w % 7 == 1) + random.gauss(0, 1)
    print(1 if score > 0 else -1, *("%d:%g" % (w + 1, c) for w, c in sorted(count.items())))
END
for layout in sparse dense; do
  must 0 import text.svm -o $layout.h5 --layout $layout
done

# solved BOUND OPTION...: text and the same data dense have the same minimum, up to BOUND.
solved()
{
  local bound=$1
  shift
  for layout in sparse dense; do
    must 0 train $layout.h5 -o $layout-model.h5 --force --solver lasso --no-standardize "$@"
    ! grep -q 'makes it no smaller' must.err || fail "$layout, $*: stopped early"
    ranks 0 inspect $layout-model.h5 --json >$layout.json
    compare "$layout, $*: gap over objective" \
      "$(key $layout.json gap) / $(key $layout.json objective)" '<' 1e-7
  done
  compare "$*: objective, sparse over dense" \
    "abs($(key sparse.json objective) / $(key dense.json objective) - 1)" '<' "$bound"
  must 3 train sparse.h5 -o ranks-model.h5 --force --solver lasso --no-standardize "$@"
  cmp sparse-model.h5 ranks-model.h5 || fail "$*: another model on three ranks"
}

for loss in logistic squared-hinge; do
  for ratio in 0.3 1e-3 1e-6; do
    solved 2e-8 --loss $loss --lambda-ratio $ratio --intercept
  done
  solved 2e-8 --loss $loss --path 20 --path-min 0.001 --no-intercept
done
solved 2e-8 --loss logistic --radius 3
solved 1e-6 --loss logistic --lambda-ratio 0.01 --standardize # dense: by floats
must 2 verify sparse-model.h5 sparse.h5

# some attributes a million times as large as others: an intercept that is a little off
# moves their slopes, so the gap of the model is wanted and not only that of the descent
"$PYTHON" - >scales.svm <<'END'
import random
random.seed(4)
for i in range(150):
    row = {}
    for j in range(120):
        if random.random() < 0.1:
            row[j] = random.paretovariate(1.5) * (1e6 if j % 9 == 0 else 1)
    for j in range(0, 120, 10):  # a column is the sum of two others
        third = row.get(j, 0) + row.get(j + 1, 0)
        row.pop(j + 2, None)
        if third:
            row[j + 2] = third
    score = sum((v / 1e6 if j % 9 == 0 else v) * (1 if j % 2 else -1) for j, v in row.items())
    print(1 if score + random.gauss(0, 1) > 0 else -1,
          *("%d:%.9g" % (j + 1, v) for j, v in sorted(row.items())))
END
must 0 import scales.svm -o scales.h5 --layout sparse --type f64
for ratio in 1e-5 1e-6 1e-7; do
  for goal in 1e-9 1e-10; do
    must 0 train scales.h5 -o scales-model.h5 --force --solver lasso --no-standardize \
      --loss logistic \
      --intercept --lambda-ratio $ratio --tolerance $goal
    ranks 0 inspect scales-model.h5 --json >scales.json
    compare "scales, $ratio: the gap, or a word about it" \
      "$(key scales.json gap)" '<=' "$(grep -q 'makes it no smaller' must.err && echo 1e-5 || echo $goal)"
  done
done
finish
