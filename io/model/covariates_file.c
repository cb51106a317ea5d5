/* covariates_file.c - stores and shares what a model says of its covariates
 * SPDX-License-Identifier: MIT */
#include "io/model/covariates_file.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

th_status th_covariates_file_pack(struct th_message *pack,
                                  struct th_covariates *c, struct th_error *err)
{
  int64_t fixed[] = {c->count, c->words, c->decimal};
  th_status rc = th_message_bytes(pack, fixed, sizeof fixed, err);
  if (rc != TH_OK)
    return rc;
  if (pack->taking)
    *c = (struct th_covariates){
        .count = fixed[0], .words = fixed[1], .decimal = (char)fixed[2]};
  if (c->count == 0)
    return TH_OK;
  TH_TRY(th_message_texts(pack, &c->name, c->count, err));
  TH_TRY(th_message_texts(pack, &c->word, c->words, err));
  TH_TRY(th_message_text(pack, &c->missing_words, err));
  TH_TRY(th_message_array(pack, (void **)&c->mean, c->count, sizeof *c->mean,
                          err));
done:
  return rc;
}

th_status th_covariates_file_copy(struct th_covariates *to,
                                  const struct th_covariates *from,
                                  struct th_error *err)
{
  struct th_message pack = {0};
  struct th_covariates all = *from; /* packing only reads it */
  *to = (struct th_covariates){0};
  th_status rc = th_covariates_file_pack(&pack, &all, err);
  pack.taking = true;
  pack.capacity = pack.used;
  pack.used = 0;
  if (rc == TH_OK)
    rc = th_covariates_file_pack(&pack, to, err);
  th_message_free(&pack);
  return rc;
}

th_status th_covariates_file_put(const struct th_h5 *h5,
                                 const struct th_covariates *c,
                                 struct th_error *err)
{
  const char *group = TH_G_COVARIATES;
  th_status rc = TH_OK;
  if (c->count == 0)
    return rc;
  TH_TRY(th_h5_group(h5, group, err));
  TH_TRY(th_h5_put_i64(h5, group, TH_A_COUNT, c->count, err));
  TH_TRY(th_h5_put_i64(h5, group, TH_A_WORDS, c->words, err));
  TH_TRY(th_h5_put_i64(h5, group, TH_A_DECIMAL, c->decimal, err));
  if (c->missing_words != NULL)
    TH_TRY(
        th_h5_put_text(h5, group, TH_A_MISSING_WORDS, c->missing_words, err));
  TH_TRY(th_h5_set_put_texts(h5, TH_D_COVARIATE_NAME, c->count,
                             (const char *const *)c->name, err));
  TH_TRY(th_h5_set_put(h5, TH_D_COVARIATE_MEAN, H5T_NATIVE_DOUBLE, c->count,
                       c->mean, err));
  if (c->words > 0)
    TH_TRY(th_h5_set_put_texts(h5, TH_D_COVARIATE_WORD, c->words,
                               (const char *const *)c->word, err));
done:
  return rc;
}

/* Each in an allocation of its own. */
static th_status get_list(const struct th_h5 *h5, const char *set,
                          int64_t count, char ***text, struct th_error *err)
{
  char **read = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_get_texts(h5, set, count, &read, err));
  TH_TRY(TH_NEW(text, count, "names", err));
  for (int64_t k = 0; k < count; k++) {
    int64_t bytes = (int64_t)strlen(read[k]) + 1;
    TH_TRY(TH_NEW(&(*text)[k], bytes, "names", err));
    memcpy((*text)[k], read[k], (size_t)bytes);
  }
done:
  free(read);
  return rc;
}

static bool are_good(const struct th_covariates *c)
{
  bool good = c->decimal == '.' || c->decimal == ',';
  for (int64_t k = 0; k < c->count; k++)
    good = good && isfinite(c->mean[k]);
  return good;
}

th_status th_covariates_file_get(const struct th_h5 *h5, int64_t attributes,
                                 struct th_covariates *c, struct th_error *err)
{
  const char *group = TH_G_COVARIATES;
  int64_t decimal = 0;
  int64_t words = 0;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, group))
    return rc;
  TH_TRY(th_h5_get_i64(h5, group, TH_A_COUNT, &count, err));
  TH_TRY(th_h5_get_i64(h5, group, TH_A_WORDS, &words, err));
  TH_TRY(th_h5_get_i64(h5, group, TH_A_DECIMAL, &decimal, err));
  if (count < 1 || count >= attributes || words < 0 || words > count)
    return TH_TRAIN_AGAIN(err, "%s: covariates that cannot be", h5->name);
  if (th_h5_has(h5, group, TH_A_MISSING_WORDS))
    TH_TRY(
        th_h5_get_text(h5, group, TH_A_MISSING_WORDS, &c->missing_words, err));
  c->decimal = (char)decimal;
  TH_TRY(th_h5_set_expect(h5, TH_D_COVARIATE_MEAN, count, err));
  TH_TRY(TH_NEW(&c->mean, count, "means", err));
  TH_TRY(th_h5_set_get(h5, TH_D_COVARIATE_MEAN, H5T_NATIVE_DOUBLE, count,
                       c->mean, err));
  rc = get_list(h5, TH_D_COVARIATE_NAME, count, &c->name, err);
  c->count = c->name != NULL ? count : 0;
  if (rc == TH_OK && words > 0)
    rc = get_list(h5, TH_D_COVARIATE_WORD, words, &c->word, err);
  c->words = c->word != NULL ? words : 0;
  if (rc == TH_OK && !are_good(c))
    rc = TH_TRAIN_AGAIN(err, "%s: covariates that cannot be", h5->name);
done:
  return rc;
}
