/* import_open.c - the files of an import: format, headers, known attributes
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "io/dataset/format.h"
#include "io/dataset/origin_file.h"
#include "io/files/output.h"
#include "io/import/arrays/given.h"
#include "io/import/arrays/vector.h"
#include "io/import/text/index_set.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- What an import takes over from another data set, or from a model ----- */

static th_status like_data(struct th_like *like, struct th_dataset *dataset,
                           struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(dataset)->shape;
  th_status rc = TH_OK;
  like->attributes = shape->attributes;
  like->layout = (int)shape->layout;
  like->type = shape->type;
  TH_TRY(th_dataset_indices(dataset, &like->index, err));
  if (like->index == NULL)
    TH_TRY(th_dataset_names(dataset, &like->names, err));
  TH_TRY(th_dataset_variants(dataset, &like->variants, err));
  TH_TRY(th_dataset_lacking(dataset, &like->lacking, err));
  TH_TRY(th_origin_file_copy(&like->origin, th_dataset_origin(dataset), err));
done:
  return rc;
}

static th_status open_like(struct th_importing *im, struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  th_status rc = th_dataset_open(&dataset, im->comm, im->job->like, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = th_agree(im->comm, like_data(&im->like, dataset, err), err);
  th_dataset_close(dataset);
  return rc;
}

/* The alleles that a model counts. */
static th_status like_alleles(struct th_like *like,
                              const struct th_model *model,
                              struct th_error *err)
{
  struct th_variants *variants = &like->variants;
  th_status rc =
      TH_NEW(&variants->variant, model->support_size, "alleles", err);
  if (rc != TH_OK)
    return rc;
  variants->count = model->support_size;
  for (int64_t k = 0; k < model->support_size; k++)
    variants->variant[k] = (struct th_variant){.counted = model->allele[k],
                                               .other = model->other[k]};
  return TH_OK;
}

/* Of a model only the support has names; it does not say how its data were laid
 * out. Local. */
static th_status like_model(struct th_like *like, const struct th_model *model,
                            const char *path, struct th_error *err)
{
  const int64_t attributes = model->attributes - model->covariates.count;
  const int64_t members = th_model_members_below(model, attributes);
  int type = model->type == NULL ? -1 : th_type_find(model->type);
  th_status rc = TH_OK;
  if (members == 0)
    return th_fail(err, TH_EDATA,
                   "%s uses no attribute: its prediction is %.17g for every "
                   "example; import with {like} a data set",
                   path, model->intercept);
  like->attributes = attributes;
  like->layout = -1;
  like->type = type < 0 ? TH_F32 : (enum th_type)type;
  like->support = model->name;
  if (model->allele != NULL && model->other != NULL)
    rc = like_alleles(like, model, err);
  if (rc != TH_OK)
    return rc;
  like->support_size = members;
  like->support_place = model->support;
  return th_origin_file_copy(&like->origin, &model->origin, err);
}

/* Take over what --like has; decide on the type of values. Collective. */
static th_status take_like(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = TH_OK;
  im->like.type = TH_F32;
  if (job->like != NULL && job->model != NULL)
    rc = th_agree(im->comm, like_model(&im->like, job->model, job->like, err),
                  err);
  else if (job->like != NULL)
    rc = open_like(im, err);
  if (rc != TH_OK)
    return rc;
  im->type = job->type >= 0 ? (enum th_type)job->type : im->like.type;
  enum th_layout layout = job->layout == TH_SPARSE ? TH_SPARSE : TH_DENSE;
  return th_type_allows(im->type, layout, job->row_group, err);
}

/* Local. */
static void free_like(struct th_like *like)
{
  TH_FREE(like->names, like->index, like->lacking);
  th_variants_free(&like->variants);
  th_origin_free(&like->origin);
  *like = (struct th_like){0};
}

/* --- What the user says of text that is imported like other text must not
 * contradict what is known of that */

/* What an option says, and what it says of the other text. */
struct told {
  const char *option;
  const char *mine;   /* NULL: nothing was said */
  const char *theirs; /* NULL: nothing is known */
};

static const char *yes_or_no(enum th_fact fact)
{
  return fact == TH_FACT_UNKNOWN ? NULL : fact == TH_FACT_YES ? "yes" : "no";
}

static const char *said_header(enum th_header header)
{
  return header == TH_HEADER_AUTO  ? NULL
         : header == TH_HEADER_YES ? "yes"
                                   : "no";
}

static th_status refuse_contradiction(const struct th_importing *im,
                                      const struct told *told,
                                      struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "{%s} %s contradicts %s, where it is %s; that is taken over, "
                 "so leave the option out, or write the text as that one was",
                 told->option, told->mine, im->job->like, told->theirs);
}

