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
 *   returns is the same on all of them. If it fails on one rank, it fails on
 *   all of them.
 * - It returns THRESHER_OK or a status that says what went wrong. A failure
 *   also writes a line of text into *error; error may be NULL. Existing objects
 *   are left as they were, and a new object is NULL. Texts name options by the
 *   names of thresher_config_set.
 * - A pointer that is NULL, unless it is said that it may be, and a number out
 *   of its range are THRESHER_EARG. What returns no status returns NULL, NaN or
 *   0 for an object that is NULL, and rank -1.
 * - It prints nothing and does not end the process, with one exception: if the
 *   MPI transport breaks, it aborts the job with one line on standard error.
 * - Each kind of object has a function that frees it. NULL is legal there.
 *   A team must live longer than the data that were opened by it. Data may be
 *   closed before any other object is freed.
 * - Call it from one thread at a time, and from one that may call MPI. While a
 *   call runs, a thread of the library may read files, if MPI allows threads.
 * - The same data and options give a model with the same bytes for any number
 *   of ranks. The program, `thresher train`, gives the same bytes, too.
 *
 * The header includes neither MPI's nor HDF5's. It serves C11 and C++.
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
  THRESHER_EBUDGET,  /* an observation beyond the budget: a library defect */
  THRESHER_ENUMERIC, /* a number went out of range */
  THRESHER_EUSAGE,   /* an option, or options against the data */
  THRESHER_ESTOPPED  /* the listener of a run has stopped it */
};

enum { THRESHER_ERROR_TEXT = 960 };

/* What went wrong; written only on failure. */
struct thresher_error {
  enum thresher_status status;
  int rank; /* the rank of the team that failed; -1: all of them */
  char text[THRESHER_ERROR_TEXT]; /* one line, without a period */
};

/* The first function returns a few words for a status. The second one returns
 * the version of the library. Local. */
THRESHER_PUBLIC const char *thresher_status_text(enum thresher_status status);
THRESHER_PUBLIC const char *thresher_version(void);

/* ---- teams ---- */

struct thresher_team;

/* Make a team of the ranks of a communicator; comm is its handle from
 * MPI_Comm_c2f. The caller has called MPI_Init. The communicator is duplicated,
 * so that the library's messages do not mix with the caller's. It may be any
 * communicator, such as one of MPI_Comm_split. Collective over it.
 * THRESHER_EUSAGE before MPI_Init and after MPI_Finalize; THRESHER_EARG for the
 * handle of no communicator, of MPI_COMM_NULL, or of one between two groups;
 * THRESHER_ENOMEM. Free the team before MPI_Finalize. */
THRESHER_PUBLIC enum thresher_status
thresher_team_mpi(struct thresher_team **team, int comm,
                  struct thresher_error *error);

/* Make a team of this process alone. MPI is not called and need not be running.
 * Local. THRESHER_EARG, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_team_self(struct thresher_team **team, struct thresher_error *error);

/* Collective. */
THRESHER_PUBLIC void thresher_team_free(struct thresher_team *team);

/* The first function returns the number of this rank, from 0. The second one
 * returns the number of ranks of the team. Local. */
THRESHER_PUBLIC int thresher_team_rank(const struct thresher_team *team);
THRESHER_PUBLIC int thresher_team_size(const struct thresher_team *team);

/* ---- data ---- */

struct thresher_data;

/* Open a data set that `thresher import` or `thresher generate` has made.
 * memory: bytes of its values that a rank may keep; 0: a fifth of the rank's
 * share of the machine's memory. Collective. THRESHER_EARG, THRESHER_EUSAGE,
 * THRESHER_EDATA, THRESHER_EFORMAT, THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_data_open(struct thresher_data **data, struct thresher_team *team,
                   const char *path, int64_t memory,
                   struct thresher_error *error);

/* What is known about an attribute's values beforehand. Solvers that
 * standardize use mean and deviation. All are finite. A value outside of the
 * range is THRESHER_EDATA. An attribute whose range is a single number is left
 * out. */
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
  /* weight[i] >= 0 of example first + i. NULL: all weigh the same. An example
   * of weight 0 counts for nothing. */
  int (*weights)(void *self, int64_t first, int64_t rows, double *weight,
                 char *text);
  /* known[a] of attribute first + a, without an observation. */
  int (*known)(void *self, int64_t first, int64_t attributes,
               struct thresher_attribute *known, char *text);
};

