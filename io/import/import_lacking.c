/* import_lacking.c - attributes that too many examples lack are left out
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/memory.h"

#include <stdio.h>

/* The first names of a few attributes that are not used. */
static void list_dropped(const struct th_importing *im, char *text, size_t size)
{
  enum { SHOWN = 5 };
  const struct th_lacking *lacking = &im->text.lacking;
  char called[TH_IMPORT_CALLED];
  size_t used = 0;
  int shown = 0;
  for (int64_t a = 0; a < lacking->attributes && shown < SHOWN; a++) {
    if (!lacking->dropped[a])
      continue;
    if (im->names != NULL)
      snprintf(called, sizeof called, "'%.60s'", im->names[a]);
    else
      im->format->importer->call(im, a, called);
    used += (size_t)snprintf(text + used, size - used, "%s%s",
                             shown++ > 0 ? ", " : "", called);
  }
  if (lacking->drops > shown)
    snprintf(text + used, size - used, ", ...");
}

/* Where every index up to a number was asked for, numbers stay, and the values
 * become 0. */
static bool keeps_numbers(const struct th_importing *im)
{
  const struct th_importer *importer = im->format->importer;
  return importer->later.leave_out == NULL ||
         (importer->indices && im->job->attributes > 0);
}

static void tell_dropped(const struct th_importing *im)
{
  const struct th_lacking *lacking = &im->text.lacking;
  char names[5 * (TH_IMPORT_CALLED + 4) + 8] = "";
  const bool one = lacking->drops == 1;
  list_dropped(im, names, sizeof names);
  if (keeps_numbers(im))
    th_import_notice(im,
                     "zeros:    %lld attribute%s, which more than %g of the "
                     "training examples lack, %s all 0, as {attributes} "
                     "numbers all: %s; {max-missing} sets the share",
                     (long long)lacking->drops, one ? "" : "s",
                     im->job->missing.most, one ? "is" : "are", names);
  else
    th_import_notice(im,
                     "left out: %lld attribute%s, which more than %g of the "
                     "training examples lack: %s; {max-missing} sets the share",
                     (long long)lacking->drops, one ? "" : "s",
                     im->job->missing.most, names);
}

static void tell_missing(const struct th_importing *im)
{
  const struct th_lacking *lacking = &im->text.lacking;
  int64_t lacked = 0;
  for (int64_t a = 0; a < lacking->attributes; a++)
    lacked += lacking->count[a] > 0;
  th_import_notice(im,
                   "missing:  %lld value%s of %lld of %lld attribute%s; the "
                   "mean of the training examples stands for each",
                   (long long)lacking->values, lacking->values == 1 ? "" : "s",
                   (long long)lacked, (long long)im->attributes,
                   im->attributes == 1 ? "" : "s");
}

/* The other attributes move together: their names, their values on the way to
 * shards, and what the format knows of them. */
static th_status leave_out_lacking(struct th_importing *im,
                                   struct th_error *err)
{
  struct th_lacking *lacking = &im->text.lacking;
  const int64_t attributes = im->attributes;
  if (lacking->drops == attributes)
    return th_fail(err, TH_EDATA,
                   "%s: no attribute is left, as more than %g of the training "
                   "examples lack each of the %lld; raise {max-missing}",
                   im->file[0].name, im->job->missing.most,
                   (long long)attributes);
  th_status rc = th_lacking_leave_out(lacking, attributes, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t a = 0; im->names != NULL && a < lacking->keeps; a++)
    im->names[a] = im->names[lacking->kept[a]];
  for (int k = 0; k < im->bins.count; k++)
    th_bucket_spill_renumber(im->bins.all[k], lacking->number);
  im->attributes = lacking->keeps;
  return im->format->importer->later.leave_out(im, err);
}

th_status th_import_lacking(struct th_importing *im, struct th_error *err)
{
  struct th_lacking *lacking = &im->text.lacking;
  th_status rc = TH_OK;
  if (lacking->values == 0)
    return TH_OK;
  if (im->job->like == NULL)
    TH_TRY(th_lacking_judge(lacking, im->assignment.training,
                            im->job->missing.most, err));
  tell_missing(im);
  if (lacking->drops == 0)
    return TH_OK;
  tell_dropped(im);
  rc = keeps_numbers(im) ? TH_OK : leave_out_lacking(im, err);
done:
  return rc;
}
