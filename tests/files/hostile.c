/* hostile.c - damaged and cut files of every format of the importer table,
 * plain and compressed: each is imported, or ends in one line with file and
 * place; nothing is left
 *
 * hostile [TRIES]: so many changes of each file; seeds are fixed.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "io/dataset/writer/writer.h"
#include "io/import/import.h"
#include "io_data.h"

#include <bzlib.h>
#include <fcntl.h>
#include <hdf5.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { PATH = 160, ROOM = 1 << 16, ROWS = 40, COLUMNS = 4, TRIES = 40 };

/* --- Samples -------------------------------------------------------------- */

struct bytes {
  unsigned char data[ROOM];
  size_t count;
};

static void put(struct bytes *to, const void *from, size_t count)
{
  if (to->count + count > ROOM)
    abort();
  memcpy(to->data + to->count, from, count);
  to->count += count;
}

static void put_number(struct bytes *to, uint64_t number, size_t size)
{
  for (size_t k = 0; k < size; k++) {
    unsigned char byte = (unsigned char)(k < 8 ? number >> 8 * k : 0);
    put(to, &byte, 1);
  }
}

static void put_text(struct bytes *to, const char *text)
{
  put(to, text, strlen(text));
}

static double value_at(int row, int column)
{
  return (row * 7 + column * 13) % 17 / 4.0 - 2;
}

static void make_libsvm(struct bytes *to)
{
  char line[96];
  for (int i = 0; i < ROWS; i++) {
    snprintf(line, sizeof line, "%d 1:%g 3:%g %d:0.5\n", i % 3, value_at(i, 1),
             value_at(i, 2), 5 + i % 9);
    put_text(to, line);
  }
}

static void make_csv(struct bytes *to)
{
  static const char *const words[] = {"red", "green", "\"a, b\""};
  char line[96];
  put_text(to, "y,a,b,word\n");
  for (int i = 0; i < ROWS; i++) {
    snprintf(line, sizeof line, "%g,%g,%g,%s\n", value_at(i, 0), value_at(i, 1),
             value_at(i, 2), words[i % 3]);
    put_text(to, line);
  }
}

static void make_npy(struct bytes *to)
{
  enum { HEADER = 118 };
  char header[HEADER + 1];
  int used = snprintf(header, sizeof header,
                      "{'descr': '<f8', 'fortran_order': False, 'shape': "
                      "(%d, %d), }",
                      ROWS, COLUMNS);
  memset(header + used, ' ', HEADER - (size_t)used);
  header[HEADER - 1] = '\n';
  put(to, "\x93NUMPY\1\0v\0", 10);
  put(to, header, HEADER);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      double value = value_at(i, j);
      put(to, &value, sizeof value);
    }
}

static void make_mtx(struct bytes *to)
{
  char line[96];
  snprintf(line, sizeof line,
           "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", ROWS,
           COLUMNS, ROWS * 2);
  put_text(to, line);
  for (int i = 0; i < ROWS * 2; i++) {
    snprintf(line, sizeof line, "%d %d %g\n", i / 2 + 1,
             i % 2 == 0 ? 1 : 2 + i % 3, value_at(i, 3));
    put_text(to, line);
  }
}

static void make_hdf5(struct bytes *to)
{
  const hsize_t size[2] = {ROWS, COLUMNS};
  double value[ROWS][COLUMNS];
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, ROOM / 4, 0);
  hid_t file = H5Fcreate("unused", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hid_t space = H5Screate_simple(2, size, NULL);
  hid_t set = H5Dcreate2(file, "X", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                         H5P_DEFAULT, H5P_DEFAULT);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      value[i][j] = value_at(i, j);
  CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 value) >= 0);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  ssize_t bytes = H5Fget_file_image(file, to->data, ROOM);
  CHECK(bytes > 0);
  to->count = bytes > 0 ? (size_t)bytes : 0;
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  H5Pclose(access);
}

static void make_bed(struct bytes *to)
{
  static const unsigned char head[] = {0x6c, 0x1b, 1};
  put(to, head, sizeof head);
  for (int a = 0; a < COLUMNS; a++)
    for (int k = 0; k < ROWS / 4; k++)
      put_number(to, (uint64_t)(a * 89 + k * 57 + 3), 1);
}

static void make_bim(struct bytes *to)
{
  char line[96];
  for (int a = 0; a < COLUMNS; a++) {
    snprintf(line, sizeof line, "1\trs%d\t0\t%d\tA\tG\n", a, 100 + a);
    put_text(to, line);
  }
}

static void make_fam(struct bytes *to)
{
  char line[96];
  for (int i = 0; i < ROWS; i++) {
    snprintf(line, sizeof line, "F%d I%d 0 0 1 %g\n", i, i, value_at(i, 0) + 9);
    put_text(to, line);
  }
}

