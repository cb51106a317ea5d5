/* fold_groups.c - examples that stay together in folds: those with one value of
 * a column
 * SPDX-License-Identifier: MIT */
#include "api/fold_groups.h"

#include "api/covered.h"
#include "api/match.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/targets/id_join.h"
#include "solvers/access/folds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { USUAL_FOLDS = 5, SHOWN = 60 };

static const char option[] = "{folds-by}";
static const char deck_column[] = "folds-by";

/* What the column is. */
enum source { NOWHERE, ATTRIBUTES, IDS, FAMILIES, TABLE };

/* Plain, for all ranks. */
struct found {
  enum source source;
  struct th_range attributes; /* one, or those of a column of words */
  int64_t column;             /* of text: where the name begins */
};

struct reading {
  struct th_fold_groups *to;
  struct th_data *data;
  const struct th_fold_column *how;
  int64_t training;
  struct found found;
  int64_t *value; /* of attributes: a code of each example's value */
  /* on rank 0: */
  char *file; /* the table; NULL: none */
  struct th_id_join join;
  struct th_ids ids;
  const char *nearest; /* to a name that is not there */
  char near[TH_NAME_LONG];
  int far;
  int64_t missing; /* examples without a value */
};

void th_fold_groups_free(struct th_fold_groups *groups)
{
  TH_FREE(groups->first, groups->column);
  *groups = (struct th_fold_groups){0};
}

static void reading_free(struct reading *r)
{
  th_id_join_free(&r->join);
  TH_FREE(r->value, r->file, r->ids.text);
}

/* --- Where the column is. Rank 0, local. ---------------------------------- */

/* A name that is not the one; the nearest is kept. */
static void pass_by(struct reading *r, const char *name)
{
  int far = th_nearest_distance(r->how->text + r->found.column, name);
  if (name[0] == '\0' || far >= r->far)
    return;
  r->far = far;
  snprintf(r->near, sizeof r->near, "%s", name);
  r->nearest = r->near;
}

static void take_attributes(struct reading *r, int64_t first, int64_t last)
{
  r->found.source = ATTRIBUTES;
  r->found.attributes = (struct th_range){first, last};
}

/* An attribute by its name. */
static th_status find_name(struct reading *r, struct th_error *err)
{
  char *name = (char *)(uintptr_t)r->how->text;
  int64_t attribute = TH_NAME_ABSENT;
  bool named = th_match_named(r->data) || th_match_indexed(r->data);
  th_status rc = TH_OK;
  if (named)
    rc = th_dataset_names_find(r->data->dataset, &name, 1, &attribute, err);
  if (rc == TH_OK && attribute == TH_NAME_TWICE)
    rc = th_fail(err, TH_EUSAGE,
                 "%s %.60s: names more than one attribute; give its number, "
                 "counted from 0",
                 option, name);
  if (rc == TH_OK && attribute >= 0)
    take_attributes(r, attribute, attribute + 1);
  return rc;
}

/* An attribute by its number, which is a name where attributes are indices. */
static th_status find_number(struct reading *r, struct th_error *err)
{
  const char *text = r->how->text;
  const int64_t attributes = r->data->store->shape.attributes;
  if (r->found.source != NOWHERE || th_match_indexed(r->data) ||
      text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
    return TH_OK;
  errno = 0;
  int64_t number = strtoll(text, NULL, 10);
  if (errno != 0 || number >= attributes)
    return th_fail(err, TH_EUSAGE,
                   "%s: attribute %.60s is not within 0..%" PRId64, option,
                   text, attributes - 1);
  take_attributes(r, number, number + 1);
  return TH_OK;
}

/* COLUMN=WORD: is it of this column? */
static bool is_word_of(const char *name, const char *column)
{
  size_t length = strlen(column);
  return strncmp(name, column, length) == 0 && name[length] == '=';
}

/* Attributes from `first` on that are the words of the column. */
static void find_words_among(struct reading *r, char *const *name,
                             int64_t count, int64_t first)
{
  const char *column = r->how->text;
  int64_t k = 0;
  while (k < count && !is_word_of(name[k], column))
    k++;
  int64_t from = k;
  while (k < count && is_word_of(name[k], column))
    k++;
  if (k > from)
    take_attributes(r, first + from, first + k);
}

/* Names of all attributes are looked at where the column is one of words, and
 * for the nearest name. */
static th_status find_words(struct reading *r, struct th_error *err)
{
  enum { MANY = 1000000 };
  const struct th_origin *origin = th_dataset_origin(r->data->dataset);
  const int64_t attributes = th_data_attributes(r->data);
  char **name = NULL;
  bool there = false;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < origin->words; k++) {
    there = there || strcmp(origin->word[k], r->how->text) == 0;
    pass_by(r, origin->word[k]);
  }
  if (!there && attributes > MANY)
    return rc;
  TH_TRY(th_dataset_names(r->data->dataset, &name, err));
  if (name != NULL && there)
    find_words_among(r, name, attributes, 0);
  for (int64_t a = 0; name != NULL && !there && a < attributes; a++)
    pass_by(r, name[a]);
done:
  free(name);
  return rc;
}

