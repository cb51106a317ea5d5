/* cohort.c - the people and the variants of a cohort: .fam and .bim of PLINK 1
 * SPDX-License-Identifier: MIT */
#include "io/import/genotypes/cohort.h"

#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/files/hash.h"
#include "io/import/text/missing.h"
#include "io/import/text/number.h"
#include "io/import/text/text_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 8, LINE_LIMIT = 16 << 20, TEXTS = 1 << 20 };

/* --- Texts that are kept -------------------------------------------------- */

/* Room for so many bytes, and a zero behind them. */
static th_status keep_room(struct th_cohort_texts *texts, int64_t length,
                           char **room, struct th_error *err)
{
  int64_t needed = length + 1;
  th_status rc = TH_OK;
  if (needed > texts->left) {
    int64_t bytes = needed > TEXTS ? needed : TEXTS;
    TH_TRY(TH_GROW(&texts->piece, &texts->capacity, texts->pieces + 1, "names",
                   err));
    TH_TRY(TH_NEW(&texts->piece[texts->pieces], bytes, "names", err));
    texts->next = texts->piece[texts->pieces++];
    texts->left = bytes;
  }
  *room = texts->next;
  texts->next += needed;
  texts->left -= needed;
done:
  return rc;
}

struct field {
  const char *text;
  int64_t length;
};

static th_status keep_copy_of(struct th_cohort_texts *texts, struct field field,
                              const char **kept, struct th_error *err)
{
  char *room = NULL;
  th_status rc = keep_room(texts, field.length, &room, err);
  if (rc != TH_OK)
    return rc;
  memcpy(room, field.text, (size_t)field.length);
  room[field.length] = '\0';
  *kept = room;
  return TH_OK;
}

/* --- Lines ---------------------------------------------------------------- */

static bool is_gap(char c)
{
  return c == ' ' || c == '\t';
}

/* The fields of a line between blanks; how many there are. */
static int split(const struct th_line *line, struct field field[MOST_FIELDS])
{
  const char *at = line->text;
  const char *end = line->text + line->length;
  int count = 0;
  while (true) {
    while (at < end && is_gap(*at))
      at++;
    if (at == end)
      return count;
    const char *first = at;
    while (at < end && !is_gap(*at))
      at++;
    if (count < MOST_FIELDS)
      field[count] = (struct field){first, at - first};
    count++;
  }
}

typedef th_status (*take_line)(struct th_cohort *cohort,
                               const struct th_line *line,
                               const struct field *field, int fields,
                               struct th_error *err);

/* A table whose lines a cohort takes. */
struct table {
  struct th_cohort *cohort;
  take_line take;
};

static th_status take_table_line(void *self, struct th_line *line,
                                 struct th_error *err)
{
  const struct table *table = self;
  struct th_cohort *cohort = table->cohort;
  struct field field[MOST_FIELDS];
  if (line->too_long)
    return th_text_row_fail(line, line->text, err,
                            "the line is longer than %d bytes; correct it",
                            LINE_LIMIT);
  cohort->print = th_fingerprint_next(
      cohort->print, th_hash(line->text, (size_t)line->length));
  int fields = split(line, field);
  return fields > 0 ? table->take(cohort, line, field, fields, err) : TH_OK;
}

static th_status take_lines(void *self, struct th_text_file *text,
                            struct th_error *err)
{
  return th_text_lines_each(text, LINE_LIMIT, 0, take_table_line, self, err);
}

/* --- People --------------------------------------------------------------- */

/* NaN: the phenotype is not known. PLINK writes -9 for that, which is no value
 * of a quantitative one either. */
static th_status read_phenotype(const struct th_line *line, struct field field,
                                double *value, struct th_error *err)
{
  const double missing = -9;
  const char *at = field.text;
  if (th_missing_is(&th_missing_usual, field.text, field.length)) {
    *value = NAN;
    return TH_OK;
  }
  th_status rc = th_text_row_number(line, &at, field.text + field.length, ' ',
                                    "a phenotype", value, err);
  if (rc == TH_OK && at != field.text + field.length)
    rc = th_text_row_fail(
        line, field.text, err, "'%.*s' is no phenotype; write a number, or NA",
        (int)(field.length < 40 ? field.length : 40), field.text);
  if (*value == missing)
    *value = NAN;
  return rc;
}

