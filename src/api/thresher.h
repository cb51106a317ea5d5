/* thresher.h - sparse linear models under an attribute budget: the library
 *
 * A team of ranks opens data, trains a model from a configuration, and reads,
 * writes and applies it:
 *
 *   thresher_team_mpi(&team, MPI_Comm_c2f(comm), &error);
 *   thresher_data_open(&data, team, "data.h5", 0, &error);
 *   thresher_config_create(&config, &error);
 *   thresher_config_set(config, "budget", "50", &error);
 *   thresher_train(&model, config, data, NULL, &error);
 *   thresher_model_write(model, team, "model.h5", 0, &error);
 *
 * Rules for every function:
 * - It says "collective" or "local". All ranks of the team call a collective
 *   function, in the same order and with the same arguments, as in MPI; what it
 *   returns is the same on all of them. A failure of one rank is everyone's.
 * - It returns THRESHER_OK or what went wrong, with a line of text in *error,
 *   which may be NULL. Objects are left as they were; those that were to be
 *   made are NULL. Texts name options by the names of thresher_config_set.
 * - It prints nothing and does not end the process, with one exception: a
 *   broken MPI transport is nothing to go on with, and aborts the job with one
 *   line on standard error.
 * - Objects are freed by the function of their name. NULL is legal there.
 *   Teams outlive the data that were opened by them, data outlive nothing.
 * - One thread at a time: that which may call MPI. While a call runs, a thread
 *   of our own may read files, where MPI allows threads.
 * - The model of the same data and options has the same bytes for any number of
 *   ranks, and the same as the program's, `thresher train`.
 *
 * The header needs neither MPI's nor HDF5's, and serves C11 and C++.
 * SPDX-License-Identifier: MIT */
#ifndef THRESHER_H
#define THRESHER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define THRESHER_PUBLIC __attribute__((visibility("default")))
#else
#define THRESHER_PUBLIC
#endif

/* ---- errors ---- */

enum thresher_status {
  THRESHER_OK,
  THRESHER_EARG,     /* an argument that no call may have */
  THRESHER_ENOMEM,   /* out of memory */
  THRESHER_EIO,      /* reading or writing */
  THRESHER_EFORMAT,  /* a malformed file */
  THRESHER_EDATA,    /* data that cannot be used */
  THRESHER_EBUDGET,  /* an observation beyond the budget: a defect of ours */
  THRESHER_ENUMERIC, /* a number went out of range */
  THRESHER_EUSAGE    /* an option, or options against the data */
};

enum { THRESHER_ERROR_TEXT = 960 };

/* What went wrong; written only on failure. */
struct thresher_error {
  enum thresher_status status;
  int rank; /* of the team: where it happened; -1: on all alike */
  char text[THRESHER_ERROR_TEXT]; /* one line, without a period */
};

/* A few words for a status, and the version of the library. Local. */
THRESHER_PUBLIC const char *thresher_status_text(enum thresher_status status);
THRESHER_PUBLIC const char *thresher_version(void);

/* ---- teams ---- */

struct thresher_team;

/* The ranks of a communicator: comm is MPI_Comm_c2f's handle of it. The caller
 * has called MPI_Init. The communicator is duplicated, so that the caller's
 * messages and ours do not mix. It may be any communicator, such as one of
 * MPI_Comm_split. Collective over it. THRESHER_EUSAGE before MPI_Init and after
 * MPI_Finalize; THRESHER_ENOMEM. Free it before MPI_Finalize. */
THRESHER_PUBLIC enum thresher_status
thresher_team_mpi(struct thresher_team **team, int comm,
                  struct thresher_error *error);

/* A team of this process alone. MPI is not called and need not be running.
 * Local. THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_team_self(struct thresher_team **team, struct thresher_error *error);

/* Collective. */
THRESHER_PUBLIC void thresher_team_free(struct thresher_team *team);

/* Which rank of the team this is, and of how many. Local. */
THRESHER_PUBLIC int thresher_team_rank(const struct thresher_team *team);
THRESHER_PUBLIC int thresher_team_size(const struct thresher_team *team);

/* ---- data ---- */

struct thresher_data;

/* Open a data set that `thresher import` or `thresher generate` has made.
 * memory: bytes of its values that a rank may keep; 0: a fifth of its share of
 * the machine. Collective. THRESHER_EUSAGE, THRESHER_EDATA,
 * THRESHER_EFORMAT, THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_data_open(struct thresher_data **data, struct thresher_team *team,
                   const char *path, int64_t memory,
                   struct thresher_error *error);

/* What is known about an attribute's values beforehand. Solvers that
 * standardize use mean and deviation. A value outside of the range is
 * THRESHER_EDATA. An attribute whose range is a single number is left out. */
struct thresher_attribute {
  double mean;
  double deviation; /* standard deviation */
  double lowest;
  double highest;
};

