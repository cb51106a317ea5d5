/* dense_body.h - the dense kernels of one storage type; included per type
 *
 * STORED names the type, LANE is f32 or f64: the precision of products. The
 * file that includes this one defines, with the type's name behind:
 *   BYTES     of a step, which is sixteen rows
 *   PIECE     rows that are summed in one go
 *   prepare   th_prepared_ of the type, made from an attribute's centre and
 *             from what stands for its missing values
 *   centred   values less centre, for the lanes of one vector of a step
 *   patch     a whole step made from the values of a part of it
 *   load      the value of one row of a step
 * and undefines the two names again.
 *
 * A band is a few attributes side by side: they share the loads of residuals
 * and hide each other's latency. The sums of a piece of rows are formed vector
 * after vector of the sixteen lanes, so that they stay in registers, while the
 * piece stays in the nearest cache and the next ones are on their way.
 * SPDX-License-Identifier: MIT */

/* Add a step to one vector of each sum: u of every attribute, then v, q. */
TH_INLINE void NAME(add_step)(VECTOR *acc, const unsigned char *at,
                              int64_t stride, struct ROWS rows,
                              const PREPARED *centre, const VECTOR *own,
                              int lane, int wide, int sums)
{
  VECTOR r;
  VECTOR w;
  memcpy(&r, rows.residual + lane, sizeof r);
  memcpy(&w, rows.weight + lane, sizeof w);
  for (int j = 0; j < wide; j++) {
    VECTOR z = NAME(centred)(at + j * stride, lane, centre[j]);
    acc[j] += r * z;
    if (sums == EVIDENCE) {
      VECTOR zz = z * z;
      VECTOR rest = r + w * (own[j] * z);
      acc[wide + j] += w * zz;
      acc[2 * wide + j] += rest * rest * zz;
    }
  }
}

/* Add a piece to one vector of each sum, and fetch what comes ahead, line by
 * line; with the first vector, for the others find it there. */
TH_INLINE void NAME(add_steps)(VECTOR *acc, const struct piece *piece,
                               struct ROWS rows, const PREPARED *centre,
                               const VECTOR *own, int lane, int wide, int sums)
{
  const int64_t step = NAME(BYTES);
  const int at_once = step < LINE ? (int)(LINE / step) : 1;
  const unsigned char *at = piece->values;
  const unsigned char *ahead = piece->ahead;
  int left = piece->steps;
  for (; left > 0; left -= at_once, ahead += at_once * step) {
    for (int64_t b = 0; lane == 0 && b < step; b += LINE)
      for (int j = 0; j < wide; j++)
        __builtin_prefetch(ahead + b + j * piece->stride);
    for (int s = 0; s < at_once && s < left; s++, at += step) {
      NAME(add_step)
      (acc, at, piece->stride, rows, centre, own, lane, wide, sums);
      rows = ROWS_FROM(rows, TH_LANES);
    }
  }
}

/* Add the sums of a piece: in lanes, then in double. */
TH_INLINE void NAME(add_piece)(double *sum, const struct piece *piece,
                               struct ROWS rows, const PREPARED *centre,
                               const VECTOR *own, int wide, int sums)
{
  SCALAR lanes[EVIDENCE * BAND][TH_LANES];
  for (int lane = 0; lane < TH_LANES; lane += WIDTH) {
    VECTOR acc[EVIDENCE * BAND];
    for (int k = 0; k < wide * sums; k++)
      acc[k] = (VECTOR){0};
    NAME(add_steps)(acc, piece, rows, centre, own, lane, wide, sums);
    for (int k = 0; k < wide * sums; k++)
      memcpy(lanes[k] + lane, &acc[k], sizeof acc[k]);
  }
  GATHER(lanes[0], wide * sums, sum);
}

/* Rows first .. last - 1 of a step: a piece of their own, in which the other
 * rows have no weight. */
TH_INLINE void NAME(add_part)(double *sum, const unsigned char *at,
                              int64_t stride, int first, int last,
                              struct ROWS rows, const PREPARED *centre,
                              const VECTOR *own, int wide, int sums)
{
  SCALAR residual[TH_LANES] = {0};
  SCALAR weight[TH_LANES] = {0};
  unsigned char values[BAND * NAME(BYTES)];
  size_t bytes = (size_t)(last - first) * sizeof *residual;
  struct piece piece = {values, NAME(BYTES), values, 1};
  memcpy(residual + first, rows.residual, bytes);
  memcpy(weight + first, rows.weight, bytes);
  for (int j = 0; j < wide; j++)
    NAME(patch)(values + j * NAME(BYTES), at + j * stride, last);
  NAME(add_piece)
  (sum, &piece, (struct ROWS){residual, weight}, centre, own, wide, sums);
}

/* sum[k * wide + j]: sum k of attribute first + j of the slab. own: NULL is 0.
 */
