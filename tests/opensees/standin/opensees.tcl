# Stands in for the commands of OpenSees that the scripts of examples/opensees call; it knows springs in one direction,
# explicit Newmark steps, genericClient and adapter, and nothing else. Like OpenSees, `analyze` commits what it computes.
# usage: tclsh opensees.tcl SCRIPT ARGUMENTS
proc wipe {} {
    if {[info exists ::client]} {
        tell 99.0
        close $::client
    }
    foreach name {u v a mass material springs client sp saved forces analysis} { unset -nocomplain ::$name }
    set ::springs {}
    array set ::sp {}
    set ::t 0.0
    set ::fixed {}
}
foreach name {model timeSeries constraints numberer system test algorithm database reactions} { proc $name args {} }
proc node {tag args} { set ::u($tag) [set ::v($tag) [set ::a($tag) 0.0]] }
proc fix {tag held} { lappend ::fixed $tag }
proc mass {tag m} { set ::mass($tag) $m }
proc uniaxialMaterial {kind tag k {limit Inf}} { set ::material($tag) [list $k $limit] }
proc setNodeVel {tag dof value commit} { set ::v($tag) $value }
proc nodeDisp {tag dof} { return $::u($tag) }
proc nodeReaction {tag dof} { return $::forces($tag) }
proc remove {what tag} { array unset ::sp }
proc pattern {kind tag series inside} { eval $inside }
proc sp {tag dof value} { set ::sp($tag) $value }
proc integrator {kind args} { set ::integrator $kind }
proc analysis {kind} { set ::analysis $kind }
proc wipeAnalysis {} { unset -nocomplain ::analysis }
proc save {tag} { set ::saved [list [array get ::u] $::springs] }
# The nodes are others than before: an analysis that was set up holds freed ones, and dies as that of OpenSees 3.8.0 does.
proc restore {tag} {
    if {[info exists ::analysis]} { set ::analysis Freed }
    array set ::u [lindex $::saved 0]
    set ::springs [lindex $::saved 1]
}

# genericClient: the buffer with an action
proc tell {action} {
    lset ::buffer 0 $action
    puts -nonewline $::client [binary format q256 [concat $::buffer [lrepeat 251 0.0]]]
    flush $::client
}
proc ask {action} {
    tell $action
    binary scan [read $::client 2048] q256 values
    return $values
}

proc element {kind tag args} {
    switch $kind {
        zeroLength {
            lassign $args i j word material
            lappend ::springs [concat [list $i $j] $::material($material) 0.0]
        }
        genericClient {
            set ::client_node [lindex $args 1]
            set ::client [socket 127.0.0.1 [lindex $args 5]]
            fconfigure $::client -translation binary -blocking 1
            puts -nonewline $::client [binary format i11 {1 1 1 0 1 0 0 0 1 0 256}]
            set ::buffer {0.0 0.0 0.0 0.0 0.0}
            set ::mass(2) [expr {$::mass(2) + [lindex [ask 15.0] 0]}] ;# OpenSees adds the mass of the element, too
        }
        adapter {
            set ::adapter_node [lindex $args 1]
            set ::adapter ""
            set ::listener [socket -server {apply {{channel host port} {set ::adapter $channel}}} -myaddr 127.0.0.1 \
                    [lindex $args 6]]
        }
        default { error $kind }
    }
}

proc resist {} {
    array unset ::forces
    foreach tag [array names ::u] { set ::forces($tag) 0.0 }
    set new {}
    foreach s $::springs {
        lassign $s i j k limit plastic
        set d [expr {$::u($j) - $::u($i)}]
        set e [expr {$d - $plastic}]
        if {abs($e) > $limit} { set e [expr {$e > 0 ? $limit : -$limit}] }
        set ::forces($j) [expr {$::forces($j) + $k * $e}]
        set ::forces($i) [expr {$::forces($i) - $k * $e}]
        lappend new [list $i $j $k $limit [expr {$d - $e}]]
    }
    set ::springs $new
}

# One step of `element adapter`: 10 is answered for the last step, then 3 is expected; 99 ends the process.
proc adapt {} {
    if {$::adapter eq ""} {
        vwait ::adapter
        fconfigure $::adapter -translation binary -blocking 1
        binary scan [read $::adapter 44] i11 sizes
        if {$sizes ne "1 0 0 0 0 1 0 0 1 0 256"} { error $sizes }
        resist
    }
    binary scan [read $::adapter 2048] q256 vector
    if {[lindex $vector 0] == 10.0} {
        puts -nonewline $::adapter [binary format q256 \
                [concat $::u($::adapter_node) $::forces($::adapter_node) [lrepeat 254 0.0]]]
        flush $::adapter
        binary scan [read $::adapter 2048] q256 vector
    }
    if {[lindex $vector 0] == 99.0} { exit 0 }
    if {[lindex $vector 0] != 3.0} { error "action [lindex $vector 0]" }
    set ::u($::adapter_node) [lindex $vector 1]
}

proc analyze {steps {dt 0}} {
    if {[info exists ::adapter]} { adapt }
    if {![info exists ::analysis]} { error "no analysis has been set up" }
    if {$::analysis eq "Freed"} {
        exec kill -SEGV [pid]
        after 1000
    }
    foreach {tag value} [array get ::sp] { set ::u($tag) $value }
    if {$::analysis eq "Static"} {
        resist
        return 0
    }
    set ::t [expr {$::t + $dt}]
    foreach tag [array names ::mass] {
        set ::u($tag) [expr {$::u($tag) + $dt * $::v($tag) + $dt * $dt / 2 * $::a($tag)}]
        set ::v($tag) [expr {$::v($tag) + $dt / 2 * $::a($tag)}]
    }
    resist
    set n $::client_node
    foreach again {1 2} {
        set ::buffer [list 0.0 $::u($n) $::v($n) $::a($n) $::t]
        tell 3.0
        ask 14.0
    }
    set ::forces($n) [expr {$::forces($n) + [lindex [ask 10.0] 0]}]
    tell 5.0
    foreach tag [array names ::mass] {
        set ::a($tag) [expr {-$::forces($tag) / $::mass($tag)}]
        set ::v($tag) [expr {$::v($tag) + $dt / 2 * $::a($tag)}]
    }
    return 0
}

wipe
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
