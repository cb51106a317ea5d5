/* manual_table.c - what manual pages and help say beside commands and options
 * SPDX-License-Identifier: MIT */
#include "cli/help/manual_table.h"

#include "api/option.h"

#include <stddef.h>

static const char about[] =
    "Trains sparse linear models on data with very many attributes. It reads "
    "as few attributes of each example as the method allows.";

static const char launching[] =
    "Under mpirun or srun every command that reads or writes data runs on "
    "all ranks. Without a launcher the program is a single rank. The model "
    "file is the same for any number of ranks. Results go to the standard "
    "output, everything else to the standard error.";

static const char writing[] =
    "An output gets its name when it is complete. It replaces a regular file "
    "only if --force is given. A symbolic link in its place is refused. So is "
    "a folder of shards that holds anything else. SIGINT, SIGTERM, SIGHUP and "
    "SIGUSR1 remove what is unfinished and end the run. With --checkpoint the "
    "first signal writes a checkpoint and stops the run; SIGUSR2 writes one "
    "and "
    "goes on; a file STOP in the folder of checkpoints stops the run, too. "
    "Solver oomp has a model at any time: without --checkpoint the first "
    "signal "
    "stops the run as --max-time does. Under mpirun only SIGUSR1 and SIGUSR2 "
    "do that, since the others leave no time to write. In place of a text "
    "file, - is the standard output.";

static const struct th_manual_example examples[] = {
    {TH_GENERATE, "Data with 25 true attributes of 500, a tenth for testing",
     "thresher generate murata -o murata.h5 --examples 20000 --attributes 500 "
     "--test 0.1"},
    {TH_GENERATE, "Counts as of words, stored sparse",
     "thresher generate sparse -o words.h5 --examples 2k --attributes 10k"},
    {TH_IMPORT, "A table, without two of its columns, a fifth for testing",
     "thresher import houses.csv -o houses.h5 --target price --ignore "
     "id,street --test 0.2"},
    {TH_IMPORT, "LIBSVM text", "thresher import mine.svm -o mine.h5"},
    {TH_IMPORT, "New rows, read as the ones before",
     "thresher import new.csv -o new.h5 --like houses.h5"},
    {TH_TRAIN, "A model of a table, without an import",
     "thresher train houses.csv -o prices.h5 --target price --ignore "
     "id,street --test 0.2"},
    {TH_TRAIN, "On 2 ranks, looking at 50 attributes of each example",
     "mpirun -n 2 thresher train murata.h5 -o model.h5 --budget 50"},
    {TH_TRAIN,
     "The lasso, its lambda chosen by cross-validation, to be looked "
     "at later",
     "thresher train houses.h5 -o lasso.h5 --solver lasso --telemetry "
     "run.jsonl"},
    {TH_TRAIN, "What it would cost: memory, bytes to read, time",
     "thresher train murata.h5 -o large.h5 --budget 400 --dry-run"},
    {TH_TRAIN, "A long run that may be stopped, and goes on by the same line",
     "thresher train words.h5 -o long.h5 --checkpoint kept --max-time 2h"},
    {TH_EVALUATE, "Errors on the examples that were held out for testing",
     "thresher evaluate model.h5 murata.h5"},
    {TH_EVALUATE, "The same of a table that is no data set",
     "thresher evaluate prices.h5 houses.csv --test 0.2"},
    {TH_EVALUATE, "Of two models, for a program",
     "thresher evaluate prices.h5,lasso.h5 houses.h5 --json"},
    {TH_VERIFY, "Is the model the solution, up to its duality gap?",
     "thresher verify lasso.h5 houses.h5"},
    {TH_PREDICT, "Predictions for new rows",
     "thresher predict prices.h5 new.csv -o predicted.csv"},
    {TH_PREDICT, "Those of every lambda of the path, the first of them",
     "thresher predict lasso.h5 new.h5 --lambda all -o - | head -n 3"},
    {TH_EXPORT, "The coefficients as a table", "thresher export prices.h5"},
    {TH_EXPORT, "A function in C that predicts",
     "thresher export prices.h5 --as c -o prices.c"},
    {TH_INSPECT, "What a data set holds", "thresher inspect houses.h5"},
    {TH_INSPECT, "The models of a path", "thresher inspect lasso.h5 --path"},
    {TH_INSPECT, "Is every byte as it was written?",
     "thresher inspect murata.h5 --check"},
    {TH_REPORT, "A page of a run",
     "thresher report lasso.h5 run.jsonl -o "
     "report.html"},
    {TH_REPORT, "Two models side by side",
     "thresher report prices.h5 lasso.h5 -o both.html"},
    {TH_WATCH, "Where a run is, from another shell",
     "thresher watch run.jsonl"},
    {TH_SOLVERS, "All solvers, their papers and options", "thresher solvers"},
    {TH_SOLVERS, "One of them, with what its options do",
     "thresher solvers lasso"},
    {TH_COMPLETION, "In this shell, or in ~/.bashrc",
     "source <(thresher completion bash)"},
    {TH_BENCH, "Does this machine compute what others compute?",
     "thresher bench self"},
    {0, NULL, NULL}};

