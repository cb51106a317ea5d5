/* consumer.c - deal 1000 examples out twice, with the installed library
 * SPDX-License-Identifier: MIT */
#include <core/deal.h>
#include <core/random.h>

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
  struct th_error err = {0};
  struct th_deal deal;
  struct th_pieces pieces = {0};
  struct th_deal_plan plan = {
      .seed = 1, .training = 1000, .row_group = 64, .unit = 16, .passes = 2};
  th_status rc = th_deal_init(&deal, &plan, &err);
  if (rc == TH_OK)
    rc = th_deal_take(&deal, TH_CONSUMER_EXPLOIT, 5000, &pieces, &err);
  int64_t rows = th_deal_pieces_rows(&pieces);
  th_deal_pieces_free(&pieces);
  th_deal_free(&deal);
  if (rc != TH_OK || rows != 2000) {
    fprintf(stderr, "%" PRId64 " rows, %s\n", rows, err.text);
    return 1;
  }
  printf("%" PRId64 " rows dealt\n", rows);
  return 0;
}
