/* selected_file.c - the order of selection, in a model's file
 * SPDX-License-Identifier: MIT */
#include "io/model/selected_file.h"

#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/hash.h"

enum {
#define FIELD(name, what) FIELD_##name,
  TH_SELECTED_REALS(FIELD) REALS,
#undef FIELD
  FIELD_SIZE = REALS,
  FIELD_EXAMPLES,
  FIELD_COMPLETE,
  FIELDS
};

static void list_members(struct th_selected *s, struct th_h5_field f[FIELDS])
{
#define FIELD(name, what)                                                      \
  f[FIELD_##name] = (struct th_h5_field){#name, TH_H5_F64, &s->name};
  TH_SELECTED_REALS(FIELD)
#undef FIELD
  f[FIELD_SIZE] = (struct th_h5_field){"size", TH_H5_I64, &s->size};
  f[FIELD_EXAMPLES] = (struct th_h5_field){"examples", TH_H5_I64, &s->examples};
  f[FIELD_COMPLETE] = (struct th_h5_field){"complete", TH_H5_I64, &s->complete};
}

/* The checksum of the numbers, and of the order. */
static uint64_t content_of(const struct th_selected *s)
{
  uint64_t hash = th_hash(&s->size, sizeof s->size);
  hash = th_hash_from(&s->examples, sizeof s->examples, hash);
  hash = th_hash_from(&s->complete, sizeof s->complete, hash);
#define FIELD(name, what) hash = th_hash_from(&s->name, sizeof s->name, hash);
  TH_SELECTED_REALS(FIELD)
#undef FIELD
  return th_hash_from(s->attribute, (size_t)s->size * sizeof *s->attribute,
                      hash);
}

th_status th_selected_put(const struct th_h5 *h5,
                          const struct th_selected *selection,
                          struct th_error *err)
{
  struct th_selected copy = *selection;
  struct th_h5_field field[FIELDS];
  th_status rc = TH_OK;
  if (selection->size == 0 && !(selection->cost_try_select > 0))
    return rc;
  list_members(&copy, field);
  TH_TRY(th_h5_group(h5, TH_G_SELECTED, err));
  TH_TRY(th_h5_put_fields(h5, TH_G_SELECTED, field, FIELDS, err));
  TH_TRY(th_h5_put(h5, TH_D_ORDER, H5T_NATIVE_INT64, selection->size,
                   selection->attribute, err));
  TH_TRY(th_h5_put_u64(h5, TH_G_SELECTED, TH_A_CONTENT, content_of(selection),
                       err));
done:
  return rc;
}

static th_status damaged(const struct th_h5 *h5, struct th_error *err)
{
  return TH_TRAIN_AGAIN(
      err, "%s: what it says of its selection is not what was written",
      h5->name);
}

/* Local. */
static bool is_good(const struct th_selected *s, int64_t attributes)
{
  bool good = s->examples >= 0 && (s->complete == 0 || s->complete == 1) &&
              th_selected_finite(s);
  for (int64_t k = 0; k < s->size; k++)
    good = good && s->attribute[k] >= 0 && s->attribute[k] < attributes;
  return good;
}

th_status th_selected_get(const struct th_h5 *h5, int64_t attributes,
                          struct th_selected *selection, struct th_error *err)
{
  struct th_h5_field field[FIELDS];
  uint64_t content = 0;
  th_status rc = TH_OK;
  if (!th_h5_exists(h5, TH_G_SELECTED))
    return rc;
  list_members(selection, field);
  TH_TRY(th_h5_get_fields(h5, TH_G_SELECTED, field, FIELDS, err));
  if (selection->size < 0 || selection->size > attributes)
    return damaged(h5, err);
  TH_TRY(th_h5_expect(h5, TH_D_ORDER, selection->size, err));
  TH_TRY(TH_NEW(&selection->attribute, selection->size, "the selection", err));
  TH_TRY(th_h5_get(h5, TH_D_ORDER, H5T_NATIVE_INT64, selection->size,
                   selection->attribute, err));
  TH_TRY(th_h5_get_u64(h5, TH_G_SELECTED, TH_A_CONTENT, &content, err));
  if (content != content_of(selection) || !is_good(selection, attributes))
    rc = damaged(h5, err);
done:
  return rc;
}
