/* vector_state.c - no call leaves the upper halves of the vector registers
 * in use: scalar functions behind it would take many times as long
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"
#include "base/memory.h"
#include "base/processor.h"
#include "check.h"
#include "io/dataset/anew.h"
#include "io/dataset/fingerprint.h"
#include "io/files/decompress.h"
#include "io/files/hash.h"
#include "io_data.h"
#include "math/kernels/kernels.h"
#include "math/linalg.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { R = 64, ORDER = 150, BYTES = 1 << 20 };

static char folder[64];
static struct th_comm comm;

static const char *path_of(const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void check_clear(const char *what)
{
  enum th_processor_upper now = th_processor_upper_now();
  CHECK(now == TH_UPPER_CLEAR);
  if (now != TH_UPPER_CLEAR)
    fprintf(stderr, "in use behind %s\n", what);
  th_processor_clear_upper();
}

/* The processor can tell both states apart. */
static void test_state(void)
{
  th_processor_clear_upper();
  CHECK(th_processor_upper_now() == TH_UPPER_CLEAR);
  th_processor_spoil_upper();
  CHECK(th_processor_upper_now() == TH_UPPER_IN_USE);
  th_processor_clear_upper();
  CHECK(th_processor_upper_now() == TH_UPPER_CLEAR);
}

/* XXH3 has forms of its own for several lengths. */
static void test_hash(void)
{
  static const size_t lengths[] = {1, 16, 100, 200, 300, 4096, BYTES};
  char *data = calloc(1, BYTES);
  uint64_t hash = 0;
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    hash ^= th_hash(data, lengths[k]);
    check_clear("th_hash");
  }
  FILE *file = fopen(path_of("bytes"), "wb");
  CHECK(file != NULL && fwrite(data, 1, BYTES, file) == BYTES);
  fclose(file);
  CHECK(th_hash_file(path_of("bytes"), &hash));
  check_clear("th_hash_file");
  struct th_shard_piece_parts piece = {BYTES / 8,
                                       BYTES / 8,
                                       (uint32_t *)(void *)data,
                                       (uint16_t *)(void *)data,
                                       (uint16_t *)(void *)data,
                                       data,
                                       4};
  hash ^= th_fingerprint_piece(&piece);
  check_clear("th_fingerprint_piece");
  CHECK(hash != 0);
  free(data);
}

static void test_codec(const char *program, const char *name)
{
  char line[256];
  struct th_error err = {0};
  enum th_codec codec = TH_CODEC_NONE;
  snprintf(line, sizeof line, "seq 200000 | %s >%s/%s", program, folder, name);
  CHECK(system(line) == 0);
  int from = open(path_of(name), O_RDONLY);
  int to = open(path_of("text"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(th_decompress_find(from, name, &codec, &err) == TH_OK);
  CHECK(codec != TH_CODEC_NONE);
  CHECK(th_decompress(codec, from, to, name, NULL, &err) == TH_OK);
  check_clear(program);
  close(from);
  close(to);
}

/* SLEEF: its functions of vectors, in whole ones and in parts. */
static void test_elementary(void)
{
  enum { COUNT = 37 };
  double x[COUNT];
  for (int k = 0; k < COUNT; k++)
    x[k] = 0.1 * k;
  th_exp_array(COUNT, x, x);
  check_clear("th_exp_array");
  th_log_array(COUNT, x, x);
  check_clear("th_log_array");
  th_log1p_array(COUNT, x, x);
  check_clear("th_log1p_array");
  for (int k = 0; k < COUNT; k++)
    x[k] = th_exp(x[k]) + th_pow(x[k] + 1, 0.3) + th_sincos(x[k]).sin +
           th_log(x[k] + 1) + th_tanh(x[k]) + th_erfc(x[k]);
  check_clear("scalar functions");
  CHECK(isfinite(x[COUNT - 1]));
}

static void test_linalg(void)
{
  double *a = calloc((size_t)ORDER * ORDER, sizeof *a);
  double *inverse = calloc((size_t)ORDER * ORDER, sizeof *inverse);
  double b[ORDER];
  double x[ORDER];
  bool kept[ORDER];
  double largest = 0;
  struct th_error err = {0};
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < ORDER; i++) {
      b[i] = i;
      for (int j = 0; j < ORDER; j++)
        a[i * ORDER + j] = i == j ? ORDER : 1.0 / (1 + abs(i - j));
    }
    if (pass == 0)
      CHECK(th_linalg_solve(&(struct th_linalg_system){ORDER, a, b, 1e-12}, x,
                            inverse, kept, &err) == TH_OK);
    else
      CHECK(th_linalg_largest_eigenvalue(ORDER, a, &largest, &err) == TH_OK);
    check_clear(pass == 0 ? "th_linalg_solve" : "th_linalg_largest_eigenvalue");
  }
  free(a);
  free(inverse);
}

/* HDF5, its filters, and our own kernels on what was read. */
static void test_data(void)
{
  struct recipe recipe = {.shape = {.examples = 10 * R,
                                    .training = 10 * R,
                                    .attributes = 300,
                                    .row_group = R,
                                    .type = TH_F32},
                          .shards = 1};
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  struct th_slab slab;
  double residual[R] = {1};
  float residual32[R] = {1};
  double weight[R] = {1};
  float weight32[R] = {1};
  double centre[300] = {0};
  double sum[300];
  struct th_row_weights m = {residual, residual32, weight, weight32};
  CHECK(recipe_write(&recipe, &comm, path_of("d.h5"), false, &err) == TH_OK);
  check_clear("writing a data set");
  CHECK(th_anew_shard(path_of("d.shards/00000.h5"), TH_STORED_FILTERED, R,
                      &err) == TH_OK);
  check_clear("deflate");
  CHECK(th_dataset_open(&d, &comm, path_of("d.h5"), 1 << 20, &err) == TH_OK);
  struct th_store *store = th_dataset_store(d);
  CHECK(store->ops->slab(store, (struct th_rows){0, R},
                         (struct th_range){0, 300}, false, &slab,
                         &err) == TH_OK);
  check_clear("inflate");
  th_kernel_gradient(&slab, &m, centre, sum);
  check_clear("th_kernel_gradient");
  th_dataset_close(d);
}

int main(void)
{
  th_comm_self(&comm);
  th_processor_clear_upper();
  if (th_processor_upper_now() == TH_UPPER_UNKNOWN) {
    printf("this processor cannot be asked\n");
    return 0;
  }
  test_folder(&comm, folder);
  CASE(test_state());
  CASE(test_hash());
  CASE(test_codec("gzip", "text.gz"));
  CASE(test_codec("bzip2", "text.bz2"));
  CASE(test_codec("xz", "text.xz"));
  CASE(test_codec("zstd -q", "text.zst"));
  CASE(test_codec("lz4 -q", "text.lz4"));
  CASE(test_elementary());
  CASE(test_linalg());
  CASE(test_data());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
