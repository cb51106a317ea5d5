/* team.c - threads as ranks: work written for ranks, on several cores of one
 *
 * An operation has three steps with a wait between them: every thread shows
 * where its values are; the first one brings them together, over the ranks as
 * well; every thread takes the result.
 * SPDX-License-Identifier: MIT */
#include "ranks/team.h"

#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Bytes of addresses that a thread may take: its stack, its part of the heap,
 * of which the C library asks for twice the 64 MiB at first, and what it makes.
 */
static const double addresses_each = 256e6;

struct member {
  struct th_comm comm; /* of this thread */
  struct team *team;
  pthread_t thread;
  void *self;
  th_status rc;
  struct th_error err;
  void *shown; /* the values of the operation under way */
};

/* The mutex guards waiting, round and threads. */
struct team {
  struct th_comm *base; /* used by the first thread alone */
  th_team_work work;
  int threads; /* of each rank; 0: not known yet; -1: none are wanted */
  struct member *member;
  int64_t *bytes; /* of the parts of a join, of each rank */
  pthread_mutex_t mutex;
  pthread_cond_t turn;
  int waiting;
  int64_t round;
};

/* Wait until all threads of this rank are here. */
static void wait_for_threads(struct team *team)
{
  pthread_mutex_lock(&team->mutex);
  int64_t round = team->round;
  if (++team->waiting == team->threads) {
    team->waiting = 0;
    team->round++;
    pthread_cond_broadcast(&team->turn);
  }
  while (team->round == round)
    pthread_cond_wait(&team->turn, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

static int thread_number(const struct member *member)
{
  return (int)(member - member->team->member);
}

/* Bring the values of all threads together in those of the first one. */
typedef void (*gather)(struct team *team, size_t count);

/* Afterwards every thread may look at what the first one has made of all. */
static void work_in_first(struct th_comm *comm, void *values, size_t count,
                          gather bring)
{
  struct member *member = comm->transport;
  struct team *team = member->team;
  comm->operations++;
  member->shown = values;
  wait_for_threads(team);
  if (thread_number(member) == 0)
    bring(team, count);
  wait_for_threads(team);
}

static void operate(struct th_comm *comm, void *values, size_t count,
                    size_t size, gather bring)
{
  struct member *member = comm->transport;
  struct team *team = member->team;
  work_in_first(comm, values, count, bring);
  if (thread_number(member) > 0 && count > 0)
    memcpy(values, team->member[0].shown, count * size);
  wait_for_threads(team);
}

static void bring_sum(struct team *team, size_t count)
{
  int64_t *sum = team->member[0].shown;
  for (int t = 1; t < team->threads; t++)
    for (size_t k = 0; k < count; k++)
      sum[k] += ((const int64_t *)team->member[t].shown)[k];
  team->base->ops->sum_i64(team->base, sum, count);
}

static void sum_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  operate(comm, values, count, sizeof *values, bring_sum);
}

/* Sums over the lower threads of all ranks, in each thread's own values. The
 * last thread's are the sums of this rank meanwhile. */
static void bring_prefix(struct team *team, size_t count)
{
  int64_t *last = team->member[team->threads - 1].shown;
  for (int t = 1; t < team->threads; t++)
    for (size_t k = 0; k < count; k++)
      ((int64_t *)team->member[t].shown)[k] +=
          ((const int64_t *)team->member[t - 1].shown)[k];
  team->base->ops->prefix_i64(team->base, last, count);
  for (size_t k = 0; k < count; k++) {
    int64_t before = last[k];
    for (int t = team->threads - 1; t > 0; t--)
      ((int64_t *)team->member[t].shown)[k] =
          before + ((const int64_t *)team->member[t - 1].shown)[k];
    ((int64_t *)team->member[0].shown)[k] = before;
  }
}

static void prefix_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  work_in_first(comm, values, count, bring_prefix);
}

static void bring_max_i64(struct team *team, size_t count)
{
  int64_t *most = team->member[0].shown;
  for (int t = 1; t < team->threads; t++) {
    const int64_t *other = team->member[t].shown;
    for (size_t k = 0; k < count; k++)
      most[k] = other[k] > most[k] ? other[k] : most[k];
  }
  team->base->ops->max_i64(team->base, most, count);
}

static void max_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  operate(comm, values, count, sizeof *values, bring_max_i64);
}

static void bring_max_f64(struct team *team, size_t count)
{
  double *most = team->member[0].shown;
  for (int t = 1; t < team->threads; t++) {
    const double *other = team->member[t].shown;
    for (size_t k = 0; k < count; k++)
      most[k] = other[k] > most[k] ? other[k] : most[k];
  }
  team->base->ops->max_f64(team->base, most, count);
}

