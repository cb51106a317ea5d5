# compare.gp - pictures of compare.sh, from its tables
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'; name = 'NAME'; examples = 1000; attributes = 500;
# seeds = 3; style = 'style.gp'; format = 'png'" compare.gp: DIR/summary.png with a row
# for each solver, DIR/compare.AXIS.png with a panel for each family of solvers.
load style
set datafile separator ","
set datafile columnheaders
summary = folder . "/summary.csv"
bands = folder . "/bands.csv"
small = format eq "svg" ? 11 : 7
families = "budget sampling penalty whole peer constant"
family_hues = "#0072B2 #D55E00 #117733 #CC79A7 #000000 #888888"
array told[6] = ["under a budget", "sampled, or in a ball", "l1 penalty", \
  "ridge and greedy", "other programs", "the constant"]
hue_of(k) = word(family_hues, k)

# The values of a column, one on a line, without those that are not known.
values(table, column) = sprintf("awk -F , 'NR == 1 { for (k = 1; k <= NF; k++) \
  place[$k] = k; next } $place[\"%s\"] != \"nan\" { print $place[\"%s\"] }' '%s'", \
  column, column, table)
words_of(command) = system(command . " | tr '\n' ' '")
# gnuplot does not take 1e+05 in a string for a number.
least(table, column) = real(system(values(table, column) . \
  " | sort -g | awk '$1 > 0 { printf \"%.9f\", $1; exit }' | grep . || echo 1"))
least_error(table) = real(system(values(table, "error_low") . \
  " | sort -g | awk 'NR == 1 { printf \"%.9f\", $1 }'"))
# Generated data are not read: 0 bytes.
most(table, column) = real(system(values(table, column) . \
  " | sort -gr | awk '$1 > 0 { printf \"%.9f\", $1; exit }' | grep . || echo 1"))
quality = strlen(words_of(values(summary, "log_loss"))) ? "wrong labels, share" : \
  "MSE (constant: 1)"
columns = "attributes examples seconds bytes_read"
array axis_name[4] = ["attributes observed", "examples", "seconds", "bytes read"]
# eval marks(AXIS, LOW, HIGH): tics at 1, 2 and 5 times powers of ten, or at powers alone.
short(x) = x < 1000 ? sprintf("%g", x) : system(sprintf("echo %g | awk '{ split(\"k M G T P\", u, \" \"); \
  for (k = 0; $1 >= 1000; k++) $1 /= 1000; print $1 u[k] }'", x))
mark(axis, x, low, high) = x >= 0.99 * low && x <= 1.01 * high ? \
  sprintf("set %stics add ('%s' %g); ", axis, short(x), x) : ""
series(axis, e, low, high) = e > ceil(log10(high)) ? "" : mark(axis, 10.0 ** e, low, high) . \
  (high / low > 40 ? "" : mark(axis, 2 * 10.0 ** e, low, high) . \
  mark(axis, 5 * 10.0 ** e, low, high)) . \
  (high / low > 5 ? "" : mark(axis, 3 * 10.0 ** e, low, high) . \
  mark(axis, 7 * 10.0 ** e, low, high)) . \
  series(axis, high / low > (narrow ? 1e4 : 1e5) && int(e) % 2 == 0 ? e + 2 : e + 1, low, high)
marks(axis, low, high) = sprintf("set %stics (); ", axis) . \
  series(axis, floor(log10(low)), low, high)
# Errors beyond this are shown at the edge.
middle_error = real(system(values(summary, "error") . \
  " | sort -g | awk '{ x[NR] = $1 } END { printf \"%.9f\", x[int((NR + 1) / 2)] }'"))
first_error = least_error(summary)
last_error = most(summary, "error_high")
beyond = middle_error == 0 || last_error < 1.4 * middle_error ? \
  1.02 * last_error : 1.35 * middle_error
title_of(what) = sprintf("%s: %d attributes, %s, %d split%s", name, attributes, what, \
  seeds, seeds == 1 ? "" : "s")

narrow = 1
# Summary: a row for each solver, the best one above.
order = words_of(values(summary, "solver"))
count = words(order)
height = 1.2 + 0.165 * count
eval picture(folder . "/summary", 7, height)
set border 1
set yrange [count + 0.6:0.4]
set grid xtics ytics linecolor rgb "#DDDDDD" linetype 1 linewidth 0.6
set multiplot title title_of(sprintf("%d examples", examples)) noenhanced \
  font ",".(format eq "svg" ? 13 : 9)
