# Drawn from the data beside it; change what you like and run gnuplot on this file.
set terminal svg size 680,493 font 'Arial,12' background '#ffffff'
data = './sites.csv'
set output './sites.svg'
set encoding utf8
set datafile separator ','
set border 3 lc rgb '#444444' lw 1
set grid lt 1 lc rgb '#dddddd' lw 0.7 dt solid
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set xtics offset 0,0.4
set ytics offset 0.6,0
unset key
set style fill solid 1 noborder
set boxwidth 0.8 relative
# colours of a surface: blue below zero, vermilion above
part(v, full) = int(255 - (255 - full) * (v < -1 ? 1 : v > 1 ? 1 : abs(v)))
shade(v) = v < 0 ? part(v, 0) * 65536 + part(v, 114) * 256 + part(v, 178) : part(v, 213) * 65536 + part(v, 94) * 256 + part(v, 0)
set multiplot

unset label
unset arrow
unset object
set label 'A deck on two columns that are tested at two sites' at screen 0.5,0.965517 center font ',14' noenhanced
set arrow from screen 0.0737353,0.872211 to screen 0.114912,0.872211 nohead lc rgb '#0072B2' lw 1.125 dt 1
set label 'displacement' at screen 0.122265,0.872211 left font ',12' noenhanced
set arrow from screen 0.249753,0.872211 to screen 0.290929,0.872211 nohead lc rgb '#BCBCBC' lw 3.5 dt 1
set label 'reference displacement' at screen 0.298282,0.872211 left font ',12' noenhanced
set label 'deck right' at screen 0.0737353,0.910751 left font ',12' noenhanced
set lmargin at screen 0.0737353
set rmargin at screen 0.979412
set bmargin at screen 0.498986
set tmargin at screen 0.853955
set xrange [0:10]
unset logscale x
unset mxtics
set format x '%.0f'
set xtics autofreq 1
set label 'displacement [mm]' at screen 0.0205882,0.676471 rotate by 90 center font ',12' noenhanced
set yrange [-10:8.5]
unset logscale y
unset mytics
set format y '%.0f'
set ytics autofreq 5
set xzeroaxis lt 1 lc rgb '#999999' lw 0.8 dt solid
plot data skip 1 using 3:4 with lines lc rgb '#BCBCBC' lw 3.5 dt 1, \
     data skip 1 using 1:2 with lines lc rgb '#0072B2' lw 1.125 dt 1

unset label
unset arrow
unset object
set lmargin at screen 0.0737353
set rmargin at screen 0.979412
set bmargin at screen 0.0872211
set tmargin at screen 0.442191
set label 'time [s]' at screen 0.526574,0.0263692 center font ',12' noenhanced
set xrange [0:10]
unset logscale x
unset mxtics
set format x '%.0f'
set xtics autofreq 1
set label 'actuator ram, measured force [kN]' at screen 0.0205882,0.264706 rotate by 90 center font ',12' noenhanced
set yrange [-60:50]
unset logscale y
unset mytics
set format y '%.0f'
set ytics autofreq 20
set xzeroaxis lt 1 lc rgb '#999999' lw 0.8 dt solid
plot data skip 1 using 5:6 with lines lc rgb '#D55E00' lw 1.125 dt 1

unset multiplot
unset output
