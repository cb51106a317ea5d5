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
constant = column_of(7, "g")
lines(solver) = sprintf("< awk -F '\t' 'NR == 1 || $1 == \"%s\"' '%s'", solver, table)
# Bars of neighbouring curves stand side by side.
aside(k) = 1.03 ** (k - 0.5 * words(solvers_here))
line_of(solver, k) = style(solver) != 90 ? style(solver) : 200 + k
do for [k = 1:5] {
  eval sprintf("set style line %d linecolor rgb '%s' linewidth 1.6 dashtype (9, 2, 2, 2) \
    pointtype %d", 200 + k, word("#0072B2 #009E73 #994F00 #CC79A7 #5D3A9B", k), 2 * k)
}
low = column_of(3, "g")
high = column_of(3, "gr")
eval picture(prefix, 5.6, 3.3)
set title sprintf("%s, %d run%s", what, seeds, seeds == 1 ? "" : "s") noenhanced
set xlabel "examples"
set ylabel column eq "mse" ? "mean squared error" : "MSE over that of the constant"
set logscale xy
set xrange [0.8 * column_of(2, "g"):1.25 * column_of(2, "gr")]
set yrange [0.85 * low:1.3 * (high < 1.6 * constant ? high : 1.6 * constant)]
set format x "10^{%L}"
set ytics (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
set key outside right top Left reverse samplen 3 noenhanced
least(m, d) = m - 2 * d > 0.1 * low ? m - 2 * d : 0.1 * low
plot for [k = 1:words(solvers_here)] lines(word(solvers_here, k)) using \
  (column("examples") * aside(k)):(least(column("mean"), column("deviation"))):(0): \
  (column("mean") + 2 * column("deviation") - \
  least(column("mean"), column("deviation"))) with vectors heads size screen 0.004, 90 \
  linestyle line_of(word(solvers_here, k), k) linewidth 0.9 dashtype 1 notitle, \
  for [k = 1:words(solvers_here)] lines(word(solvers_here, k)) using \
  (column("examples") * aside(k)):"mean" with linespoints \
  linestyle line_of(word(solvers_here, k), k) pointsize 0.7 title word(solvers_here, k), \
  constant with lines linestyle 90 linewidth 0.9 title "constant"
