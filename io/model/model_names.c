/* model_names.c - names and deviations of a model's attributes; what other text
 * is to be read like
 * SPDX-License-Identifier: MIT */
#include "io/model/model_names.h"

#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/origin_file.h"

#include <stdlib.h>

th_status th_model_names_walk(struct th_message *pack, struct th_model *model,
                              struct th_error *err)
{
  int64_t size = model->support_size;
  int64_t known[2] = {model->deviation != NULL, model->name != NULL};
  th_status rc = TH_OK;
  TH_TRY(th_message_bytes(pack, known, sizeof known, err));
  TH_TRY(th_message_bytes(pack, &model->names, sizeof model->names, err));
  TH_TRY(th_message_bytes(pack, &model->ending, sizeof model->ending, err));
  if (known[0] != 0)
    TH_TRY(th_message_array(pack, (void **)&model->deviation, size,
                            sizeof *model->deviation, err));
  if (known[1] != 0 && pack->taking)
    TH_TRY(TH_NEW(&model->name, size, "names", err));
  for (int64_t k = 0; k < size && known[1] != 0; k++)
    TH_TRY(th_message_text(pack, &model->name[k], err));
  TH_TRY(th_message_text(pack, &model->type, err));
  TH_TRY(th_origin_pack(pack, &model->origin, err));
done:
  return rc;
}

th_status th_model_names_put(const struct th_h5 *h5,
                             const struct th_model *model, struct th_error *err)
{
  th_status rc = TH_OK;
  if (model->type != NULL)
    TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, model->type, err));
  TH_TRY(th_origin_put(h5, &model->origin, err));
  if (model->deviation != NULL)
    TH_TRY(th_h5_put(h5, TH_D_DEVIATION, H5T_NATIVE_DOUBLE, model->support_size,
                     model->deviation, err));
  if (model->name == NULL)
    goto done;
  TH_TRY(th_h5_put_texts(h5, TH_D_NAMES, model->support_size,
                         (const char *const *)model->name, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_LIST, model->names.list, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_SET, model->names.set, err));
done:
  return rc;
}

static th_status get_names(const struct th_h5 *h5, struct th_model *model,
                           struct th_error *err)
{
  int64_t size = model->support_size;
  char **texts = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_NAMES_LIST, &model->names.list, err));
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_NAMES_SET, &model->names.set, err));
  TH_TRY(th_h5_get_texts(h5, TH_D_NAMES, size, &texts, err));
  TH_TRY(TH_NEW(&model->name, size, "names", err));
  for (int64_t k = 0; k < size; k++) {
    model->name[k] = th_model_copy_string(texts[k]);
    if (model->name[k] == NULL)
      TH_TRY(th_fail(err, TH_ENOMEM, "no memory for names"));
  }
done:
  free(texts);
  return rc;
}

static th_status get_type(const struct th_h5 *h5, struct th_model *model,
                          struct th_error *err)
{
  th_status rc = th_h5_get_text(h5, "/", TH_A_TYPE, &model->type, err);
  if (rc == TH_OK && th_type_find(model->type) < 0)
    rc = th_fail(err, TH_EFORMAT, "%s: unknown type \"%s\"; update thresher",
                 h5->name, model->type);
  return rc;
}

th_status th_model_names_get(const struct th_h5 *h5, struct th_model *model,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  if (th_h5_exists(h5, TH_D_DEVIATION)) {
    TH_TRY(TH_NEW(&model->deviation, model->support_size, "deviations", err));
    TH_TRY(th_h5_get(h5, TH_D_DEVIATION, H5T_NATIVE_DOUBLE, model->support_size,
                     model->deviation, err));
  }
  if (th_h5_exists(h5, TH_D_NAMES))
    TH_TRY(get_names(h5, model, err));
  if (th_h5_has(h5, "/", TH_A_TYPE))
    TH_TRY(get_type(h5, model, err));
  TH_TRY(th_origin_get(h5, model->attributes, &model->origin, err));
done:
  return rc;
}