static void max_f64(struct th_comm *comm, double *values, size_t count)
{
  operate(comm, values, count, sizeof *values, bring_max_f64);
}

static void bring_nothing(struct team *team, size_t count)
{
  (void)count;
  team->base->ops->barrier(team->base);
}

static void team_barrier(struct th_comm *comm)
{
  operate(comm, NULL, 0, 1, bring_nothing);
}

static void bcast(struct th_comm *comm, void *data, size_t bytes, int root)
{
  struct member *member = comm->transport;
  struct team *team = member->team;
  comm->operations++;
  member->shown = data;
  wait_for_threads(team);
  if (thread_number(member) == 0) {
    int rank = root / team->threads;
    const void *from = team->member[root % team->threads].shown;
    if (rank == team->base->rank && from != data && bytes > 0)
      memcpy(data, from, bytes);
    team->base->ops->bcast(team->base, data, bytes, rank);
  }
  wait_for_threads(team);
  if (thread_number(member) > 0 && bytes > 0)
    memcpy(data, team->member[0].shown, bytes);
  wait_for_threads(team);
}

/* The parts of this rank's threads to the first one's, and then of all ranks.
 */
static void bring_parts(struct team *team, const int64_t *bytes)
{
  int64_t at = 0;
  char *all = team->member[0].shown;
  for (int r = 0; r < team->base->size; r++) {
    team->bytes[r] = 0;
    for (int t = 0; t < team->threads; t++) {
      int64_t part = bytes[r * team->threads + t];
      if (r == team->base->rank && t > 0 && part > 0)
        memcpy(all + at, (const char *)team->member[t].shown + at,
               (size_t)part);
      team->bytes[r] += part;
      at += part;
    }
  }
  team->base->ops->join(team->base, all, team->bytes);
}

static void join_parts(struct th_comm *comm, void *all, const int64_t *bytes)
{
  struct member *member = comm->transport;
  struct team *team = member->team;
  int64_t whole = 0;
  for (int r = 0; r < comm->size; r++)
    whole += bytes[r];
  comm->operations++;
  member->shown = all;
  wait_for_threads(team);
  if (thread_number(member) == 0)
    bring_parts(team, bytes);
  wait_for_threads(team);
  if (thread_number(member) > 0 && whole > 0)
    memcpy(all, team->member[0].shown, (size_t)whole);
  wait_for_threads(team);
}

static const struct th_comm_ops ops = {.sum_i64 = sum_i64,
                                       .prefix_i64 = prefix_i64,
                                       .max_i64 = max_i64,
                                       .max_f64 = max_f64,
                                       .bcast = bcast,
                                       .join = join_parts,
                                       .barrier = team_barrier};

static void work_as(struct member *member)
{
  struct team *team = member->team;
  int threads = team->threads;
  member->comm = (struct th_comm){.ops = &ops,
                                  .rank = team->base->rank * threads +
                                          thread_number(member),
                                  .size = team->base->size * threads,
                                  .transport = member};
  member->rc = team->work(&member->comm, member->self, &member->err);
}

/* A thread begins when it is known how many there are on each rank. */
static void *begin(void *self)
{
  struct member *member = self;
  struct team *team = member->team;
  pthread_mutex_lock(&team->mutex);
  while (team->threads == 0)
    pthread_cond_wait(&team->turn, &team->mutex);
  bool wanted = thread_number(member) < team->threads;
  pthread_mutex_unlock(&team->mutex);
  if (wanted)
    work_as(member);
  return NULL;
}

/* Threads with signals blocked, since the main thread handles them; how many
 * there are, with the calling one. */
static int start(struct team *team, int threads)
{
  sigset_t all;
  sigset_t before;
  int made = 1;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return made;
  while (made < threads && pthread_create(&team->member[made].thread, NULL,
                                          begin, &team->member[made]) == 0)
    made++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return made;
}

static void tell_threads(struct team *team, int threads)
{
  pthread_mutex_lock(&team->mutex);
  team->threads = threads;
  pthread_cond_broadcast(&team->turn);
  pthread_mutex_unlock(&team->mutex);
}

/* rc: whether this rank has room for its threads. */
static th_status run(struct team *team, int threads, int *made, th_status rc,
                     struct th_error *err)
{
  int started = rc == TH_OK ? start(team, threads) : 1;
  int64_t least[2] = {-started}; /* of all ranks */
  rc = th_comm_max_agree(team->base, least, 1, rc, err);
  tell_threads(team, rc == TH_OK ? (int)-least[0] : -1);
  if (rc == TH_OK)
    work_as(&team->member[0]);
  for (int t = 1; t < started; t++)
    pthread_join(team->member[t].thread, NULL);
  if (rc != TH_OK)
    return rc;
  *made = team->threads;
  if (team->member[0].rc == TH_OK)
    return TH_OK;
  *err = team->member[0].err;
  err->rank /= team->threads;
  return err->code;
}

