# figures.gp - pictures of the figures, from figures_tables.py's tables
# SPDX-License-Identifier: MIT
#
# gnuplot -e "prefix = 'DIR/FIGURE'; figure = 'FIGURE'" figures.gp: one picture
# for each loss, PREFIX.LOSS.png, with a panel for each data set (exponent,
# generated: for each view of the one set).
curves = prefix . ".curves.tsv"
coefficients = prefix . ".coefficients.tsv"

# The values of a column, in the order of their first appearance.
distinct(file, column, where) = system(sprintf( \
  "awk -F '\t' 'NR > 1 && (%s) && !seen[$%d]++ { print $%d }' '%s'", \
  where, column, column, file))

# The largest value of a column of the curves of a set and a loss.
largest(column, set, loss) = real(system(sprintf("awk -F '\t' -v most=0 \
  '$1 == \"%s\" && $2 == \"%s\" && $%d + 0 > most { most = $%d + 0 } \
  END { print most }' '%s'", set, loss, column, column, curves)))

set datafile separator "\t"
set datafile columnheaders
set datafile missing NaN
set style line 1 linecolor rgb "#000000" linewidth 2.5 dashtype 1
set style line 2 linecolor rgb "#2b6cb8" linewidth 2.5 dashtype (10, 5)
set style line 3 linecolor rgb "#c4622d" linewidth 2.5 dashtype (3, 3)
set style line 4 linecolor rgb "#999999" linewidth 5 dashtype 1
set border 3
set grid ytics linecolor rgb "#dddddd" linetype 1
set tics nomirror out

# The column of a line that belongs to a set and a run of this picture's loss.
is(s, r) = strcol("set") eq s && strcol("loss") eq loss && strcol("run") eq r
when(s, r, name) = is(s, r) ? column(name) : NaN

# One panel each; s is the set, `runs` what is compared.
left = "set ylabel 'attributes'; plot \
  for [k = 1:words(runs)] curves using (when(s, word(runs, k), across)):'active' \
    with steps linestyle k title word(runs, k) . ': left', \
  for [k = 1:words(runs)] curves using (when(s, word(runs, k), across)):'support' \
    with steps linestyle k linewidth 1 title word(runs, k) . ': not zero'"
errors = "set ylabel 'distance from the exact coefficients'; plot \
  for [k = 1:words(runs)] curves using (when(s, word(runs, k), across)):'distance' \
    with steps linestyle k title word(runs, k)"
times = "set ylabel 'seconds'; plot \
  for [k = 1:words(runs)] curves using (when(s, word(runs, k), across)):'seconds' \
    with lines linestyle k title word(runs, k)"
sizes = "set xlabel 'rank'; set ylabel 'magnitude of the coefficient'; plot \
  coefficients using (when(s, 'exact', 'rank')):'magnitude' with lines \
    linestyle 4 title 'exact', \
  for [k = 1:words(runs)] coefficients using \
    (when(s, word(runs, k), 'rank')):'magnitude' \
    with lines linestyle k title word(runs, k)"

panels(figure) = figure eq "generated" ? "left errors sizes times" : \
  figure eq "exponent" ? "left sizes" : figure eq "error" ? "errors" : \
  figure eq "solutions" ? "sizes" : "left"
across = figure eq "wallclock" || figure eq "error" ? "seconds" : "epochs"
views = panels(figure)

do for [loss in distinct(curves, 2, "1")] {
  sets = distinct(curves, 1, "$2 == \"" . loss . "\"")
  runs = distinct(curves, 3, "$2 == \"" . loss . "\"")
  count = words(sets) * words(views)
  columns = count < 3 ? count : count == 4 ? 2 : 3
  rows = (count + columns - 1) / columns
  set terminal pngcairo noenhanced font "Sans,11" background "white" \
    size 160 + 440 * columns, 150 + 330 * rows
  set output prefix . "." . loss . ".png"
  set key at screen 0.5, 0.01 center bottom vertical maxrows 3 samplen 4
  set multiplot layout rows, columns title sprintf("%s, %s loss", figure, \
    loss) font ",15" margins char 12, screen 0.97, char 8, \
    screen 1 - 65.0 / (150 + 330 * rows) spacing char 13, char 6
  do for [s in sets] {
    do for [view in views] {
      set title s
      set xlabel across
      set logscale xy
      set yrange [*:*]
      set format y view eq "left" ? "%.0s%c" : "%.0e"
      # the last line of os-prox-sgd is of an exact solution, far below
      if (figure eq "error") { set yrange [1e-3 * largest(11, s, loss):*] }
      if (figure eq "generated" && view ne "sizes") { unset logscale x }
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
