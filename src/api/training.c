/* training.c - from a configuration and data to a model, step by step
 * SPDX-License-Identifier: MIT */
#include "api/training.h"
#include "solvers/driver/run.h"

#include "api/attribute_list.h"
#include "api/covered.h"
#include "api/data.h"
#include "api/handle.h"
#include "api/match.h"
#include "api/training_options.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "data/source.h"
#include "io/model/model_file.h"
#include "math/penalty.h"
#include "model/model.h"
#include "ranks/comm.h"
#include "ranks/partition.h"
#include "ranks/team.h"
#include "synthetic/synthetic.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- The support that training begins with -------------------------------- */

/* Collective: rank 0 decides. */
static bool is_file(const char *text, struct th_comm *comm)
{
  int64_t there = comm->rank == 0 && access(text, F_OK) == 0;
  comm->ops->max_i64(comm, &there, 1);
  return there != 0;
}

/* Collective. */
static th_status read_list(struct th_model *start, bool *with_coef,
                           struct th_comm *comm, const char *text,
                           struct th_data *data, struct th_error *err)
{
  struct th_attribute_list list = {.option = "{start}", .coefficients = true};
  th_status rc = th_attribute_list_read(&list, text, data, comm, err);
  if (rc == TH_OK)
    rc = th_agree(comm, th_model_reserve(start, list.count, err), err);
  for (int64_t k = 0; k < list.count && rc == TH_OK; k++) {
    start->support[k] = list.item[k].attribute;
    start->coef[k] = list.item[k].coef;
  }
  *with_coef = list.has_coef;
  th_attribute_list_free(&list);
  return rc;
}

/* Read the option {start} into a model record's support and coefficients: a
 * model file, or a list such as 3,17,20 or 3:0.5,17:-2, with names in place of
 * numbers where the data have names and no file is called so; where names are
 * indices, numbers are these. *with_coef:
 * coefficients were given. Collective. TH_EUSAGE for a malformed list, an
 * attribute that the data do not have, or a model for other attributes;
 * failures of th_match. Release with th_model_free. */
static th_status start_model_read(struct th_model *start, bool *with_coef,
                                  struct th_comm *comm, const char *text,
                                  struct th_data *data, struct th_error *err)
{
  int64_t attributes = data->store->shape.attributes;
  *with_coef = false;
  bool numbers = th_attribute_list_numbers(text);
  bool named = th_match_named(data) || th_match_indexed(data);
  if (numbers || (named && !is_file(text, comm)))
    return read_list(start, with_coef, comm, text, data, err);
  th_status rc = th_model_file_read(start, comm, text, err);
  if (rc == TH_OK)
    rc = th_match(start, data, TH_MATCH_SUPPORT, text, comm, err);
  if (rc != TH_OK)
    return rc;
  if (start->attributes != attributes)
    return th_fail(err, TH_EUSAGE,
                   "{start} %s: the model is for %" PRId64
                   " attributes, the data have %" PRId64,
                   text, start->attributes, attributes);
  *with_coef = true;
  return TH_OK;
}

/* The model that a run starts from, as a list for the deck inside a model, by
 * names if they are given; owned by the caller, NULL when out of memory. Local.
 */
static char *start_model_text(const struct th_model *start, bool with_coef,
                              char *const *name)
{
  enum { ITEM = 64 };
  size_t size = (size_t)start->support_size * ITEM + 1;
  char *text = calloc(size, 1);
  size_t used = 0;
  for (int64_t k = 0; text != NULL && k < start->support_size; k++) {
    const char *comma = k == 0 ? "" : ",";
    used +=
        (size_t)(name != NULL ? snprintf(text + used, size - used, "%s%s",
                                         comma, name[k])
                              : snprintf(text + used, size - used, "%s%" PRId64,
                                         comma, start->support[k]));
    if (with_coef)
      used +=
          (size_t)snprintf(text + used, size - used, ":%.17g", start->coef[k]);
  }
  return text;
}

/* --- The steps of training ------------------------------------------------ */

