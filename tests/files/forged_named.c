/* forged_named.c - forgeries, each refused by whoever reads it, in its words
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "forge_try.h"
#include "io_data.h"

#include "io/dataset/format.h"
#include "io/dataset/row_groups.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

static const struct forge_place *find(const struct forge_original *original,
                                      const char *file, const char *object,
                                      const char *attribute)
{
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    if (strstr(place->path, file) != NULL &&
        strcmp(place->object, object) == 0 &&
        strcmp(place->name, attribute) == 0)
      return place;
  }
  fprintf(stderr, "no %s %s in %s\n", object, attribute, file);
  CHECK(false);
  return &original->place[0];
}

/* A forgery that is to be refused by whoever reads it, in these words. */
struct refusal {
  const char *file;
  const char *object;
  const char *attribute;
  int64_t at; /* negative: counted from the end */
  bool add;   /* the value is added to what is there */
  int64_t value;
  const char *words;
};

#define PLACE "row group 3: attributes or rows out of place"
#define GROUP_0 "attributes 0..19, row group 0: attributes or rows out of place"
#define SHARDS_WRONG "shards that do not fit together"
#define GROUPS_WRONG "groups of attributes that do not fit the data"

static const struct refusal refusals[] = {
    /* the last row group has 10 of 32 rows */
    {"1.h5", "/row", "", -1, false, 10, PLACE},
    {"1.h5", "/row", "", -1, false, 32, PLACE},
    {"1.h5", "/row", "", -1, false, 0xffff, PLACE},
    {"0.h5", "/row", "", 1, false, 0, GROUP_0},
    {"0.h5", "/attribute", "", 0, false, 1, GROUP_0},
    {"0.h5", "/attribute", "", 1, false, 0, GROUP_0},
    {"1.h5", "/attribute", "", -1, false, 20, PLACE},
    {"1.h5", "/attribute", "", -1, false, UINT32_MAX, PLACE},
    {"0.h5", "/count", "", 0, false, 0, GROUP_0},
    {"0.h5", "/count", "", 0, true, 1, GROUP_0},
    {"0.h5", "/count", "", 0, false, 0xffff, GROUP_0},
    {"0.h5", "/part_run", "", 0, false, 1, GROUP_0},
    {"0.h5", "/part_run", "", 1, false, -1, "/part_run has the wrong size"},
    {"0.h5", "/part_run", "", 1, false, 21, "row group 1: attributes or rows"},
    {"0.h5", "/part_run", "", 4, false, 21, "/part_run has the wrong size"},
    {"0.h5", "/part_run", "", -1, false, INT64_MAX, "the wrong size"},
    {"0.h5", "/part_entry", "", 1, false, INT64_MIN, "the wrong size"},
    {"0.h5", "/part_entry", "", -1, true, 1, "/part_run has the wrong size"},
    {"0.h5", "/part", "", 0, false, 1, "/part has the wrong size"},
    {"0.h5", "/part", "", -1, true, 1, "/part has the wrong size"},
    {"0.h5", "/part_training", "", 0, false, -1, "/part has the wrong size"},
    {"0.h5", "/part_training", "", 0, false, INT64_MAX, "the wrong size"},
    {"0.h5", "/", "parts", 0, false, 0, "the wrong size"},
    {"0.h5", "/", "parts", 0, false, INT64_MAX, "the wrong size"},
    {"data.h5", "/", "examples", 0, false, INT64_MAX, "are too many"},
    {"data.h5", "/", "examples", 0, false, INT64_C(1) << 40, "fit together"},
    {"data.h5", "/", "attributes", 0, false, INT64_MAX, "are too many"},
    {"data.h5", "/", "row_group", 0, false, 0, "a row group holds"},
    {"data.h5", "/", "training", 0, false, -1, "examples for training"},
    {"data.h5", "/", "shards", 0, false, 1 << 20, "fit together"},
    {"data.h5", "/", "nonzeros", 0, false, -1, "fit together"},
    {"data.h5", "/shard/count", "", 0, false, -1, SHARDS_WRONG},
    {"data.h5", "/shard/first", "", 1, false, 0, SHARDS_WRONG},
    {"data.h5", "/shard/bytes", "", 0, false, INT64_MAX, SHARDS_WRONG},
    {"data.h5", "/truth/support", "", 0, false, -1, "a truth that cannot be"},
    {"data.h5", "/truth/support", "", 1, false, 40, "a truth that cannot be"},
    {"data.h5", "/truth/support", "", 1, false, 1, "a truth that cannot be"},
    {"data.h5", "/attribute_groups/first", "", 1, false, 0, GROUPS_WRONG},
    {"data.h5", "/attribute_groups/count", "", 1, false, 1 << 30, GROUPS_WRONG},
    {"data.h5", "/attribute_groups/group", "", 1, false, 39, GROUPS_WRONG},
    {"data.h5", "/row", "", 5, false, -1, "stored row 5 has number -1"},
};

