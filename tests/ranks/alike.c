/* alike.c - ranks that were started otherwise are named, each of them in
 * turn, and in which way
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "cli/alike.h"
#include "mpi/mpi_comm.h"

#include <string.h>

/* The same check in a program of another version: see CMakeLists.txt. */
th_status th_alike_other(struct th_comm *comm, int argc, char **argv,
                         uint64_t arithmetic, struct th_error *err);

enum { MOST = 4 };

struct line {
  int count;
  char *word[MOST];
};

/* What rank `odd` was given, and what all others; the words on rank 0, where
 * that is one of the others and where it is not. */
struct trial {
  struct line odd;
  struct line others;
  const char *told[2];
};

static const struct trial trials[] = {
    {{3, {"/a/thresher", "train", "--seed=2"}},
     {3, {"thresher", "train", "--seed=1"}},
     {"was given --seed=2, where rank 0 was given --seed=1; start",
      "was given --seed=1, where rank 0 was given --seed=2; start"}},
    {{2, {"thresher", "bench"}},
     {3, {"thresher", "train", "x"}},
     {"was given bench, where rank 0 was given train; start",
      "was given train, where rank 0 was given bench; start"}},
    {{2, {"thresher", "train"}},
     {4, {"thresher", "train", "a", "b"}},
     {"was given nothing, where rank 0 was given a; start",
      "was given a, where the arguments of rank 0 end; start"}},
    {{3, {"thresher", "ab", "c"}},
     {3, {"thresher", "a", "bc"}},
     {"was given ab, where rank 0 was given a; start",
      "was given a, where rank 0 was given ab; start"}},
};

static void check_told(const struct th_comm *comm, int odd,
                       const char *const told[2], const struct th_error *err)
{
  char named[32];
  snprintf(named, sizeof named, "rank %d ", odd == 0 ? 1 : odd);
  CHECK(err->rank == -1); /* all fail alike: no rank goes before the words */
  if (comm->rank != 0)
    return;
  CHECK(strncmp(err->text, named, strlen(named)) == 0);
  CHECK(strstr(err->text, told[odd == 0]) != NULL);
}

static void test_arguments(struct th_comm *comm, const struct trial *trial)
{
  for (int odd = 0; odd < comm->size && comm->size > 1; odd++) {
    const struct line *mine = comm->rank == odd ? &trial->odd : &trial->others;
    char *word[MOST];
    struct th_error err;
    th_error_clear(&err);
    memcpy(word, mine->word, sizeof word);
    CHECK(th_alike_check(comm, mine->count, word, 1, &err) == TH_EUSAGE);
    check_told(comm, odd, trial->told, &err);
  }
}

/* Longer than what is exchanged: differs, though in what is not told. */
static void test_long(struct th_comm *comm)
{
  enum { LONG = 9000 };
  static char text[LONG + 1];
  char *word[3] = {"thresher", "train", text};
  struct th_error err;
  th_error_clear(&err);
  memset(text, 'x', LONG);
  CHECK(th_alike_check(comm, 3, word, 1, &err) == TH_OK);
  text[LONG - 1] = comm->rank == comm->size - 1 ? 'y' : 'x';
  CHECK(th_alike_check(comm, 3, word, 1, &err) ==
        (comm->size > 1 ? TH_EUSAGE : TH_OK));
}

static void test_version(struct th_comm *comm)
{
  static const char *const told[2] = {
      "runs thresher 99.1, rank 0 thresher 99;",
      "runs thresher 99, rank 0 thresher 99.1;"};
  char *word[2] = {"thresher", "solvers"};
  for (int odd = 0; odd < comm->size && comm->size > 1; odd++) {
    struct th_error err;
    th_error_clear(&err);
    th_status rc = comm->rank == odd ? th_alike_other(comm, 2, word, 1, &err)
                                     : th_alike_check(comm, 2, word, 1, &err);
    CHECK(rc == TH_EARG);
    check_told(comm, odd, told, &err);
  }
}

static void test_arithmetic(struct th_comm *comm)
{
  static const char *const told[2] = {"computes with other bits than rank 0",
                                      "computes with other bits than rank 0"};
  char *word[2] = {"thresher", "solvers"};
  for (int odd = 0; odd < comm->size && comm->size > 1; odd++) {
    struct th_error err;
    th_error_clear(&err);
    CHECK(th_alike_check(comm, 2, word, comm->rank == odd ? 1 : 2, &err) ==
          TH_EARG);
    check_told(comm, odd, told, &err);
  }
}

static void test_same(struct th_comm *comm, int argc, char **argv)
{
  struct th_error err;
  th_error_clear(&err);
  int64_t before = comm->operations;
  CHECK(th_alike_check(comm, argc, argv, 1, &err) == TH_OK);
  CHECK(comm->operations == before + (comm->size > 1));
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(test_same(&comm, argc, argv));
  for (size_t k = 0; k < sizeof trials / sizeof *trials; k++)
    CASE(test_arguments(&comm, &trials[k]));
  CASE(test_long(&comm));
  CASE(test_version(&comm));
  CASE(test_arithmetic(&comm));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
