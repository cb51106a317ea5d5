/* output_folder.c - a folder in which outputs are tried out
 * SPDX-License-Identifier: MIT */
#include "output_folder.h"

#include "check.h"
#include "io_data.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64];

const char *folder_path(void)
{
  return folder;
}

const char *in_folder(const char *name)
{
  static char paths[4][192];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

void put(const char *name, const char *text)
{
  FILE *file = fopen(in_folder(name), "w");
  fputs(text, file);
  fclose(file);
}

bool holds(const char *name, const char *text)
{
  char found[64] = "";
  FILE *file = fopen(in_folder(name), "r");
  if (file == NULL)
    return false;
  size_t size = fread(found, 1, sizeof found - 1, file);
  fclose(file);
  return size == strlen(text) && memcmp(found, text, size) == 0;
}

bool is_there(const char *name)
{
  struct stat s;
  return lstat(in_folder(name), &s) == 0;
}

bool is_link(const char *name)
{
  struct stat s;
  return lstat(in_folder(name), &s) == 0 && S_ISLNK(s.st_mode);
}

int names_in_folder(void)
{
  int count = -2; /* . and .. */
  DIR *names = opendir(folder);
  while (readdir(names) != NULL)
    count++;
  closedir(names);
  return count;
}

void folder_end(void)
{
  struct th_comm self;
  th_comm_self(&self);
  if (folder[0] != '\0')
    test_folder_remove(&self, folder);
}

void folder_start(void)
{
  struct th_comm self;
  th_comm_self(&self);
  folder_end();
  test_folder(&self, folder);
}
