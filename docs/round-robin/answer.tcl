# The round robin in OpenSees: average acceleration with steps of 1 ms, so about 1e-4 from the exact answers.
# OpenSees answer.tcl   prints the answers as JSON. Not tried with OpenSees itself.
wipe
model basic -ndm 1 -ndf 1
node 0 0.0
node 1 0.0 -mass 20e3
node 2 0.0 -mass 16e3
fix 0 1
uniaxialMaterial Elastic 1 18e6
uniaxialMaterial Elastic 2 14e6
element zeroLength 1 0 1 -mat 1 -dir 1 -doRayleigh 1
element zeroLength 2 1 2 -mat 2 -dir 1 -doRayleigh 1
rayleigh 0.6 0.0 1e-3 0.0
set values {}
set file [open ground.csv]
foreach line [lrange [split [read $file] "\n"] 2 end] {
    if {$line ne ""} { lappend values [lindex [split $line ","] 1] }
}
close $file
timeSeries Path 1 -dt 0.01 -values $values
pattern UniformExcitation 1 1 -accel 1
constraints Plain
numberer Plain
system BandGeneral
algorithm Linear
integrator Newmark 0.5 0.25
analysis Transient
set peak1 0.0
set peak2 0.0
set at 0.0
set base 0.0
set squares 0.0
for {set k 1} {$k <= 1200} {incr k} {
    analyze 10 0.001
    set u1 [nodeDisp 1 1]
    set u2 [nodeDisp 2 1]
    if {abs($u1) > $peak1} { set peak1 [expr abs($u1)] }
    if {abs($u2) > $peak2} { set peak2 [expr abs($u2)]; set at [expr 0.01*$k] }
    if {abs(18e6*$u1) > $base} { set base [expr abs(18e6*$u1)] }
    set squares [expr $squares + $u2*$u2]
}
puts [format {{"peak_u1_m": %.12g, "peak_u2_m": %.12g, "time_of_peak_u2_s": %.12g, "rms_u2_m": %.12g, "end_u2_m": %.12g, "peak_base_spring_N": %.12g}} \
    $peak1 $peak2 $at [expr sqrt($squares/1201)] $u2 $base]
