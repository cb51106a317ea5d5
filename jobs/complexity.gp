# complexity.gp - the picture of complexity.sh, from its summary
# SPDX-License-Identifier: MIT
#
# gnuplot -e "prefix = 'DIR/complexity'; seeds = 20; style = 'style.gp'; format =
# 'png'" complexity.gp: PREFIX.png.
table = prefix . ".summary.tsv"
load style
set datafile separator "\t"
set datafile columnheaders
some(column) = system(sprintf("awk -F '\t' 'NR > 1 && !seen[$%d]++ { print $%d }' '%s' \
  | tr '\n' ' '", column, column, table))
designs = some(3)
fits = some(4)
lines(design, fit) = sprintf("< awk -F '\t' 'NR == 1 || ($3 == \"%s\" && $4 == \"%s\")' \
  '%s'", design, fit, table)
all_d = some(2)
least_d = real(word(all_d, 1))
most_d = least_d
do for [d in all_d] {
  least_d = real(d) < least_d ? real(d) : least_d
  most_d = real(d) > most_d ? real(d) : most_d
}
# Bars of neighbouring curves stand side by side.
aside(k) = 0.04 * (k - 0.5)
number(design, fit) = (design eq "orthogonal" ? 1 : 2) + \
  (fit eq "ls" ? 0 : fit eq "asgd" ? 2 : 4)
named(design, fit) = fit eq "ssr" ? "ssr by trial, " . design : "oomp, " . design . \
  (fit eq "asgd" ? ", asgd" : "")
# The colour says the solver, the dash and the point the design and the fit.
do for [k = 1:6] {
  eval sprintf("set style line %d linecolor rgb '%s' linewidth 1.6 dashtype %s \
    pointtype %s", 200 + k, colour_of(k < 5 ? "oomp" : "ssr"), \
    word("1 (8,4) (3,3) (12,4,3,4) 1 (8,4)", k), word("7 5 9 13 6 4", k))
}
eval picture(prefix, 7, 3.4)
set title sprintf("cost beside that of OMP, %d run%s", seeds, seeds == 1 ? "" : "s")
set xlabel "log_2 of the number of attributes"
set ylabel "log_2 (C / C_{OMP})"
set xtics 1
set xrange [least_d - 0.3:most_d + 0.3]
set rmargin at screen 0.66
set key at screen 0.68, graph 1 left top Left reverse samplen 3
if (strstrt(fits, "ssr")) {
  set label "ssr is reconstructed" at screen 0.70, screen 0.14 left font ",7"
}
plot for [f in fits] for [d in designs] lines(d, f) using \
  (column("log2_d") + aside(number(d, f) - 1)):"least":(0): \
  (column("most") - column("least")) with vectors heads size screen 0.004, 90 \
  linestyle 200 + number(d, f) linewidth 0.9 dashtype 1 notitle, \
  for [f in fits] for [d in designs] lines(d, f) using \
  (column("log2_d") + aside(number(d, f) - 1)):"mean" with linespoints \
  linestyle 200 + number(d, f) pointsize 0.7 title named(d, f)