/* Of shards without parts, as they were written before 2.5. */
static const struct refusal refused_old[] = {
    {"0.h5", "/row", "", 1, false, 0, GROUP_0},
    {"0.h5", "/piece", "", 0, false, 1, GROUP_0},
    {"0.h5", "/piece", "", 1, false, -1, "/piece has the wrong size"},
    {"0.h5", "/piece", "", 1, false, 21, "/piece has the wrong size"},
    {"0.h5", "/piece", "", 1, false, INT64_MAX, "/piece has the wrong size"},
    {"0.h5", "/piece_entry", "", 1, false, INT64_MIN, "the wrong size"},
    {"0.h5", "/piece_entry", "", -1, true, 1, "/piece_entry has the wrong"},
    {"0.h5", "/", "piece", 0, false, 0, "the wrong size"},
    {"0.h5", "/", "piece", 0, false, INT64_MAX, "the wrong size"},
};

/* What only a check of all there is looks at. */
static const struct refusal checked[] = {
    {"0.h5", "/", "nonzeros", 0, true, 1, "values are not zero, and not"},
    {"data.h5", "/", "nonzeros", 0, true, -1, "values are not zero, and not"},
    {"data.h5", "/split", "", 3, false, 1, "the row-group table does not fit"},
    {"data.h5", "/group/split", "", 0, false, 1,
     "the row-group table does not"},
    {"0.h5", "/value", "", 3, false, 0x7fc00000, "is not a finite number"},
    {"1.h5", "/value", "", -1, false, 0x7f800000, "is not a finite number"},
};

/* How a refusal is tried. */
enum trial { TRIAL_READ, TRIAL_OLD, TRIAL_CHECK };

/* A shard's tables of parts are not found, as if it had been written before
 * there were any. */
static void forget_parts(const char *path)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  CHECK(H5Adelete(file, TH_A_PARTS) >= 0);
  H5Fclose(file);
}

static void refuse(const struct forge_original *original,
                   const struct refusal *r, enum trial trial)
{
  bool check = trial == TRIAL_CHECK;
  const struct forge_place *place =
      find(original, r->file, r->object, r->attribute);
  int64_t at = r->at < 0 ? place->items + r->at : r->at;
  struct th_dataset *d = NULL;
  struct th_comm self;
  struct th_error err;
  th_comm_self(&self);
  forge_label_clear();
  forge_label_add(place, at, -2);
  forge_set(place, at, 1, r->value + (r->add ? forge_get(place, at) : 0));
  if (trial == TRIAL_OLD)
    forget_parts(place->path);
  forge_seal(original->master);
  th_status rc = forge_open(&d, original->master, 1 << 20, &err);
  if (rc == TH_OK)
    rc = check ? forge_told(th_dataset_check(d, &self, &err), &err)
               : forge_look_at_all(d, &err);
  bool good = rc != TH_OK && strstr(err.text, r->words) != NULL;
  CHECK(good);
  if (!good)
    fprintf(stderr, "%s: wanted \"%s\", not \"%s\"\n", forge_label(), r->words,
            err.text);
  th_dataset_close(d);
  CHECK(check || forge_check(original->master) != TH_OK);
  forge_put_back(original);
}

