/* import_origin.c - what the master remembers of the text; classes that are
 * known from other data
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "core/memory.h"
#include "io/dataset/origin_file.h"

#include <math.h>
#include <string.h>

/* Classes are remembered where all of them are known. */
static void list_classes(struct th_importing *im, struct th_origin *origin,
                         char *class_name[TH_CLASSES_KEPT])
{
  const struct th_origin *like = &im->like.origin;
  if (im->class.name == NULL || im->text.unlabelled ||
      (im->job->like != NULL && like->classes == 0))
    return;
  for (int64_t k = 0; k < like->classes; k++)
    th_class_set_add(&im->others, like->class_name[k],
                     (int64_t)strlen(like->class_name[k]), 0);
  if (im->others.more)
    return;
  for (int64_t k = 0; k < im->others.count; k++)
    class_name[k] = im->others.name[k];
  origin->class_name = class_name;
  origin->classes = im->others.count;
}

/* Distinct targets in ascending order, where they are few, and whether all are
 * whole. */
static void list_labels(const double *target, int64_t count,
                        struct th_origin *origin,
                        double label[TH_ORIGIN_LABELS])
{
  int64_t kept = 0;
  origin->whole_targets = TH_FACT_YES;
  for (int64_t i = 0; i < count; i++) {
    if (target[i] != floor(target[i]))
      origin->whole_targets = TH_FACT_NO;
    int64_t at = 0;
    while (at < kept && label[at] < target[i])
      at++;
    if (kept < 0 || (at < kept && label[at] == target[i]))
      continue;
    if (kept == TH_ORIGIN_LABELS) {
      kept = -1; /* too many */
      continue;
    }
    memmove(label + at + 1, label + at, (size_t)(kept - at) * sizeof *label);
    label[at] = target[i];
    kept++;
  }
  origin->label = label;
  origin->labels = kept > 0 ? kept : 0;
}

/* Text without a target is like the other one, which says what is its target,
 * what was left out, and so on; it adds what is not known of that. */
static void follow(const struct th_origin *like, const struct th_origin *own,
                   struct th_origin *found)
{
  *found = *like;
  found->format = like->format == NULL ? own->format : like->format;
  found->decimal = like->decimal == '\0' ? own->decimal : like->decimal;
  if (like->zero_based == TH_FACT_UNKNOWN)
    found->zero_based = own->zero_based;
  if (like->header == TH_FACT_UNKNOWN)
    found->header = own->header;
  if (like->separator == '\0')
    found->separator = own->separator;
  if (like->columns > 0)
    return;
  found->columns = own->columns;
  found->target = own->target;
  found->weight = own->weight;
  found->others = own->others;
  found->other = own->other;
  found->name = own->name;
}

/* Columns of the data of a model count among those of its text; those of its
 * support alone do not. */
static void forget_columns(struct th_origin *origin)
{
  origin->columns = 0;
  origin->target = 0;
  origin->weight = 0;
  origin->others = 0;
  origin->other = NULL;
  origin->name = NULL;
}

th_status th_import_origin(struct th_importing *im, const double *target,
                           struct th_origin *origin, struct th_error *err)
{
  char *class_name[TH_CLASSES_KEPT];
  double label[TH_ORIGIN_LABELS];
  struct th_origin like = im->like.origin;
  struct th_origin own = {.format = (char *)im->format->name, .decimal = '.'};
  struct th_origin found;
  th_status rc = TH_OK;
  *origin = (struct th_origin){0};
  if (im->format->importer->told != NULL)
    TH_TRY(im->format->importer->told(im, &own, err));
  found = own;
  if (im->text.part)
    forget_columns(&like);
  if (im->text.unlabelled)
    follow(&like, &own, &found);
  else {
    found.positive_class = (char *)im->class.name;
    found.target_name = (char *)im->text.target_name;
    list_classes(im, &found, class_name);
    if (im->class.name == NULL && target != NULL)
      list_labels(target, im->assignment.examples, &found, label);
  }
  TH_TRY(th_origin_copy(origin, &found, err));
done:
  TH_FREE(own.name, own.other);
  return rc;
}

/* Every rank's classes and whether a known one was met. */
struct met {
  struct th_class_set others;
  bool knows;
};

th_status th_import_join_classes(struct th_importing *im, bool *knows,
                                 struct th_error *err)
{
  struct met mine;
  struct met *all = NULL;
  int64_t *sizes = NULL;
  memset(&mine, 0, sizeof mine);
  mine.others = im->others;
  mine.knows = *knows;
  im->others = (struct th_class_set){0}; /* comes back with those of all */
  th_status rc = TH_NEW(&sizes, im->comm->size, "classes", err);
  TH_TRY(th_agree(im->comm, rc, err));
  TH_TRY(
      th_comm_gather(im->comm, &mine, sizeof mine, sizes, (void **)&all, err));
  for (int r = 0; r < im->comm->size; r++) {
    *knows = *knows || all[r].knows;
    im->others.more = im->others.more || all[r].others.more;
    for (int64_t k = 0; k < all[r].others.count; k++)
      th_class_set_add(&im->others, all[r].others.name[k],
                       (int64_t)strlen(all[r].others.name[k]),
                       all[r].others.times[k]);
  }
done:
  TH_FREE(all, sizes);
  return rc;
}
