/* format.h - the file format: every name that appears in a file, in one place
 *
 * A data set NAME is a small master file NAME.h5 and a folder NAME.shards with
 * shards 00000.h5, 00001.h5, ... All are HDF5 files (format of HDF5 1.10),
 * little endian, without object times and without links between files except
 * the virtual data sets described below.
 *
 * Rows. Stored examples are numbered training examples first, then test
 * examples. Row groups are R consecutive stored examples; the training
 * examples' last group may be short, the test examples begin a group of their
 * own. A run is one attribute on one row group; dense data are read and checked
 * by runs.
 *
 * Checksums are XXH3 (64 bits, seed 0) over stored bytes. Data sets that are
 * written whole carry theirs in an attribute `checksum`; the others have data
 * sets of checksums beside them. What HDF5 keeps itself (object headers,
 * attributes, groups) carries HDF5's own checksums. A master and a model have a
 * seal over all their bytes (io/files/output.h), a master the hash of each
 * shard.
 *
 * Master, root attributes
 *   format "thresher data set", major, minor
 *   examples, training, attributes, row_group, groups, nonzeros, shards
 *   layout "dense" | "sparse", type "f32" | "f64" | "u8" | "i8" | "u2" (dense
 *                   only), weighted 0 | 1
 *   weightless      if there are some: the last so many examples have weight 0.
 *                   They are neither for training nor for tests, and lie in the
 *                   row groups of the test examples. Such a master alone has
 *                   major 3: a program that knows of none refuses it, and does
 *                   not take them for tests
 *   missing         if there are some: how many stored values are missing. They
 *                   are NaN in files, and in u8, i8 and u2 the number 255, -128
 *                   and 3, which no value has then; readers take the mean of
 *                   their attribute for each, as f32 unless the type is f64.
 * Such a master alone has major 4 weighted_statistics 0 | 1 if weighted: 1: in
 * the statistics each training example counts by its weight. Older masters lack
 * this; there each counts once labelled 0 | 1  0: there are no targets, and the
 * data are for prediction only. Older masters always have targets and lack this
 *   target          name of the column of the targets in the text, if it has
 *                   one
 *   positive_class  the class whose targets are 1 where all others are -1, if
 *                   one was given
 *   columns, target_column, other_columns
 *                   since 2.2, if the text was CSV: how many columns it had;
 *                   which of them was the target, counted from 1, 0 for none;
 *                   how many were neither target nor attribute
 *   word_columns, word_attributes
 *                   since 2.5, if columns had words: how many, and how many
 *                   attributes they have, COLUMN=WORD
 *   column_kinds    since 2.7, of CSV, if there are some: how many columns have
 *                   other fields than plain numbers and words
 *   other_classes   since 2.2, with positive_class: how many other classes
 *                   there were, if they were few
 *   text_format, zero_based, label_weights, header, separator, decimal,
 *   weight_column, weight_name, whole_targets, missing_words
 *                   since 2.4, as far as the import was told or has found it:
 *                   the importer ("libsvm", "csv"); of LIBSVM 0 | 1 whether the
 *                   first index is 0, and whether labels are label:weight; of
 *                   CSV 0 | 1 whether the first row names the columns, the byte
 *                   between fields, the column of the weights, counted from 1,
 *                   and its name; the mark before decimals; 0 | 1 whether all
 *                   targets are whole numbers; since 2.5 words for a missing
 *                   value, between commas
 *   target_missing_words
 *                   of models only: such words of the table of the targets
 *   indexed         1 if attributes are the indices of LIBSVM text that occur,
 *                   and /names are these. Such a master alone has major 5; the
 *                   attribute is also of a model, whose /names are texts
 *   id_column, id_name
 *                   since 2.6, of CSV: the column of the IDs of the examples,
 *                   counted from 1, and its name, which may be empty
 *   labels          since 2.4: how many distinct targets there are, if they are
 *                   at most 32 and no class was given
 *   fingerprint     of the logical content; the same for every shard layout
 *   provenance      how the data were made, one line
 *   names_list, names_set
 *                   u64, since 2.2, if there are names: hashes of the names in
 *                   their order and in any order (th_fingerprint_name)
 *
 * Master, data sets (n examples, d attributes, G groups, K shards)
 *   /y        f64 [n]   targets, finite; all NaN if there are none, which
 *             programs that do not know `labelled` refuse to read
 *   /weight   f64 [n]   only when weighted: finite, not negative
 *   /row      i64 [n]   number of the example in the input, from 0
 *   /split    u8  [n]   0 training, 1 test, 2 weightless
 *   /names    text [d]  optional, fixed length, UTF-8, zero padded; or u64 [d],
 *             ascending, where attributes are called by indices (`indexed`):
 *             their names are these in decimal digits
 *   /names_checksum     u64, since 2.2, one per 4096 names over their bytes
 *   /ids      text [n]  optional, since 2.6: the IDs of the examples, in stored
 *             order; fixed length of at most 511 bytes, UTF-8, zero padded; an
 *             ID may be empty, and may occur more than once. Not in the
 *             fingerprint, which is of the values
 *   /ids_checksum     u64, since 2.6, one per 4096 IDs over their bytes
 *   /other_columns, /other_names   i64, text, since 2.2, if there are some: the
 *             columns that were left out of the text, or held weights or IDs,
 *             counted from 1, and their names, if the text had a header
 *   /word_columns   text, since 2.5: the names of columns of words
 *   /column_kinds   i64 [2 c], since 2.7: attribute and kind of each such
 * column, ascending: 1 truth values, 2 dates, 3 percentages; -1 for the target
 * and -2 for the weights in the place of an attribute. Also in models. Text
 * that is read like that of the data has the same kinds; columns that are not
 * listed have plain numbers or words /other_classes   text, since 2.2: the
 * classes whose targets are -1 /labels   f64, since 2.4: the distinct targets,
 * ascending /attribute_groups   group, optional: which attributes act together,
 * as ranges in ascending order; attribute count (of the ranges); data sets
 * first, count, group i64 (its lowest attribute), weight f64 (0: not given).
 * Not in the fingerprint, which is of the values: models hold the groups that
 * they were trained with /variants group, optional, of attributes that are
 * variants of a genome: data sets position i64 [d]; chromosome, counted and
 * other u8, the texts of all attributes one after the other, each with a zero
 *             behind it. Values are copies of the counted allele. Not in the
 *             fingerprint, which has the names
 *   /lacking  u8 [d], optional: 1 of each attribute whose values are all 0, as
 *             more than --max-missing of the training examples lacked them.
 *             Likewise not in the fingerprint
 *   /equal    group, optional: training examples that equal an earlier one, as
 *             far as import looked for them (data/store.h); attribute count (of
 *             these), data sets row, first i64: stored rows, row ascending.
 *             Not in the fingerprint, as it follows from the values
 *   /group/first, /group/count i64 [G], /group/split u8 [G]
 *   /group/checksum_y, _row, _weight   u64 [G] of the group's part of each
 *   /shard/path text [K], relative: FOLDER.shards/FILE.h5
 *   /shard/first, /shard/count i64 [K]  attributes
 *   /shard/bytes i64 [K]                size of the file
 *   /shard/content u64 [K]              the shard's attribute `content`
 *   /shard/hash u64 [K]                 XXH3 of all bytes of the file
 *   /truth    group, only for generated data: attributes family, seed, noise,
 *             count; those of TH_FAMILY_PARAMETERS (model/origin.h),
 *             choices as text; data sets support i64, coef f64
 *   /stats/mean, deviation, lowest, highest   f64 [d], virtual, in the shards
 *   /X        (d, n) virtual, dense data only: the values in stored order, fill
 *             value NaN (integer types appear as f64), so a missing shard shows
 *   /packed   i16 (d, G R / 4) virtual, u2 data only, in place of /X: the bytes
 *             of the shards' /X as numbers, fill value -1
 *
 * Shard, root attributes
 *   format "thresher shard", major, minor, shard (its number), first, count,
 *   training (since 2.2), layout, type, row_group, groups, nonzeros
 *   content   sum modulo 2^64 over its runs; dense: of XXH3(attribute, group,
 *             checksum), sparse: of th_fingerprint_run
 *             (io/dataset/fingerprint.h)
 *
 * Shard, both layouts (c attributes)
 *   /mean, /deviation, /lowest, /highest
 *             f64 [c], of the training examples by their weights (see
 *             weighted_statistics); the deviation has the divisor n; of sparse
 *             data of another type than f64: f32
 *   /stats_checksum  u64, one per 256 attributes over their part of the four
 *   /missing  i64 [c], with the root attribute `missing`, their sum, if some
 *             values are missing: how many of each attribute, on all examples
 * Shard, dense
 *   /X        (c, G R) of the storage type: group g lies in columns g R ..,
 *             padded with zeros to R; no filter; chunks of one row group and
 *             all c attributes, or as few parts of them as have 4 MiB each.
 *             u2: u8 (c, G R / 4), R a multiple of 4; row r of a group is in
 *             bits 2 (r % 4), + 1 of byte r / 4
 *   /checksum u64 (G, c), of each run without its padding
 *
 *   Why: a block is one long read and one of its checksums. `thresher bench`,
 *   runs of 4 KiB, medians of five runs on a busy machine, in GB/s:
 *
 *                                      tiles   256 KiB chunks   by attribute
 *   blocks of 100 attributes, disk      0.58             0.48           0.25
 *   single attributes, disk             0.12             0.11           0.15
 *   whole tiles, system's cache         1.33             1.13           0.69
 *
 *   Blocks are nearly all that is read; columns of the support, which storing
 *   by attribute makes long, are read once and kept. Deflate reads at 0.06.
 *
 * Shard, sparse (doubly compressed; runs ordered by group, then attribute)
 *   /attribute u32 [runs]      counted from the shard's first
 *   /count     u16 [runs]      entries of each run, at least 1
 *   /row       u16 [entries]   row in the group, ascending within a run
 *   /value     [entries]       of the storage type
 *   /part     i64 [parts + 1]  since 2.5: where each part begins, counted from
 *             the shard's first attribute, and the end; parts (root attribute)
 *             are consecutive attributes with about as many entries each, 128
 *             to 16384 of a group, by the first group; they begin where cells
 *             (TH_CELL) do
 *   /part_training  i64 [parts]  entries of training examples
 *   /part_run, /part_entry  i64 [(parts + 1) G]  first run and first entry of
 *             each part on each group, a part's groups one after another;
 *             behind the last part, the end of each group
 *   /part_checksum  u64 [parts G]  of the part's share of /attribute on a
 * group; with that as the seed, of its share of /count; likewise /row and
 *             /value: what is read and checked
 *   /piece, /piece_entry  i64 [G pieces + 1]  first run and first entry of each
 *             piece, group by group; a piece is `piece` (root attribute)
 *             consecutive attributes on one group. Since 2.5 a piece is a whole
 *             group, for programs that know no parts; before, about 16384
 *             entries
 *   /piece_checksum  u64 [G pieces]  as /part_checksum
 *
 * Most attributes of text or click data occur once in a row group, if at all:
 * such a run takes 6 bytes beside its row and value. Longer row groups would
 * save little (200,000 x 1,000,000, 50 a row, power-law frequencies: 107 MB
 * with R = 512, 91 MB with R = 8192). But a draw of u rows looks at every run
 * of R rows. Therefore R is at most 32768, and its default is that of dense
 * data.
 *
 * Model: root attributes format "thresher model", major, minor, solver, loss,
 * attributes, count (of the support), intercept, passes, statistics, settings
 * (lines of the deck), fingerprint (of the data set) and ledger.*; data sets
 * /support i64, /coef f64, /deck/name and /deck/value text; content (XXH3 over
 * all of these). With a penalty also the group /certificate: attributes and
 * /certificate/margin i64 as in model/model.h, /certificate/path f64, one after
 * another lambda, objective, gap and support size of every lambda (all of that
 * in the content); and /attribute_groups as in a master, where the penalty has
 * groups.
 *   Since 2.2: /deviation f64, standard deviations of the support's attributes
 * over the training examples, as these weigh where the solver weighs them for
 * that; since 2.5 /mean f64 likewise, which stands for values that are missing
 * in other data; and, where the data have names, /names text, those of the
 * support, and names_list and names_set, of all attributes as in a master. With
 * the same names_list, attributes of other data go by their numbers; else by
 * /names, for which nothing but the support has to be there; where all
 * attributes matter, names_set has to be the same. Since 2.5, where attributes
 * are variants of a genome: /alleles text, of each of the support the one whose
 * copies the values are, or nothing; /other_alleles text, the other one.
 * Since 2.4: type, as in a master, and what the master of the data set knows of
 * its text, from target to labels, but for /other_names.
 *
 * Versions: a program reads files of its own major number, whatever the minor;
 * a minor step only adds names. Other majors are refused by name. 2.2 has added
 * data without targets, training in shards, and what is marked so above. 2.3
 * has added the seal, 2.4 what an import was told and found of its text, 2.5
 * the parts of sparse shards, 2.6 the IDs of examples. A master says 2.6 only
 * if it has IDs.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FORMAT_H
#define TH_FORMAT_H

#include "base/error.h"

struct th_h5;

/* Fail and say what to do about the file. */
#define TH_IMPORT_AGAIN(err, text, ...)                                        \
  th_fail((err), TH_EFORMAT, text "; import the data again", __VA_ARGS__)
