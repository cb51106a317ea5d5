/* training_names.h - the names of what options of training choose from
 *
 * Each function gives the k-th name of a choice, NULL behind the last. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRAINING_NAMES_H
#define TH_TRAINING_NAMES_H

#include <stddef.h>
#include <stdint.h>

const char *th_training_names_solver(int64_t k);
const char *th_training_names_loss(int64_t k);
const char *th_training_names_refit(int64_t k);
const char *th_training_names_select(int64_t k);
const char *th_training_names_penalty(int64_t k);
const char *th_training_names_screen(int64_t k);
const char *th_training_names_factoring(int64_t k);
const char *th_training_names_screen_rule(int64_t k);
const char *th_training_names_eta(int64_t k);
const char *th_training_names_moments(int64_t k);
const char *th_training_names_adagrad(int64_t k);
const char *th_training_names_inner(int64_t k);
const char *th_training_names_optim(int64_t k);
const char *th_training_names_constants(int64_t k);

/* --- Makes names of attributes safe to print ------------------------------ */

/* Bytes for a name in a list, and for a name on its own line. */
enum { TH_NAME_SHORT = 33, TH_NAME_LONG = 257 };

/* Copy a name to text[size], with spaces for its line breaks, question marks
 * for what else a terminal does not show (base/printable.h), and dots for what
 * does not fit. Returns text. Local. */
const char *th_training_names_text(const char *name, char *text, size_t size);

#endif
