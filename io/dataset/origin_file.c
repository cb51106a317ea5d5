/* origin_file.c - copies, stores and shares what is known of the text that data
 * were imported from; in masters and models
 * SPDX-License-Identifier: MIT */
#include "io/dataset/origin_file.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Facts, single texts and marks, as a file calls them and in its order. */
static const struct row {
  const char *name;
  enum { FACT, TEXT, MARK } kind;
  size_t place;
} rows[] = {
    {TH_A_ZERO_BASED, FACT, offsetof(struct th_origin, zero_based)},
    {TH_A_INDEXED, FACT, offsetof(struct th_origin, indexed)},
    {TH_A_LABEL_WEIGHTS, FACT, offsetof(struct th_origin, label_weights)},
    {TH_A_HEADER, FACT, offsetof(struct th_origin, header)},
    {TH_A_WHOLE_TARGETS, FACT, offsetof(struct th_origin, whole_targets)},
    {TH_A_TEXT_FORMAT, TEXT, offsetof(struct th_origin, format)},
    {TH_A_TARGET, TEXT, offsetof(struct th_origin, target_name)},
    {TH_A_POSITIVE_CLASS, TEXT, offsetof(struct th_origin, positive_class)},
    {TH_A_WEIGHT_NAME, TEXT, offsetof(struct th_origin, weight_name)},
    {TH_A_ID_NAME, TEXT, offsetof(struct th_origin, id_name)},
    {TH_A_SEPARATOR, MARK, offsetof(struct th_origin, separator)},
    {TH_A_DECIMAL, MARK, offsetof(struct th_origin, decimal)},
    {TH_A_MISSING_WORDS, TEXT, offsetof(struct th_origin, missing.words)},
    {TH_A_TARGET_MISSING, TEXT, offsetof(struct th_origin, missing.targets)}};

enum { ROWS = sizeof rows / sizeof *rows };

