/* certificate_text.c - the certificate of a penalised model as text and as JSON
 * SPDX-License-Identifier: MIT */
#include "cli/certificate_text.h"

#include <inttypes.h>

static json_t *path_json(const struct th_certificate *certificate)
{
  json_t *path = json_array();
  for (int64_t k = 0; k < certificate->path_size; k++) {
    const struct th_path_point *point = &certificate->path[k];
    json_t *o = json_object();
    th_json_real(o, "lambda", point->lambda);
    th_json_real(o, "objective", point->objective);
    th_json_real(o, "gap", point->gap);
    th_json_int(o, "support_size", point->support_size);
    json_array_append_new(path, o);
  }
  return path;
}

void th_certificate_json(json_t *object,
                         const struct th_certificate *certificate)
{
  json_t *margin = json_array();
  if (!(certificate->lambda > 0)) {
    json_decref(margin);
    return;
  }
#define ADD(name, what) th_json_real(object, #name, certificate->name);
  TH_CERTIFICATE_REALS(ADD)
#undef ADD
#define ADD(name, what) th_json_int(object, #name, certificate->name);
  TH_CERTIFICATE_COUNTS(ADD)
#undef ADD
  for (int k = 0; k < TH_MARGINS; k++)
    json_array_append_new(margin, json_integer(certificate->margin[k]));
  json_object_set_new(object, "margin", margin);
  json_object_set_new(object, "path", path_json(certificate));
}

void th_certificate_print(FILE *out, const struct th_certificate *certificate)
{
  if (!(certificate->lambda > 0))
    return;
  fprintf(out, "certificate:\n");
#define ADD(name, what)                                                        \
  fprintf(out, "  %-18s %-22.15g %s\n", #name, certificate->name, what);
  TH_CERTIFICATE_REALS(ADD)
#undef ADD
#define ADD(name, what)                                                        \
  fprintf(out, "  %-18s %-22" PRId64 " %s\n", #name, certificate->name, what);
  TH_CERTIFICATE_COUNTS(ADD)
#undef ADD
  fprintf(out, "  %-18s", "margin");
  for (int k = 0; k < TH_MARGINS; k++)
    fprintf(out, " %" PRId64, certificate->margin[k]);
  fprintf(out,
          "\n  %-18s outside the support, 1 - Omega^D(Z) by decades from 1 "
          "down\n",
          "");
  for (int64_t k = 0; k < certificate->path_size; k++)
    fprintf(out,
            "%s lambda %-12.6g objective %-18.12g gap %-10.3g support %" PRId64
            "\n",
            k == 0 ? "path:" : "     ", certificate->path[k].lambda,
            certificate->path[k].objective, certificate->path[k].gap,
            certificate->path[k].support_size);
}
