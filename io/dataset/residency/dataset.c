/* dataset.c - opens and closes a data set, and answers questions about it as a
 * whole
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/dataset.h"

#include "base/memory.h"
#include "io/dataset/attributes.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/held.h"
#include "io/dataset/residency/dataset_store.h"
#include "io/dataset/residency/held_store.h"
#include "io/dataset/shard_read.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "ranks/partition.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* --- Attributes by name ----------------------------------------------------
 */

th_status th_dataset_names(struct th_dataset *dataset, char ***names,
                           struct th_error *err)
{
  const struct th_h5 *master = &dataset->examples.h5;
  *names = NULL;
  if (!th_h5_set_exists(master, TH_D_NAMES))
    return TH_OK;
  return th_attribute_names_get(master, dataset->store.shape.attributes, names,
                                err);
}

th_status th_dataset_indices(struct th_dataset *dataset, uint64_t **index,
                             struct th_error *err)
{
  return th_attribute_indices_get(&dataset->examples.h5,
                                  dataset->store.shape.attributes, index, err);
}

th_status th_dataset_variants(struct th_dataset *dataset,
                              struct th_variants *variants,
                              struct th_error *err)
{
  return th_variants_get(&dataset->examples.h5, dataset->store.shape.attributes,
                         variants, err);
}

th_status th_dataset_lacking(struct th_dataset *dataset,
                             unsigned char **lacking, struct th_error *err)
{
  const struct th_h5 *h5 = &dataset->examples.h5;
  int64_t attributes = dataset->store.shape.attributes;
  th_status rc = TH_OK;
  *lacking = NULL;
  if (!th_h5_set_exists(h5, TH_D_LACKING))
    return TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_LACKING, attributes, err));
  TH_TRY(TH_NEW(lacking, attributes, "missing values", err));
  rc = th_h5_set_get(h5, TH_D_LACKING, H5T_NATIVE_UINT8, attributes, *lacking,
                     err);
done:
  return rc;
}

struct th_name_print th_dataset_name_print(const struct th_dataset *dataset)
{
  return dataset->info.names;
}

th_status th_dataset_names_of(struct th_dataset *dataset,
                              const int64_t *attribute, int64_t count,
                              char **name, struct th_error *err)
{
  struct th_names names = {0};
  th_status rc = TH_OK;
  TH_TRY(th_attribute_names_open(&names, &dataset->examples.h5,
                                 dataset->store.shape.attributes, err));
  for (int64_t k = 0; k < count; k++) {
    const char *at = th_attribute_names_at(&names, attribute[k], err);
    if (at == NULL) {
      rc = err->code;
      goto done;
    }
    TH_TRY(TH_NEW(&name[k], (int64_t)names.width + 1, "names", err));
    memcpy(name[k], at, names.width);
  }
done:
  th_attribute_names_close(&names);
  return rc;
}

/* A hash table of the wanted names: open addressing, at most half full. */
struct table {
  uint64_t mask;
  int64_t *entry; /* index of a name + 1; 0: free */
  char *const *name;
};

/* The entry of a name, or the free entry for it. */
static int64_t *name_entry(const struct table *table, const char *name,
                           size_t length)
{
  uint64_t at = th_hash(name, length) & table->mask;
  for (; table->entry[at] != 0; at = (at + 1) & table->mask) {
    const char *other = table->name[table->entry[at] - 1];
    if (strncmp(other, name, length) == 0 && other[length] == '\0')
      break;
  }
  return &table->entry[at];
}

/* Fill the table. The first of equal names has the entry. */
static th_status fill_table(struct table *table, char *const *name,
                            int64_t count, struct th_error *err)
{
  int64_t size = 2;
  while (size < 2 * count)
    size *= 2;
  table->mask = (uint64_t)size - 1;
  table->name = name;
  th_status rc = TH_NEW(&table->entry, size, "a table of names", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++) {
    int64_t *entry = name_entry(table, name[k], strlen(name[k]));
    if (*entry == 0)
      *entry = k + 1;
  }
  return rc;
}