/* An attribute of covariates, or a column of words there. */
static void find_covariate_column(struct reading *r)
{
  const struct th_covariates *c = th_covered_of(r->data);
  const int64_t base = th_data_attributes(r->data);
  for (int64_t k = 0; c != NULL && k < c->count; k++) {
    if (strcmp(c->name[k], r->how->text) == 0)
      take_attributes(r, base + k, base + k + 1);
    pass_by(r, c->name[k]);
  }
  if (c == NULL || r->found.source != NOWHERE)
    return;
  find_words_among(r, c->name, c->count, base);
  for (int64_t k = 0; k < c->words; k++)
    pass_by(r, c->word[k]);
}

/* Do IDs have a family and a blank before them? */
static bool has_families(const struct reading *r)
{
  for (int64_t i = 0; i < r->training; i++)
    if (memchr(r->ids.text + (size_t)i * r->ids.width, ' ', r->ids.width) !=
        NULL)
      return true;
  return false;
}

static th_status find_ids(struct reading *r, struct th_error *err)
{
  struct th_dataset *dataset = r->data->dataset;
  const char *text = r->how->text;
  const char *called = th_dataset_origin(dataset)->id_name;
  if (!th_dataset_has_ids(dataset))
    return TH_OK;
  th_status rc =
      th_dataset_ids(dataset, (struct th_rows){0, r->training}, &r->ids, err);
  if (rc != TH_OK)
    return rc;
  bool families = has_families(r);
  if (called != NULL)
    pass_by(r, called);
  if (families)
    pass_by(r, "FID");
  if (strcasecmp(text, "id") == 0 ||
      (called != NULL && strcmp(called, text) == 0))
    r->found.source = IDS;
  else if (strcasecmp(text, "fid") == 0 && families)
    r->found.source = FAMILIES;
  return rc;
}

/* TABLE:COLUMN, or a column of the table of targets. */
static th_status choose_table(struct reading *r, struct th_error *err)
{
  struct th_identity there;
  const char *text = r->how->text;
  th_status rc = TH_OK;
  if (th_file_identity_of(text, &there))
    return th_fail(err, TH_EUSAGE,
                   "%s %.200s: which column of the table? Give %s "
                   "TABLE:COLUMN",
                   option, text, option);
  for (const char *colon = strchr(text, ':');
       colon != NULL && r->file == NULL && rc == TH_OK;
       colon = strchr(colon + 1, ':')) {
    rc = th_file_text(&r->file, err, "%.*s", (int)(colon - text), text);
    if (rc == TH_OK && th_file_identity_of(r->file, &there))
      r->found.column = colon + 1 - text;
    else
      TH_FREE(r->file);
  }
  if (rc == TH_OK && r->file == NULL && r->how->targets != NULL)
    rc = th_file_text(&r->file, err, "%s", r->how->targets);
  return rc;
}

