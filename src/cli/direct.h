/* direct.h - imports as commands run them: that of import, and those of files
 * that train, evaluate and predict are given in the place of a data set
 * SPDX-License-Identifier: MIT */
#ifndef TH_DIRECT_H
#define TH_DIRECT_H

#include "cli/options/options.h"
#include "cli/run/meter.h"
#include "cli/shared/model_list.h"
#include "io/kept/kept.h"
#include "ranks/comm.h"

/* --- An import by the options of a command ---------------------------------
 */

/* The import that the options ask for; texts are borrowed. share: memory of the
 * rank. Local. */
struct th_import th_direct_job(const struct th_options *options, int64_t share,
                               int cores);

/* What shows its progress and its notes by a meter; NULL: neither. Local. */
struct th_import_monitor th_direct_monitor(struct th_meter *meter);

/* The line at the end. Local: rank 0. */
void th_direct_print(const char *output, const struct th_import_result *result);

/* --- A file in the place of a data set: imported once, and found again -----
 */

/* Zeroed: nothing is open. */
struct th_direct {
  struct th_options options; /* but for those that the import has used up;
                                borrows what it has */
  const char *path;          /* of a data set */
  bool imported;             /* it was made of the file */
  struct th_kept *kept;      /* or NULL; owned */
};

/* Where the file is no data set, import it, or find what was imported. models:
 * new data for the first of them; NULL: data to train on. Options that only an
 * import uses are refused with a data set. Collective; end with
 * th_direct_close, also after a failure, and not before the data set is used no
 * more. */
th_status th_direct_open(struct th_direct *direct,
                         const struct th_options *options, const char *command,
                         const char *file, const struct th_model_list *models,
                         struct th_comm *comm, struct th_error *err);

/* True if a data set of that fingerprint was imported from the same file.
 * Collective. */
bool th_direct_knows(const struct th_direct *direct, uint64_t fingerprint,
                     struct th_comm *comm);

/* rc and *err: of the command; see th_kept_forget. Local. */
void th_direct_close(struct th_direct *direct, th_status rc,
                     struct th_error *err);

#endif