static void note_place(const struct table *table, const char *name,
                       size_t length, int64_t attribute, int64_t *place)
{
  int64_t k = *name_entry(table, name, length) - 1;
  if (k >= 0)
    place[k] = place[k] == TH_NAME_ABSENT ? attribute : TH_NAME_TWICE;
}

th_status th_dataset_names_find(struct th_dataset *dataset, char *const *name,
                                int64_t count, int64_t *attribute,
                                struct th_error *err)
{
  struct th_names names = {0};
  struct table table = {0};
  th_status rc = TH_OK;
  TH_TRY(fill_table(&table, name, count, err));
  TH_TRY(th_attribute_names_open(&names, &dataset->examples.h5,
                                 dataset->store.shape.attributes, err));
  for (int64_t k = 0; k < count; k++)
    attribute[k] = TH_NAME_ABSENT;
  for (int64_t a = 0; a < names.count; a++) {
    const char *at = th_attribute_names_at(&names, a, err);
    if (at == NULL) {
      rc = err->code;
      goto done;
    }
    note_place(&table, at, strnlen(at, names.width), a, attribute);
  }
  for (int64_t k = 0; k < count; k++)
    if (*name_entry(&table, name[k], strlen(name[k])) != k + 1)
      attribute[k] = TH_NAME_TWICE;
done:
  th_attribute_names_close(&names);
  free(table.entry);
  return rc;
}

/* --- A data set, from opening to closing ---------------------------------- */

enum {
  MOST_WINDOW = 64 << 20, /* bytes that are read ahead */
  WINDOW_SHARE = 4,       /* largest part of the memory */
  LITTLE = 96 << 20       /* bytes for values that are hardly used again */
};

static th_status name_shards(struct th_dataset *d, struct th_error *err)
{
  char *folder = NULL;
  th_status rc = TH_OK;
  /* shards lie beside the master itself, not beside a link to it */
  char *master = realpath(d->path, NULL);
  TH_TRY(th_file_folder(master != NULL ? master : d->path, &folder, err));
  TH_TRY(
      TH_NEW(&d->residency.shard, d->info.shards, "the list of shards", err));
  for (int64_t k = 0; k < d->info.shards; k++) {
    struct th_shard *shard = &d->residency.shard[k];
    shard->row_groups = &d->info.row_groups;
    shard->row = &d->info.shard[k];
    shard->master = d->path;
    shard->index = k;
    shard->shards = d->info.shards;
    TH_TRY(th_file_text(&shard->path, err, "%s%s", folder, shard->row->path));
    TH_TRY(th_file_text(&shard->name, err, "shard %s", shard->row->path));
  }
done:
  TH_FREE(folder, master);
  return rc;
}

static th_status fill_store(struct th_dataset *d, const char *path,
                            int64_t memory, struct th_error *err)
{
  d->store.ops = d->held != NULL ? &th_held_store_ops : &th_dataset_store_ops;
  d->store.shape = d->info.row_groups.shape;
  d->store.fingerprint = d->info.fingerprint;
  d->store.shards = d->info.shards;
  d->store.twins = &d->info.twins;
  d->residency.info = &d->info;
  d->residency.store = &d->store;
  d->residency.memory = memory;
  d->residency.whole = true;
  d->residency.missed = (struct th_missed){.run = -1, .elsewhere = -1};
  return th_file_text(&d->path, err, "%s", path);
}

static th_status open_files(struct th_dataset *d, struct th_error *err)
{
  th_status rc = TH_OK;
  th_file_raise_limit(RLIMIT_NOFILE);
  if (!th_file_identity_of(d->path, &d->identity)) {
    rc = th_fail(
        err, TH_EIO,
        "cannot open %s on this rank's host; let all ranks see the same files",
        d->path);
    goto done;
  }
  TH_TRY(name_shards(d, err));
  TH_TRY(
      th_examples_open(&d->examples, d->path, NULL, &d->info, &d->store, err));
done:
  return rc;
}

static th_status open_held(struct th_dataset *d, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(name_shards(d, err));
  TH_TRY(th_examples_open(&d->examples, d->path, d->held->master, &d->info,
                          &d->store, err));
done:
  return rc;
}

