/* handle.h - the objects of thresher.h; internal to this folder
 * SPDX-License-Identifier: MIT */
#ifndef TH_HANDLE_H
#define TH_HANDLE_H

#include "api/callback_store.h"
#include "api/data.h"
#include "api/thresher.h"
#include "api/training_options.h"
#include "io/memory/in_memory.h"
#include "model/model.h"
#include "solvers/config.h"

struct thresher_team {
  struct th_comm comm;
  bool threaded; /* there may be a thread that reads ahead */
};

struct thresher_data {
  struct th_data data;
  struct th_callback_store *called; /* the caller's values; or NULL */
  struct th_in_memory kept;         /* of data in memory; or zeroed */
  char *path;                       /* owned; the data's name */
  struct th_comm *comm;             /* of the team; borrowed */
  bool threaded;                    /* likewise */
  int64_t memory;                   /* bytes of values that a rank keeps */
};

struct thresher_config {
  struct th_config config;
  unsigned char given[TH_TRAINING_OPTIONS_MOST]; /* enum th_given */
  char *text[TH_TRAINING_OPTIONS_MOST]; /* owned: what options point to */
};

struct thresher_model {
  struct th_model model;
};

/* Convert a failure for the caller; returns its status. error may be NULL.
 * Local. */
enum thresher_status th_handle_status(th_status rc, const struct th_error *err,
                                      struct thresher_error *error);

/* An argument of a call that must not be NULL, by its name in thresher.h. */
struct th_handle_argument {
  const void *value;
  const char *name;
};

/* An error if one of these arguments, of which the last has no name, is NULL.
 * call: the function that got them. Local. */
th_status th_handle_given(const char *call,
                          const struct th_handle_argument *arguments,
                          struct th_error *err);

/* th_handle_given in the function itself: TH_HANDLE_GIVEN(&err, {data, "data"},
 * {path, "path"}). */
#define TH_HANDLE_GIVEN(err, ...)                                              \
  th_handle_given(                                                             \
      __func__,                                                                \
      (const struct th_handle_argument[]){__VA_ARGS__, {NULL, NULL}}, (err))

/* An error if which is no value of its enum. Local. */
th_status th_handle_which(const char *call, enum thresher_examples which,
                          struct th_error *err);

/* An error if the ranks' hashes of `what` differ. Such ranks would run
 * different code and wait for each other forever. Collective. */
th_status th_handle_alike(struct th_comm *comm, uint64_t hash, const char *what,
                          struct th_error *err);

#endif