TH_INLINE void NAME(band)(const struct th_slab *slab, struct ROWS rows,
                          const double *centre, const double *own,
                          const struct ahead *ahead, int64_t first, int wide,
                          int sums, double *sum)
{
  PREPARED prepared[BAND];
  VECTOR part[BAND];
  int64_t stride = slab->stride * NAME(BYTES) / TH_LANES;
  const unsigned char *at =
      (const unsigned char *)slab->values + first * stride;
  int row = -th_slab_skip(slab); /* of the step at `at` */
  int64_t done = 0;              /* pieces */
  for (int k = 0; k < wide * sums; k++)
    sum[k] = 0;
  for (int j = 0; j < wide; j++) {
    prepared[j] =
        NAME(prepare)(centre[first + j], stand_in_of(slab, first + j));
    part[j] = (SCALAR)(own == NULL ? 0 : own[first + j]) - (VECTOR){0};
  }
  fetch_ends(ahead, first / BAND, stride, wide, slab->rows < TH_LANES);
  if (row < 0) {
    int last = smaller(row + TH_LANES, slab->rows);
    NAME(add_part)
    (sum, at, stride, -row, last - row, rows, prepared, part, wide, sums);
    row = last;
    at += NAME(BYTES);
  }
  while (row + TH_LANES <= slab->rows) {
    int steps = smaller(slab->rows - row, NAME(PIECE)) / TH_LANES;
    const unsigned char *later = ahead_of(ahead, first / BAND, done++);
    struct piece piece = {at, stride, later, steps};
    NAME(add_piece)
    (sum, &piece, ROWS_FROM(rows, row), prepared, part, wide, sums);
    row += steps * TH_LANES;
    at += steps * (int64_t)NAME(BYTES);
  }
  if (row < slab->rows)
    NAME(add_part)
  (sum, at, stride, 0, slab->rows - row, ROWS_FROM(rows, row), prepared, part,
   wide, sums);
}

/* The gradient of a single row, attribute by attribute: each sum is a product,
 * with the bits that it has in its lane. */
static void NAME(gradient_of_row)(const struct th_slab *slab, struct ROWS rows,
                                  const double *centre, double *grad)
{
  int64_t count = th_range_count(slab->attributes);
  int64_t stride = slab->stride * NAME(BYTES) / TH_LANES;
  const unsigned char *at = slab->values;
  int row = th_slab_skip(slab);
  SCALAR r = rows.residual[0];
  for (int64_t a = 0; a < count; a++, at += stride) {
    __builtin_prefetch(at + ROWS_AHEAD * stride);
    grad[a] +=
        r * (NAME(load)(at, row, stand_in_of(slab, a)) - (SCALAR)centre[a]);
  }
}

static void NAME(gradient)(const struct th_slab *slab,
                           const struct th_row_weights *m, const double *centre,
                           double *grad)
{
  int64_t count = th_range_count(slab->attributes);
  const struct ahead ahead = look_ahead(slab, NAME(BYTES), NAME(PIECE));
  struct ROWS rows = ROWS_OF(m);
  double sum[BAND];
  int64_t a = 0;
  if (slab->rows == 1) {
    NAME(gradient_of_row)(slab, rows, centre, grad);
    return;
  }
  for (; a + BAND <= count; a += BAND) {
    NAME(band)(slab, rows, centre, NULL, &ahead, a, BAND, GRADIENT, sum);
    for (int j = 0; j < BAND; j++)
      grad[a + j] += sum[j];
  }
  for (; a < count; a++) {
    NAME(band)(slab, rows, centre, NULL, &ahead, a, 1, GRADIENT, sum);
    grad[a] += sum[0];
  }
}

/* The evidence of a single row, likewise. */
static void NAME(evidence_of_row)(const struct th_slab *slab, struct ROWS rows,
                                  const double *centre, const double *own,
                                  double *u, double *v, double *q)
{
  int64_t count = th_range_count(slab->attributes);
  int64_t stride = slab->stride * NAME(BYTES) / TH_LANES;
  const unsigned char *at = slab->values;
  int row = th_slab_skip(slab);
  SCALAR r = rows.residual[0];
  SCALAR w = rows.weight[0];
  for (int64_t a = 0; a < count; a++, at += stride) {
    SCALAR z = NAME(load)(at, row, stand_in_of(slab, a)) - (SCALAR)centre[a];
    SCALAR zz = z * z;
    SCALAR rest = r + w * ((SCALAR)(own == NULL ? 0 : own[a]) * z);
    __builtin_prefetch(at + ROWS_AHEAD * stride);
    u[a] += r * z;
    v[a] += w * zz;
    q[a] += rest * rest * zz;
  }
}

static void NAME(evidence)(const struct th_slab *slab,
                           const struct th_row_weights *m, const double *centre,
                           const double *own, double *u, double *v, double *q)
{
  int64_t count = th_range_count(slab->attributes);
  const struct ahead ahead = look_ahead(slab, NAME(BYTES), NAME(PIECE));
  struct ROWS rows = ROWS_OF(m);
  double sum[EVIDENCE * BAND];
  int64_t a = 0;
  if (slab->rows == 1) {
    NAME(evidence_of_row)(slab, rows, centre, own, u, v, q);
    return;
  }
  for (; a + BAND <= count; a += BAND) {
    NAME(band)(slab, rows, centre, own, &ahead, a, BAND, EVIDENCE, sum);
    for (int j = 0; j < BAND; j++) {
      u[a + j] += sum[j];
      v[a + j] += sum[BAND + j];
      q[a + j] += sum[2 * BAND + j];
    }
  }
  for (; a < count; a++) {
    NAME(band)(slab, rows, centre, own, &ahead, a, 1, EVIDENCE, sum);
    u[a] += sum[0];
    v[a] += sum[1];
    q[a] += sum[2];
  }
}

#undef STORED
#undef LANE
