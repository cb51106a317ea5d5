/* config.h - the options of training, as the solvers see them
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONFIG_H
#define TH_CONFIG_H

#include "math/online.h"
#include "math/schedule.h"
#include "model/origin.h"

#include <stdbool.h>
#include <stdint.h>

enum th_refit { TH_REFIT_NO, TH_REFIT_YES, TH_REFIT_AUTO, TH_REFIT_COUNT };

enum th_screen {
  TH_SCREEN_AUTO, /* by the solver */
  TH_SCREEN_NONE,
  TH_SCREEN_GAP_SAFE,
  TH_SCREEN_ONLINE,
  TH_SCREEN_COUNT
};

/* What a run ends with: the model that predicts unseen examples best, or the
 * attributes that stand out beyond doubt. */
enum th_select_for {
  TH_SELECT_AUTO, /* by the solver, and by what the data allow */
  TH_SELECT_PREDICT,
  TH_SELECT_TRUTH,
  TH_SELECT_COUNT
};

/* What solvers that sample attributes know of second moments. */
enum th_moments_from {
  TH_MOMENTS_AUTO, /* uniform where standardization makes them equal, or else
                      two-phase */
  TH_MOMENTS_TWO_PHASE, /* estimated in a first phase */
  TH_MOMENTS_UNIFORM,   /* nothing: all attributes are drawn alike */
  TH_MOMENTS_KNOWN,     /* those of the import */
  TH_MOMENTS_NORM,      /* estimated, where steps go by their norm, known */
  TH_MOMENTS_COUNT
};

/* Step sizes by the gradients so far. */
enum th_adagrad {
  TH_ADAGRAD_AUTO, /* by the solver */
  TH_ADAGRAD_NONE,
  TH_ADAGRAD_NORM,
  TH_ADAGRAD_COORDINATE,
  TH_ADAGRAD_COUNT
};

/* How steps shrink that no gap ends: by the epochs, or as the paper has them.
 */
enum th_falling { TH_STEPS_EPOCHS, TH_STEPS_PAPER, TH_STEPS_COUNT };

/* How the attributes of an inner product are drawn. */
enum th_inner { TH_INNER_IMPROVED, TH_INNER_PLAIN, TH_INNER_COUNT };

/* How oomp fits what it has selected, and by which constants of the theory. */
enum th_optim { TH_OPTIM_SQUARES, TH_OPTIM_DESCENT, TH_OPTIM_COUNT };
enum th_constants {
  TH_CONSTANTS_PRACTICAL,
  TH_CONSTANTS_THEORY,
  TH_CONSTANTS_COUNT
};

/* What is read of examples after screening: the attributes that are left, or
 * all. */
enum th_screen_draws { TH_DRAWS_LEFT, TH_DRAWS_ALL, TH_DRAWS_COUNT };

/* What omp does with the true attributes of generated data. */
enum th_oracle { TH_ORACLE_NO, TH_ORACLE_FIT, TH_ORACLE_OMP, TH_ORACLE_COUNT };

/* As a step size: the one that the method's theory proves. */
#define TH_ETA_THEORY (-1.0)

/* Which model of a path is taken: that of the least loss on examples that were
 * held out; of the largest lambda whose loss is within a standard error of it;
 * or the last one, where nothing is held out. */
enum th_choose {
  TH_CHOOSE_BEST,
  TH_CHOOSE_1SE,
  TH_CHOOSE_LAST,
  TH_CHOOSE_COUNT
};

/* How ridge systems are solved. */
enum th_factoring {
  TH_FACTORING_AUTO, /* by the number of attributes */
  TH_FACTORING_OWN,
  TH_FACTORING_SCALAPACK,
  TH_FACTORING_CG,
  TH_FACTORING_COUNT
};

struct th_groups;

/* Rounds of exploration and exploitation, and the sizes of their updates. */
struct th_config_rounds {
  int64_t most;                          /* K: upper limit, 0: none */
  struct th_schedule_rows batch_explore; /* B^-_k, rows per block */
  struct th_schedule_rows batch_exploit; /* B_k */
  int64_t updates_explore;               /* T^-_k */
  int64_t updates_exploit;               /* T_k */
  double growth;       /* factor on both batches per round, beyond these */
  bool shared_support; /* use all rows of an update on S */
};

/* Where exploitation begins; borrowed. */
struct th_config_start {
  const char *text;       /* a model or a list; NULL: none */
  const int64_t *support; /* the attributes that text names, ascending */
  const double *coef;     /* aligned, in the data's own units, or NULL */
  int64_t size;
};

/* How useless attributes are found and dropped. */
struct th_config_screening {
  enum th_screen how;
  enum th_screen_rule rule;
  enum th_screen_draws draws;
  double exponent; /* w */
  int64_t every;   /* T: steps between screenings; 0: by rule */
};

/* Steps in a ball that holds the coefficients, and draws of attributes. */
struct th_config_ball {
  double radius; /* of the l1 or the l2 norm, by the solver; 0: by rule */
  enum th_adagrad adagrad;
  double step_factor; /* of a rule's step size */
  enum th_moments_from moments;
  double moment_norm; /* of the second moments; 0: not known */
  enum th_inner inner;
};

