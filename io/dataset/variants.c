/* variants.c - what a master says of attributes that are variants of a genome
 * SPDX-License-Identifier: MIT */
#include "io/dataset/variants.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/h5.h"

#include <stdlib.h>
#include <string.h>

/* The texts of a variant, and what each is stored as. */
enum { CHROMOSOME, COUNTED, OTHER, TEXTS };

static const char *const text_set[TEXTS] = {
    TH_D_VARIANT_CHROMOSOME, TH_D_VARIANT_COUNTED, TH_D_VARIANT_OTHER};

static const char *text_of(const struct th_variant *variant, int which)
{
  return which == CHROMOSOME ? variant->chromosome
         : which == COUNTED  ? variant->counted
                             : variant->other;
}

/* All texts of a kind, one after the other, each with its zero: few of them are
 * long, and those may be very long. */
static th_status put_variant_texts(const struct th_h5 *h5, int which,
                                   int64_t count,
                                   const struct th_variant *variant,
                                   struct th_error *err)
{
  char *room = NULL;
  int64_t bytes = 0;
  for (int64_t a = 0; a < count; a++)
    bytes += (int64_t)strlen(text_of(&variant[a], which)) + 1;
  th_status rc = TH_NEW(&room, bytes, "alleles", err);
  char *to = room;
  for (int64_t a = 0; rc == TH_OK && a < count; a++) {
    size_t size = strlen(text_of(&variant[a], which)) + 1;
    memcpy(to, text_of(&variant[a], which), size);
    to += size;
  }
  if (rc == TH_OK)
    rc = th_h5_set_put(h5, text_set[which], H5T_NATIVE_UINT8, bytes, room, err);
  free(room);
  return rc;
}

th_status th_variants_put(const struct th_h5 *h5, int64_t count,
                          const struct th_variant *variant,
                          struct th_error *err)
{
  int64_t *position = NULL;
  th_status rc = TH_OK;
  if (variant == NULL)
    return TH_OK;
  TH_TRY(TH_NEW(&position, count, "positions", err));
  for (int64_t a = 0; a < count; a++)
    position[a] = variant[a].position;
  TH_TRY(th_h5_group(h5, TH_G_VARIANT, err));
  TH_TRY(th_h5_set_put(h5, TH_D_VARIANT_POSITION, H5T_NATIVE_INT64, count,
                       position, err));
  for (int k = 0; k < TEXTS; k++)
    TH_TRY(put_variant_texts(h5, k, count, variant, err));
done:
  free(position);
  return rc;
}

void th_variants_free(struct th_variants *variants)
{
  TH_FREE(variants->variant, variants->text[CHROMOSOME],
          variants->text[COUNTED], variants->text[OTHER]);
  *variants = (struct th_variants){0};
}

static th_status do_not_fit(const struct th_h5 *h5, const char *name,
                            struct th_error *err)
{
  return TH_DAMAGED(err, "%s: %s does not fit the data", h5->name, name);
}

/* Bytes of a set of texts. */
static th_status measure_texts(const struct th_h5 *h5, const char *name,
                               int64_t *bytes, struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t size[2] = {0};
  th_status rc = th_h5_set_open(&set, h5, name, H5T_NATIVE_UINT8, 1, size, err);
  *bytes = (int64_t)size[0];
  th_h5_set_close(&set, &ignored);
  return rc;
}

static th_status get_variant_texts(const struct th_h5 *h5, int which,
                                   struct th_variants *variants,
                                   struct th_error *err)
{
  int64_t bytes = 0;
  int64_t found = 0;
  th_status rc = TH_OK;
  TH_TRY(measure_texts(h5, text_set[which], &bytes, err));
  TH_TRY(TH_NEW(&variants->text[which], bytes, "alleles", err));
  char *text = variants->text[which];
  TH_TRY(
      th_h5_set_get(h5, text_set[which], H5T_NATIVE_UINT8, bytes, text, err));
  if (bytes == 0 || text[bytes - 1] != '\0')
    return do_not_fit(h5, text_set[which], err);
  for (const char *at = text; at < text + bytes; at += strlen(at) + 1) {
    struct th_variant *variant = &variants->variant[found];
    if (found++ == variants->count)
      return do_not_fit(h5, text_set[which], err);
    if (which == CHROMOSOME)
      variant->chromosome = at;
    else if (which == COUNTED)
      variant->counted = at;
    else
      variant->other = at;
  }
  if (found != variants->count)
    rc = do_not_fit(h5, text_set[which], err);
done:
  return rc;
}

th_status th_variants_get(const struct th_h5 *h5, int64_t attributes,
                          struct th_variants *variants, struct th_error *err)
{
  int64_t *position = NULL;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, TH_G_VARIANT))
    return TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_VARIANT_POSITION, attributes, err));
  TH_TRY(TH_NEW(&position, attributes, "positions", err));
  TH_TRY(TH_NEW(&variants->variant, attributes, "variants", err));
  variants->count = attributes;
  TH_TRY(th_h5_set_get(h5, TH_D_VARIANT_POSITION, H5T_NATIVE_INT64, attributes,
                       position, err));
  for (int64_t a = 0; a < attributes; a++)
    variants->variant[a].position = position[a];
  for (int k = 0; k < TEXTS; k++)
    TH_TRY(get_variant_texts(h5, k, variants, err));
done:
  free(position);
  return rc;
}

/* --- Alleles of two texts ------------------------------------------------- */

/* PLINK 1 and 2 write so what nobody carries. */
static bool is_unknown(const char *allele)
{
  return strcmp(allele, "0") == 0 || strcmp(allele, ".") == 0;
}

static bool is_same(const char *a, const char *b)
{
  return strcmp(a, b) == 0;
}

static bool may_be(const char *a, const char *b)
{
  return is_same(a, b) || is_unknown(a) || is_unknown(b);
}

enum th_variants_fit th_variants_compare(const struct th_variant *here,
                                         const struct th_variant *there)
{
  if (is_same(here->counted, there->counted) &&
      is_same(here->other, there->other))
    return TH_VARIANTS_SAME;
  if (is_same(here->counted, there->other) &&
      is_same(here->other, there->counted))
    return TH_VARIANTS_SWAPPED;
  if (may_be(here->counted, there->counted) &&
      may_be(here->other, there->other))
    return TH_VARIANTS_SAME;
  return may_be(here->counted, there->other) &&
                 may_be(here->other, there->counted)
             ? TH_VARIANTS_SWAPPED
             : TH_VARIANTS_DIFFER;
}

void th_variants_learn(struct th_variant *there, const struct th_variant *here,
                       bool swapped)
{
  if (is_unknown(there->counted))
    there->counted = swapped ? here->other : here->counted;
  if (is_unknown(there->other))
    there->other = swapped ? here->counted : here->other;
}
