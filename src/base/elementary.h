/* elementary.h - exp, log and their kin, with the same bits on every processor
 *
 * All numbers that can enter a model or generated data are computed by these
 * functions. The bits of libm depend on its version and on the processor. They
 * are the deterministic functions of SLEEF (Sleef_finz_*), good to one unit in
 * the last place (erfc: to one and a half); the array forms give the bits of
 * the scalar ones. sqrt, fabs, floor, ceil, rint, ldexp and fma are exact, so
 * those of libm may be used. Special values are those of C11, annex F. All
 * functions are local; y may be x.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ELEMENTARY_H
#define TH_ELEMENTARY_H

#include <stdint.h>

double th_exp(double x);
double th_exp2(double x);
double th_log(double x);
double th_log2(double x);
double th_log1p(double x);
double th_pow(double x, double y);
double th_tanh(double x);
double th_erfc(double x);
double th_hypot(double x, double y);

struct th_sincos {
  double sin, cos;
};
struct th_sincos th_sincos(double x);

/* y[i] = exp(x[i]), and so on, for n numbers. */
void th_exp_array(int64_t n, const double *x, double *y);
void th_log_array(int64_t n, const double *x, double *y);
void th_log1p_array(int64_t n, const double *x, double *y);
/* y[i] = x[i] to the power of one exponent. */
void th_pow_array(int64_t n, const double *x, double exponent, double *y);
/* The array that is not x must not overlap it. */
void th_sincos_array(int64_t n, const double *x, double *sine, double *cosine);

/* The version of SLEEF's header, such as "3.5.1". */
const char *th_elementary_version(void);

/* --- The array forms, once per instruction set ----------------------------
 *
 * base/elementary_set.c is compiled for several; each gives the bits of the
 * scalar functions. For elementary.c and tests. */

typedef void th_elementary_array(int64_t n, const double *x, double *y);

struct th_elementary_set {
  th_elementary_array *exp;
  th_elementary_array *log;
  th_elementary_array *log1p;
  void (*pow)(int64_t n, const double *x, double exponent, double *y);
  void (*sincos)(int64_t n, const double *x, double *sine, double *cosine);
};

extern const struct th_elementary_set th_elementary_plain;
extern const struct th_elementary_set th_elementary_avx2;
extern const struct th_elementary_set th_elementary_avx512;

#endif
