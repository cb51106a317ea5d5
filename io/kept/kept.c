/* kept.c - imports that are kept in a folder, and found again
 * SPDX-License-Identifier: MIT */
#include "io/kept/kept.h"

#include "base/memory.h"
#include "io/dataset/master.h"
#include "io/dataset/writer/writer.h"
#include "io/files/hash.h"
#include "io/files/mapping.h"
#include "io/files/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- Records: words of 64 bits, and their hash at the end ----------------- */

enum word_of_head { MAGIC, OPTIONS, FINGERPRINT, COUNT, HEAD };
enum word_of_source {
  HASH,
  PLACE,
  SHOWS,
  IDENTITY, /* from here on */
  SIZE = IDENTITY,
  DEVICE,
  INODE,
  MODE,
  CHANGED,
  CHANGED_PART,
  TOUCHED,
  TOUCHED_PART,
  WORDS
};

enum { MOST_SOURCES = 100000, MOST_ENTRIES = 8 };

static const uint64_t magic = 0x3130545045484b54; /* "THKEPT01", in a word */

struct record {
  uint64_t *word;
  int64_t sources;
};

static const uint64_t *source_in(const struct record *record, int64_t k)
{
  return record->word + HEAD + k * WORDS;
}

static void put_source(const struct th_kept_source *source, uint64_t *word)
{
  const struct th_identity *id = &source->identity;
  word[HASH] = source->hash;
  word[PLACE] = source->place;
  word[SHOWS] = source->shows;
  word[SIZE] = (uint64_t)id->size;
  word[DEVICE] = (uint64_t)id->device;
  word[INODE] = (uint64_t)id->inode;
  word[MODE] = (uint64_t)id->mode;
  word[CHANGED] = (uint64_t)id->changed.tv_sec;
  word[CHANGED_PART] = (uint64_t)id->changed.tv_nsec;
  word[TOUCHED] = (uint64_t)id->touched.tv_sec;
  word[TOUCHED_PART] = (uint64_t)id->touched.tv_nsec;
}

static int64_t record_words(int64_t sources)
{
  return HEAD + sources * WORDS + 1;
}

static uint64_t hash_record(const uint64_t *word, int64_t words)
{
  return th_hash(word, (size_t)(words - 1) * sizeof *word);
}

static bool read_kept_words(int file, uint64_t *word, int64_t words)
{
  struct th_error ignored = {0};
  return th_output_temporary_read(file, word, words * 8, 0, "record",
                                  &ignored) == TH_OK &&
         word[MAGIC] == magic && word[words - 1] == hash_record(word, words);
}

/* false: it is not there, or not whole. The caller frees record->word. */
static bool read_kept(const char *path, struct record *record)
{
  const int64_t most = 8 * record_words(MOST_SOURCES);
  struct th_error ignored = {0};
  struct stat s;
  *record = (struct record){0};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool good = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
              s.st_size >= 8 * record_words(1) && s.st_size <= most &&
              s.st_size % 8 == 0;
  int64_t words = good ? s.st_size / 8 : 0;
  good = good && TH_NEW(&record->word, words, "a record", &ignored) == TH_OK &&
         read_kept_words(file, record->word, words) &&
         record->word[COUNT] <= MOST_SOURCES &&
         record_words((int64_t)record->word[COUNT]) == words;
  if (file >= 0)
    close(file);
  if (good)
    record->sources = (int64_t)record->word[COUNT];
  else
    TH_FREE(record->word);
  if (!good)
    record->word = NULL;
  return good;
}

static th_status write_record(const struct th_kept *kept, uint64_t fingerprint,
                              struct th_error *err)
{
  const int64_t words = record_words(kept->sources);
  struct th_output output = {.file = -1};
  uint64_t *word = NULL;
  char *path = NULL;
  th_status rc =
      th_file_text(&path, err, "%s/%s.kept", kept->folder, kept->key);
  TH_TRY(rc);
  TH_TRY(TH_NEW(&word, words, "a record", err));
  word[MAGIC] = magic;
  word[OPTIONS] = kept->options;
  word[FINGERPRINT] = fingerprint;
  word[COUNT] = (uint64_t)kept->sources;
  for (int64_t k = 0; k < kept->sources; k++)
    put_source(&kept->source[k], word + HEAD + k * WORDS);
  word[words - 1] = hash_record(word, words);
  TH_TRY(th_output_begin(&output, path, true, err));
  TH_TRY(th_output_write(&output, word, words * 8, err));
  rc = th_output_commit(&output, err);
done:
  th_output_abort(&output);
  TH_FREE(word, path);
  return rc;
}