static th_status find_in_table(struct reading *r, struct th_error *err)
{
  const struct th_target_table *table = &r->join.table;
  th_status rc;
  TH_TRY(choose_table(r, err));
  if (r->file == NULL)
    return TH_OK;
  TH_TRY(th_id_join_check(r->data->dataset, r->data->name, option, err));
  const struct th_origin *origin = th_dataset_origin(r->data->dataset);
  const struct th_target_choice choice = {.table = r->file,
                                          .ids = r->how->ids,
                                          .ids_only = true,
                                          .group =
                                              r->how->text + r->found.column,
                                          .known = origin->id_name,
                                          .decimal = origin->decimal,
                                          .output = r->how->output};
  r->join.dataset = r->data->dataset;
  r->join.data = r->data->name;
  TH_TRY(th_id_join_read(&r->join, &choice, r->data->room, err));
  if (table->group >= 0)
    r->found.source = TABLE;
  for (int64_t k = 0; k < table->columns; k++)
    pass_by(r, table->column[k]);
done:
  return rc;
}

/* Was it a column of the data's text that import has left out? */
static bool was_left_out_of(const struct reading *r)
{
  const struct th_origin *origin = th_dataset_origin(r->data->dataset);
  for (int64_t k = 0; origin->name != NULL && k < origin->others; k++)
    if (strcmp(origin->name[k], r->how->text) == 0)
      return true;
  return false;
}

static th_status refuse_column(const struct reading *r, struct th_error *err)
{
  const char *name = r->how->text + r->found.column;
  if (r->file == NULL && r->data->dataset != NULL && was_left_out_of(r))
    return th_fail(err, TH_EUSAGE,
                   "%s: import has left column %.60s out of %s; give %s "
                   "TABLE:%.60s, whose rows are found by ID, or import it with "
                   "{id} %.60s",
                   option, name, r->data->name, option, name, name);
  if (r->nearest != NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s: %s%s%s has no column %.60s; did you mean %.60s?",
                   option, r->data->name, r->file != NULL ? " with " : "",
                   r->file != NULL ? r->file : "", name, r->nearest);
  return th_fail(err, TH_EUSAGE,
                 "%s: %s%s%s has no column %.60s; give an attribute by its "
                 "name or number, a column of words, FID or ID, a column of "
                 "the table of {targets}, or TABLE:COLUMN",
                 option, r->data->name, r->file != NULL ? " with " : "",
                 r->file != NULL ? r->file : "", name);
}

static th_status find_named_column(struct reading *r, struct th_error *err)
{
  th_status rc = TH_OK;
  r->far = th_nearest_most(r->how->text) + 1;
  if (r->data->dataset != NULL)
    TH_TRY(find_name(r, err));
  if (r->data->dataset != NULL && r->found.source == NOWHERE)
    find_covariate_column(r);
  TH_TRY(find_number(r, err));
  if (r->data->dataset != NULL && r->found.source == NOWHERE)
    TH_TRY(find_words(r, err));
  if (r->data->dataset != NULL && r->found.source == NOWHERE)
    TH_TRY(find_ids(r, err));
  if (r->found.source == NOWHERE)
    TH_TRY(find_in_table(r, err));
  if (r->found.source == NOWHERE)
    rc = refuse_column(r, err);
done:
  return rc;
}

/* --- What examples have alike. Local. ------------------------------------- */

/* The value of an example as bytes. text NULL: it has none. */
struct value {
  const char *text;
  size_t length;
};

static struct value value_of_example(const struct reading *r, int64_t i)
{
  struct value value = {NULL, 0};
  if (r->found.source == ATTRIBUTES)
    return (struct value){(const char *)&r->value[i], sizeof r->value[i]};
  if (r->found.source == TABLE) {
    int64_t row = r->join.row[i];
    int64_t word = row < 0 ? -1 : r->join.table.row[row].group;
    if (word >= 0)
      value.text = r->join.table.text + word;
    value.length = word >= 0 ? strlen(value.text) : 0;
    return value;
  }
  const char *id = r->ids.text + (size_t)i * r->ids.width;
  value.length = strnlen(id, r->ids.width);
  const char *blank = memchr(id, ' ', value.length);
  if (r->found.source == FAMILIES)
    value.length = blank != NULL ? (size_t)(blank - id) : 0;
  bool none = value.length == 0 || (r->found.source == FAMILIES &&
                                    value.length == 1 && id[0] == '0');
  value.text = none ? NULL : id;
  return value;
}