#define TH_DAMAGED(err, text, ...)                                             \
  th_fail((err), TH_EFORMAT,                                                   \
          text "; the file is damaged, import the data again", __VA_ARGS__)
#define TH_TRAIN_AGAIN(err, text, ...)                                         \
  th_fail((err), TH_EFORMAT, text "; train the model again", __VA_ARGS__)

enum {
  TH_FORMAT_MAJOR = 2,
  TH_FORMAT_MAJOR_WEIGHTLESS = 3,
  TH_FORMAT_MAJOR_MISSING = 4,
  TH_FORMAT_MAJOR_INDEXED = 5,
  TH_FORMAT_MINOR = 4,
  TH_FORMAT_MINOR_PARTS = 5, /* of sparse shards */
  TH_FORMAT_MINOR_IDS = 6    /* of masters with IDs */
};

/* Root attributes. */
#define TH_A_FORMAT "format"
#define TH_A_MAJOR "major"
#define TH_A_MINOR "minor"
#define TH_A_EXAMPLES "examples"
#define TH_A_TRAINING "training"
#define TH_A_ATTRIBUTES "attributes"
#define TH_A_ROW_GROUP "row_group"
#define TH_A_GROUPS "groups"
#define TH_A_NONZEROS "nonzeros"
#define TH_A_SHARDS "shards"
#define TH_A_LAYOUT "layout"
#define TH_A_TYPE "type"
#define TH_A_WEIGHTED "weighted"
#define TH_A_WEIGHTLESS "weightless"
#define TH_A_MISSING "missing" /* also of a shard */
#define TH_A_WEIGHTED_STATISTICS "weighted_statistics"
#define TH_A_LABELLED "labelled"
#define TH_A_TARGET "target"
#define TH_A_POSITIVE_CLASS "positive_class"
#define TH_A_COLUMNS "columns"
#define TH_A_TARGET_COLUMN "target_column"
#define TH_A_OTHERS "other_columns"
#define TH_A_CLASSES "other_classes"
#define TH_A_WORDS "word_columns"
#define TH_A_LEVELS "word_attributes"
#define TH_A_KINDS "column_kinds"
#define TH_A_TEXT_FORMAT "text_format" /* from here on also of a model */
#define TH_A_ZERO_BASED "zero_based"
#define TH_A_INDEXED "indexed"
#define TH_A_LABEL_WEIGHTS "label_weights"
#define TH_A_HEADER "header"
#define TH_A_SEPARATOR "separator"
#define TH_A_DECIMAL "decimal"
#define TH_A_MISSING_WORDS "missing_words"
#define TH_A_TARGET_MISSING "target_missing_words"
#define TH_A_WEIGHT_COLUMN "weight_column"
#define TH_A_WEIGHT_NAME "weight_name"
#define TH_A_ID_COLUMN "id_column"
#define TH_A_ID_NAME "id_name"
#define TH_A_LABELS "labels"
#define TH_A_WHOLE_TARGETS "whole_targets"
#define TH_A_FINGERPRINT "fingerprint"
#define TH_A_PROVENANCE "provenance"
#define TH_A_SHARD "shard"
#define TH_A_FIRST "first"
#define TH_A_COUNT "count"
#define TH_A_CONTENT "content"
#define TH_A_PIECE "piece"
#define TH_A_PARTS "parts"

