# A peer: the plane truss of src/bench/large.c, linear, Newmark's method, factored once.
# usage: OpenSees opensees_truss.tcl SYSTEM WIDTH HEIGHT STEPS    (nodes across and upwards: 25 20 is truss-1000)
# OpenSees starts with zero accelerations, half a step behind those of the load: peaks differ a little.
source [file join [file dirname [info script]] opensees_common.tcl]
lassign $argv system width height steps
set area 1e-3

wipe
model BasicBuilder -ndm 2 -ndf 2
uniaxialMaterial Elastic 1 210e9
set nodes {}
for {set j 0} {$j <= $height} {incr j} {
    for {set i 0} {$i < $width} {incr i} {
        set tag [expr {$i + $j * $width + 1}]
        node $tag [expr {double($i)}] [expr {double($j)}]
        if {$j == 0} { fix $tag 1 1 } else { lappend nodes $tag }
    }
}
set bars 0
proc bar {a b} {
    global bars area
    element Truss [incr bars] $a $b $area 1 -rho [expr {7850 * $area}] -doRayleigh 1
}
for {set j 0} {$j <= $height} {incr j} {
    for {set i 0} {$i < $width} {incr i} {
        set here [expr {$i + $j * $width + 1}]
        set above [expr {$here + $width}]
        if {$i + 1 < $width && $j > 0} { bar $here [expr {$here + 1}] }
        if {$j < $height} { bar $here $above }
        if {$i + 1 < $width && $j < $height} {
            bar $here [expr {$above + 1}]
            bar [expr {$here + 1}] $above
        }
    }
}
rayleigh 0.1 1e-5 0.0 0.0
timeSeries Constant 1
pattern Plain 1 1 { foreach node $nodes { load $node 1.0 1.0 } }

constraints Plain
numberer RCM
system $system
algorithm Linear -factorOnce
integrator Newmark 0.5 0.25
analysis Transient
measure "Newmark, factored once, $system" $nodes 2 $steps 1e-3