/* The irrepresentable constant where nobody knows one. */
#define TH_MU_ASSUMED 0.5

/* Attributes that are chosen one after the other. */
struct th_config_greedy {
  double residual; /* the loss at which a path ends, as a share of that without
                      attributes */
  double correlation; /* the slope at which it ends */
  int64_t most;       /* by the plan: attributes */
  int64_t folds; /* by the plan: how often examples are held out; 0: never */
  bool forecast; /* by the plan: slopes are kept (greedy/pursuit.c) */
  enum th_oracle oracle;
  const int64_t *among; /* attributes that are chosen among; borrowed; NULL: all
                         */
  int64_t among_size;
  double delta; /* oomp: 1 - 2 delta is the probability of the guarantee */
  double mu;    /* irrepresentable constant of the true support; negative: by
                   the generator, else TH_MU_ASSUMED */
  double rho;   /* smallest and largest eigenvalue of its covariance; */
  double smoothness;
  double bound;           /* of |x|; 0 for these three: by the data */
  struct th_design known; /* by the generator of the data */
  double stop_below; /* root mean square of the coefficients that are left */
  enum th_optim optim;
  enum th_constants constants; /* of the descent */
  int64_t max_examples;        /* 0 for these two: no limit */
  int64_t max_attributes;
};

/* Attributes without a penalty: never shrunk, never left out; borrowed. */
struct th_config_exempt {
  const char *text;         /* the list as given; NULL: none */
  const int64_t *attribute; /* ascending */
  int64_t count;
};

/* A bound of coefficients on one side of 0, in the data's own units; borrowed.
 */
struct th_config_bound {
  const char *text; /* as given; NULL: none */
  bool given;
  double all;               /* of all attributes but these; may be infinite */
  const int64_t *attribute; /* ascending */
  const double *value;
  int64_t count;
};

/* Penalties of groups, and no penalty; bounds of attributes that have one. */
struct th_config_group {
  const char *file;            /* NULL: those of the data set */
  const char *weights;         /* file of factors of attributes; NULL: none */
  double mix;                  /* sparse-group: the share of norm1 */
  const struct th_groups *all; /* borrowed; NULL: each attribute is one */
  struct th_config_exempt exempt;
  bool positive; /* the same as a lower bound of 0 */
  struct th_config_bound lower;
  struct th_config_bound upper;
};

/* Examples that stay together in folds (api/fold_groups.h). */
struct th_config_together {
  const char *text;     /* the column as given; NULL: none */
  const int64_t *first; /* of each training example the first of its group,
                           which is one for itself; borrowed */
  int64_t count;        /* groups that have an example of some weight */
};

/* The choice of lambda on a path (predict/chooser.h). */
struct th_config_choice {
  double path_min; /* the last lambda, over lambda_max; 0: by rule */
  enum th_choose how;
  int64_t folds;                      /* 0: by rule */
  struct th_config_together together; /* in folds of any solver */
  int64_t parts; /* by the plan: parts of the examples that are held out, one
                    after the other; 0: nothing is chosen */
  bool few;      /* by the plan: something would be, but examples are too few */
  double from;   /* by the chooser: where the path begins, as that of all
                    examples did; 0: at lambda_max of the problem */
};

/* How families of solvers work. */
struct th_config_method {
  enum th_falling steps;       /* of stochastic methods */
  enum th_factoring factoring; /* of ridge */
};

/* Losses that are linear far from the target (math/loss.h). */
struct th_config_scaled {
  double scale; /* in units of the target; 0: by the quartiles of the targets */
  double quantile;
};

/* Plain values; 0 means "by the automatic rule" unless said otherwise. Defaults
 * are those of th_config_default; names, ranges and help of the options are in
 * src/api/training_options.c. */
struct th_config {
  const char *solver; /* a name from the solver table */
  int64_t sparsity;   /* s; 0: not given */
  int64_t budget;     /* s' */
  const char *loss;   /* a name from the loss table */
  struct th_config_scaled scaled;
  int64_t passes;    /* upper limit */
  double validation; /* fraction; negative: 0.1 where the solver stops early */
  uint64_t seed;
  bool standardize;
  bool intercept;
  enum th_refit refit;
  enum th_select_for select; /* of sift */
  double eta;                /* step size, or TH_ETA_THEORY */
  struct th_config_method method;
  struct th_config_ball ball;
  struct th_config_rounds rounds;
  struct th_config_start start;
  struct th_config_greedy greedy;
  /* Penalised solvers: exactly one of lambda, lambda_ratio and path is given
   * after th_train_plan. */
  const char *penalty; /* a name from the penalty table */
  struct th_config_group group;
  double lambda;
  double lambda_ratio; /* of lambda_max */
  int64_t path;        /* values of lambda, from lambda_max down */
  struct th_config_choice choice;
  struct th_config_screening screening;
  int64_t batch;     /* examples in a step */
  int64_t epochs;    /* most passes; also in passes after th_train_plan */
  double tolerance;  /* stop at this duality gap; 0: at 1e-9 of the
                        objective of the zero model */
  double confidence; /* of statistical certificates */
  int64_t row_cache_memory; /* bytes of a rank for examples that are kept */
};

/* The defaults. Local. */
struct th_config th_config_default(void);

#endif