enum {
  READS_FILES = TH_TRAIN | TH_EVALUATE | TH_PREDICT,
  WRITES =
      TH_GENERATE | TH_IMPORT | TH_TRAIN | TH_PREDICT | TH_EXPORT | TH_REPORT,
  TAKES_DATA = TH_GENERATE | TH_IMPORT | TH_TRAIN | TH_EVALUATE | TH_VERIFY |
               TH_PREDICT | TH_INSPECT
};

static const struct th_manual_thing files[] = {
    {TAKES_DATA, "NAME.h5, NAME.shards/",
     "A data set: a file of HDF5 that describes it, and a folder with its "
     "values. They are moved and copied together."},
    {READS_FILES, "FILE.thresher/",
     "What was made of FILE when it was first read, and is found there the "
     "next time; with --cache FOLDER it is in that folder. It may be removed."},
    {WRITES, ".NAME.partial",
     "An output that is being written. It gets its name when it is complete; "
     "the next run with the same output removes what a killed run has left."},
    {TH_TRAIN, "FOLDER/STOP",
     "In the folder of --checkpoint: as soon as this file is there, the run "
     "writes a checkpoint and stops."},
    {TH_TRAIN | TH_WATCH | TH_REPORT, "RUN.jsonl",
     "A telemetry, with a line for every update. While the run goes on it is "
     ".RUN.jsonl.partial."},
    {TH_COMPLETION, "~/.bashrc, ~/.config/fish/completions/thresher.fish",
     "Where shells look for what is printed; zsh looks for a file _thresher "
     "in the folders of $fpath."},
    {TH_EVERY_COMMAND, "FILE.ini",
     "A deck, which --deck names: options as lines name = value under "
     "[section], with the names of the long options. Options on the command "
     "line have priority."},
    {0, NULL, NULL}};

static const struct th_manual_thing environment[] = {
    {TH_TRAIN, "THRESHER_STOP_AT, SLURM_JOB_END_TIME",
     "When the time of the run ends, in seconds of Unix time. It stops before "
     "that, as by --max-time."},
    {TH_TRAIN, "THRESHER_STOP_STATUS",
     "The exit status of a run that was stopped, 3 to 125, for batch systems "
     "that start a job again by that number."},
    {TAKES_DATA | TH_BENCH, "TMPDIR",
     "A folder for data that are imported for this command alone, and for "
     "the files of bench. /tmp if it is not set, and for bench the current "
     "folder."},
    {TAKES_DATA, "SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU, SLURM_CPUS_ON_NODE",
     "The memory that Slurm grants; without --memory a rank keeps values in "
     "a share of it."},
    {WRITES, "SLURM_JOB_ID, SLURM_CLUSTER_NAME, SLURM_RESTART_COUNT",
     "By these a job that Slurm has started again takes over the locks that "
     "it left on another node."},
    {TAKES_DATA | TH_BENCH,
     "OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, "
     "PMI_SIZE, SLURM_STEP_ID, SLURM_PROCID, SLURM_NTASKS",
     "Set by mpirun and srun: the program is one of several ranks."},
    {TH_EVERY_COMMAND, "THRESHER_KERNELS",
     "The instruction set that loops over values use, in place of the best "
     "one; models do not depend on it."},
    {TH_EVERY_COMMAND, "THRESHER_CHECK_COLLECTIVES",
     "yes compares what the ranks exchange at every step, to find faults of "
     "the program."},
    {0, NULL, NULL}};

static const struct th_manual_exit exits[] = {
    {TH_EVERY_COMMAND, 0, "done"},
    {TH_EVERY_COMMAND & ~(TH_VERIFY | TH_WATCH), 1,
     "failed: something is wrong with files, data or the run"},
    {TH_VERIFY, 1,
     "the certificate does not hold, or something is wrong with files or data"},
    {TH_WATCH, 1, "the run ended without finishing, or it cannot be followed"},
    {TH_EVERY_COMMAND, 2,
     "usage: the command line is wrong, or an option does not fit the data"},
    {TH_TRAIN, 3,
     "stopped early, by --max-time, a signal, a file STOP or the end of a "
     "Slurm job. With --checkpoint the same command goes on; otherwise the "
     "model is what was found by then. "
     "THRESHER_STOP_STATUS in the environment is another number for this"},
    {TH_EVERY_COMMAND, 128,
     "or more: a signal ended the run; its number is the status less 128"},
    {0, 0, NULL}};

const struct th_manual_example *th_manual_table_examples(void)
{
  return examples;
}

const struct th_manual_thing *th_manual_table_files(void)
{
  return files;
}

const struct th_manual_thing *th_manual_table_environment(void)
{
  return environment;
}

const struct th_manual_exit *th_manual_table_exits(void)
{
  return exits;
}

const char *th_manual_table_about(void)
{
  return about;
}

const char *th_manual_table_launching(unsigned commands)
{
  return (commands & (TAKES_DATA | TH_BENCH)) != 0 ? launching : NULL;
}

const char *th_manual_table_writing(void)
{
  return writing;
}