/* On rank 0. */
static th_status read_info(const struct th_held *held, const char *path,
                           struct th_master_info *info, struct th_error *err)
{
  return held != NULL ? th_master_read_image(held->master, path, info, err)
                      : th_master_read(path, info, err);
}

/* held: that is NULL for files. Collective. */
static th_status open_any(struct th_dataset **dataset, struct th_comm *comm,
                          const struct th_held *held, const char *path,
                          int64_t memory, struct th_error *err)
{
  struct th_master_info info = {0};
  struct th_dataset *d = NULL;
  th_status rc = comm->rank == 0 ? read_info(held, path, &info, err) : TH_OK;
  rc = th_master_share(&info, comm, rc, err);
  if (rc == TH_OK)
    rc = TH_NEW(&d, 1, "the data set", err);
  if (rc == TH_OK) {
    d->info = info;
    info = (struct th_master_info){0};
    d->held = held;
    d->residency.ranks = comm->size;
    d->residency.rank = comm->rank;
    rc = fill_store(d, path, memory, err);
  }
  if (rc == TH_OK)
    rc = held != NULL ? open_held(d, err) : open_files(d, err);
  TH_TRY(th_agree(comm, rc, err));
  if (memory > 0)
    TH_TRY(th_examples_keep(&d->examples, memory, comm, err));
  *dataset = d;
  d = NULL;
done:
  th_master_info_free(&info);
  th_dataset_close(d);
  return rc;
}

th_status th_dataset_open(struct th_dataset **dataset, struct th_comm *comm,
                          const char *path, int64_t memory,
                          struct th_error *err)
{
  return open_any(dataset, comm, NULL, path, memory, err);
}

th_status th_dataset_open_held(struct th_dataset **dataset,
                               struct th_comm *comm, const struct th_held *held,
                               const char *name, int64_t memory,
                               struct th_error *err)
{
  return open_any(dataset, comm, held, name, memory, err);
}

void th_dataset_close(struct th_dataset *dataset)
{
  if (dataset == NULL)
    return;
  /* first, since its thread uses the others */
  th_prefetch_free(&dataset->prefetch);
  for (int64_t k = 0;
       dataset->residency.shard != NULL && k < dataset->info.shards; k++) {
    th_shard_close(&dataset->residency.shard[k]);
    TH_FREE(dataset->residency.shard[k].path, dataset->residency.shard[k].name);
  }
  th_examples_close(&dataset->examples);
  th_cache_free(&dataset->residency.blocks);
  th_cache_free(&dataset->residency.runs);
  free(dataset->residency.near.values);
  th_master_info_free(&dataset->info);
  th_partition_placement_free(&dataset->store.placement);
  TH_FREE(dataset->residency.shard, dataset->path, dataset);
}

void th_dataset_keep_little(struct th_dataset *dataset)
{
  dataset->residency.once = dataset->residency.memory >= LITTLE;
  if (dataset->residency.once)
    dataset->residency.memory = LITTLE;
  dataset->residency.whole = !dataset->residency.once;
}

void th_dataset_read_whole(struct th_dataset *dataset, bool whole)
{
  dataset->residency.whole = whole;
}

void th_dataset_by_row(struct th_dataset *dataset)
{
  dataset->residency.by_row = dataset->store.shape.layout == TH_SPARSE;
}

th_status th_dataset_read_ahead(struct th_dataset *dataset, bool threaded,
                                struct th_error *err)
{
  int64_t window = dataset->residency.memory / WINDOW_SHARE;
  if (dataset->store.shape.layout == TH_SPARSE || dataset->held != NULL)
    return TH_OK;
  return th_prefetch_begin(&dataset->prefetch,
                           window < MOST_WINDOW ? window : MOST_WINDOW,
                           threaded, err);
}

void th_dataset_map(struct th_dataset *dataset, enum th_mapped mapped)
{
  dataset->residency.mapped = mapped;
}

void th_dataset_drop(struct th_dataset *dataset)
{
  th_prefetch_forget(&dataset->prefetch, &dataset->residency);
  th_residency_drop(&dataset->residency);
}

