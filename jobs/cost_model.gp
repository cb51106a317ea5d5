# cost_model.gp - time of an update and its phases, from cost_model.py's table
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'" cost_model.gp
table = folder . "/cost_model.csv"
set datafile separator ","
set datafile columnheaders
set terminal pngcairo size 1300,600 font "Sans,12" background "white"
set output folder . "/cost_model.png"
set border 3
set grid linecolor rgb "#dddddd" linetype 1
set tics nomirror out
set logscale x 2
set logscale y 10
set format x "%.0f"
set format y "10^{%L}"
set xlabel "ranks"
set key outside right top Left reverse samplen 2
set multiplot layout 1,2

set title "One update, by number of attributes"
set ylabel "seconds"
plot for [k = 9:4:-1] table using "ranks":(column("attributes") == 10**k ? \
  column("seconds") : NaN) with linespoints linewidth 2 pointtype 7 \
  pointsize 0.6 title sprintf("d = 10^%d", k)

set title "Its phases at d = 10^7"
set yrange [1e-6:*]
phases = "gradient support predict residual select gram solve agree"
plot for [k = 1:words(phases)] table using "ranks":(column("attributes") == 1e7 \
  ? column(word(phases, k)) : NaN) with lines linewidth 2 title word(phases, k)
unset multiplot