/* Text of another format may be told so: its attributes go by their numbers.
 * Weights may be added to the labels, but not denied. */
static th_status check_said(const struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  const struct th_origin *origin = &im->like.origin;
  bool plain = job->pairs.labels == TH_LABELS_PLAIN;
  const struct told all[] = {
      {"format", strcmp(job->format, "auto") == 0 ? NULL : job->format,
       origin->format},
      {"header", said_header(job->table.header), yes_or_no(origin->header)},
      {"zero-based", yes_or_no(job->pairs.zero_based),
       yes_or_no(origin->zero_based)},
      {"missing", job->missing.words, origin->missing.words},
      {"labels", plain ? "plain" : NULL,
       origin->label_weights == TH_FACT_YES ? "weighted" : NULL}};
  if (job->like == NULL)
    return TH_OK;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (all[k].mine != NULL && all[k].theirs != NULL &&
        strcmp(all[k].mine, all[k].theirs) != 0)
      return refuse_contradiction(im, &all[k], err);
  return TH_OK;
}

/* --- The files of an import, and their format ----------------------------- */

enum {
  LINES_TO_TELL = 1000,  /* that may tell the format */
  MEMORY_SHARE = 16,     /* of memory is what a line may be long, */
  LEAST_LIMIT = 4 << 20, /* or this */
  HEAD = 64              /* bytes that show a format */
};

/* A file by its name, or by that without the ending that its format has. */
static th_status find_input(const char *name, char **found,
                            struct th_error *err)
{
  const struct th_importer_row *row = th_import_table();
  struct th_identity file;
  th_status rc = th_file_text(found, err, "%s", name);
  for (; rc == TH_OK && row->name != NULL; row++) {
    char *longer = NULL;
    if (row->importer == NULL || row->importer->ending == NULL ||
        th_file_identity_of(name, &file))
      continue;
    rc = th_file_text(&longer, err, "%s%s", name, row->importer->ending);
    bool there = rc == TH_OK && th_file_identity_of(longer, &file);
    if (there) {
      free(*found);
      *found = longer;
      return TH_OK;
    }
    free(longer);
  }
  return rc;
}

/* --- The files that an import reads --------------------------------------- */

/* `length` bytes of a name, and an ending. */
static th_status add_read(struct th_import_reads *files, const char *name,
                          size_t length, const char *ending,
                          struct th_error *err)
{
  th_status rc =
      TH_GROW(&files->name, &files->room, files->count + 1, "files", err);
  if (rc != TH_OK)
    return rc;
  files->name[files->count] = NULL;
  rc = th_file_text(&files->name[files->count], err, "%.*s%s", (int)length,
                    name, ending);
  files->count += rc == TH_OK;
  return rc;
}

/* What a format has beside a file. */
static th_status add_beside(struct th_import_reads *files, const char *name,
                            const struct th_importer *importer,
                            struct th_error *err)
{
  size_t stem = strlen(name);
  th_status rc = TH_OK;
  for (const char *at = strstr(name, importer->ending); at != NULL;
       at = strstr(at + 1, importer->ending))
    stem = (size_t)(at - name);
  for (const char *const *end = importer->beside; *end != NULL && rc == TH_OK;
       end++)
    rc = add_read(files, name, stem, *end, err);
  return rc;
}

