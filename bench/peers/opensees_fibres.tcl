# A peer: plane steel frames, one element of 5 points with 40 fibres for each member, as `fibre_file` of tools/bench writes them, but
# with masses of 12 t at the nodes and steps of 1 ms.
# usage: OpenSees opensees_fibres.tcl STOREYS BAYS displacement|force newton|alpha-os STEPS SYSTEM
source [file join [file dirname [info script]] opensees_common.tcl]
lassign $argv storeys bays formulation method steps system
wipe
model BasicBuilder -ndm 2 -ndf 3
uniaxialMaterial Steel02 1 275e6 210e9 0.01 20.0 0.925 0.15
proc rolled {tag depth width flange web} {
    set inner [expr {$depth - $flange}]
    section Fiber $tag {
        patch rect 1 2 1 $inner [expr {-$width}] $depth $width
        patch rect 1 2 1 [expr {-$depth}] [expr {-$width}] [expr {-$inner}] $width
        patch rect 1 36 1 [expr {-$inner}] [expr {-$web}] $inner $web
    }
}
rolled 1 0.15 0.15 0.019 0.0055
rolled 2 0.18 0.085 0.0127 0.004
geomTransf Linear 1
set nodes {}
for {set i 0} {$i <= $bays} {incr i} {
    for {set j 0} {$j <= $storeys} {incr j} {
        set tag [expr {100 * $j + $i + 1}]
        node $tag [expr {6.0 * $i}] [expr {3.0 * $j}]
        if {$j == 0} { fix $tag 1 1 1; continue }
        mass $tag 12e3 12e3 2e3
        lappend nodes $tag
    }
}
set elements 0
proc member {first second section} {
    global elements formulation
    incr elements
    if {$formulation eq "force"} {
        element forceBeamColumn $elements $first $second 5 $section 1
    } else {
        element dispBeamColumn $elements $first $second 5 $section 1
    }
}
for {set i 0} {$i <= $bays} {incr i} {
    for {set j 1} {$j <= $storeys} {incr j} { member [expr {100 * ($j - 1) + $i + 1}] [expr {100 * $j + $i + 1}] 1 }
}
for {set j 1} {$j <= $storeys} {incr j} {
    for {set i 1} {$i <= $bays} {incr i} { member [expr {100 * $j + $i}] [expr {100 * $j + $i + 1}] 2 }
}
rayleigh 0.25 0.0 0.002 0.0
timeSeries Trig 1 0.0 20.0 [expr {1 / 0.6}] -factor [expr {0.6 * 9.80665}]
pattern UniformExcitation 1 1 -accel 1
constraints Plain
numberer RCM
system $system
if {$method eq "alpha-os"} {
    test NormUnbalance 1 30 0
    algorithm Linear -factorOnce
    integrator AlphaOS 0.9
} else {
    test NormUnbalance 1 30 0
    algorithm Newton
    integrator Newmark 0.5 0.25
}
analysis Transient
measure "$formulation-based, $method, $system" $nodes 2 $steps 1e-3
