# scaling.gp - pictures of a scaling study, from scaling_summary.py's tables
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'; kind = 'strong'; fewest = 1; most = 4" scaling.gp:
# kind is strong or weak; fewest and most are numbers of ranks.
summary = folder . "/summary.csv"
phases = folder . "/phases.csv"
by_attributes = folder . "/by_attributes.csv"
strong = kind eq "strong"

set datafile separator ","
set datafile columnheaders
set terminal pngcairo size 900,600 font "Sans,13" background "white"
set style line 1 linecolor rgb "#1f4e9c" linewidth 2.5 pointtype 7 pointsize 1.4
set style line 2 linecolor rgb "#888888" linewidth 2 dashtype 2
set style line 3 linecolor rgb "#c4622d" linewidth 2 dashtype 4 pointtype 5
set style line 4 linecolor rgb "#2d8a4e" linewidth 2 pointtype 9 pointsize 1.2
set border 3
set grid ytics linecolor rgb "#dddddd" linetype 1
set tics nomirror out
set key left top Left reverse samplen 3

set xlabel "ranks"
set logscale x 2
set xrange [fewest * 0.9:most * 1.12]

set output folder . "/speedup.png"
set title sprintf("Speed-up, %s scaling", kind)
set ylabel sprintf("times as fast as %d rank%s", fewest, fewest == 1 ? "" : "s")
set logscale y 2
set yrange [*<0.9:1.0 * most / fewest * 1.4]
plot summary using "ranks":(column("ranks") / fewest) with lines linestyle 2 \
    title "ideal", \
  "" using "ranks":(column("ranks") / fewest * column("bandwidth_efficiency")) \
    with linespoints linestyle 3 title "what the read bandwidth allows", \
  "" using "ranks":(column("ranks") / fewest * column("efficiency")) \
    with linespoints linestyle 1 title "training", \
  "" using "ranks":(column("ranks") / fewest * column("whole_efficiency")) \
    with linespoints linestyle 4 title "whole process"
unset logscale y

set output folder . "/efficiency.png"
set title sprintf("Efficiency, %s scaling", kind)
set ylabel "efficiency (1: no loss)"
set yrange [0:*<1.1]
set key outside bottom center horizontal maxcols 2
plot 1 linestyle 2 title "ideal", \
  summary using "ranks":"bandwidth_efficiency" with linespoints linestyle 3 \
    title "what the read bandwidth allows", \
  "" using "ranks":"efficiency" with linespoints linestyle 1 title "training", \
  "" using "ranks":"share_of_read" with linespoints linestyle 4 \
    title "share of the read bandwidth"

set output folder . "/bytes_ranks.png"
set title "Traffic of an update"
set ylabel "bytes sent by all ranks, per update (kB)"
set yrange [0:*]
set key inside left top vertical
plot summary using "ranks":(column("bytes_per_update") / 1e3) \
  with linespoints linestyle 1 \
  title strong ? "the same data" : "attributes grow with the ranks"

if (!strong) {
  set output folder . "/bytes_attributes.png"
  set title sprintf("Traffic of an update, %d ranks", most)
  set xlabel "attributes d"
  set logscale x 10
  set autoscale x
  set format x "%.0s%c"
  plot by_attributes using "attributes":(column("bytes_per_update") / 1e3) \
    with linespoints linestyle 1 title "budget a fixed share of d"
  set format x "%g"
  set xlabel "ranks"
}

set output folder . "/phases.png"
set title "Where the time goes (mean over the ranks)"
set ylabel "seconds"
unset logscale x
set autoscale x
set style data histograms
set style histogram rowstacked
set style fill solid 0.9 border rgb "white"
set boxwidth 0.6
set key outside right top Left reverse invert
colours = "#1f4e9c #4b83c9 #9dc3e6 #2d8a4e #7fbf8e #c4622d #e8a06b #8c6bb1 #c9b3dc #999999 #cccccc"
names = system("head -n 1 '" . phases . "' | tr , ' '")
plot for [k = 2:words(names)] phases using k:xtic(1) linecolor rgb \
  word(colours, (k - 2) % words(colours) + 1) title columnheader(k)
