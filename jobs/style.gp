# style.gp - what all pictures have in common: formats, colours, dashes, points
# SPDX-License-Identifier: MIT
#
# Loaded by the other scripts. The caller may set `format` (png, the default, svg
# or pdf), and `unfinished`, which stands before the ending of pictures until he renames
# them. Each solver has one colour, one dash and one point in all pictures. The
# colours are those of Okabe and Ito and of Tol, which colour-blind readers can
# tell apart.
set encoding utf8
if (!exists("format")) { format = "png" }
if (!exists("unfinished")) { unfinished = "" }

# eval picture(NAME, WIDTH, HEIGHT): what is plotted next goes to NAME.FORMAT; sizes
# in inches. PNG has 300 dots per inch.
picture(name, width, height) = terminal(width, height) . \
  sprintf("; set output '%s%s.%s'", name, unfinished, format)
terminal(width, height) = format eq "svg" ? sprintf("set terminal svg \
    size %d, %d font 'Helvetica,12' linewidth 1.1 background 'white'", \
    int(100 * width), int(100 * height)) : format eq "pdf" ? \
  sprintf("set terminal pdfcairo size %gin, %gin font 'Sans,8' \
    linewidth 1.2 pointscale 0.8 background 'white'", width, height) : \
  sprintf("set terminal pngcairo size %d, %d font 'Sans,8' \
    fontscale 4.1 linewidth 3.8 pointscale 3.4 background 'white'", \
    int(300 * width), int(300 * height))

# style(SOLVER): the number of its line style. Other names: 90, grey.
solvers = "sift hybrid exploration exploitation lasso prox-sgd fs-prox-sgd \
os-prox-sgd saga svrg rda truncated-gradient omp exact w=0.51 w=0.75 w=0.99 \
aerr aelr ogd-ridge eg-lasso ridge uniform known none norm coordinate oomp \
rda-ito dantzig ssr sgd os-prox-sgd-1"
place(name) = int(system("echo '" . solvers . "' | tr -s ' ' '\n' | grep -nxF -- '" \
  . name . "' | cut -d : -f 1"))
style(name) = strstrt(" " . solvers . " ", " " . name . " ") ? place(name) : 90

# What stands in a key: some competitors are reconstructed from what others tell of them.
keyed(name) = strstrt(" rda-ito dantzig ssr ", " " . name . " ") ? \
  name . ", reconstructed" : name

hues = "#0072B2 #D55E00 #E69F00 #CC79A7 #000000 #332288 #117733 #CC6677 \
#44AA99 #882255 #999933 #88CCEE #009E73 #AAAAAA #661100 #6699CC #DDAA33 \
#0C5DA5 #5D3A9B #B8860B #994F00 #555555 #D55E00 #009E73 #777777 #0C5DA5 #D55E00 #556B2F \
#8B4513 #C71585 #708090 #BDB76B #6A3D9A"
hue(k) = word(hues, k)
colour_of(name) = strstrt(" " . solvers . " ", " " . name . " ") ? \
  hue(place(name)) : "#888888"
set style line 1 linecolor rgb hue(1) linewidth 1.6 dashtype 1 pointtype 7
set style line 2 linecolor rgb hue(2) linewidth 1.6 dashtype (12, 4) pointtype 5
set style line 3 linecolor rgb hue(3) linewidth 1.6 dashtype (3, 3) pointtype 9
set style line 4 linecolor rgb hue(4) linewidth 1.6 dashtype (12, 4, 3, 4) \
  pointtype 11
set style line 5 linecolor rgb hue(5) linewidth 1.6 dashtype (8, 4) pointtype 4
set style line 6 linecolor rgb hue(6) linewidth 1.6 dashtype 1 pointtype 7
set style line 7 linecolor rgb hue(7) linewidth 1.6 dashtype (12, 4) pointtype 5
set style line 8 linecolor rgb hue(8) linewidth 1.6 dashtype (4, 3) pointtype 9
set style line 9 linecolor rgb hue(9) linewidth 1.6 dashtype (12, 4, 3, 4) \
  pointtype 11
