# Writes the model that is in OpenSees as text for Yoke. Build the model (nodes, masses, supports, elements, damping, and
# gravity if its state matters), then:
#
#     source yoke_export.tcl
#     yoke_export frame.opensees
#
# The analysis is wiped. Needs OpenSees 3.3 or later (integrator GimmeMCK, nodeDOFs). docs/importing.md has the layout.

# One of the matrices, row by row: weights of mass, damping and stiffness.
proc yoke_matrix {m c k} {
    wipeAnalysis
    constraints Transformation
    numberer Plain
    system FullGeneral
    algorithm Linear
    integrator GimmeMCK $m $c $k
    analysis Transient
    analyze 1 0.0
    return [printA -ret]
}

# Names of the degrees of freedom of a node, by the dimension of the model and their number.
proc yoke_directions {ndm ndf} {
    switch "$ndm,$ndf" {
        1,1 { return {x} }
        2,2 { return {x y} }
        2,3 { return {x y rz} }
        3,3 { return {x y z} }
        3,6 { return {x y z rx ry rz} }
    }
    error "yoke_export: nodes with $ndf degrees of freedom in $ndm dimensions have no names"
}

proc yoke_write_matrix {out name values n} {
    puts $out "matrix $name $n"
    for {set i 0} {$i < $n} {incr i} {
        for {set j 0} {$j < $n} {incr j} {
            set value [lindex $values [expr {$i * $n + $j}]]
            if {$value != 0} {
                puts $out [format "%d %d %.17g" [expr {$i + 1}] [expr {$j + 1}] $value]
            }
        }
    }
}

proc yoke_export {path} {
    set stiffness [yoke_matrix 0.0 0.0 1.0]
    set n [systemSize]
    set out [open $path w]
    puts $out "yoke-opensees 1"
    foreach tag [getNodeTags] {
        puts $out "node $tag [nodeCoord $tag]"
    }
    foreach tag [getNodeTags] {
        set equations [nodeDOFs $tag]
        foreach equation $equations direction [yoke_directions [llength [nodeCoord $tag]] [llength $equations]] {
            if {$equation >= 0} {
                puts $out "dof [expr {$equation + 1}] $tag $direction"
            }
        }
    }
    yoke_write_matrix $out stiffness $stiffness $n
    yoke_write_matrix $out mass [yoke_matrix 1.0 0.0 0.0] $n
    set damping [yoke_matrix 0.0 1.0 0.0]
    foreach value $damping {
        if {$value != 0} {
            yoke_write_matrix $out damping $damping $n
            break
        }
    }
    puts $out "end"
    close $out
    wipeAnalysis
}