/* A file of examples, and what its format has beside it. */
static th_status add_input_files(struct th_import_reads *files,
                                 const struct th_import *job, const char *given,
                                 struct th_error *err)
{
  const struct th_importer_row *row = th_import_table();
  char *name = NULL;
  th_status rc;
  TH_TRY(find_input(given, &name, err));
  TH_TRY(add_read(files, name, th_vector_file(name), "", err));
  for (; row->name != NULL; row++)
    if (row->importer != NULL && row->importer->beside != NULL &&
        (strcmp(row->name, job->format) == 0 || row->importer->named(name)))
      TH_TRY(add_beside(files, name, row->importer, err));
done:
  free(name);
  return rc;
}

static th_status add_array(struct th_import_reads *files, const char *name,
                           struct th_error *err)
{
  return name != NULL && th_vector_named(name)
             ? add_read(files, name, th_vector_file(name), "", err)
             : TH_OK;
}

th_status th_import_open_list(const struct th_import *job,
                              struct th_import_reads *files,
                              struct th_error *err)
{
  const char *const others[] = {job->names, job->id.file, job->groups,
                                job->like};
  th_status rc = TH_OK;
  for (int64_t k = 0; k < job->input_count; k++)
    TH_TRY(add_input_files(files, job, job->inputs[k], err));
  if (job->files.test != NULL)
    TH_TRY(add_input_files(files, job, job->files.test, err));
  TH_TRY(add_array(files, job->target, err));
  TH_TRY(add_array(files, job->weights, err));
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (others[k] != NULL)
      TH_TRY(add_read(files, others[k], strlen(others[k]), "", err));
done:
  return rc;
}

bool th_import_open_takes(const char *name)
{
  struct th_error ignored = {0};
  struct th_identity file;
  enum th_file_kind kind = TH_FILE_OTHER;
  char *found = NULL;
  bool called = name[th_output_path_stem(name)] != '\0'; /* NAME.h5 */
  if (th_format_kind(name, &kind, &ignored) == TH_OK)
    return kind == TH_FILE_TEXT || kind == TH_FILE_HDF5 ||
           (kind == TH_FILE_OTHER && !called);
  if (th_file_identity_of(name, &file) ||
      find_input(name, &found, &ignored) != TH_OK)
    return false;
  found[th_vector_file(found)] = '\0'; /* FILE:NAME */
  bool there = th_file_identity_of(found, &file);
  free(found);
  return there;
}

/* --- The inputs, and what shows their format ------------------------------ */

/* The importer of files that are called so; NULL: none is. */
static const struct th_importer_row *shown_by_name(const char *name)
{
  const struct th_importer_row *row = th_import_table();
  for (; row->name != NULL; row++)
    if (row->importer != NULL && row->importer->named != NULL &&
        row->importer->named(name))
      return row;
  return NULL;
}

/* Of a folder nobody has chosen the files: they have to be called alike. */
static th_status check_folder(const struct th_importing *im, const char *folder,
                              int64_t first, int64_t passed,
                              struct th_error *err)
{
  char *const *name = im->share.inputs.name;
  int64_t count = im->share.inputs.count;
  const struct th_importer_row *of = shown_by_name(name[first]);
  for (int64_t k = first + 1; k < count; k++)
    if (shown_by_name(name[k]) != of)
      return th_fail(err, TH_EDATA,
                     "%s: files of several formats, as %s and %s; name those "
                     "to import, or move the others away",
                     folder, th_file_name(name[first]), th_file_name(name[k]));
  th_import_notice(im, "folder:   %s, %lld file%s%s", folder,
                   (long long)(count - first), count - first == 1 ? "" : "s",
                   passed == 0 ? ""
                               : "; hidden files and folders in it are left "
                                 "out");
  return TH_OK;
}