static bool are_alike(struct value a, struct value b)
{
  if (a.length == 0 || a.text == NULL || b.text == NULL)
    return a.length == b.length;
  return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* The first example of each value, by its hash. */
static th_status join_alike(struct reading *r, struct th_error *err)
{
  int64_t *slot = NULL; /* open addressing: example + 1, or 0 */
  int64_t slots = 2;
  while (slots < 2 * r->training)
    slots *= 2;
  th_status rc = TH_NEW(&slot, slots, "groups", err);
  for (int64_t i = 0; i < r->training && rc == TH_OK; i++) {
    struct value value = value_of_example(r, i);
    r->to->first[i] = i;
    r->missing += value.text == NULL;
    if (value.text == NULL)
      continue;
    uint64_t mask = (uint64_t)slots - 1;
    uint64_t at = th_hash(value.text, value.length) & mask;
    while (slot[at] != 0 &&
           !are_alike(value, value_of_example(r, slot[at] - 1)))
      at = (at + 1) & mask;
    if (slot[at] == 0)
      slot[at] = i + 1;
    r->to->first[i] = slot[at] - 1;
  }
  free(slot);
  return rc;
}

/* The code of a value: its bits, or the number of the word that it is. */
static int64_t code_of(const struct reading *r, int64_t attribute, double value)
{
  struct th_range words = r->found.attributes;
  int64_t code = 0;
  if (th_range_count(words) > 1)
    return value == 1 ? attribute - words.first + 1 : 0;
  value = value == 0 ? 0 : value; /* -0 */
  memcpy(&code, &value, sizeof code);
  return code;
}

/* Add the codes of this rank's attributes of the column. */
static th_status read_codes(struct reading *r, struct th_range mine,
                            struct th_error *err)
{
  struct th_store *store = r->data->store;
  th_status rc = TH_OK;
  for (int64_t a = mine.first; a < mine.last; a++) {
    struct th_rows rows = {0, r->training};
    while (rows.count > 0) {
      struct th_rows part = th_store_shape_next(&store->shape, &rows);
      struct th_slab slab;
      TH_TRY(store->ops->slab(store, part, (struct th_range){a, a + 1}, true,
                              &slab, err));
      for (int64_t i = 0; i < part.count; i++)
        r->value[part.first + i] += code_of(r, a, th_slab_value(&slab, a, i));
    }
  }
done:
  return rc;
}

/* Collective. */
static th_status read_attributes(struct reading *r, struct th_comm *comm,
                                 struct th_error *err)
{
  struct th_range mine = th_range_intersect(
      r->found.attributes,
      th_store_owned(r->data->store, comm->rank, comm->size));
  th_status rc = TH_NEW(&r->value, r->training, "groups", err);
  if (rc == TH_OK)
    rc = read_codes(r, mine, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->sum_i64(comm, r->value, (size_t)r->training);
  TH_TRY(th_agree(comm, join_alike(r, err), err));
done:
  return rc;
}

/* Rank 0 has the texts. Collective. */
static th_status share_groups(struct reading *r, struct th_comm *comm,
                              struct th_error *err)
{
  th_status rc =
      th_agree(comm, comm->rank == 0 ? join_alike(r, err) : TH_OK, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, r->to->first,
                     (size_t)r->training * sizeof *r->to->first, 0);
  return rc;
}

/* --- Groups. Local, replicated. ------------------------------------------- */

/* Join groups where examples of both are equal, unless fewer would be left than
 * folds need. Returns how many have gone so. */
static th_status join_equal(struct reading *r, int64_t *joined,
                            struct th_error *err)
{
  const size_t bytes = (size_t)r->training * sizeof *r->to->first;
  const int64_t wanted = r->how->folds > 0 ? r->how->folds : USUAL_FOLDS;
  int64_t *apart = NULL;
  th_status rc = TH_NEW(&apart, r->training, "groups", err);
  if (rc != TH_OK)
    return rc;
  memcpy(apart, r->to->first, bytes);
  int64_t before = th_folds_unite(r->to->first, r->training, NULL);
  int64_t after =
      th_folds_unite(r->to->first, r->training, r->data->store->twins);
  bool few = after < th_min_i64(before, wanted);
  if (few)
    memcpy(r->to->first, apart, bytes);
  *joined = few ? 0 : before - after;
  free(apart);
  return rc;
}

/* Groups with an example of some weight, and the most examples of one. */
static th_status count_weighty(struct reading *r, int64_t *largest,
                               struct th_error *err)
{
  struct th_fold_groups *to = r->to;
  const struct th_rows rows = {0, r->training};
  double *weight = NULL;
  int64_t *size = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&weight, r->training, "groups", err));
  TH_TRY(TH_NEW(&size, r->training, "groups", err));
  TH_TRY(r->data->store->ops->targets(r->data->store, rows, NULL, weight, err));
  for (int64_t i = 0; i < r->training; i++) {
    to->count += weight[i] > 0 && size[to->first[i]] == 0;
    size[to->first[i]] += weight[i] > 0;
  }
  for (int64_t i = 0; i < r->training; i++)
    *largest = th_max_i64(*largest, size[i]);
  to->fingerprint = th_integer_hash(TH_FNV_BASIS, to->first,
                                    (size_t)r->training * sizeof *to->first);
done:
  TH_FREE(weight, size);
  return rc;
}

