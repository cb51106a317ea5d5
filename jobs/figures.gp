# figures.gp - pictures of the figures, from figures_tables.py's tables
# SPDX-License-Identifier: MIT
#
# gnuplot -e "prefix = 'DIR/FIGURE'; figure = 'FIGURE'; ratio = 0.5; seeds = '1 2';
# style = 'style.gp'; format = 'png'" figures.gp: one picture for each loss,
# PREFIX.LOSS.png, with a panel for each data set (exponent, generated: for each
# view of the one set).
curves = prefix . ".bands.tsv"
coefficients = prefix . ".sizes.tsv"
load style

# The values of a column, in the order of their first appearance.
distinct(file, column, where) = system(sprintf( \
  "awk -F '\t' 'NR > 1 && (%s) && !seen[$%d]++ { print $%d }' '%s'", \
  where, column, column, file))

# A table's head, and its lines of a set and a run of this picture's loss.
lines(file, s, r) = sprintf("< awk -F '\t' 'NR == 1 || ($1 == \"%s\" && \
  $2 == \"%s\" && $3 == \"%s\")' '%s'", s, loss, r, file)
# About eight points on each line, and all where there are few.
step(file, s, r) = int(system(substr(lines(file, s, r), 3, -1) . \
  " | awk 'END { print int((NR + 6) / 8) + (NR < 2) }'"))

# The largest value of a column of the curves of a set.
largest(column, s) = real(system(sprintf("awk -F '\t' -v most=0 \
  'NR == 1 { for (k = 1; k <= NF; k++) if ($k == \"%s\") at = k } \
  NR > 1 && $1 == \"%s\" && $2 == \"%s\" && $at + 0 > most { most = $at + 0 } \
  END { print most }' '%s'", column, s, loss, curves)))
# n x d
extent(s) = system(sprintf("awk -F '\t' '$1 == \"%s\" { print $5, \"x\", $6; exit }' \
  '%s'", s, curves))

set datafile separator "\t"
set datafile columnheaders
set datafile missing NaN

# What is drawn of column y over column x: the band of the seeds, the median with
# points.
drawn = "for [r in runs] lines(curves, s, r) using x:(column(y . '_low')):\
(column(y . '_high')) with filledcurves linestyle style(r) \
fillstyle transparent solid 0.2 noborder notitle, \
for [r in runs] lines(curves, s, r) using x:y with lines \
linestyle style(r) notitle, \
for [r in runs] lines(curves, s, r) using x:y every step(curves, s, r) \
with points linestyle style(r) pointsize 0.6 notitle"
# The names of the runs, for the one key of all panels.
named = ", for [r in runs] NaN with linespoints linestyle style(r) pointsize 0.6 \
title r"

one_pass = figure eq "generated" || figure eq "digits"
shown = one_pass || figure eq "exponent" ? \
  ", NaN with lines linestyle style('exact') title 'exact'" : ""

# One panel each; s is the set, `runs` what is compared, x the column across.
left = "y = 'active'; set ylabel 'attributes' offset 0.2; plot ".drawn.", \
for [r in runs] lines(curves, s, r) using x:'support' with lines \
linestyle style(r) linewidth 0.7 notitle".named.", \
NaN with lines linestyle 90 linewidth 0.7 title 'thin: not zero'".shown
errors = "y = 'distance'; set ylabel 'distance from the exact' offset 0.2; \
plot ".drawn.named
times = "y = 'seconds'; set ylabel 'seconds' offset 0.2; plot ".drawn.named
sizes = "set xlabel 'rank' offset 0, 0.5; set ylabel 'magnitude' offset 0.2; plot \
lines(coefficients, s, 'exact') using 'rank':'magnitude' with lines \
linestyle style('exact') notitle, \
for [r in runs] lines(coefficients, s, r) using 'rank':'magnitude_low':\
'magnitude_high' with filledcurves linestyle style(r) \
fillstyle transparent solid 0.2 noborder notitle, \
for [r in runs] lines(coefficients, s, r) using 'rank':'magnitude' with lines \
linestyle style(r) notitle, \
for [r in runs] lines(coefficients, s, r) using 'rank':'magnitude' \
every step(coefficients, s, r) with points linestyle style(r) pointsize 0.6 \
notitle".named.", NaN with lines linestyle style('exact') title 'exact'"

panels(figure) = one_pass ? "left errors sizes times" : \
  figure eq "exponent" ? "left sizes" : figure eq "error" ? "errors" : \
  figure eq "solutions" ? "sizes" : "left"
x = figure eq "wallclock" || figure eq "error" ? "seconds" : "epochs"
views = panels(figure)

do for [loss in distinct(curves, 2, "1")] {
  sets = distinct(curves, 1, "$2 == \"" . loss . "\"")
  runs = distinct(curves, 3, "$2 == \"" . loss . "\"")
  count = words(sets) * words(views)
  columns = count < 3 ? count : count == 4 ? 2 : 3
  rows = (count + columns - 1) / columns
  width = columns == 1 ? 4.4 : 0.2 + 3.1 * columns
  height = 1.0 + 2.4 * rows
  eval picture(prefix . "." . loss, width, height)
  set key at screen 0.5, screen 0.06 / height center bottom vertical maxrows 2 samplen 4
  set multiplot layout rows, columns title sprintf( \
    "%s: %s loss, λ = %g λ_{max}, seed%s %s", figure, loss, ratio, \
    words(seeds) > 1 ? "s" : "", seeds) font ",9" \
    margins screen 0.85 / width, screen 1 - 0.2 / width, screen 1.0 / height, \
    screen 1 - 0.62 / height spacing screen 0.98 / width, screen 0.8 / height
  do for [s in sets] {
    do for [view in views] {
      set title figure eq "generated" ? system("echo " . s . " | sed 's/-by-/ x /'") : s . ", " . extent(s) noenhanced \
        font ",8" offset 0, -0.6
      set xlabel x offset 0, 0.5
      set logscale xy
      set xrange [*:*]
      set xtics autofreq
      set format x "10^{%L}"
      set yrange [*:*]
      set format y "10^{%L}"
      if (view eq "left") { set format y "%.0s%c" }
      # the last line of os-prox-sgd is of an exact solution, far below
      if (figure eq "error") { set yrange [1e-3 * largest("distance", s):*] }
      if (one_pass && view ne "sizes") {
        unset logscale x; set xrange [0:1]; set xtics 0.25; set format x "%g"
      }
      if (view eq "times") { unset logscale y; set format y "%g" }
      if (view eq "left") { eval left }
      if (view eq "errors") { eval errors }
      if (view eq "sizes") { eval sizes }
      if (view eq "times") { eval times }
      unset key # one for all panels; those of one picture with several views
                # name the same runs
    }
  }
  unset multiplot
}