int64_t th_training_stored(const struct th_config *config, int64_t memory)
{
  enum { SHARE = 4 };
  bool both = th_solver_find(config->solver)->by_examples;
  return both ? memory / SHARE + 1 : memory;
}

/* l1 takes the weights of groups only where they are asked for. */
static bool wants_groups(const struct th_config *config)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  return th_solver_find(config->solver)->penalised && penalty != NULL &&
         penalty->grouped;
}

/* Begin with the true attributes, or choose among them. Local, replicated. */
static th_status take_truth(const struct th_training *training,
                            struct th_config *config, struct th_error *err)
{
  const struct th_ground_truth *truth = training->data->truth;
  if (config->start.text != NULL)
    return th_fail(err, TH_EUSAGE,
                   "{oracle} and {start} exclude each other; give one of them");
  if (truth == NULL || truth->family[0] == '\0')
    return th_fail(err, TH_EUSAGE,
                   "{oracle} takes the true attributes of generated data, and "
                   "those of %s are not known",
                   training->data->name);
  if (config->greedy.oracle == TH_ORACLE_OMP) {
    config->greedy.among = truth->support;
    config->greedy.among_size = truth->support_size;
  } else {
    config->start.support = truth->support;
    config->start.size = truth->support_size;
  }
  return TH_OK;
}

/* Two ascending lists as one. Local. */
static void join_exempt(const struct th_attribute_list *list,
                        const int64_t *other, int64_t others, int64_t *to,
                        int64_t *count)
{
  int64_t a = 0;
  int64_t b = 0;
  while (a < list->count || b < others) {
    bool first =
        b == others || (a < list->count && list->item[a].attribute <= other[b]);
    int64_t next = first ? list->item[a].attribute : other[b];
    b += b < others && other[b] == next;
    a += first;
    to[(*count)++] = next;
  }
}

/* Covariates are among the others that have no penalty. Local, replicated. */
static th_status exempt_covariates(const struct th_training *training,
                                   int64_t **other, int64_t *others,
                                   struct th_error *err)
{
  const int64_t d = th_data_attributes(training->data);
  const int64_t all = training->data->store->shape.attributes;
  int64_t room = *others;
  int64_t count = th_search_i64(*other, 0, *others, d);
  if (d == all)
    return TH_OK;
  if (!th_training_options_solver_uses(training->config.solver, "unpenalised"))
    return th_fail(err, TH_EUSAGE,
                   "solver %s has no attributes without a penalty, as "
                   "covariates are: %s; leave {covariates} out, or use another "
                   "solver, such as lasso, hybrid or omp",
                   training->config.solver,
                   th_solver_find(training->config.solver)->why_all);
  th_status rc = TH_GROW(other, &room, count + all - d, "{unpenalised}", err);
  for (int64_t a = d; rc == TH_OK && a < all; a++)
    (*other)[count++] = a;
  *others = count;
  return rc;
}

/* The attributes without a penalty: those of the list, of groups of weight 0,
 * and covariates. Collective. */
static th_status read_exempt(struct th_training *training,
                             struct th_config *config, struct th_comm *comm,
                             struct th_error *err)
{
  struct th_attribute_list list = {.option = "{unpenalised}"};
  struct th_config_exempt *exempt = &config->group.exempt;
  int64_t *weightless = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (exempt->text != NULL)
    TH_TRY(
        th_attribute_list_read(&list, exempt->text, training->data, comm, err));
  if (config->group.all != NULL)
    TH_TRY(th_groups_unpenalised(config->group.all, comm, &weightless, &count,
                                 err));
  TH_TRY(th_agree(comm, exempt_covariates(training, &weightless, &count, err),
                  err));
  rc = TH_NEW(&training->exempt, list.count + count, "{unpenalised}", err);
  TH_TRY(th_agree(comm, rc, err));
  join_exempt(&list, weightless, count, training->exempt, &exempt->count);
  exempt->attribute = training->exempt;
  if (exempt->count >= training->data->store->shape.attributes)
    rc = th_fail(err, TH_EUSAGE,
                 "{unpenalised}: no attribute is left that has a penalty; "
                 "leave some out");
done:
  th_attribute_list_free(&list);
  free(weightless);
  return rc;
}

