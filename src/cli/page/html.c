/* html.c - the frame of a page, escaped texts, numbers as people read them
 * SPDX-License-Identifier: MIT */
#include "cli/page/html.h"

#include "base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- Texts of others ------------------------------------------------------ */

static const char *entity(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

void th_html_text(FILE *out, const char *text)
{
  while (*text != '\0') {
    uint32_t code = 0;
    int length = th_printable_decode(text, &code);
    const char *escaped = entity(*text);
    if (length == 0 || !th_printable_code(code))
      fputc('?', out);
    else if (escaped != NULL)
      fputs(escaped, out);
    else
      fwrite(text, 1, (size_t)length, out);
    text += length > 0 ? length : 1;
  }
}

/* East Asian letters, and what lies beyond the basic plane. */
static int columns_of(uint32_t code)
{
  enum {
    HANGUL = 0x1100,
    JAMO_END = 0x115f,
    RADICALS = 0x2e80,
    FORMS = 0xff60
  };
  return (code >= HANGUL && code <= JAMO_END) || code >= 0x1f000 ||
                 (code >= RADICALS && code <= FORMS)
             ? 2
             : 1;
}

/* Bytes and columns of the character that a text begins with. */
static int step(const char *text, int *columns)
{
  uint32_t code = 0;
  int length = th_printable_decode(text, &code);
  *columns = length == 0 ? 1 : columns_of(code);
  return length == 0 ? 1 : length;
}

int th_html_columns(const char *text)
{
  int columns = 0;
  int one;
  for (; *text != '\0'; columns += one)
    text += step(text, &one);
  return columns;
}

const char *th_html_cut(const char *name, int columns, char *text, size_t size)
{
  static const char dots[] = "\xe2\x80\xa6";
  int whole = th_html_columns(name);
  int room = whole > columns ? columns - 1 : columns;
  size_t used = 0;
  bool full = false;
  while (name[used] != '\0' && !full) {
    int one;
    size_t length = (size_t)step(name + used, &one);
    full = one > room || used + length + sizeof dots > size;
    room -= one;
    used += full ? 0 : length;
  }
  memcpy(text, name, used);
  snprintf(text + used, size - used, "%s", name[used] != '\0' ? dots : "");
  return text;
}

/* --- Numbers -------------------------------------------------------------- */

const char *th_html_real(double value, char text[TH_HTML_NUMBER])
{
  if (!isfinite(value))
    snprintf(text, TH_HTML_NUMBER, "-");
  else
    snprintf(text, TH_HTML_NUMBER, "%.4g", value);
  return text;
}

const char *th_html_count(int64_t value, char text[TH_HTML_NUMBER])
{
  char digits[TH_HTML_NUMBER];
  int length = snprintf(digits, sizeof digits, "%" PRId64, value);
  int used = 0;
  for (int k = 0; k < length; k++) {
    int left = length - k;
    if (k > 0 && left % 3 == 0 && digits[k - 1] != '-')
      text[used++] = ',';
    text[used++] = digits[k];
  }
  text[used] = '\0';
  return text;
}

const char *th_html_short(double value, char text[TH_HTML_NUMBER])
{
  static const char *const units[] = {"", "k", "M", "G", "T", "P"};
  size_t unit = 0;
  if (!isfinite(value))
    return th_html_real(value, text);
  double size = fabs(value);
  while (size >= 999.5 && unit + 1 < sizeof units / sizeof *units &&
         fabs(value) >= 9999.5) {
    size /= 1000;
    unit++;
  }
  snprintf(text, TH_HTML_NUMBER, "%s%.*g%s", value < 0 ? "-" : "",
           unit == 0 ? 4 : 3, size, units[unit]);
  return text;
}

/* --- The frame ------------------------------------------------------------ */

/* Colours of runs are those of Okabe and Ito, which the colour-blind tell
 * apart, lighter on a dark page; runs differ by their dashes, too. */
static const char *const style[] = {
    ":root{--bg:#fff;--card:#fff;--fg:#1b1f24;--soft:#59636e;--line:#d5dae0;"
    "--head:#f4f6f8;--c0:#0067a5;--c1:#c04f00;--c2:#00805c;--c3:#a8457c;"
    "--c4:#8a6a00;--c5:#2a8bc7;--c6:#6b4fa8;--c7:#5f6a72;--fill:#9dc3de;"
    "--wait:#e0a458}\n",
    "@media (prefers-color-scheme:dark){:root{--bg:#14171a;--card:#1b1f23;"
    "--fg:#e6e9ec;--soft:#a2acb6;--line:#363c43;--head:#22272c;--c0:#5cb0ea;"
    "--c1:#ff9a52;--c2:#3fd0a2;--c3:#ee92c4;--c4:#e3c04a;--c5:#9bd4f7;"
    "--c6:#b8a2ee;--c7:#b3bcc4;--fill:#33658a;--wait:#b07a30}}\n",
    "@media print{:root{--bg:#fff;--card:#fff;--fg:#000;--soft:#444;"
    "--line:#bbb;--head:#eee;--c0:#0067a5;--c1:#c04f00;--c2:#00805c;"
    "--c3:#a8457c;--c4:#8a6a00;--c5:#2a8bc7;--c6:#6b4fa8;--c7:#5f6a72;"
    "--fill:#9dc3de;--wait:#e0a458}}\n",
    "*{box-sizing:border-box}html{color-scheme:light dark;"
    "-webkit-text-size-adjust:100%;-webkit-print-color-adjust:exact;"
    "print-color-adjust:exact}\n",
    "body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 "
    "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n",
    "main{max-width:1180px;margin:0 auto;padding:16px}\n",
    "h1{font-size:1.6rem;line-height:1.2;margin:.4em 0;"
    "overflow-wrap:anywhere}h2{font-size:1.2rem;margin:1.8em 0 .6em;"
    "border-bottom:1px solid var(--line);padding-bottom:.2em}"
    "h3{font-size:1rem;margin:0 0 .3em;overflow-wrap:anywhere}\n",
    "p{max-width:72ch;margin:.5em 0;overflow-wrap:anywhere}"
    "nav{font-size:.9rem;line-height:2}nav a{margin-right:1em;"
    "color:var(--c0)}\n",
    ".grid{display:grid;gap:16px;grid-template-columns:"
    "repeat(auto-fill,minmax(min(100%,360px),1fr))}\n",
    ".flow{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}"
    ".flow figure{flex:1 1 340px;max-width:500px}"
    ".flow .wide{flex:0 1 auto}.under{margin-top:16px}\n",
    "figure{margin:0;padding:12px;background:var(--card);"
    "border:1px solid var(--line);border-radius:8px;min-width:0;"
    "break-inside:avoid}\n",
    "figure svg{display:block;width:100%;height:auto;max-width:470px;"
    "margin:0 auto}"
    "figcaption{font-size:.9rem;color:var(--soft);margin-top:.4em;"
    "overflow-wrap:anywhere}\n",
    ".keys{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:.85rem;"
    "margin-bottom:4px}.key{overflow-wrap:anywhere}"
    ".key::before{content:'';display:inline-block;width:14px;height:10px;"
    "margin-right:5px;background:currentColor;border-radius:2px}"
    ".key span{color:var(--fg)}\n",
    ".wide{overflow-x:auto;border:1px solid var(--line);border-radius:8px;"
    "max-width:100%;width:fit-content}"
    "table{border-collapse:collapse;font-size:.9rem;"
    "font-variant-numeric:tabular-nums}"
    "th,td{padding:4px 10px;text-align:right;vertical-align:top;"
    "border-top:1px solid var(--line)}"
    "thead th{background:var(--head);border-top:0;vertical-align:bottom}"
    "th:first-child,td.text,thead th.text{text-align:left}"
    "tbody th{font-weight:400;text-align:left;min-width:8em;"
    "max-width:24em;overflow-wrap:anywhere}"
    "td{max-width:28em;overflow-wrap:anywhere}td.other{font-weight:700}"
    "caption{caption-side:bottom;text-align:left;padding:6px 10px;"
    "color:var(--soft);font-size:.9rem}\n",
    "@media (max-width:520px){main{padding:10px}figure{padding:8px}"
    "th,td{padding:4px 7px}}\n",
    "svg text{paint-order:stroke;stroke:var(--card);stroke-width:3px;"
    "font:11px system-ui,-apple-system,'Segoe UI',Roboto,"
    "'DejaVu Sans',sans-serif;fill:var(--fg)}svg .soft{fill:var(--soft)}"
    "svg .grid-line{stroke:var(--line);stroke-width:1}"
    "svg .axis{stroke:var(--soft);stroke-width:1}"
    "svg .mark{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}\n",
    "svg .s{fill:none;stroke-width:1.8;stroke-linejoin:round;"
    "stroke:currentColor}svg .raw{stroke-width:.8;opacity:.35}"
    "svg .thin{stroke-width:1.1}svg .bar,svg .dot{fill:currentColor}"
    "svg .hit{fill:transparent}svg .whisker{stroke:currentColor;"
    "stroke-width:1.2}svg .fill{fill:var(--fill)}svg .wait{fill:var(--wait)}\n",
    ".c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}"
    ".c3{color:var(--c3)}.c4{color:var(--c4)}.c5{color:var(--c5)}"
    ".c6{color:var(--c6)}.c7{color:var(--c7)}.grey{color:var(--soft)}\n",
    "svg .d1{stroke-dasharray:7 3}svg .d2{stroke-dasharray:2 2.5}"
    "svg .d3{stroke-dasharray:9 3 2 3}\n",
    "@media print{main{max-width:none;padding:0}body{font-size:10.5pt}"
    ".grid{grid-template-columns:repeat(2,1fr)}.flow figure{flex:0 1 "
    "48%}nav{display:none}"
    ".wide{overflow:visible;border:0}h2{break-after:avoid}"
    "tr{break-inside:avoid}thead{display:table-header-group}}\n",
    NULL};

void th_html_begin(FILE *out, const char *title)
{
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
      out);
  th_html_text(out, title);
  fputs("</title>\n<style>\n", out);
  for (int k = 0; style[k] != NULL; k++)
    fputs(style[k], out);
  fputs("</style>\n</head>\n<body>\n<main>\n<h1>", out);
  th_html_text(out, title);
  fputs("</h1>\n", out);
}

void th_html_end(FILE *out)
{
  fputs("</main>\n</body>\n</html>\n", out);
}

void th_html_section(FILE *out, const char *heading, const char *id,
                     const char *inside)
{
  fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n<div class=\"%s\">\n", id,
          heading, inside);
}

void th_html_section_end(FILE *out)
{
  fputs("</div>\n</section>\n", out);
}

void th_html_figure(FILE *out, const char *title, const char *of)
{
  fputs("<figure>\n<h3>", out);
  th_html_text(out, title);
  if (of != NULL)
    fputs(": ", out);
  th_html_text(out, of != NULL ? of : "");
  fputs("</h3>\n", out);
}

void th_html_sentence(FILE *out)
{
  fputs("<figcaption>", out);
}

void th_html_figure_end(FILE *out)
{
  fputs("</figcaption>\n</figure>\n", out);
}

void th_html_key(FILE *out, int64_t k, const char *name)
{
  fprintf(out, "<span class=\"key c%d\"><span>", (int)(k % TH_HTML_COLOURS));
  th_html_text(out, name);
  fputs("</span></span>\n", out);
}
