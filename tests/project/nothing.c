/* nothing.c - a program that does nothing: that it links is the test
 * SPDX-License-Identifier: MIT */
int main(void)
{
  return 0;
}
