/* data.c - data to train on or to predict: a data set's file, or computed ones
 * SPDX-License-Identifier: MIT */
#include "api/data.h"

#include "api/applied.h"
#include "api/handle.h"
#include "api/training.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/row_groups.h"
#include "io/import/text/groups_file.h"
#include "io/memory/own_attributes.h"
#include "ranks/team.h"
#include "synthetic/synthetic.h"

void thresher_data_close(struct thresher_data *data);

/* Take over the data set that was opened. */
static void take_dataset(struct th_data *data, const char *name)
{
  data->name = name;
  data->store = th_dataset_store(data->dataset);
  data->truth = th_dataset_truth(data->dataset);
}

th_status th_data_open(struct th_data *data, const char *path, int64_t memory,
                       struct th_comm *comm, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_dataset_open(&data->dataset, comm, path, memory, err));
  take_dataset(data, path);
done:
  return rc;
}

th_status th_data_compute(struct th_data *data, const struct th_shape *shape,
                          int64_t memory, struct th_error *err)
{
  struct th_row_groups row_groups; /* its limits are those of stored data */
  th_status rc;
  TH_TRY(th_row_groups_init(&row_groups, shape, err));
  TH_TRY(th_synthetic_store_create(&data->computed, &data->made, shape, memory,
                                   err));
  data->store = th_synthetic_store_of(data->computed);
  data->truth = &data->made;
done:
  return rc;
}

th_status th_data_need_targets(const struct th_data *data, const char *command,
                               const char *path, struct th_error *err)
{
  if (!data->store->shape.unlabelled)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s has no target, and %s needs one; import text with a "
                 "target, take targets from a table, or use predict",
                 path, command);
}

void th_data_close(struct th_data *data)
{
  if (data->covered != NULL)
    data->uncover(data->covered);
  if (data->dataset != NULL)
    th_dataset_close(data->dataset);
  th_synthetic_store_free(data->computed);
  th_synthetic_truth_free(&data->made);
  *data = (struct th_data){0};
}

int64_t th_data_attributes(const struct th_data *data)
{
  return data->dataset != NULL
             ? th_dataset_store(data->dataset)->shape.attributes
             : data->store->shape.attributes;
}

/* Groups of the data set become those of all attributes: each covariate is one
 * by itself, without a penalty. Collective. */
static th_status add_single_groups(const struct th_data *data,
                                   struct th_comm *comm,
                                   struct th_groups *groups,
                                   struct th_error *err)
{
  const int64_t d = groups->attributes;
  const int64_t all = data->store->shape.attributes;
  struct th_groups old = *groups;
  struct th_group_piece *piece = NULL;
  int64_t room = 0;
  int64_t count = 0;
  if (d == 0 || d == all)
    return TH_OK;
  th_status rc =
      th_groups_fetch(&old, comm, (struct th_range){0, comm->rank == 0 ? d : 0},
                      &piece, &count, err);
  if (rc != TH_OK)
    return rc;
  room = count;
  rc = TH_GROW(&piece, &room, count + all - d, "groups", err);
  for (int64_t a = d; rc == TH_OK && a < all; a++)
    piece[count++] = (struct th_group_piece){.range = {a, a + 1},
                                             .group = a,
                                             .size = 1,
                                             .weight = TH_GROUPS_UNPENALISED};
  *groups = (struct th_groups){0};
  rc = th_groups_share(groups, comm, all, piece, count, rc, err);
  th_groups_free(&old);
  free(piece);
  return rc;
}

/* Those of the data set. Collective. */
static th_status groups_of_data_set(struct th_data *data, const char *file,
                                    const char *output, struct th_comm *comm,
                                    struct th_groups *groups,
                                    struct th_error *err)
{
  uint64_t *index = NULL;
  th_status rc = TH_OK;
  *groups = (struct th_groups){0};
  if (file != NULL) {
    if (comm->rank == 0 && data->dataset != NULL)
      rc = th_dataset_indices(data->dataset, &index, err);
    rc = th_agree(comm, rc, err);
    if (rc == TH_OK)
      rc = th_groups_file_read(groups, comm, file, output,
                               th_data_attributes(data), index, err);
    free(index);
    return rc;
  }
  return data->dataset != NULL
             ? th_dataset_groups(data->dataset, comm, groups, err)
             : TH_OK;
}

