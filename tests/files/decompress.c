/* decompress.c - xz files of several blocks where few threads may be made
 * SPDX-License-Identifier: MIT */
#include "io/files/decompress.h"
#include "check.h"
#include "preload.h"

#include <errno.h>
#include <lzma.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 2500000, BLOCK = 65536, ANY = 1000 };

static int threads_left = ANY;

/* In place of the library's, also for liblzma: a limit on processes, as it is
 * for a user who is not root. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how,
                   void *(*run)(void *), void *self)
{
  static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                       void *);
  if (threads_left == 0)
    return EAGAIN;
  threads_left--;
  if (create == NULL)
    preload_next((void *)&create, "pthread_create");
  return create(thread, how, run, self);
}

static void told(void *self, int64_t bytes)
{
  *(int64_t *)self = bytes;
}

/* Lines of the given length that end so, compressed in blocks; bytes of the
 * result. */
static size_t compress(char *text, size_t line, char last, uint8_t *packed)
{
  lzma_mt how = {.threads = 2,
                 .block_size = BLOCK,
                 .preset = 0,
                 .check = LZMA_CHECK_CRC64};
  lzma_stream stream = LZMA_STREAM_INIT;
  for (size_t k = 0; k < BYTES; k++)
    text[k] = k % line == line - 1   ? '\n'
              : k % line == line - 2 ? last
                                     : (char)('0' + k * k % 89 % 10);
  threads_left = ANY;
  CHECK(lzma_stream_encoder_mt(&stream, &how) == LZMA_OK);
  stream.next_in = (uint8_t *)text;
  stream.avail_in = BYTES;
  stream.next_out = packed;
  stream.avail_out = 2 * (size_t)BYTES;
  lzma_ret rc = LZMA_OK;
  while (rc == LZMA_OK)
    rc = lzma_code(&stream, LZMA_FINISH);
  CHECK(rc == LZMA_STREAM_END);
  lzma_end(&stream);
  return 2 * (size_t)BYTES - stream.avail_out;
}

/* A file without a name that holds these bytes. */
static int file_of(const void *bytes, size_t count)
{
  FILE *file = tmpfile();
  CHECK(file != NULL);
  int fd = dup(fileno(file));
  fclose(file);
  CHECK(write(fd, bytes, count) == (ssize_t)count);
  CHECK(lseek(fd, 0, SEEK_SET) == 0);
  return fd;
}

/* Decompress on so many threads, of which some may be made. */
static th_status unpack(int from, int to, int threads, int made, int64_t line,
                        struct th_error *err)
{
  int64_t read = 0;
  struct th_reading reading = {.told = told,
                               .self = &read,
                               .line = {line, "shorten it"},
                               .threads = threads,
                               .memory = 1 << 28};
  threads_left = made;
  lseek(from, 0, SEEK_SET);
  th_status rc = th_decompress(TH_CODEC_XZ, from, to, "some.xz", &reading, err);
  threads_left = ANY;
  return rc;
}

static void test_few_threads(void)
{
  static char text[BYTES], again[BYTES + 1];
  static uint8_t packed[2 * BYTES];
  size_t count = compress(text, 100, '1', packed);
  int from = file_of(packed, count);
  for (int made = 0; made <= 4; made++) {
    struct th_error err = {0};
    int to = file_of("head", 4);
    lseek(to, 4, SEEK_SET);
    CHECK(unpack(from, to, 4, made, 0, &err) == TH_OK);
    CHECK(pread(to, again, BYTES + 1, 4) == BYTES);
    CHECK(memcmp(text, again, BYTES) == 0);
    close(to);
  }
  close(from);
}

/* A long line and a damage: what comes first is told, by any number of threads.
 */
static void test_first_fault(void)
{
  static char text[BYTES];
  static uint8_t packed[2 * BYTES];
  for (int64_t line = 1500; line <= 1500000; line *= 10) {
    size_t count = compress(text, (size_t)line, '1', packed);
    for (size_t at = 500; at < count; at += count / 30) {
      struct th_error err[2] = {0};
      packed[at] ^= 0x55;
      int from = file_of(packed, count);
      for (int k = 0; k < 2; k++) {
        int to = file_of("", 0);
        unpack(from, to, 1 + 3 * k, ANY, line / 5 * 4, &err[k]);
        close(to);
      }
      CHECK(err[0].code == TH_EFORMAT);
      CHECK(strcmp(err[0].text, err[1].text) == 0);
      packed[at] ^= 0x55;
      close(from);
    }
  }
}

/* The end of a line is none of its bytes, nor is a carriage return before it.
 */
static void test_longest_line(char last, int64_t longest)
{
  static char text[BYTES];
  static uint8_t packed[2 * BYTES];
  size_t count = compress(text, 1000, last, packed);
  int from = file_of(packed, count);
  for (int64_t most = longest - 2; most <= longest + 1; most++) {
    struct th_error err = {0};
    int to = file_of("", 0);
    th_status rc = unpack(from, to, 1, ANY, most, &err);
    CHECK(rc == (most < longest ? TH_EFORMAT : TH_OK));
    close(to);
  }
  close(from);
}

int main(void)
{
  CASE(test_few_threads());
  CASE(test_first_fault());
  CASE(test_longest_line('1', 999));
  CASE(test_longest_line('\r', 998));
  return check_finish(NULL);
}