/* How many threads the limit on the process's addresses leaves room for. */
static int64_t address_room(void)
{
  struct rlimit limit;
  long long pages = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return INT64_MAX;
  FILE *sizes = fopen("/proc/self/statm", "r");
  bool known = sizes != NULL && fscanf(sizes, "%lld", &pages) == 1;
  if (sizes != NULL)
    fclose(sizes);
  double left =
      (double)limit.rlim_cur - (double)pages * (double)sysconf(_SC_PAGESIZE);
  return known && left > 0 ? 1 + (int64_t)(left / addresses_each) : 1;
}

int th_team_size(int wanted, int64_t worth, int64_t room)
{
  room = th_min_i64(room, address_room());
  int64_t most = wanted < 0 || room < worth ? room : worth;
  int64_t threads = wanted < 0 ? -(int64_t)wanted : wanted;
  threads = threads < most ? threads : most;
  return threads < 1 ? 1 : (int)threads;
}

th_status th_team_run(struct th_comm *comm, int threads, th_team_work work,
                      void *self, size_t each, int *made, struct th_error *err)
{
  struct team team = {.base = comm, .work = work};
  th_status rc = TH_OK;
  pthread_mutex_init(&team.mutex, NULL);
  pthread_cond_init(&team.turn, NULL);
  if (threads < 1)
    threads = 1;
  rc = TH_NEW(&team.member, threads, "threads", err);
  if (rc == TH_OK)
    rc = TH_NEW(&team.bytes, comm->size, "threads", err);
  for (int t = 0; rc == TH_OK && t < threads; t++) {
    team.member[t].team = &team;
    team.member[t].self = (char *)self + (size_t)t * each;
    team.member[t].err.rank = -1;
  }
  rc = run(&team, threads, made, rc, err);
  TH_FREE(team.member, team.bytes);
  pthread_cond_destroy(&team.turn);
  pthread_mutex_destroy(&team.mutex);
  return rc;
}

/* --- How much main memory there is for each rank -------------------------- */

/* A whole number from the environment; 0: none. */
static int64_t number_in(const char *variable)
{
  const char *text = getenv(variable);
  long long number = text != NULL ? strtoll(text, NULL, 10) : 0;
  return number > 0 && number < INT32_MAX ? number : 0;
}

/* What Slurm grants a job on this node; 0: no limit is known. */
static int64_t granted_memory(void)
{
  int64_t node = number_in("SLURM_MEM_PER_NODE");
  int64_t cores =
      number_in("SLURM_MEM_PER_CPU") * number_in("SLURM_CPUS_ON_NODE");
  return (node > 0 ? node : cores) << 20;
}

static int64_t main_memory(void)
{
  long pages = sysconf(_SC_PHYS_PAGES);
  long size = sysconf(_SC_PAGESIZE);
  bool known = pages > 0 && size > 0;
  int64_t memory = known ? (int64_t)pages * size : (int64_t)1 << 32;
  int64_t granted = granted_memory();
  return granted > 0 && granted < memory ? granted : memory;
}

int64_t th_team_memory_share(struct th_comm *comm)
{
  struct th_comm node;
  comm->ops->split_node(comm, &node);
  int64_t least = -(main_memory() / node.size);
  th_comm_free(&node);
  comm->ops->max_i64(comm, &least, 1);
  return -least;
}

int th_team_together(struct th_comm *comm, int64_t *room)
{
  struct statvfs shm;
  struct th_comm node;
  comm->ops->split_node(comm, &node);
  int64_t least[2] = {-node.size, 0};
  th_comm_free(&node);
  if (statvfs("/dev/shm", &shm) == 0)
    least[1] = -(int64_t)fmin((double)shm.f_bavail * (double)shm.f_frsize,
                              (double)INT64_MAX / 2);
  comm->ops->max_i64(comm, least, 2);
  *room = -least[1];
  return (int)-least[0];
}

/* --- How many cores there are for each rank
 *
 * Affinity is not in POSIX: src/ranks/CMakeLists.txt asks for its declaration.
 */

static cpu_set_t own_cores(void)
{
  cpu_set_t cores;
  memset(&cores, 0, sizeof cores); /* it is compared as bytes */
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    CPU_ZERO(&cores);
  return cores;
}

