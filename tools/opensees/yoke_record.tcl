# Writes the commands that build a model in OpenSees, with numbers instead of variables and loops, for `yoke model import`.
# In OpenSees, before the model:
#
#     source yoke_record.tcl
#     yoke_record frame.commands
#     source model.tcl
#
# Without OpenSees, if the model needs no results of an analysis:
#
#     tclsh yoke_record.tcl model.tcl frame.commands
#
# docs/importing.md says which commands Yoke takes.

set yoke_names {node fix mass uniaxialMaterial section patch layer fiber geomTransf element beamIntegration
    equalDOF rigidLink rigidDiaphragm rayleigh}

proc yoke_write {name arguments} {
    foreach word $arguments {
        append name " " [expr {[regexp {[\s;"\{\}]} $word] ? "\{$word\}" : $word}]
    }
    puts $::yoke_out $name
    flush $::yoke_out
}

# A command that writes itself down, then does what it did before, if it did anything.
proc yoke_wrap {name} {
    set before {}
    if {[llength [info commands $name]]} {
        set before yoke_before_$name
        catch {rename $before {}}
        rename $name $before
    }
    proc $name args [string map [list NAME $name BEFORE $before] {
        set block [expr {"NAME" eq "section" && [regexp {\s} [lindex $args end]]}] ;# {patch ... fiber ...}
        yoke_write NAME [expr {$block ? [lrange $args 0 end-1] : $args}]
        if {"BEFORE" ne ""} {
            return [uplevel 1 [list BEFORE {*}$args]]
        }
        if {$block} {
            uplevel 1 [lindex $args end]
        }
    }]
}

proc yoke_record {path} {
    set ::yoke_out [open $path w]
    if {[llength [info commands model]]} {
        rename model yoke_before_model
    }
    proc model args { # OpenSees defines most commands of a model here
        yoke_write model $args
        set known [llength [info commands yoke_before_model]]
        set result [expr {$known ? [uplevel 1 [list yoke_before_model {*}$args]] : ""}]
        foreach name $::yoke_names {
            yoke_wrap $name
        }
        return $result
    }
}

if {[info exists argv0] && [file tail $argv0] eq "yoke_record.tcl"} {
    if {[llength $argv] != 2} {
        puts stderr "usage: tclsh yoke_record.tcl MODEL.tcl COMMANDS"
        exit 2
    }
    proc unknown args { # analyses and recorders: nothing happens here
        return 0
    }
    yoke_record [lindex $argv 1]
    source [lindex $argv 0]
    close $yoke_out
}
