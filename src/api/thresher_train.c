/* thresher_train.c - training of thresher.h
 * SPDX-License-Identifier: MIT */
#include "api/config_check.h"
#include "api/handle.h"
#include "api/memory_share.h"
#include "api/training.h"
#include "core/integer.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_progress(void *self, const struct th_progress *progress)
{
  const struct thresher_listener *listener = self;
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

static void on_notice(void *self, const char *text)
{
  const struct thresher_listener *listener = self;
  char line[TH_ERROR_TEXT];
  if (listener->notice == NULL)
    return;
  snprintf(line, sizeof line, "%s", text);
  th_error_one_line(line);
  th_error_name_options(line, false);
  listener->notice(listener->self, line);
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
  struct thresher_listener mine = {0};
  struct th_monitor monitor = {
      .progress = on_progress, .notice = on_notice, .self = &mine};
  struct th_profile profile = {.comm = comm};
  int64_t share = 0;
  th_status rc;
  if (listener != NULL)
    mine = *listener;
  TH_TRY(th_training_plan(training, comm, threaded, err));
  TH_TRY(th_memory_share(comm, &share, err));
  TH_TRY(th_training_check_memory(training, comm, share, err));
  TH_TRY(th_train(&training->plan, training->data->store, comm, &monitor,
                  &profile, &training->model, err));
  TH_TRY(th_training_finish(training, comm, err));
done:
  return rc;
}

enum thresher_status thresher_train(struct thresher_model **model,
                                    const struct thresher_config *config,
                                    struct thresher_data *data,
                                    const struct thresher_listener *listener,
                                    struct thresher_error *error)
{
  int row = th_training_options_find("standardize");
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
  training.standardize_given = config->given[row] != 0;
  training.data = &data->data;
  training.memory = data->memory;
  TH_TRY(th_handle_alike(data->comm, hash_of(config), "options", &err));
  TH_TRY(th_config_check(&config->config, config->given, &err));
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
  return th_handle_tell(rc, &err, error);
}
