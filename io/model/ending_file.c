/* ending_file.c - how a run ended, in its model's file
 * SPDX-License-Identifier: MIT */
#include "io/model/ending_file.h"

#include "io/dataset/format.h"
#include "io/hdf5/hash.h"

_Static_assert(sizeof(struct th_ending) % sizeof(double) == 0 &&
                   sizeof(struct th_claims) % sizeof(double) == 0 &&
                   sizeof(double) == sizeof(int64_t),
               "these records have no holes");

/* A record without holes, as a group with a checksum. */
struct record {
  const char *group;
  struct th_h5_field *field;
  size_t fields;
  const void *whole;
  size_t bytes;
};

static th_status put(const struct th_h5 *h5, const struct record *r,
                     struct th_error *err)
{
  th_status rc;
  TH_TRY(th_h5_group(h5, r->group, err));
  TH_TRY(th_h5_put_fields(h5, r->group, r->field, r->fields, err));
  TH_TRY(th_h5_put_u64(h5, r->group, TH_A_CONTENT, th_hash(r->whole, r->bytes),
                       err));
done:
  return rc;
}

static th_status damaged(const struct th_h5 *h5, struct th_error *err)
{
  return TH_TRAIN_AGAIN(
      err, "%s: what it says of its end is not what was written", h5->name);
}

static th_status get(const struct th_h5 *h5, const struct record *r,
                     struct th_error *err)
{
  uint64_t content = 0;
  th_status rc;
  TH_TRY(th_h5_get_fields(h5, r->group, r->field, r->fields, err));
  TH_TRY(th_h5_get_u64(h5, r->group, TH_A_CONTENT, &content, err));
  if (content != th_hash(r->whole, r->bytes))
    rc = damaged(h5, err);
done:
  return rc;
}

#define REAL(name, what) {#name, TH_H5_F64, &of->name},
#define COUNT(name, what) {#name, TH_H5_I64, &of->name},

th_status th_ending_put(const struct th_h5 *h5, const struct th_ending *ending,
                        struct th_error *err)
{
  struct th_ending copy = *ending;
  struct th_ending *of = &copy;
  struct th_h5_field field[] = {TH_ENDING_REALS(REAL) TH_ENDING_COUNTS(COUNT)};
  const struct record r = {TH_G_ENDING, field, sizeof field / sizeof *field, of,
                           sizeof *of};
  return ending->kind == TH_ENDING_NONE ? TH_OK : put(h5, &r, err);
}

th_status th_ending_get(const struct th_h5 *h5, struct th_ending *of,
                        struct th_error *err)
{
  struct th_h5_field field[] = {TH_ENDING_REALS(REAL) TH_ENDING_COUNTS(COUNT)};
  const struct record r = {TH_G_ENDING, field, sizeof field / sizeof *field, of,
                           sizeof *of};
  if (!th_h5_exists(h5, TH_G_ENDING))
    return TH_OK;
  th_status rc = get(h5, &r, err);
  if (rc == TH_OK && (of->kind <= TH_ENDING_NONE ||
                      of->kind >= TH_ENDING_KINDS || of->size < 0))
    rc = damaged(h5, err);
  return rc;
}

th_status th_ending_put_claims(const struct th_h5 *h5,
                               const struct th_claims *claims,
                               struct th_error *err)
{
  struct th_claims copy = *claims;
  struct th_claims *of = &copy;
  struct th_h5_field field[] = {TH_CLAIMS_REALS(REAL) TH_CLAIMS_COUNTS(COUNT)};
  const struct record r = {TH_G_CLAIMS, field, sizeof field / sizeof *field, of,
                           sizeof *of};
  return claims->ended_by == TH_ENDED_UNKNOWN ? TH_OK : put(h5, &r, err);
}

th_status th_ending_get_claims(const struct th_h5 *h5, struct th_claims *of,
                               struct th_error *err)
{
  struct th_h5_field field[] = {TH_CLAIMS_REALS(REAL) TH_CLAIMS_COUNTS(COUNT)};
  const struct record r = {TH_G_CLAIMS, field, sizeof field / sizeof *field, of,
                           sizeof *of};
  if (!th_h5_exists(h5, TH_G_CLAIMS))
    return TH_OK;
  th_status rc = get(h5, &r, err);
  if (rc == TH_OK && (of->ended_by == TH_ENDED_UNKNOWN || !th_claims_good(of)))
    rc = damaged(h5, err);
  return rc;
}
