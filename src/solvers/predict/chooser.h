/* chooser.h - a path of lambdas, chosen from by examples that are held out
 *
 * Cross-validation for any solver with a path of penalties (Stone 1974;
 * Friedman, Hastie & Tibshirani 2010, section 2.5 and cv.glmnet):
 *
 *   1  the path on all examples, from lambda_max down. It ends early as
 *      glmnet's: where 0.999 of the zero model's loss is explained, or a lambda
 *      adds less than 1e-5 of what is explained. All its models are kept
 *   2  for each fold: the path on the other examples, at the same lambdas; the
 *      losses of its models on the fold
 *   3  the lambda of the least loss or, for 1se, the largest one within a
 *      standard error of it (fold_losses.h)
 *   4  the model of that lambda, certified on all examples
 *
 * Folds are dealt at random (access/folds.h): stratified for labels, equal
 * examples together, by the seed alone. A single part is a fifth of the
 * examples. Where examples have groups (config.choice.together), these are held
 * out as wholes. Nothing depends on ranks.
 *
 * It is an algorithm around that of the solver, whose states it makes one after
 * the other, each in a context where a fold has the weight 0. A solver joins by
 * `chooses` in its row of the table, `points`, `explained` and `prediction` of
 * its head, and `take` (solvers/algorithms.h).
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHOOSER_H
#define TH_CHOOSER_H

struct th_algorithm;
struct th_plan;

/* What runs a plan: the solver's own algorithm, or the chooser around it.
 * Local. */
const struct th_algorithm *th_chooser_of(const struct th_plan *plan);

#endif
