/* import_like.c - what an import takes over from another data set, or from a
 * model
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "core/memory.h"
#include "io/dataset/origin_file.h"

#include <stdlib.h>

static th_status take(struct th_like *like, struct th_dataset *dataset,
                      struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(dataset)->shape;
  th_status rc = TH_OK;
  like->attributes = shape->attributes;
  like->layout = (int)shape->layout;
  like->type = shape->type;
  TH_TRY(th_dataset_names(dataset, &like->names, err));
  TH_TRY(th_origin_copy(&like->origin, th_dataset_origin(dataset), err));
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

/* Of a model only the support has names; it does not say how its data were laid
 * out. Local. */
static th_status take_model(struct th_like *like, const struct th_model *model,
                            const char *path, struct th_error *err)
{
  int type = model->type == NULL ? -1 : th_type_find(model->type);
  if (model->support_size == 0)
    return th_fail(err, TH_EDATA,
                   "%s uses no attribute: its prediction is %.17g for every "
                   "example; import with {like} a data set",
                   path, model->intercept);
  like->attributes = model->attributes;
  like->layout = -1;
  like->type = type < 0 ? TH_F32 : (enum th_type)type;
  like->support = model->name;
  like->support_size = model->support_size;
  return th_origin_copy(&like->origin, &model->origin, err);
}

th_status th_import_read_like(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = TH_OK;
  im->like.type = TH_F32;
  if (job->like != NULL && job->model != NULL)
    rc = th_agree(im->comm, take_model(&im->like, job->model, job->like, err),
                  err);
  else if (job->like != NULL)
    rc = open_like(im, err);
  if (rc != TH_OK)
    return rc;
  im->type = job->type >= 0 ? (enum th_type)job->type : im->like.type;
  enum th_layout layout = job->layout == TH_SPARSE ? TH_SPARSE : TH_DENSE;
  return th_type_allows(im->type, layout, job->row_group, err);
}

void th_import_free_like(struct th_like *like)
{
  free(like->names);
  th_origin_free(&like->origin);
  *like = (struct th_like){0};
}
