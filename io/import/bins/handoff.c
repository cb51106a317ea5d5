/* handoff.c - tiles that one thread makes and another one writes, in order
 * SPDX-License-Identifier: MIT */
#include "io/import/bins/handoff.h"

void th_handoff_init(struct th_handoff *handoff,
                     const struct th_transpose *like)
{
  *handoff = (struct th_handoff){.made = 0};
  pthread_mutex_init(&handoff->mutex, NULL);
  pthread_cond_init(&handoff->news, NULL);
  for (int k = 0; k < TH_HANDOFF_PLACES; k++)
    handoff->place[k] = *like;
}

void th_handoff_free(struct th_handoff *handoff)
{
  for (int k = 0; k < TH_HANDOFF_PLACES; k++)
    th_transpose_free(&handoff->place[k]);
  pthread_cond_destroy(&handoff->news);
  pthread_mutex_destroy(&handoff->mutex);
}

struct th_transpose *th_handoff_place(struct th_handoff *handoff)
{
  pthread_mutex_lock(&handoff->mutex);
  while (!handoff->ended &&
         handoff->made - handoff->written == TH_HANDOFF_PLACES)
    pthread_cond_wait(&handoff->news, &handoff->mutex);
  bool wanted = !handoff->ended;
  int64_t next = handoff->made;
  pthread_mutex_unlock(&handoff->mutex);
  return wanted ? &handoff->place[next % TH_HANDOFF_PLACES] : NULL;
}

const struct th_transpose *th_handoff_next(struct th_handoff *handoff)
{
  pthread_mutex_lock(&handoff->mutex);
  while (!handoff->ended && handoff->made == handoff->written)
    pthread_cond_wait(&handoff->news, &handoff->mutex);
  bool there = handoff->made > handoff->written;
  int64_t next = handoff->written;
  pthread_mutex_unlock(&handoff->mutex);
  return there ? &handoff->place[next % TH_HANDOFF_PLACES] : NULL;
}

void th_handoff_made(struct th_handoff *handoff)
{
  pthread_mutex_lock(&handoff->mutex);
  handoff->made++;
  pthread_cond_signal(&handoff->news);
  pthread_mutex_unlock(&handoff->mutex);
}

void th_handoff_written(struct th_handoff *handoff)
{
  pthread_mutex_lock(&handoff->mutex);
  handoff->written++;
  pthread_cond_signal(&handoff->news);
  pthread_mutex_unlock(&handoff->mutex);
}

void th_handoff_end(struct th_handoff *handoff)
{
  pthread_mutex_lock(&handoff->mutex);
  handoff->ended = true;
  pthread_cond_signal(&handoff->news);
  pthread_mutex_unlock(&handoff->mutex);
}
