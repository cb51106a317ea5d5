/* common.c - what several commands share
 * SPDX-License-Identifier: MIT */
#include "cli/common.h"

#include "cli/wording.h"

#include <errno.h>
#include <string.h>

int64_t th_common_memory_to_keep(const struct th_options *options,
                                 int64_t share)
{
  return options->memory > 0 ? options->memory : share / 5 * 2;
}

th_status th_common_output_check(struct th_comm *comm, const char *path,
                                 bool text, bool force, struct th_error *err)
{
  struct th_output output = {.file = -1};
  th_status rc = TH_OK;
  if (path == NULL)
    return TH_OK;
  if (comm->rank == 0) {
    rc = (text ? th_output_begin_text : th_output_begin)(&output, path, force,
                                                         err);
    th_output_abort(&output);
  }
  return th_agree(comm, rc, err);
}

void th_common_note(const struct th_options *options, const char *note)
{
  if (note[0] != '\0' && !options->quiet)
    th_wording_print(stderr, "note: ", note);
}

th_status th_common_json(const struct th_output *output, json_t *object,
                         size_t flags, struct th_error *err)
{
  struct th_error why = {0};
  th_status rc = th_json_print(output->text, object, flags, &why);
  int code = errno;
  if (rc == TH_EIO)
    return th_fail(err, rc, "cannot write %s: %s", th_output_name(output->path),
                   strerror(code));
  return rc == TH_OK ? TH_OK : th_fail(err, rc, "%s", why.text);
}

void th_common_unwritten(const char *what, const char *path, const char *why)
{
  fprintf(stderr, "note: no %s: ", what);
  th_wording_print(stderr, "", why);
  if (strcmp(path, "-") == 0 && freopen("/dev/null", "w", stdout) == NULL)
    fprintf(stderr, "note: the standard output is closed\n");
}
