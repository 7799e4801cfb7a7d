# The column of the first storey: an elastoplastic spring in OpenSees, moved by Yoke.
source [file join [file dirname [info script]] .. .. .. tools opensees yoke_serve.tcl]

proc build {} {
    wipe
    model BasicBuilder -ndm 1 -ndf 1
    node 1 0.0
    node 2 0.0
    fix 1 1
    uniaxialMaterial ElasticPP 1 20000.0 0.015 ;# N/m, m
    element zeroLength 1 1 2 -mat 1 -dir 1
}

yoke_serve build {{2 1}}
