/* lock.c - one run at a time writes an output, or uses a folder
 * SPDX-License-Identifier: MIT */
#include "io/files/lock.h"

#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/files/interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum {
  WORD = 80,  /* of a record */
  PATH = 300, /* of a folder, in a message */
  DEEP = 6,   /* runs that were killed while they took the same record over */
  TRIES = 100 /* changes that are seen between two looks at a record */
};

static const char suffix[] = ".owner";
/* The name space of processes that a host has by itself, not in a container. */
static const char of_host[] = "pid:_4026531836_";

/* Who has a lock. A word that is not known is "-". */
struct owner {
  char host[WORD];
  char machine[WORD];    /* what no other host has, but for clones */
  char boot[WORD];       /* of the host's system */
  char processes[WORD];  /* the name space of process numbers */
  char key[WORD];        /* of a job that may run in several legs */
  int64_t leg;           /* of that job */
  int64_t process;       /* its number, */
  unsigned long long at; /* and when it began, in ticks of the system */
};

/* ---- who this is ---- */

/* Keep a text as one word. */
static void put_word(char word[WORD], const char *text)
{
  int count = 0;
  for (; *text != '\0' && *text != '\n' && count < WORD - 1; text++)
    word[count++] =
        isalnum((unsigned char)*text) || strchr("._:-", *text) ? *text : '_';
  word[count] = '\0';
  if (count == 0)
    memcpy(word, "-", sizeof "-");
}

static void read_word(const char *path, char word[WORD])
{
  char text[WORD] = "";
  FILE *file = fopen(path, "r");
  if (file != NULL) {
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
  }
  put_word(word, text);
}

/* The state of a process, and when it began: fields 3 and 22 of its line. The
 * second one, a name, may hold anything. False: it cannot be looked at. */
static bool look_at(int64_t process, char *state, unsigned long long *at)
{
  enum { STATE = 3, BEGAN = 22 };
  char path[64];
  char line[1024];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", process);
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return false;
  size_t length = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[length] = '\0';
  const char *rest = strrchr(line, ')');
  if (rest == NULL || rest[1] == '\0')
    return false;
  *state = rest[2];
  for (int field = STATE - 1; field < BEGAN && rest != NULL; field++)
    rest = strchr(rest + 1, ' ');
  if (rest != NULL)
    *at = strtoull(rest, NULL, 10);
  return rest != NULL;
}

/* A job that Slurm starts again has the same number, and one more restart. */
static void find_leg(struct owner *me)
{
  char key[2 * WORD];
  const char *job = getenv("SLURM_JOB_ID");
  const char *cluster = getenv("SLURM_CLUSTER_NAME");
  const char *leg = getenv("SLURM_RESTART_COUNT");
  snprintf(key, sizeof key, "%s%s%.60s", job != NULL ? job : "",
           job != NULL && cluster != NULL ? "." : "",
           job != NULL && cluster != NULL ? cluster : "");
  put_word(me->key, key);
  me->leg = leg != NULL ? strtoll(leg, NULL, 10) : 0;
}

static struct owner who_am_i(void)
{
  struct owner me = {.process = getpid()};
  char text[HOST_NAME_MAX + 1] = "";
  char space[WORD] = "";
  char state;
  if (gethostname(text, sizeof text - 1) != 0)
    text[0] = '\0';
  put_word(me.host, text);
  read_word("/etc/machine-id", me.machine);
  read_word("/proc/sys/kernel/random/boot_id", me.boot);
  if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
    space[0] = '\0';
  put_word(me.processes, space);
  look_at(me.process, &state, &me.at);
  find_leg(&me);
  return me;
}

/* ---- records ---- */

/* The last word makes each record another one. */
static void print_record(const struct owner *me, char text[TH_LOCK_TEXT])
{
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(text, TH_LOCK_TEXT,
           "thresher %s %s %s %s %s %" PRId64 " %" PRId64 " %llu %lld.%09ld",
           me->host, me->machine, me->boot, me->processes, me->key, me->leg,
           me->process, me->at, (long long)now.tv_sec, now.tv_nsec);
}

static bool parse_record(const char *text, struct owner *owner)
{
  _Static_assert(WORD == 80, "the widths below");
  return sscanf(text,
                "thresher %79s %79s %79s %79s %79s %" SCNd64 " %" SCNd64
                " %llu",
                owner->host, owner->machine, owner->boot, owner->processes,
                owner->key, &owner->leg, &owner->process, &owner->at) == 8 &&
         owner->process > 0;
}

/* False, with errno, where there is no symbolic link of that name. */
static bool read_record(int folder, const char *name, char text[TH_LOCK_TEXT])
{
  ssize_t length = readlinkat(folder, name, text, TH_LOCK_TEXT - 1);
  text[length > 0 ? length : 0] = '\0';
  return length >= 0;
}

static bool record_is(int folder, const char *name, const char *wanted)
{
  char text[TH_LOCK_TEXT];
  return read_record(folder, name, text) && strcmp(text, wanted) == 0;
}