/* Rank 0 knows more than the others. */
static void tell_groups(const struct reading *r, int64_t joined,
                        int64_t largest)
{
  char text[TH_ERROR_TEXT];
  char less[96] = "";
  char more[96] = "";
  if (r->data->note == NULL)
    return;
  if (r->missing > 0)
    snprintf(less, sizeof less,
             "; %lld have no value, and are groups of their own",
             (long long)r->missing);
  if (joined > 0)
    snprintf(more, sizeof more, "; equal examples have joined %lld to others",
             (long long)joined);
  snprintf(text, sizeof text,
           "folds by %.*s%s%.200s: %lld groups of training examples, the "
           "largest of %lld%s%s",
           SHOWN, r->to->column, r->file != NULL ? " of " : "",
           r->file != NULL ? r->file : "", (long long)r->to->count,
           (long long)largest, less, more);
  th_error_one_line(text);
  r->data->note(text);
}

/* Reading data that cost would cost what no ledger counts. */
static th_status refuse_costly(const struct th_data *data, struct th_error *err)
{
  if (data->dataset != NULL || data->computed != NULL)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s is for data sets, and %s are read as they are asked for; "
                 "leave it out",
                 option, data->name);
}

/* Local. */
static th_status begin(struct reading *r, struct th_error *err)
{
  const char *name = r->how->text + r->found.column;
  th_status rc;
  TH_TRY(TH_NEW(&r->to->first, r->training, "groups", err));
  TH_TRY(th_file_text(&r->to->column, err, "%s", name));
done:
  return rc;
}

th_status th_fold_groups_read(struct th_fold_groups *groups,
                              struct th_data *data,
                              const struct th_fold_column *column,
                              struct th_comm *comm, struct th_error *err)
{
  struct reading r = {.to = groups,
                      .data = data,
                      .how = column,
                      .training = data->store->shape.training};
  int64_t joined = 0;
  int64_t largest = 0;
  th_status rc;
  TH_TRY(refuse_costly(data, err));
  if (comm->rank == 0)
    rc = find_named_column(&r, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, &r.found, sizeof r.found, 0);
  TH_TRY(th_agree(comm, begin(&r, err), err));
  if (r.found.source == ATTRIBUTES)
    TH_TRY(read_attributes(&r, comm, err));
  else
    TH_TRY(share_groups(&r, comm, err));
  rc = join_equal(&r, &joined, err);
  if (rc == TH_OK)
    rc = count_weighty(&r, &largest, err);
  TH_TRY(th_agree(comm, rc, err));
  data->joins.most = th_max_i64(data->joins.most, r.join.bytes);
  if (comm->rank == 0)
    tell_groups(&r, joined, largest);
done:
  reading_free(&r);
  return rc;
}

void th_fold_groups_give(const struct th_fold_groups *groups,
                         struct th_config_choice *choice)
{
  choice->together.first = groups->first;
  choice->together.count = groups->count;
}

int64_t th_fold_groups_bytes(int64_t training)
{
  enum {
    ARRAYS = 6
  }; /* first, while groups are dealt also a number, and 32
        bytes of each */
  return ARRAYS * training * (int64_t)sizeof(int64_t);
}

th_status th_fold_groups_put(const struct th_fold_groups *groups,
                             struct th_model *model, struct th_error *err)
{
  return groups->first == NULL
             ? TH_OK
             : th_model_set(model, deck_column, groups->column, err);
}
