# Drawn from the data beside it; change what you like and run gnuplot on this file.
set terminal svg size 680,357 font 'Arial,12' background '#ffffff'
data = './absorber.csv'
set output './absorber.svg'
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
set label 'A structure with a tuned mass damper from another program' at screen 0.5,0.952381 center font ',14' noenhanced
set arrow from screen 0.0835471,0.87395 to screen 0.124724,0.87395 nohead lc rgb '#0072B2' lw 1.5 dt 1
set label 'loose' at screen 0.132076,0.87395 left font ',12' noenhanced
set arrow from screen 0.197782,0.87395 to screen 0.238959,0.87395 nohead lc rgb '#E69F00' lw 1.5 dt (9,4)
set label 'absorber' at screen 0.246312,0.87395 left font ',12' noenhanced
set lmargin at screen 0.0835471
set rmargin at screen 0.979412
set bmargin at screen 0.120448
set tmargin at screen 0.848739
set label 'time [s]' at screen 0.531479,0.0364146 center font ',12' noenhanced
set xrange [0:5]
unset logscale x
unset mxtics
set format x '%.1f'
set xtics autofreq 0.5
set label 'frame, displacement [mm]' at screen 0.0205882,0.484594 rotate by 90 center font ',12' noenhanced
set yrange [-150:175]
unset logscale y
unset mytics
set format y '%.0f'
set ytics autofreq 50
set xzeroaxis lt 1 lc rgb '#999999' lw 0.8 dt solid
plot data skip 1 using 1:2 with lines lc rgb '#0072B2' lw 1.5 dt 1, \
     data skip 1 using 3:4 with lines lc rgb '#E69F00' lw 1.5 dt (9,4)

unset multiplot
unset output
