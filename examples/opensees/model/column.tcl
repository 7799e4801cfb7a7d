# The column of the first storey: an elastoplastic spring in OpenSees, moved by Yoke.
set here [file dirname [file normalize [info script]]]
foreach folder [list $here/../../../tools/opensees $here/../../../../../yoke/opensees /usr/local/share/yoke/opensees \
                     /usr/share/yoke/opensees] { ;# of the sources, of the package, of `make install`
    if {[file exists $folder/yoke_serve.tcl]} { break }
}
source $folder/yoke_serve.tcl

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