set tmargin at screen 1 - 0.35 / height
set bmargin at screen 0.84 / height
set xtics font ",".small offset 0, 0.3
unset key
shown(c, k) = (stringcolumn("family") eq word(families, k) ? column(c) : NaN)
edge(x) = x > beyond ? beyond : x
inside(x) = x > beyond ? NaN : x
outside(x) = x > beyond ? beyond : NaN
barred(x) = column("error") > beyond ? NaN : x
row(x) = column(0) + 1
# Some round number of steps.
power(x) = 10 ** floor(log10(x))
step(x) = power(x) * (x < 2 * power(x) ? 0.5 : x < 4 * power(x) ? 1 : x < 8 * power(x) ? 2 : 5)
do for [p = 0:3] {
  set lmargin at screen (1.62 + 1.35 * p) / 7
  set rmargin at screen (1.62 + 1.35 * p + 1.2) / 7
  unset logscale x
  if (p == 0) {
    set ytics ()
    do for [k = 1:count] { set ytics add (word(order, k) k) }
    set ytics font ",".small noenhanced
    set xlabel quality offset 0, 0.7 font ",".small
    set xrange [0.96 * first_error:1.02 * beyond]
    set format x "%.2g"
    set xtics step(beyond - first_error)
    plot for [k = 1:6] summary using \
      (barred(shown("error_low", k))):(row(0)): \
      (edge(column("error_high")) - edge(column("error_low"))):(0) with vectors nohead \
      linecolor rgb hue_of(k) linewidth 1.5, \
      for [k = 1:6] summary using (inside(shown("error", k))):(row(0)) with points \
      pointtype 7 pointsize 0.7 linecolor rgb hue_of(k), \
      for [k = 1:6] summary using (outside(shown("error", k))):(row(0)): \
      (sprintf("%.3g →", column("error"))) with labels right font ",".small \
      textcolor rgb hue_of(k)
    do for [k = 1:count] { set ytics add ("" k) }
  } else {
    set logscale x
    axis = word("attributes seconds bytes_read", p)
    low = least(summary, axis)
    high = most(summary, axis)
    set xlabel word("attributes seconds bytes", p) offset 0, 0.7 font ",".small
    set xrange [low / 1.6:high * 1.6]
    eval marks("x", low / 1.6, high * 1.6)
    plot for [k = 1:6] summary using (shown(axis, k)):(row(0)) with points pointtype 7 \
      pointsize 0.7 linecolor rgb hue_of(k)
  }
}
# One key for all.
set border 0
unset tics
unset xlabel
unset logscale
set tmargin at screen 0.5 / height
set bmargin at screen 0.02 / height
set lmargin at screen 0
set rmargin at screen 1
set xrange [0:1]
set yrange [0:1]
set key at screen 0.5, screen 0.22 / height center center horizontal maxrows 2 \
  samplen 1 font ",".small
plot for [k = 1:6] NaN with points pointtype 7 linecolor rgb hue_of(k) title told[k]
unset multiplot
reset
load style
set datafile separator ","
set datafile columnheaders

# Curves: a panel for each family.
narrow = 0
array panel[4] = ["under a budget", "attributes sampled, or in a ball", "l1 penalty", \
  "ridge and greedy"]
solvers_of(f) = words_of(sprintf("awk -F , 'NR == 1 { for (k = 1; k <= NF; k++) \
  place[$k] = k; next } $place[\"family\"] == \"%s\" && !seen[$place[\"solver\"]]++ \
  { print $place[\"solver\"] }' '%s'", f, bands))
peers = solvers_of("peer")
# The lines of a solver.
of(solver) = sprintf("< awk -F , 'NR == 1 { for (k = 1; k <= NF; k++) \
  place[$k] = k; print; next } $place[\\\"solver\\\"] == \\\"%s\\\"' '%s'", solver, bands)
level(solver) = real(system(sprintf("awk -F , '$1 == \"%s\" { print $2 }' '%s'", \
  solver, summary)))
