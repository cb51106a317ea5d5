# picture.gp - the picture of picture.sh, from its table
# SPDX-License-Identifier: MIT
#
# gnuplot -e "folder = 'DIR'; style = 'style.gp'; format = 'svg'; seeds = 9" picture.gp
table = folder . "/picture.tsv"
load style
set datafile separator "\t"
set datafile columnheaders
eval picture(folder . "/picture", 7, 4.4)
set title sprintf("500 attributes, 25 of them true, noise of variance 1, squared \
loss\n{/*0.85 median and quartiles of %d seeds}", seeds)
set logscale xy
set format xy "10^{%L}"
set xlabel "attributes observed while training"
set ylabel "error beyond the noise"
set xrange [2e4:1e7]
set yrange [1e-4:60]
set grid xtics
unset key
set label "{/:Bold sift}, 50 of 500\nattributes of an example" at 4.2e4, 8e-3 \
  textcolor rgb colour_of("sift")
set label "{/:Bold hybrid}, 50 of 500\nattributes of an example" at 3.6e5, 8 \
  textcolor rgb colour_of("hybrid")
set label "{/:Bold lasso}, all attributes,\nλ = (2 log d / n)^{1/2}" \
  at 1.6e6, 0.42 textcolor rgb colour_of("lasso")
set label "{/:Bold OMP},\nall attributes,\nand told that\n25 are true" \
  at 2.3e4, 1.0 textcolor rgb colour_of("omp")
names = "hybrid lasso omp sift"
observed(name) = strcol("solver") eq name ? column("attributes") : NaN
plot for [name in names] table using (observed(name)):"low":"high" \
    with filledcurves linestyle style(name) fillstyle transparent solid 0.2 noborder, \
  for [name in names] table using (observed(name)):"median" \
    with linespoints linestyle style(name) pointsize 0.7
