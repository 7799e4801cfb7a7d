# Drawn from the data beside it; change what you like and run gnuplot on this file.
set terminal svg size 900,580 font 'Arial,14' background '#ffffff'
data = './axial.csv'
set output './axial.svg'
set encoding utf8
set datafile separator ','
set border 3 lc rgb '#444444'
set grid lc rgb '#cccccc' lw 0.6 dt 1
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set key tmargin left horizontal Left reverse noenhanced samplen 2
set style fill solid 0.75 noborder
set boxwidth 0.8 relative
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set style line 1 lc rgb '#0072B2' lw 1.8 dt 1 pt 7 ps 0.7
set style line 2 lc rgb '#D55E00' lw 1.8 dt 1 pt 5 ps 0.7
set style line 3 lc rgb '#009E73' lw 1.8 dt 1 pt 7 ps 0.7
set style line 4 lc rgb '#CC79A7' lw 1.8 dt 1 pt 5 ps 0.7
set style line 5 lc rgb '#E69F00' lw 1.8 dt 1 pt 7 ps 0.7
set style line 6 lc rgb '#56B4E9' lw 1.8 dt 1 pt 5 ps 0.7
set style line 7 lc rgb '#000000' lw 1.8 dt 1 pt 7 ps 0.7
set style line 8 lc rgb '#0072B2' lw 1.8 dt 2 pt 5 ps 0.7
set style line 9 lc rgb '#D55E00' lw 1.8 dt 2 pt 7 ps 0.7
set style line 10 lc rgb '#009E73' lw 1.8 dt 2 pt 5 ps 0.7
set style line 11 lc rgb '#CC79A7' lw 1.8 dt 2 pt 7 ps 0.7
set style line 12 lc rgb '#E69F00' lw 1.8 dt 2 pt 5 ps 0.7
set style line 13 lc rgb '#56B4E9' lw 1.8 dt 2 pt 7 ps 0.7
set style line 14 lc rgb '#000000' lw 1.8 dt 2 pt 5 ps 0.7
set lmargin 14
set rmargin 3
set multiplot layout 2,1 title 'A column under constant axial load in a lateral test' font ',17' noenhanced

set title '' noenhanced
set key width -0.32
set bmargin 2
set xlabel '' noenhanced
set xrange [*:*] noextend
unset logscale x
unset mxtics
set format x '%g'
set xtics autofreq
set ylabel 'frame.x.u [m]' noenhanced
set yrange [*:*]
unset logscale y
unset mytics
set format y '%g'
set ytics autofreq
plot data skip 1 using 1:2 with lines ls 1 title 'b-out', \
     data skip 1 using 3:4 with lines ls 2 title 'b-out2'

set title '' noenhanced
set key width -0.32
set bmargin 3.5
set xlabel 'time [s]' noenhanced
set xrange [*:*] noextend
unset logscale x
unset mxtics
set format x '%g'
set xtics autofreq
set ylabel 'sensor.shortening [mm]' noenhanced
set yrange [*:*]
unset logscale y
unset mytics
set format y '%g'
set ytics autofreq
plot data skip 1 using 1:5 with lines ls 1 title 'b-out', \
     data skip 1 using 3:6 with lines ls 2 title 'b-out2'

unset multiplot
unset output
