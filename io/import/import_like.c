/* import_like.c - what an import takes over from another data set
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "core/memory.h"
#include "core/model.h"

/* Local; an absent text stays so. */
static th_status copy_text(char **to, const char *from, struct th_error *err)
{
  *to = from == NULL ? NULL : th_model_copy_string(from);
  return from == NULL || *to != NULL
             ? TH_OK
             : th_fail(err, TH_ENOMEM, "no memory for a name");
}

static th_status take(struct th_like *like, struct th_dataset *dataset,
                      struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(dataset)->shape;
  th_status rc = TH_OK;
  like->attributes = shape->attributes;
  like->layout = shape->layout;
  like->type = shape->type;
  TH_TRY(th_dataset_names(dataset, &like->names, err));
  TH_TRY(copy_text(&like->target_name, th_dataset_target_name(dataset), err));
  TH_TRY(th_origin_copy(&like->origin, th_dataset_origin(dataset), err));
  TH_TRY(copy_text(&like->class_name, th_dataset_positive_class(dataset), err));
done:
  return rc;
}

static th_status open_like(struct th_importing *im, struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  th_status rc = th_dataset_open(&dataset, im->comm, im->job->like, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = th_agree(im->comm, take(&im->like, dataset, err), err);
  th_dataset_close(dataset);
  return rc;
}

th_status th_import_read_like(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  enum th_type type = TH_F32;
  if (job->like != NULL) {
    th_status rc = open_like(im, err);
    if (rc != TH_OK)
      return rc;
    type = im->like.type;
  }
  im->type = job->type >= 0 ? (enum th_type)job->type : type;
  enum th_layout layout = job->layout == TH_SPARSE ? TH_SPARSE : TH_DENSE;
  return th_type_allows(im->type, layout, job->row_group, err);
}

void th_import_free_like(struct th_like *like)
{
  TH_FREE(like->names, like->target_name, like->class_name);
  th_origin_free(&like->origin);
  *like = (struct th_like){0};
}
