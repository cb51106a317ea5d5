/* import_libsvm.c - the files of an import of LIBSVM text
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "io/import/import_job.h"
#include "io/import/text/libsvm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
  struct th_libsvm format;
  bool counts;  /* it is not known how many attributes there are */
  int64_t last; /* the largest attribute; -1: none */
  struct th_import_place place; /* of the first entry of the largest */
};

static struct th_libsvm *libsvm_of(const struct th_importing *im)
{
  return &((struct state *)im->state)->format;
}

/* How the lines of a file begin, as far as they were looked at. */
struct beginnings {
  int64_t lines;
  bool plain;            /* the first one has a label and no colon */
  bool indices;          /* all may begin with index:value, */
  bool shaped;           /* or with number:number, */
  bool weights;          /* where the number is a label of other data */
  char first[TH_QUOTED]; /* the first word */
};

/* True if the text that this one is to be like may have this label. */
static bool is_their_label(const struct th_importing *im,
                           const struct th_libsvm_word *word)
{
  const struct th_origin *origin = &im->like.origin;
  bool found = false;
  if (im->class.name != NULL) {
    found = origin->classes == 0 ||
            th_text_row_class_of(&im->class, word->label, word->length) > 0;
    for (int64_t k = 0; !found && k < origin->classes; k++) {
      struct th_class one = th_text_row_class_named(origin->class_name[k]);
      found = th_text_row_class_of(&one, word->label, word->length) > 0;
    }
    return found;
  }
  if (!word->is_number)
    return false;
  for (int64_t k = 0; k < origin->labels; k++)
    found = found || origin->label[k] == word->value;
  return origin->labels > 0 ? found
                            : origin->whole_targets != TH_FACT_NO ||
                                  word->value != floor(word->value);
}

static void see_beginning(const struct th_importing *im,
                          const struct th_line *line, struct beginnings *seen)
{
  struct th_libsvm_word word =
      th_libsvm_first_word(line->text, line->length, libsvm_of(im)->zero_based);
  const char *end = word.label + word.length;
  bool colon = end < line->text + line->length && *end == ':';
  if (seen->lines++ == 0) {
    seen->plain = !colon;
    th_text_row_quote(line, word.label, '#', seen->first);
  }
  seen->indices = seen->indices && word.is_index;
  seen->shaped = seen->shaped && word.is_weight;
  seen->weights = seen->weights && word.is_weight && is_their_label(im, &word);
}

static th_status look_at_beginnings(const struct th_importing *im, int64_t k,
                                    struct beginnings *seen,
                                    struct th_error *err)
{
  enum { ENOUGH = 1000 }; /* lines */
  const struct th_text_file *file = &im->file[k];
  struct th_text_lines lines = {0};
  struct th_line line;
  bool more = true;
  th_status rc = TH_OK;
  *seen = (struct beginnings){.indices = true, .shaped = true, .weights = true};
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      im->limits.line.bytes, 0);
  while (seen->lines < ENOUGH && !seen->plain) {
    TH_TRY(th_text_lines_next(&lines, &line, &more, err));
    if (!more)
      break;
    if (!line.too_long && th_libsvm_is_example(line.text, line.length))
      see_beginning(im, &line, seen);
  }
done:
  th_text_lines_free(&lines);
  return rc;
}

/* What a file's lines begin with: of data that are imported like others, as
 * they look. Where they may be read in two ways, only the user knows. */
static th_status find_labels_of(const struct th_importing *im, int64_t k,
                                enum th_label_form *labels,
                                struct th_error *err)
{
  const char *name = im->file[k].name;
  struct beginnings seen;
  const bool bare = th_import_open_targetless(im->job);
  *labels = im->job->pairs.labels;
  if (*labels == TH_LABELS_NONE && im->job->like == NULL && !bare)
    return th_fail(err, TH_EUSAGE,
                   "{labels} none: data without a target are imported with "
                   "{like} TRAIN.h5, the data that the model was trained on, "
                   "or with {target} none for targets of a table");
  if (*labels == TH_LABELS_AUTO)
    *labels = TH_LABELS_PLAIN;
  if (im->job->pairs.labels != TH_LABELS_AUTO ||
      (im->job->like == NULL && !bare))
    return TH_OK;
  th_status rc = look_at_beginnings(im, k, &seen, err);
  if (rc != TH_OK || seen.lines == 0 || seen.plain)
    return rc;
  if (im->like.origin.label_weights == TH_FACT_YES)
    seen.weights = seen.shaped; /* also of a label that is new */
  if (seen.indices && seen.weights)
    return th_fail(err, TH_EUSAGE,
                   "%s:1:1: lines that begin like %s may have no label, and be "
                   "index:value, or have label:weight; say {labels} none or "
                   "{labels} weighted",
                   name, seen.first);
  *labels = seen.weights ? TH_LABELS_WEIGHTED : TH_LABELS_NONE;
  if (seen.weights && im->like.origin.label_weights != TH_FACT_YES)
    return th_fail(err, TH_EUSAGE,
                   "%s:1:1: %s found, which is no index:value, but may be "
                   "label:weight; labels %s%s have no weights, so say {labels} "
                   "weighted, or remove them",
                   name, seen.first, bare ? "without another word" : "of ",
                   bare ? "" : im->job->like);
  return TH_OK;
}

