/* thresher_config.c - configurations of thresher.h
 * SPDX-License-Identifier: MIT */
#include "api/handle.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum thresher_status thresher_config_create(struct thresher_config **config,
                                            struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {config, "config"}));
  *config = NULL;
  TH_TRY(TH_NEW(config, 1, "a configuration", &err));
  (*config)->config = th_config_default();
done:
  return th_handle_tell(rc, &err, error);
}

void thresher_config_free(struct thresher_config *config)
{
  if (config == NULL)
    return;
  for (int k = 0; k < TH_TRAINING_OPTIONS_MOST; k++)
    free(config->text[k]);
  free(config);
}

static th_status find(const char *name, int *row, struct th_error *err)
{
  *row = th_training_options_find(name);
  if (*row >= 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE, "%s is not an option of training", name);
}

/* A text outlives the caller's. */
static th_status set(struct thresher_config *config, const char *name,
                     const char *value, struct th_error *err)
{
  char *copy = NULL;
  char where[64];
  int row;
  th_status rc;
  TH_TRY(find(name, &row, err));
  copy = th_model_copy_string(value);
  if (copy == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for an option");
  snprintf(where, sizeof where, "{%s}", name);
  TH_TRY(th_option_put(th_training_options_row(row), &config->config, copy,
                       where, err));
  free(config->text[row]);
  config->text[row] = copy;
  config->given[row] = TH_GIVEN_ON_LINE;
  copy = NULL;
done:
  free(copy);
  return rc;
}

enum thresher_status thresher_config_set(struct thresher_config *config,
                                         const char *name, const char *value,
                                         struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {config, "config"}, {name, "name"},
                         {value, "value"}));
  TH_TRY(set(config, name, value, &err));
done:
  return th_handle_tell(rc, &err, error);
}

static th_status get(const struct thresher_config *config, const char *name,
                     char *text, size_t size, struct th_error *err)
{
  char value[1024];
  int row;
  th_status rc = find(name, &row, err);
  if (rc != TH_OK)
    return rc;
  th_option_get(th_training_options_row(row), &config->config, value,
                sizeof value);
  if (strlen(value) >= size)
    return th_fail(err, TH_EARG, "{%s}: its value needs room for %zu bytes",
                   name, strlen(value) + 1);
  memcpy(text, value, strlen(value) + 1);
  return TH_OK;
}

enum thresher_status thresher_config_get(const struct thresher_config *config,
                                         const char *name, char *text,
                                         size_t size,
                                         struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {config, "config"}, {name, "name"},
                         {text, "text"}));
  TH_TRY(get(config, name, text, size, &err));
done:
  return th_handle_tell(rc, &err, error);
}

const char *thresher_config_name(int k)
{
  bool there = k >= 0 && k < th_training_options_count();
  return there ? th_training_options_row(k)->name : NULL;
}

const char *thresher_config_help(int k, char *text, size_t size)
{
  if (thresher_config_name(k) == NULL || text == NULL || size == 0)
    return NULL;
  snprintf(text, size, "%s", th_training_options_row(k)->help);
  th_error_name_options(text, false);
  return text;
}