/* --- Sources -------------------------------------------------------------- */

static th_status cannot_read(const char *name, struct th_error *err)
{
  return th_fail(err, TH_EIO, "cannot read %s: %s; check the file", name,
                 strerror(errno));
}

static th_status changed(const char *name, struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "%s was changed while it was imported; run the same again, or "
                 "import a copy of it",
                 name);
}

static th_status see_source(struct th_kept_source *source, struct th_error *err)
{
  char full[PATH_MAX];
  int file = open(source->name, O_RDONLY | O_CLOEXEC);
  bool known = file >= 0 && th_file_identity_of_open(file, &source->identity) &&
               realpath(source->name, full) != NULL;
  int why = errno;
  if (known) {
    source->shows = th_mapping_shows(file);
    source->place = th_hash(full, strlen(full));
  }
  if (file >= 0)
    close(file);
  errno = why;
  return known ? TH_OK : cannot_read(source->name, err);
}

/* Hash what was looked at. */
static th_status hash_source(const struct th_kept_source *source,
                             uint64_t *hash, struct th_error *err)
{
  struct th_identity now;
  int file = open(source->name, O_RDONLY | O_CLOEXEC);
  bool known = file >= 0 && th_hash_open(file, hash) &&
               th_file_identity_of_open(file, &now);
  int why = errno;
  if (file >= 0)
    close(file);
  errno = why;
  if (!known)
    return cannot_read(source->name, err);
  return th_file_identity_untouched(&now, &source->identity)
             ? TH_OK
             : changed(source->name, err);
}

/* The content of all, and the key that follows: formats are told by names, too.
 */
static th_status hash_sources(struct th_kept *kept, struct th_error *err)
{
  uint64_t all = th_hash(&kept->options, sizeof kept->options);
  for (int64_t k = 0; k < kept->sources; k++) {
    struct th_kept_source *source = &kept->source[k];
    const char *name = th_file_name(source->name);
    th_status rc = TH_OK;
    if (!kept->hashed)
      rc = hash_source(source, &source->hash, err);
    if (rc != TH_OK)
      return rc;
    all = th_hash_from(&source->hash, sizeof source->hash, all);
    all = th_hash_from(name, strlen(name) + 1, all);
  }
  kept->hashed = true;
  snprintf(kept->key, sizeof kept->key, "%016" PRIx64, all);
  TH_FREE(kept->data);
  kept->data = NULL;
  return th_file_text(&kept->data, err, "%s/%s.h5", kept->folder, kept->key);
}

/* Nothing has happened to them since their content was hashed. */
static th_status check_sources(const struct th_kept *kept, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < kept->sources; k++) {
    const struct th_kept_source *source = &kept->source[k];
    struct th_identity now;
    uint64_t hash = source->hash;
    if (!th_file_identity_of(source->name, &now) ||
        !th_file_identity_untouched(&now, &source->identity))
      return changed(source->name, err);
    if (!source->shows)
      rc = hash_source(source, &hash, err);
    if (rc == TH_OK && hash != source->hash)
      rc = changed(source->name, err);
  }
  return rc;
}

/* --- Entries -------------------------------------------------------------- */

static bool same_content(const struct th_kept *kept,
                         const struct record *record)
{
  bool same = record->sources == kept->sources;
  for (int64_t k = 0; same && k < kept->sources; k++)
    same = source_in(record, k)[HASH] == kept->source[k].hash;
  return same;
}

/* The sources are those of a record: no need to read them. */
static bool same_identity(const struct th_kept *kept,
                          const struct record *record)
{
  bool same = record->sources == kept->sources;
  for (int64_t k = 0; same && k < kept->sources; k++) {
    const uint64_t *known = source_in(record, k);
    uint64_t now[WORDS];
    put_source(&kept->source[k], now);
    same = known[SHOWS] == 1 && known[PLACE] == now[PLACE] &&
           memcmp(known + IDENTITY, now + IDENTITY,
                  (WORDS - IDENTITY) * sizeof *now) == 0;
  }
  return same;
}