static void *at(struct th_origin *origin, const struct row *row)
{
  return (char *)origin + row->place;
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

static th_status pack_facts(struct th_message *pack, struct th_origin *origin,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  for (const struct row *row = rows; row < rows + ROWS && rc == TH_OK; row++)
    rc = row->kind == TEXT
             ? th_message_text(pack, at(origin, row), err)
             : th_message_bytes(pack, at(origin, row),
                                row->kind == FACT ? sizeof(enum th_fact) : 1,
                                err);
  return rc;
}

th_status th_origin_file_pack(struct th_message *pack, struct th_origin *origin,
                              struct th_error *err)
{
  int64_t named = origin->name != NULL;
  int64_t fixed[] = {origin->columns, origin->target,        origin->weight,
                     origin->others,  origin->classes,       origin->labels,
                     named,           origin->words,         origin->levels,
                     origin->id,      origin->level != NULL, origin->kinds};
  th_status rc = th_message_bytes(pack, fixed, sizeof fixed, err);
  if (rc != TH_OK)
    return rc;
  if (pack->taking)
    *origin = (struct th_origin){.columns = fixed[0],
                                 .target = fixed[1],
                                 .weight = fixed[2],
                                 .others = fixed[3],
                                 .classes = fixed[4],
                                 .labels = fixed[5],
                                 .words = fixed[7],
                                 .levels = fixed[8],
                                 .id = fixed[9],
                                 .kinds = fixed[11]};
  TH_TRY(pack_facts(pack, origin, err));
  TH_TRY(th_message_array(pack, (void **)&origin->other, origin->others,
                          sizeof *origin->other, err));
  TH_TRY(th_message_array(pack, (void **)&origin->kind, 2 * origin->kinds,
                          sizeof *origin->kind, err));
  TH_TRY(th_message_array(pack, (void **)&origin->label, origin->labels,
                          sizeof *origin->label, err));
  if (fixed[6] != 0)
    TH_TRY(pack_texts(pack, &origin->name, origin->others, err));
  TH_TRY(pack_texts(pack, &origin->class_name, origin->classes, err));
  TH_TRY(pack_texts(pack, &origin->word, origin->words, err));
  if (fixed[10] != 0)
    TH_TRY(pack_texts(pack, &origin->level, origin->levels, err));
done:
  return rc;
}

th_status th_origin_file_copy(struct th_origin *to,
                              const struct th_origin *from,
                              struct th_error *err)
{
  struct th_message pack = {0};
  struct th_origin all = *from; /* packing only reads it */
  *to = (struct th_origin){0};
  th_status rc = th_origin_file_pack(&pack, &all, err);
  pack.taking = true;
  pack.capacity = pack.used;
  pack.used = 0;
  if (rc == TH_OK)
    rc = th_origin_file_pack(&pack, to, err);
  th_message_free(&pack);
  return rc;
}

static th_status put_facts(const struct th_h5 *h5, struct th_origin *origin,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  for (const struct row *row = rows; row < rows + ROWS && rc == TH_OK; row++) {
    const enum th_fact *fact = at(origin, row);
    const char *mark = at(origin, row);
    char *const *text = at(origin, row);
    if (row->kind == FACT && *fact != TH_FACT_UNKNOWN)
      rc = th_h5_put_i64(h5, "/", row->name, *fact == TH_FACT_YES, err);
    else if (row->kind == TEXT && *text != NULL)
      rc = th_h5_put_text(h5, "/", row->name, *text, err);
    else if (row->kind == MARK && *mark != '\0')
      rc = th_h5_put_text(h5, "/", row->name, (char[]){*mark, '\0'}, err);
  }
  return rc;
}

static th_status put_classes(const struct th_h5 *h5,
                             const struct th_origin *origin,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  if (origin->classes > 0) {
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_CLASSES, origin->classes, err));
    TH_TRY(th_h5_set_put_texts(h5, TH_D_CLASSES, origin->classes,
                               (const char *const *)origin->class_name, err));
  }
  if (origin->labels > 0) {
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_LABELS, origin->labels, err));
    TH_TRY(th_h5_set_put(h5, TH_D_LABELS, H5T_NATIVE_DOUBLE, origin->labels,
                         origin->label, err));
  }
done:
  return rc;
}

static th_status put_kinds(const struct th_h5 *h5,
                           const struct th_origin *origin, struct th_error *err)
{
  if (origin->kinds == 0)
    return TH_OK;
  th_status rc = th_h5_put_i64(h5, "/", TH_A_KINDS, origin->kinds, err);
  return rc != TH_OK ? rc
                     : th_h5_set_put(h5, TH_D_KINDS, H5T_NATIVE_INT64,
                                     2 * origin->kinds, origin->kind, err);
}