static th_status find_label_form(struct th_importing *im, struct th_error *err)
{
  enum th_label_form first = TH_LABELS_PLAIN;
  for (int64_t k = 0; k < im->files; k++) {
    enum th_label_form labels;
    if (k > 0 && !im->file[k].mine)
      continue;
    th_status rc = find_labels_of(im, k, &labels, err);
    if (rc != TH_OK)
      return rc;
    bool unlabelled = labels == TH_LABELS_NONE;
    bool weighted = labels == TH_LABELS_WEIGHTED;
    if (k > 0 && unlabelled != libsvm_of(im)->unlabelled)
      return th_import_mixed(im, unlabelled ? 0 : k, unlabelled ? k : 0, err);
    if (k > 0 && labels != first)
      return th_import_mixed_weights(im, weighted ? k : 0, weighted ? 0 : k,
                                     err);
    first = labels;
    libsvm_of(im)->unlabelled = unlabelled;
    im->text.unlabelled = unlabelled || th_import_open_targetless(im->job);
    im->text.weighted = weighted;
  }
  return TH_OK;
}

static void notice_labels(const struct th_importing *im)
{
  const struct th_origin *like = &im->like.origin;
  if (im->text.unlabelled)
    th_import_notice(im, "target:   none");
  else if (im->text.weighted)
    th_import_notice(im, "weights:  in the labels, label:weight");
  else if (like->label_weights == TH_FACT_YES || like->weight > 0)
    th_import_notice(im, "weights:  none, %.200s has some", im->job->like);
}

static th_status begin_libsvm(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  struct th_libsvm *format = libsvm_of(im);
  enum th_fact base = job->pairs.zero_based != TH_FACT_UNKNOWN
                          ? job->pairs.zero_based
                          : im->like.origin.zero_based;
  *format = (struct th_libsvm){.zero_based = base == TH_FACT_YES,
                               .missing = &im->text.missing,
                               .class = im->class,
                               .attributes = job->attributes,
                               .limiter = "{attributes}"};
  if (im->like.attributes > 0) {
    format->attributes = im->like.attributes;
    format->limiter = job->like;
    format->leaves_out = true;
  }
  ((struct state *)im->state)->counts = format->attributes == 0;
  th_status rc = th_import_indices_like(im, &format->attributes, err);
  if (im->text.indexed)
    format->set = &im->text.occur.set;
  if (rc == TH_OK)
    rc = find_label_form(im, err);
  format->weighted = im->text.weighted;
  im->attributes = format->attributes;
  ((struct state *)im->state)->last = -1;
  if (rc == TH_OK)
    notice_labels(im);
  return rc;
}

static bool is_libsvm_example(const struct th_importing *im, int64_t k,
                              const struct th_line *line)
{
  (void)k;
  if (th_libsvm_is_example(line->text, line->length))
    return true;
  /* without a label, an example of zeros is an empty line */
  return libsvm_of(im)->unlabelled &&
         memchr(line->text, '#', (size_t)line->length) == NULL;
}

static bool libsvm_weightless(const struct th_importing *im, int64_t k,
                              const struct th_line *line)
{
  (void)k;
  struct th_libsvm_word word =
      th_libsvm_first_word(line->text, line->length, libsvm_of(im)->zero_based);
  return word.is_weight && word.weight == 0;
}

static th_status read_libsvm_row(struct th_importing *im, int64_t k,
                                 const struct th_line *line,
                                 struct th_text_row *row, struct th_error *err)
{
  struct state *s = im->state;
  th_status rc = th_libsvm_row(&s->format, line, row, err);
  if (im->text.unlabelled)
    row->target = NAN;
  if (rc != TH_OK || row->count == 0 || row->index[row->count - 1] <= s->last)
    return rc;
  s->last = row->index[row->count - 1];
  s->place = (struct th_import_place){k, line->number};
  return TH_OK;
}

/* --- Attributes that are the indices that occur --------------------------- */

static void see_last(struct th_importing *im, const struct th_line *line)
{
  const struct state *s = im->state;
  uint64_t index = 0;
  if (s->counts &&
      th_libsvm_last_index(&s->format, line->text, line->length, &index) &&
      index > im->text.occur.largest)
    im->text.occur.largest = index;
}

static th_status collect_line(struct th_importing *im, int64_t k,
                              const struct th_line *line, struct th_error *err)
{
  const struct state *s = im->state;
  const char *p = line->text;
  uint64_t index = 0;
  th_status rc = TH_OK;
  (void)k;
  while (rc == TH_OK && !im->text.occur.dense &&
         th_libsvm_next_index(&s->format, line, &p, &index)) {
    if (index > im->text.occur.largest)
      return TH_OK; /* the line is at fault */
    rc = th_import_indices_add(im, index, err);
  }
  return rc;
}