/* Open data that the caller computes. *source is copied. The object that its
 * self points to belongs to the caller, and must live until the data are
 * closed.
 * Collective, with the same sizes on all ranks: THRESHER_EUSAGE otherwise.
 * THRESHER_EARG if sizes or functions are missing, or sizes are too large:
 * there may be 2^40 examples, 2^32 - 1 attributes and 2^62 values. All weights
 * are asked for: THRESHER_EDATA, THRESHER_EIO if there is something wrong with
 * them. THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_data_from(struct thresher_data **data, struct thresher_team *team,
                   const struct thresher_source *source,
                   struct thresher_error *error);

/* How numbers lie in memory. */
enum thresher_type {
  THRESHER_F32, /* float; NaN is a value that is missing */
  THRESHER_F64, /* double; the same */
  THRESHER_U8,  /* uint8_t */
  THRESHER_I8   /* int8_t */
};

/* A matrix in memory: the value of attribute j of example i is item
 * i * example_stride + j * attribute_stride behind values. Rows first, that is
 * attribute_stride 1 and example_stride `attributes`; columns first,
 * example_stride 1 and attribute_stride `examples`. A part of a larger matrix
 * has larger strides; they may be negative. */
struct thresher_dense {
  const void *values;
  enum thresher_type type;
  int64_t examples;
  int64_t attributes;
  int64_t example_stride;
  int64_t attribute_stride;
};

/* A sparse matrix in memory, as SciPy's CSR (by_attributes 0) and CSC (1) have
 * it: entries start[k] .. start[k + 1] - 1 are those of example k, and index
 * has their attributes; or of attribute k, and index has their examples.
 * Numbers count from 0. In any order; several entries in one place are added
 * up. start has one item more than there are examples, or attributes. */
struct thresher_sparse {
  const void *values; /* [entries] */
  enum thresher_type type;
  const void *index; /* [entries] */
  const void *start;
  int index_bits; /* 32: index has items int32_t; 64: int64_t */
  int start_bits; /* the same of start */
  int by_attributes;
  int64_t entries;
  int64_t examples;
  int64_t attributes;
};

/* What belongs to examples and attributes in memory, and how they are stored.
 * Zeroed: there is nothing, and all is stored as `thresher import` does it. */
struct thresher_beside {
  const double *targets;    /* of each example; NULL: for predictions alone */
  const double *weights;    /* of each example, >= 0; NULL: all are 1 */
  const char *const *names; /* of each attribute, in UTF-8; or NULL */
  const char *const *ids;   /* of each example, of at most 255 bytes; or NULL */
  enum thresher_storage {
    THRESHER_AS_USUAL, /* 8-bit integers as they are, others as f32 */
    THRESHER_AS_F32,
    THRESHER_AS_F64,
    THRESHER_AS_U8,
    THRESHER_AS_I8
  } storage;
  double test;  /* share of the examples that is set apart for tests */
  int in_order; /* not 0: examples are stored in their order, and not shuffled
                 */
  int own;      /* not 0: each rank hands in attributes of its own, with their
                   names; those of rank 0 come first. What belongs to examples
                   is the same on all ranks. Dense matrices alone. Takes a rank's
                   share twice more while the data are opened */
};