#define TH_FORMAT_MASTER "thresher data set"
#define TH_FORMAT_SHARD "thresher shard"
#define TH_FORMAT_MODEL "thresher model"

/* Master. */
#define TH_D_Y "/y"
#define TH_D_WEIGHT "/weight"
#define TH_D_ROW "/row"
#define TH_D_SPLIT "/split"
#define TH_D_NAMES "/names"     /* also of a model */
#define TH_D_ALLELES "/alleles" /* of a model */
#define TH_D_OTHER_ALLELES "/other_alleles"
#define TH_D_NAMES_CHECKSUM "/names_checksum"
#define TH_D_IDS "/ids"
#define TH_D_IDS_CHECKSUM "/ids_checksum"
#define TH_D_OTHERS "/other_columns"
#define TH_D_OTHER_NAMES "/other_names"
#define TH_D_CLASSES "/other_classes"
#define TH_D_WORDS "/word_columns"
#define TH_D_LEVELS "/word_attributes" /* of a model */
#define TH_D_LABELS "/labels"
#define TH_D_KINDS "/column_kinds"
#define TH_A_NAMES_LIST "names_list"
#define TH_A_NAMES_SET "names_set"
#define TH_G_GROUP "/group"
#define TH_D_GROUP_FIRST "/group/first"
#define TH_D_GROUP_COUNT "/group/count"
#define TH_D_GROUP_SPLIT "/group/split"
#define TH_D_GROUP_Y "/group/checksum_y"
#define TH_D_GROUP_ROW "/group/checksum_row"
#define TH_D_GROUP_WEIGHT "/group/checksum_weight"
#define TH_G_TOGETHER "/attribute_groups"
#define TH_D_TOGETHER_FIRST "/attribute_groups/first"
#define TH_D_TOGETHER_COUNT "/attribute_groups/count"
#define TH_D_TOGETHER_GROUP "/attribute_groups/group"
#define TH_D_TOGETHER_WEIGHT "/attribute_groups/weight"
#define TH_G_VARIANT "/variants"
#define TH_D_VARIANT_POSITION "/variants/position"
#define TH_D_VARIANT_CHROMOSOME "/variants/chromosome"
#define TH_D_VARIANT_COUNTED "/variants/counted"
#define TH_D_VARIANT_OTHER "/variants/other"
#define TH_D_LACKING "/lacking"
#define TH_G_EQUAL "/equal"
#define TH_D_EQUAL_ROW "/equal/row"
#define TH_D_EQUAL_FIRST "/equal/first"
#define TH_G_SHARD "/shard"
#define TH_D_SHARD_PATH "/shard/path"
#define TH_D_SHARD_FIRST "/shard/first"
#define TH_D_SHARD_COUNT "/shard/count"
#define TH_D_SHARD_BYTES "/shard/bytes"
#define TH_D_SHARD_CONTENT "/shard/content"
#define TH_D_SHARD_HASH "/shard/hash"
#define TH_G_TRUTH "/truth"
#define TH_A_FAMILY "family"
#define TH_A_SEED "seed"
#define TH_A_NOISE "noise"
#define TH_D_TRUTH_SUPPORT "/truth/support"
#define TH_D_TRUTH_COEF "/truth/coef"
#define TH_G_STATS "/stats"

