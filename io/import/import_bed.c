/* import_bed.c - the files of an import of PLINK 1 genotypes
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/files/output.h"
#include "io/import/genotypes/calls.h"
#include "io/import/genotypes/cohort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of another program, which no name of ours stands for. */
#define DASHES                                                                 \
  "-"                                                                          \
  "-"

enum { HEAD = 3, CALLS_OF_BYTE = 4, CALLS_OF_WORD = 32 };

/* A .bed with what lies beside it. */
struct bed {
  struct th_cohort cohort;
  char *variants; /* names of .bim and .fam */
  char *people;
  int fd;
  int64_t run;      /* bytes of a variant */
  int64_t place;    /* of its first call in a run of all files */
  int64_t *variant; /* of each attribute; NULL: they are the variants */
  bool *swapped;    /* attributes count A2 here; NULL: none does */
};

/* The state of the format. */
struct beds {
  struct bed *bed; /* of each file */
  int64_t count;
  struct th_variant *variant; /* of attributes of a part of the variants */
  bool cases;                 /* phenotypes are 1 and 2 */
  int64_t counted;            /* people whose target is known, or nobody's is */
  struct th_range listed;     /* where all people are on the list */
};

static struct beds *beds_of(const struct th_importing *im)
{
  return im->state;
}

static const char *const beside_bed[] = {".bim", ".fam", NULL};

static bool has_bed_ending(const char *name)
{
  static const char *const endings[] = {".bed", ".bim", ".fam", NULL};
  return th_import_open_named(name, endings);
}

/* --- The three files ------------------------------------------------------ */

/* NAME.bed, also compressed, has NAME.bim and NAME.fam beside it. */
static th_status companion(const char *name, const char *ending, char **path,
                           struct th_error *err)
{
  static const char bed[] = ".bed";
  const char *end = name + strlen(name);
  for (const char *at = strstr(name, bed); at != NULL; at = strstr(at + 1, bed))
    end = at;
  return th_file_text(path, err, "%.*s%s", (int)(end - name), name, ending);
}

static th_status wrong_order(const char *name, const char *found,
                             struct th_error *err)
{
  char *stem = NULL;
  th_status rc = companion(name, "", &stem, err);
  if (rc != TH_OK)
    return rc;
  rc = th_fail(err, TH_EFORMAT,
               "%s: %s; convert it with plink " DASHES "bfile %s " DASHES
               "make-bed " DASHES "out %s-new",
               name, found, stem, stem);
  free(stem);
  return rc;
}

static th_status check_head(const struct th_text_file *file,
                            const unsigned char head[HEAD],
                            struct th_error *err)
{
  if (th_import_open_named(file->name, beside_bed))
    return th_fail(err, TH_EUSAGE,
                   "%s is read with the .bed beside it; name that", file->name);
  if (head[0] != 0x6c || head[1] != 0x1b)
    return wrong_order(file->name,
                       "it does not begin as a .bed of PLINK 1 (6c 1b 01), so "
                       "it is of PLINK before 0.99, or no .bed at all",
                       err);
  if (head[2] == 0)
    return wrong_order(file->name,
                       "its third byte is 00: it has the calls of one "
                       "person after another",
                       err);
  if (head[2] != 1)
    return th_fail(err, TH_EFORMAT,
                   "%s: its third byte is %02x, expected 01; it is damaged, or "
                   "no .bed of PLINK 1",
                   file->name, head[2]);
  return TH_OK;
}

static th_status check_bed_bytes(const struct bed *bed,
                                 const struct th_text_file *file,
                                 struct th_error *err)
{
  const struct th_cohort *cohort = &bed->cohort;
  int64_t most = (INT64_MAX - HEAD) / (bed->run > 0 ? bed->run : 1);
  int64_t expected =
      cohort->variants <= most ? HEAD + cohort->variants * bed->run : INT64_MAX;
  if (file->size == expected)
    return TH_OK;
  return th_fail(err, TH_EFORMAT,
                 "%s: %lld bytes found, expected %lld, for the %lld people of "
                 "%s and the %lld variants of %s; the file is %s, or one of "
                 "the others is not its own",
                 file->name, (long long)file->size, (long long)expected,
                 (long long)cohort->people, bed->people,
                 (long long)cohort->variants, bed->variants,
                 file->size < expected ? "cut short" : "too long");
}