th_status th_data_groups(struct th_data *data, const char *file,
                         const char *output, struct th_comm *comm,
                         struct th_groups *groups, struct th_error *err)
{
  th_status rc = groups_of_data_set(data, file, output, comm, groups, err);
  return rc == TH_OK ? add_single_groups(data, comm, groups, err) : rc;
}

th_status th_data_row_numbers(struct th_data *data, struct th_rows rows,
                              int64_t *numbers, struct th_error *err)
{
  if (data->dataset != NULL)
    return th_dataset_row_numbers(data->dataset, rows, numbers, err);
  int64_t (*number)(const struct th_store *, int64_t) =
      data->store->ops->number;
  for (int64_t i = 0; i < rows.count; i++)
    numbers[i] =
        number != NULL ? number(data->store, rows.first + i) : rows.first + i;
  return TH_OK;
}

th_status th_data_unchanged(struct th_data *data, struct th_error *err)
{
  return data->dataset != NULL ? th_dataset_unchanged(data->dataset, err)
                               : TH_OK;
}

/* --- The examples of a split, row group by row group ---------------------- */

th_status th_data_split_rows(const struct th_shape *shape, int split,
                             struct th_rows *rows, struct th_error *err)
{
  int64_t test = th_store_shape_tests(shape);
  if (split == TH_SPLIT_AUTO)
    split = test > 0 ? TH_SPLIT_TEST : TH_SPLIT_ALL;
  *rows = (struct th_rows){0, shape->examples};
  if (split == TH_SPLIT_TEST)
    *rows = (struct th_rows){shape->training, test};
  else if (split == TH_SPLIT_TRAIN)
    rows->count = shape->training;
  if (rows->count > 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{split} %s: the data set has no such examples; use {split} "
                 "all",
                 split == TH_SPLIT_TEST ? "test" : "train");
}

/* --- Data of thresher.h: a data set's file, or the caller's --------------- */

enum { SHARE = 5 }; /* one in so many bytes of a rank's share are for values */

/* Make an empty record. Collective. */
static th_status create(struct thresher_data **data, struct thresher_team *team,
                        int64_t memory, struct th_error *err)
{
  int64_t share = 0;
  th_status rc = TH_NEW(data, 1, "data", err);
  TH_TRY(th_agree(&team->comm, rc, err));
  (*data)->comm = &team->comm;
  (*data)->threaded = team->threaded;
  share = th_team_memory_share(&team->comm);
  (*data)->memory = memory > 0 ? memory : share / SHARE;
done:
  return rc;
}

/* Clear what is to be made, and look for a team, whose ranks can agree. Local.
 */
static th_status begin(const char *call, struct thresher_data **data,
                       const struct thresher_team *team, struct th_error *err)
{
  th_error_clear(err);
  if (data != NULL)
    *data = NULL;
  return th_handle_given(
      call, (const struct th_handle_argument[]){{team, "team"}, {NULL, NULL}},
      err);
}

/* Local. */
static th_status check_memory(const char *call, int64_t memory,
                              struct th_error *err)
{
  if (memory >= 0)
    return TH_OK;
  return th_fail(err, TH_EARG,
                 "%s: memory is %lld; give a number of bytes, or 0 for a share "
                 "of the machine's",
                 call, (long long)memory);
}

/* What is behind a function that makes data. */
static enum thresher_status finish(struct thresher_data **data, th_status rc,
                                   const struct th_error *err,
                                   struct thresher_error *error)
{
  if (rc != TH_OK && data != NULL) {
    thresher_data_close(*data);
    *data = NULL;
  }
  return th_handle_status(rc, err, error);
}

enum thresher_status thresher_data_open(struct thresher_data **data,
                                        struct thresher_team *team,
                                        const char *path, int64_t memory,
                                        struct thresher_error *error)
{
  struct th_comm *comm;
  struct th_error err;
  th_status rc;
  TH_TRY(begin(__func__, data, team, &err));
  comm = &team->comm;
  rc = TH_HANDLE_GIVEN(&err, {data, "data"}, {path, "path"});
  if (rc == TH_OK)
    rc = check_memory(__func__, memory, &err);
  TH_TRY(th_agree(comm, rc, &err));
  TH_TRY(create(data, team, memory, &err));
  (*data)->path = th_model_copy_string(path);
  if ((*data)->path == NULL)
    rc = th_fail(&err, TH_ENOMEM, "no memory for a name");
  TH_TRY(th_agree(comm, rc, &err));
  TH_TRY(
      th_data_open(&(*data)->data, (*data)->path, (*data)->memory, comm, &err));
  TH_TRY(th_store_place((*data)->data.store, comm, &err));
done:
  return finish(data, rc, &err, error);
}

