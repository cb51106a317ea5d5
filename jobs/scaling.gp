# scaling.gp - pictures of a scaling study, from scaling_summary.py's tables
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'; kind = 'strong'; fewest = 1; most = 4;
# style = 'style.gp'; format = 'png'; what = 'TEXT'" scaling.gp: kind is strong or
# weak; fewest and most are numbers of ranks.
summary = folder . "/summary.csv"
phases = folder . "/phases.csv"
by_attributes = folder . "/by_attributes.csv"
strong = kind eq "strong"
load style
heading(text) = sprintf("%s\n{/*0.85 %s}", text, what)

set datafile separator ","
set datafile columnheaders
set key Left reverse samplen 3

set xlabel "ranks"
set logscale x 2
set xrange [fewest * 0.9:most * 1.12]

# Bars go from the slowest to the fastest run.
eval picture(folder . "/speedup", 5, 4)
set key outside bottom center horizontal maxcols 2
set xlabel offset 0, 0.4
set title heading("Speed-up, " . kind . " scaling")
set ylabel sprintf("times as fast as %d rank%s", fewest, fewest == 1 ? "" : "s")
set logscale y 2
set yrange [*<0.9:1.0 * most / fewest * 1.4]
grown(y) = column("ranks") / fewest * column(y)
# It is measured where one rank is among those of a strong study.
ceiling = system("awk -F , 'NR == 1 { for (k = 1; k <= NF; k++) name[$k] = k } \
  NR > 1 && $name[\"ceiling\"] != \"\" { print \"ceiling\"; exit }' '" . summary . "'")
plot summary using "ranks":(column("ranks") / fewest) with lines linestyle 90 \
    title "ideal", \
  "" using "ranks":(grown("bandwidth_efficiency")) with linespoints linestyle 92 \
    title "what the read bandwidth allows", \
  "" using "ranks":(grown("efficiency")) with linespoints linestyle 91 \
    title "training", \
  "" using "ranks":(grown("efficiency")):(grown("efficiency_low")): \
    (grown("efficiency_high")) with yerrorbars linestyle 91 notitle, \
  "" using "ranks":(grown("whole_efficiency")) with linespoints linestyle 93 \
    title "whole process", \
  for [name in ceiling] summary using "ranks":name with points pointtype 2 \
    pointsize 0.8 linewidth 1.5 linecolor rgb "#000000" title "what the machine allows"
unset logscale y

eval picture(folder . "/efficiency", 5, 4)
set title heading("Efficiency, " . kind . " scaling")
set ylabel "efficiency (1: no loss)"
set yrange [0:*]
plot 1 linestyle 90 title "ideal", \
  summary using "ranks":"bandwidth_efficiency" with linespoints linestyle 92 \
    title "what the read bandwidth allows", \
  "" using "ranks":"efficiency" with linespoints linestyle 91 title "training", \
  "" using "ranks":"efficiency":"efficiency_low":"efficiency_high" \
    with yerrorbars linestyle 91 notitle, \
  "" using "ranks":"share_of_read" with linespoints linestyle 93 \
    title "share of the read bandwidth"

eval picture(folder . "/bytes_ranks", 5, 3.6)
set title heading("Traffic of an update")
set ylabel "kB sent by all ranks in an update"
set yrange [0:*]
set key inside right bottom vertical
set xlabel offset 0, 0
plot summary using "ranks":(column("bytes_per_update") / 1e3) \
  with linespoints linestyle 91 \
  title strong ? "the same data" : "attributes grow with the ranks"

if (!strong) {
  eval picture(folder . "/bytes_attributes", 5, 3.6)
  set title heading(sprintf("Traffic of an update, %d ranks", most))
  set xlabel "attributes d"
  set logscale x 10
  set autoscale x
  set format x "%.0s%c"
  plot by_attributes using "attributes":(column("bytes_per_update") / 1e3) \
    with linespoints linestyle 91 title "budget a fixed share of d"
  set format x "%g"
  set xlabel "ranks"
}

# Phases that take a hundredth of the longest bar or more.
eval picture(folder . "/phases", 5, 3.6)
set title heading("Where the time goes (mean over the ranks)")
set ylabel "seconds"
unset logscale x
set autoscale x
set style data histograms
set style histogram rowstacked
set style fill solid 1 border rgb "white"
set boxwidth 0.6
set key outside right top Left reverse invert
names = system("awk -F , 'NR == 1 { n = split($0, name) } \
  NR > 1 { t = 0; for (k = 2; k <= n; k++) { t += $k; \
    if ($k > x[k]) x[k] = $k } if (t > most) most = t } \
  END { for (k = 2; k <= n; k++) if (x[k] >= most / 100) printf \"%s \", name[k] }' '" \
  . phases . "'")
plot for [p in names] phases using p:xtic(1) linecolor rgb colour_of_phase(p) title p
