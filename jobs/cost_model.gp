# cost_model.gp - time of an update and its phases, from cost_model.py's table
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'; style = 'style.gp'; format = 'png'; what = 'TEXT'"
# cost_model.gp
table = folder . "/cost_model.csv"
load style
set datafile separator ","
set datafile columnheaders
eval picture(folder . "/cost_model", 7.6, 3.4)
set logscale x 2
set logscale y 10
set xtics (1, 16, 256, 4096, "16k" 16384)
set format y "10^{%L}"
set xlabel "ranks" offset 0, 0.3
set multiplot layout 1,2 title what font ",9" margins screen 0.1, screen 0.845, \
  screen 0.19, screen 0.8 spacing screen 0.25, 0

# darker: more attributes
shade(k) = word("x x x #BBDDEE #88BBDD #5599CC #2277BB #115588 #002244", k)
set key at graph 1.04, 1 left top Left reverse samplen 1.5
set title "One update, by number of attributes"
set ylabel "seconds"
attributes(d, y) = column("attributes") == d ? column(y) : NaN
plot for [k = 9:4:-1] table using "ranks":(attributes(10**k, "seconds")) \
  with linespoints linewidth 1.6 linecolor rgb shade(k) pointtype k pointsize 0.5 \
  title sprintf("d = 10^{%d}", k)

set title "Its phases at d = 10^7"
set yrange [1e-6:*]
unset ylabel
phases = "gradient support predict residual select gram solve agree"
plot for [k = 1:words(phases)] table using "ranks":(attributes(1e7, \
  word(phases, k))) every 2 with linespoints linewidth 1.6 linecolor rgb \
  colour_of_phase(word(phases, k)) dashtype k % 2 + 1 pointtype k + 3 pointsize 0.5 \
  title word(phases, k)
unset multiplot
