/* mapping.h - files that are used in place, where the system has them in memory
 *
 * A mapped file is read without a copy and takes no memory of this process. In
 * return it can be cut short, or its disk can fail, while it is looked at: the
 * system then sends SIGBUS. A handler of this module finds the mapping, puts
 * zeros in its place and marks it as broken, so that nothing ends but with a
 * line. Whoever has used mapped values must therefore ask th_mapping_check
 * before anything that was computed from them is kept.
 *
 * All functions are local and for one thread, but what is mapped may be read by
 * any thread that does not block SIGBUS.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MAPPING_H
#define TH_MAPPING_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Which values of dense data are used where the system has them in memory, in
 * place of a copy. Anything else is read. */
enum th_mapped {
  TH_MAPPED_NEVER,
  TH_MAPPED_RESIDENT, /* those that it has there already */
  TH_MAPPED_ALWAYS    /* all that can be mapped, for tests */
};

struct th_mapping;

/* True if any later change of an open file shows in its times. In memory alone
 * (tmpfs), a process that has mapped it changes pages without a trace, and a
 * change within the smallest step of the times leaves none. */
bool th_mapping_shows(int file);

/* Map a file that is open for reading, whose descriptor stays open until
 * th_mapping_close. NULL: it cannot be mapped, lies in memory alone (tmpfs),
 * has been changed within the smallest step of its times, SIGBUS is blocked, or
 * the addresses of the process are limited (ulimit -v); read(2) does the same.
 */
struct th_mapping *th_mapping_open(int file);
/* NULL is legal. */
void th_mapping_close(struct th_mapping *mapping);

/* The bytes at a place of the file; NULL: not all of them are there. */
const char *th_mapping_at(const struct th_mapping *mapping, int64_t offset,
                          int64_t bytes);

/* True if the system has these bytes in memory, as far as it tells. */
bool th_mapping_resident(const struct th_mapping *mapping, int64_t offset,
                         int64_t bytes);

/* Ask the system to read these bytes soon. */
void th_mapping_advise(const struct th_mapping *mapping, int64_t offset,
                       int64_t bytes);

/* Bytes of mapped files that the system counts as memory of this process now,
 * as far as it tells. */
int64_t th_mapping_memory(void);

/* True if any mapping of the process is broken. */
bool th_mapping_any_broken(void);

/* An error if the file has become shorter or could not be read, and values may
 * have been zeros. name: of the file, for the message. */
th_status th_mapping_check(const struct th_mapping *mapping, const char *name,
                           struct th_error *err);

#endif
