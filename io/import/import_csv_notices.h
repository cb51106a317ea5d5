/* import_csv_notices.h - what an import says of the columns of CSV files
 * SPDX-License-Identifier: MIT
 *
 * Rank 0 shows it, in lines of its own. All are local, unless they say
 * otherwise. */
#ifndef TH_IMPORT_CSV_NOTICES_H
#define TH_IMPORT_CSV_NOTICES_H

#include "io/import/csv/csv.h"
#include "io/import/import_job.h"

#include <stdint.h>

/* Columns of words, and the first words of each. */
void th_import_csv_notices_words(const struct th_importing *im,
                                 const struct th_csv_fields *w);

/* Which column is the target, the weights, the IDs, and which are left out;
 * what differs from the data of --like. */
void th_import_csv_notices_columns(const struct th_importing *im,
                                   const struct th_csv *csv);

/* Fields that were numbers in forms of tables: mine, of which all ranks have
 * found fields[k] of form k. Collective. */
void th_import_csv_notices_forms(const struct th_importing *im,
                                 const struct th_csv *csv,
                                 const struct th_csv_forms *mine,
                                 const int64_t *fields);

/* How many words --like does not know. */
void th_import_csv_notices_unseen(const struct th_importing *im,
                                  int64_t unseen);

#endif
