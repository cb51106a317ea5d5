/* inputs.c - the files of an import by name: folders, lists of files, and pipes
 * SPDX-License-Identifier: MIT */
#include "io/import/text/inputs.h"

#include "base/memory.h"
#include "io/files/decompress.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "io/hdf5/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char standard[] = "-";
static const char what[] = "the list of files";

/* Both are copied; path may be NULL. */
static th_status add_file(struct th_inputs *inputs, const char *name,
                          const char *path, struct th_error *err)
{
  int64_t k = inputs->count;
  th_status rc = TH_OK;
  TH_TRY(TH_GROW(&inputs->name, &inputs->name_capacity, k + 1, what, err));
  TH_TRY(TH_GROW(&inputs->path, &inputs->path_capacity, k + 1, what, err));
  inputs->name[k] = NULL;
  inputs->path[k] = NULL;
  inputs->count++;
  TH_TRY(th_file_text(&inputs->name[k], err, "%s", name));
  if (path != NULL)
    rc = th_file_text(&inputs->path[k], err, "%s", path);
done:
  return rc;
}

/* --- Pipes ---------------------------------------------------------------- */

/* Wait until somebody has opened a named pipe for writing, who may write later.
 * Before that it reads as if it were at its end. A byte that is there by then
 * goes `to` the file. */
static th_status await_writer(int from, int to, const char *name,
                              struct th_error *err)
{
  enum { SECONDS = 3, LOOKS = 50, SECOND = 1000 };
  struct pollfd pipe = {.fd = from, .events = POLLIN};
  for (int k = 0; k < SECONDS * LOOKS; k++) {
    char byte = 0;
    if (poll(&pipe, 1, SECOND / LOOKS) > 0)
      return TH_OK;
    ssize_t got = read(from, &byte, 1);
    if (got > 0)
      return th_output_temporary_write(to, &byte, 1, name, err);
    if (got < 0 && errno == EAGAIN)
      return TH_OK;
  }
  return th_fail(err, TH_EIO,
                 "%s: nothing writes to this pipe; start first what does",
                 name);
}

/* A named pipe, from which reads wait for its writer. */
static th_status open_pipe(const char *name, int to, int *from,
                           struct th_error *err)
{
  *from = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*from < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the name of the input", name,
                   strerror(errno));
  th_status rc = await_writer(*from, to, name, err);
  int flags = fcntl(*from, F_GETFL);
  if (rc == TH_OK && fcntl(*from, F_SETFL, flags & ~O_NONBLOCK) < 0)
    return th_fail(err, TH_EIO, "%s: %s", name, strerror(errno));
  return rc;
}

/* Write all of a pipe to a file of its own. */
static th_status add_pipe(struct th_inputs *inputs, const char *name,
                          struct th_error *err)
{
  struct th_inputs_spool spool = {.fd = -1};
  bool is_standard = strcmp(name, standard) == 0;
  int from = is_standard ? STDIN_FILENO : -1;
  th_status rc = TH_OK;
  TH_TRY(TH_GROW(&inputs->spool, &inputs->spool_capacity, inputs->spools + 1,
                 what, err));
  TH_TRY(th_output_temporary_open(inputs->output, TH_FOR_TEXT, &spool.path,
                                  &spool.fd, err));
  inputs->spool[inputs->spools++] = spool;
  if (is_standard)
    name = TH_INPUTS_STANDARD;
  else
    TH_TRY(open_pipe(name, spool.fd, &from, err));
  TH_TRY(th_decompress(TH_CODEC_NONE, from, spool.fd, name, NULL, err));
  rc = add_file(inputs, name, spool.path, err);
done:
  if (from >= 0 && from != STDIN_FILENO)
    close(from);
  return rc;
}

static th_status take_standard(struct th_inputs *inputs, struct th_error *err)
{
  if (inputs->piped)
    return th_fail(err, TH_EUSAGE,
                   "the standard input, '-', was named twice, and can be read "
                   "once; write it to a file");
  inputs->piped = true;
  return TH_OK;
}

/* --- Folders -------------------------------------------------------------- */