/* Collective. */
static th_status collect_indices(struct th_importing *im, th_status rc,
                                 struct th_error *err)
{
  bool wanted = false;
  rc = th_import_indices_begin(im, &wanted, rc, err);
  if (!wanted)
    return rc;
  if (rc == TH_OK)
    rc = th_import_parse_visit(im, collect_line, err);
  return th_import_indices_collected(im, rc, err);
  return rc;
}

/* Collective. */
static th_status number_indices(struct th_importing *im, struct th_error *err)
{
  struct state *s = im->state;
  bool counts = s->counts;
  th_status rc = counts ? th_import_indices_number(im, err) : TH_OK;
  if (counts && im->text.indexed)
    s->format.set = &im->text.occur.set;
  return rc;
}

static void adopt_indices(struct th_importing *im,
                          const struct th_importing *first)
{
  struct state *s = im->state;
  s->format.set = ((const struct state *)first->state)->format.set;
  th_import_indices_adopt(im, first);
}

/* The others are called by their indices from now on, as where gaps are many.
 */
static th_status leave_out_indices(struct th_importing *im,
                                   struct th_error *err)
{
  const struct th_lacking *lacking = &im->text.lacking;
  const bool counted = !im->text.indexed;
  const uint64_t first = !libsvm_of(im)->zero_based;
  uint64_t **list = &im->text.occur.list;
  im->text.indexed = true;
  if (im->comm->rank > 0)
    return TH_OK;
  if (counted) {
    th_status rc = TH_NEW(list, lacking->keeps, "indices", err);
    if (rc != TH_OK)
      return rc;
  }
  for (int64_t a = 0; a < lacking->keeps; a++) {
    uint64_t before = lacking->kept[a];
    (*list)[a] = counted ? before + first : (*list)[before];
  }
  im->text.index = *list;
  return TH_OK;
}

/* --- What all examples together show -------------------------------------- */

/* Where the largest index of this rank's threads stands first. */
static struct th_import_place own_place(const struct th_importing *im,
                                        int64_t largest)
{
  for (int t = 0; t <= im->bins.others; t++) {
    const struct state *s = t == 0 ? im->state : im->bins.other[t - 1].im.state;
    if (s->last == largest)
      return s->place; /* threads have the text in order */
  }
  return (struct th_import_place){im->files, INT64_MAX};
}

/* Where the largest index stands first, if that says how many there are.
 * Collective. */
static struct th_import_place place_last(const struct th_importing *im)
{
  const struct state *s = im->state;
  struct th_comm *comm = im->comm;
  int64_t largest = im->attributes - 1;
  if (!s->counts || im->text.indexed)
    return (struct th_import_place){0};
  struct th_import_place mine = own_place(im, largest);
  int64_t file = -mine.file;
  comm->ops->max_i64(comm, &file, 1);
  int64_t line = mine.file == -file ? -mine.line : -INT64_MAX;
  comm->ops->max_i64(comm, &line, 1);
  return (struct th_import_place){-file, -line};
}

static th_status tell_occurring(struct th_importing *im, struct th_error *err)
{
  const struct state *s = im->state;
  (void)err;
  if (s->counts && im->text.indexed && im->text.index != NULL)
    th_import_indices_tell(im, im->text.index[im->attributes - 1] +
                                   libsvm_of(im)->zero_based);
  return TH_OK;
}

static void call_index(const struct th_importing *im, int64_t attribute,
                       char text[TH_IMPORT_CALLED])
{
  uint64_t index = im->text.index != NULL
                       ? im->text.index[attribute]
                       : (uint64_t)attribute + !libsvm_of(im)->zero_based;
  snprintf(text, TH_IMPORT_CALLED, "index %" PRIu64, index);
}

static th_status libsvm_origin(const struct th_importing *im,
                               struct th_origin *origin, struct th_error *err)
{
  (void)err;
  origin->zero_based = libsvm_of(im)->zero_based ? TH_FACT_YES : TH_FACT_NO;
  if (!im->text.unlabelled)
    origin->label_weights = im->text.weighted ? TH_FACT_YES : TH_FACT_NO;
  return TH_OK;
}

static bool has_libsvm_ending(const char *name)
{
  static const char *const endings[] = {".svm", ".libsvm", ".svmlight", NULL};
  return th_import_open_named(name, endings);
}

static const char *const options[] = {"zero-based", "labels", NULL};

static const struct th_import_numbering numbering = {.see = see_last,
                                                     .collect = collect_indices,
                                                     .number = number_indices,
                                                     .adopt = adopt_indices,
                                                     .place = place_last};

const struct th_importer th_import_libsvm = {.title = "LIBSVM",
                                             .size = sizeof(struct state),
                                             .options = options,
                                             .indices = true,
                                             .named = has_libsvm_ending,
                                             .recognises = th_libsvm_recognise,
                                             .open = begin_libsvm,
                                             .count = th_import_parse_count,
                                             .next = th_import_parse_next,
                                             .numbering = &numbering,
                                             .later.leave_out =
                                                 leave_out_indices,
                                             .is_example = is_libsvm_example,
                                             .is_weightless = libsvm_weightless,
                                             .read_line = read_libsvm_row,
                                             .check = tell_occurring,
                                             .call = call_index,
                                             .told = libsvm_origin};