/* Shard. The statistics appear in the master as /stats + name. */
#define TH_D_X "/X"
#define TH_D_PACKED "/packed"       /* of the master */
#define TH_D_MEAN "/mean"           /* also of a model */
#define TH_D_DEVIATION "/deviation" /* also of a model */
#define TH_D_LOWEST "/lowest"
#define TH_D_HIGHEST "/highest"
#define TH_D_STATS_CHECKSUM "/stats_checksum"
#define TH_D_MISSING "/missing"
#define TH_D_CHECKSUM "/checksum"
#define TH_D_ATTRIBUTE "/attribute"
#define TH_D_COUNT "/count"
#define TH_D_VALUE "/value"
#define TH_D_PIECE "/piece"
#define TH_D_PIECE_ENTRY "/piece_entry"
#define TH_D_PIECE_CHECKSUM "/piece_checksum"
#define TH_D_PART "/part"
#define TH_D_PART_TRAINING "/part_training"
#define TH_D_PART_RUN "/part_run"
#define TH_D_PART_ENTRY "/part_entry"
#define TH_D_PART_CHECKSUM "/part_checksum"

/* Model. */
#define TH_A_SOLVER "solver"
#define TH_A_LOSS "loss"
#define TH_A_INTERCEPT "intercept"
#define TH_A_PASSES "passes"
#define TH_A_STATISTICS "statistics"
#define TH_A_LEDGER "ledger." /* + the name of each count */
#define TH_A_DISTINCT TH_A_LEDGER "distinct_attributes"
#define TH_A_UNPENALISED TH_A_LEDGER "unpenalised_attributes"
#define TH_D_SUPPORT "/support"
#define TH_D_COEF "/coef"
#define TH_A_SETTINGS "settings" /* lines of the deck */
#define TH_G_DECK "/deck"
#define TH_D_DECK_NAME "/deck/name"
#define TH_D_DECK_VALUE "/deck/value"
#define TH_G_CERTIFICATE "/certificate" /* names: model/model.h */
#define TH_G_SELECTED "/selected"       /* of solvers that choose in an order */
#define TH_D_ORDER "/selected/attribute"
#define TH_G_ENDING "/ending" /* likewise */
#define TH_G_CLAIMS "/claims" /* what ended the run, what is assumed */
#define TH_G_KEPT "/path"     /* of models that were chosen from a path */
#define TH_D_KEPT_LAMBDA "/path/lambda"
#define TH_D_KEPT_LOSS "/path/loss"
#define TH_D_KEPT_SE "/path/se"
#define TH_D_KEPT_SIZE "/path/size"
#define TH_D_KEPT_INTERCEPT "/path/intercept"
#define TH_D_KEPT_START "/path/indptr"
#define TH_D_KEPT_ATTRIBUTE "/path/indices"
#define TH_D_KEPT_COEF "/path/data"
#define TH_D_KEPT_MEMBER                                                       \
  "/path/attribute" /* those of the path, and of them:                         \
                     */