/* Names of a folder. */
struct names {
  char **name;
  int64_t count;
  int64_t capacity;
};

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What begins with these is hidden, or a program's own sign that all is there.
 */
static bool is_passed_over(const char *name)
{
  return name[0] == '.' || name[0] == '_';
}

/* What is no folder; most file systems tell without a look at each file. */
static th_status list_folder(DIR *open, const char *folder, struct names *names,
                             int64_t *passed, struct th_error *err)
{
  bool slash = folder[strlen(folder) - 1] == '/';
  th_status rc = TH_OK;
  const struct dirent *e = NULL;
  while (errno = 0, (e = readdir(open)) != NULL) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    TH_TRY(
        TH_GROW(&names->name, &names->capacity, names->count + 1, what, err));
    names->name[names->count] = NULL;
    char **name = &names->name[names->count];
    TH_TRY(
        th_file_text(name, err, "%s%s%s", folder, slash ? "" : "/", e->d_name));
    names->count++;
    if (e->d_type == DT_DIR ||
        (e->d_type != DT_REG && th_inputs_is_folder(*name))) {
      ++*passed;
      free(*name);
      names->count--;
    }
  }
  if (errno != 0)
    rc = th_fail(err, TH_EIO, "%s: %s; check the folder", folder,
                 strerror(errno));
done:
  return rc;
}

static th_status add_folder(struct th_inputs *inputs, const char *folder,
                            int64_t *passed, struct th_error *err)
{
  struct names names = {0};
  int64_t before = inputs->count;
  DIR *open = opendir(folder);
  th_status rc = TH_OK;
  if (open == NULL)
    return th_fail(err, TH_EIO, "%s: %s; check the folder", folder,
                   strerror(errno));
  TH_TRY(list_folder(open, folder, &names, passed, err));
  if (names.count > 1)
    qsort(names.name, (size_t)names.count, sizeof *names.name, by_name);
  for (int64_t k = 0; k < names.count; k++)
    if (is_passed_over(th_file_name(names.name[k])))
      ++*passed;
    else
      TH_TRY(add_file(inputs, names.name[k], NULL, err));
  if (inputs->count == before)
    rc = th_fail(err, TH_EIO,
                 "%s: a folder without files to import, %lld hidden files and "
                 "folders in it; name the files, or another folder",
                 folder, (long long)*passed);
done:
  closedir(open);
  TH_FREE_LIST(names.name, names.count);
  return rc;
}

bool th_inputs_is_folder(const char *name)
{
  struct th_identity file;
  return th_file_identity_of(name, &file) && S_ISDIR(file.mode);
}

th_status th_inputs_add(struct th_inputs *inputs, const char *name,
                        int64_t *passed, struct th_error *err)
{
  struct th_identity file;
  if (strcmp(name, standard) == 0) {
    th_status rc = take_standard(inputs, err);
    return rc == TH_OK ? add_pipe(inputs, name, err) : rc;
  }
  if (!th_file_identity_of(name, &file))
    return add_file(inputs, name, NULL, err);
  if (S_ISFIFO(file.mode))
    return add_pipe(inputs, name, err);
  if (S_ISDIR(file.mode))
    return add_folder(inputs, name, passed, err);
  return add_file(inputs, name, NULL, err);
}

th_status th_inputs_add_name(struct th_inputs *inputs, const char *name,
                             struct th_error *err)
{
  return add_file(inputs, name, NULL, err);
}

/* --- Lists of files ------------------------------------------------------- */

/* Of UTF-8, which some editors begin a text with. */
static const char mark[] = "\xef\xbb\xbf";

