/* ending_file.c - how a run ended, in its model's file
 * SPDX-License-Identifier: MIT */
#include "io/model/ending_file.h"

#include "io/dataset/format.h"
#include "io/hdf5/hash.h"

/* The checksum of a record without holes. */
static uint64_t content_of(const struct th_ending *ending)
{
  return th_hash(ending, sizeof *ending);
}

_Static_assert(sizeof(struct th_ending) % sizeof(double) == 0 &&
                   sizeof(double) == sizeof(int64_t),
               "an ending has no holes");

enum {
#define FIELD(name, what) FIELD_##name,
  TH_ENDING_REALS(FIELD) TH_ENDING_COUNTS(FIELD) FIELDS
#undef FIELD
};

static void list_members(struct th_ending *e, struct th_h5_field f[FIELDS])
{
#define FIELD(name, what)                                                      \
  f[FIELD_##name] = (struct th_h5_field){#name, TH_H5_F64, &e->name};
  TH_ENDING_REALS(FIELD)
#undef FIELD
#define FIELD(name, what)                                                      \
  f[FIELD_##name] = (struct th_h5_field){#name, TH_H5_I64, &e->name};
  TH_ENDING_COUNTS(FIELD)
#undef FIELD
}

th_status th_ending_put(const struct th_h5 *h5, const struct th_ending *ending,
                        struct th_error *err)
{
  struct th_ending copy = *ending;
  struct th_h5_field field[FIELDS];
  th_status rc = TH_OK;
  if (ending->kind == TH_ENDING_NONE)
    return rc;
  list_members(&copy, field);
  TH_TRY(th_h5_group(h5, TH_G_ENDING, err));
  TH_TRY(th_h5_put_fields(h5, TH_G_ENDING, field, FIELDS, err));
  TH_TRY(th_h5_put_u64(h5, TH_G_ENDING, TH_A_CONTENT, content_of(ending), err));
done:
  return rc;
}

th_status th_ending_get(const struct th_h5 *h5, struct th_ending *ending,
                        struct th_error *err)
{
  struct th_h5_field field[FIELDS];
  uint64_t content = 0;
  th_status rc = TH_OK;
  if (!th_h5_exists(h5, TH_G_ENDING))
    return rc;
  list_members(ending, field);
  TH_TRY(th_h5_get_fields(h5, TH_G_ENDING, field, FIELDS, err));
  TH_TRY(th_h5_get_u64(h5, TH_G_ENDING, TH_A_CONTENT, &content, err));
  if (content != content_of(ending) || ending->kind <= TH_ENDING_NONE ||
      ending->kind >= TH_ENDING_KINDS || ending->size < 0)
    rc = TH_TRAIN_AGAIN(
        err, "%s: what it says of its end is not what was written", h5->name);
done:
  return rc;
}