static th_status take_person(struct th_cohort *cohort,
                             const struct th_line *line,
                             const struct field *field, int fields,
                             struct th_error *err)
{
  enum { FAMILY, ID, FATHER, MOTHER, SEX, PHENOTYPE, FIELDS };
  struct th_person person = {0};
  th_status rc = TH_OK;
  if (fields != FIELDS)
    return th_text_row_fail(line, line->text, err,
                            "%d column%s found, expected 6: FID, IID, father, "
                            "mother, sex, phenotype; is this the .fam of the "
                            ".bed?",
                            fields, fields == 1 ? "" : "s");
  TH_TRY(keep_copy_of(&cohort->texts, field[FAMILY], &person.family, err));
  TH_TRY(keep_copy_of(&cohort->texts, field[ID], &person.id, err));
  TH_TRY(read_phenotype(line, field[PHENOTYPE], &person.phenotype, err));
  TH_TRY(TH_GROW(&cohort->person, &cohort->people_capacity, cohort->people + 1,
                 "people", err));
  cohort->person[cohort->people++] = person;
done:
  return rc;
}

/* --- Variants ------------------------------------------------------------- */

static const struct th_array by_variant[] = {
    TH_ARRAY(struct th_cohort, name), TH_ARRAY(struct th_cohort, variant)};

static th_status read_position(const struct th_line *line, struct field field,
                               int64_t *position, struct th_error *err)
{
  enum { MOST_DIGITS = 18 };
  bool negative = field.text[0] == '-';
  int64_t value = 0;
  bool good = field.length > negative && field.length - negative <= MOST_DIGITS;
  for (int64_t k = negative; good && k < field.length; k++) {
    good = field.text[k] >= '0' && field.text[k] <= '9';
    value = 10 * value + (field.text[k] - '0');
  }
  *position = negative ? -value : value;
  if (good)
    return TH_OK;
  return th_text_row_fail(line, field.text, err,
                          "'%.*s' is no position in base pairs; write a whole "
                          "number",
                          (int)(field.length < 40 ? field.length : 40),
                          field.text);
}

/* With or without the column of centimorgans, as PLINK takes both. */
static th_status take_variant(struct th_cohort *cohort,
                              const struct th_line *line,
                              const struct field *field, int fields,
                              struct th_error *err)
{
  enum { CHROMOSOME, ID, FIELDS = 6 };
  struct th_variant variant = {0};
  const struct field *tail = field + fields - 3; /* position, A1, A2 */
  const char *name = NULL;
  th_status rc = TH_OK;
  if (fields != FIELDS && fields != FIELDS - 1)
    return th_text_row_fail(line, line->text, err,
                            "%d column%s found, expected 6: chromosome, ID, "
                            "centimorgans, position, A1, A2; is this the .bim "
                            "of the .bed?",
                            fields, fields == 1 ? "" : "s");
  TH_TRY(keep_copy_of(&cohort->texts, field[CHROMOSOME], &variant.chromosome,
                      err));
  TH_TRY(keep_copy_of(&cohort->texts, field[ID], &name, err));
  TH_TRY(read_position(line, tail[0], &variant.position, err));
  TH_TRY(keep_copy_of(&cohort->texts, tail[1], &variant.counted, err));
  TH_TRY(keep_copy_of(&cohort->texts, tail[2], &variant.other, err));
  TH_TRY(th_memory_arrays_reserve(
      TH_ARRAYS(cohort, by_variant), &cohort->variant_capacity,
      th_memory_roomier(cohort->variant_capacity, cohort->variants + 1),
      "variants", err));
  cohort->name[cohort->variants] = name;
  cohort->variant[cohort->variants++] = variant;
done:
  return rc;
}

/* --- Names, each once ----------------------------------------------------- */

/* The slot of a name, or the free one for it. */
static int64_t *find_slot(const struct th_cohort_index *index,
                          const struct th_cohort *cohort, const char *name)
{
  uint64_t mask = (uint64_t)index->slots - 1;
  uint64_t at = th_hash(name, strlen(name)) & mask;
  while (index->slot[at] != 0 &&
         strcmp(cohort->name[index->slot[at] - 1], name) != 0)
    at = (at + 1) & mask;
  return &index->slot[at];
}

static th_status reserve_index(struct th_cohort_index *index, int64_t variants,
                               struct th_error *err)
{
  index->slots = 2;
  while (index->slots < 2 * variants)
    index->slots *= 2;
  return TH_NEW(&index->slot, index->slots, "a table of names", err);
}

/* An allele as it stands in a name: a long one by its beginning and a hash. */
static void short_allele(const char *allele, char text[48])
{
  enum { LONG = 40, KEPT = 16 };
  size_t length = strlen(allele);
  if (length <= LONG)
    snprintf(text, 48, "%s", allele);
  else
    snprintf(text, 48, "%.*s~%016llx", KEPT, allele,
             (unsigned long long)th_hash(allele, length));
}