struct th_store *th_dataset_store(struct th_dataset *dataset)
{
  return &dataset->store;
}

int64_t th_dataset_shards(const struct th_dataset *dataset)
{
  return dataset->info.shards;
}

int64_t th_dataset_bytes(const struct th_dataset *dataset)
{
  int64_t bytes = dataset->info.master_bytes;
  for (int64_t k = 0; k < dataset->info.shards; k++)
    bytes += dataset->info.shard[k].bytes;
  return bytes;
}

const struct th_ground_truth *th_dataset_truth(const struct th_dataset *dataset)
{
  return &dataset->info.truth;
}

const char *th_dataset_provenance(const struct th_dataset *dataset)
{
  return dataset->info.provenance;
}

const struct th_origin *th_dataset_origin(const struct th_dataset *dataset)
{
  return &dataset->info.origin;
}

th_status th_dataset_groups(struct th_dataset *dataset, struct th_comm *comm,
                            struct th_groups *groups, struct th_error *err)
{
  int64_t attributes = dataset->store.shape.attributes;
  struct th_group_piece *piece = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  *groups = (struct th_groups){0};
  if (comm->rank == 0)
    rc = th_attribute_groups_get(&dataset->examples.h5, attributes, &piece,
                                 &count, err);
  int64_t present = rc != TH_OK || count > 0;
  comm->ops->max_i64(comm, &present, 1);
  if (present)
    rc = th_groups_share(groups, comm, attributes, piece, count, rc, err);
  free(piece);
  return rc;
}

th_status th_dataset_row_numbers(struct th_dataset *dataset,
                                 struct th_rows rows, int64_t *numbers,
                                 struct th_error *err)
{
  return th_examples_row_numbers(&dataset->examples, rows, numbers, err);
}

/* The open shard of an attribute. */
static th_status open_around(struct th_dataset *d, int64_t attribute,
                             struct th_shard **shard, struct th_error *err)
{
  double began = th_comm_clock();
  *shard = th_residency_shard(&d->residency, attribute);
  th_status rc = th_shard_open(*shard, err);
  th_residency_count(&d->residency, *shard, began);
  return rc;
}

th_status th_dataset_missing(struct th_dataset *dataset, struct th_range range,
                             int64_t *missing, struct th_error *err)
{
  struct th_shard *shard = NULL;
  th_status rc = TH_OK;
  memset(missing, 0, (size_t)th_range_count(range) * sizeof *missing);
  if (dataset->store.shape.missing == 0)
    return TH_OK;
  for (int64_t a = range.first; a < range.last;) {
    TH_TRY(open_around(dataset, a, &shard, err));
    struct th_range part =
        th_range_intersect((struct th_range){a, range.last}, shard->row->range);
    if (shard->stand_in.missing != NULL)
      memcpy(missing + (a - range.first),
             shard->stand_in.missing + (a - shard->row->range.first),
             (size_t)th_range_count(part) * sizeof *missing);
    a = part.last;
  }
done:
  return rc;
}

th_status th_dataset_stand_in(struct th_dataset *dataset,
                              const int64_t *attribute, const double *mean,
                              int64_t count, struct th_error *err)
{
  struct th_residency *r = &dataset->residency;
  struct th_shard *shard = NULL;
  th_status rc = TH_OK;
  if (dataset->store.shape.missing == 0)
    return TH_OK;
  th_dataset_drop(dataset);
  for (int64_t k = 0; k < dataset->info.shards; k++)
    th_stand_in_restore(&r->shard[k].stand_in,
                        th_range_count(r->shard[k].row->range));
  for (int64_t k = 0; k < count; k++) {
    TH_TRY(open_around(dataset, attribute[k], &shard, err));
    TH_TRY(th_stand_in_replace(
        &shard->stand_in, th_range_count(shard->row->range),
        attribute[k] - shard->row->range.first,
        th_stand_in_round(dataset->store.shape.type, mean[k]), err));
  }
done:
  return rc;
}

bool th_dataset_has_ids(const struct th_dataset *dataset)
{
  return th_h5_set_exists(&dataset->examples.h5, TH_D_IDS);
}