/* An archive that stores one member as it is. */
static void pack_zip(const struct bytes *from, const char *name,
                     struct bytes *to)
{
  const size_t length = strlen(name);
  const uint64_t crc = crc32(0, from->data, (uInt)from->count);
  size_t directory = 0;
  for (int central = 0; central < 2; central++) {
    directory = to->count;
    put_text(to, central ? "PK\1\2" : "PK\3\4");
    put_number(to, 20, central ? 4 : 2);
    put_number(to, 0, 8); /* flags, method, time and date */
    put_number(to, crc, 4);
    put_number(to, from->count, 4);
    put_number(to, from->count, 4);
    put_number(to, length, 2);
    put_number(to, 0, central ? 16 : 2);
    put(to, name, length);
    if (!central)
      put(to, from->data, from->count);
  }
  const size_t end = to->count;
  put_text(to, "PK\5\6");
  put_number(to, 0, 4);
  put_number(to, 0x00010001, 4);
  put_number(to, end - directory, 4);
  put_number(to, directory, 4);
  put_number(to, 0, 2);
}

static void make_npz(struct bytes *to)
{
  struct bytes array = {.count = 0};
  make_npy(&array);
  pack_zip(&array, "x.npy", to);
}

/* A format of the table, by the files that are one input. */
static const struct sample {
  const char *format;
  const char *target;
  int64_t attributes; /* at most, where a text may name any */
  struct {
    const char *ending;
    void (*make)(struct bytes *to);
  } file[3];
} samples[] = {
    {"libsvm", NULL, 100, {{".svm", make_libsvm}}},
    {"csv", "y", 0, {{".csv", make_csv}}},
    {"npy", "1", 0, {{".npy", make_npy}}},
    {"npz", "1", 0, {{".npz", make_npz}}},
    {"hdf5", "1", 0, {{".h5", make_hdf5}}},
    {"mtx", "1", 0, {{".mtx", make_mtx}}},
    {"bed",
     NULL,
     0,
     {{".bed", make_bed}, {".bim", make_bim}, {".fam", make_fam}}},
};

/* --- Compressed samples --------------------------------------------------- */

static void pack_gzip(const struct bytes *from, struct bytes *to)
{
  z_stream stream = {0};
  CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = (Bytef *)from->data;
  stream.avail_in = (uInt)from->count;
  stream.next_out = to->data;
  stream.avail_out = ROOM;
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  to->count = stream.total_out;
  deflateEnd(&stream);
}

static void pack_bzip2(const struct bytes *from, struct bytes *to)
{
  unsigned bytes = ROOM;
  CHECK(BZ2_bzBuffToBuffCompress((char *)to->data, &bytes, (char *)from->data,
                                 (unsigned)from->count, 1, 0, 0) == BZ_OK);
  to->count = bytes;
}

static void pack_xz(const struct bytes *from, struct bytes *to)
{
  CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, from->data,
                                from->count, to->data, &to->count,
                                ROOM) == LZMA_OK);
}

static void pack_zstd(const struct bytes *from, struct bytes *to)
{
  to->count = ZSTD_compress(to->data, ROOM, from->data, from->count, 3);
  CHECK(!ZSTD_isError(to->count));
}

static void pack_lz4(const struct bytes *from, struct bytes *to)
{
  to->count = LZ4F_compressFrame(to->data, ROOM, from->data, from->count, NULL);
  CHECK(!LZ4F_isError(to->count));
}

static void pack_archive(const struct bytes *from, struct bytes *to)
{
  pack_zip(from, "sample", to);
}

static const struct codec {
  const char *ending;
  void (*pack)(const struct bytes *from, struct bytes *to);
} codecs[] = {{".gz", pack_gzip}, {".bz2", pack_bzip2},
              {".xz", pack_xz},   {".zst", pack_zstd},
              {".lz4", pack_lz4}, {".zip", pack_archive}};

/* --- Tries ---------------------------------------------------------------- */

/* A sample in a folder of its own. */
struct trial {
  const struct sample *sample;
  const struct codec *codec; /* of the first file; NULL: it is plain */
  char folder[64];
  int files;
  int64_t made; /* imports that came to an end */
};

static void file_name(const struct trial *trial, int k, char path[PATH])
{
  bool packed = trial->codec != NULL && k == 0;
  snprintf(path, PATH, "%s/sample%s%s", trial->folder,
           trial->sample->file[k].ending, packed ? trial->codec->ending : "");
}

static void write_file(const struct trial *trial, int k,
                       const struct bytes *bytes, size_t count)
{
  char path[PATH];
  file_name(trial, k, path);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes->data, 1, count, file) != count ||
      fclose(file) != 0)
    abort();
}

/* One line that names a file of the sample, and a number of a place in it. */
static bool is_told(const char *text)
{
  const char *name = strstr(text, "/sample.");
  return name != NULL && strchr(text, '\n') == NULL &&
         strpbrk(name, "0123456789") != NULL;
}