/* The factors of a list as pieces of all attributes: those between its members
 * have none. Local: rank 0. */
static th_status form_pieces(const struct th_attribute_list *list,
                             int64_t attributes, struct th_group_piece **piece,
                             int64_t *count, struct th_error *err)
{
  int64_t from = 0;
  th_status rc = TH_NEW(piece, 2 * list->count + 1, "{penalty-weights}", err);
  for (int64_t k = 0; k <= list->count && rc == TH_OK; k++) {
    bool ends = k == list->count;
    int64_t to = ends ? attributes : list->item[k].attribute;
    if (to > from)
      (*piece)[(*count)++] = (struct th_group_piece){
          .range = {from, to}, .group = from, .size = to - from};
    if (!ends)
      (*piece)[(*count)++] = (struct th_group_piece){
          .range = {to, to + 1},
          .group = to,
          .size = 1,
          .weight = list->item[k].coef > 0 ? list->item[k].coef
                                           : TH_GROUPS_UNPENALISED};
    from = to + 1;
  }
  return rc;
}

/* Covariates have no penalty that a factor could change. Local, replicated. */
static th_status refuse_covariates(const struct th_attribute_list *list,
                                   const struct th_data *data,
                                   struct th_error *err)
{
  const int64_t d = th_data_attributes(data);
  int64_t last = list->count - 1;
  if (last < 0 || list->item[last].attribute < d)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s: attribute %" PRId64 " is a covariate, and these have no "
                 "penalty; leave it out",
                 list->option, list->item[last].attribute);
}

/* Factors of attributes are groups with weights, one for each. Collective. */
static th_status read_factors(struct th_training *training, const char *name,
                              struct th_comm *comm, struct th_error *err)
{
  struct th_attribute_list list = {.option = "{penalty-weights}"};
  struct th_attribute_file file = {.name = name,
                                   .output = training->output,
                                   .most = DBL_MAX,
                                   .expected = "a factor, 0 or above"};
  const int64_t attributes = training->data->store->shape.attributes;
  struct th_group_piece *piece = NULL;
  int64_t count = 0;
  th_status rc;
  TH_TRY(th_attribute_list_file(&list, &file, training->data, comm, err));
  rc = refuse_covariates(&list, training->data, err);
  if (rc == TH_OK && comm->rank == 0)
    rc = form_pieces(&list, attributes, &piece, &count, err);
  TH_TRY(th_groups_share(&training->groups, comm, attributes, piece, count, rc,
                         err));
done:
  th_attribute_list_free(&list);
  free(piece);
  return rc;
}

/* An attribute without a penalty has no bounds. Local, replicated. */
static th_status refuse_bounded(const struct th_config_bound *bound,
                                const struct th_config_exempt *exempt,
                                struct th_error *err)
{
  for (int64_t k = 0; k < bound->count; k++) {
    int64_t at =
        th_search_i64(exempt->attribute, 0, exempt->count, bound->attribute[k]);
    if (at < exempt->count && exempt->attribute[at] == bound->attribute[k])
      return th_fail(err, TH_EUSAGE,
                     "attribute %" PRId64 " has no penalty, and so no bounds; "
                     "leave it out of {lower} and {upper}, or give it a small "
                     "factor in {penalty-weights}",
                     bound->attribute[k]);
  }
  return TH_OK;
}

/* Examples that stay together in folds. Collective. */
static th_status read_together(struct th_training *training,
                               struct th_config_choice *choice,
                               struct th_comm *comm, struct th_error *err)
{
  const struct th_fold_column column = {.text = choice->together.text,
                                        .targets = training->targets,
                                        .ids = training->ids,
                                        .output = training->output,
                                        .folds = choice->folds};
  if (column.text == NULL)
    return TH_OK;
  th_status rc = th_fold_groups_read(&training->together, training->data,
                                     &column, comm, err);
  th_fold_groups_give(&training->together, choice);
  return rc;
}

