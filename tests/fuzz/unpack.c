/* unpack.c - compressed files: gzip, bzip2, xz, zstd, lz4, zip
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/files/decompress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LONGEST_LINE = 4096, MEMORY = 1 << 20, MOST_BYTES = 16 << 20 };

static void count_bytes(void *self, int64_t bytes)
{
  *(int64_t *)self = bytes;
}

/* A few bytes may stand for many: writing ends there as on a full disk. */
static void limit_files(void)
{
  const struct rlimit most = {MOST_BYTES, MOST_BYTES};
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &most) != 0)
    abort();
}

/* The first byte chooses how it is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct th_error err = {0};
  char from[FUZZ_PATH];
  char to[FUZZ_PATH];
  int64_t read = 0;
  enum th_codec codec = TH_CODEC_NONE;
  if (size == 0)
    return 0;
  limit_files();
  fuzz_file("packed", data + 1, size - 1, from);
  fuzz_path("unpacked", to);
  const struct th_reading reading = {
      .told = count_bytes,
      .self = &read,
      .line = {(data[0] & 1) != 0 ? LONGEST_LINE : 0, "shorten it"},
      .threads = (data[0] & 2) != 0 ? 2 : 1,
      .memory = MEMORY};
  int in = open(from, O_RDONLY);
  int out = open(to, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0)
    abort();
  th_status rc = th_decompress_find(in, "packed", &codec, &err);
  if (rc == TH_OK)
    rc = th_decompress(codec, in, out, "packed", &reading, &err);
  fuzz_one_line(rc, &err);
  close(in);
  close(out);
  return 0;
}