static th_status open_bed(const struct th_importing *im, struct bed *bed,
                          const struct th_text_file *file, struct th_error *err)
{
  unsigned char head[HEAD] = {0};
  const int64_t base = file->base > 0 ? file->base : 0;
  struct th_cohort_files files = {.output = im->job->output};
  th_status rc = TH_OK;
  if (file->size < HEAD)
    return th_fail(err, TH_EFORMAT,
                   "%s: %lld bytes found, expected at least %d; the file is "
                   "cut short",
                   file->name, (long long)file->size, HEAD);
  TH_TRY(th_text_open_file(file, &bed->fd, err));
  TH_TRY(th_output_temporary_read(bed->fd, head, HEAD, base, file->name, err));
  TH_TRY(check_head(file, head, err));
  TH_TRY(companion(file->name, ".bim", &bed->variants, err));
  TH_TRY(companion(file->name, ".fam", &bed->people, err));
  files.variants = bed->variants;
  files.people = bed->people;
  TH_TRY(th_cohort_read(&bed->cohort, &files, err));
  bed->run = th_integer_ceil_divide(bed->cohort.people, CALLS_OF_BYTE);
  rc = check_bed_bytes(bed, file, err);
done:
  return rc;
}

/* --- Phenotypes ----------------------------------------------------------- */

/* Of cases and controls, 0 is no phenotype. */
static bool has_phenotype(const struct beds *beds, double phenotype)
{
  return !isnan(phenotype) && !(beds->cases && phenotype == 0);
}

/* The first phenotype that is not 0, 1 or 2, or NULL; *person: whose. */
static const struct bed *find_quantity(const struct beds *beds,
                                       const struct th_person **person)
{
  for (int64_t k = 0; k < beds->count; k++) {
    const struct th_cohort *cohort = &beds->bed[k].cohort;
    for (int64_t i = 0; i < cohort->people; i++) {
      double value = cohort->person[i].phenotype;
      *person = &cohort->person[i];
      if (!isnan(value) && value != 0 && value != 1 && value != 2)
        return &beds->bed[k];
    }
  }
  return NULL;
}

static int64_t count_known(const struct beds *beds, int64_t k)
{
  const struct th_cohort *cohort = &beds->bed[k].cohort;
  int64_t known = 0;
  for (int64_t i = 0; i < cohort->people; i++)
    known += has_phenotype(beds, cohort->person[i].phenotype);
  return known;
}

/* Are phenotypes cases and controls? Where --like or a class says so, and else
 * where all of them are 1 and 2. */
static th_status choose_kind(struct th_importing *im, struct th_error *err)
{
  struct beds *beds = beds_of(im);
  const char *class = im->class.name;
  const struct th_person *person = NULL;
  const struct bed *other = find_quantity(beds, &person);
  bool numbers =
      im->job->like != NULL && im->like.origin.format != NULL && class == NULL;
  if (class != NULL && strcmp(class, "1") != 0 && strcmp(class, "2") != 0)
    return th_fail(err, TH_EUSAGE,
                   "the positive class '%.60s' is no phenotype of cases and "
                   "controls, which are 1 and 2; {positive-class} takes one of "
                   "these",
                   class);
  if (class != NULL && other != NULL)
    return th_fail(err, TH_EDATA,
                   "%s: the phenotype %g of %.60s %.60s is neither 1 nor 2, as "
                   "with the positive class '%s'; correct it",
                   other->people, person->phenotype, person->family, person->id,
                   class);
  beds->cases = class != NULL || (other == NULL && !numbers);
  return TH_OK;
}