size_t th_dataset_ids_width(const struct th_dataset *dataset)
{
  return th_h5_set_text_width(&dataset->examples.h5, TH_D_IDS);
}

th_status th_dataset_ids(struct th_dataset *dataset, struct th_rows rows,
                         struct th_ids *ids, struct th_error *err)
{
  struct th_names names = {0};
  th_status rc = TH_OK;
  *ids = (struct th_ids){0};
  TH_TRY(th_attribute_texts_open(&names, &th_attribute_ids,
                                 &dataset->examples.h5,
                                 dataset->store.shape.examples, err));
  TH_TRY(th_alloc((void **)&ids->text, rows.count, names.width,
                  "IDs of examples", err));
  ids->width = names.width;
  for (int64_t k = 0; k < rows.count; k++) {
    const char *at = th_attribute_names_at(&names, rows.first + k, err);
    if (at == NULL) {
      rc = err->code;
      break;
    }
    memcpy(ids->text + (size_t)k * ids->width, at, ids->width);
  }
done:
  th_attribute_names_close(&names);
  return rc;
}

static void forget_target(struct th_origin *origin)
{
  TH_FREE(origin->target_name, origin->positive_class, origin->label,
          origin->missing.targets);
  TH_FREE_LIST(origin->class_name, origin->classes);
  origin->target_name = NULL;
  origin->positive_class = NULL;
  origin->missing.targets = NULL;
  origin->class_name = NULL;
  origin->classes = 0;
  origin->label = NULL;
  origin->labels = 0;
  origin->whole_targets = TH_FACT_UNKNOWN;
}

/* What is known of the old targets no longer holds. The place of their column
 * stays, as it counts among those of the text. Local. */
static th_status rename_target(struct th_origin *origin,
                               const struct th_relabelling *labels,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  forget_target(origin);
  TH_TRY(th_file_text(&origin->target_name, err, "%s", labels->name));
  if (labels->missing != NULL)
    TH_TRY(th_file_text(&origin->missing.targets, err, "%s", labels->missing));
  if (labels->positive[0] == '\0')
    return rc;
  TH_TRY(th_file_text(&origin->positive_class, err, "%s", labels->positive));
  if (labels->others > 0)
    TH_TRY(TH_NEW(&origin->class_name, labels->others, "classes", err));
  origin->classes = labels->others;
  for (int64_t k = 0; k < labels->others; k++)
    TH_TRY(th_file_text(&origin->class_name[k], err, "%s", labels->other[k]));
done:
  return rc;
}