constant = level("constant")
worst = most(bands, "error_high")
ceiling = worst < 1.3 * constant ? worst : 1.3 * constant
lowest = least_error(bands)
logarithmic = lowest > 0 && ceiling > 3 * lowest
# A style of its own for each curve of a panel; new solvers have no style yet.
line_of(solver, k) = style(solver) != 90 ? style(solver) : 101 + k
do for [k = 0:7] {
  eval sprintf("set style line %d linecolor rgb '%s' linewidth 1.6 dashtype (9, 2, 2, 2) \
    pointtype %d", 101 + k, word("#0072B2 #009E73 #994F00 #CC79A7 #5D3A9B #B8860B #882255 \
    #6699CC", k + 1), 4 + 2 * (k % 4))
}
some = ""
do for [k = 1:4] {
  if (words(solvers_of(word(families, k)))) { some = some . " " . k }
}
rows = (words(some) + 1) / 2
height = 0.8 + 2.4 * rows
left(across) = 0.67 + 3.5 * across
over(down) = 0.6 + 2.4 * down
curve(solver, axis, k) = sprintf("\"%s\" using '%s':'error_low':(0):\
(column('error_high') - column('error_low')) with vectors heads size screen 0.003, 90 \
linestyle %d linewidth 0.7 dashtype 1 notitle, \"\" using '%s':'error' with \
linespoints linestyle %d pointsize 0.5 title '%s', ", \
  of(solver), axis, line_of(solver, k), axis, line_of(solver, k), solver)
other(solver, k) = sprintf("level('%s') with lines linecolor rgb '#000000' \
linewidth 0.8 dashtype %d ", solver, k)
do for [a = 1:4] {
  axis = word(columns, a)
  low = least(bands, axis) / 1.3
  high = most(bands, axis) * 1.3
  eval picture(folder . "/compare." . (axis eq "bytes_read" ? "bytes" : axis), 7, height)
  set multiplot title title_of("up to " . examples . " examples") noenhanced \
    font ",".(format eq "svg" ? 13 : 9)
  set border 3
  set tics nomirror out
  set logscale x
  if (logarithmic) { set logscale y }
  set xrange [low:high]
  set yrange [lowest > 0 ? 0.95 * lowest : -0.03 * ceiling:1.05 * ceiling]
  set xtics nomirror out font ",".small offset 0, 0.3
  set ytics nomirror out font ",".small offset 0.5
  eval marks("x", low, high)
  if (logarithmic) {
    eval marks("y", 0.95 * lowest, 1.05 * ceiling)
  } else {
    eval sprintf("set ytics %g", step(ceiling - lowest))
  }
  set xlabel axis_name[a] offset 0, 0.7 font ",".small
  do for [p = 1:words(some)] {
    across = (p - 1) % 2
    down = (p - 1) / 2
    family = word(some, p)
    set lmargin at screen left(across) / 7
    set rmargin at screen (left(across) + 1.55) / 7
    set tmargin at screen 1 - over(down) / height
    set bmargin at screen 1 - (over(down) + 1.7) / height
    set title panel[int(family)] font ",".(small + 1) offset 0, -0.7
    unset label 1
    if (across == 0) {
      set label 1 quality at screen 0.12 / 7, screen 1 - (over(down) + 0.85) / height \
        center rotate by 90 font ",".small
    }
    set key at screen (left(across) + 1.58) / 7, screen 1 - over(down) / height \
      left top vertical maxrows 20 Left reverse \
      samplen 2.2 font ",".small spacing 0.9 noenhanced
    names = solvers_of(word(families, int(family)))
    what = ""
    do for [k = 1:words(names)] { what = what . curve(word(names, k), axis, k - 1) }
    do for [k = 1:words(peers)] { what = what . other(word(peers, k), k) . "notitle, " }
    eval "plot " . what . "constant with lines linestyle 90 linewidth 0.8 notitle"
  }
  # Those that are in all panels have one key.
  set border 0
  unset tics
  unset xlabel
  unset label 1
  unset title
  set yrange [1e9:2e9]
  unset logscale
  set tmargin at screen 0.4 / height
  set bmargin at screen 0
  set lmargin at screen 0
  set rmargin at screen 1
  set xrange [0:1]
  set key at screen 0.5, screen 0.2 / height center center horizontal maxrows 2 \
    noreverse Right
  what = ""
  do for [k = 1:words(peers)] {
    what = what . other(word(peers, k), k) . sprintf("title '%s', ", word(peers, k))
  }
  eval "plot " . what . "constant with lines linestyle 90 linewidth 0.8 title 'constant'"
  unset multiplot
}