/* Import the sample as it lies there. */
static th_status import_sample(struct trial *trial)
{
  char input[PATH];
  char output[PATH];
  char shards[PATH];
  struct th_comm comm;
  struct th_error err = {0};
  struct th_import_result result;
  file_name(trial, 0, input);
  snprintf(output, PATH, "%s/made.h5", trial->folder);
  snprintf(shards, PATH, "%s/made.shards", trial->folder);
  const char *inputs[] = {input};
  const struct th_import job = {.inputs = inputs,
                                .input_count = 1,
                                .output = output,
                                .format = trial->sample->format,
                                .layout = -1,
                                .type = -1,
                                .target = trial->sample->target,
                                .table = {.levels = 10},
                                .attributes = trial->sample->attributes,
                                .missing = {.most = 1},
                                .max_line = 4096,
                                .row_group = 64,
                                .shards = 1,
                                .order = {.seed = 1, .shuffle = true},
                                .memory = 1 << 20};
  th_comm_self(&comm);
  th_status rc = th_import_run(&job, &comm, &result, &err);
  if (rc == TH_OK) {
    trial->made++;
    CHECK(unlink(output) == 0);
    th_writer_folder_remove(AT_FDCWD, shards);
  } else if (!is_told(err.text)) {
    fprintf(stderr, "without file and place: %s\n", err.text);
    CHECK(false);
  }
  CHECK(test_count_files(trial->folder) == trial->files);
  return rc;
}

/* Some bytes of it are others. */
static size_t change(struct bytes *bytes, uint64_t number)
{
  uint32_t draw[4];
  size_t count = bytes->count;
  th_random_bits((struct th_stream){11, TH_PURPOSE_TEST}, number, 0, draw);
  for (uint32_t k = 0; k <= draw[0] % 3; k++) {
    uint32_t at[4];
    th_random_bits((struct th_stream){11, TH_PURPOSE_TEST}, number, k + 1, at);
    /* the heads of most formats lie in front, and those of archives at the end
     */
    size_t reach = at[2] % 2 == 0 || count < 64 ? count : 64;
    size_t place = at[0] % reach;
    place = at[2] % 8 == 1 ? count - 1 - place : place;
    bytes->data[place] = at[1] % 4 == 0 ? 0 : (unsigned char)(at[1] >> 8);
  }
  return count;
}

/* File k of the sample is cut at many places, and changed. */
static void try_file(struct trial *trial, int k, const struct bytes *whole,
                     int64_t tries)
{
  for (int64_t t = 0; t < tries; t++) {
    write_file(trial, k, whole, whole->count * (size_t)t / (size_t)tries);
    import_sample(trial);
  }
  for (int64_t t = 0; t < tries; t++) {
    struct bytes other = *whole;
    write_file(trial, k, &other, change(&other, (uint64_t)t));
    import_sample(trial);
  }
  write_file(trial, k, whole, whole->count);
}

static void make_file(const struct trial *trial, int k, struct bytes *bytes)
{
  struct bytes plain = {.count = 0};
  bytes->count = 0;
  if (trial->codec == NULL || k > 0) {
    trial->sample->file[k].make(bytes);
    return;
  }
  trial->sample->file[k].make(&plain);
  trial->codec->pack(&plain, bytes);
}

static void test_sample(const struct sample *sample, const struct codec *codec,
                        int64_t tries)
{
  struct th_comm comm;
  struct trial trial = {.sample = sample, .codec = codec};
  struct bytes bytes;
  th_comm_self(&comm);
  test_folder(&comm, trial.folder);
  for (int k = 0; k < 3 && sample->file[k].make != NULL; k++) {
    make_file(&trial, k, &bytes);
    write_file(&trial, k, &bytes, bytes.count);
    trial.files++;
  }
  CHECK(import_sample(&trial) == TH_OK);
  for (int k = 0; k < (codec == NULL ? trial.files : 1); k++) {
    make_file(&trial, k, &bytes);
    try_file(&trial, k, &bytes, tries);
  }
  CHECK(import_sample(&trial) == TH_OK);
  printf("%s%s: %lld imports\n", sample->format,
         codec == NULL ? "" : codec->ending, (long long)trial.made);
  test_folder_remove(&comm, trial.folder);
}

/* Every format that is read has a sample. */
static void test_formats(int64_t tries)
{
  for (const struct th_importer_row *row = th_import_table(); row->name != NULL;
       row++) {
    int found = 0;
    for (size_t k = 0; row->importer != NULL && k < TH_COUNT(samples); k++) {
      if (strcmp(samples[k].format, row->name) != 0)
        continue;
      found++;
      CASE_NAMED(row->name, test_sample(&samples[k], NULL, tries));
    }
    CHECK(row->importer == NULL || found == 1);
  }
}

static void test_codecs(int64_t tries)
{
  for (size_t c = 0; c < TH_COUNT(codecs); c++)
    for (size_t k = 0; k < TH_COUNT(samples); k++)
      if (strcmp(samples[k].format, "csv") == 0 ||
          strcmp(samples[k].format, "mtx") == 0)
        CASE_NAMED(codecs[c].ending,
                   test_sample(&samples[k], &codecs[c], tries));
}

int main(int argc, char **argv)
{
  int64_t tries = argc > 1 ? strtoll(argv[1], NULL, 10) : TRIES;
  if (access("/dev/shm", W_OK | X_OK) == 0)
    setenv("TMPDIR", "/dev/shm", 1);
  CASE(test_formats(tries));
  CASE(test_codecs(tries));
  return check_finish(NULL);
}