/* What one argument names. Local. */
static th_status add_input(struct th_importing *im, const char *given,
                           struct th_error *err)
{
  int64_t first = im->share.inputs.count;
  int64_t passed = 0;
  char *name = NULL;
  th_status rc = TH_OK;
  TH_TRY(find_input(given, &name, err));
  TH_TRY(th_inputs_add(&im->share.inputs, name, &passed, err));
  if (th_inputs_is_folder(name))
    rc = check_folder(im, name, first, passed, err);
done:
  free(name);
  return rc;
}

/* Names that are typed were compared with the output; others are here. */
static th_status check_output_apart(const struct th_importing *im,
                                    struct th_error *err)
{
  const char *output = im->job->output;
  for (int64_t k = 0; k < im->share.inputs.count; k++) {
    const char *name = im->share.inputs.name[k];
    if (strcmp(th_file_name(name), th_file_name(output)) == 0 &&
        th_output_path_same(name, output))
      return th_fail(err, TH_EUSAGE,
                     "import: output %s is an input; choose another name",
                     output);
  }
  return TH_OK;
}

/* On rank 0. */
static th_status find_inputs(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  int64_t passed = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < job->input_count; k++)
    TH_TRY(add_input(im, job->inputs[k], err));
  if (job->files.list != NULL)
    TH_TRY(
        th_inputs_add_list(&im->share.inputs, job->files.list, &passed, err));
  im->share.inputs.mains = im->share.inputs.count;
  if (job->files.test != NULL)
    TH_TRY(add_input(im, job->files.test, err));
  rc = check_output_apart(im, err);
done:
  return rc;
}

/* Collective. */
static th_status list_inputs(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  im->share.inputs.output = im->job->output;
  if (!im->text.again && im->comm->rank == 0)
    rc = find_inputs(im, err);
  if (!im->text.again)
    rc = th_inputs_share(&im->share.inputs, im->comm, rc, err);
  im->files = im->share.inputs.count;
  if (rc == TH_OK)
    rc = th_import_open_reserve_files(im, err);
  if (rc == TH_OK)
    rc = th_text_files_reserve(&im->texts, im->files, err);
  return th_agree(im->comm, rc, err);
}

/* The importer that a line shows to be its own; NULL: none. */
static const struct th_importer_row *shown_by(const struct th_line *line)
{
  const struct th_importer_row *row = th_import_table();
  for (; row->name != NULL; row++)
    if (row->importer != NULL && row->importer->recognises != NULL &&
        row->importer->recognises(line->text, line->length))
      return row;
  return NULL;
}

static bool has_ending(const char *name, size_t length, const char *ending)
{
  size_t tail = strlen(ending);
  return length >= tail && memcmp(name + length - tail, ending, tail) == 0;
}

bool th_import_open_named(const char *name, const char *const *endings)
{
  size_t whole = strlen(name);
  size_t packed = 0; /* bytes of the ending of a compressed file */
  const char *const *more = th_decompress_endings();
  for (; packed == 0 && *more != NULL; more++)
    if (has_ending(name, whole, *more))
      packed = strlen(*more);
  for (; *endings != NULL; endings++)
    if (has_ending(name, whole, *endings) ||
        has_ending(name, whole - packed, *endings))
      return true;
  return false;
}

/* That of a text whose first line is this; else that of other text; else the
 * first one of text. */
static const struct th_importer_row *usual(const struct th_line *line,
                                           const char *other)
{
  const struct th_importer_row *first = NULL;
  for (const struct th_importer_row *row = th_import_table(); row->name != NULL;
       row++) {
    if (row->importer == NULL || row->importer->binary)
      continue;
    if (first == NULL || (other != NULL && strcmp(row->name, other) == 0))
      first = row;
    if (other == NULL && row->importer->may_be != NULL &&
        row->importer->may_be(line->text, line->length))
      return row;
  }
  return first;
}

