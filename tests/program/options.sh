#!/usr/bin/env bash
# options.sh - bad usage: exactly one line that names the place and the
# remedy, status 2, nothing written; decks
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$SOURCE/tests/support/lib.sh"
rm -rf ./*

usage()
{
  refused 2 "$1" 0 "${@:2}"
}

usage 'no command given'
usage 'foo is not a command' foo
usage 'takes no arguments' --version now
usage 'train: too few arguments; usage: thresher train FILE' train
usage 'train: b.h5 is one argument too many' train a.h5 b.h5 -o m.h5
usage 'train: -o FILE is missing' train a.h5
usage 'train: --output: has no value' train a.h5 -o ''
usage '^thresher: train: --budgett is not an option; did you mean --budget\?$' \
  train a.h5 -o m.h5 --budgett 3
usage 'train: --budg is not an option; did you mean --budget\?' \
  train a.h5 -o m.h5 --budg 3
usage 'train: --no-budget is not an option; did you mean --budget\?' \
  train a.h5 -o m.h5 --no-budget
usage 'train: --xyzzyplugh is not an option; thresher train --help' \
  train a.h5 -o m.h5 --xyzzyplugh
usage 'train: --density is an option of generate, not of train' \
  train a.h5 -o m.h5 --density 0.1
usage 'train: -x is not an option' train a.h5 -o m.h5 -x
usage 'train: --quiet takes no value' train a.h5 -o m.h5 --quiet=yes
usage 'train: --budget needs a value' train a.h5 -o m.h5 --budget
usage 'train: -s needs a value' train a.h5 -o m.h5 -s
usage 'train: --budget x: not a whole number' train a.h5 -o m.h5 --budget x
usage 'train: --budget 1.5: not a whole number such as 1000, 1e3 or 10k' train a.h5 -o m.h5 --budget 1.5
usage 'train: --budget 0: must be at least 1' train a.h5 -o m.h5 --budget 0
usage 'train: --budget 9{20}: must be at most 9223372036854775807' \
  train a.h5 -o m.h5 --budget 99999999999999999999
usage 'train: --seed -4: must be at least 0' train a.h5 -o m.h5 --seed -4
usage 'train: --memory 3Q: not a size' train a.h5 -o m.h5 --memory 3Q
usage 'train: --memory 9{9}T: must be' train a.h5 -o m.h5 --memory 999999999T
usage 'train: --max-time soon: not a time in seconds' \
  train a.h5 -o m.h5 --solver oomp --max-time soon
usage 'train: --max-time 1-10: not a time' train a.h5 -o m.h5 --solver oomp --max-time 1-10
usage 'train: --max-time 0: must be at least 1' \
  train a.h5 -o m.h5 --solver oomp --max-time 0
usage '--constants counts only with --optim asgd' \
  train a.h5 -o m.h5 --solver oomp --constants theory
usage 'train: --validation 1: must be at least 0 and below 1' \
  train a.h5 -o m.h5 --validation 1
usage 'train: --loss l1: must be auto, squared, logistic, squared-hinge, poisson, huber or quantile' \
  train a.h5 -o m.h5 --loss l1
usage 'train: --solver foo: must be .*sift' train a.h5 -o m.h5 --solver foo
usage 'train: --eta -1: must be above 0' \
  train a.h5 -o m.h5 --solver hybrid --eta -1
usage 'train: --eta nan: not a number' \
  train a.h5 -o m.h5 --solver hybrid --eta nan
usage 'solver sift does not use --eta; .* solver' train a.h5 -o m.h5 --eta 1
usage 'solver hybrid needs --sparsity' train a.h5 -o m.h5 --solver hybrid --budget 9
usage 'solver hybrid needs --budget' train a.h5 -o m.h5 --solver hybrid -s 9
usage 'generate: --attributes is missing' \
  generate murata -o x.h5 --examples 3
usage 'generate: zz is not a family; there are murata, toeplitz, sparse, kukliansky, oomp, genotypes' \
  generate zz -o x.h5 --examples 3 --attributes 3
usage 'family murata does not use --density' \
  generate murata -o x.h5 --examples 3 --attributes 3 --density 0.1
usage 'family sparse does not use --correlation' \
  generate sparse -o x.h5 --examples 3 --attributes 3 --correlation 0.1
usage 'family murata does not use --alpha' \
  generate murata -o x.h5 --examples 3 --attributes 3 --alpha -1
usage 'family kukliansky does not use --support' \
  generate kukliansky -o x.h5 --examples 3 --attributes 3 --support 2
usage '--alpha 0.5: must be at most 0' \
  generate kukliansky -o x.h5 --examples 3 --attributes 3 --alpha 0.5
usage '--task svm: must be ridge or lasso' \
  generate kukliansky -o x.h5 --examples 3 --attributes 3 --task svm
usage 'support of 4 needs' \
  generate murata -o x.h5 --examples 3 --attributes 3 --support 4
usage '--correlation 1: must be' \
  generate toeplitz -o x.h5 --examples 3 --attributes 3 --correlation 1
usage 'shards 4: there are only 3 attributes' \
  generate murata -o x.h5 --examples 3 --attributes 3 --shards 4
usage 'leaves none to train on' \
  generate murata -o x.h5 --examples 3 --attributes 3 --test 0.9
usage 'exclude each other' import x.svm -o x.h5 --test 0.5 --test-file y.svm

usage 'no-shuffle has no use for --seed' \
  import x.svm -o x.h5 --no-shuffle --seed 3

# --force is no leave to replace an input, by whatever name
printf '1 1:1\n2 2:1\n' >in.svm
ln -s in.svm link.svm
usage 'import: output in.svm is an input as well' \
  import in.svm -o in.svm --force
usage 'import: output ./in.svm is an input' import link.svm -o ./in.svm --force
usage 'import: output in.svm is an input' \
  import link.svm -o in.svm --test-file in.svm --force
usage 'train: output a.h5 is an input' train a.h5 -o a.h5 --force
usage 'train: output m.h5 is another output' train a.h5 -o m.h5 --report m.h5
usage 'predict: output a.h5 is an input' predict m.h5 a.h5 -o a.h5 --force
printf '1 1:1\n2 2:1\n' | cmp - in.svm || fail "an input was replaced"
mkfifo pipe
refused 1 'pipe: neither a file nor a new name' 0 \
  import in.svm -o pipe --force
refused 1 'cannot write no/m.h5: No such file.*; choose a folder' 0 \
  import in.svm -o no/m.h5
rm in.svm link.svm pipe

# the same line, once, from several ranks
refused 2 '^thresher: train: --budgett is not an option' 3 \
  train a.h5 -o m.h5 --budgett 3

deck()
{
  printf '%b' "$2" >run.ini
  usage "$1" train a.h5 -o m.h5 --deck run.ini
}
deck '^thresher: run.ini:2: budgett is not an option; did you mean budget\?$' \
  '[model]\nbudgett = 3\n'
deck 'run.ini:3: budget belongs in section \[model\], not in \[data\]' \
  '; a comment\n[data]\nbudget = 3\n'
deck 'run.ini:2: density is an option of generate, not of train' \
  '[data]\ndensity = 0.1\n'
deck 'run.ini:2: budget 0: must be at least 1' '[model]\nbudget = 0\n'
deck 'run.ini:2: intercept maybe: must be yes or no' \
  '[model]\nintercept = maybe\n'
deck 'run.ini:3: budget is given twice' '[model]\nbudget = 3\nbudget = 4\n'
deck 'run.ini:2: neither \[section\] nor name = value' '[model]\nbudget\n'
deck 'run.ini:2: the line is longer' "[model]\nstart = $(printf '1%.0s' {1..300})\n"
deck 'run.ini:1: .*deck is for the command line|run.ini:2: deck is for' \
  '[run]\ndeck = other.ini\n'
deck 'run.ini:2: budget: has no value' '[model]\nbudget =\n'
rm run.ini
refused 1 'deck none.ini: No such file' 0 train a.h5 -o m.h5 --deck none.ini

# the command line wins over the deck, and a deck does what options do
printf '[data]\nexamples = 40\nattributes = 9\nnoise = 2\n[run]\nseed = 5\n' \
  >run.ini
mkdir one two
must 0 generate murata -o one/x.h5 --deck run.ini --noise 1
must 2 generate murata -o two/x.h5 --examples 40 --attributes 9 --seed 5 \
  --noise 1
cmp one/x.h5 two/x.h5 || fail "the deck and the options differ"
finish