static th_status read_fingerprint(const char *path, uint64_t *fingerprint,
                                  struct th_error *err)
{
  struct th_master_info info = {0};
  th_status rc = th_master_read(path, &info, err);
  *fingerprint = info.fingerprint;
  th_master_info_free(&info);
  return rc;
}

/* A shard is there, as long as its master says. */
static bool has_shard(const char *folder, const struct th_shard_row *row)
{
  struct th_error ignored = {0};
  struct stat s;
  char *path = NULL;
  bool good =
      th_file_text(&path, &ignored, "%s/%s", folder, row->path) == TH_OK &&
      stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == row->bytes;
  free(path);
  return good;
}

/* The entry of the key has a data set of that fingerprint. */
static bool has_data(const struct th_kept *kept, uint64_t fingerprint)
{
  struct th_error ignored = {0};
  struct th_master_info info = {0};
  bool good = access(kept->data, R_OK) == 0 &&
              th_master_read(kept->data, &info, &ignored) == TH_OK &&
              info.fingerprint == fingerprint;
  for (int64_t k = 0; good && k < info.shards; k++)
    good = has_shard(kept->folder, &info.shard[k]);
  th_master_info_free(&info);
  return good;
}

/* Lock KEY.lock, which is made if need be; *held: another run has it. Returns a
 * descriptor, or -1. */
static int lock_entry(const struct th_kept *kept, const char *key, int how,
                      bool *held)
{
  struct th_error ignored = {0};
  struct th_identity mine;
  struct th_identity there;
  char *path = NULL;
  *held = false;
  if (th_file_text(&path, &ignored, "%s/%s.lock", kept->folder, key) != TH_OK)
    return -1;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0)
    file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool got = file >= 0 && flock(file, how | LOCK_NB) == 0;
  *held = file >= 0 && !got && errno == EWOULDBLOCK;
  /* whoever removes an entry removes this file, too */
  if (got &&
      (!th_file_identity_of_open(file, &mine) ||
       !th_file_identity_of(path, &there) || mine.inode != there.inode)) {
    got = false;
    *held = true;
  }
  if (file >= 0 && !got)
    close(file);
  free(path);
  return got ? file : -1;
}

/* Take the entry of the key, if it is whole and no other run changes it. */
static bool take_entry(struct th_kept *kept, const struct record *record)
{
  bool held = false;
  int lock = lock_entry(kept, kept->key, LOCK_SH, &held);
  bool whole = !held && has_data(kept, record->word[FINGERPRINT]);
  if (!whole && lock >= 0)
    close(lock);
  kept->lock = whole ? lock : -1;
  return whole;
}

/* The key of an entry by the name of a file of it, or false. */
static bool ends_with(const char *name, const char *ending,
                      char key[TH_KEPT_KEY])
{
  size_t digits = strspn(name, "0123456789abcdef");
  if (digits != TH_KEPT_KEY - 1 || strcmp(name + digits, ending) != 0)
    return false;
  memcpy(key, name, digits);
  key[digits] = '\0';
  return true;
}

/* The next record of a folder that can be read; false: no more. The caller
 * frees record->word. */
static bool next_record(const struct th_kept *kept, DIR *names,
                        char key[TH_KEPT_KEY], struct record *record)
{
  struct th_error ignored = {0};
  *record = (struct record){0};
  for (struct dirent *e = readdir(names); e != NULL; e = readdir(names)) {
    char *path = NULL;
    bool good = ends_with(e->d_name, ".kept", key) &&
                th_file_text(&path, &ignored, "%s/%s", kept->folder,
                             e->d_name) == TH_OK &&
                read_kept(path, record);
    free(path);
    if (good)
      return true;
  }
  return false;
}