/* Files have phenotypes, or none of them has. */
static th_status find_labelled(struct th_importing *im, struct th_error *err)
{
  const struct beds *beds = beds_of(im);
  const struct th_append *old = &im->before.old;
  int64_t first = count_known(beds, 0);
  bool targetless =
      th_import_open_targetless(im->job) || (old->on && old->shape.unlabelled);
  im->text.unlabelled = first == 0 || targetless;
  if (targetless)
    return TH_OK;
  for (int64_t k = 1; k < beds->count; k++)
    if ((count_known(beds, k) == 0) != im->text.unlabelled)
      return th_import_mixed(im, im->text.unlabelled ? k : 0,
                             im->text.unlabelled ? 0 : k, err);
  if (!im->text.unlabelled && beds->cases && im->class.name == NULL)
    im->class = th_text_row_class_named("2");
  return TH_OK;
}

static double target_of(const struct th_importing *im, double phenotype)
{
  if (im->text.unlabelled)
    return (double)NAN;
  if (!beds_of(im)->cases)
    return phenotype;
  return phenotype == im->class.value ? 1 : -1;
}

/* On rank 0, where no others are given: family and person, with a blank between
 * them. */
static th_status keep_id(struct th_importing *im,
                         const struct th_person *person, struct th_error *err)
{
  char *id = NULL;
  th_status rc = TH_OK;
  im->text.listed = true;
  if (im->comm->rank != 0 || im->job->id.file != NULL)
    return TH_OK;
  TH_TRY(th_file_text(&id, err, "%s %s", person->family, person->id));
  rc = th_text_ids_add(&im->own.ids, id, err);
done:
  free(id);
  return rc;
}

/* A phenotype that is not known leaves a person out, but where all are to be
 * predicted: then it is one of the others, of weight 0. */
static bool is_person_kept(const struct th_importing *im, double phenotype)
{
  bool predicted = im->job->like != NULL && !im->job->append;
  return im->text.unlabelled || predicted ||
         has_phenotype(beds_of(im), phenotype);
}

/* The first phenotype that is known. */
static double some_phenotype(const struct beds *beds)
{
  const struct th_cohort *cohort = &beds->bed[0].cohort;
  int64_t i = 0;
  while (i + 1 < cohort->people &&
         !has_phenotype(beds, cohort->person[i].phenotype))
    i++;
  return cohort->person[i].phenotype;
}

static th_status keep_person(struct th_importing *im,
                             const struct th_person *person, int64_t number,
                             int64_t place, struct th_error *err)
{
  struct th_import_listed *listed = &im->listed;
  struct beds *beds = beds_of(im);
  int64_t k = listed->examples++;
  bool counts = im->text.unlabelled || has_phenotype(beds, person->phenotype);
  listed->target[k] =
      target_of(im, counts ? person->phenotype : some_phenotype(beds));
  listed->weight[k] = counts;
  listed->number[k] = number;
  listed->place[k] = place;
  beds->counted += counts;
  return keep_id(im, person, err);
}

static th_status reserve_people(struct th_importing *im, struct th_error *err)
{
  const struct beds *beds = beds_of(im);
  struct th_import_listed *listed = &im->listed;
  int64_t most = im->before.old.shape.examples;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < beds->count; k++)
    most += beds->bed[k].cohort.people;
  TH_TRY(TH_NEW(&listed->target, most, "targets", err));
  TH_TRY(TH_NEW(&listed->weight, most, "targets", err));
  TH_TRY(TH_NEW(&listed->number, most, "targets", err));
  TH_TRY(TH_NEW(&listed->place, most, "targets", err));
done:
  return rc;
}

/* Places of calls are whole words. */
static int64_t whole_words(int64_t calls)
{
  return th_integer_ceil_divide(calls, CALLS_OF_WORD) * CALLS_OF_WORD;
}

