/* check.h - cases that have a name, and checks that count failures and go on,
 * so that ranks stay together
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHECK_H
#define TH_CHECK_H

#include "ranks/comm.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Failures so far in this test program: one count for all of its files. */
__attribute__((weak)) int check_failures = 0;

/* A case: the calls of a function of the test at one place in the program. */
struct check_case {
  const char *name; /* the call as it is written, or a name of its own */
  const char *said; /* name under which it was said to be ok */
  int64_t number;   /* of a row in a table; -1: of none */
  int runs;
  int before; /* failures */
  struct check_case *outer;
};

/* The case that runs, NULL between cases; and the rank of this process, of
 * which 0 alone says what is ok. */
__attribute__((weak)) struct check_case *check_case = NULL;
__attribute__((weak)) int check_rank = 0;

/* Run a call as a case: `case NAME: ok` when it has run, once for all runs of
 * that place, or FAILED for each run that has. `test_` is left out of the name.
 */
#define CASE(...) CHECK_CASE(#__VA_ARGS__, -1, __VA_ARGS__)

/* The same for row `number` of a table, and for a row that has a name. */
#define CASE_OF(number, ...) CHECK_CASE(#__VA_ARGS__, number, __VA_ARGS__)
#define CASE_NAMED(name, ...) CHECK_CASE(name, -1, __VA_ARGS__)

#define CHECK_CASE(name, number, ...)                                          \
  do {                                                                         \
    static struct check_case check_here;                                       \
    check_case_begin(&check_here, name, number);                               \
    __VA_ARGS__;                                                               \
    check_case_end(&check_here);                                               \
  } while (0)

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      check_failed(__FILE__, __LINE__);                                        \
      fprintf(stderr, "check failed: %s\n", #condition);                       \
    }                                                                          \
  } while (0)

/* Both values within a relative tolerance of the larger magnitude, or an
 * absolute one of the same size near zero. */
#define CHECK_NEAR(a, b, tolerance)                                            \
  do {                                                                         \
    double check_a = (a);                                                      \
    double check_b = (b);                                                      \
    double check_size = fmax(1.0, fmax(fabs(check_a), fabs(check_b)));         \
    if (!(fabs(check_a - check_b) <= (tolerance)*check_size)) {                \
      check_failed(__FILE__, __LINE__);                                        \
      fprintf(stderr, "%s = %.17g, %s = %.17g\n", #a, check_a, #b, check_b);   \
    }                                                                          \
  } while (0)

/* Of a test on several ranks, before its first case. Local. */
static inline void check_start(const struct th_comm *comm)
{
  check_rank = comm->rank;
}

/* Name of a case, without arguments that are addresses; its row; its run. */
static inline void check_case_say(FILE *file, const struct check_case *c)
{
  const char *name = strncmp(c->name, "test_", 5) == 0 ? c->name + 5 : c->name;
  int length = (int)strcspn(name, "(");
  const char *rest = name + length + (name[length] == '(');
  while (*rest == '&') {
    rest += strcspn(rest, ",)");
    rest += strspn(rest, ", ");
  }
  fprintf(file, "case %.*s", length, name);
  if (c->number >= 0)
    fprintf(file, " %lld", (long long)c->number);
  else if (*rest != '\0' && *rest != ')')
    fprintf(file, "(%s", rest);
  if (c->runs > 1 && c->number < 0 && c->said == c->name)
    fprintf(file, ", run %d", c->runs);
}

static inline void check_case_begin(struct check_case *c, const char *name,
                                    int64_t number)
{
  c->name = name;
  c->number = number;
  c->runs++;
  c->before = check_failures;
  c->outer = check_case;
  check_case = c;
}

static inline void check_case_end(struct check_case *c)
{
  bool again = c->number < 0 && c->said == c->name;
  check_case = c->outer;
  if (check_failures > c->before) {
    check_case_say(stdout, c);
    printf(": FAILED");
    if (check_rank > 0)
      printf(" on rank %d", check_rank);
    printf("\n");
  } else if (check_rank == 0 && !again) {
    check_case_say(stdout, c);
    printf(": ok\n");
    c->said = c->name;
  }
  fflush(stdout); /* a child that is forked has nothing to write */
}

/* Count a failure; where it is, and in which case. */
static inline void check_failed(const char *file, int line)
{
  check_failures++;
  fprintf(stderr, "%s:%d: ", file, line);
  if (check_case != NULL) {
    check_case_say(stderr, check_case);
    fprintf(stderr, ": ");
  }
}

/* Sum the failures of all ranks, so that all leave together; the exit status
 * of the program. Collective; comm may be NULL for a serial test. */
static inline int check_finish(struct th_comm *comm)
{
  int64_t failures = check_failures;
  if (comm != NULL)
    comm->ops->sum_i64(comm, &failures, 1);
  return failures == 0 ? 0 : 1;
}

#endif
