/* export_c.c - a model as a function in C
 *
 * The file that is written does the arithmetic of solvers/driver/predict.c and
 * ranks/fixed.c, so that it gives the same bits.
 * SPDX-License-Identifier: MIT */
#include "cli/export_c.h"

#include "api/evaluated.h"
#include "base/printable.h"
#include "data/type.h"
#include "math/loss.h"

#include <inttypes.h>
#include <string.h>

/* --- Texts of others, in comments ----------------------------------------- */

/* A name on one line, cut where it is long. Blanks keep apart what would begin
 * or end a comment, and what would be a trigraph. */
static void put_comment(FILE *out, const char *name)
{
  char text[TH_NAME_LONG];
  char before = ' ';
  th_printable_name(name, text, sizeof text);
  for (const char *c = text; *c != '\0'; c++) {
    bool pair = (before == '*' && *c == '/') || (before == '/' && *c == '*') ||
                (before == '?' && *c == '?');
    if (pair)
      fputc(' ', out);
    fputc(*c, out);
    before = *c;
  }
}

/* A line of the comment at the head. */
static void put_line(FILE *out, const char *label, const char *text)
{
  if (text == NULL)
    return;
  fprintf(out, " * %s", label);
  put_comment(out, text);
  fputc('\n', out);
}

/* --- The parts of the file ------------------------------------------------ */

/* Does the data set of the model store values so? */
static bool is_type(const struct th_model *model, enum th_type type)
{
  return model->type != NULL && strcmp(model->type, th_type_name(type)) == 0;
}

/* What stands for a missing value of a member: beside values of f64 the mean
 * itself, and beside others a float (io/dataset/stand_in.h). */
static double stands_in(const struct th_model *model, int64_t k)
{
  double mean = model->mean[k];
  return model->type == NULL || is_type(model, TH_F64) ? mean
                                                       : (double)(float)mean;
}

static void put_head(FILE *out, const struct th_model *model)
{
  fputs("/* A linear model, written by thresher " THRESHER_VERSION ".\n", out);
  put_line(out, "solver:         ", model->solver);
  put_line(out, "loss:           ", model->loss);
  put_line(out, "target:         ", model->origin.target_name);
  put_line(out, "positive class: ", model->origin.positive_class);
  fprintf(out,
          " * trained on:     data set %016" PRIx64 "\n *\n"
          " * It is C99, and needs -lm. With the values of a data set it gives "
          "the bits of\n * `thresher predict`, unless a compiler is told to "
          "change arithmetic, as by\n * -ffast-math. A prediction that is too "
          "large to be added up is NaN. */\n"
          "#include <math.h>\n#include <stdint.h>\n\n",
          model->fingerprint);
}

