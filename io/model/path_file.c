/* path_file.c - the path that a model was chosen from, in its file
 * SPDX-License-Identifier: MIT */
#include "io/model/path_file.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/files/hash.h"

#include <math.h>
#include <stdlib.h>

/* --- All of it as bytes, to share it and to hash it ----------------------- */

/* Pack or unpack the arrays, whose lengths are known. */
static th_status walk_arrays(struct th_message *pack, struct th_path *path,
                             struct th_error *err)
{
  int64_t points = path->points;
  int64_t entries = path->entries;
  double **const by_lambda[] = {&path->lambda, &path->loss, &path->se,
                                &path->intercept};
  th_status rc = TH_OK;
  for (size_t k = 0; k < TH_COUNT(by_lambda); k++)
    TH_TRY(th_message_array(pack, (void **)by_lambda[k], points, sizeof(double),
                            err));
  TH_TRY(th_message_array(pack, (void **)&path->start, points + 1,
                          sizeof *path->start, err));
  TH_TRY(th_message_array(pack, (void **)&path->attribute, entries,
                          sizeof *path->attribute, err));
  TH_TRY(th_message_array(pack, (void **)&path->coef, entries,
                          sizeof *path->coef, err));
done:
  return rc;
}

/* Pack or unpack what is known of the attributes. */
static th_status walk_members(struct th_message *pack, struct th_model *m,
                              struct th_error *err)
{
  int64_t size = m->support_size;
  int64_t known[5] = {m->deviation != NULL, m->mean != NULL, m->name != NULL,
                      m->allele != NULL, m->other != NULL};
  th_status rc;
  TH_TRY(th_message_bytes(pack, known, sizeof known, err));
  if (known[0] != 0)
    TH_TRY(th_message_array(pack, (void **)&m->deviation, size,
                            sizeof *m->deviation, err));
  if (known[1] != 0)
    TH_TRY(
        th_message_array(pack, (void **)&m->mean, size, sizeof *m->mean, err));
  if (known[2] != 0)
    TH_TRY(th_message_texts(pack, &m->name, size, err));
  if (known[3] != 0)
    TH_TRY(th_message_texts(pack, &m->allele, size, err));
  if (known[4] != 0)
    TH_TRY(th_message_texts(pack, &m->other, size, err));
done:
  return rc;
}

th_status th_path_file_walk(struct th_message *pack, struct th_model *model,
                            struct th_error *err)
{
  struct th_path *path = &model->path;
  int64_t *const counts[] = {&path->points, &path->entries, &path->folds,
                             &path->best,   &path->one_se,  &path->chosen};
  th_status rc = TH_OK;
  for (size_t k = 0; k < TH_COUNT(counts); k++)
    TH_TRY(th_message_bytes(pack, counts[k], sizeof *counts[k], err));
  if (path->points == 0)
    return rc;
  TH_TRY(walk_arrays(pack, path, err));
  if (pack->taking)
    TH_TRY(th_model_list_members(model, err));
  TH_TRY(walk_members(pack, model->members, err));
done:
  return rc;
}

static th_status content_of_path(struct th_model *model, uint64_t *content,
                                 struct th_error *err)
{
  struct th_message pack = {0};
  th_status rc = th_path_file_walk(&pack, model, err);
  if (rc == TH_OK)
    *content = th_hash(pack.data, (size_t)pack.used);
  th_message_free(&pack);
  return rc;
}

/* --- The group ------------------------------------------------------------ */

static th_status put_counts(const struct th_h5 *h5, const struct th_path *path,
                            const char *penalty, struct th_error *err)
{
  const struct {
    const char *name;
    int64_t value;
  } counts[] = {{TH_A_COUNT, path->points},  {TH_A_ENTRIES, path->entries},
                {TH_A_FOLDS, path->folds},   {TH_A_BEST, path->best},
                {TH_A_ONE_SE, path->one_se}, {TH_A_CHOSEN, path->chosen}};
  th_status rc = th_h5_put_text(h5, TH_G_KEPT, TH_A_PENALTY, penalty, err);
  for (size_t k = 0; k < TH_COUNT(counts) && rc == TH_OK; k++)
    rc = th_h5_put_i64(h5, TH_G_KEPT, counts[k].name, counts[k].value, err);
  return rc;
}

