/* nodlclose.c - keep Open MPI's plugins mapped, in sanitizer builds alone
 *
 * What a plugin leaks is reported after it was unmapped, as <unknown module>,
 * which no suppression can match: here nothing is ever unmapped.
 * SPDX-License-Identifier: MIT */
int dlclose(void *handle);

int dlclose(void *handle)
{
  (void)handle;
  return 0;
}