enum { THRESHER_SAID = 256 };

/* Data whose values are expensive. The library asks the caller only for values
 * that a solver has declared to observe. The budget bounds them, and the
 * model's ledger counts them. Each value is asked for once, by the rank that
 * needs it, and then kept until the data are closed. Memory is 8 bytes for each
 * value and for the others of its attribute in the same group of examples.
 *
 * Functions get `self` back. They return 0 on success. On failure they write
 * one line into text, which has THRESHER_SAID bytes, and return another number.
 * The call under way then fails with THRESHER_EIO. They may be called on any
 * rank of the team, for any examples and attributes, and give the same numbers
 * everywhere. Examples are numbered from 0, the training examples first;
 * attributes from 0. */
struct thresher_source {
  void *self;
  int64_t examples;
  int64_t training;   /* these come first; the others test */
  int64_t attributes; /* of an example */
  uint64_t identity;  /* identifies these data in models; 0: by their sizes */
  /* value[a * rows + i]: attribute attribute[a] (ascending, `attributes` of
   * them) of example first + i, for 0 <= i < rows. */
  int (*values)(void *self, int64_t first, int64_t rows,
                const int64_t *attribute, int64_t attributes, double *value,
                char *text);
  /* target[i] of example first + i. NULL: there are none, and the data serve
   * thresher_predict alone. */
  int (*targets)(void *self, int64_t first, int64_t rows, double *target,
                 char *text);
  /* weight[i] >= 0 of example first + i. NULL: all weigh the same. */
  int (*weights)(void *self, int64_t first, int64_t rows, double *weight,
                 char *text);
  /* known[a] of attribute first + a, without an observation. */
  int (*known)(void *self, int64_t first, int64_t attributes,
               struct thresher_attribute *known, char *text);
};

/* Data that the caller computes. *source is copied. The object that its self
 * points to belongs to the caller, and must live until the data are closed.
 * Collective, with the same sizes on all ranks: THRESHER_EUSAGE otherwise.
 * THRESHER_EARG if sizes or functions are missing, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_data_from(struct thresher_data **data, struct thresher_team *team,
                   const struct thresher_source *source,
                   struct thresher_error *error);

/* Collective. */
THRESHER_PUBLIC void thresher_data_close(struct thresher_data *data);

/* Local. */
THRESHER_PUBLIC int64_t thresher_data_examples(const struct thresher_data *d);
THRESHER_PUBLIC int64_t thresher_data_training(const struct thresher_data *d);
THRESHER_PUBLIC int64_t thresher_data_attributes(const struct thresher_data *d);

/* ---- configuration ---- */

/* The options of `thresher train` that can change the model, and their
 * defaults: solver, sparsity, budget, loss, penalty, lambda, passes, seed and
 * so on; `thresher train --help` and `thresher solvers` describe them. */
struct thresher_config;

/* With defaults. Local. THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_config_create(struct thresher_config **config,
                       struct thresher_error *error);
THRESHER_PUBLIC void thresher_config_free(struct thresher_config *config);

/* Set an option by its name, without dashes, from text: numbers, names, yes and
 * no. Local. THRESHER_EUSAGE for an unknown name, or a value out of its range.
 * Also THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_config_set(struct thresher_config *config, const char *name,
                    const char *value, struct thresher_error *error);

/* The value of an option, as text that thresher_config_set can read. "auto": it
 * is chosen by a rule. An empty text: it has no value. Local. THRESHER_EUSAGE
 * for an unknown name, THRESHER_EARG where size is too small. */
THRESHER_PUBLIC enum thresher_status
thresher_config_get(const struct thresher_config *config, const char *name,
                    char *text, size_t size, struct thresher_error *error);

/* The first function: the name of the k-th option, NULL after the last. The
 * second one: its description in text, cut if size is too small; returns text.
 * Local. */
THRESHER_PUBLIC const char *thresher_config_name(int k);
THRESHER_PUBLIC const char *thresher_config_help(int k, char *text,
                                                 size_t size);

/* ---- training ---- */

/* The progress of a run. */
struct thresher_progress {
  double done;      /* share of the run, 0 to 1; less than 0: not known */
  int64_t updates;  /* so far */
  int64_t examples; /* drawn so far */
  int64_t observed; /* attributes of them */
  int64_t support_size;
  double loss; /* of the last update */
};

/* Functions that follow a run; either may be NULL. Both are called on every
 * rank, from within thresher_train, and must not call the library. */
struct thresher_listener {
  void *self;
  void (*progress)(void *self, const struct thresher_progress *progress);
  void (*notice)(void *self, const char *text); /* one line for people */
};

struct thresher_model;