static th_status put_listed(const struct th_h5 *h5, const struct th_model *m,
                            struct th_error *err)
{
  int64_t size = m->support_size;
  const struct {
    const char *set;
    char *const *text;
  } texts[] = {{TH_D_KEPT_NAMES, m->name},
               {TH_D_KEPT_ALLELES, m->allele},
               {TH_D_KEPT_OTHERS, m->other}};
  th_status rc;
  TH_TRY(th_h5_set_put(h5, TH_D_KEPT_MEMBER, H5T_NATIVE_INT64, size, m->support,
                       err));
  if (m->deviation != NULL)
    TH_TRY(th_h5_set_put(h5, TH_D_KEPT_DEVIATION, H5T_NATIVE_DOUBLE, size,
                         m->deviation, err));
  if (m->mean != NULL)
    TH_TRY(th_h5_set_put(h5, TH_D_KEPT_MEAN, H5T_NATIVE_DOUBLE, size, m->mean,
                         err));
  for (size_t k = 0; k < TH_COUNT(texts); k++)
    if (texts[k].text != NULL)
      TH_TRY(th_h5_set_put_texts(h5, texts[k].set, size,
                                 (const char *const *)texts[k].text, err));
done:
  return rc;
}

static th_status put_sizes(const struct th_h5 *h5, const struct th_path *path,
                           struct th_error *err)
{
  int64_t *size = NULL;
  th_status rc = TH_NEW(&size, path->points, "the path", err);
  for (int64_t k = 0; k < path->points && rc == TH_OK; k++)
    size[k] = th_path_size(path, k);
  if (rc == TH_OK)
    rc = th_h5_set_put(h5, TH_D_KEPT_SIZE, H5T_NATIVE_INT64, path->points, size,
                       err);
  free(size);
  return rc;
}

th_status th_path_file_put(const struct th_h5 *h5, struct th_model *model,
                           const char *penalty, struct th_error *err)
{
  const struct th_path *path = &model->path;
  int64_t points = path->points;
  int64_t entries = path->entries;
  uint64_t content = 0;
  th_status rc = TH_OK;
  if (points == 0)
    return rc;
  const struct {
    const char *set;
    const double *value;
  } sets[] = {{TH_D_KEPT_LAMBDA, path->lambda},
              {TH_D_KEPT_LOSS, path->loss},
              {TH_D_KEPT_SE, path->se},
              {TH_D_KEPT_INTERCEPT, path->intercept}};
  TH_TRY(content_of_path(model, &content, err));
  TH_TRY(th_h5_group(h5, TH_G_KEPT, err));
  TH_TRY(put_counts(h5, path, penalty, err));
  for (size_t k = 0; k < TH_COUNT(sets); k++)
    TH_TRY(th_h5_set_put(h5, sets[k].set, H5T_NATIVE_DOUBLE, points,
                         sets[k].value, err));
  TH_TRY(put_sizes(h5, path, err));
  TH_TRY(th_h5_set_put(h5, TH_D_KEPT_START, H5T_NATIVE_INT64, points + 1,
                       path->start, err));
  TH_TRY(th_h5_set_put(h5, TH_D_KEPT_ATTRIBUTE, H5T_NATIVE_INT64, entries,
                       path->attribute, err));
  TH_TRY(th_h5_set_put(h5, TH_D_KEPT_COEF, H5T_NATIVE_DOUBLE, entries,
                       path->coef, err));
  TH_TRY(put_listed(h5, model->members, err));
  TH_TRY(th_h5_put_u64(h5, TH_G_KEPT, TH_A_CONTENT, content, err));
done:
  return rc;
}

static th_status path_damaged(const struct th_h5 *h5, struct th_error *err)
{
  return TH_TRAIN_AGAIN(
      err, "%s: the path that it keeps is not what was written", h5->name);
}

static th_status get_counts(const struct th_h5 *h5, struct th_path *path,
                            struct th_error *err)
{
  const struct {
    const char *name;
    int64_t *value;
  } counts[] = {{TH_A_FOLDS, &path->folds},
                {TH_A_BEST, &path->best},
                {TH_A_ONE_SE, &path->one_se},
                {TH_A_CHOSEN, &path->chosen}};
  th_status rc = TH_OK;
  for (size_t k = 0; k < TH_COUNT(counts) && rc == TH_OK; k++)
    rc = th_h5_get_i64(h5, TH_G_KEPT, counts[k].name, counts[k].value, err);
  return rc;
}

