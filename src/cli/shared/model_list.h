/* model_list.h - the models of a command, between commas
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_LIST_H
#define TH_MODEL_LIST_H

#include "model/model.h"
#include "ranks/comm.h"

/* All is owned. Zeroed: none. */
struct th_model_list {
  int64_t count;
  char **path;
  char **name; /* of a file without folder and .h5; where two files would have
                  the same name, their paths */
  struct th_model *model;
  double *lambda; /* that was asked for, of each model; NULL: none was */
};

/* Read the models of "A.h5,B.h5"; a file of that whole name is one model. An
 * error where text or a model is given twice. Collective; release with
 * th_model_list_free, also after a failure. */
th_status th_model_list_read(struct th_model_list *list, const char *argument,
                             struct th_comm *comm, struct th_error *err);

/* Make of several models one whose support is that of all: what text is
 * imported like. It borrows all but its lists, which th_model_list_unlike
 * releases. An error where the models' data were imported in other ways. Local,
 * replicated.
 */
th_status th_model_list_like(const struct th_model_list *list,
                             struct th_model *all, struct th_error *err);
void th_model_list_unlike(struct th_model *all);

/* Make the models those of another lambda of their paths: "best", "1se", a
 * number, or "all", which makes one model one for each lambda. An error where a
 * model keeps no path. Local, replicated. */
th_status th_model_list_set_lambda(struct th_model_list *list, const char *text,
                                   struct th_error *err);

/* Local. */
void th_model_list_free(struct th_model_list *list);

#endif
