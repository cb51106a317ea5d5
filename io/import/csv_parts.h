/* csv_parts.h - how the columns of a CSV file get their roles; internal
 * to io/import
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSV_PARTS_H
#define TH_CSV_PARTS_H

#include "io/import/csv_reader.h"

/* How many columns have a name; *column receives the last of them. */
int64_t th_csv_count_named(const struct th_csv *csv, const char *name,
                           int64_t *column);

/* A column by its name or 1-based number. TH_EDATA where there is none. */
th_status th_csv_find_column(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const char *wanted, const char *option,
                             int64_t *column, struct th_error *err);

/* Columns without a role, and the last of them, or -1. */
int64_t th_csv_count_free(const struct th_csv *csv, int64_t *last);

bool th_csv_is_attribute(const struct th_csv_reference *reference,
                         const char *name);

/* The column of the target; -1: the file has none. TH_EUSAGE where only the
 * user knows. Also TH_EDATA. */
th_status th_csv_find_target(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             int64_t *target, struct th_error *err);

/* Whether columns lie as in the text of the other data set, so that they go by
 * their places. */
bool th_csv_in_places(const struct th_csv *csv,
                      const struct th_csv_choice *choice,
                      const struct th_csv_reference *reference);

/* Leave out what the text of the other data set had beside attributes and
 * target, but for the columns `target` and `weight` that the user has named.
 * TH_ENOMEM. */
th_status th_csv_recall(struct th_csv *csv, const struct th_csv_choice *choice,
                        const struct th_csv_reference *reference,
                        int64_t target, int64_t weight, struct th_error *err);

/* The column that holds the weights in the text of the other data, if it is
 * there and not left out; else -1. Where there is no target, the weights are of
 * no use, and the column is left out. */
int64_t th_csv_recall_weight(const struct th_csv *csv,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference);
void th_csv_forget_weight(struct th_csv *csv);

/* TH_EUSAGE where the user's column of the target or of the weights is not that
 * of the other data, which is there; -1: nothing was said. */
th_status th_csv_check_told(const struct th_csv *csv,
                            const struct th_text_file *file,
                            const struct th_csv_choice *choice,
                            const struct th_csv_reference *reference,
                            int64_t target, int64_t weight,
                            struct th_error *err);

/* The target of a file without a header that is imported like other data.
 * TH_EUSAGE, TH_EDATA. */
th_status th_csv_recall_target(const struct th_csv *csv,
                               const struct th_text_file *file,
                               const struct th_csv_choice *choice,
                               const struct th_csv_reference *reference,
                               int64_t *target, struct th_error *err);

#endif
