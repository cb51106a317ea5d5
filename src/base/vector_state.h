/* vector_state.h - the upper halves of the vector registers
 *
 * A library that computes with 256 or 512 bits and returns without clearing the
 * upper halves (vzeroupper) makes every SSE instruction behind it merge with
 * them. On processors with AVX-512 a scalar exp then takes some 35 times as
 * long. Compilers clear them at the end of what they vectorise; hand-written
 * code can forget it, as the dispatched XXH3 of libxxhash 0.8.1 does. So
 * callers of such a library clear them afterwards, and
 * tests/files/vector_state.c checks every library that is called.
 *
 * All functions are local and do nothing on processors without AVX.
 * SPDX-License-Identifier: MIT */
#ifndef TH_VECTOR_STATE_H
#define TH_VECTOR_STATE_H

#include <stdbool.h>

/* Clear the upper halves. Costs about a nanosecond. */
void th_vector_state_clear(void);

/* Set them, like a library that forgets to clear them; for tests. */
void th_vector_state_spoil(void);

enum th_vector_state { TH_UPPER_CLEAR, TH_UPPER_IN_USE, TH_UPPER_UNKNOWN };

/* Their state by the processor (XGETBV with ECX = 1); UNKNOWN if it cannot be
 * asked. For tests. */
enum th_vector_state th_vector_state_now(void);

#endif