/* Read what options name. Collective. */
static th_status read_named(struct th_training *training,
                            struct th_config *config, struct th_comm *comm,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  if (config->group.file != NULL || wants_groups(config)) {
    TH_TRY(th_data_groups(training->data, config->group.file, training->output,
                          comm, &training->groups, err));
    config->group.all =
        training->groups.attributes > 0 ? &training->groups : NULL;
  }
  if (config->group.weights != NULL) {
    TH_TRY(read_factors(training, config->group.weights, comm, err));
    config->group.all = &training->groups;
  }
  TH_TRY(read_exempt(training, config, comm, err));
  TH_TRY(th_bounds_read(&training->bounds, &config->group, training->output,
                        training->data, comm, err));
  TH_TRY(read_together(training, &config->choice, comm, err));
  TH_TRY(refuse_bounded(&config->group.lower, &config->group.exempt, err));
  TH_TRY(refuse_bounded(&config->group.upper, &config->group.exempt, err));
  if (training->data->truth != NULL)
    config->greedy.known = th_synthetic_design(training->data->truth);
  if (config->greedy.oracle != TH_ORACLE_NO)
    TH_TRY(take_truth(training, config, err));
  if (config->start.text != NULL) {
    TH_TRY(start_model_read(&training->start, &training->start_coef, comm,
                            config->start.text, training->data, err));
    config->start.support = training->start.support;
    config->start.coef = training->start_coef ? training->start.coef : NULL;
    config->start.size = training->start.support_size;
  }
done:
  return rc;
}

/* Local, replicated. */
static th_status need_examples(const struct th_data *data, struct th_error *err)
{
  enum { FEWEST = 2 };
  int64_t training = data->store->shape.training;
  if (training >= FEWEST)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s has %lld training example%s, and train needs at least %d; "
                 "give it more, or set fewer apart with {test}",
                 data->name, (long long)training, training == 1 ? "" : "s",
                 FEWEST);
}

/* One pass over row groups that are dealt as wholes comes back to nothing.
 * Single examples are looked up in sparse data that are kept row by row. Local.
 */
static th_status read_ahead(struct th_training *training, bool threaded,
                            struct th_error *err)
{
  const struct th_plan *plan = &training->plan;
  struct th_dataset *dataset = training->data->dataset;
  if (dataset == NULL)
    return TH_OK;
  if (plan->config.passes == 1 && plan->points == 0 &&
      plan->deal_unit >= training->data->store->shape.row_group)
    th_dataset_keep_little(dataset);
  if (plan->touched > 0)
    th_dataset_read_whole(dataset, th_plan_reads_whole(plan));
  if (plan->deal_unit == 1 && 2 * plan->stored <= training->memory)
    th_dataset_by_row(dataset);
  th_dataset_map(dataset, training->mapped);
  return th_dataset_read_ahead(dataset, threaded, err);
}

/* Data that do not fit in memory are read again and again. Of single attributes
 * these are runs of a row group: how long it would have to be for runs of 64
 * KiB, as far as examples are dealt in units as large; 0: longer ones are of no
 * use. Local. */
static int64_t longer_row_group(const struct th_training *training,
                                const struct th_shape *shape)
{
  enum { LONG = 1 << 16, LARGEST = 1 << 20 };
  const struct th_plan *plan = &training->plan;
  const bool by_blocks = !plan->solver->penalised && !plan->solver->selects;
  int64_t most =
      th_partition_deal_unit_size(LARGEST, shape->training, plan->blocks);
  int64_t size = plan->deal_unit;
  if (!by_blocks || shape->layout != TH_DENSE || shape->computed ||
      plan->stored <= training->memory || 2 * size <= shape->row_group)
    return 0; /* or the examples are too few for larger units */
  while (2 * size <= most && th_type_bytes(shape->type, size) < LONG)
    size *= 2;
  return size > shape->row_group ? size : 0;
}