/* ---- whether an owner is gone ---- */

/* A process of this host. One that nobody waits for is gone, too. */
static bool lives(const struct owner *owner)
{
  char state = '\0';
  unsigned long long at = 0;
  if (kill((pid_t)owner->process, 0) != 0 && errno == ESRCH)
    return false;
  if (!look_at(owner->process, &state, &at))
    return true; /* another user's may be hidden */
  return state != 'Z' && state != 'X' && at == owner->at;
}

static bool is_known(const char *word)
{
  return strcmp(word, "-") != 0;
}

/* Containers have names and numbers that others may have, too. */
static bool same_host(const struct owner *owner, const struct owner *me)
{
  return is_known(me->host) && strcmp(owner->host, me->host) == 0 &&
         is_known(me->machine) && strcmp(owner->machine, me->machine) == 0 &&
         strcmp(owner->processes, of_host) == 0 &&
         strcmp(me->processes, of_host) == 0;
}

static bool is_gone(const struct owner *owner, const struct owner *me)
{
  bool same_boot = is_known(me->boot) && strcmp(owner->boot, me->boot) == 0;
  bool boots = is_known(me->boot) && is_known(owner->boot);
  if (same_boot && is_known(me->processes) &&
      strcmp(owner->processes, me->processes) == 0)
    return !lives(owner);
  if (is_known(me->key) && strcmp(owner->key, me->key) == 0 &&
      owner->leg < me->leg)
    return true;
  return same_host(owner, me) && boots && !same_boot;
}

/* ---- taking a record ---- */

/* A record and those that take it over, each the one before it: NAME, and
 * NAME.HASH with the hash of the text before. Only who has the last one may
 * replace the one before it, so of two that find a dead owner one wins. */
struct chain {
  int folder;
  struct owner me;
  const char *mine;              /* text of our record */
  char *name[DEEP + 1];          /* owned */
  char text[DEEP][TH_LOCK_TEXT]; /* of dead owners */
};

static void free_chain(struct chain *chain, int first)
{
  for (int k = first; k <= DEEP; k++) {
    free(chain->name[k]);
    chain->name[k] = NULL;
  }
}

static bool name_next(struct chain *chain, int depth)
{
  struct th_error ignored = {0};
  const char *text = chain->text[depth];
  return th_file_text(&chain->name[depth + 1], &ignored, "%s.%016" PRIx64,
                      chain->name[0], th_hash(text, strlen(text))) == TH_OK;
}

/* Where names in a folder begin: its path with a slash, or nothing. */
static void name_folder(int folder, char path[PATH])
{
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  ssize_t length = readlink(link, path, PATH - 2);
  if (length > 0)
    path[length++] = '/';
  path[length > 0 ? length : 0] = '\0';
}

/* Who holds a record, and how it can be removed. */
static void tell_holder(int folder, const char *name, const char *text,
                        char holder[TH_LOCK_HOLDER])
{
  struct owner owner;
  char path[PATH];
  name_folder(folder, path);
  if (parse_record(text, &owner))
    snprintf(holder, TH_LOCK_HOLDER,
             " (process %" PRId64 " on host %s; if that has ended, remove "
             "%s%.200s)",
             owner.process, owner.host, path, name);
  else
    snprintf(holder, TH_LOCK_HOLDER,
             " (%s%.200s is there; remove it if no run does)", path, name);
}

/* Take the first record of the chain that is free. *depth: which. Again: what
 * was seen has changed. */
enum step { STEP_DONE, STEP_HELD, STEP_AGAIN, STEP_FAILED };

static enum step look_once(struct chain *chain, int depth, const char *name,
                           char holder[TH_LOCK_HOLDER])
{
  struct owner owner;
  char text[TH_LOCK_TEXT];
  if (th_interrupt_own_link(chain->folder, name, chain->mine) == 0)
    return STEP_DONE;
  if (errno != EEXIST)
    return STEP_FAILED;
  if (!read_record(chain->folder, name, text)) {
    if (errno == ENOENT)
      return STEP_AGAIN;
    text[0] = '\0'; /* something else */
  }
  bool gone = parse_record(text, &owner) && is_gone(&owner, &chain->me);
  if (!gone || depth == DEEP) {
    tell_holder(chain->folder, name, text, holder);
    return STEP_HELD;
  }
  memcpy(chain->text[depth], text, sizeof text);
  return name_next(chain, depth) ? STEP_AGAIN : STEP_FAILED;
}

static enum step go_down(struct chain *chain, int *depth,
                         char holder[TH_LOCK_HOLDER])
{
  enum step step = STEP_AGAIN;
  for (int k = 0; k < TRIES && step == STEP_AGAIN; k++) {
    step = look_once(chain, *depth, chain->name[*depth], holder);
    if (step == STEP_AGAIN && chain->name[*depth + 1] != NULL)
      ++*depth;
  }
  return step;
}

