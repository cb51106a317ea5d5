/* model_list.c - the models of a command, between commas
 * SPDX-License-Identifier: MIT */
#include "cli/shared/model_list.h"

#include "base/memory.h"
#include "cli/shared/input.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "io/model/model_file.h"

#include <string.h>

/* As rank 0 sees it. Collective. */
static bool is_one_file(const char *path, struct th_comm *comm)
{
  struct th_identity file;
  bool is = comm->rank == 0 && th_file_identity_of(path, &file);
  comm->ops->bcast(comm, &is, sizeof is, 0);
  return is;
}

/* Local, replicated. */
static th_status cut_names(struct th_model_list *list, const char *argument,
                           bool whole, struct th_error *err)
{
  int64_t most = 1;
  th_status rc = TH_OK;
  for (const char *p = argument; !whole && *p != '\0'; p++)
    most += *p == ',';
  TH_TRY(TH_NEW(&list->path, most, "names of models", err));
  TH_TRY(TH_NEW(&list->name, most, "names of models", err));
  TH_TRY(TH_NEW(&list->model, most, "models", err));
  for (const char *p = argument; list->count < most; list->count++) {
    size_t length = most == 1 ? strlen(p) : strcspn(p, ",");
    if (length == 0)
      return th_fail(err, TH_EUSAGE,
                     "%s: a name of a model is missing between commas; give "
                     "A.h5,B.h5",
                     argument);
    TH_TRY(th_file_text(&list->path[list->count], err, "%.*s", (int)length, p));
    p += length + (p[length] == ',');
  }
done:
  return rc;
}

/* Names of columns: each is there once. Local, replicated. */
static th_status name_models(struct th_model_list *list, struct th_error *err)
{
  th_status rc = TH_OK;
  bool alike = false;
  for (int64_t k = 0; k < list->count; k++) {
    const char *name = th_file_name(list->path[k]);
    TH_TRY(th_file_text(&list->name[k], err, "%.*s", th_output_path_stem(name),
                        name));
    for (int64_t j = 0; j < k; j++) {
      if (strcmp(list->path[j], list->path[k]) == 0)
        return th_fail(err, TH_EUSAGE, "model %s is given twice; leave one out",
                       list->path[k]);
      alike = alike || strcmp(list->name[j], list->name[k]) == 0;
    }
  }
  for (int64_t k = 0; alike && k < list->count; k++) {
    char *path = NULL;
    TH_TRY(th_file_text(&path, err, "%s", list->path[k]));
    TH_FREE(list->name[k]);
    list->name[k] = path;
  }
done:
  return rc;
}

th_status th_model_list_read(struct th_model_list *list, const char *argument,
                             struct th_comm *comm, struct th_error *err)
{
  bool whole = strchr(argument, ',') == NULL || is_one_file(argument, comm);
  th_status rc;
  *list = (struct th_model_list){0};
  rc = cut_names(list, argument, whole, err);
  if (rc == TH_OK)
    rc = name_models(list, err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < list->count; k++) {
    TH_TRY(th_input_refuse_text(comm, list->path[k], TH_TEXT_AS_MODEL, err));
    TH_TRY(th_model_file_read(&list->model[k], comm, list->path[k], err));
  }
done:
  return rc;
}

void th_model_list_free(struct th_model_list *list)
{
  for (int64_t k = 0; k < list->count; k++)
    th_model_free(&list->model[k]);
  TH_FREE_LIST(list->path, list->count);
  TH_FREE_LIST(list->name, list->count);
  TH_FREE(list->model);
  *list = (struct th_model_list){0};
}