/* By what the sources look like, without reading them. */
static bool find_untouched(struct th_kept *kept)
{
  struct th_error ignored = {0};
  DIR *names = opendir(kept->folder);
  struct record record;
  char key[TH_KEPT_KEY];
  bool found = false;
  while (names != NULL && !found && next_record(kept, names, key, &record)) {
    if (record.word[OPTIONS] == kept->options && same_identity(kept, &record)) {
      for (int64_t k = 0; k < kept->sources; k++)
        kept->source[k].hash = source_in(&record, k)[HASH];
      kept->hashed = true;
      found = hash_sources(kept, &ignored) == TH_OK &&
              strcmp(kept->key, key) == 0 && take_entry(kept, &record);
      kept->hashed = found;
    }
    free(record.word);
  }
  if (names != NULL)
    closedir(names);
  return found;
}

static bool read_own(const struct th_kept *kept, struct record *record)
{
  struct th_error ignored = {0};
  char *path = NULL;
  bool good = th_file_text(&path, &ignored, "%s/%s.kept", kept->folder,
                           kept->key) == TH_OK &&
              read_kept(path, record);
  free(path);
  return good;
}

/* The entry of the key is there. The caller frees record->word if it is. */
static bool holds_kept(const struct th_kept *kept, struct record *record)
{
  if (!read_own(kept, record))
    return false;
  bool whole = record->word[OPTIONS] == kept->options &&
               same_content(kept, record) &&
               has_data(kept, record->word[FINGERPRINT]);
  if (!whole)
    free(record->word);
  return whole;
}

/* By their content. What they look like now is noted, if it can be. */
static bool find_content(struct th_kept *kept)
{
  struct th_error ignored = {0};
  struct record record;
  if (!holds_kept(kept, &record))
    return false;
  bool found = take_entry(kept, &record);
  if (found && !same_identity(kept, &record))
    write_record(kept, record.word[FINGERPRINT], &ignored);
  free(record.word);
  return found;
}

/* It was used now. */
static void touch(const struct th_kept *kept)
{
  struct th_error ignored = {0};
  char *path = NULL;
  if (th_file_text(&path, &ignored, "%s/%s.kept", kept->folder, kept->key) ==
      TH_OK)
    utimensat(AT_FDCWD, path, NULL, 0);
  free(path);
}

static th_status begin_kept(struct th_kept *kept, const char *folder,
                            uint64_t options, char **name, int64_t count,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  kept->options = options;
  rc = TH_NEW(&kept->source, count, "files of an import", err);
  for (int64_t k = 0; k < count; k++) {
    if (kept->source != NULL)
      kept->source[k].name = name[k];
    else
      free(name[k]);
    name[k] = NULL;
  }
  TH_TRY(rc);
  kept->sources = count;
  if (count > MOST_SOURCES)
    return th_fail(err, TH_EUSAGE, "more than %d files; import them apart",
                   (int)MOST_SOURCES);
  TH_TRY(th_file_text(&kept->folder, err, "%s", folder));
  for (int64_t k = 0; k < count; k++)
    TH_TRY(see_source(&kept->source[k], err));
done:
  return rc;
}

/* Look for the entry, and take it: kept->found. */
static th_status find_kept(struct th_kept *kept, struct th_error *err)
{
  th_status rc = TH_OK;
  kept->found = find_untouched(kept);
  if (!kept->found) {
    rc = hash_sources(kept, err);
    kept->found = rc == TH_OK && find_content(kept);
  }
  if (kept->found)
    touch(kept);
  return rc;
}

/* Make a folder, and those above it that are not there. Return how many. */
static int make_folders(char *path)
{
  int made = 0;
  for (char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
    *at = '\0';
    made += at > path && mkdir(path, 0777) == 0;
    *at = '/';
  }
  return made + (path[0] != '\0' && mkdir(path, 0777) == 0);
}

/* Remove a folder and those above it, so many in all. */
static void remove_folders(char *path, int count)
{
  char *end = path + strlen(path);
  for (int k = 0; k < count; k++) {
    while (end > path && end[-1] == '/')
      *--end = '\0';
    if (rmdir(path) != 0)
      return;
    while (end > path && end[-1] != '/')
      *--end = '\0';
  }
}

