/* glossary.h - the words that the program prints and that are not common
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GLOSSARY_H
#define TH_GLOSSARY_H

#include <stdint.h>
#include <stdio.h>

/* The k-th word, NULL behind the last. */
const char *th_glossary_word(int64_t k);

/* What it means, in a sentence or two; NULL: it is no such word. */
const char *th_glossary_meaning(const char *word);

#endif
