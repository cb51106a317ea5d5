/* training.c - from a configuration and data to a model, step by step
 * SPDX-License-Identifier: MIT */
#include "api/training.h"

#include "api/match.h"
#include "api/solver_options.h"
#include "api/start.h"
#include "api/training_options.h"
#include "math/penalty.h"
#include "synthetic/synthetic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t th_training_stored(const struct th_config *config, int64_t memory)
{
  enum { SHARE = 4 };
  bool both = th_solver_find(config->solver)->by_examples;
  return both ? memory / SHARE + 1 : memory;
}

/* Defaults that the solver decides. */
static void choose_defaults(struct th_config *config, bool standardize_given)
{
  const struct th_solver_row *solver = th_solver_find(config->solver);
  bool in_one_unit = solver->selects || !solver->penalised;
  if (in_one_unit && !solver->as_they_are)
    return;
  config->standardize = config->standardize && standardize_given;
}

/* l1 takes the weights of groups only where they are asked for. */
static bool wants_groups(const struct th_config *config)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  return th_solver_find(config->solver)->penalised && penalty != NULL &&
         penalty->grouped;
}

/* Begin with the true attributes. Local, replicated. */
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
  config->start.support = truth->support;
  config->start.size = truth->support_size;
  return TH_OK;
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
    config->groups = training->groups.attributes > 0 ? &training->groups : NULL;
  }
  if (training->data->truth != NULL)
    config->greedy.known = th_synthetic_design(training->data->truth);
  if (config->greedy.oracle)
    TH_TRY(take_truth(training, config, err));
  if (config->start.text != NULL) {
    TH_TRY(th_start_model_read(&training->start, &training->start_coef, comm,
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
 * Local. */
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
  th_dataset_map(dataset, training->mapped);
  return th_dataset_read_ahead(dataset, threaded, err);
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
  choose_defaults(&config, training->standardize_given);
  config.row_cache_memory =
      training->memory - th_training_stored(&config, training->memory);
  TH_TRY(read_named(training, &config, comm, err));
  TH_TRY(th_train_choose_loss(&config, store, err));
  TH_TRY(th_train_plan(&config, &store->shape, comm->size,
                       th_store_most_owned(store, comm->size), &training->plan,
                       err));
  TH_TRY(th_agree(comm, read_ahead(training, threaded, err), err));
done:
  return rc;
}

void th_training_free(struct th_training *training)
{
  th_model_free(&training->model);
  th_model_free(&training->start);
  th_groups_free(&training->groups);
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
static th_status tell_start(const struct th_training *training,
                            struct th_model *model, struct th_error *err)
{
  if (training->config.start.text == NULL)
    return TH_OK;
  char *start = th_start_model_text(&training->start, training->start_coef);
  th_status rc = start == NULL
                     ? th_fail(err, TH_ENOMEM, "no memory for the deck")
                     : th_model_set(model, "start", start, err);
  free(start);
  return rc;
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
    if (!option->model || strcmp(option->name, "start") == 0 ||
        !th_solver_uses(used->solver, option->name))
      continue;
    th_option_get(option, used, text, sizeof text);
    TH_TRY(th_model_set(model, option->name, text, err));
  }
  TH_TRY(tell_start(training, model, err));
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