static void refuse_all(const struct forge_original *original)
{
  for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
    refuse(original, &refusals[k], TRIAL_READ);
  for (size_t k = 0; k < sizeof refused_old / sizeof *refused_old; k++)
    refuse(original, &refused_old[k], TRIAL_OLD);
  for (size_t k = 0; k < sizeof checked / sizeof *checked; k++)
    refuse(original, &checked[k], TRIAL_CHECK);
}

/* The master is not sealed anew: sealing would follow where they lead. */
static void refuse_forms(const struct forge_original *original)
{
  static const char *const objects[] = {"/y", "/weight", "/shard/first",
                                        "/truth/support"};
  for (size_t k = 0; k < sizeof objects / sizeof *objects; k++)
    for (int form = 0; form < FORGE_FORMS; form++) {
      const struct forge_place *place =
          find(original, "data.h5", objects[k], "");
      struct th_dataset *d = NULL;
      struct th_error err;
      forge_label_clear();
      forge_label_add(place, 0, 100 + form);
      CHECK(forge_form(place, (enum forge_form)form));
      th_status rc = forge_open(&d, original->master, 1 << 20, &err);
      const char *words =
          form == FORGE_LINK ? "cannot read /" : "is not stored as it was";
      CHECK(rc != TH_OK && strstr(err.text, words) != NULL);
      if (rc == TH_OK || strstr(err.text, words) == NULL)
        fprintf(stderr, "%s: %s\n", forge_label(), err.text);
      th_dataset_close(d);
      forge_put_back(original);
    }
}

/* Sizes that overflow: products of them are places and numbers. */
static void refuse_sizes(void)
{
  static const struct th_shape shapes[] = {
      {.examples = TH_MOST_EXAMPLES + 1, .attributes = 1, .row_group = 64},
      {.examples = 1, .attributes = TH_MOST_ATTRIBUTES + 1, .row_group = 64},
      {.examples = INT64_MAX, .attributes = INT64_MAX, .row_group = 1},
      {.examples = TH_MOST_EXAMPLES,
       .attributes = TH_MOST_ATTRIBUTES,
       .row_group = 64,
       .layout = TH_SPARSE},
      {.examples = (int64_t)1 << 30,
       .attributes = (int64_t)1 << 30,
       .row_group = 64,
       .type = TH_F64},
      {.examples = 1, .attributes = 1, .row_group = 0}};
  for (size_t k = 0; k <= sizeof shapes / sizeof *shapes; k++) {
    struct th_shape usual = {
        .examples = 1000000000, .attributes = 100000000, .row_group = 16384};
    struct th_row_groups g;
    struct th_error err;
    bool good = k == sizeof shapes / sizeof *shapes;
    th_error_clear(&err);
    CHECK((th_row_groups_init(&g, good ? &usual : &shapes[k], &err) == TH_OK) ==
          good);
  }
}

/* A text that is not one line. */
static void look_at_lines(const struct forge_original *original)
{
  const struct forge_place *place =
      find(original, "data.h5", "/", "provenance");
  struct th_dataset *d = NULL;
  struct th_error err;
  CHECK(forge_change(place, 0, FORGE_MIDDLE, 0)); /* the end of a line */
  forge_seal(original->master);
  CHECK(forge_open(&d, original->master, 1 << 20, &err) == TH_OK);
  CHECK(d != NULL && strcmp(th_dataset_provenance(d), "? test") == 0);
  th_dataset_close(d);
  forge_put_back(original);
}

int main(void)
{
  static struct forge_original original;
  struct th_comm self;
  char folder[64];
  th_comm_self(&self);
  test_folder(&self, folder);
  forge_make(&original, folder, TH_SPARSE, TH_F32);
  CASE(refuse_all(&original));
  CASE(refuse_forms(&original));
  CASE(look_at_lines(&original));
  CASE(refuse_sizes());
  test_folder_remove(&self, folder);
  return check_finish(NULL);
}