/* Open data that are in memory, the same on all ranks, unless beside says that
 * each has attributes of its own. The arrays may change, or go, once the call
 * returns. beside may be NULL.
 *
 * Everything is as if a file of NumPy or SciPy with these values had been
 * imported and opened: a model has the same bytes. To that end there is one
 * copy, in row groups and in the type in which it is stored. It is held in
 * memory, and no file is written, where the team is one rank, the matrix is
 * dense, all values are known, more than a quarter of them are not 0, and the
 * copy is not larger than `memory`. Else it lies in a folder of its own in
 * $TMPDIR (or /tmp) that goes when the data are closed; the system keeps it in
 * memory as long as there is room. Dense values are used there in place,
 * without another copy, unless the folder itself is in memory (tmpfs). On
 * several machines, $TMPDIR is a folder that all of them see. What a killed
 * process has left there, the next call removes.
 *
 * Values that are missing, constants, and sparse data with very many attributes
 * are treated as by `thresher import`. memory: as thresher_data_open.
 * Collective. THRESHER_EARG, THRESHER_EUSAGE if ranks have data of different
 * sizes, THRESHER_EDATA for values, targets or weights that cannot be,
 * THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status thresher_data_from_dense(
    struct thresher_data **data, struct thresher_team *team,
    const struct thresher_dense *values, const struct thresher_beside *beside,
    int64_t memory, struct thresher_error *error);
THRESHER_PUBLIC enum thresher_status thresher_data_from_sparse(
    struct thresher_data **data, struct thresher_team *team,
    const struct thresher_sparse *values, const struct thresher_beside *beside,
    int64_t memory, struct thresher_error *error);

/* Collective. */
THRESHER_PUBLIC void thresher_data_close(struct thresher_data *data);

/* Return the number of examples, of training examples and of attributes.
 * Local. */
THRESHER_PUBLIC int64_t thresher_data_examples(const struct thresher_data *d);
THRESHER_PUBLIC int64_t thresher_data_training(const struct thresher_data *d);
THRESHER_PUBLIC int64_t thresher_data_attributes(const struct thresher_data *d);

/* ---- configuration ---- */

/* The options of `thresher train` that can change the model, and their
 * defaults: solver, sparsity, budget, loss, penalty, lambda, passes, seed and
 * so on; `thresher train --help` and `thresher solvers` describe them. */
struct thresher_config;

/* Make a configuration in which every option has its default. Local.
 * THRESHER_EARG, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_config_create(struct thresher_config **config,
                       struct thresher_error *error);
THRESHER_PUBLIC void thresher_config_free(struct thresher_config *config);

/* Set an option by its name, without dashes, from text: numbers, names, yes and
 * no. Local. THRESHER_EUSAGE for an unknown name, or a value out of its range.
 * Also THRESHER_EARG, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_config_set(struct thresher_config *config, const char *name,
                    const char *value, struct thresher_error *error);

/* Write the value of an option into text[size], as thresher_config_set can read
 * it. "auto": a rule chooses the value. An empty text: there is no value.
 * Local. THRESHER_EUSAGE for an unknown name, THRESHER_EARG if size is too
 * small. */
THRESHER_PUBLIC enum thresher_status
thresher_config_get(const struct thresher_config *config, const char *name,
                    char *text, size_t size, struct thresher_error *error);

/* The first function returns the name of the k-th option, k from 0, and NULL
 * after the last. The second one writes its description into text[size], cut if
 * size is too small, and returns text; it returns NULL if there is no such
 * option, or no room. Local. */
THRESHER_PUBLIC const char *thresher_config_name(int k);
THRESHER_PUBLIC const char *thresher_config_help(int k, char *text,
                                                 size_t size);

/* ---- training ---- */

/* The progress of a run. */
struct thresher_progress {
  double done;      /* share of the run, 0 to 1; less than 0: not known; of sift
                       that predicts, of its rounds */
  int64_t updates;  /* so far */
  int64_t examples; /* drawn so far */
  int64_t observed; /* attributes observed of these examples */
  int64_t support_size;
  double loss; /* of the last update: of a squared loss the mean squared error;
                  of solvers lasso and ridge the objective */
};

/* Functions that follow a run; any may be NULL. thresher_train calls them on
 * every rank. They must not call the library. */
struct thresher_listener {
  void *self;
  void (*progress)(void *self, const struct thresher_progress *progress);
  void (*notice)(void *self, const char *text); /* one line for people */
  /* Not 0: the run ends at once, also within an update, with THRESHER_ESTOPPED
   * and without a model. It is enough if one rank says so. Asked after each
   * update, and before values are read, but not oftener than some twenty times
   * a second. */
  int (*stop)(void *self);
};

