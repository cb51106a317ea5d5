/* forge_tool.c - for scripts: a model with one number of its certificate
 * changed and all checksums right
 *
 *   forge_tool MODEL OUT NAME FACTOR PLUS   NAME becomes NAME * FACTOR + PLUS;
 *   a member of struct th_certificate, margin.K, path_size (not above what it
 *   is), path.K.lambda, .objective, .gap, .support_size, or coef: all of them
 * SPDX-License-Identifier: MIT */
#include "io/model/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct change {
  double factor;
  double plus;
};

static void change_real(double *value, struct change change)
{
  *value = *value * change.factor + change.plus;
}

static void change_count(int64_t *value, struct change change)
{
  *value = (int64_t)((double)*value * change.factor + change.plus);
}

static bool change_point(struct th_path_point *point, const char *member,
                         struct change change)
{
  if (strcmp(member, "lambda") == 0)
    change_real(&point->lambda, change);
  else if (strcmp(member, "objective") == 0)
    change_real(&point->objective, change);
  else if (strcmp(member, "gap") == 0)
    change_real(&point->gap, change);
  else if (strcmp(member, "support_size") == 0)
    change_count(&point->support_size, change);
  else
    return false;
  return true;
}

static bool forge(struct th_model *model, const char *name,
                  struct change change)
{
  struct th_certificate *c = &model->certificate;
  bool coefs = strcmp(name, "coef") == 0;
  long k = -1;
  char member[32] = "";
  for (int f = 0; f < th_certificate_fields.rows; f++) {
    const struct th_fields_row *field = &th_certificate_fields.row[f];
    if (strcmp(name, field->name) != 0)
      continue;
    if (th_claims_field_is_real(field))
      change_real(th_claims_field_at(field, c), change);
    else
      change_count(th_claims_field_at(field, c), change);
    return true;
  }
  for (int64_t m = 0; m < model->support_size && coefs; m++)
    change_real(&model->coef[m], change);
  if (strcmp(name, "path_size") == 0) {
    change_count(&c->path_size, change);
    return true;
  }
  if (sscanf(name, "margin.%ld", &k) == 1 && k >= 0 && k < TH_MARGINS) {
    change_count(&c->margin[k], change);
    return true;
  }
  return coefs ||
         (sscanf(name, "path.%ld.%31s", &k, member) == 2 && k >= 0 &&
          k < c->path_size && change_point(&c->path[k], member, change));
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_error err;
  struct th_model model;
  th_comm_self(&comm);
  th_error_clear(&err);
  if (argc != 6)
    return 2;
  struct change change = {strtod(argv[4], NULL), strtod(argv[5], NULL)};
  th_status rc = th_model_file_read(&model, &comm, argv[1], &err);
  if (rc == TH_OK && !forge(&model, argv[3], change))
    rc = th_fail(&err, TH_EARG, "no member %s", argv[3]);
  if (rc == TH_OK)
    rc = th_model_file_write(&model, &comm, argv[2], true, &err);
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  th_model_free(&model);
  return rc == TH_OK ? 0 : 1;
}
