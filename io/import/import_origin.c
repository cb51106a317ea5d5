/* import_origin.c - what the master remembers of the text; classes that are
 * known from other data
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "core/memory.h"

#include <string.h>

/* Classes are remembered where all of them are known. */
static void list_classes(struct th_importing *im, struct th_origin *origin,
                         char *class_name[TH_CLASSES_KEPT])
{
  const struct th_origin *like = &im->like.origin;
  if (im->class.name == NULL || im->unlabelled ||
      (im->job->like != NULL && like->classes == 0))
    return;
  for (int64_t k = 0; k < like->classes; k++)
    th_class_set_add(&im->others, like->class_name[k],
                     (int64_t)strlen(like->class_name[k]));
  if (im->others.more)
    return;
  for (int64_t k = 0; k < im->others.count; k++)
    class_name[k] = im->others.name[k];
  origin->class_name = class_name;
  origin->classes = im->others.count;
}

th_status th_import_origin(struct th_importing *im, struct th_origin *origin,
                           struct th_error *err)
{
  char *class_name[TH_CLASSES_KEPT];
  struct th_origin found = {0}; /* borrows all but the lists of columns */
  th_status rc = TH_OK;
  *origin = (struct th_origin){0};
  if (im->unlabelled && im->like.origin.columns > 0) {
    found = im->like.origin;
    found.classes = 0;
    return th_origin_copy(origin, &found, err);
  }
  if (im->format->importer->columns != NULL)
    TH_TRY(im->format->importer->columns(im, &found, err));
  list_classes(im, &found, class_name);
  TH_TRY(th_origin_copy(origin, &found, err));
done:
  TH_FREE(found.name, found.other);
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
  th_status rc = TH_NEW(&sizes, im->comm->size, "classes", err);
  TH_TRY(th_agree(im->comm, rc, err));
  TH_TRY(
      th_comm_gather(im->comm, &mine, sizeof mine, sizes, (void **)&all, err));
  for (int r = 0; r < im->comm->size; r++) {
    *knows = *knows || all[r].knows;
    im->others.more = im->others.more || all[r].others.more;
    for (int64_t k = 0; k < all[r].others.count; k++)
      th_class_set_add(&im->others, all[r].others.name[k],
                       (int64_t)strlen(all[r].others.name[k]));
  }
done:
  TH_FREE(all, sizes);
  return rc;
}