th_status th_training_plan(struct th_training *training, struct th_comm *comm,
                           bool threaded, struct th_error *err)
{
  const struct th_data *data = training->data;
  struct th_store *store = data->store;
  struct th_config config = training->config;
  th_status rc;
  TH_TRY(th_data_need_targets(data, "train", data->name, err));
  TH_TRY(need_examples(data, err));
  config.row_cache_memory =
      training->memory - th_training_stored(&config, training->memory);
  TH_TRY(read_named(training, &config, comm, err));
  TH_TRY(th_run_choose_loss(&config, store, err));
  struct th_plan_size size = th_plan_size_of(store, comm->size);
  size.together = th_team_together(comm, &size.room);
  size.memory = th_team_memory_share(comm) * size.together;
  TH_TRY(th_train_plan(&config, size, &training->plan, err));
  if (training->together.first != NULL)
    training->plan.memory += th_fold_groups_bytes(data->store->shape.training);
  training->plan.memory =
      th_max_i64(training->plan.memory + data->joins.kept, data->joins.most);
  training->plan.row_group = longer_row_group(training, &store->shape);
  TH_TRY(th_agree(comm, read_ahead(training, threaded, err), err));
done:
  return rc;
}

void th_training_free(struct th_training *training)
{
  th_model_free(&training->model);
  th_model_free(&training->start);
  th_groups_free(&training->groups);
  th_bounds_free(&training->bounds);
  th_fold_groups_free(&training->together);
  free(training->exempt);
}

/* Collective: plans of ranks may differ in what they need. */
th_status th_training_check_memory(const struct th_training *training,
                                   struct th_comm *comm, int64_t share,
                                   struct th_error *err)
{
  const struct th_plan *plan = &training->plan;
  int64_t most = plan->memory;
  comm->ops->max_i64(comm, &most, 1);
  if (most <= share)
    return TH_OK;
  if (plan->pairs > share)
    return th_fail(err, TH_ENOMEM,
                   "solver %s keeps a number for each pair of attributes, %lld "
                   "bytes on %d rank%s together, and there are %.2f GB for "
                   "each rank; use more machines, or another solver",
                   plan->config.solver, (long long)plan->pairs, comm->size,
                   comm->size == 1 ? "" : "s", (double)share / 1e9);
  return th_fail(err, TH_ENOMEM,
                 "this run needs %.2f GB on each of %d ranks, and there are "
                 "%.2f GB for each; use more machines%s",
                 (double)most / 1e9, comm->size, (double)share / 1e9,
                 th_solver_find(plan->config.solver)->penalised
                     ? ""
                     : " or a smaller {budget}");
}

/* Groups may be many: a model names them by their fingerprint. */
static th_status name_groups(struct th_training *training, struct th_error *err)
{
  char text[32];
  if (training->groups.attributes == 0)
    return TH_OK;
  snprintf(text, sizeof text, "%016" PRIx64, training->groups.fingerprint);
  training->model.groups = training->groups; /* which is not wanted any more */
  training->groups = (struct th_groups){0};
  return th_model_set(&training->model, "groups", text, err);
}

/* The support that training began with, whatever it was read from. Local. */
static th_status put_start(const struct th_training *training,
                           struct th_model *model, struct th_error *err)
{
  const struct th_model *from = &training->start;
  int64_t size = from->support_size;
  char *start = NULL;
  char **name = NULL;
  th_status rc = TH_OK;
  if (training->config.start.text == NULL)
    return TH_OK;
  if (th_match_indexed(training->data)) {
    TH_TRY(TH_NEW(&name, size, "names", err));
    TH_TRY(th_covered_names_of(training->data, from->support, size, name, err));
  }
  start = start_model_text(from, training->start_coef, name);
  rc = start == NULL ? th_fail(err, TH_ENOMEM, "no memory for the deck")
                     : th_model_set(model, "start", start, err);
done:
  free(start);
  TH_FREE_LIST(name, size);
  return rc;
}

/* The attributes without a penalty, by their numbers. Local. */
static th_status put_exempt(const struct th_config *used,
                            struct th_model *model, struct th_error *err)
{
  enum { ITEM = 24 };
  const struct th_config_exempt *exempt = &used->group.exempt;
  char *text = NULL;
  int64_t at = 0;
  if (exempt->count == 0)
    return TH_OK;
  th_status rc = TH_NEW(&text, exempt->count * ITEM, "{unpenalised}", err);
  for (int64_t k = 0; k < exempt->count && rc == TH_OK; k++)
    at += snprintf(text + at, ITEM, "%s%" PRId64, k == 0 ? "" : ",",
                   exempt->attribute[k]);
  if (rc == TH_OK)
    rc = th_model_set(model, "unpenalised", text, err);
  free(text);
  return rc;
}