th_status th_origin_file_put(const struct th_h5 *h5,
                             const struct th_origin *origin,
                             struct th_error *err)
{
  struct th_origin all = *origin; /* its members are only read */
  th_status rc = TH_OK;
  TH_TRY(put_facts(h5, &all, err));
  TH_TRY(put_classes(h5, origin, err));
  TH_TRY(put_kinds(h5, origin, err));
  if (origin->words > 0) {
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_WORDS, origin->words, err));
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_LEVELS, origin->levels, err));
    TH_TRY(th_h5_set_put_texts(h5, TH_D_WORDS, origin->words,
                               (const char *const *)origin->word, err));
  }
  if (origin->level != NULL)
    TH_TRY(th_h5_set_put_texts(h5, TH_D_LEVELS, origin->levels,
                               (const char *const *)origin->level, err));
  if (origin->columns == 0)
    goto done;
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_COLUMNS, origin->columns, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_TARGET_COLUMN, origin->target, err));
  if (origin->weight > 0)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_WEIGHT_COLUMN, origin->weight, err));
  if (origin->id > 0)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_ID_COLUMN, origin->id, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_OTHERS, origin->others, err));
  if (origin->others == 0)
    goto done;
  TH_TRY(th_h5_set_put(h5, TH_D_OTHERS, H5T_NATIVE_INT64, origin->others,
                       origin->other, err));
  if (origin->name != NULL)
    TH_TRY(th_h5_set_put_texts(h5, TH_D_OTHER_NAMES, origin->others,
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
  TH_TRY(th_h5_set_get_texts(h5, name, count, &read, err));
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

/* True if the columns ascend, none of them is the target, and the weights
 * and the IDs are one. */
static bool others_good(const struct th_origin *origin)
{
  int64_t before = 0;
  bool weighted = origin->weight == 0;
  bool named = origin->id == 0;
  for (int64_t k = 0; k < origin->others; k++) {
    if (origin->other[k] <= before || origin->other[k] == origin->target)
      return false;
    before = origin->other[k];
    weighted = weighted || before == origin->weight;
    named = named || before == origin->id;
  }
  return weighted && named && before <= origin->columns;
}

static th_status get_others(const struct th_h5 *h5, struct th_origin *origin,
                            struct th_error *err)
{
  int64_t count = origin->others;
  th_status rc = TH_OK;
  origin->others = 0; /* no columns until there is room for them */
  TH_TRY(th_h5_set_expect(h5, TH_D_OTHERS, count, err));
  TH_TRY(TH_NEW(&origin->other, count, "columns", err));
  TH_TRY(th_h5_set_get(h5, TH_D_OTHERS, H5T_NATIVE_INT64, count, origin->other,
                       err));
  if (th_h5_set_exists(h5, TH_D_OTHER_NAMES))
    rc = get_texts(h5, TH_D_OTHER_NAMES, count, &origin->name, err);
  origin->others = count;
  if (rc == TH_OK && !others_good(origin))
    rc = wrong(h5, err);
done:
  return rc;
}

static th_status get_words(const struct th_h5 *h5, int64_t attributes,
                           struct th_origin *origin, struct th_error *err)
{
  int64_t words = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_WORDS, &words, err));
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_LEVELS, &origin->levels, err));
  if (words < 1 || origin->levels < 0 || origin->levels > attributes)
    return wrong(h5, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_WORDS, words, err));
  rc = get_texts(h5, TH_D_WORDS, words, &origin->word, err);
  origin->words = rc == TH_OK || origin->word != NULL ? words : 0;
  if (rc == TH_OK && th_h5_set_exists(h5, TH_D_LEVELS)) {
    TH_TRY(th_h5_set_expect(h5, TH_D_LEVELS, origin->levels, err));
    rc = get_texts(h5, TH_D_LEVELS, origin->levels, &origin->level, err);
  }
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
  if (th_h5_has(h5, "/", TH_A_WEIGHT_COLUMN))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_WEIGHT_COLUMN, &origin->weight, err));
  if (th_h5_has(h5, "/", TH_A_ID_COLUMN))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_ID_COLUMN, &origin->id, err));
  int64_t fields = attributes - origin->levels + origin->words;
  if (origin->target < 0 || origin->target > origin->columns || others < 0 ||
      origin->columns < fields || origin->weight < 0 || origin->id < 0 ||
      ((origin->weight > 0 || origin->id > 0) && others == 0) ||
      origin->columns - fields - (origin->target > 0) != others)
    return wrong(h5, err);
  origin->others = others;
  if (others > 0)
    rc = get_others(h5, origin, err);
done:
  return rc;
}

static th_status get_fact(const struct th_h5 *h5, const char *name,
                          enum th_fact *fact, struct th_error *err)
{
  int64_t yes = 0;
  th_status rc = th_h5_get_i64(h5, "/", name, &yes, err);
  if (rc != TH_OK)
    return rc;
  *fact = yes != 0 ? TH_FACT_YES : TH_FACT_NO;
  return yes == 0 || yes == 1 ? TH_OK : wrong(h5, err);
}