/* The people of a file; *number: of its first one, and of the next file's. */
static th_status list_file(struct th_importing *im, struct bed *bed,
                           int64_t *number, struct th_error *err)
{
  struct th_import_listed *listed = &im->listed;
  th_status rc = TH_OK;
  bed->place = listed->places;
  for (int64_t i = 0; i < bed->cohort.people && rc == TH_OK; i++, ++*number)
    if (is_person_kept(im, bed->cohort.person[i].phenotype))
      rc =
          keep_person(im, &bed->cohort.person[i], *number, bed->place + i, err);
  listed->places += whole_words(bed->cohort.people);
  return rc;
}

/* Those of the data set that is appended to stand around the new ones. */
static th_status list_people(struct th_importing *im, struct th_error *err)
{
  struct beds *beds = beds_of(im);
  struct th_import_listed *listed = &im->listed;
  const struct th_append *old = &im->before.old;
  int64_t first = 0;
  int64_t before = 0;
  uint64_t print = 0;
  th_status rc = TH_OK;
  TH_TRY(reserve_people(im, err));
  if (old->on)
    TH_TRY(th_import_append_list(im, &first, err));
  for (int64_t k = 0; k < listed->examples; k++)
    before += listed->weight[k] > 0;
  int64_t number = first;
  listed->places = whole_words(listed->places);
  beds->listed.first = listed->examples;
  for (int64_t k = 0; k < beds->count; k++) {
    print = th_fingerprint_next(print, beds->bed[k].cohort.print);
    TH_TRY(list_file(im, &beds->bed[k], &number, err));
    if (k < im->share.inputs.mains)
      listed->main = before + beds->counted;
  }
  beds->listed.last = listed->examples;
  if (old->on)
    TH_TRY(th_import_append_list_tests(im, number - first, err));
  listed->print = (int64_t)(print >> 1);
  im->text.weighted = beds->counted < th_range_count(beds->listed) ||
                      (old->on && old->shape.weighted);
done:
  return rc;
}

/* Say what the phenotypes are; that there are cases is asked for by
 * check_cases. */
static void tell_phenotypes(struct th_importing *im)
{
  const struct beds *beds = beds_of(im);
  const struct th_import_listed *listed = &im->listed;
  const int64_t kept = th_range_count(beds->listed);
  int64_t all = 0;
  for (int64_t k = 0; k < beds->count; k++)
    all += beds->bed[k].cohort.people;
  for (int64_t k = beds->listed.first; k < beds->listed.last; k++)
    im->positives += listed->weight[k] > 0 && listed->target[k] == 1;
  if (im->text.unlabelled)
    th_import_notice(
        im, "target:   none%s",
        th_import_open_targetless(im->job) ? "" : ", as no phenotype is known");
  else if (beds->cases)
    th_import_notice(im,
                     "target:   the phenotype, %lld of '%s' (+1) and %lld of "
                     "'%s' (-1)",
                     (long long)im->positives, im->class.name,
                     (long long)(beds->counted - im->positives),
                     im->class.value == 2 ? "1" : "2");
  else
    th_import_notice(im, "target:   the phenotype, a number");
  if (kept < all)
    th_import_notice(im,
                     "left out: %lld of %lld people, whose phenotype is not "
                     "known",
                     (long long)(all - kept), (long long)all);
  if (beds->counted < kept)
    th_import_notice(im,
                     "weights:  %lld of %lld people, whose phenotype is not "
                     "known, have weight 0: they are predicted, and count for "
                     "nothing else",
                     (long long)(kept - beds->counted), (long long)all);
}

/* Trained on one class alone, nothing is learnt; other data for a model may
 * have only one. */
