# Serves a model in OpenSees to Yoke: `kind: opensees`, or `backend: opensees` with `server: element`.
#
#     source yoke_serve.tcl
#     proc build {} { wipe; model BasicBuilder -ndm 1 -ndf 1; ... }
#     yoke_serve build {{2 1}}          ;# displacements of node 2, direction 1; the port is the last argument
#
# Yoke imposes displacements on these degrees of freedom and gets the forces that hold them. Every trial starts from the
# last committed state: the state is saved (database, save) at each commit and restored before the next trial, since
# `analyze` accepts what it computes. `restore` replaces the nodes of the model, so the analysis, which holds the old ones,
# is wiped before and set up again after it. `yoke_serve build dofs 0` saves nothing: for `backend: opensees`, where each
# step is tried once.
#
# The state is kept in files of YOKE_FOLDER, which Yoke makes and removes; without it, of a temporary folder. Where Yoke
# has started the script (YOKE_PID) and is no more, the script ends.
#
# The wire is that of `element genericClient`: vectors of doubles, little-endian; the first number is the action.
namespace eval yoke {
    variable tag 987654 state 1
}

proc yoke::analysis_of_trials {} {
    constraints Transformation
    numberer Plain
    system UmfPack
    test NormUnbalance 1e-8 50
    algorithm Newton
    integrator LoadControl 0.0
    analysis Static
}

# The model as it was built, at rest.
proc yoke::reset {} {
    variable build
    variable dofs
    variable trials
    variable tag
    variable state
    variable moved 0 has_pattern 0 force [lrepeat [llength $dofs] 0.0]
    $build
    timeSeries Constant $tag
    analysis_of_trials
    if {$trials} {
        database File $::yoke::base
        save $state
    }
}

proc yoke::trial {values} {
    variable dofs
    variable trials
    variable tag
    variable state
    variable moved
    variable has_pattern
    variable force
    if {$moved && $trials} {
        wipeAnalysis
        restore $state
        analysis_of_trials
    }
    if {$has_pattern} { remove loadPattern $tag }
    set inside {}
    foreach dof $dofs value $values { append inside "sp [lindex $dof 0] [lindex $dof 1] $value\n" }
    pattern Plain $tag $tag $inside
    set has_pattern 1
    set failed [analyze 1]
    set moved 1
    set force {}
    if {!$failed} { reactions }
    foreach dof $dofs {
        # Yoke stops where a force is not a number; `expr` would refuse one
        if {$failed} { lappend force NaN } else { lappend force [nodeReaction [lindex $dof 0] [lindex $dof 1]] }
    }
}

# Column by column, from small displacements of the model as it was built.
proc yoke::initial_stiffness {} {
    variable dofs
    variable force
    variable stiffness
    if {![info exists stiffness]} {
        set small 1e-7
        set found {}
        for {set j 0} {$j < [llength $dofs]} {incr j} {
            reset
            trial [lreplace [lrepeat [llength $dofs] 0.0] $j $j $small]
            foreach f $force { lappend found [expr {$f eq "NaN" ? 0 : $f / $small}] }
            if {"NaN" in $force} { lset found end NaN }
        }
        reset
        set stiffness $found
    }
    return $stiffness
}

proc yoke::answer {channel data values} {
    puts -nonewline $channel [binary format q$data [concat $values [lrepeat [expr {$data - [llength $values]}] 0.0]]]
    flush $channel
}

# Until the client ends; 1: it said DIE.
proc yoke::session {channel} {
    variable dofs
    variable trials
    variable state
    variable moved
    variable force
    set n [llength $dofs]
    if {[binary scan [read $channel 44] i11 sizes] != 1} { return 0 }
    if {$sizes ne "$n $n $n 0 1 0 0 0 $n 0 [lindex $sizes 10]"} { error "the client has $sizes; this model has $n" }
    set data [lindex $sizes 10]
    while {1} {
        set raw [read $channel [expr {8 * $data}]]
        if {[string length $raw] < 8 * $data} { return 0 }
        binary scan $raw q$data vector
        switch [expr {int([lindex $vector 0])}] {
            3 { trial [lrange $vector 1 $n] }
            5 {
                if {$trials} { save $state }
                set moved 0
            }
            10 { answer $channel $data $force }
            12 - 13 { answer $channel $data [initial_stiffness] }
            14 - 15 { answer $channel $data {} }
            99 { return 1 }
        }
    }
}

proc yoke::accept {channel host port} {
    variable ended
    variable dirty
    fconfigure $channel -translation binary -blocking 1 -buffering full
    if {$dirty} { reset }
    set dirty 1
    if {[catch {session $channel} ended]} {
        puts stderr $ended
        set ended 0
    }
    close $channel
}

# Ends the script if the program that has started it is no more.
proc yoke::look {} {
    variable ended
    if {[info exists ::env(YOKE_PID)] && ![file exists /proc/$::env(YOKE_PID)]} { set ended 1 }
    after 500 yoke::look
}

# Serves one client after another, each with a new model, until one says DIE.
proc yoke_serve {build dofs {trials 1} {port ""}} {
    set ::yoke::build $build
    set ::yoke::dofs $dofs
    set ::yoke::trials $trials
    if {[info exists ::env(YOKE_FOLDER)]} {
        set folder $::env(YOKE_FOLDER)
    } else {
        set folder [file join [expr {[info exists ::env(TMPDIR)] ? $::env(TMPDIR) : "/tmp"}] yoke_serve_[pid]]
        file mkdir $folder
    }
    set ::yoke::base [file join $folder state]
    set ::yoke::ended 0
    set ::yoke::dirty 0
    if {$port eq ""} { set port [lindex $::argv end] }
    yoke::reset
    yoke::look
    set listener [socket -server yoke::accept -myaddr 127.0.0.1 $port]
    while {!$::yoke::ended} { vwait ::yoke::ended }
    close $listener
    file delete {*}[glob -nocomplain $::yoke::base*]
    if {![info exists ::env(YOKE_FOLDER)]} { file delete $folder }
}