/* Train on the training examples. listener may be NULL. Collective over the
 * team of the data. THRESHER_EUSAGE, also where ranks have different options,
 * THRESHER_ENUMERIC, THRESHER_ENOMEM; of reading THRESHER_EDATA,
 * THRESHER_EFORMAT, THRESHER_EIO; of a defect of ours THRESHER_EARG,
 * THRESHER_EBUDGET. */
THRESHER_PUBLIC enum thresher_status
thresher_train(struct thresher_model **model,
               const struct thresher_config *config, struct thresher_data *data,
               const struct thresher_listener *listener,
               struct thresher_error *error);

/* ---- models ---- */

/* Read a model, write one; force: replace a file of that name. Rank 0 reads and
 * writes. Collective. THRESHER_EUSAGE, THRESHER_EFORMAT, THRESHER_EIO,
 * THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_model_read(struct thresher_model **model, struct thresher_team *team,
                    const char *path, struct thresher_error *error);
THRESHER_PUBLIC enum thresher_status
thresher_model_write(const struct thresher_model *model,
                     struct thresher_team *team, const char *path, int force,
                     struct thresher_error *error);
/* Local. */
THRESHER_PUBLIC void thresher_model_free(struct thresher_model *model);

/* All ranks hold the whole model. What is returned lives as long as it does.
 * support[] ascends, coefficients[] are aligned with it and in the data's own
 * units; a prediction is intercept + sum of coefficient times attribute.
 * Local. */
THRESHER_PUBLIC int64_t
thresher_model_attributes(const struct thresher_model *model);
THRESHER_PUBLIC int64_t
thresher_model_support_size(const struct thresher_model *model);
THRESHER_PUBLIC const int64_t *
thresher_model_support(const struct thresher_model *model);
THRESHER_PUBLIC const double *
thresher_model_coefficients(const struct thresher_model *model);
THRESHER_PUBLIC double
thresher_model_intercept(const struct thresher_model *model);

/* The value of an option as it was used to train; NULL: it played no part.
 * Local. */
THRESHER_PUBLIC const char *
thresher_model_option(const struct thresher_model *model, const char *name);

/* What was observed to train it. */
struct thresher_ledger {
  int64_t examples;              /* draws for training */
  int64_t attributes;            /* observed in all of them */
  int64_t most_of_one;           /* attributes observed in one draw */
  int64_t validation_examples;   /* held out, to stop by */
  int64_t validation_attributes; /* observed of these */
  int64_t passes;                /* over the training examples, begun */
};
/* Local. */
THRESHER_PUBLIC struct thresher_ledger
thresher_model_ledger(const struct thresher_model *model);

/* Of a model with a penalty: its weight, the value of the objective, and a
 * bound on how far above the least value that is. NaN for other models. Local.
 */
THRESHER_PUBLIC double
thresher_model_lambda(const struct thresher_model *model);
THRESHER_PUBLIC double
thresher_model_objective(const struct thresher_model *model);
THRESHER_PUBLIC double thresher_model_gap(const struct thresher_model *model);

/* ---- applying a model ---- */

enum thresher_examples {
  THRESHER_AUTO, /* those for testing if there are any, else all */
  THRESHER_TEST,
  THRESHER_TRAIN,
  THRESHER_ALL
};

/* How many there are. Local. */
THRESHER_PUBLIC int64_t thresher_data_count(const struct thresher_data *data,
                                            enum thresher_examples which);

/* Predictions on these examples, in the order in which they are stored: the
 * linear predictor, of logistic loss log odds. Arrays have room for
 * thresher_data_count; each may be NULL, on each rank by itself; row[i] is the
 * number that the example had in the text that was imported, target[i] is 0
 * where there are none. Attributes are matched by name where the data are not
 * those of the training and both have names. Nothing is counted in a ledger.
 * Collective. THRESHER_EDATA where the model is for other attributes,
 * THRESHER_EUSAGE where there are no such examples. Also THRESHER_EARG,
 * THRESHER_ENUMERIC, THRESHER_EFORMAT, THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_predict(const struct thresher_model *model, struct thresher_data *data,
                 enum thresher_examples which, double *prediction,
                 double *target, int64_t *row, struct thresher_error *error);

/* How good predictions are; NaN where a score is not defined. */
struct thresher_scores {
  int64_t examples;
  double mse;
  double r2;
  /* of targets of two values, of which the larger is positive: */
  double auc;
  double accuracy;
  double log_loss;
};

/* Scores on these examples. Collective. As thresher_predict, and THRESHER_EDATA
 * where there are no targets. Also THRESHER_EUSAGE, THRESHER_EARG,
 * THRESHER_ENUMERIC, THRESHER_EFORMAT, THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_evaluate(const struct thresher_model *model,
                  struct thresher_data *data, enum thresher_examples which,
                  struct thresher_scores *scores, struct thresher_error *error);

#ifdef __cplusplus
}
#endif

#endif
