# study.gp - the picture of study.sh, from study_tables.py's table
# SPDX-License-Identifier: MIT
#
# gnuplot -e "panels = 'sift/same sift/examples'; style = 'style.gp'; format = 'png'"
# study.gp, in the folder of study.bars.tsv: study.FORMAT. A row of panels for each case,
# work below waiting, and bars from the fastest to the slowest run. A dashed line is the
# ideal, a cross what as many runs at the same time allow.
load style
set datafile separator "\t"
set datafile columnheaders
case(p) = p[1:strstrt(p, "/") - 1]
growth(p) = p[strstrt(p, "/") + 1:*]
rows(p) = sprintf("< awk -F '\t' 'NR == 1 || ($1 == \"%s\" && $2 == \"%s\")' study.bars.tsv", \
  case(p), growth(p))
strong(p) = growth(p) ne "examples" && growth(p) ne "attributes"
words_of(g) = g eq "same" ? "the same data" : g eq "cold" ? "not in memory" : \
  g eq "warm" ? "in memory" : g . " grow"
n = words(panels)
across = n < 3 ? n : 3
down = (n + across - 1) / across
eval picture("study", 2.4 * across + 0.3, 2.1 * down + 0.3)
set multiplot layout down, across title "seconds by ranks: work (blue), waiting (orange); dashed: \
ideal; cross: at best on this machine" font ",7"
set key off
set style fill solid 1 noborder
set boxwidth 0.6
set ylabel "seconds" offset 1, 0
set xlabel "ranks" offset 0, 0.4
step_of(x) = 10 ** floor(log10(x)) * (x / 10 ** floor(log10(x)) < 2 ? 2 : \
  x / 10 ** floor(log10(x)) < 5 ? 5 : 10)
set tics font ",7"
do for [k = 1:n] {
  p = word(panels, k)
  set autoscale # stats leaves out what is out of range
  stats rows(p) using "ranks" nooutput
  fewest = STATS_min
  bars = STATS_records
  stats rows(p) using "slowest" nooutput
  set yrange [0:1.35 * STATS_max]
  set ytics step_of(STATS_max / 5)
  set xrange [-0.6:bars - 0.4]
  first = real(system(sprintf("awk -F '\t' '$1 == \"%s\" && $2 == \"%s\" { print $7; exit }' \
    study.bars.tsv", case(p), growth(p))))
  set title case(p) . ": " . words_of(growth(p)) noenhanced font ",7"
  plot rows(p) using 0:(column("work") + column("waiting")):xtic(4) with boxes \
      linecolor rgb "#D55E00", \
    "" using 0:"work" with boxes linecolor rgb "#0072B2", \
    "" using 0:"seconds":"fastest":"slowest" with yerrorbars linecolor rgb "#000000" \
      linewidth 0.8 pointtype 7 pointsize 0.3, \
    "" using 0:(strong(p) ? first * fewest / column("ranks") : first) with lines \
      linestyle 90, \
    "" using 0:(growth(p) eq "same" ? column("ceiling") : NaN) with points \
      pointtype 2 pointsize 0.5 linewidth 1.5 linecolor rgb "#000000"
}
unset multiplot
