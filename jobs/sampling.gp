# sampling.gp - pictures of sampling.sh, from its summary
# SPDX-License-Identifier: MIT
#
# gnuplot -e "prefix = 'DIR/FIGURE'; figure = 'FIGURE'; task = 'ridge'; runs = 100;
# budget = 5; rule = 'auto'; style = 'style.gp'; format = 'png'" sampling.gp: PREFIX.png with a panel
# for each data set, or for the figures of AdaGrad one for each way of sampling.
table = prefix . ".summary.tsv"
load style
set datafile separator "\t"
set datafile columnheaders

# The values of a column, in the order of their first appearance.
distinct(column, where) = system(sprintf( \
  "awk -F '\t' 'NR > 1 && (%s) && !seen[$%d]++ { print $%d }' '%s'", \
  where, column, column, table))
# The lines where the columns 1, 2 and 3 (data, curve, adagrad) have these values.
lines(d, c, a) = sprintf("< awk -F '\t' 'NR == 1 || ($1 == \"%s\" && \
  $2 == \"%s\" && $3 == \"%s\")' '%s'", d, c, a, table)

# yerrorbars would leave out what is near a point. Bars of neighbouring curves stand side by side.
aside(k) = 1.035 ** (k - 3)
sampler = task eq "ridge" ? "aerr" : "aelr"
styled(c) = c eq "two-phase" ? style(sampler) : \
  c eq "online" ? style(task eq "ridge" ? "ogd-ridge" : "eg-lasso") : \
  c eq "offline" ? style(task eq "ridge" ? "ridge" : "lasso") : style(c)
named(c) = c eq "online" ? (task eq "ridge" ? "ogd-ridge" : "eg-lasso") : c

adagrad = strstrt(figure, "adagrad") == 1
panels = adagrad ? "uniform two-phase known online" : distinct(1, "1")
data = word(distinct(1, "1"), 1)
rules = "none norm coordinate"
curves = "uniform two-phase known online"
drawn(d, c, a, k, s, t) = sprintf("\"%s\" using (column('attributes') * %g):\
(column('mean') - column('deviation')):(0):(2 * column('deviation')) with vectors \
heads size screen 0.004, 90 linestyle %d linewidth 0.9 dashtype 1 notitle, \
\"\" using (column('attributes') * %g):'mean' with lines linestyle %d notitle, \
\"\" using (column('attributes') * %g):'mean' with points linestyle %d \
pointsize 0.6 notitle, \
NaN with linespoints linestyle %d pointsize 0.6 title \"%s\", ", \
escaped(lines(d, c, a)), aside(k), s, aside(k), s, aside(k), s, s, t)
escaped(text) = system("cat <<'END' | sed 's/[\"\\\\]/\\\\&/g'\n" . text . "\nEND\n")
offline(d) = sprintf("\"%s\" using 'attributes':'mean' with lines linestyle %d \
notitle, NaN with lines linestyle %d title \"%s\"", \
escaped(lines(d, "offline", "auto")), styled("offline"), styled("offline"), \
named("offline"))

title_of(p) = adagrad ? (p eq "online" ? "ogd-ridge" : sampler . ", " . p) : \
  strstrt(figure, "simulated") == 1 ? "α = " . p . ", 500 attributes" : p
count = words(panels)
columns = count < 2 ? 1 : 2
rows = (count + columns - 1) / columns
width = columns == 1 ? 5.6 : 7
height = 1.3 + 2.3 * rows
eval picture(prefix, width, height)
set key at screen 0.5, screen 0.07 / height center bottom vertical maxrows 2 \
  samplen 3
set logscale x
set format x "10^{%L}"
least = real(system("awk -F '\t' 'NR > 1 && (!least || $4 < least) { least = $4 } \
  END { print least }' '" . table . "'"))
most = real(system("awk -F '\t' 'NR > 1 && $4 > most { most = $4 } \
  END { print most }' '" . table . "'"))
set xrange [0.8 * least:1.25 * most]
# what is above is far worse than zero
set yrange [0:1.4]
set ytics 0.2
set multiplot layout rows, columns title sprintf("%s: %s with %d attributes of an example, \
%d run%s", figure, sampler, budget, runs, runs == 1 ? "" : "s") font ",".(format eq "svg" ? 13 : 9) \
  margins screen 0.75 / width, screen 1 - 0.2 / width, screen 1.05 / height, \
  screen 1 - 0.66 / height spacing screen 0.6 / width, screen 0.8 / height
place = 0
do for [p in panels] {
  set ylabel place % columns ? "" : "loss over that of zero" offset 1
  place = place + 1
  set title title_of(p) noenhanced font ",".(format eq "svg" ? 12 : 8) offset 0, -0.6
  set xlabel "attributes observed" offset 0, 0.5
  what = ""
  if (adagrad) {
    do for [k = 1:3] {
      what = what . drawn(data, p, word(rules, k), k + 1, style(word(rules, k)), \
        word(rules, k))
    }
    what = what . offline(data)
  } else {
    do for [k = 1:4] {
      what = what . drawn(p, word(curves, k), rule, k, styled(word(curves, k)), \
        named(word(curves, k)))
    }
    what = what . offline(p)
  }
  eval "plot " . what
  unset key # one for all panels
}
unset multiplot