/* The format of a file by its first line that tells: most often the first one
 * that is neither blank nor a comment. Where none does, by its name; else by
 * what the first line may be. */
static th_status recognise(struct th_importing *im, struct th_error *err)
{
  const struct th_text_file *file = &im->file[0];
  const struct th_importer_row *found = NULL;
  struct th_text_lines lines = {0};
  struct th_line line = {.text = ""};
  char first[TH_IMPORT_CALLED] = "";
  bool more = true;
  th_status rc = TH_OK;
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      im->limits.line.bytes, 0);
  while (lines.number < LINES_TO_TELL && found == NULL) {
    TH_TRY(th_text_lines_next(&lines, &line, &more, err));
    if (!more)
      break;
    found = shown_by(&line);
    if (first[0] == '\0' && line.length > 0 && line.text[0] != '#')
      snprintf(first, sizeof first, "%.*s",
               (int)th_min_i64(line.length, INT_MAX), line.text);
  }
  line = (struct th_line){.text = first, .length = (int64_t)strlen(first)};
  if (found == NULL)
    found = shown_by_name(file->name);
  im->format = found != NULL ? found : usual(&line, im->like.origin.format);
done:
  th_text_lines_free(&lines);
  return rc;
}

/* That of files that begin like the first one, which rank 0 looks at; NULL: it
 * is text, or nobody knows. Collective. */
static const struct th_importer_row *
shown_by_beginning(const struct th_importing *im)
{
  char head[HEAD] = {0};
  int fd = -1;
  struct th_error ignored = {0};
  const char *name = im->share.inputs.name[0];
  const char *path =
      im->share.inputs.path[0] != NULL ? im->share.inputs.path[0] : name;
  if (im->comm->rank == 0 && th_text_open(path, name, &fd, &ignored) == TH_OK) {
    if (pread(fd, head, HEAD, 0) < 0)
      memset(head, 0, HEAD);
    close(fd);
  }
  im->comm->ops->bcast(im->comm, head, HEAD, 0);
  const struct th_importer_row *row = th_import_table();
  for (; row->name != NULL; row++)
    if (row->importer != NULL && row->importer->begins != NULL &&
        row->importer->begins(head, HEAD))
      return row;
  return NULL;
}

/* Before files are opened: the format that was asked for, or the binary one
 * that the first file is called by; else text, which is going to show it. */
static th_status ask_format(struct th_importing *im, struct th_error *err)
{
  const struct th_importer_row *row = th_import_table();
  while (row->name != NULL && strcmp(row->name, im->job->format) != 0)
    row++;
  if (row->name == NULL)
    return th_fail(err, TH_EUSAGE, "no import format '%s'", im->job->format);
  if (row->importer == NULL)
    row = shown_by_name(im->share.inputs.name[0]);
  if (row == NULL)
    row = shown_by_beginning(im);
  if (row == NULL)
    return TH_OK;
  if (row->importer->binary || strcmp(row->name, im->job->format) == 0)
    im->format = row;
  return TH_OK;
}

bool th_import_open_targetless(const struct th_import *job)
{
  return job->target != NULL && strcmp(job->target, "none") == 0;
}

static bool takes(const struct th_importer *importer, const char *option)
{
  const char *const *own = importer->options;
  return own != NULL && th_search_name(own, sizeof *own, SIZE_MAX, option) >= 0;
}

/* "{a}, {b} and {c} are": what only that format takes. */
static void list_options(const struct th_importer *importer, char *text,
                         size_t size)
{
  const char *const *own = importer->options;
  size_t used = 0;
  for (int k = 0; own[k] != NULL && used < size; k++) {
    const char *joint = k == 0 ? "" : own[k + 1] == NULL ? " and " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s{%s}", joint, own[k]);
  }
  if (used < size)
    snprintf(text + used, size - used, own[1] == NULL ? " is" : " are");
}

