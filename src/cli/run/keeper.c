/* keeper.c - when a run is saved and when it is stopped; what it goes on from
 * SPDX-License-Identifier: MIT */
#include "cli/run/keeper.h"

#include "api/data.h"
#include "base/error.h"
#include "cli/shared/arithmetic.h"
#include "cli/shared/wording.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/files/interrupt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- When a run has to end, by its options and by the batch system -------- */

enum { LEAST_STATUS = 3 }; /* 1 and 2 are failures */

/* A whole number in the environment. -1: not there; -2: something else. */
static int64_t environment_number(const char *name)
{
  const char *text = getenv(name);
  char *end = NULL;
  if (text == NULL || *text == '\0')
    return -1;
  long long value = strtoll(text, &end, 10);
  return *end != '\0' || value < 0 ? -2 : value;
}

static double now_in_unix_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seconds from now to the first of these: the end of --max-time, counted
 * from `began` by th_comm_clock, 0: none; THRESHER_STOP_AT and
 * SLURM_JOB_END_TIME, both in seconds of Unix time. Infinite if there is none.
 * *left may be negative. An error if THRESHER_STOP_AT is no time. */
static th_status find_deadline(int64_t max_time, double began, double *left,
                               struct th_error *err)
{
  static const char *const names[] = {"THRESHER_STOP_AT", "SLURM_JOB_END_TIME"};
  *left = INFINITY;
  if (max_time > 0)
    *left = (double)max_time - (th_comm_clock() - began);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    int64_t at = environment_number(names[k]);
    if (at == -2 && k == 0)
      return th_fail(err, TH_EUSAGE,
                     "%s is %.60s, not a time in seconds since 1970, as "
                     "date +%%s prints it",
                     names[k], getenv(names[k]));
    if (at >= 0)
      *left = fmin(*left, (double)at - now_in_unix_time());
  }
  const char *status = getenv("THRESHER_STOP_STATUS");
  if (status != NULL && *status != '\0' && th_keeper_stop_status(0) == 0)
    return th_fail(err, TH_EUSAGE,
                   "THRESHER_STOP_STATUS is %.60s, not a number from 3 to 125",
                   status);
  return TH_OK;
}

int th_keeper_stop_status(int usual)
{
  int64_t status = environment_number("THRESHER_STOP_STATUS");
  return status >= LEAST_STATUS && status <= 125 ? (int)status : usual;
}

/* --- What is kept, and when ------------------------------------------------
 */

/* How often a file STOP is looked for, in seconds. */
static const double look_every = 0.5;

/* An update of so many seconds is long: what it has done is saved, if writing
 * takes a hundredth of the time since that was last done. */
static const double is_long = 1;
static const double share_of_writing = 0.01;
static const double unnoticed = 0.05;

/* An update that does not end is left so many seconds after a stop was asked
 * for, and so many before the run's time is up. */
static const double leave_after = 5;
static const double leave_before = 1;

/* Until the first checkpoint tells, bytes that are written in a second. */
static const double slow_disk = 1e8;

enum { POLLS = 16 /* without a look at the clock */ };

th_status th_keeper_open(struct th_keeper *keeper,
                         const struct th_options *options, double began,
                         struct th_comm *comm, struct th_error *err)
{
  double left = INFINITY;
  th_status rc;
  *keeper = (struct th_keeper){.comm = comm,
                               .shows = comm->rank == 0,
                               .every = INFINITY,
                               .checkpoint = {.folder = -1, .locked = -1},
                               .found = {.file = -1}};
  rc = find_deadline(options->max_time, began, &left, err);
  TH_TRY(th_agree(comm, rc, err));
  keeper->end = th_comm_clock() + left;
  if (options->checkpoint.every > 0)
    keeper->every = (double)options->checkpoint.every;
  else
    keeper->every_updates = -options->checkpoint.every;
  if (options->checkpoint.folder == NULL)
    return TH_OK;
  TH_TRY(th_checkpoint_open(&keeper->checkpoint, comm,
                            options->checkpoint.folder, err));
  keeper->on = true;
  th_interrupt_listen();
  th_interrupt_ask(true); /* from now on, though nobody looks for some time */
done:
  return rc;
}

