/* master_same.c - checks that every rank reads the master that rank 0 reads
 *
 * A node may see another file under the same name, such as an old copy on a
 * local disk.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/master.h"

#include <stdlib.h>

th_status th_master_tables(const struct th_h5 *h5,
                           const struct th_row_groups *row_groups,
                           uint64_t *hash, struct th_error *err)
{
  const char *const names[] = {TH_D_GROUP_Y, TH_D_GROUP_ROW, TH_D_GROUP_WEIGHT};
  size_t count = row_groups->shape.weighted ? 3 : 2;
  uint64_t *table = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_expect(h5, names[0], row_groups->groups, err));
  TH_TRY(TH_NEW(&table, row_groups->groups, "checksums", err));
  *hash = 0;
  for (size_t k = 0; k < count; k++) {
    TH_TRY(th_h5_get(h5, names[k], H5T_NATIVE_UINT64, row_groups->groups, table,
                     err));
    *hash = th_fingerprint_next(
        *hash, th_hash(table, (size_t)row_groups->groups * sizeof *table));
  }
done:
  free(table);
  return rc;
}

th_status th_master_same(const struct th_h5 *h5,
                         const struct th_master_info *info,
                         struct th_error *err)
{
  uint64_t fingerprint = 0;
  uint64_t tables = 0;
  th_status rc = TH_OK;
  TH_TRY(th_format_check(h5, TH_FORMAT_MASTER, err));
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_FINGERPRINT, &fingerprint, err));
  /* then the tables have the same sizes */
  if (fingerprint == info->fingerprint)
    TH_TRY(th_master_tables(h5, &info->row_groups, &tables, err));
  if (fingerprint != info->fingerprint || tables != info->tables)
    rc = th_fail(err, TH_EIO,
                 "%s is not the file that rank 0 reads under this name (data "
                 "set %016llx, there %016llx); let all ranks see the same "
                 "files",
                 h5->name, (unsigned long long)fingerprint,
                 (unsigned long long)info->fingerprint);
done:
  return rc;
}
