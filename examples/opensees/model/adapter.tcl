# The same column behind `element adapter`: OpenSees waits for Yoke in every step of its own analysis, which never ends by
# itself. Every step is accepted, so this is for a specimen (backend: opensees, server: adapter), not for trials.
set port [lindex $argv end]
model BasicBuilder -ndm 1 -ndf 1
node 1 0.0
node 2 0.0
fix 1 1
uniaxialMaterial ElasticPP 1 20000.0 0.015
element zeroLength 1 1 2 -mat 1 -dir 1
element adapter 2 -node 2 -dof 1 -stif 2.0e10 $port ;# a million times stiffer than the column
constraints Plain
numberer Plain
system UmfPack
test NormUnbalance 1e-6 50
algorithm Newton
integrator LoadControl 1.0
analysis Static
while {[analyze 1] == 0} {}