set style line 10 linecolor rgb hue(10) linewidth 1.6 dashtype (8, 4) pointtype 13
set style line 11 linecolor rgb hue(11) linewidth 1.6 dashtype (3, 3) pointtype 6
set style line 12 linecolor rgb hue(12) linewidth 1.6 dashtype (12, 4) pointtype 8
set style line 13 linecolor rgb hue(13) linewidth 1.6 dashtype (3, 3) pointtype 9
set style line 14 linecolor rgb hue(14) linewidth 3.2 dashtype 1 pointtype 6
# os-prox-sgd with three exponents, the middle one as always
set style line 15 linecolor rgb hue(15) linewidth 1.6 dashtype 1 pointtype 7
set style line 16 linecolor rgb hue(16) linewidth 1.6 dashtype (4, 3) pointtype 9
set style line 17 linecolor rgb hue(17) linewidth 1.6 dashtype (12, 4) pointtype 5
# solvers that sample attributes; two-phase is aerr or aelr as it comes
set style line 18 linecolor rgb hue(18) linewidth 1.6 dashtype 1 pointtype 7
set style line 19 linecolor rgb hue(19) linewidth 1.6 dashtype (12, 4, 3, 4) pointtype 13
set style line 20 linecolor rgb hue(20) linewidth 1.6 dashtype (8, 4) pointtype 4
set style line 21 linecolor rgb hue(21) linewidth 1.6 dashtype (8, 3, 3, 3) pointtype 6
set style line 22 linecolor rgb hue(22) linewidth 1.6 dashtype (6, 3) pointtype 1
set style line 23 linecolor rgb hue(23) linewidth 1.6 dashtype (12, 4) pointtype 5
set style line 24 linecolor rgb hue(24) linewidth 1.6 dashtype (3, 3) pointtype 9
# their steps, by --adagrad
set style line 25 linecolor rgb hue(25) linewidth 1.6 dashtype (3, 3) pointtype 9
set style line 26 linecolor rgb hue(26) linewidth 1.6 dashtype 1 pointtype 7
set style line 27 linecolor rgb hue(27) linewidth 1.6 dashtype (12, 4) pointtype 5
set style line 28 linecolor rgb hue(28) linewidth 1.6 dashtype (8, 4) pointtype 9
# methods of the literature to compare with
set style line 29 linecolor rgb hue(29) linewidth 1.6 dashtype (12, 4) pointtype 6
set style line 30 linecolor rgb hue(30) linewidth 1.6 dashtype (8, 4) pointtype 8
set style line 31 linecolor rgb hue(31) linewidth 1.6 dashtype (3, 3) pointtype 4
set style line 32 linecolor rgb hue(32) linewidth 1.6 dashtype (8, 3, 2, 3) pointtype 8
# os-prox-sgd that draws all attributes
set style line 33 linecolor rgb hue(33) linewidth 1.6 dashtype (2, 3) pointtype 10
# what is no solver: the ideal line, and three measurements
set style line 90 linecolor rgb "#888888" linewidth 1.4 dashtype (6, 4) pointtype 1
set style line 91 linecolor rgb "#0072B2" linewidth 1.6 dashtype 1 pointtype 7
set style line 92 linecolor rgb "#D55E00" linewidth 1.6 dashtype (8, 4) pointtype 5
set style line 93 linecolor rgb "#009E73" linewidth 1.6 dashtype (3, 3) pointtype 9

# Phases of a run, each with a colour of its own: colour_of_phase(NAME).
phases_known = "setup draw support predict gradient select gram solve steps pass \
validate write other residual agree open parse"
phase_colours = "#BBBBBB #DDCC77 #88CCEE #CC6677 #0072B2 #E69F00 #117733 #882255 #44AA99 \
#AA4499 #999933 #555555 #DDDDDD #D55E00 #332288 #661100 \
#6699CC"
phase(name) = int(system("echo '" . phases_known . "' | tr -s ' ' '\n' | \
  grep -nxF -- '" . name . "' | cut -d : -f 1"))
colour_of_phase(name) = strstrt(" " . phases_known . " ", " " . name . " ") ? \
  word(phase_colours, phase(name)) : "#000000"

set border 3
set grid ytics linecolor rgb "#DDDDDD" linetype 1 linewidth 0.6
set tics nomirror out
