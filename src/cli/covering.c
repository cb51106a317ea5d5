/* covering.c - covariates as commands have them: a table beside the data
 * SPDX-License-Identifier: MIT */
#include "cli/covering.h"

#include "api/covered.h"
#include "ranks/team.h"

/* The first model that has covariates; -1: none has. */
static int64_t covered_model(const struct th_model_list *models)
{
  for (int64_t k = 0; models != NULL && k < models->count; k++)
    if (models->model[k].covariates.count > 0)
      return k;
  return -1;
}

/* Local, replicated. */
static th_status check_covering(const struct th_options *options,
                                const char *command,
                                const struct th_model_list *models,
                                struct th_error *err)
{
  int64_t model = covered_model(models);
  bool given = options->text.covariates != NULL;
  if (models == NULL || given == (model >= 0))
    return TH_OK;
  if (given)
    return th_fail(err, TH_EUSAGE,
                   "%s: %s has no covariates, and --covariates would count for "
                   "nothing; leave it out",
                   command, models->path[0]);
  const struct th_covariates *c = &models->model[model].covariates;
  return th_fail(err, TH_EUSAGE,
                 "%s: model %s has covariates (%.60s%s%.60s%s); give a table "
                 "with them by --covariates TABLE",
                 command, models->path[model], c->name[0],
                 c->count > 1 ? ", " : "", c->count > 1 ? c->name[1] : "",
                 c->count > 2 ? ", .." : "");
}

th_status th_covering_open(struct th_data *data,
                           const struct th_options *options,
                           const char *command,
                           const struct th_model_list *models,
                           struct th_comm *comm, struct th_error *err)
{
  enum { LEVELS = 100 };
  const struct th_options_text *text = &options->text;
  th_status rc;
  TH_TRY(check_covering(options, command, models, err));
  if (text->covariates == NULL)
    return TH_OK;
  int64_t share = th_team_memory_share(comm);
  int cores = th_team_core_share(comm);
  data->room = th_options_memory_to_keep(options, share);
  const struct th_covering how = {
      .table = text->covariates,
      .targets = text->targets,
      .target = text->every_target != NULL ? text->every_target : text->target,
      .weights = text->weights_column,
      .ids = text->ids,
      .missing = text->missing,
      .folder = options->cache,
      .output = options->output,
      .job = {.layout = -1,
              .type = -1,
              .table = {.levels = LEVELS},
              .pairs = {.zero_based = TH_FACT_UNKNOWN,
                        .labels = TH_LABELS_AUTO},
              .order = {.seed = th_config_default().seed},
              .max_line = text->max_line,
              .memory = data->room,
              .threads = cores},
      .model = models != NULL ? models->model : NULL,
      .path = models != NULL ? models->path : NULL,
      .models = models != NULL ? models->count : 0};
  rc = th_covered_open(data, &how, comm, err);
done:
  return rc;
}