/* Options of other formats are refused, not ignored. */
static th_status refuse_other_options(const struct th_importing *im,
                                      struct th_error *err)
{
  const struct th_import *job = im->job;
  const struct {
    const char *name;
    bool given;
  } some[] = {{"header", job->table.header != TH_HEADER_AUTO},
              {"decimal", job->table.decimal != TH_DECIMAL_LIKE},
              {"target", job->target != NULL && !job->from_table &&
                             !th_import_open_targetless(job)},
              {"weights", job->weights != NULL},
              {"ignore", job->ignore != NULL},
              {"names", job->names != NULL},
              {"id", job->id.column != NULL},
              {"zero-based", job->pairs.zero_based != TH_FACT_UNKNOWN},
              {"labels", job->pairs.labels != TH_LABELS_AUTO}};
  char text[128];
  for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
    if (!some[k].given || takes(im->format->importer, some[k].name))
      continue;
    const struct th_importer_row *row = th_import_table();
    while (row->importer == NULL || !takes(row->importer, some[k].name))
      row++;
    list_options(row->importer, text, sizeof text);
    return th_fail(err, TH_EUSAGE, "%s for %s; %s is read as %s", text,
                   row->importer->title, im->file[0].name,
                   im->format->importer->title);
  }
  return TH_OK;
}

static th_status check_like(const struct th_importing *im, struct th_error *err)
{
  if (im->like.attributes > 0 && im->job->attributes > 0 &&
      im->like.attributes != im->job->attributes)
    return th_fail(err, TH_EDATA,
                   "%s: %lld attributes, but {attributes} says %lld; leave one "
                   "of the two out",
                   im->job->like, (long long)im->like.attributes,
                   (long long)im->job->attributes);
  return TH_OK;
}

/* An older data set does not say that its targets are numbers. */
static th_status check_class(const struct th_importing *im,
                             struct th_error *err)
{
  const char *mine = im->job->positive_class;
  const char *theirs = im->like.origin.positive_class;
  if (mine == NULL)
    return TH_OK;
  if (im->text.unlabelled)
    return th_fail(err, TH_EUSAGE,
                   "{positive-class} is for targets, and %s has none; leave it "
                   "out",
                   im->file[0].name);
  if (theirs == NULL && im->like.origin.format != NULL)
    return th_fail(err, TH_EUSAGE,
                   "{positive-class} %s: the targets of %s are numbers, and "
                   "have no positive class; leave the option out",
                   mine, im->job->like);
  if (theirs == NULL || strcmp(mine, theirs) == 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{positive-class} %s: the positive class of %s is '%s', and "
                 "is taken over; leave the option out",
                 mine, im->job->like, theirs);
}

/* A list is taken over from other text; that values were refused there is not,
 * for it is of no use to new ones. */
static const char *missing_words(const struct th_importing *im)
{
  return im->job->missing.words != NULL ? im->job->missing.words
                                        : im->like.origin.missing.words;
}

/* What is called by indices in the data of --like. */
static th_status take_indices(struct th_importing *im, struct th_error *err)
{
  struct th_like *like = &im->like;
  if (like->index == NULL)
    return TH_OK;
  im->text.indexed = true;
  im->text.index = like->index;
  return im->format->importer->indices
             ? TH_OK
             : th_index_set_names(like->index, like->attributes, &like->names,
                                  err);
}

/* Files that are no text hold numbers, or say themselves what is missing. */
static th_status check_missing(const struct th_importing *im,
                               struct th_error *err)
{
  const struct th_importer *importer = im->format->importer;
  const struct th_missing *missing = &im->text.missing;
  const char *words = im->job->missing.words;
  if (words == NULL || missing->refused || !importer->binary)
    return TH_OK;
  if (importer->columns != NULL)
    return th_fail(err, TH_EUSAGE,
                   "{missing} %s: %s says itself which values are missing; "
                   "leave the option out, or say {missing} error",
                   words, im->file[0].name);
  if (missing->numbers < missing->count)
    return th_fail(err, TH_EUSAGE,
                   "{missing} %s: %s holds numbers, and no words; name numbers "
                   "alone",
                   words, im->file[0].name);
  return TH_OK;
}