struct thresher_model;

/* Train a model on the training examples. listener may be NULL. Collective over
 * the team of the data. THRESHER_EUSAGE, also if ranks have different options,
 * THRESHER_ENUMERIC, THRESHER_EARG, THRESHER_ENOMEM; of reading THRESHER_EDATA,
 * THRESHER_EFORMAT, THRESHER_EIO; THRESHER_ESTOPPED by the listener; of a
 * defect of the library THRESHER_EARG and THRESHER_EBUDGET. */
THRESHER_PUBLIC enum thresher_status
thresher_train(struct thresher_model **model,
               const struct thresher_config *config, struct thresher_data *data,
               const struct thresher_listener *listener,
               struct thresher_error *error);

/* ---- models ---- */

/* Read a model from a file, or write it to one. force: replace a file of that
 * name, if there is one. Only rank 0 reads and writes. Collective.
 * THRESHER_EARG, THRESHER_EUSAGE, THRESHER_EFORMAT, THRESHER_EIO,
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

/* Return the parts of a model: the number of attributes of its data, the size
 * of its support, the attributes in the support, their coefficients, and the
 * intercept. All ranks hold the whole model. The arrays belong to the model and
 * live as long as it does. They have support_size items: support[] ascends, and
 * coefficients[k] belongs to attribute support[k], in the data's own units. A
 * prediction is
 *
 *   intercept + sum over k of coefficients[k] * (value of support[k])
 *
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

/* Return what attribute support[k] is called, for 0 <= k < support_size, or
 * NULL: the data had no names. The second function returns the column that it
 * has in a matrix in memory, from 0: that is support[k], unless the data were
 * sparse and had so many columns that those which occur are the attributes; -1
 * if there is no such k. The third one returns the means of these attributes on
 * the training examples, which stand for missing values, or NULL: they are not
 * known. All belong to the model. Local. */
THRESHER_PUBLIC const char *
thresher_model_name(const struct thresher_model *model, int64_t k);
THRESHER_PUBLIC int64_t
thresher_model_column(const struct thresher_model *model, int64_t k);
THRESHER_PUBLIC const double *
thresher_model_means(const struct thresher_model *model);

/* Return the solver that trained the model, and its loss. The texts belong to
 * the model. Local. */
THRESHER_PUBLIC const char *
thresher_model_solver(const struct thresher_model *model);
THRESHER_PUBLIC const char *
thresher_model_loss(const struct thresher_model *model);

/* Return the name of the k-th option that the model was trained with, k from 0,
 * and NULL after the last; *value receives its value. Both belong to the model.
 * value may be NULL. Local. */
THRESHER_PUBLIC const char *
thresher_model_setting(const struct thresher_model *model, int64_t k,
                       const char **value);

/* Return the value of an option as it was used to train the model. NULL: the
 * option played no part. The text belongs to the model. Local. */
THRESHER_PUBLIC const char *
thresher_model_option(const struct thresher_model *model, const char *name);

/* What was observed to train a model. */
struct thresher_ledger {
  int64_t examples;              /* draws for training */
  int64_t attributes;            /* observed in all of them */
  int64_t distinct_attributes;   /* the same without repeats in a draw */
  int64_t most_of_one;           /* attributes observed in one draw */
  int64_t validation_examples;   /* held out, to stop by */
  int64_t validation_attributes; /* observed of these */
  int64_t passes;                /* over the training examples, begun */
};
/* Return the ledger of a model. Local. */
THRESHER_PUBLIC struct thresher_ledger
thresher_model_ledger(const struct thresher_model *model);

/* For a model with a penalty, return the weight of the penalty, the value of
 * the objective, and a bound on how far that value is above the minimum. For
 * other models, return NaN. Local. */
THRESHER_PUBLIC double
thresher_model_lambda(const struct thresher_model *model);
THRESHER_PUBLIC double
thresher_model_objective(const struct thresher_model *model);
THRESHER_PUBLIC double thresher_model_gap(const struct thresher_model *model);

