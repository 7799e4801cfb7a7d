# A peer: the chain of 1,000 Bouc-Wen springs of src/bench/large.c, Newmark's method with full Newton iterations.
# usage: OpenSees opensees_chain.tcl SYSTEM    (BandSPD, ProfileSPD, SparseSYM, UmfPack ...)
# Here  r = kh u + z,  z' = u' (k0 - |z| (beta sgn(z u') + gamma));  OpenSees has  r = alpha ko u + (1 - alpha) ko z  with z
# in metres, so  ko = k0 + kh,  alpha = kh / ko,  A = 1, and beta and gamma are the same.
source [file join [file dirname [info script]] opensees_common.tcl]
set system [lindex $argv 0]
set n 1000
set kh 1e6
set k0 1e8
set ko [expr {$k0 + $kh}]

wipe
model BasicBuilder -ndm 1 -ndf 1
#                            tag alpha                 ko  n gamma beta  A deltaA deltaNu deltaEta
uniaxialMaterial BoucWen     1   [expr {$kh / $ko}]    $ko 1 500.0 500.0 1 0      0       0 1e-10 50
node 0 0.0
fix 0 1
set nodes {}
for {set i 1} {$i <= $n} {incr i} {
    node $i 0.0
    mass $i 1000.0
    element zeroLength $i [expr {$i - 1}] $i -mat 1 -dir 1
    lappend nodes $i
}
timeSeries Trig 1 0.0 1e9 [expr {2 * acos(-1) / 60}] -factor 2e4
pattern Plain 1 1 { for {set i 1} {$i <= $n} {incr i} { load $i 1.0 } }

constraints Plain
numberer Plain
system $system
test NormUnbalance 1e-5 30 0
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
measure "Newmark, full Newton, $system" $nodes 1 500 1e-3