static th_status open_format(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = TH_OK;
  if (im->format == NULL)
    TH_TRY(recognise(im, err));
  TH_TRY(check_like(im, err));
  TH_TRY(refuse_other_options(im, err));
  TH_TRY(check_said(im, err));
  im->class = th_text_row_class_named(job->positive_class != NULL
                                          ? job->positive_class
                                          : im->like.origin.positive_class);
  TH_TRY(th_missing_read(&im->text.missing, missing_words(im), err));
  TH_TRY(check_missing(im, err));
  if (im->format->importer->size > 0)
    TH_TRY(
        th_alloc(&im->state, 1, im->format->importer->size, "the format", err));
  TH_TRY(take_indices(im, err));
  TH_TRY(im->format->importer->open(im, err));
  TH_TRY(check_class(im, err));
  if (im->like.names != NULL && im->names == NULL)
    im->names = (const char **)im->like.names;
done:
  return rc;
}

static void on_unpacking(void *self, int64_t bytes, int64_t all)
{
  struct th_importing *im = self;
  im->shown.unpacked = true;
  im->shown.file_bytes = all;
  th_import_tell(im, TH_IMPORT_UNPACKS, bytes, all);
}

/* The names of files, and what is named in them. */
static th_status name_files(struct th_importing *im, struct th_error *err)
{
  bool members = im->format != NULL && im->format->importer->members;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&im->text.path, im->files, "the list of files", err));
  TH_TRY(TH_NEW(&im->text.member, im->files, "the list of files", err));
  TH_TRY(TH_NEW(&im->text.source, im->files, "the list of files", err));
  for (int64_t k = 0; k < im->files; k++) {
    const char *name = im->share.inputs.name[k];
    size_t length = members ? th_vector_file(name) : strlen(name);
    TH_TRY(TH_NEW(&im->text.path[k], (int64_t)length + 1, "a name", err));
    memcpy(im->text.path[k], name, length);
    if (name[length] == ':')
      im->text.member[k] = name + length + 1;
    im->text.source[k] = im->share.inputs.path[k] != NULL
                             ? im->share.inputs.path[k]
                             : im->text.path[k];
  }
done:
  return rc;
}

/* Collective. */
static th_status open_inputs(struct th_importing *im, struct th_error *err)
{
  int threads = im->job->threads;
  struct th_text_look look = {
      .output = im->job->output,
      .text = im->format == NULL || !im->format->importer->binary,
      .archives = im->format != NULL && im->format->importer->members,
      .told = on_unpacking,
      .self = im,
      .reading = {.line = im->limits.line,
                  .threads = threads < 0 ? -threads : threads,
                  .memory = im->job->memory / 2}};
  th_status rc = name_files(im, err);
  look.source = im->text.source;
  rc = th_text_files_look(&im->texts, im->comm,
                          (const char *const *)im->text.path, &look, rc, err);
  im->file = im->texts.file;
  for (int64_t k = 0; rc == TH_OK && k < im->files; k++)
    im->text_bytes += im->file[k].size;
  return rc;
}

/* A line takes many times its length when it is read and parsed. rc: how this
 * rank's work has gone so far. Collective. */
static th_status limit_lines(struct th_importing *im, th_status rc,
                             struct th_error *err)
{
  int64_t least[2] = {-im->job->memory}; /* the smallest of all ranks */
  rc = th_comm_max_agree(im->comm, least, 1, rc, err);
  im->limits.memory = -least[0];
  im->limits.ranks = im->comm->size;
  int64_t most = im->limits.memory / MEMORY_SHARE;
  most = most > LEAST_LIMIT ? most : LEAST_LIMIT;
  im->limits.line =
      (struct th_line_limit){most, "allow longer lines with more {memory}"};
  if (im->job->max_line <= most)
    im->limits.line = (struct th_line_limit){
        im->job->max_line, "allow longer lines with {max-line}"};
  return rc;
}

