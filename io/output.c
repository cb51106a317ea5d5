/* output.c - a file appears under its final name whole, or not at all
 * SPDX-License-Identifier: MIT */
#include "io/output.h"

#include "core/model.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static th_status check_free(const char *path, bool force, struct th_error *err)
{
  struct stat s;
  if (th_path_name(path)[0] == '\0')
    return th_fail(err, TH_EIO, "%s: is a folder; name a file in it", path);
  if (lstat(path, &s) != 0)
    return TH_OK;
  if (S_ISDIR(s.st_mode))
    return th_fail(err, TH_EIO, "%s: is a folder; name a file in it", path);
  /* A device or a pipe would be replaced by a plain file of its name. */
  if (!S_ISREG(s.st_mode) && !S_ISLNK(s.st_mode))
    return th_fail(err, TH_EIO,
                   "%s: neither a file nor a new name; choose another name",
                   path);
  if (!force)
    return th_fail(err, TH_EIO,
                   "%s exists; give --force to overwrite it, or another name",
                   path);
  return TH_OK;
}

static th_status lock(struct th_output *output, struct th_error *err)
{
  struct stat mine;
  struct stat there;
  output->lock =
      open(output->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (output->lock < 0)
    return th_fail(err, TH_EIO,
                   "cannot write %s: %s; choose a folder that exists and may "
                   "be written to",
                   output->path, strerror(errno));
  /* The second test: the other run may have renamed its file since the open. */
  if (flock(output->lock, LOCK_EX | LOCK_NB) != 0 ||
      fstat(output->lock, &mine) != 0 || stat(output->partial, &there) != 0 ||
      mine.st_ino != there.st_ino || mine.st_dev != there.st_dev)
    return th_fail(err, TH_EIO,
                   "another run is writing %s; wait for it or choose another "
                   "name",
                   output->path);
  if (ftruncate(output->lock, 0) != 0)
    return th_fail(err, TH_EIO, "cannot write %s: %s", output->path,
                   strerror(errno));
  return TH_OK;
}

/* Let go of everything but the file itself. */
static void release(struct th_output *output)
{
  if (output->lock >= 0)
    close(output->lock);
  free(output->path);
  free(output->partial);
  *output = (struct th_output){.lock = -1};
}

th_status th_output_begin(struct th_output *output, const char *path,
                          bool force, struct th_error *err)
{
  char *folder = NULL;
  th_status rc = TH_OK;
  *output = (struct th_output){.lock = -1};
  TH_TRY(check_free(path, force, err));
  TH_TRY(th_path_folder(path, &folder, err));
  TH_TRY(th_text(&output->path, err, "%s", path));
  TH_TRY(th_text(&output->partial, err, "%s.%s.partial", folder,
                 th_path_name(path)));
  TH_TRY(lock(output, err));
done:
  free(folder);
  if (rc != TH_OK)
    release(output);
  return rc;
}

th_status th_output_commit(struct th_output *output, struct th_error *err)
{
  char *folder = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_flush(output->partial, err));
  TH_TRY(th_path_folder(output->path, &folder, err));
  if (rename(output->partial, output->path) != 0) {
    rc = th_fail(err, TH_EIO, "cannot write %s: %s", output->path,
                 strerror(errno));
    goto done;
  }
  /* From here on the output exists: nothing below takes it back. */
  free(output->partial);
  output->partial = NULL;
  TH_TRY(th_flush(folder[0] != '\0' ? folder : ".", err));
done:
  free(folder);
  if (rc == TH_OK)
    release(output);
  return rc;
}

void th_output_abort(struct th_output *output)
{
  if (output->path == NULL)
    return;
  if (output->partial != NULL)
    unlink(output->partial);
  release(output);
}
