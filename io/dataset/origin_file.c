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

/* The facts and single texts, as a file calls them. */
enum { FACTS = 4, TEXTS = 4, MARKS = 2 };

static void list_facts(struct th_origin *o, enum th_fact *fact[FACTS])
{
  enum th_fact *const list[FACTS] = {&o->zero_based, &o->label_weights,
                                     &o->header, &o->whole_targets};
  memcpy(fact, list, sizeof list);
}
static const char *const fact_name[FACTS] = {
    TH_A_ZERO_BASED, TH_A_LABEL_WEIGHTS, TH_A_HEADER, TH_A_WHOLE_TARGETS};

static void list_texts(struct th_origin *o, char **text[TEXTS])
{
  char **const list[TEXTS] = {&o->format, &o->target_name, &o->positive_class,
                              &o->weight_name};
  memcpy(text, list, sizeof list);
}
static const char *const text_name[TEXTS] = {
    TH_A_TEXT_FORMAT, TH_A_TARGET, TH_A_POSITIVE_CLASS, TH_A_WEIGHT_NAME};

static void list_marks(struct th_origin *o, char *mark[MARKS])
{
  mark[0] = &o->separator;
  mark[1] = &o->decimal;
}
static const char *const mark_name[MARKS] = {TH_A_SEPARATOR, TH_A_DECIMAL};

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
  enum th_fact *fact[FACTS];
  char **text[TEXTS];
  char *mark[MARKS];
  th_status rc = TH_OK;
  list_facts(origin, fact);
  list_texts(origin, text);
  list_marks(origin, mark);
  for (int k = 0; k < FACTS; k++)
    TH_TRY(th_message_bytes(pack, fact[k], sizeof *fact[k], err));
  for (int k = 0; k < MARKS; k++)
    TH_TRY(th_message_bytes(pack, mark[k], 1, err));
  for (int k = 0; k < TEXTS; k++)
    TH_TRY(th_message_text(pack, text[k], err));
done:
  return rc;
}

th_status th_origin_pack(struct th_message *pack, struct th_origin *origin,
                         struct th_error *err)
{
  int64_t named = origin->name != NULL;
  int64_t fixed[] = {
      origin->columns, origin->target, origin->weight, origin->others,
      origin->classes, origin->labels, named};
  th_status rc = th_message_bytes(pack, fixed, sizeof fixed, err);
  if (rc != TH_OK)
    return rc;
  if (pack->taking)
    *origin = (struct th_origin){.columns = fixed[0],
                                 .target = fixed[1],
                                 .weight = fixed[2],
                                 .others = fixed[3],
                                 .classes = fixed[4],
                                 .labels = fixed[5]};
  TH_TRY(pack_facts(pack, origin, err));
  TH_TRY(th_message_array(pack, (void **)&origin->other, origin->others,
                          sizeof *origin->other, err));
  TH_TRY(th_message_array(pack, (void **)&origin->label, origin->labels,
                          sizeof *origin->label, err));
  if (fixed[6] != 0)
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

static th_status put_facts(const struct th_h5 *h5, struct th_origin *origin,
                           struct th_error *err)
{
  enum th_fact *fact[FACTS];
  char **text[TEXTS];
  char *mark[MARKS];
  th_status rc = TH_OK;
  list_facts(origin, fact);
  list_texts(origin, text);
  list_marks(origin, mark);
  for (int k = 0; k < FACTS; k++)
    if (*fact[k] != TH_FACT_UNKNOWN)
      TH_TRY(
          th_h5_put_i64(h5, "/", fact_name[k], *fact[k] == TH_FACT_YES, err));
  for (int k = 0; k < TEXTS; k++)
    if (*text[k] != NULL)
      TH_TRY(th_h5_put_text(h5, "/", text_name[k], *text[k], err));
  for (int k = 0; k < MARKS; k++)
    if (*mark[k] != '\0')
      TH_TRY(
          th_h5_put_text(h5, "/", mark_name[k], (char[]){*mark[k], '\0'}, err));
done:
  return rc;
}

static th_status put_classes(const struct th_h5 *h5,
                             const struct th_origin *origin,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  if (origin->classes > 0) {
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_CLASSES, origin->classes, err));
    TH_TRY(th_h5_put_texts(h5, TH_D_CLASSES, origin->classes,
                           (const char *const *)origin->class_name, err));
  }
  if (origin->labels > 0) {
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_LABELS, origin->labels, err));
    TH_TRY(th_h5_put(h5, TH_D_LABELS, H5T_NATIVE_DOUBLE, origin->labels,
                     origin->label, err));
  }
done:
  return rc;
}

th_status th_origin_put(const struct th_h5 *h5, const struct th_origin *origin,
                        struct th_error *err)
{
  struct th_origin all = *origin; /* its members are only read */
  th_status rc = TH_OK;
  TH_TRY(put_facts(h5, &all, err));
  TH_TRY(put_classes(h5, origin, err));
  if (origin->columns == 0)
    goto done;
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_COLUMNS, origin->columns, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_TARGET_COLUMN, origin->target, err));
  if (origin->weight > 0)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_WEIGHT_COLUMN, origin->weight, err));
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

/* Whether the columns ascend and none of them is the target, and the weights
 * stand in one. */
static bool others_good(const struct th_origin *origin)
{
  int64_t before = 0;
  bool weighted = origin->weight == 0;
  for (int64_t k = 0; k < origin->others; k++) {
    if (origin->other[k] <= before || origin->other[k] == origin->target)
      return false;
    before = origin->other[k];
    weighted = weighted || before == origin->weight;
  }
  return weighted && before <= origin->columns;
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
  if (th_h5_has(h5, "/", TH_A_WEIGHT_COLUMN))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_WEIGHT_COLUMN, &origin->weight, err));
  if (origin->target < 0 || origin->target > origin->columns || others < 0 ||
      origin->columns < attributes || origin->weight < 0 ||
      (origin->weight > 0 && others == 0) ||
      origin->columns - attributes - (origin->target > 0) != others)
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
  if (!th_h5_has(h5, "/", name))
    return TH_OK;
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
  if (!th_h5_has(h5, "/", name))
    return TH_OK;
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
  enum th_fact *fact[FACTS];
  char **text[TEXTS];
  char *mark[MARKS];
  th_status rc = TH_OK;
  list_facts(origin, fact);
  list_texts(origin, text);
  list_marks(origin, mark);
  for (int k = 0; k < FACTS; k++)
    TH_TRY(get_fact(h5, fact_name[k], fact[k], err));
  for (int k = 0; k < MARKS; k++)
    TH_TRY(get_mark(h5, mark_name[k], mark[k], err));
  for (int k = 0; k < TEXTS; k++)
    if (th_h5_has(h5, "/", text_name[k]))
      TH_TRY(th_h5_get_text(h5, "/", text_name[k], text[k], err));
done:
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
  TH_TRY(th_h5_expect(h5, TH_D_LABELS, labels, err));
  TH_TRY(TH_NEW(&origin->label, labels, "targets", err));
  TH_TRY(th_h5_get(h5, TH_D_LABELS, H5T_NATIVE_DOUBLE, labels, origin->label,
                   err));
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

th_status th_origin_get(const struct th_h5 *h5, int64_t attributes,
                        struct th_origin *origin, struct th_error *err)
{
  th_status rc = get_facts(h5, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_COLUMNS))
    rc = get_columns(h5, attributes, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_CLASSES))
    rc = get_classes(h5, origin, err);
  if (rc == TH_OK && th_h5_has(h5, "/", TH_A_LABELS))
    rc = get_labels(h5, origin, err);
  return rc;
}
