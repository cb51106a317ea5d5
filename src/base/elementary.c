/* elementary.c - exp, log and their kin, with the same bits on every processor
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"

#include "base/processor.h"

#include <sleef.h>

#define TEXT_OF(token) #token
#define TEXT(token) TEXT_OF(token)

#define SET(form) &th_elementary_##form,
static const struct th_elementary_set *const sets[TH_FORM_COUNT] = {
    TH_FORMS(SET)};
#undef SET

double th_exp(double x)
{
  return Sleef_finz_expd1_u10purecfma(x);
}

double th_exp2(double x)
{
  return Sleef_finz_exp2d1_u10purecfma(x);
}

double th_log(double x)
{
  return Sleef_finz_logd1_u10purecfma(x);
}

double th_log2(double x)
{
  return Sleef_finz_log2d1_u10purecfma(x);
}

double th_log1p(double x)
{
  return Sleef_finz_log1pd1_u10purecfma(x);
}

double th_pow(double x, double y)
{
  return Sleef_finz_powd1_u10purecfma(x, y);
}

double th_tanh(double x)
{
  return Sleef_finz_tanhd1_u10purecfma(x);
}

double th_erfc(double x)
{
  return Sleef_finz_erfcd1_u15purecfma(x);
}

double th_hypot(double x, double y)
{
  return Sleef_finz_hypotd1_u05purecfma(x, y);
}

struct th_sincos th_sincos(double x)
{
  Sleef_double_2 pair = Sleef_finz_sincosd1_u10purecfma(x);
  return (struct th_sincos){pair.x, pair.y};
}

void th_exp_array(int64_t n, const double *x, double *y)
{
  sets[th_processor_form()]->exp(n, x, y);
}

void th_log_array(int64_t n, const double *x, double *y)
{
  sets[th_processor_form()]->log(n, x, y);
}

void th_log1p_array(int64_t n, const double *x, double *y)
{
  sets[th_processor_form()]->log1p(n, x, y);
}

void th_pow_array(int64_t n, const double *x, double exponent, double *y)
{
  sets[th_processor_form()]->pow(n, x, exponent, y);
}

void th_sincos_array(int64_t n, const double *x, double *sine, double *cosine)
{
  sets[th_processor_form()]->sincos(n, x, sine, cosine);
}

const char *th_elementary_version(void)
{
  return TEXT(SLEEF_VERSION_MAJOR) "." TEXT(SLEEF_VERSION_MINOR) "." TEXT(
      SLEEF_VERSION_PATCHLEVEL);
}