th_status th_dataset_relabel(struct th_dataset *dataset, struct th_comm *comm,
                             const struct th_relabelling *labels,
                             struct th_error *err)
{
  struct th_examples *e = &dataset->examples;
  struct th_store *store = &dataset->store;
  const int64_t n = store->shape.examples;
  const size_t bytes = (size_t)n * sizeof(double);
  uint64_t print[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(
      th_agree(comm, rename_target(&dataset->info.origin, labels, err), err));
  th_comm_shared_free(&e->kept);
  e->kept_target = NULL;
  e->kept_weight = NULL;
  TH_TRY(th_comm_share(comm, 2 * bytes, "targets", &e->kept, err));
  double *values = e->kept.data;
  TH_TRY(th_comm_shared_spread(comm, &e->kept, 0, labels->target, bytes, err));
  TH_TRY(
      th_comm_shared_spread(comm, &e->kept, bytes, labels->weight, bytes, err));
  th_comm_shared_show(&e->kept);
  if (comm->rank == 0) {
    print[0] = th_hash(labels->target, bytes);
    print[1] = labels->weighted ? th_hash(labels->weight, bytes) : 0;
  }
  comm->ops->bcast(comm, print, sizeof print, 0);
  e->kept_target = values;
  e->kept_weight = values + n;
  store->shape.unlabelled = false;
  store->shape.weighted = labels->weighted;
  store->shape.weighted_statistics = false;
  store->statistics = "import"; /* of all training examples, which is known */
  store->twins = NULL;
  store->fingerprint = th_fingerprint_next(
      store->fingerprint, th_fingerprint_next(print[0], print[1]));
done:
  return rc;
}

static th_status check_shards(struct th_dataset *d, const struct th_comm *comm,
                              struct th_shard_sum *sum, struct th_error *err)
{
  for (int64_t k = comm->rank; k < d->info.shards; k += comm->size) {
    struct th_shard_sum one;
    double began = th_comm_clock();
    th_status rc = th_shard_read_all(&d->residency.shard[k], &one, err);
    th_residency_count(&d->residency, &d->residency.shard[k], began);
    if (rc != TH_OK)
      return rc;
    sum->content += one.content;
    sum->nonzeros += one.nonzeros;
    sum->missing += one.missing;
  }
  return TH_OK;
}

/* Check the master as a whole. Local: rank 0. */
static th_status check_sums(struct th_dataset *d,
                            const struct th_shard_sum *sum,
                            struct th_error *err)
{
  struct th_print print = {.content = sum->content};
  th_status rc = th_examples_check(&d->examples, &print, err);
  if (rc != TH_OK)
    return rc;
  if (th_fingerprint(&d->store.shape, &print) != d->store.fingerprint)
    return TH_IMPORT_AGAIN(
        err,
        "%s: the content does not have the fingerprint it was written with",
        d->path);
  if (sum->nonzeros != d->store.shape.nonzeros)
    return TH_IMPORT_AGAIN(
        err, "%s: %lld values are not zero, and not %lld as it says", d->path,
        (long long)sum->nonzeros, (long long)d->store.shape.nonzeros);
  if (sum->missing != d->store.shape.missing)
    return TH_IMPORT_AGAIN(
        err, "%s: %lld values are missing, and not %lld as it says", d->path,
        (long long)sum->missing, (long long)d->store.shape.missing);
  return TH_OK;
}

th_status th_dataset_check(struct th_dataset *dataset, struct th_comm *comm,
                           struct th_error *err)
{
  struct th_shard_sum sum = {0};
  th_status rc = TH_OK;
  TH_TRY(th_agree(comm, check_shards(dataset, comm, &sum, err), err));
  int64_t sums[3] = {(int64_t)sum.content, sum.nonzeros, sum.missing};
  comm->ops->sum_i64(comm, sums, 3);
  sum = (struct th_shard_sum){(uint64_t)sums[0], sums[1], sums[2]};
  rc = comm->rank == 0 ? check_sums(dataset, &sum, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

bool th_dataset_holds(const struct th_dataset *dataset, const char *path)
{
  for (int64_t k = 0; k < dataset->info.shards; k++)
    if (th_output_path_beside(path, dataset->residency.shard[k].path))
      return true;
  return false;
}

static th_status replaced(const char *name, struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "%s was replaced while it was in use; start again", name);
}

/* What has been verified is not looked at again where it is used in place. So
 * not even its time may have been put back. Local. */
static th_status shard_unchanged(const struct th_shard *shard,
                                 struct th_error *err)
{
  struct th_identity now;
  if (!shard->open)
    return TH_OK;
  if (!th_file_identity_of(shard->path, &now) ||
      !th_file_identity_same(&now, &shard->identity))
    return replaced(shard->name, err);
  if (shard->mapping != NULL &&
      !th_file_identity_untouched(&now, &shard->identity))
    return th_fail(err, TH_EIO,
                   "%s was touched while it was used in place; start again, or "
                   "give {no-map}",
                   shard->name);
  return TH_OK;
}

th_status th_dataset_unchanged(struct th_dataset *dataset, struct th_error *err)
{
  struct th_identity now;
  th_status rc = TH_OK;
  if (dataset->held != NULL)
    return rc;
  TH_TRY(th_residency_check(&dataset->residency, err));
  if (!th_file_identity_of(dataset->path, &now) ||
      !th_file_identity_same(&now, &dataset->identity))
    return replaced(dataset->path, err);
  for (int64_t k = 0; k < dataset->info.shards; k++)
    TH_TRY(shard_unchanged(&dataset->residency.shard[k], err));
done:
  return rc;
}