/* A path of models at falling weights of the penalty, on which one was chosen.
 * Arrays have `points` items, unless said otherwise. The coefficients at point
 * l are entries start[l] .. start[l + 1] - 1, in the data's own units. */
struct thresher_path {
  int64_t points;
  int64_t folds;        /* parts of the examples that were held out in turn */
  int64_t best;         /* the point of the least loss */
  int64_t one_se;       /* the first within a standard error of it */
  int64_t chosen;       /* that of the model */
  const double *lambda; /* weights of the penalty */
  const double *loss;   /* means on examples that were held out */
  const double *se;     /* their standard errors */
  const double *intercept;
  const int64_t *start;      /* [points + 1] */
  const int64_t *attribute;  /* [start[points]]: ascending at each point */
  const double *coefficient; /* [start[points]] */
};
/* Return the path that a model keeps; points is 0 if it keeps none. Arrays
 * belong to the model. Local. */
THRESHER_PUBLIC struct thresher_path
thresher_model_path(const struct thresher_model *model);

/* ---- applying a model ---- */

enum thresher_examples {
  THRESHER_AUTO, /* the test examples if there are any, else all */
  THRESHER_TEST,
  THRESHER_TRAIN,
  THRESHER_ALL
};

/* Return the number of these examples; 0 if `which` is none of the above.
 * Local. */
THRESHER_PUBLIC int64_t thresher_data_count(const struct thresher_data *data,
                                            enum thresher_examples which);

/* Predict the targets of these examples, in the order in which they are stored.
 * prediction[i] is the linear predictor; with logistic loss these are log odds,
 * with Poisson's logarithms of means.
 * target[i] is the target of the same example, or 0 if the data have none.
 * row[i] is the number that the example had in the imported text. Each array
 * has room for thresher_data_count items. Each may be NULL, on some ranks and
 * not on others. If the data are not those of the training, and both have
 * names, attributes are matched by name. Nothing is counted in a ledger.
 * Collective. THRESHER_EDATA if the model is for other attributes,
 * THRESHER_EUSAGE if there are no such examples. Also THRESHER_EARG,
 * THRESHER_ENUMERIC, THRESHER_EFORMAT, THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_predict(const struct thresher_model *model, struct thresher_data *data,
                 enum thresher_examples which, double *prediction,
                 double *target, int64_t *row, struct thresher_error *error);

/* Predict examples in memory, without a data set: prediction[i] is the linear
 * predictor of example i, with the same bits as thresher_predict has for these
 * values. Only the attributes of the model's support are looked at, by their
 * columns (thresher_model_column); the model's means stand for missing values.
 * Values have the precision of the model's training data. Local.
 * THRESHER_EDATA if the matrix has other attributes than the model, a value is
 * missing whose mean is not known, or is infinite; THRESHER_EARG,
 * THRESHER_ENUMERIC, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_apply_dense(const struct thresher_model *model,
                     const struct thresher_dense *values, double *prediction,
                     struct thresher_error *error);
THRESHER_PUBLIC enum thresher_status
thresher_apply_sparse(const struct thresher_model *model,
                      const struct thresher_sparse *values, double *prediction,
                      struct thresher_error *error);

/* How good predictions are. A score that is not defined is NaN. */
struct thresher_scores {
  int64_t examples; /* with a weight that is not 0: those that count */
  double mse;
  double r2;
  /* for targets with two values; the larger value is the positive one: */
  double auc;
  double accuracy;
  double log_loss;
  /* the model's loss over that of the prediction 0 */
  double relative_loss;
};

/* Predict these examples as thresher_predict does, and score the predictions;
 * each counts by its weight.
 * Collective. THRESHER_EDATA in the same cases, and if there are no targets.
 * Also THRESHER_EUSAGE, THRESHER_EARG, THRESHER_ENUMERIC, THRESHER_EFORMAT,
 * THRESHER_EIO, THRESHER_ENOMEM. */
THRESHER_PUBLIC enum thresher_status
thresher_evaluate(const struct thresher_model *model,
                  struct thresher_data *data, enum thresher_examples which,
                  struct thresher_scores *scores, struct thresher_error *error);

#ifdef __cplusplus
}
#endif

#endif
