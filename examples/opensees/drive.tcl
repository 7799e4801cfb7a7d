# A frame of two floors in OpenSees. The column of its first storey is on the rig of Yoke (element genericClient).
# usage: OpenSees drive.tcl [PORT] [DT]
set port [expr {[llength $argv] > 0 ? [lindex $argv 0] : 8090}]
set dt [expr {[llength $argv] > 1 ? [lindex $argv 1] : 0.01}]
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0
node 2 0.0
node 3 0.0
fix 1 1
mass 2 900.0
mass 3 600.0
uniaxialMaterial Elastic 1 15000.0
element zeroLength 1 2 3 -mat 1 -dir 1
element genericClient 2 -node 2 -dof 1 -server $port 127.0.0.1
setNodeVel 2 1 0.1 -commit
setNodeVel 3 1 -0.2 -commit
constraints Plain
numberer Plain
system BandGeneral
test NormUnbalance 1e-8 10
algorithm Linear
integrator NewmarkExplicit 0.5
analysis Transient
set out [open drive.out w]
for {set k 1} {$k * $dt < 1 + 0.5 * $dt} {incr k} {
    if {[analyze 1 $dt] != 0} { error "step $k failed" }
    puts $out "[format %.17g [expr {$k * $dt}]] [format %.17g [nodeDisp 2 1]] [format %.17g [nodeDisp 3 1]]"
}
close $out
wipe ;# tells the server that the session is over
