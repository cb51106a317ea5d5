/* target_classes.h - targets of a table that are classes: two words, one word
 * against all others, cases and controls of PLINK
 *
 * Internal to io/targets, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TARGET_CLASSES_H
#define TH_TARGET_CLASSES_H

#include "io/targets/target_table.h"

/* Give the rows of a table whose targets are classes the targets 1 and -1; keep
 * the others. An error where words are not two and none is named, where a class
 * does not occur, and where all phenotypes of a .fam file are alike. */
th_status th_target_classes(struct th_target_table *table,
                            const struct th_target_choice *choice,
                            struct th_error *err);

#endif