/* One byte of text, which is neither a letter nor a digit. */
static th_status get_mark(const struct th_h5 *h5, const char *name, char *mark,
                          struct th_error *err)
{
  char *text = NULL;
  th_status rc = th_h5_get_text(h5, "/", name, &text, err);
  if (rc != TH_OK)
    return rc;
  *mark = text[0];
  if (strlen(text) != 1 ||
      !(ispunct((unsigned char)*text) || *text == '\t' || *text == ' '))
    rc = wrong(h5, err);
  free(text);
  return rc;
}

static th_status get_facts(const struct th_h5 *h5, struct th_origin *origin,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  for (const struct row *row = rows; row < rows + ROWS && rc == TH_OK; row++) {
    if (!th_h5_has(h5, "/", row->name))
      continue;
    rc = row->kind == FACT ? get_fact(h5, row->name, at(origin, row), err)
         : row->kind == MARK
             ? get_mark(h5, row->name, at(origin, row), err)
             : th_h5_get_text(h5, "/", row->name, at(origin, row), err);
  }
  return rc;
}

static th_status get_labels(const struct th_h5 *h5, struct th_origin *origin,
                            struct th_error *err)
{
  int64_t labels = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_LABELS, &labels, err));
  if (labels < 1 || labels > TH_ORIGIN_LABELS)
    return wrong(h5, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_LABELS, labels, err));
  TH_TRY(TH_NEW(&origin->label, labels, "targets", err));
  TH_TRY(th_h5_set_get(h5, TH_D_LABELS, H5T_NATIVE_DOUBLE, labels,
                       origin->label, err));
  origin->labels = labels;
  for (int64_t k = 0; k < labels; k++)
    if (!isfinite(origin->label[k]) ||
        (k > 0 && origin->label[k] <= origin->label[k - 1]))
      return wrong(h5, err);
done:
  return rc;
}

static th_status get_classes(const struct th_h5 *h5, struct th_origin *origin,
                             struct th_error *err)
{
  int64_t classes = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_CLASSES, &classes, err));
  if (classes < 1 || classes > TH_ORIGIN_CLASSES)
    return wrong(h5, err);
  rc = get_texts(h5, TH_D_CLASSES, classes, &origin->class_name, err);
  origin->classes = rc == TH_OK || origin->class_name != NULL ? classes : 0;
done:
  return rc;
}

static th_status get_kinds(const struct th_h5 *h5, int64_t attributes,
                           struct th_origin *origin, struct th_error *err)
{
  enum { LAST = 3 };
  int64_t kinds = 0;
  int64_t before = TH_KIND_OF_WEIGHT - 1;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_KINDS, &kinds, err));
  if (kinds < 1 || kinds > attributes - TH_KIND_OF_WEIGHT)
    return wrong(h5, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_KINDS, 2 * kinds, err));
  TH_TRY(TH_NEW(&origin->kind, 2 * kinds, "columns", err));
  TH_TRY(th_h5_set_get(h5, TH_D_KINDS, H5T_NATIVE_INT64, 2 * kinds,
                       origin->kind, err));
  origin->kinds = kinds;
  for (int64_t k = 0; k < kinds; k++) {
    const int64_t *pair = origin->kind + 2 * k;
    if (pair[0] <= before || pair[0] >= attributes || pair[1] < 1 ||
        pair[1] > LAST)
      return wrong(h5, err);
    before = pair[0];
  }
done:
  return rc;
}

th_status th_origin_file_get(const struct th_h5 *h5, int64_t attributes,
                             struct th_origin *origin, struct th_error *err)
{
  th_status rc = get_facts(h5, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_WORDS))
    rc = get_words(h5, attributes, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_COLUMNS))
    rc = get_columns(h5, attributes, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_KINDS))
    rc = get_kinds(h5, attributes, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_CLASSES))
    rc = get_classes(h5, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_LABELS))
    rc = get_labels(h5, origin, err);
  return rc;
}
