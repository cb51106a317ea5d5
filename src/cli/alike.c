/* alike.c - checks that all ranks run the same program with the same arguments
 *
 * After this check another version may communicate in another way. So only here
 * do ranks of different versions exchange data: their sizes are fixed and stay
 * so in later versions.
 * SPDX-License-Identifier: MIT */
#include "cli/alike.h"

#include "base/integer.h"
#include "io/files/hash.h"

#include <string.h>

/* In the order of reporting: the first difference explains the others. */
enum part { VERSION, BUILD, ARITHMETIC, ARGUMENTS, PARTS };

enum { CARD = 4096 }; /* bytes of version and arguments that are exchanged */

static void hash_parts(int argc, char **argv, uint64_t arithmetic,
                       int64_t mine[PARTS])
{
  uint64_t build = 0; /* 0 if the program cannot read itself */
  uint64_t line = TH_FNV_BASIS;
  const char version[] = THRESHER_VERSION;
  th_hash_file("/proc/self/exe", &build);
  for (int k = 1; k < argc; k++)
    line = th_integer_hash(line, argv[k], strlen(argv[k]) + 1);
  mine[VERSION] =
      (int64_t)th_integer_hash(TH_FNV_BASIS, version, sizeof version);
  mine[BUILD] = (int64_t)build;
  mine[ARITHMETIC] = (int64_t)arithmetic;
  mine[ARGUMENTS] = (int64_t)line;
}

/* Fill the card with version and arguments, each ended by a zero. Dots stand
 * for what does not fit. */
static void fill_card(char card[CARD], int argc, char **argv)
{
  static const char more[] = "...";
  size_t used = sizeof THRESHER_VERSION;
  memset(card, 0, CARD);
  memcpy(card, THRESHER_VERSION, used);
  for (int k = 1; k < argc; k++) {
    size_t length = strlen(argv[k]) + 1;
    bool fits = length + sizeof more < CARD - used;
    memcpy(card + used, fits ? argv[k] : more, fits ? length : sizeof more);
    used += length;
    if (!fits)
      return;
  }
}

/* The first argument that differs, in words. */
static th_status tell_arguments(int odd, const char *theirs, int argc,
                                char **argv, struct th_error *err)
{
  static const char remedy[] = "start every rank with the same command line";
  int k = 1;
  for (; k < argc && strcmp(theirs, argv[k]) == 0; k++)
    theirs += strlen(theirs) + 1;
  if (k == argc)
    return th_fail(err, TH_EUSAGE,
                   "rank %d was given %.200s, where the arguments of rank 0 "
                   "end; %s",
                   odd, theirs, remedy);
  if (theirs[0] == '\0')
    return th_fail(err, TH_EUSAGE,
                   "rank %d was given nothing, where rank 0 was given %.200s; "
                   "%s",
                   odd, argv[k], remedy);
  return th_fail(err, TH_EUSAGE,
                 "rank %d was given %.200s, where rank 0 was given %.200s; %s",
                 odd, theirs, argv[k], remedy);
}

/* Make the message on rank 0, which prints it. */
static th_status refuse_rank(int odd, enum part part, const char *card,
                             int argc, char **argv, struct th_error *err)
{
  static const char remedy[] = "start the same program on every rank";
  if (part == VERSION)
    return th_fail(err, TH_EARG,
                   "rank %d runs thresher %.40s, rank 0 thresher %s; %s", odd,
                   card, THRESHER_VERSION, remedy);
  if (part == BUILD)
    return th_fail(err, TH_EARG,
                   "rank %d runs another build of thresher %s than rank 0; %s",
                   odd, THRESHER_VERSION, remedy);
  if (part == ARITHMETIC)
    return th_fail(err, TH_EARG,
                   "rank %d computes with other bits than rank 0 (thresher "
                   "bench self prints a hash of them); install the same "
                   "version of SLEEF for every rank",
                   odd);
  return tell_arguments(odd, card + strlen(card) + 1, argc, argv, err);
}

/* Collective: find the first rank that differs from rank 0, and in what. */
static th_status name_first(struct th_comm *comm, int64_t mine[PARTS], int argc,
                            char **argv, struct th_error *err)
{
  int64_t first[PARTS];
  char card[CARD];
  memcpy(first, mine, sizeof first);
  comm->ops->bcast(comm, first, sizeof first, 0);
  int64_t lowest =
      memcmp(first, mine, sizeof first) == 0 ? 0 : comm->size - comm->rank;
  comm->ops->max_i64(comm, &lowest, 1);
  int odd = comm->size - (int)lowest;
  fill_card(card, argc, argv);
  comm->ops->bcast(comm, mine, PARTS * sizeof *mine, odd);
  comm->ops->bcast(comm, card, sizeof card, odd);
  int part = 0;
  while (part < ARGUMENTS && mine[part] == first[part])
    part++;
  return refuse_rank(odd, (enum part)part, card, argc, argv, err);
}

th_status th_alike_check(struct th_comm *comm, int argc, char **argv,
                         uint64_t arithmetic, struct th_error *err)
{
  int64_t mine[PARTS];
  int64_t ends[2 * PARTS]; /* the largest, and what the smallest lacks */
  bool same = true;
  if (comm->size == 1)
    return TH_OK;
  hash_parts(argc, argv, arithmetic, mine);
  for (int k = 0; k < PARTS; k++) {
    ends[k] = mine[k];
    ends[PARTS + k] = ~mine[k];
  }
  comm->ops->max_i64(comm, ends, sizeof ends / sizeof *ends);
  for (int k = 0; k < PARTS; k++)
    same = same && ends[k] == ~ends[PARTS + k];
  return same ? TH_OK : name_first(comm, mine, argc, argv, err);
}