static th_status make_kept_folder(struct th_kept *kept, struct th_error *err)
{
  struct stat found;
  char *above = NULL;
  th_status rc = th_file_folder(kept->folder, &above, err);
  if (rc != TH_OK)
    return rc;
  kept->above_made = make_folders(above);
  free(above);
  if ((mkdir(kept->folder, 0777) == 0 || errno == EEXIST) &&
      access(kept->folder, W_OK | X_OK) == 0)
    return TH_OK;
  if (stat(kept->folder, &found) == 0 && !S_ISDIR(found.st_mode))
    return th_fail(err, TH_EIO,
                   "%s, which would keep what is imported of %s, is no folder; "
                   "rename it, or give {cache} FOLDER",
                   kept->folder, kept->source[0].name);
  return th_fail(err, TH_EIO,
                 "cannot write into %s, which would keep what is imported of "
                 "%s: %s; give {cache} FOLDER, one that may be written to",
                 kept->folder, kept->source[0].name, strerror(errno));
}

/* Another run may have made it just before we had the lock. */
static bool made_meanwhile(struct th_kept *kept)
{
  struct record record;
  if (!holds_kept(kept, &record))
    return false;
  free(record.word);
  flock(kept->lock, LOCK_SH);
  kept->alone = false;
  return true;
}

static void tell_waiting(const struct th_import *job)
{
  char text[TH_ERROR_TEXT];
  snprintf(text, sizeof text,
           "note:     another run imports %s; this one waits for it",
           job->inputs[0]);
  if (job->monitor != NULL && job->monitor->notice != NULL)
    job->monitor->notice(job->monitor->self, text);
}

/* The entry is to be made: make the folder, and claim it. kept->found: another
 * run has made it meanwhile. */
static th_status claim_entry(struct th_kept *kept, const struct th_import *job,
                             struct th_error *err)
{
  const struct timespec pause = {.tv_nsec = 100000000};
  bool held = true;
  bool told = false;
  th_status rc = make_kept_folder(kept, err);
  while (rc == TH_OK && held && !kept->found) {
    kept->lock = lock_entry(kept, kept->key, LOCK_EX, &held);
    kept->alone = kept->lock >= 0;
    if (kept->alone)
      kept->found = made_meanwhile(kept);
    if (!held)
      break;
    if (!told)
      tell_waiting(job);
    told = true;
    nanosleep(&pause, NULL);
    kept->found = find_content(kept);
  }
  return rc;
}

/* --- Entries that are of no use any more ---------------------------------- */

/* Whose lock we have alone. The record goes first: nobody takes it then. The
 * lock goes last: what is left of a removal that was killed has one. */
