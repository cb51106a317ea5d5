# path.gp - the picture of path.sh, from its tables
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'; style = 'style.gp'; format = 'png'; title = 'TEXT'; loss =
# 'NAME'" and what path_tables.py prints: DIR/path.png, coefficients above, losses below.
load style
set datafile separator "\t"
small = format eq "svg" ? 11 : 7
eval picture(folder . "/path", 7, 6.4)
set multiplot title title noenhanced font ",".(small + 2)
set lmargin at screen 0.15
set rmargin at screen 0.81
set logscale x
set xrange [first * 1.02:last / 1.02]
set xtics font ",".small
set ytics font ",".small
unset key
# What is chosen is marked in both panels.
mark(x, k) = sprintf("set arrow %d from first %.9g, graph 0 to first %.9g, graph 1 nohead \
  linecolor rgb '#666666' dashtype %s linewidth 1", k, x, x, k == 1 ? "(6, 4)" : "(2, 3)")
said(x, text, k) = sprintf("set label %d '%s' at first %.9g, graph 1.03 center \
  font ',%d' textcolor rgb '#666666'", k, text, x, small)
eval mark(best, 1)
eval said(best, best == one_se ? "best, 1se" : "best", 1)
if (best != one_se) {
  eval mark(one_se, 2)
  eval said(one_se, "1se", 2)
}
set tmargin at screen 0.9
set bmargin at screen 0.44
set yrange [low:high]
set ylabel "coefficient\n" . scale font ",".small
set format x ""
shade(k) = k > 0 ? hue(1 + (int(k) - 1) % 13) : "#BBBBBB"
lines = folder . "/coefficients.tsv"
names = folder . "/labels.tsv"
# field(K, F): of line K of the labels
field(k, f) = system(sprintf("sed -n %dp '%s' | cut -f %d", k, names, f))
do for [k = 1:labels] {
  set label 2 + k field(k, 5) at first last / 1.06, first real(field(k, 3)) left \
    noenhanced font ",".small textcolor rgb shade(k)
}
plot lines using 1:($3 == 0 ? $2 : NaN) with lines linecolor rgb "#BBBBBB" linewidth 0.8, \
  for [k = 1:labels] lines using 1:($3 == k ? $2 : NaN) with lines linewidth 1.5 \
    linecolor rgb shade(k), \
  0 with lines linecolor rgb "#888888" linewidth 0.6
do for [k = 1:labels + 2] { unset label k }
set format x
set tmargin at screen 0.4
set bmargin at screen 0.09
set autoscale y
set xlabel "lambda" font ",".small
set ylabel sprintf("%s\n%s", loss, folds == 1 ? "a fifth held out" : \
  sprintf("%d folds", folds)) font ",".small
plot folder . "/losses.tsv" using 1:($2 - $3):(0):(2 * $3) with vectors heads \
    size screen 0.003, 90 linecolor rgb "#88AACC" linewidth 0.8 dashtype 1, \
  folder . "/losses.tsv" using 1:2 with linespoints linecolor rgb hue(1) pointtype 7 \
    pointsize 0.25 linewidth 1.2
unset multiplot