static th_status check_cases(struct th_importing *im, struct th_error *err)
{
  const struct beds *beds = beds_of(im);
  int64_t others = beds->counted - im->positives;
  if (im->text.unlabelled || !beds->cases)
    return TH_OK;
  if (others > 0)
    th_text_row_class_set_add(&im->others, im->class.value == 2 ? "1" : "2", 1,
                              others);
  if (im->job->like != NULL || (im->positives > 0 && others > 0))
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s: every known phenotype is %s; write 1 for controls, 2 for "
                 "cases, -9 or 0 where it is not known, or say {target} none "
                 "for targets of a table",
                 beds->bed[0].people,
                 (im->positives > 0) == (im->class.value == 2) ? "2" : "1");
}

/* --- Variants and attributes ---------------------------------------------- */

/* The names of the attributes that are looked for in files: those of --like, or
 * of the first file; NULL: it has none. */
static const char *const *wanted_names(const struct th_importing *im)
{
  if (im->like.support != NULL)
    return (const char *const *)im->like.support;
  if (im->job->like != NULL)
    return (const char *const *)im->like.names;
  return beds_of(im)->bed[0].cohort.name;
}

static th_status not_there(const struct th_importing *im, const struct bed *bed,
                           const char *name, int64_t absent,
                           struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "%s: %lld of %lld variants of %s are not there, first '%.60s'",
                 bed->variants, (long long)absent, (long long)im->attributes,
                 im->job->like != NULL ? im->job->like
                                       : beds_of(im)->bed[0].variants,
                 name);
}

/* Find the attributes among the variants of a file. */
static th_status match_variants(struct th_importing *im, struct bed *bed,
                                const char *const *wanted, struct th_error *err)
{
  struct th_cohort_index index = {0};
  int64_t absent = 0;
  const char *first = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&bed->variant, im->attributes, "variants", err));
  TH_TRY(th_cohort_index(&index, &bed->cohort, err));
  for (int64_t a = 0; a < im->attributes; a++) {
    bed->variant[a] = th_cohort_find(&index, &bed->cohort, wanted[a]);
    if (bed->variant[a] < 0 && absent++ == 0)
      first = wanted[a];
  }
  if (absent > 0)
    rc = not_there(im, bed, first, absent, err);
done:
  free(index.slot);
  return rc;
}

static th_status other_alleles(const struct bed *bed, const char *name,
                               const struct th_variant *here,
                               const struct th_variant *there, const char *of,
                               struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "%s: '%.60s' has the alleles %.20s and %.20s, and %.20s and "
                 "%.20s in %s; give it another ID, or leave it out",
                 bed->variants, name, here->counted, here->other,
                 there->counted, there->other, of);
}

/* Alleles that have changed places are counted as in the other data. */
static th_status compare_alleles(struct th_importing *im, struct bed *bed,
                                 const struct th_variant *known, const char *of,
                                 struct th_error *err)
{
  int64_t swapped = 0;
  th_status rc = TH_NEW(&bed->swapped, im->attributes, "alleles", err);
  for (int64_t a = 0; rc == TH_OK && a < im->attributes; a++) {
    int64_t v = bed->variant == NULL ? a : bed->variant[a];
    const struct th_variant *here = &bed->cohort.variant[v];
    enum th_variants_fit fit = th_variants_compare(here, &known[a]);
    bed->swapped[a] = fit == TH_VARIANTS_SWAPPED;
    swapped += bed->swapped[a];
    if (fit == TH_VARIANTS_DIFFER)
      rc = other_alleles(bed, bed->cohort.name[v], here, &known[a], of, err);
  }
  if (rc == TH_OK && swapped > 0)
    th_import_notice(im,
                     "note:     %s: A1 and A2 of %lld variant%s have changed "
                     "places; the allele is counted that %s counts",
                     bed->variants, (long long)swapped, swapped == 1 ? "" : "s",
                     of);
  return rc;
}

