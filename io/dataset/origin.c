/* origin.c - copies, stores and shares what a data set remembers of its text
 * SPDX-License-Identifier: MIT */
#include "io/dataset/origin.h"

#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

#include <stdlib.h>

void th_origin_free(struct th_origin *origin)
{
  free(origin->other);
  TH_FREE_LIST(origin->name, origin->others);
  TH_FREE_LIST(origin->class_name, origin->classes);
  *origin = (struct th_origin){0};
}

/* Walk a list of texts, packing or unpacking it. */
static th_status pack_texts(struct th_message *pack, char ***texts,
                            int64_t count, struct th_error *err)
{
  th_status rc = TH_OK;
  if (pack->taking)
    rc = TH_NEW(texts, count, "names of columns", err);
  for (int64_t k = 0; rc == TH_OK && k < count; k++)
    rc = th_message_text(pack, &(*texts)[k], err);
  return rc;
}

th_status th_origin_pack(struct th_message *pack, struct th_origin *origin,
                         struct th_error *err)
{
  int64_t named = origin->name != NULL;
  int64_t fixed[] = {origin->columns, origin->target, origin->others,
                     origin->classes, named};
  th_status rc = th_message_bytes(pack, fixed, sizeof fixed, err);
  if (rc != TH_OK)
    return rc;
  if (pack->taking)
    *origin = (struct th_origin){.columns = fixed[0],
                                 .target = fixed[1],
                                 .others = fixed[2],
                                 .classes = fixed[3]};
  TH_TRY(th_message_array(pack, (void **)&origin->other, origin->others,
                          sizeof *origin->other, err));
  if (fixed[4] != 0)
    TH_TRY(pack_texts(pack, &origin->name, origin->others, err));
  TH_TRY(pack_texts(pack, &origin->class_name, origin->classes, err));
done:
  return rc;
}

th_status th_origin_copy(struct th_origin *to, const struct th_origin *from,
                         struct th_error *err)
{
  struct th_message pack = {0};
  struct th_origin all = *from; /* packing only reads it */
  *to = (struct th_origin){0};
  th_status rc = th_origin_pack(&pack, &all, err);
  pack.taking = true;
  pack.capacity = pack.used;
  pack.used = 0;
  if (rc == TH_OK)
    rc = th_origin_pack(&pack, to, err);
  th_message_free(&pack);
  return rc;
}

th_status th_origin_put(const struct th_h5 *h5, const struct th_origin *origin,
                        struct th_error *err)
{
  th_status rc = TH_OK;
  if (origin->classes > 0) {
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_CLASSES, origin->classes, err));
    TH_TRY(th_h5_put_texts(h5, TH_D_CLASSES, origin->classes,
                           (const char *const *)origin->class_name, err));
  }
  if (origin->columns == 0)
    goto done;
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_COLUMNS, origin->columns, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_TARGET_COLUMN, origin->target, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_OTHERS, origin->others, err));
  if (origin->others == 0)
    goto done;
  TH_TRY(th_h5_put(h5, TH_D_OTHERS, H5T_NATIVE_INT64, origin->others,
                   origin->other, err));
  if (origin->name != NULL)
    TH_TRY(th_h5_put_texts(h5, TH_D_OTHER_NAMES, origin->others,
                           (const char *const *)origin->name, err));
done:
  return rc;
}

/* Read texts, each in an allocation of its own, as th_origin_free needs. */
static th_status get_texts(const struct th_h5 *h5, const char *name,
                           int64_t count, char ***texts, struct th_error *err)
{
  char **read = NULL;
  struct th_message pack = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_texts(h5, name, count, &read, err));
  TH_TRY(pack_texts(&pack, &read, count, err));
  pack.taking = true;
  pack.capacity = pack.used;
  pack.used = 0;
  TH_TRY(pack_texts(&pack, texts, count, err));
done:
  th_message_free(&pack);
  free(read);
  return rc;
}

static th_status wrong(const struct th_h5 *h5, struct th_error *err)
{
  return TH_DAMAGED(err, "%s: columns of a text that cannot be", h5->name);
}

/* Whether the columns ascend and none of them is the target. */
static bool others_good(const struct th_origin *origin)
{
  int64_t before = 0;
  for (int64_t k = 0; k < origin->others; k++) {
    if (origin->other[k] <= before || origin->other[k] == origin->target)
      return false;
    before = origin->other[k];
  }
  return before <= origin->columns;
}

static th_status get_others(const struct th_h5 *h5, struct th_origin *origin,
                            struct th_error *err)
{
  int64_t count = origin->others;
  th_status rc = TH_OK;
  origin->others = 0; /* no columns until there is room for them */
  TH_TRY(th_h5_expect(h5, TH_D_OTHERS, count, err));
  TH_TRY(TH_NEW(&origin->other, count, "columns", err));
  TH_TRY(
      th_h5_get(h5, TH_D_OTHERS, H5T_NATIVE_INT64, count, origin->other, err));
  if (th_h5_exists(h5, TH_D_OTHER_NAMES))
    rc = get_texts(h5, TH_D_OTHER_NAMES, count, &origin->name, err);
  origin->others = count;
  if (rc == TH_OK && !others_good(origin))
    rc = wrong(h5, err);
done:
  return rc;
}

static th_status get_columns(const struct th_h5 *h5, int64_t attributes,
                             struct th_origin *origin, struct th_error *err)
{
  int64_t others = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_COLUMNS, &origin->columns, err));
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_TARGET_COLUMN, &origin->target, err));
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_OTHERS, &others, err));
  if (origin->target < 0 || origin->target > origin->columns || others < 0 ||
      origin->columns < attributes ||
      origin->columns - attributes - (origin->target > 0) != others)
    return wrong(h5, err);
  origin->others = others;
  if (others > 0)
    rc = get_others(h5, origin, err);
done:
  return rc;
}

th_status th_origin_get(const struct th_h5 *h5, int64_t attributes,
                        struct th_origin *origin, struct th_error *err)
{
  int64_t classes = 0;
  th_status rc = TH_OK;
  if (th_h5_has(h5, "/", TH_A_COLUMNS))
    TH_TRY(get_columns(h5, attributes, origin, err));
  if (!th_h5_has(h5, "/", TH_A_CLASSES))
    goto done;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_CLASSES, &classes, err));
  if (classes < 1 || classes > TH_ORIGIN_CLASSES)
    return wrong(h5, err);
  rc = get_texts(h5, TH_D_CLASSES, classes, &origin->class_name, err);
  origin->classes = rc == TH_OK || origin->class_name != NULL ? classes : 0;
done:
  return rc;
}