/* Room for the arrays, if the file has that many numbers. */
static th_status reserve_path(const struct th_h5 *h5, struct th_path *path,
                              struct th_error *err)
{
  int64_t points = 0;
  int64_t entries = 0;
  th_status rc;
  TH_TRY(th_h5_get_i64(h5, TH_G_KEPT, TH_A_COUNT, &points, err));
  TH_TRY(th_h5_get_i64(h5, TH_G_KEPT, TH_A_ENTRIES, &entries, err));
  if (points < 1 || points == INT64_MAX || entries < 0)
    return path_damaged(h5, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_KEPT_START, points + 1, err));
  TH_TRY(th_h5_set_expect(h5, TH_D_KEPT_ATTRIBUTE, entries, err));
  TH_TRY(th_path_reserve(path, points, entries, err));
done:
  return rc;
}

static bool members_good(const struct th_model *m)
{
  bool good = true;
  for (int64_t k = 0; m->deviation != NULL && k < m->support_size; k++)
    good = good && m->deviation[k] >= 0;
  for (int64_t k = 0; m->mean != NULL && k < m->support_size; k++)
    good = good && isfinite(m->mean[k]);
  return good;
}

static th_status get_listed(const struct th_h5 *h5, struct th_model *model,
                            struct th_error *err)
{
  th_status rc;
  TH_TRY(th_model_list_members(model, err));
  struct th_model *m = model->members;
  const struct {
    const char *set;
    double **value;
  } numbers[] = {{TH_D_KEPT_DEVIATION, &m->deviation},
                 {TH_D_KEPT_MEAN, &m->mean}};
  const struct {
    const char *set;
    char ***text;
  } texts[] = {{TH_D_KEPT_NAMES, &m->name},
               {TH_D_KEPT_ALLELES, &m->allele},
               {TH_D_KEPT_OTHERS, &m->other}};
  for (size_t k = 0; k < TH_COUNT(numbers); k++)
    if (th_h5_set_exists(h5, numbers[k].set)) {
      TH_TRY(TH_NEW(numbers[k].value, m->support_size, "the path", err));
      TH_TRY(th_h5_set_get(h5, numbers[k].set, H5T_NATIVE_DOUBLE,
                           m->support_size, *numbers[k].value, err));
    }
  for (size_t k = 0; k < TH_COUNT(texts); k++)
    if (th_h5_set_exists(h5, texts[k].set))
      TH_TRY(th_h5_set_get_copies(h5, texts[k].set, m->support_size,
                                  texts[k].text, err));
done:
  return rc;
}

th_status th_path_file_get(const struct th_h5 *h5, struct th_model *model,
                           struct th_error *err)
{
  struct th_path *path = &model->path;
  uint64_t content = 0;
  uint64_t wanted = 0;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, TH_G_KEPT))
    return rc;
  TH_TRY(reserve_path(h5, path, err));
  const struct {
    const char *set;
    double *value;
  } sets[] = {{TH_D_KEPT_LAMBDA, path->lambda},
              {TH_D_KEPT_LOSS, path->loss},
              {TH_D_KEPT_SE, path->se},
              {TH_D_KEPT_INTERCEPT, path->intercept}};
  TH_TRY(get_counts(h5, path, err));
  for (size_t k = 0; k < TH_COUNT(sets); k++)
    TH_TRY(th_h5_set_get(h5, sets[k].set, H5T_NATIVE_DOUBLE, path->points,
                         sets[k].value, err));
  TH_TRY(th_h5_set_get(h5, TH_D_KEPT_START, H5T_NATIVE_INT64, path->points + 1,
                       path->start, err));
  TH_TRY(th_h5_set_get(h5, TH_D_KEPT_ATTRIBUTE, H5T_NATIVE_INT64, path->entries,
                       path->attribute, err));
  TH_TRY(th_h5_set_get(h5, TH_D_KEPT_COEF, H5T_NATIVE_DOUBLE, path->entries,
                       path->coef, err));
  if (!th_path_is_good(path, model->attributes))
    return path_damaged(h5, err);
  TH_TRY(get_listed(h5, model, err));
  TH_TRY(th_h5_get_u64(h5, TH_G_KEPT, TH_A_CONTENT, &wanted, err));
  TH_TRY(content_of_path(model, &content, err));
  if (content != wanted || !members_good(model->members))
    rc = path_damaged(h5, err);
done:
  return rc;
}
