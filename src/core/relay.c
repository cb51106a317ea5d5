/* relay.c - pieces that several threads make and the first one uses, in order
 * SPDX-License-Identifier: MIT */
#include "core/relay.h"

#include "core/memory.h"
#include "core/team.h"

#include <pthread.h>
#include <stdbool.h>

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

static struct place *place_of(const struct work *work, int64_t piece)
{
  return &work->place[piece % work->relay->places];
}

/* Whether there is one to be begun, with a free place. Under the mutex. */
static bool may_begin(const struct work *work)
{
  return work->begun < work->relay->count &&
         work->begun < work->used + work->relay->places;
}

static void make(struct work *work, int64_t piece)
{
  const struct th_relay *relay = work->relay;
  struct place *place = place_of(work, piece);
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
  struct place *place = place_of(work, work->used);
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
    const struct place *next = place_of(work, work->used);
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

static th_status take_part(struct th_comm *comm, void *self,
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

th_status th_relay_run(const struct th_relay *relay, struct th_comm *comm,
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
  rc = th_team_run(comm, threads, take_part, hand, sizeof *hand, &made, err);
done:
  TH_FREE(work.place, hand);
  pthread_cond_destroy(&work.news);
  pthread_mutex_destroy(&work.mutex);
  return rc;
}
