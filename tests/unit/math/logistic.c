/* logistic.c - sums of the logistic loss against those example by example
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/gap.h"
#include "math/kernels/column.h"

enum { MOST_ROWS = 1003 };

struct sample {
  int64_t rows;
  double eta[MOST_ROWS];
  double label[MOST_ROWS];
  double prediction[MOST_ROWS];
  double theta[MOST_ROWS];
};

/* Predictions up to far out; some examples without weight, one of which is
 * beyond all numbers. */
static void fill(struct sample *s, uint64_t number, int64_t rows, double size)
{
  struct th_stream stream = {number, TH_PURPOSE_TEST};
  s->rows = rows;
  for (int64_t i = 0; i < rows; i++) {
    double pair[2];
    th_random_normal(stream, 0, (uint64_t)i, pair);
    s->prediction[i] = size * pair[0];
    s->label[i] = pair[1] > 0.5 ? 1 : -1;
    s->eta[i] = i % 5 == 4 ? 0 : (1 + (double)(i % 3)) / (double)rows;
  }
  if (rows > 4)
    s->prediction[4] = INFINITY;
}

static void check_sums(struct sample *s, double offset)
{
  const struct th_loss *loss = th_loss_find("logistic");
  struct th_logistic sums = {0};
  struct th_logistic at = th_column_logistic_at(
      s->rows, s->eta, s->label, s->prediction, offset, s->theta);
  for (int64_t i = 0; i < s->rows; i++) {
    double p = s->prediction[i] + offset;
    double theta = th_loss_df(loss, p, s->label[i]);
    if (!(s->eta[i] > 0))
      continue;
    CHECK(fabs(s->theta[i] - theta) <= 1e-14 * fabs(theta) + 1e-300);
    sums.loss += s->eta[i] * th_loss_f(loss, p, s->label[i]);
    sums.slope += s->eta[i] * theta;
    sums.size += s->eta[i] * fabs(theta);
    sums.curvature += s->eta[i] * loss->curvature(p, s->label[i]);
  }
  CHECK_NEAR(at.loss, sums.loss, 1e-13);
  CHECK_NEAR(at.slope, sums.slope, 1e-13);
  CHECK_NEAR(at.size, sums.size, 1e-13);
  CHECK_NEAR(at.curvature, sums.curvature, 1e-13);
}

static void check_dual(struct sample *s, double scale)
{
  const struct th_loss *loss = th_loss_find("logistic");
  double dual = th_gap_dual(loss, s->rows, s->eta, s->label, s->theta, scale);
  CHECK_NEAR(th_column_logistic_dual(s->rows, s->eta, s->theta, scale), dual,
             1e-13);
}

int main(void)
{
  static const double sizes[] = {0, 1e-9, 1, 20, 400};
  static struct sample s;
  for (uint64_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int64_t rows = 0; rows < 20; rows++) {
      fill(&s, 7 * k, rows < 19 ? rows : MOST_ROWS, sizes[k]);
      CASE(check_sums(&s, 0.25 * (double)(k % 2)));
      CASE(check_dual(&s, 1));
      CASE(check_dual(&s, 0.9));
      CASE(check_dual(&s, 0));
    }
  return check_finish(NULL);
}
