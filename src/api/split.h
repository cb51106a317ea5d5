/* split.h - the examples of a split, row group by row group
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SPLIT_H
#define TH_SPLIT_H

#include "core/source.h"

enum th_split { TH_SPLIT_AUTO, TH_SPLIT_TEST, TH_SPLIT_TRAIN, TH_SPLIT_ALL };

/* The rows of a split. auto: the test examples if there are any, else all.
 * TH_EUSAGE if the split is empty. */
th_status th_split_rows(const struct th_shape *shape, int split,
                        struct th_rows *rows, struct th_error *err);

#endif