/* Lines "NAME VALUE" of all that the bits of a run depend on. Local. */
static th_status make_key(struct th_keeper *keeper,
                          const struct th_training *training,
                          struct th_error *err)
{
  struct th_model deck = {.solver = NULL};
  uint64_t arithmetic = 0;
  uint64_t build = 0; /* 0 if the program cannot read itself */
  size_t size = 0;
  FILE *text = open_memstream(&keeper->key, &size);
  th_status rc = TH_OK;
  if (text == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for a checkpoint");
  TH_TRY(th_arithmetic_hash(&arithmetic, err));
  TH_TRY(th_training_deck(training, &deck, err));
  th_hash_file("/proc/self/exe", &build);
  fprintf(text, "data %016" PRIx64 "\n", training->data->store->fingerprint);
  for (int64_t k = 0; k < deck.settings; k++)
    fprintf(text, "%s %s\n", deck.deck[k].name, deck.deck[k].value);
  fprintf(text, "groups %016" PRIx64 "\n", training->groups.fingerprint);
  if (training->together.first != NULL)
    fprintf(text, "folds %016" PRIx64 "\n", training->together.fingerprint);
  fprintf(text, "version %s\nbuild %016" PRIx64 "\narithmetic %016" PRIx64 "\n",
          THRESHER_VERSION, build, arithmetic);
done:
  th_model_free(&deck);
  if (fclose(text) != 0 && rc == TH_OK)
    rc = th_fail(err, TH_ENOMEM, "no memory for a checkpoint");
  return rc;
}

th_status th_keeper_find(struct th_keeper *keeper, bool fresh,
                         struct th_training *training, struct th_error *err)
{
  char note[TH_CHECKPOINT_NOTE] = "";
  th_status rc;
  if (!keeper->on)
    return TH_OK;
  TH_TRY(th_agree(keeper->comm, make_key(keeper, training, err), err));
  keeper->data = training->data;
  keeper->fresh = fresh;
  TH_TRY(th_checkpoint_find(&keeper->checkpoint, fresh ? NULL : keeper->key,
                            &keeper->found, note, err));
  if (keeper->shows && note[0] != '\0')
    th_wording_print(stderr, "note: ", note);
  keeper->begun = keeper->found.number > 0;
  keeper->current = true;
done:
  return rc;
}

th_status th_keeper_begin(struct th_keeper *keeper,
                          const struct th_state *state, struct th_error *err)
{
  int64_t bytes = 0;
  th_status rc = th_checkpoint_room(&keeper->checkpoint, state, &bytes, err);
  if (rc == TH_EIO && keeper->begun) { /* what is there stays */
    if (keeper->shows)
      th_wording_print(stderr, "note: ", err->text);
    th_error_clear(err);
    rc = TH_OK;
  }
  if (rc == TH_OK && keeper->fresh)
    th_checkpoint_clear(&keeper->checkpoint); /* now that nothing refuses */
  th_checkpoint_image_release(&keeper->found);
  keeper->writing = (double)bytes / slow_disk;
  keeper->saved = th_comm_clock();
  keeper->asked = keeper->saved;
  return rc;
}

/* True if there is no time for another update and a checkpoint. */
static bool is_late(const struct th_keeper *keeper, double now)
{
  double writing = keeper->on ? keeper->writing : 0;
  return now + 2 * writing + keeper->update >= keeper->end;
}

static bool told_by_file(struct th_keeper *keeper, double now)
{
  if (!keeper->on || keeper->comm->rank != 0 ||
      now - keeper->looked < look_every)
    return false;
  keeper->looked = now;
  return th_checkpoint_told(&keeper->checkpoint);
}

/* True if a stop was asked for, on this rank. */
static bool is_told(struct th_keeper *keeper, double now)
{
  if (keeper->told > 0)
    return true;
  bool asked = th_interrupt_asked();
  keeper->by_file = !asked && told_by_file(keeper, now);
  if (asked || keeper->by_file)
    keeper->told = now;
  return keeper->told > 0;
}

/* True if writing a checkpoint takes a hundredth of the time since the last
 * one, or no time that anybody notices. */
static bool is_cheap(const struct th_keeper *keeper, double now)
{
  double most = share_of_writing * (now - keeper->saved);
  return keeper->writing <= fmax(most, unnoticed);
}

/* last: seconds of the last update. */
static bool save_is_due(const struct th_keeper *keeper, double now, double last,
                        int64_t updates)
{
  double since = now - keeper->saved;
  bool many = keeper->every_updates > 0 &&
              updates - keeper->saved_update >= keeper->every_updates;
  bool lengthy = last >= is_long && is_cheap(keeper, now);
  return many || lengthy || since >= keeper->every;
}

enum th_wish th_keeper_wish(struct th_keeper *keeper, int64_t updates,
                            bool over)
{
  double now = th_comm_clock();
  double last = now - keeper->asked;
  bool lasting = keeper->current && over; /* nothing has been done since */
  if (keeper->asked > 0 && !over)
    keeper->update = fmax(keeper->update, last);
  keeper->asked = now;
  keeper->current = lasting;
  if (is_told(keeper, now))
    return TH_STOP;
  if (is_late(keeper, now))
    return TH_STOP_IN_TIME;
  if (keeper->on && !lasting &&
      (th_interrupt_heard() || save_is_due(keeper, now, last, updates) ||
       (over && is_cheap(keeper, now))))
    return TH_SAVE;
  return TH_GO_ON;
}

bool th_keeper_leaves(struct th_keeper *keeper)
{
  /* a run that is not kept loses nothing before its first update is done */
  if (!(keeper->on ? keeper->current : keeper->asked == 0) ||
      keeper->polls++ % POLLS != 0)
    return false;
  double now = th_comm_clock();
  return (is_told(keeper, now) && now - keeper->told >= leave_after) ||
         (keeper->begun && now + leave_before >= keeper->end);
}

/* Say what has changed: the first of several failures, and their end. */
static void tell_failure(bool failed, th_status rc, const struct th_error *err)
{
  if (rc != TH_OK && !failed) {
    th_wording_print(stderr, "note: no checkpoint was written: ", err->text);
    fprintf(stderr, "note: the run goes on and tries again; the checkpoint "
                    "before it, if any, stays\n");
  } else if (rc == TH_OK && failed) {
    fprintf(stderr, "note: checkpoints are written again\n");
  }
}

th_status th_keeper_save(struct th_keeper *keeper, const struct th_state *state,
                         int64_t updates, bool *kept, struct th_error *err)
{
  double began = th_comm_clock();
  struct th_error why;
  th_error_clear(&why);
  /* values that are used in place may have been others in between */
  th_status rc =
      th_agree(keeper->comm, th_data_unchanged(keeper->data, err), err);
  *kept = false;
  if (rc != TH_OK)
    return rc;
  rc = th_checkpoint_write(&keeper->checkpoint, keeper->key, state, &why);
  double now = th_comm_clock();
  keeper->writing =
      keeper->measured ? fmax(keeper->writing, now - began) : now - began;
  keeper->measured = true;
  keeper->saved = now;
  keeper->saved_update = updates;
  keeper->asked = now;
  if (keeper->shows)
    tell_failure(keeper->failed, rc, &why);
  keeper->failed = rc != TH_OK;
  keeper->current = rc == TH_OK;
  keeper->begun = keeper->begun || rc == TH_OK;
  *kept = rc == TH_OK;
  return TH_OK;
}

void th_keeper_done(struct th_keeper *keeper)
{
  if (!keeper->on)
    return;
  th_checkpoint_clear(&keeper->checkpoint);
  if (keeper->comm->rank == 0)
    th_checkpoint_told(&keeper->checkpoint); /* too late */
}

void th_keeper_close(struct th_keeper *keeper)
{
  th_checkpoint_image_release(&keeper->found);
  th_checkpoint_close(&keeper->checkpoint);
  free(keeper->key);
  *keeper = (struct th_keeper){.checkpoint = {.folder = -1, .locked = -1},
                               .found = {.file = -1}};
}