#define TH_D_KEPT_DEVIATION "/path/deviation"
#define TH_D_KEPT_MEAN "/path/mean"
#define TH_D_KEPT_NAMES "/path/names"
#define TH_D_KEPT_ALLELES "/path/alleles"
#define TH_D_KEPT_OTHERS "/path/other_alleles"
#define TH_A_ENTRIES "entries"
#define TH_A_FOLDS "folds"
#define TH_A_BEST "best"
#define TH_A_ONE_SE "1se"
#define TH_A_CHOSEN "chosen"
#define TH_A_PENALTY "penalty"
#define TH_A_PATH "path" /* its rows */
#define TH_D_PATH "/certificate/path"
#define TH_D_MARGIN "/certificate/margin"
#define TH_G_COVARIATES                                                        \
  "/covariates" /* attributes of a table beside the data */
#define TH_D_COVARIATE_NAME "/covariates/name"
#define TH_D_COVARIATE_MEAN "/covariates/mean"
#define TH_D_COVARIATE_WORD "/covariates/word_columns"

/* Check that no byte of a master or a model has changed since it was written.
 * Before minor version 3 they had no seal, and pass. Local. */
th_status th_format_check_bytes(const char *path, struct th_error *err);

/* An error unless the path names a file that can be opened for reading.
 * Local. */
th_status th_format_check_file(const char *path, const char *name,
                               struct th_error *err);

/* An error unless the file is of that format ("thresher data set") and of a
 * version that this program reads. Local. */
th_status th_format_check(const struct th_h5 *h5, const char *format,
                          struct th_error *err);

enum th_file_kind {
  TH_FILE_DATASET,
  TH_FILE_MODEL,
  TH_FILE_SHARD,
  TH_FILE_HDF5, /* not of thresher */
  TH_FILE_TEXT, /* also compressed */
  TH_FILE_OTHER
};

/* What a file is, by its content. Local. An error when it cannot be opened, or
 * another program has it open for writing. */
th_status th_format_kind(const char *path, enum th_file_kind *kind,
                         struct th_error *err);

#endif