/* The alleles of the attributes, as the first file has them. */
static th_status take_variants(struct th_importing *im, struct th_error *err)
{
  struct beds *beds = beds_of(im);
  const struct bed *bed = &beds->bed[0];
  if (bed->variant == NULL) {
    im->listed.variant = bed->cohort.variant;
    return TH_OK;
  }
  th_status rc = TH_NEW(&beds->variant, im->attributes, "variants", err);
  for (int64_t a = 0; rc == TH_OK && a < im->attributes; a++)
    beds->variant[a] = bed->cohort.variant[bed->variant[a]];
  im->listed.variant = beds->variant;
  return rc;
}

static th_status match_first(struct th_importing *im, struct th_error *err)
{
  struct bed *bed = &beds_of(im)->bed[0];
  const char *const *wanted = wanted_names(im);
  th_status rc = TH_OK;
  if (im->job->like == NULL) {
    im->attributes = bed->cohort.variants;
    return take_variants(im, err);
  }
  if (wanted == NULL)
    return th_fail(err, TH_EDATA,
                   "%s has no names of attributes, by which variants could be "
                   "found; import what it was made from again, from its .bed",
                   im->job->like);
  im->text.part = im->like.support != NULL;
  im->attributes = im->text.part ? im->like.support_size : im->like.attributes;
  TH_TRY(match_variants(im, bed, wanted, err));
  TH_TRY(take_variants(im, err));
  if (im->like.variants.count > 0)
    TH_TRY(compare_alleles(im, bed, im->like.variants.variant, im->job->like,
                           err));
  else
    th_import_notice(im,
                     "note:     %s does not say which alleles it counts; A1 of "
                     "%s is counted",
                     im->job->like, bed->variants);
done:
  return rc;
}

static bool same_variants(const struct th_cohort *a, const struct th_cohort *b)
{
  bool same = a->variants == b->variants;
  for (int64_t v = 0; same && v < a->variants; v++)
    same = strcmp(a->name[v], b->name[v]) == 0;
  return same;
}

/* The attributes count what the older data count. Of alleles that are unknown
 * there, as nobody carries them, a file may know more. */
static void learn_alleles(struct th_importing *im, const struct bed *bed)
{
  struct beds *beds = beds_of(im);
  struct th_variant *variant =
      beds->variant != NULL ? beds->variant : beds->bed[0].cohort.variant;
  for (int64_t a = 0; bed->swapped != NULL && a < im->attributes; a++) {
    int64_t v = bed->variant == NULL ? a : bed->variant[a];
    if (im->before.old.on && bed == &beds->bed[0])
      variant[a] = im->like.variants.variant[a];
    else if (bed == &beds->bed[0]) { /* which was compared with --like */
      variant[a].counted = im->like.variants.variant[a].counted;
      variant[a].other = im->like.variants.variant[a].other;
    }
    th_variants_learn(&variant[a], &bed->cohort.variant[v], bed->swapped[a]);
  }
}

static th_status match_files(struct th_importing *im, struct th_error *err)
{
  struct beds *beds = beds_of(im);
  const struct bed *first = &beds->bed[0];
  th_status rc = match_first(im, err);
  if (rc != TH_OK)
    return rc;
  learn_alleles(im, &beds->bed[0]);
  for (int64_t k = 1; rc == TH_OK && k < beds->count; k++) {
    struct bed *bed = &beds->bed[k];
    if (im->job->like != NULL || !same_variants(&first->cohort, &bed->cohort))
      rc = match_variants(im, bed, wanted_names(im), err);
    if (rc == TH_OK)
      rc = compare_alleles(im, bed, im->listed.variant, first->variants, err);
    if (rc == TH_OK)
      learn_alleles(im, bed);
  }
  return rc;
}

/* All names, or those that --like has. */
static th_status name_bed_variants(struct th_importing *im,
                                   struct th_error *err)
{
  const struct beds *beds = beds_of(im);
  int64_t renamed = beds->bed[0].cohort.renamed;
  const char *const *names = wanted_names(im);
  if (renamed > 0 && im->job->like == NULL)
    th_import_notice(
        im,
        "note:     %lld variant%s without an ID of %s own %s named "
        "chromosome:position:A1:A2",
        (long long)renamed, renamed == 1 ? "" : "s",
        renamed == 1 ? "its" : "their", renamed == 1 ? "is" : "are");
  th_status rc = TH_NEW(&im->names, im->attributes, "names", err);
  for (int64_t a = 0; rc == TH_OK && a < im->attributes; a++)
    im->names[a] = names[a];
  return rc;
}

