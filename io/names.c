/* names.c - the attribute names of an open data set
 * SPDX-License-Identifier: MIT */
#include "io/format.h"
#include "io/h5.h"
#include "io/reader.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* All names, each with its end, as one text; *bytes 0: there are none. Local,
 * on rank 0. */
static th_status read_text(struct th_dataset *dataset, char **text,
                           int64_t *bytes, struct th_error *err)
{
  struct th_h5 *h5 = &dataset->examples.h5;
  int64_t count = dataset->store.shape.attributes;
  char **names = NULL;
  th_status rc;
  *bytes = 0;
  if (!th_h5_exists(h5, TH_D_NAMES))
    return TH_OK;
  TH_TRY(th_h5_get_texts(h5, TH_D_NAMES, count, &names, err));
  for (int64_t a = 0; a < count; a++)
    *bytes += (int64_t)strlen(names[a]) + 1;
  TH_TRY(TH_NEW(text, *bytes, "attribute names", err));
  char *next = *text;
  for (int64_t a = 0; a < count; a++) {
    size_t size = strlen(names[a]) + 1;
    memcpy(next, names[a], size);
    next += size;
  }
done:
  free(names);
  return rc;
}

/* Rank 0's text on every rank. Collective. */
static th_status share_text(struct th_dataset *dataset, struct th_comm *comm,
                            char **text, int64_t *bytes, struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = read_text(dataset, text, bytes, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, bytes, sizeof *bytes, 0);
  if (comm->rank != 0 && *bytes > 0)
    rc = TH_NEW(text, *bytes, "attribute names", err);
  TH_TRY(th_agree(comm, rc, err));
  if (*bytes > 0)
    comm->ops->bcast(comm, *text, (size_t)*bytes, 0);
done:
  return rc;
}

th_status th_dataset_names(struct th_dataset *dataset, struct th_comm *comm,
                           const char *const **names, struct th_error *err)
{
  int64_t count = dataset->store.shape.attributes;
  char *text = NULL;
  int64_t bytes = 0;
  th_status rc = TH_OK;
  if (dataset->names == NULL) {
    TH_TRY(share_text(dataset, comm, &text, &bytes, err));
    if (bytes > 0)
      rc = TH_NEW(&dataset->names, count, "attribute names", err);
    TH_TRY(th_agree(comm, rc, err));
    char *next = text;
    for (int64_t a = 0; a < count && bytes > 0; a++) {
      dataset->names[a] = next;
      next += strlen(next) + 1;
    }
    dataset->names_text = text;
    text = NULL;
  }
  *names = (const char *const *)dataset->names;
done:
  free(text);
  return rc;
}