/* Put ours in the place of the one before it, from the last one on. */
static enum step go_up(struct chain *chain, int depth)
{
  for (; depth > 0; depth--) {
    const char *to = chain->name[depth - 1];
    if (!record_is(chain->folder, to, chain->text[depth - 1]) ||
        th_interrupt_own_replace(chain->folder, chain->name[depth], to) != 0) {
      th_interrupt_own_remove(chain->folder, chain->name[depth]);
      return STEP_AGAIN; /* somebody was faster */
    }
  }
  return STEP_DONE;
}

static enum step take_record(struct chain *chain, char holder[TH_LOCK_HOLDER])
{
  enum step step = STEP_AGAIN;
  for (int k = 0; k < TRIES && step == STEP_AGAIN; k++) {
    int depth = 0;
    free_chain(chain, 1);
    step = go_down(chain, &depth, holder);
    if (step == STEP_DONE)
      step = go_up(chain, depth);
  }
  return step;
}

static enum th_lock_answer acquire_record(struct th_lock *lock, int folder,
                                          char *record)
{
  struct chain chain = {
      .folder = folder, .me = who_am_i(), .mine = lock->text, .name = {record}};
  print_record(&chain.me, lock->text);
  enum step step = take_record(&chain, lock->holder);
  int code = errno;
  free_chain(&chain, 1);
  if (step == STEP_DONE)
    lock->record = record;
  else
    free(record);
  errno = code;
  return step == STEP_DONE     ? TH_LOCK_MINE
         : step == STEP_FAILED ? TH_LOCK_NEVER
                               : TH_LOCK_HELD;
}

/* ---- locks of the system ---- */

static enum th_lock_answer answer_of(int failed)
{
  if (failed == 0)
    return TH_LOCK_MINE;
  return errno == EWOULDBLOCK || errno == EACCES ? TH_LOCK_HELD : TH_LOCK_NEVER;
}

static enum th_lock_answer take_flock(int file)
{
  int failed;
  do
    failed = flock(file, LOCK_EX | LOCK_NB);
  while (failed != 0 && errno == EINTR);
  return answer_of(failed);
}

static enum th_lock_answer take_ofd(int file)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return answer_of(fcntl(file, F_OFD_SETLK, &whole));
}

static enum th_lock_answer take_of_system(struct th_lock *lock, int file)
{
  enum th_lock_answer answer = take_flock(file);
  if (answer != TH_LOCK_NEVER)
    return answer;
  lock->why = errno;
  return take_ofd(file);
}

enum th_lock_answer th_lock_try(struct th_lock *lock, int file, int folder,
                                const char *name)
{
  struct th_error ignored = {0};
  char there[TH_LOCK_TEXT];
  char *record = NULL;
  *lock = (struct th_lock){.folder = folder};
  enum th_lock_answer answer = take_of_system(lock, file);
  if (answer == TH_LOCK_HELD)
    return answer;
  if (th_file_text(&record, &ignored, "%s%s", name, suffix) != TH_OK) {
    errno = ENOMEM;
    return TH_LOCK_NEVER;
  }
  /* a run for which the system locks nothing may have left one */
  if (answer == TH_LOCK_NEVER || read_record(folder, record, there))
    return acquire_record(lock, folder, record);
  free(record);
  return answer;
}

void th_lock_end(struct th_lock *lock)
{
  if (lock->record == NULL)
    return;
  if (record_is(lock->folder, lock->record, lock->text))
    th_interrupt_own_remove(lock->folder, lock->record);
  else
    th_interrupt_own_forget(lock->folder, lock->record);
  free(lock->record);
  lock->record = NULL;
}

void th_lock_forget(int folder, const char *name)
{
  struct th_error ignored = {0};
  char *record = NULL;
  if (th_file_text(&record, &ignored, "%s%s", name, suffix) == TH_OK)
    th_interrupt_own_remove(folder, record);
  free(record);
}

bool th_lock_held(int folder, const char *name, char holder[TH_LOCK_HOLDER])
{
  struct th_lock lock;
  int file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  holder[0] = '\0';
  if (file < 0)
    return false;
  bool held = th_lock_try(&lock, file, folder, name) == TH_LOCK_HELD;
  memcpy(holder, lock.holder, TH_LOCK_HOLDER);
  th_lock_end(&lock);
  close(file);
  return held;
}

void th_lock_note(const struct th_lock *lock, const char *path,
                  char note[TH_LOCK_NOTE])
{
  int folder = (int)(th_file_name(path) - path);
  note[0] = '\0';
  if (lock->why == 0)
    return;
  snprintf(note, TH_LOCK_NOTE, "flock does not work in %.*s (%s); %s instead",
           folder > 1 ? folder - 1 : 1, folder > 0 ? path : ".",
           strerror(lock->why),
           lock->record != NULL ? "runs know one another by files NAME.owner"
                                : "files are locked by fcntl");
}
