/* deck.c - decks of options
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cli/options/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct th_command commands[] = {
      {.name = "train", .bit = TH_TRAIN}, {.name = NULL}};
  struct th_options options = {0};
  struct th_comm comm;
  struct th_error err = {0};
  char path[FUZZ_PATH];
  fuzz_file("deck.ini", data, size, path);
  th_comm_self(&comm);
  if (th_options_init(&options, commands, &err) == TH_OK) {
    options.deck = path;
    th_option_deck_read(&options, &comm, TH_TRAIN, &err);
  }
  th_options_free(&options);
  return 0;
}