/* What is in memory has a name among the inputs, as a file would. Local. */
static th_status list_given(struct th_importing *im, struct th_error *err)
{
  struct th_inputs *inputs = &im->share.inputs;
  th_status rc = TH_OK;
  TH_TRY(th_inputs_add_name(inputs, im->job->files.given->name, err));
  inputs->mains = 1;
  im->files = 1;
  TH_TRY(th_import_open_reserve_files(im, err));
  rc = th_text_files_reserve(&im->texts, im->files, err);
done:
  return rc;
}

/* Its rows are dealt to ranks as bytes of a file are. Local. */
static th_status open_given(struct th_importing *im, struct th_error *err)
{
  const struct th_given_matrix *given = im->job->files.given;
  th_status rc = name_files(im, err);
  th_text_files_stand_in(&im->texts, given->name, given->rows);
  im->file = im->texts.file;
  im->text_bytes = th_given_bytes(given);
  return rc;
}

th_status th_import_open(struct th_importing *im, th_status rc,
                         struct th_error *err)
{
  const bool given = im->job->files.given != NULL;
  TH_TRY(limit_lines(im, rc, err));
  if (given)
    rc = th_agree(im->comm, list_given(im, err), err);
  else
    rc = list_inputs(im, err);
  TH_TRY(rc);
  TH_TRY(take_like(im, err));
  TH_TRY(ask_format(im, err));
  if (given)
    rc = th_agree(im->comm, open_given(im, err), err);
  else
    rc = open_inputs(im, err);
  TH_TRY(rc);
  rc = th_text_files_share(&im->texts, im->comm, open_format(im, err), err);
  if (rc != TH_OK)
    rc = th_text_files_unchanged(&im->texts, im->comm, rc, err);
done:
  return rc;
}

void th_import_open_close(struct th_importing *im)
{
  th_import_parse_free_threads(im);
  if (im->names != (const char **)im->like.names)
    free(im->names);
  free_like(&im->like);
  free(im->groups.piece);
  if (im->state != NULL && im->format->importer->close != NULL)
    im->format->importer->close(im);
  free(im->state);
  th_text_lines_free(&im->lines);
  th_text_files_close(&im->texts);
  TH_FREE_LIST(im->text.path, im->files);
  TH_FREE(im->text.member, im->text.source);
  th_inputs_free(&im->share.inputs);
  TH_FREE(im->share.range, im->share.line, im->share.counted,
          im->share.weightless, im->examples);
  th_bucket_spill_free(im->bins.own);
  TH_FREE(im->own.target, im->own.weight, im->own.key, im->own.stored,
          im->own.number);
  TH_FREE(im->listed.target, im->listed.weight, im->listed.number,
          im->listed.place);
  th_text_ids_free(&im->own.ids);
  th_text_row_rounding_free(&im->rounding);
  th_lacking_free(&im->text.lacking);
  th_import_indices_free(&im->text.occur);
  th_missing_free(&im->text.missing);
  th_row_assignment_free(&im->assignment);
}

th_status th_import_open_reserve_files(struct th_importing *im,
                                       struct th_error *err)
{
  const char *what = "the list of files";
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&im->share.range, im->files, what, err));
  TH_TRY(TH_NEW(&im->share.line, im->files, what, err));
  TH_TRY(TH_NEW(&im->share.counted, im->files, what, err));
  TH_TRY(TH_NEW(&im->share.weightless, im->files, what, err));
  TH_TRY(TH_NEW(&im->examples, im->files, what, err));
done:
  return rc;
}