/* --- Data in memory ------------------------------------------------------- */

static const char in_memory[] = "the data in memory"; /* in messages */

static const enum th_type stored[] = {[THRESHER_AS_F32] = TH_F32,
                                      [THRESHER_AS_F64] = TH_F64,
                                      [THRESHER_AS_U8] = TH_U8,
                                      [THRESHER_AS_I8] = TH_I8};

/* What is said beside a matrix; its rows and columns are known. Local. */
static th_status take_beside(const char *call, struct th_given_matrix *given,
                             const struct thresher_beside *beside,
                             struct th_error *err)
{
  if (beside == NULL)
    return TH_OK;
  if ((int)beside->storage < 0 || beside->storage > THRESHER_AS_I8)
    return th_fail(err, TH_EARG, "%s: storage is %d, and must be 0 to %d", call,
                   (int)beside->storage, THRESHER_AS_I8);
  if (!(beside->test >= 0 && beside->test < 1))
    return th_fail(err, TH_EARG,
                   "%s: test is %g, and must be at least 0 and below 1", call,
                   beside->test);
  if (beside->own != 0 && given->sparse)
    return th_fail(err, TH_EARG,
                   "%s: own: sparse data are handed in whole, by all ranks",
                   call);
  given->target = beside->targets;
  given->weight = beside->weights;
  given->names = beside->names;
  given->ids = beside->ids;
  return TH_OK;
}

/* What must be alike on all ranks. */
static uint64_t hash_given(const struct th_given_matrix *given,
                           const struct thresher_beside *beside)
{
  const struct thresher_beside none = {0};
  const struct thresher_beside *b = beside != NULL ? beside : &none;
  const int64_t words[] = {b->own != 0,
                           given->rows,
                           b->own != 0 ? 0 : given->columns,
                           given->sparse,
                           given->by_columns,
                           given->entries,
                           (int64_t)given->values.element,
                           given->target != NULL,
                           given->weight != NULL,
                           given->names != NULL,
                           given->ids != NULL,
                           (int64_t)b->storage,
                           b->in_order};
  uint64_t hash = th_integer_hash(TH_FNV_BASIS, &b->test, sizeof b->test);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    hash = th_integer_hash(hash, &words[k], sizeof words[k]);
  return hash;
}

/* Store what is given, and open it. Collective. */
static th_status open_stored(struct thresher_data *data,
                             struct thresher_team *team,
                             const struct th_given_matrix *given,
                             const struct thresher_beside *beside,
                             struct th_error *err)
{
  struct th_comm *comm = &team->comm;
  const bool usual = beside == NULL || beside->storage == THRESHER_AS_USUAL;
  const bool own = beside != NULL && beside->own != 0 && comm->size > 1;
  struct th_own_attributes joined = {0};
  struct th_in_memory_job job = {
      .given = given,
      .type = usual ? -1 : (int)stored[beside->storage],
      .test_fraction = beside != NULL ? beside->test : 0,
      .in_order = beside != NULL && beside->in_order,
      .seed = th_config_default().seed,
      .memory = data->memory,
      .threads = team->threaded ? th_team_core_share(comm) : 1};
  th_status rc;
  TH_TRY(th_handle_alike(comm, hash_given(given, beside), "data", err));
  if (own) {
    TH_TRY(th_own_attributes_join(&joined, given, comm, err));
    job.given = &joined.given;
    job.threads = 1; /* a rank reads the rows that it has */
  }
  TH_TRY(th_in_memory_store(&data->kept, &job, comm, err));
  TH_TRY(th_in_memory_open(&data->kept, in_memory, data->memory, comm,
                           &data->data.dataset, err));
  take_dataset(&data->data, in_memory);
  rc = th_store_place(data->data.store, comm, err);
done:
  th_own_attributes_free(&joined);
  return rc;
}

/* Behind both kinds of matrices; rc: how this rank's look at its own has gone.
 * Collective. */