/* Sets of cores of one hash count as the same one. */
int th_team_core_share(struct th_comm *comm)
{
  enum { COLOR = INT32_MAX };
  cpu_set_t mine = own_cores();
  uint64_t hash = th_integer_hash(TH_FNV_BASIS, &mine, sizeof mine);
  struct th_comm node;
  struct th_comm alike;
  comm->ops->split_node(comm, &node);
  node.ops->split(&node, (int)(hash % COLOR), &alike);
  int cores = CPU_COUNT(&mine);
  int share = cores > alike.size ? cores / alike.size : 1;
  th_comm_free(&alike);
  th_comm_free(&node);
  return share;
}

/* --- Pieces that several threads make and the first one uses, in order ---- */

/* What is made in a place. */
struct place {
  bool made;
  th_status rc;
  struct th_error err;
};

/* The mutex guards all but the pieces' own data. */
struct work {
  const struct th_relay *relay;
  struct place *place;
  pthread_mutex_t mutex;
  pthread_cond_t news;
  int64_t begun; /* pieces that some thread makes or has made */
  int64_t used;
  bool ended; /* nobody wants more */
};

/* A thread's part. */
struct hand {
  struct work *work;
  bool first; /* the one that uses pieces */
};

static struct place *relay_place(const struct work *work, int64_t piece)
{
  return &work->place[piece % work->relay->places];
}

/* True if there is work to be begun, with a free place. Under the mutex. */
static bool may_begin(const struct work *work)
{
  return work->begun < work->relay->count &&
         work->begun < work->used + work->relay->places;
}

static void make(struct work *work, int64_t piece)
{
  const struct th_relay *relay = work->relay;
  struct place *place = relay_place(work, piece);
  th_error_clear(&place->err);
  th_status rc = relay->make(relay->self, piece, (int)(piece % relay->places),
                             &place->err);
  pthread_mutex_lock(&work->mutex);
  place->rc = rc;
  place->made = true;
  pthread_cond_broadcast(&work->news);
  pthread_mutex_unlock(&work->mutex);
}

/* Pieces that are nobody's yet, until all are begun. */
static void help(struct work *work)
{
  while (true) {
    pthread_mutex_lock(&work->mutex);
    while (!work->ended && !may_begin(work) && work->begun < work->relay->count)
      pthread_cond_wait(&work->news, &work->mutex);
    bool wanted = !work->ended && may_begin(work);
    int64_t piece = wanted ? work->begun++ : -1;
    pthread_mutex_unlock(&work->mutex);
    if (!wanted)
      return;
    make(work, piece);
  }
}

static th_status use(struct work *work, struct th_error *err)
{
  const struct th_relay *relay = work->relay;
  struct place *place = relay_place(work, work->used);
  th_status rc = place->rc;
  if (rc != TH_OK)
    *err = place->err;
  else
    rc = relay->use(relay->self, work->used, (int)(work->used % relay->places),
                    err);
  pthread_mutex_lock(&work->mutex);
  place->made = false;
  work->used++;
  work->ended = rc != TH_OK;
  pthread_cond_broadcast(&work->news);
  pthread_mutex_unlock(&work->mutex);
  return rc;
}

/* Use the next piece; while it is being made elsewhere, make another one. */
static th_status use_all(struct work *work, struct th_error *err)
{
  th_status rc = TH_OK;
  while (rc == TH_OK && work->used < work->relay->count) {
    const struct place *next = relay_place(work, work->used);
    pthread_mutex_lock(&work->mutex);
    while (!next->made && !may_begin(work))
      pthread_cond_wait(&work->news, &work->mutex);
    bool ready = next->made;
    int64_t piece = ready ? -1 : work->begun++;
    pthread_mutex_unlock(&work->mutex);
    if (ready)
      rc = use(work, err);
    else
      make(work, piece);
  }
  return rc;
}

static th_status relay_part(struct th_comm *comm, void *self,
                            struct th_error *err)
{
  const struct hand *hand = self;
  th_status rc = TH_OK;
  if (hand->first)
    rc = use_all(hand->work, err);
  else
    help(hand->work);
  return th_agree(comm, rc, err);
}

th_status th_team_relay_run(const struct th_relay *relay, struct th_comm *comm,
                            int threads, struct th_error *err)
{
  struct work work = {.relay = relay};
  struct hand *hand = NULL;
  int made = 1;
  pthread_mutex_init(&work.mutex, NULL);
  pthread_cond_init(&work.news, NULL);
  th_status rc = TH_NEW(&work.place, relay->places, "threads", err);
  if (rc == TH_OK)
    rc = TH_NEW(&hand, threads, "threads", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int t = 0; t < threads; t++)
    hand[t] = (struct hand){.work = &work, .first = t == 0};
  rc = th_team_run(comm, threads, relay_part, hand, sizeof *hand, &made, err);
done:
  TH_FREE(work.place, hand);
  pthread_cond_destroy(&work.news);
  pthread_mutex_destroy(&work.mutex);
  return rc;
}