/* --- Opening -------------------------------------------------------------- */

static th_status check_bed_options(struct th_importing *im,
                                   struct th_error *err)
{
  const struct th_import *job = im->job;
  if (job->type < 0 && job->like == NULL)
    im->type = TH_U2;
  if (job->layout == TH_SPARSE)
    return th_fail(err, TH_EUSAGE,
                   "{layout} sparse is for text; %s is read as %s, which is "
                   "dense",
                   im->file[0].name, im->format->importer->title);
  if (job->attributes > 0)
    return th_fail(err, TH_EUSAGE,
                   "{attributes} is for text; the attributes of %s are its "
                   "variants",
                   im->file[0].name);
  return th_type_allows(im->type, TH_DENSE, job->row_group, err);
}

static th_status open_beds(struct th_importing *im, struct th_error *err)
{
  struct beds *beds = beds_of(im);
  th_status rc = TH_OK;
  TH_TRY(check_bed_options(im, err));
  TH_TRY(TH_NEW(&beds->bed, im->files, "the list of files", err));
  beds->count = im->files;
  for (int64_t k = 0; k < beds->count; k++)
    beds->bed[k].fd = -1;
  for (int64_t k = 0; k < beds->count; k++)
    TH_TRY(open_bed(im, &beds->bed[k], &im->file[k], err));
  TH_TRY(choose_kind(im, err));
  TH_TRY(find_labelled(im, err));
  im->listed.missing = true;
  TH_TRY(list_people(im, err));
  TH_TRY(match_files(im, err));
  TH_TRY(name_bed_variants(im, err));
  tell_phenotypes(im);
  rc = check_cases(im, err);
done:
  return rc;
}

/* --- Calls ---------------------------------------------------------------- */

/* Single values of the calls in a run, from its end on, in the same memory. */
static void spread_calls(enum th_type type, char *run, int64_t calls)
{
  for (int64_t k = calls - 1; k >= 0; k--) {
    int call = th_calls_at((const unsigned char *)run, k);
    th_type_store(type, run, k,
                  call == TH_CALLS_MISSING ? th_type_missing(type) : call);
  }
}

/* A variant as it is in a file becomes a run of calls, `run`, which may begin
 * before it in the same memory. */
static void turn_variant(const struct th_importing *im, const struct bed *bed,
                         int64_t attribute, const char *from, char *run)
{
  th_calls_from_bed((const unsigned char *)from, bed->cohort.people,
                    bed->swapped != NULL && bed->swapped[attribute],
                    (unsigned char *)run);
  if (th_type_packed(im->type) == 1)
    spread_calls(im->type, run, bed->cohort.people);
}

/* Variants that follow one another in the only file: read at once to the end of
 * the memory for their runs, and turned one after the other. */
static th_status read_variants(const struct th_importing *im,
                               struct th_range range, char *runs,
                               int64_t stride, struct th_error *err)
{
  const struct bed *bed = &beds_of(im)->bed[0];
  const struct th_text_file *file = &im->file[0];
  int64_t count = th_range_count(range);
  int64_t base = (file->base > 0 ? file->base : 0) + HEAD;
  char *read = runs + count * (stride - bed->run);
  th_status rc =
      th_output_temporary_read(bed->fd, read, count * bed->run,
                               base + range.first * bed->run, file->name, err);
  for (int64_t a = 0; rc == TH_OK && a < count; a++)
    turn_variant(im, bed, range.first + a, read + a * bed->run,
                 runs + a * stride);
  return rc;
}