/* Lists of attributes are put as what they name, and only where there are
 * some. How to choose is put where there is a path. */
static bool is_left_out(const struct th_option *option,
                        const struct th_config *used)
{
  bool choice =
      strcmp(option->name, "folds") == 0 || strcmp(option->name, "choose") == 0;
  return strcmp(option->name, "start") == 0 ||
         strcmp(option->name, "unpenalised") == 0 ||
         strcmp(option->name, "folds-by") == 0 ||
         strcmp(option->name, "positive") == 0 ||
         strcmp(option->name, "lower") == 0 ||
         strcmp(option->name, "upper") == 0 || (choice && used->path == 0);
}

th_status th_training_deck(const struct th_training *training,
                           struct th_model *model, struct th_error *err)
{
  const struct th_config *used = &training->plan.config;
  char text[TH_SOURCE_TEXT];
  th_status rc = TH_OK;
  if (training->data->source[0] != '\0')
    TH_TRY(th_model_set(model, "source", training->data->source, err));
  for (int k = 0; k < th_training_options_count(); k++) {
    const struct th_option *option = th_training_options_row(k);
    if (!option->model || is_left_out(option, used) ||
        !th_training_options_solver_uses(used->solver, option->name))
      continue;
    th_option_get(option, used, text, sizeof text);
    TH_TRY(th_model_set(model, option->name, text, err));
  }
  TH_TRY(put_start(training, model, err));
  TH_TRY(put_exempt(used, model, err));
  TH_TRY(th_fold_groups_put(&training->together, model, err));
  TH_TRY(th_bounds_put(&used->group, model, err));
done:
  return rc;
}

/* The deck as it was used. Where the run was stopped, that is its number of
 * examples. Local. */
static th_status fill_deck(struct th_training *training, struct th_error *err)
{
  if (training->model.stopped)
    training->plan.config.greedy.max_examples =
        training->model.selected.examples;
  return th_training_deck(training, &training->model, err);
}

static th_status finish_local(struct th_training *training,
                              struct th_error *err)
{
  th_status rc;
  TH_TRY(th_data_unchanged(training->data, err));
  TH_TRY(fill_deck(training, err));
  TH_TRY(name_groups(training, err));
done:
  return rc;
}

th_status th_training_finish(struct th_training *training, struct th_comm *comm,
                             struct th_error *err)
{
  th_status rc = th_agree(comm, finish_local(training, err), err);
  return rc == TH_OK
             ? th_match_label(&training->model, training->data, comm, err)
             : rc;
}

/* --- Training of thresher.h ----------------------------------------------- */

/* Who follows a run. */
struct following {
  struct thresher_listener listener;
  double asked; /* when it was asked last whether to stop, by th_comm_clock */
  bool stopped; /* it has said so */
};

static void listener_progress(void *self, const struct th_progress *progress)
{
  const struct thresher_listener *listener =
      &((struct following *)self)->listener;
  if (listener->progress == NULL)
    return;
  struct thresher_progress told = {.done = progress->done,
                                   .updates = progress->updates,
                                   .examples = progress->examples,
                                   .observed = progress->attributes_observed,
                                   .support_size = progress->support_size,
                                   .loss = progress->loss};
  listener->progress(listener->self, &told);
}

static void listener_notice(void *self, const char *text)
{
  const struct thresher_listener *listener =
      &((struct following *)self)->listener;
  char line[TH_ERROR_TEXT];
  if (listener->notice == NULL)
    return;
  snprintf(line, sizeof line, "%s", text);
  th_error_one_line(line);
  th_error_name_options(line, false);
  listener->notice(listener->self, line);
}