/* A line of a list without its end; *more: there is one. */
static th_status next_listed(FILE *open, const char *list, int64_t *line,
                             char name[PATH_MAX], bool *more,
                             struct th_error *err)
{
  int length = 0;
  int byte = EOF;
  ++*line;
  while ((byte = getc(open)) != EOF && byte != '\n') {
    if (byte == '\0' || length == PATH_MAX - 1)
      return th_fail(err, TH_EDATA,
                     "%s:%lld: %s; write the name of a file on each line", list,
                     (long long)*line,
                     byte == '\0' ? "a byte 0, of find -print0 or of no text"
                                  : "longer than a name can be");
    name[length++] = (char)byte;
  }
  *more = byte != EOF || length > 0;
  if (length > 0 && name[length - 1] == '\r')
    length--;
  name[length] = '\0';
  if (*line == 1 && strncmp(name, mark, sizeof mark - 1) == 0)
    memmove(name, name + sizeof mark - 1, strlen(name) - sizeof mark + 2);
  if (ferror(open))
    return th_fail(err, TH_EIO, "%s: %s; check the file", list,
                   strerror(errno));
  return TH_OK;
}

static th_status open_list(struct th_inputs *inputs, const char *list,
                           FILE **open, struct th_error *err)
{
  struct th_identity file;
  if (strcmp(list, standard) == 0) {
    *open = stdin;
    return take_standard(inputs, err);
  }
  if (th_file_identity_of(list, &file) && !S_ISREG(file.mode) &&
      !S_ISFIFO(file.mode))
    return th_fail(err, TH_EIO,
                   "%s: no file with the name of a file on each line", list);
  *open = fopen(list, "re");
  if (*open == NULL)
    return th_fail(err, TH_EIO, "%s: %s; check the name of the list", list,
                   strerror(errno));
  return TH_OK;
}

th_status th_inputs_add_list(struct th_inputs *inputs, const char *list,
                             int64_t *passed, struct th_error *err)
{
  FILE *open = NULL;
  char name[PATH_MAX] = "";
  int64_t line = 0;
  int64_t before = inputs->count;
  bool more = true;
  th_status rc = TH_OK;
  TH_TRY(open_list(inputs, list, &open, err));
  while (more) {
    TH_TRY(next_listed(open, list, &line, name, &more, err));
    if (name[0] != '\0')
      TH_TRY(th_inputs_add(inputs, name, passed, err));
  }
  if (inputs->count == before)
    rc = th_fail(err, TH_EDATA,
                 "%s: names no file; write the name of a file on each line",
                 list);
done:
  if (open != NULL && open != stdin)
    fclose(open);
  return rc;
}

/* --- What all ranks know -------------------------------------------------- */

/* Names and paths, to be sent or taken. */
static th_status walk_names(struct th_message *pack, struct th_inputs *inputs,
                            struct th_error *err)
{
  int64_t count = inputs->count;
  th_status rc = TH_OK;
  TH_TRY(th_message_bytes(pack, &inputs->mains, sizeof inputs->mains, err));
  TH_TRY(th_message_bytes(pack, &count, sizeof count, err));
  for (int64_t k = 0; k < count; k++) {
    char *name = pack->taking ? NULL : inputs->name[k];
    char *path = pack->taking ? NULL : inputs->path[k];
    rc = th_message_text(pack, &name, err);
    if (rc == TH_OK)
      rc = th_message_text(pack, &path, err);
    if (rc == TH_OK && pack->taking)
      rc = add_file(inputs, name, path, err);
    if (pack->taking)
      TH_FREE(name, path);
    TH_TRY(rc);
  }
done:
  return rc;
}

th_status th_inputs_share(struct th_inputs *inputs, struct th_comm *comm,
                          th_status rc, struct th_error *err)
{
  struct th_message pack = {0};
  if (comm->rank == 0 && rc == TH_OK)
    rc = walk_names(&pack, inputs, err);
  rc = th_message_share(&pack, comm, rc, err);
  if (rc == TH_OK && comm->rank != 0)
    rc = walk_names(&pack, inputs, err);
  th_message_free(&pack);
  return rc;
}

void th_inputs_free(struct th_inputs *inputs)
{
  for (int64_t k = 0; k < inputs->spools; k++) {
    th_output_temporary_remove(inputs->spool[k].path);
    close(inputs->spool[k].fd);
    free(inputs->spool[k].path);
  }
  TH_FREE_LIST(inputs->name, inputs->count);
  TH_FREE_LIST(inputs->path, inputs->count);
  free(inputs->spool);
  *inputs = (struct th_inputs){0};
}