/* A variant of file k, put where the run of its attribute has the file's
 * places. */
static th_status read_variant(const struct th_importing *im, int64_t k,
                              int64_t attribute, char *run,
                              struct th_error *err)
{
  const struct bed *bed = &beds_of(im)->bed[k];
  const struct th_text_file *file = &im->file[k];
  int64_t v = bed->variant == NULL ? attribute : bed->variant[attribute];
  int64_t offset = (file->base > 0 ? file->base : 0) + HEAD + v * bed->run;
  th_status rc =
      th_output_temporary_read(bed->fd, run, bed->run, offset, file->name, err);
  if (rc == TH_OK)
    turn_variant(im, bed, attribute, run, run);
  return rc;
}

static th_status read_calls(const struct th_importing *im,
                            struct th_range range, void *runs, int64_t stride,
                            struct th_error *err)
{
  const struct beds *beds = beds_of(im);
  th_status rc = TH_OK;
  if (beds->count == 1 && beds->bed[0].variant == NULL)
    return read_variants(im, range, runs, stride, err);
  for (int64_t a = range.first; a < range.last; a++)
    for (int64_t k = 0; rc == TH_OK && k < beds->count; k++)
      rc = read_variant(im, k, a,
                        (char *)runs + (a - range.first) * stride +
                            th_type_offset(im->type, beds->bed[k].place),
                        err);
  return rc;
}

/* --- What the others ask -------------------------------------------------- */

static void name_variant(const struct th_importing *im, int64_t attribute,
                         char text[TH_IMPORT_CALLED])
{
  (void)im;
  snprintf(text, TH_IMPORT_CALLED, "variant %lld", (long long)attribute + 1);
}

static th_status leave_out_of_bed(struct bed *bed, const uint64_t *kept,
                                  int64_t count, struct th_error *err)
{
  bool all = bed->variant == NULL;
  if (all) {
    th_status rc = TH_NEW(&bed->variant, count, "variants", err);
    if (rc != TH_OK)
      return rc;
  }
  for (int64_t a = 0; a < count; a++)
    bed->variant[a] = all ? (int64_t)kept[a] : bed->variant[kept[a]];
  for (int64_t a = 0; bed->swapped != NULL && a < count; a++)
    bed->swapped[a] = bed->swapped[kept[a]];
  return TH_OK;
}

static th_status leave_out_variants(struct th_importing *im,
                                    struct th_error *err)
{
  struct beds *beds = beds_of(im);
  const struct th_lacking *lacking = &im->text.lacking;
  struct th_variant *variant = NULL;
  th_status rc = TH_NEW(&variant, lacking->keeps, "variants", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t a = 0; a < lacking->keeps; a++)
    variant[a] = im->listed.variant[lacking->kept[a]];
  free(beds->variant);
  beds->variant = variant;
  im->listed.variant = variant;
  for (int64_t k = 0; rc == TH_OK && k < beds->count; k++)
    rc = leave_out_of_bed(&beds->bed[k], lacking->kept, lacking->keeps, err);
  return rc;
}

static void release_beds(struct th_importing *im)
{
  struct beds *beds = beds_of(im);
  for (int64_t k = 0; k < beds->count; k++) {
    struct bed *bed = &beds->bed[k];
    if (bed->fd >= 0)
      close(bed->fd);
    th_cohort_free(&bed->cohort);
    TH_FREE(bed->variants, bed->people, bed->variant, bed->swapped);
  }
  TH_FREE(beds->bed, beds->variant);
}

const struct th_importer th_import_bed = {.title = "genotypes of PLINK 1",
                                          .size = sizeof(struct beds),
                                          .binary = true,
                                          .ending = ".bed",
                                          .beside = beside_bed,
                                          .named = has_bed_ending,
                                          .open = open_beds,
                                          .columns = read_calls,
                                          .later.leave_out = leave_out_variants,
                                          .call = name_variant,
                                          .close = release_beds};