/* Asked before every read; a caller may take its time. */
static bool listener_stops(void *self)
{
  const double pause = 0.05; /* seconds */
  struct following *following = self;
  double now = th_comm_clock();
  if (following->stopped || following->listener.stop == NULL ||
      now - following->asked < pause)
    return following->stopped;
  following->asked = now;
  following->stopped = following->listener.stop(following->listener.self) != 0;
  return following->stopped;
}

static enum th_wish listener_wish(void *self, bool over)
{
  (void)over;
  return listener_stops(self) ? TH_STOP : TH_GO_ON;
}

/* It is asked where any rank has someone to ask. Collective. */
static void ask_listeners(struct th_monitor *monitor, struct th_comm *comm,
                          const struct following *following)
{
  int64_t any = following->listener.stop != NULL;
  comm->ops->max_i64(comm, &any, 1);
  if (any == 0)
    return;
  monitor->wish = listener_wish;
  monitor->leaves = listener_stops;
}

/* What was learnt until a listener has stopped the run is no model. Local,
 * replicated. */
static th_status check_stopped(const struct th_training *training, th_status rc,
                               struct th_error *err)
{
  if (rc == TH_ESTOPPED)
    th_error_clear(err);
  else if (rc != TH_OK || !training->model.stopped)
    return rc;
  return th_fail(err, TH_ESTOPPED, "the run was stopped, and has no model");
}

static uint64_t hash_of(const struct thresher_config *config)
{
  uint64_t hash = TH_FNV_BASIS;
  for (int k = 0; k < th_training_options_count(); k++) {
    char text[1024] = "";
    th_option_get(th_training_options_row(k), &config->config, text,
                  sizeof text);
    hash = th_integer_hash(hash, text, strlen(text) + 1);
    hash = th_integer_hash(hash, &config->given[k], 1);
  }
  return hash;
}

/* Collective. */
static th_status run(struct th_training *training, struct th_comm *comm,
                     const struct thresher_listener *listener, bool threaded,
                     struct th_error *err)
{
  struct following following = {0};
  struct th_monitor monitor = {.progress = listener_progress,
                               .notice = listener_notice,
                               .self = &following};
  struct th_profile profile = {.comm = comm};
  int64_t share = 0;
  th_status rc;
  if (listener != NULL)
    following.listener = *listener;
  ask_listeners(&monitor, comm, &following);
  TH_TRY(th_training_plan(training, comm, threaded, err));
  share = th_team_memory_share(comm);
  TH_TRY(th_training_check_memory(training, comm, share, err));
  rc = th_train(&training->plan, training->data->store, comm, &monitor,
                &profile, &training->model, err);
  TH_TRY(check_stopped(training, rc, err));
  TH_TRY(th_training_finish(training, comm, err));
  if (comm->size > 1) /* names, which rank 0 alone has */
    TH_TRY(th_model_file_share(&training->model, comm, err));
done:
  return rc;
}

enum thresher_status thresher_train(struct thresher_model **model,
                                    const struct thresher_config *config,
                                    struct thresher_data *data,
                                    const struct thresher_listener *listener,
                                    struct thresher_error *error)
{
  struct thresher_model *fresh = NULL;
  struct th_training training = {0};
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {data, "data"}));
  rc = TH_HANDLE_GIVEN(&err, {model, "model"}, {config, "config"});
  if (rc == TH_OK)
    rc = TH_NEW(&fresh, 1, "a model", &err);
  TH_TRY(th_agree(data->comm, rc, &err));
  training.config = config->config;
  training.data = &data->data;
  training.memory = data->memory;
  if (data->kept.begun) /* files that are ours alone */
    training.mapped = TH_MAPPED_RESIDENT;
  TH_TRY(th_handle_alike(data->comm, hash_of(config), "options", &err));
  TH_TRY(th_training_options_check(&config->config, config->given, &err));
  TH_TRY(run(&training, data->comm, listener, data->threaded, &err));
  fresh->model = training.model;
  training.model = (struct th_model){0};
done:
  th_training_free(&training);
  if (rc != TH_OK) {
    free(fresh);
    fresh = NULL;
  }
  if (model != NULL)
    *model = fresh;
  return th_handle_status(rc, &err, error);
}
