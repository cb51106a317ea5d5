/* certificate_file.c - the certificate of a model in its file
 * SPDX-License-Identifier: MIT */
#include "io/model/certificate_file.h"

#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/row_groups.h"

#include <stdlib.h>

enum {
#define FIELD(name, what) FIELD_##name,
  TH_CERTIFICATE_REALS(FIELD) TH_CERTIFICATE_COUNTS(FIELD) FIELDS,
#undef FIELD
  PATH_COLUMNS = 4
};

static void list_members(struct th_certificate *c, struct th_h5_field f[FIELDS])
{
#define FIELD(name, what)                                                      \
  f[FIELD_##name] = (struct th_h5_field){#name, TH_H5_F64, &c->name};
  TH_CERTIFICATE_REALS(FIELD)
#undef FIELD
#define FIELD(name, what)                                                      \
  f[FIELD_##name] = (struct th_h5_field){#name, TH_H5_I64, &c->name};
  TH_CERTIFICATE_COUNTS(FIELD)
#undef FIELD
}

th_status th_certificate_walk(struct th_message *pack,
                              struct th_certificate *certificate,
                              struct th_error *err)
{
  struct th_h5_field field[FIELDS];
  th_status rc = TH_OK;
  list_members(certificate, field);
  for (int k = 0; k < FIELDS; k++)
    TH_TRY(th_message_bytes(pack, field[k].value, sizeof(double), err));
  TH_TRY(th_message_bytes(pack, certificate->margin, sizeof certificate->margin,
                          err));
  TH_TRY(th_message_bytes(pack, &certificate->path_size,
                          sizeof certificate->path_size, err));
  TH_TRY(th_message_array(pack, (void **)&certificate->path,
                          certificate->path_size, sizeof *certificate->path,
                          err));
done:
  return rc;
}

/* Make a table of doubles from the path, one row per lambda; the caller frees
 * it. */
static th_status tabulate(const struct th_certificate *c, double **table,
                          struct th_error *err)
{
  th_status rc = TH_NEW(table, c->path_size * PATH_COLUMNS, "the path", err);
  for (int64_t k = 0; k < c->path_size && rc == TH_OK; k++) {
    double *row = *table + k * PATH_COLUMNS;
    row[0] = c->path[k].lambda;
    row[1] = c->path[k].objective;
    row[2] = c->path[k].gap;
    row[3] = (double)c->path[k].support_size;
  }
  return rc;
}

th_status th_certificate_put(const struct th_h5 *h5,
                             const struct th_certificate *certificate,
                             struct th_error *err)
{
  struct th_certificate copy = *certificate;
  struct th_h5_field field[FIELDS];
  double *path = NULL;
  th_status rc = TH_OK;
  if (!(certificate->lambda > 0))
    return rc;
  list_members(&copy, field);
  TH_TRY(tabulate(&copy, &path, err));
  TH_TRY(th_h5_group(h5, TH_G_CERTIFICATE, err));
  TH_TRY(th_h5_put_fields(h5, TH_G_CERTIFICATE, field, FIELDS, err));
  TH_TRY(th_h5_put_i64(h5, TH_G_CERTIFICATE, TH_A_PATH, copy.path_size, err));
  TH_TRY(th_h5_put(h5, TH_D_MARGIN, H5T_NATIVE_INT64, TH_MARGINS, copy.margin,
                   err));
  TH_TRY(th_h5_put(h5, TH_D_PATH, H5T_NATIVE_DOUBLE,
                   copy.path_size * PATH_COLUMNS, path, err));
done:
  free(path);
  return rc;
}

static th_status get_path(const struct th_h5 *h5, struct th_certificate *c,
                          struct th_error *err)
{
  double *table = NULL;
  int64_t size = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, TH_G_CERTIFICATE, TH_A_PATH, &size, err));
  if (size < 0 || size > INT64_MAX / PATH_COLUMNS)
    return TH_TRAIN_AGAIN(err, "%s: a path of impossible length", h5->name);
  TH_TRY(th_h5_expect(h5, TH_D_PATH, size * PATH_COLUMNS, err));
  c->path_size = size;
  TH_TRY(TH_NEW(&c->path, c->path_size, "the path", err));
  TH_TRY(TH_NEW(&table, c->path_size * PATH_COLUMNS, "the path", err));
  TH_TRY(th_h5_get(h5, TH_D_PATH, H5T_NATIVE_DOUBLE,
                   c->path_size * PATH_COLUMNS, table, err));
  for (int64_t k = 0; k < c->path_size; k++) {
    const double *row = table + k * PATH_COLUMNS;
    if (!(row[3] >= 0 && row[3] <= (double)TH_MOST_ATTRIBUTES)) {
      rc = TH_TRAIN_AGAIN(err, "%s: a path with a support of impossible size",
                          h5->name);
      goto done;
    }
    c->path[k] =
        (struct th_path_point){row[0], row[1], row[2], (int64_t)row[3]};
  }
done:
  free(table);
  return rc;
}

th_status th_certificate_get(const struct th_h5 *h5,
                             struct th_certificate *certificate,
                             struct th_error *err)
{
  struct th_h5_field field[FIELDS];
  th_status rc = TH_OK;
  if (!th_h5_exists(h5, TH_G_CERTIFICATE))
    return rc;
  list_members(certificate, field);
  TH_TRY(th_h5_get_fields(h5, TH_G_CERTIFICATE, field, FIELDS, err));
  TH_TRY(th_h5_get(h5, TH_D_MARGIN, H5T_NATIVE_INT64, TH_MARGINS,
                   certificate->margin, err));
  TH_TRY(get_path(h5, certificate, err));
done:
  return rc;
}