/* Numbers as constants of type double: "%.17g" reads back to the same. */
static void put_number(FILE *out, double value)
{
  enum { DIGITS = 32 };
  char text[DIGITS];
  snprintf(text, sizeof text, "%.17g", value);
  fprintf(out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

static void put_members(FILE *out, const struct th_model *model)
{
  fprintf(out,
          "#define THRESHER_ATTRIBUTES %" PRId64 " /* of an example */\n"
          "#define THRESHER_MEMBERS %" PRId64
          " /* attributes that the model uses */\n\n"
          "/* Attributes, counted from 0%s. */\n"
          "static const struct {\n  int64_t attribute;\n  double coef;\n%s"
          "} thresher_member[] = {\n",
          model->attributes, model->support_size,
          model->mean != NULL
              ? ", their coefficients, and the means that stand for\n * NaN, "
                "which is a value that is missing"
              : ", and their coefficients",
          model->mean != NULL ? "  double mean;\n" : "");
  if (model->support_size == 0)
    fprintf(out, "  {0, 0.0%s} /* none: C has no empty tables */\n",
            model->mean != NULL ? ", 0.0" : "");
  for (int64_t k = 0; k < model->support_size; k++) {
    fprintf(out, "  {%" PRId64 ", ", model->support[k]);
    put_number(out, model->coef[k]);
    if (model->mean != NULL) {
      fputs(", ", out);
      put_number(out, stands_in(model, k));
    }
    fputs("},", out);
    if (th_model_name_of(model, k) != NULL) {
      fputs(" /* ", out);
      put_comment(out, th_model_name_of(model, k));
      fputs(" */", out);
    }
    fputc('\n', out);
  }
  fputs("};\n\nstatic const double thresher_intercept = ", out);
  put_number(out, model->intercept);
  fputs(";\n\n", out);
}

/* The terms are whole numbers in a unit that follows from the largest one, so
 * that their sum does not depend on their order. */
static const char sum_text[] =
    "/* Term k of the sum. whole: x has all attributes, not only the members. "
    "*/\n"
    "static double thresher_term(const double *x, int whole, int64_t k)\n{\n"
    "  double value = x[whole ? thresher_member[k].attribute : k];\n%s"
    "  return thresher_member[k].coef * %s;\n}\n\n"
    "/* The sum is one of whole numbers, in a unit that follows from the "
    "largest\n"
    " * term. */\n"
    "static double thresher_sum(const double *x, int whole)\n{\n"
    "  double bound = 0;\n"
    "  double scale;\n"
    "  int64_t sum = 0;\n"
    "  int64_t k;\n"
    "  int exponent = 0;\n"
    "  for (k = 0; k < THRESHER_MEMBERS; k++) {\n"
    "    double size = fabs(thresher_term(x, whole, k));\n"
    "    if (!(size < 0x1p900))\n"
    "      return (double)NAN;\n"
    "    bound = size > bound ? size : bound;\n"
    "  }\n"
    "  bound *= THRESHER_MEMBERS;\n"
    "  if (!(bound < 0x1p900))\n"
    "    return (double)NAN;\n"
    "  if (bound > 0 && bound < 0x1p-900)\n"
    "    bound = 0x1p-900;\n"
    "  (void)frexp(bound, &exponent);\n"
    "  scale = ldexp(1.0, 61 - exponent);\n"
    "  for (k = 0; k < THRESHER_MEMBERS; k++)\n"
    "    sum += llrint(thresher_term(x, whole, k) * scale);\n"
    "  return thresher_intercept + ldexp((double)sum, exponent - 61);\n}\n\n";

static const char calls_text[] =
    "/* %s of an example. x has the values of all its\n"
    " * THRESHER_ATTRIBUTES attributes. */\n"
    "double thresher_predict(const double *x);\n"
    "double thresher_predict(const double *x)\n{\n"
    "  return thresher_sum(x, 1);\n}\n\n"
    "/* It needs no others: x has the values of the THRESHER_MEMBERS "
    "attributes of the\n * table alone, in its order. */\n"
    "double thresher_predict_members(const double *x);\n"
    "double thresher_predict_members(const double *x)\n{\n"
    "  return thresher_sum(x, 0);\n}\n";

static const char odds_text[] =
    "\n/* The probability of the larger target, or of the positive class, by "
    "what\n * thresher_predict returns. */\n"
    "double thresher_probability(double prediction);\n"
    "double thresher_probability(double prediction)\n{\n"
    "  double e = exp(-fabs(prediction));\n"
    "  return prediction >= 0 ? 1 / (1 + e) : e / (1 + e);\n}\n";

static const char margin_text[] =
    "\n/* The probability of the larger target, or of the positive class, by "
    "what\n * thresher_predict returns. */\n"
    "double thresher_probability(double prediction);\n"
    "double thresher_probability(double prediction)\n{\n"
    "  double p = (1 + prediction) / 2;\n"
    "  return p < 0 ? 0 : p > 1 ? 1 : p;\n}\n";

static const char mean_text[] =
    "\n/* The mean, by what thresher_predict returns. */\n"
    "double thresher_mean(double prediction);\n"
    "double thresher_mean(double prediction)\n{\n"
    "  return exp(prediction);\n}\n";

/* What thresher_predict returns, and what that says of the target. */
static const struct {
  const char *what;
  const char *text; /* NULL: it is the target */
} predictions[] = {
    [TH_PREDICTS_TARGET] = {"The prediction", NULL},
    [TH_PREDICTS_ODDS] = {"The log odds", odds_text},
    [TH_PREDICTS_MARGIN] = {"The margin", margin_text},
    [TH_PREDICTS_LOG_MEAN] = {"The logarithm of the mean", mean_text}};

void th_export_c_write(FILE *out, const struct th_model *model)
{
  enum th_predictor predicts = th_evaluated_predictor(model);
  put_head(out, model);
  put_members(out, model);
  fprintf(out, sum_text,
          model->mean != NULL ? "  if (isnan(value))\n"
                                "    value = thresher_member[k].mean;\n"
                              : "",
          is_type(model, TH_F32) ? "(double)(float)value /* as it is stored */"
                                 : "value");
  fprintf(out, calls_text, predictions[predicts].what);
  if (predictions[predicts].text != NULL)
    fputs(predictions[predicts].text, out);
}