static void remove_kept(const struct th_kept *kept, const char *key)
{
  static const char *const endings[] = {".kept", ".h5", NULL};
  char name[TH_KEPT_KEY + 32];
  int folder = open(kept->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;
  for (int k = 0; endings[k] != NULL; k++) {
    snprintf(name, sizeof name, "%s%s", key, endings[k]);
    unlinkat(folder, name, 0);
  }
  snprintf(name, sizeof name, ".%s.h5.partial", key);
  unlinkat(folder, name, 0);
  snprintf(name, sizeof name, ".%s.shards.partial", key);
  th_writer_folder_remove(folder, name);
  snprintf(name, sizeof name, "%s.shards", key);
  th_writer_folder_remove(folder, name);
  snprintf(name, sizeof name, "%s.lock", key);
  unlinkat(folder, name, 0);
  close(folder);
}

static void remove_unused(const struct th_kept *kept, const char *key)
{
  bool held = false;
  int lock = lock_entry(kept, key, LOCK_EX, &held);
  if (lock < 0)
    return;
  remove_kept(kept, key);
  close(lock);
}

struct entry {
  char key[TH_KEPT_KEY];
  bool stale; /* its file, with the same options, has another content now; or it
                 has no record: its import, or its removal, was killed */
  struct timespec used;
};

static int latest_first(const void *a, const void *b)
{
  const struct timespec *x = &((const struct entry *)a)->used;
  const struct timespec *y = &((const struct entry *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? 1 : -1;
  return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* Add the locks without a record, of which runs hold some. */
static void list_remains(const struct th_kept *kept, DIR *names,
                         struct entry **entry, int64_t *count, int64_t *room)
{
  struct th_error ignored = {0};
  char record[TH_KEPT_KEY + 16];
  char key[TH_KEPT_KEY];
  struct stat s;
  for (struct dirent *e = readdir(names); e != NULL; e = readdir(names)) {
    if (!ends_with(e->d_name, ".lock", key) || strcmp(key, kept->key) == 0)
      continue;
    snprintf(record, sizeof record, "%s.kept", key);
    if (fstatat(dirfd(names), record, &s, AT_SYMLINK_NOFOLLOW) == 0 ||
        TH_GROW(entry, room, *count + 1, "records", &ignored) != TH_OK)
      continue;
    (*entry)[*count] = (struct entry){.stale = true};
    memcpy((*entry)[(*count)++].key, key, sizeof key);
  }
}

/* Of all but ours. The caller frees the list. */
static int64_t list_entries(const struct th_kept *kept, struct entry **entry)
{
  struct th_error ignored = {0};
  DIR *names = opendir(kept->folder);
  struct record record;
  char key[TH_KEPT_KEY];
  int64_t count = 0;
  int64_t room = 0;
  while (names != NULL && next_record(kept, names, key, &record)) {
    char name[TH_KEPT_KEY + 16];
    struct stat s;
    snprintf(name, sizeof name, "%s.kept", key);
    if (strcmp(key, kept->key) != 0 &&
        fstatat(dirfd(names), name, &s, 0) == 0 &&
        TH_GROW(entry, &room, count + 1, "records", &ignored) == TH_OK) {
      struct entry *e = &(*entry)[count++];
      *e = (struct entry){.used = s.st_mtim};
      memcpy(e->key, key, sizeof key);
      e->stale = record.word[OPTIONS] == kept->options &&
                 source_in(&record, 0)[PLACE] == kept->source[0].place;
    }
    free(record.word);
  }
  if (names != NULL) {
    rewinddir(names);
    list_remains(kept, names, entry, &count, &room);
    closedir(names);
  }
  return count;
}

/* The latest ones are kept, but for those that are stale. */
static void remove_old(const struct th_kept *kept)
{
  struct entry *entry = NULL;
  int64_t count = kept->lock < 0 ? 0 : list_entries(kept, &entry);
  int64_t stay = 1;
  if (count > 1)
    qsort(entry, (size_t)count, sizeof *entry, latest_first);
  for (int64_t k = 0; k < count; k++)
    if (entry[k].stale || ++stay > MOST_ENTRIES)
      remove_unused(kept, entry[k].key);
  free(entry);
}

/* The data set is whole: write the record. */
static th_status record_kept(struct th_kept *kept, struct th_error *err)
{
  uint64_t fingerprint = 0;
  th_status rc = check_sources(kept, err);
  if (rc == TH_OK)
    rc = read_fingerprint(kept->data, &fingerprint, err);
  if (rc == TH_OK)
    rc = write_record(kept, fingerprint, err);
  if (rc != TH_OK)
    return rc;
  kept->alone = false;
  if (kept->lock >= 0)
    flock(kept->lock, LOCK_SH);
  remove_old(kept);
  return TH_OK;
}

/* --- An import that is done once ------------------------------------------ */

/* What is named in files goes with the options. */
static uint64_t with_members(uint64_t options, const struct th_import *job)
{
  for (int64_t k = 0; k < job->input_count; k++) {
    const char *member = strchr(job->inputs[k], ':'); /* FILE:NAME */
    if (member != NULL)
      options = th_hash_from(member, strlen(member), options);
  }
  return options;
}

/* FILE.thresher, or FOLDER/NAME.thresher. */
static th_status name_kept_folder(const char *file, const char *folder,
                                  char **name, struct th_error *err)
{
  return folder == NULL ? th_file_text(name, err, "%s.thresher", file)
                        : th_file_text(name, err, "%s/%s.thresher", folder,
                                       th_file_name(file));
}

/* Rank 0: the entry is found, or ours to make. */
static th_status find_or_claim(struct th_kept *kept,
                               const struct th_import *job, const char *folder,
                               uint64_t options, struct th_error *err)
{
  struct th_import_reads files = {0};
  char *place = NULL;
  th_status rc = th_import_open_list(job, &files, err);
  if (rc == TH_OK)
    rc = name_kept_folder(files.name[0], folder, &place, err);
  if (rc == TH_OK) {
    rc = begin_kept(kept, place, with_members(options, job), files.name,
                    files.count, err);
  }
  if (rc == TH_OK)
    rc = find_kept(kept, err);
  if (rc == TH_OK && !kept->found)
    rc = claim_entry(kept, job, err);
  if (rc == TH_OK)
    rc = th_file_text(&kept->path, err, "%s", kept->data);
  TH_FREE_LIST(files.name, files.count);
  free(place);
  return rc;
}

/* What rank 0 has found. Collective. */
static th_status share_path(struct th_kept *kept, struct th_comm *comm,
                            struct th_error *err)
{
  int64_t length = kept->path != NULL ? (int64_t)strlen(kept->path) + 1 : 0;
  th_status rc = TH_OK;
  comm->ops->bcast(comm, &kept->found, sizeof kept->found, 0);
  comm->ops->bcast(comm, &length, sizeof length, 0);
  if (comm->rank > 0)
    rc = TH_NEW(&kept->path, length, "a name", err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, kept->path, (size_t)length, 0);
done:
  return rc;
}

th_status th_kept_import(struct th_kept *kept, const struct th_import *job,
                         const char *folder, uint64_t options,
                         struct th_comm *comm, struct th_error *err)
{
  struct th_import own = *job;
  th_status rc = TH_OK;
  *kept = (struct th_kept){.lock = -1};
  if (comm->rank == 0)
    rc = find_or_claim(kept, job, folder, options, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_path(kept, comm, err));
  if (kept->found)
    return rc;
  own.output = kept->path;
  own.force = true;
  TH_TRY(th_import_run(&own, comm, &kept->result, err));
  if (comm->rank == 0)
    rc = record_kept(kept, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

static bool any_has_print(const struct th_kept *kept, uint64_t fingerprint)
{
  DIR *names = kept->folder == NULL ? NULL : opendir(kept->folder);
  struct record record;
  char key[TH_KEPT_KEY];
  bool found = false;
  while (names != NULL && !found && next_record(kept, names, key, &record)) {
    found = record.word[FINGERPRINT] == fingerprint &&
            source_in(&record, 0)[HASH] == kept->source[0].hash;
    free(record.word);
  }
  if (names != NULL)
    closedir(names);
  return found;
}

bool th_kept_knows(const struct th_kept *kept, uint64_t fingerprint,
                   struct th_comm *comm)
{
  bool found = comm->rank == 0 && any_has_print(kept, fingerprint);
  comm->ops->bcast(comm, &found, sizeof found, 0);
  return found;
}

/* If nothing else is there. */
static void remove_folder(const struct th_kept *kept)
{
  struct th_error ignored = {0};
  char *above = NULL;
  if (rmdir(kept->folder) == 0 &&
      th_file_folder(kept->folder, &above, &ignored) == TH_OK)
    remove_folders(above, kept->above_made);
  free(above);
}

void th_kept_forget(struct th_kept *kept, th_status rc, struct th_error *err)
{
  static const char again[] = "import the data again";
  char *at = strstr(err->text, again);
  char name[TH_KEPT_KEY + 16];
  if (rc != TH_EFORMAT || !kept->found || kept->source == NULL || at == NULL)
    return;
  int folder = open(kept->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  snprintf(name, sizeof name, "%s.kept", kept->key);
  if (folder >= 0 &&
      (unlinkat(folder, name, 0) == 0 || errno == ENOENT)) /* by another rank */
    snprintf(at, sizeof err->text - (size_t)(at - err->text),
             "run the command again: it imports %.200s anew",
             kept->source[0].name);
  if (folder >= 0)
    close(folder);
}

void th_kept_end(struct th_kept *kept)
{
  if (kept->alone) {
    remove_kept(kept, kept->key);
    remove_folder(kept);
  }
  if (kept->source != NULL && kept->lock >= 0)
    close(kept->lock);
  for (int64_t k = 0; kept->source != NULL && k < kept->sources; k++)
    free(kept->source[k].name);
  TH_FREE(kept->folder, kept->source, kept->data, kept->path);
  *kept = (struct th_kept){.lock = -1};
}