/* chromosome:position:A1:A2, and a number from the second of that name on. */
static th_status make_name(struct th_cohort *cohort, int64_t variant, int times,
                           struct th_error *err)
{
  const struct th_variant *v = &cohort->variant[variant];
  char allele[2][48];
  char more[16] = "";
  char *room = NULL;
  short_allele(v->counted, allele[0]);
  short_allele(v->other, allele[1]);
  if (times > 1)
    snprintf(more, sizeof more, ":%d", times);
  const char *format = "%s:%lld:%s:%s%s";
  int length = snprintf(NULL, 0, format, v->chromosome, (long long)v->position,
                        allele[0], allele[1], more);
  th_status rc = keep_room(&cohort->texts, length, &room, err);
  if (rc != TH_OK)
    return rc;
  snprintf(room, (size_t)length + 1, format, v->chromosome,
           (long long)v->position, allele[0], allele[1], more);
  cohort->name[variant] = room;
  return TH_OK;
}

static bool is_nameless(const char *id)
{
  return strcmp(id, ".") == 0;
}

/* Mark the variants without an ID, or with one that others have, too. */
static void mark_unnamed(const struct th_cohort *cohort,
                         struct th_cohort_index *index, bool *unnamed)
{
  for (int64_t a = 0; a < cohort->variants; a++) {
    unnamed[a] = is_nameless(cohort->name[a]);
    int64_t *slot =
        unnamed[a] ? NULL : find_slot(index, cohort, cohort->name[a]);
    if (slot == NULL)
      continue;
    if (*slot == 0)
      *slot = a + 1;
    else
      unnamed[a] = unnamed[*slot - 1] = true;
  }
}

/* Those that keep_copy_of their IDs come first. */
static th_status rename_variants(struct th_cohort *cohort, const bool *unnamed,
                                 struct th_cohort_index *index,
                                 struct th_error *err)
{
  th_status rc = TH_OK;
  memset(index->slot, 0, (size_t)index->slots * sizeof *index->slot);
  for (int64_t a = 0; a < cohort->variants; a++)
    if (!unnamed[a])
      *find_slot(index, cohort, cohort->name[a]) = a + 1;
  for (int64_t a = 0; a < cohort->variants; a++) {
    int64_t *slot = NULL;
    for (int times = 1; unnamed[a] && (slot == NULL || *slot != 0); times++) {
      TH_TRY(make_name(cohort, a, times, err));
      slot = find_slot(index, cohort, cohort->name[a]);
    }
    if (slot != NULL)
      *slot = a + 1;
    cohort->renamed += unnamed[a];
  }
done:
  return rc;
}

static th_status name_variants(struct th_cohort *cohort, struct th_error *err)
{
  struct th_cohort_index index = {0};
  bool *unnamed = NULL;
  th_status rc = TH_OK;
  TH_TRY(reserve_index(&index, cohort->variants, err));
  TH_TRY(TH_NEW(&unnamed, cohort->variants, "names", err));
  mark_unnamed(cohort, &index, unnamed);
  TH_TRY(rename_variants(cohort, unnamed, &index, err));
done:
  TH_FREE(index.slot, unnamed);
  return rc;
}

th_status th_cohort_index(struct th_cohort_index *index,
                          const struct th_cohort *cohort, struct th_error *err)
{
  th_status rc = reserve_index(index, cohort->variants, err);
  for (int64_t a = 0; rc == TH_OK && a < cohort->variants; a++)
    *find_slot(index, cohort, cohort->name[a]) = a + 1;
  return rc;
}

int64_t th_cohort_find(const struct th_cohort_index *index,
                       const struct th_cohort *cohort, const char *name)
{
  return *find_slot(index, cohort, name) - 1;
}

/* --- Both files ----------------------------------------------------------- */

th_status th_cohort_read(struct th_cohort *cohort,
                         const struct th_cohort_files *files,
                         struct th_error *err)
{
  struct table people = {cohort, take_person};
  struct table variants = {cohort, take_variant};
  th_status rc = TH_OK;
  TH_TRY(th_text_files_alone(files->people, files->output, take_lines, &people,
                             err));
  TH_TRY(th_text_files_alone(files->variants, files->output, take_lines,
                             &variants, err));
  if (cohort->people == 0 || cohort->variants == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: an empty file found, expected a line for each %s; "
                   "check the file",
                   cohort->people == 0 ? files->people : files->variants,
                   cohort->people == 0 ? "example" : "variant");
  rc = name_variants(cohort, err);
done:
  return rc;
}

void th_cohort_free(struct th_cohort *cohort)
{
  TH_FREE_LIST(cohort->texts.piece, cohort->texts.pieces);
  TH_FREE(cohort->person, cohort->name, cohort->variant);
  *cohort = (struct th_cohort){0};
}
