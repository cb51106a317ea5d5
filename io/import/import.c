/* import.c - text files to data sets: the job from end to end
 * SPDX-License-Identifier: MIT */
#include "io/import/import.h"

#include "io/dataset/writer.h"
#include "io/import/groups_file.h"
#include "io/import/import_job.h"

static const struct th_importer_row importers[] = {
    {"auto", "by the first line of the first file", NULL},
    {"libsvm", "LIBSVM text: label index:value ...", &th_import_libsvm},
    {"csv",
     "values between commas, semicolons or tabs, with or without a header",
     &th_import_csv},
    {NULL, NULL, NULL},
};

const struct th_importer_row *th_import_table(void)
{
  return importers;
}

/* The command line has checked all of it; a caller of the library may not
 * have. */
static th_status check_job(const struct th_import *job, struct th_error *err)
{
  if (job->input_count < 1)
    return th_fail(err, TH_EUSAGE, "nothing to import; name a file");
  if (!(job->test_fraction >= 0.0 && job->test_fraction < 1.0))
    return th_fail(err, TH_EUSAGE, "test fraction %g, expected 0 <= F < 1",
                   job->test_fraction);
  if (job->test_fraction > 0.0 && job->test_file != NULL)
    return th_fail(err, TH_EUSAGE,
                   "test examples by fraction or by file, not both");
  if (job->attributes < 0 || job->attributes > TH_TEXT_ATTRIBUTES)
    return th_fail(err, TH_EUSAGE, "%lld attributes, expected at most %lld",
                   (long long)job->attributes, (long long)TH_TEXT_ATTRIBUTES);
  if (job->max_line < 1 || job->memory < 1 || job->row_group < 0 ||
      job->shards < 0 || job->type >= TH_TYPE_COUNT)
    return th_fail(err, TH_EUSAGE,
                   "max_line, memory, row_group, shards or type out of range");
  return TH_OK;
}

/* Fail before hours of reading where the output could not be written anyway.
 * The writer claims it for good. */
static th_status check_output(const struct th_import *job, struct th_comm *comm,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_writer_check(job->output, job->force, err);
  return th_agree(comm, rc, err);
}

/* Now that the attributes are known; before shards are written. Collective. */
static th_status read_groups(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  if (im->comm->rank == 0 && im->job->groups != NULL)
    rc = th_groups_read_whole(im->job->groups, im->job->output, im->attributes,
                              &im->piece, &im->pieces, err);
  return th_agree(im->comm, rc, err);
}

th_status th_import_run(const struct th_import *job, struct th_comm *comm,
                        struct th_import_result *result, struct th_error *err)
{
  struct th_importing im = {.job = job, .comm = comm};
  double began = th_comm_clock();
  th_status rc = check_job(job, err);
  if (rc != TH_OK)
    return rc;
  TH_TRY(check_output(job, comm, err));
  TH_TRY(th_import_open(&im, err));
  TH_TRY(th_import_read(&im, err));
  TH_TRY(read_groups(&im, err));
  TH_TRY(th_import_write(&im, err));
  *result = (struct th_import_result){
      .examples = im.assignment.examples,
      .test_examples = im.assignment.examples - im.assignment.weightless -
                       im.assignment.training,
      .attributes = im.attributes,
      .nonzeros = im.nonzeros,
      .unlabelled = im.text.unlabelled,
      .text_bytes = im.text_bytes};
  TH_TRY(th_import_judge(&im, &result->constant_attributes, err));
  result->seconds = th_comm_clock() - began;
done:
  th_import_close(&im);
  return rc;
}