static th_status from_memory(struct thresher_data **data,
                             struct thresher_team *team,
                             const struct th_given_matrix *given,
                             const struct thresher_beside *beside,
                             int64_t memory, th_status rc, struct th_error *err)
{
  TH_TRY(th_agree(&team->comm, rc, err));
  TH_TRY(create(data, team, memory, err));
  rc = open_stored(*data, team, given, beside, err);
done:
  return rc;
}

enum thresher_status thresher_data_from_dense(
    struct thresher_data **data, struct thresher_team *team,
    const struct thresher_dense *values, const struct thresher_beside *beside,
    int64_t memory, struct thresher_error *error)
{
  struct th_given_matrix given = {.name = in_memory};
  struct th_error err;
  th_status rc;
  TH_TRY(begin(__func__, data, team, &err));
  rc = TH_HANDLE_GIVEN(&err, {data, "data"}, {values, "values"});
  if (rc == TH_OK)
    rc = check_memory(__func__, memory, &err);
  if (rc == TH_OK)
    rc = th_applied_dense(__func__, values, &given, &err);
  if (rc == TH_OK)
    rc = take_beside(__func__, &given, beside, &err);
  rc = from_memory(data, team, &given, beside, memory, rc, &err);
done:
  return finish(data, rc, &err, error);
}

enum thresher_status thresher_data_from_sparse(
    struct thresher_data **data, struct thresher_team *team,
    const struct thresher_sparse *values, const struct thresher_beside *beside,
    int64_t memory, struct thresher_error *error)
{
  struct th_given_matrix given = {.name = in_memory};
  struct th_error err;
  th_status rc;
  TH_TRY(begin(__func__, data, team, &err));
  rc = TH_HANDLE_GIVEN(&err, {data, "data"}, {values, "values"});
  if (rc == TH_OK)
    rc = check_memory(__func__, memory, &err);
  if (rc == TH_OK)
    rc = th_applied_sparse(__func__, values, &given, &err);
  if (rc == TH_OK)
    rc = take_beside(__func__, &given, beside, &err);
  rc = from_memory(data, team, &given, beside, memory, rc, &err);
done:
  return finish(data, rc, &err, error);
}

enum thresher_status thresher_data_from(struct thresher_data **data,
                                        struct thresher_team *team,
                                        const struct thresher_source *source,
                                        struct thresher_error *error)
{
  struct th_comm *comm;
  struct th_error err;
  th_status rc;
  TH_TRY(begin(__func__, data, team, &err));
  comm = &team->comm;
  rc = TH_HANDLE_GIVEN(&err, {data, "data"}, {source, "source"});
  TH_TRY(th_agree(comm, rc, &err));
  TH_TRY(create(data, team, 0, &err));
  rc = th_callback_store_create(&(*data)->called, source, &err);
  TH_TRY(th_agree(comm, rc, &err));
  (*data)->data.name = "the caller's data";
  (*data)->data.store = th_callback_store_of((*data)->called);
  TH_TRY(th_handle_alike(comm, (*data)->data.store->fingerprint, "data", &err));
  TH_TRY(th_store_place((*data)->data.store, comm, &err));
done:
  return finish(data, rc, &err, error);
}

void thresher_data_close(struct thresher_data *data)
{
  if (data == NULL)
    return;
  th_data_close(&data->data);
  th_callback_store_free(data->called);
  if (data->kept.begun) /* until nobody reads the files any more */
    data->comm->ops->barrier(data->comm);
  th_in_memory_remove(&data->kept);
  TH_FREE(data->path, data);
}

int64_t thresher_data_examples(const struct thresher_data *data)
{
  return data != NULL ? data->data.store->shape.examples : 0;
}

int64_t thresher_data_training(const struct thresher_data *data)
{
  return data != NULL ? data->data.store->shape.training : 0;
}

int64_t thresher_data_attributes(const struct thresher_data *data)
{
  return data != NULL ? data->data.store->shape.attributes : 0;
}

int64_t thresher_data_count(const struct thresher_data *data,
                            enum thresher_examples which)
{
  struct th_error err;
  struct th_rows rows = {0, 0};
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {data, "data"}));
  TH_TRY(th_handle_which(__func__, which, &err));
  TH_TRY(th_data_split_rows(&data->data.store->shape, (int)which, &rows, &err));
done:
  return rc == TH_OK ? rows.count : 0;
}
