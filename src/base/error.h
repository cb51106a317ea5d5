/* error.h - status codes and the one error record that travels across ranks
 * SPDX-License-Identifier: MIT */
#ifndef TH_ERROR_H
#define TH_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* One list: code, what it is called in messages, exit status of the program. */
#define TH_STATUS_LIST(X)                                                      \
  X(TH_OK, "done", 0)                                                          \
  X(TH_EARG, "invalid argument", 1)                                            \
  X(TH_ENOMEM, "out of memory", 1)                                             \
  X(TH_EIO, "input/output error", 1)                                           \
  X(TH_EFORMAT, "malformed file", 1)                                           \
  X(TH_EDATA, "unusable data", 1)                                              \
  X(TH_EBUDGET, "attribute budget exceeded", 1)                                \
  X(TH_ENUMERIC, "numerical failure", 1)                                       \
  X(TH_EUSAGE, "usage error", 2)                                               \
  X(TH_ESTOPPED, "stopped early", 3)                                           \
  X(TH_EAGAIN, "to be done again", 1)

/* TH_EAGAIN is between parts of the library alone: what was tried by a guess is
 * to be done again without one. A function's comment names all codes that it
 * returns, those of what it calls among them. Where it names none, the head of
 * the header does. */
typedef enum th_status {
#define TH_STATUS_ENUM(code, text, exit_status) code,
  TH_STATUS_LIST(TH_STATUS_ENUM)
#undef TH_STATUS_ENUM
} th_status;

enum { TH_ERROR_TEXT = 960 };

/* Plain bytes on the caller's stack: the failing path never allocates, and the
 * record can be broadcast as it is. */
struct th_error {
  th_status code;
  int rank; /* the rank it happened on; -1 until th_agree has filled it in */
  char text[TH_ERROR_TEXT];
};

/* The only macro with control flow: needs `rc` and the label `done`. */
#define TH_TRY(call)                                                           \
  do {                                                                         \
    rc = (call);                                                               \
    if (rc != TH_OK)                                                           \
      goto done;                                                               \
  } while (0)

/* Record a failure and return its code. Local. The first failure wins: a
 * record that already holds one is left as it is. The text is one line; it
 * names options as {name} (th_error_name_options).
 * The code is one of TH_EARG, TH_ENOMEM and so on, as given. */
th_status th_fail(struct th_error *err, th_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Put the name of what failed before the text of a failure. Local. */
void th_error_name(struct th_error *err, const char *name);

/* Names and texts from files may hold anything: what a terminal does not show
 * as it is (base/printable.h), ends of lines among it, becomes question marks,
 * in place. Local. */
void th_error_one_line(char *text);

/* Texts of the library name options as {name}: write them in place as on a
 * command line, --name, or, without dashes, as the bare name. Whoever shows a
 * text to people does so first. Local. */
void th_error_name_options(char *text, bool dashes);

/* Clear a record. Local. */
void th_error_clear(struct th_error *err);

/* The text of a code; the exit status of the program for it. Local. */
const char *th_error_status_text(th_status code);
int th_error_status_exit(th_status code);

/* --- The names of all attributes, as hashes ------------------------------- */

struct th_name_print {
  uint64_t list; /* of the names in their order; 0: there are none */
  uint64_t set;  /* the same in whatever order they come */
};

#endif
