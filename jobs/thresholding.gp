# thresholding.gp - pictures of thresholding.sh, from its summary
# SPDX-License-Identifier: MIT
#
# gnuplot -e "prefix = 'DIR/FIGURE'; what = 'TITLE'; column = 'mse'; seeds = 5; style =
# 'style.gp'; format = 'png'" thresholding.gp: PREFIX.png.
table = prefix . ".summary.tsv"
load style
set datafile separator "\t"
set datafile columnheaders
solvers_here = system(sprintf("awk -F '\t' 'NR > 1 && !seen[$1]++ { print $1 }' '%s' \
  | tr '\n' ' '", table))
column_of(k, best) = real(system(sprintf("awk -F '\t' 'NR > 1 { print $%d }' '%s' \
  | sort -%s | head -n 1", k, table, best)))
# Errors of computed data are shown beyond their noise, which has variance 1.
noise = column eq "mse" ? 1.0 : 0.0
constant = column_of(7, "g") - noise
lines(solver) = sprintf("< awk -F '\t' 'NR == 1 || $1 == \"%s\"' '%s'", solver, table)
# Bars of neighbouring curves stand side by side.
aside(k) = 1.03 ** (k - 0.5 * words(solvers_here))
line_of(solver, k) = is_printed(solver) ? 300 + k : style(solver) != 90 ? style(solver) : 200 + k
# The forms of the paper have the colours of the solvers, and finer lines.
is_printed(solver) = strstrt(solver, "-printed") > 0
plain(solver) = is_printed(solver) ? solver[1:strlen(solver) - 8] : solver
named(solver) = is_printed(solver) ? plain(solver) . ", as printed" : keyed(solver)
do for [k = 1:words(solvers_here)] {
  eval sprintf("set style line %d linecolor rgb '%s' linewidth 1.0 dashtype (2, 2) \
    pointtype %d", 300 + k, colour_of(plain(word(solvers_here, k))), \
    word(solvers_here, k) eq "hybrid-printed" ? 4 : 8)
}
do for [k = 1:5] {
  eval sprintf("set style line %d linecolor rgb '%s' linewidth 1.6 dashtype (9, 2, 2, 2) \
    pointtype %d", 200 + k, word("#0072B2 #009E73 #994F00 #CC79A7 #5D3A9B", k), 2 * k)
}
low = column_of(3, "g") - noise
high = column_of(3, "gr") - noise
eval picture(prefix, 7, 3.5)
set title sprintf("%s, %d run%s", what, seeds, seeds == 1 ? "" : "s") noenhanced
set xlabel "examples"
set ylabel column eq "mse" ? "mean squared error beyond the noise" : "MSE over that of the constant"
set logscale xy
set xrange [0.8 * column_of(2, "g"):1.25 * column_of(2, "gr")]
set yrange [0.85 * low:1.3 * (high < 1.6 * constant ? high : 1.6 * constant)]
set format x "10^{%L}"
if (column eq "mse") { set format y "10^{%L}" } else {
  set ytics (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
}
set rmargin at screen 0.66
set key at screen 0.68, graph 1 left top Left reverse samplen 3 noenhanced
mean(_) = column("mean") - noise
least(m, d) = m - 2 * d > 0.1 * low ? m - 2 * d : 0.1 * low
plot for [k = 1:words(solvers_here)] lines(word(solvers_here, k)) using \
  (column("examples") * aside(k)):(least(mean(0), column("deviation"))):(0): \
  (mean(0) + 2 * column("deviation") - least(mean(0), column("deviation"))) with vectors heads size screen 0.004, 90 \
  linestyle line_of(word(solvers_here, k), k) linewidth 0.9 dashtype 1 notitle, \
  for [k = 1:words(solvers_here)] lines(word(solvers_here, k)) using \
  (column("examples") * aside(k)):(mean(0)) with linespoints \
  linestyle line_of(word(solvers_here, k), k) pointsize 0.7 title named(word(solvers_here, k)), \
  constant with lines linestyle 90 linewidth 0.9 title "constant"
