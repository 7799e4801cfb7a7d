# What the scripts for OpenSees share: steps with a clock that stops while the peak is looked for, and the line they print.
proc measure {name nodes directions steps h} {
    set parts {}
    set peak 0.0
    set spent 0
    for {set k 1} {$k <= $steps} {incr k} {
        set begin [clock microseconds]
        if {[analyze 1 $h] != 0} { puts stderr "OpenSees did not converge in step $k"; exit 1 }
        incr spent [expr {[clock microseconds] - $begin}]
        foreach node $nodes {
            for {set d 1} {$d <= $directions} {incr d} {
                set u [expr {abs([nodeDisp $node $d])}]
                if {$u > $peak} { set peak $u }
            }
        }
        if {$k % ($steps / 10) == 0} {
            lappend parts [expr {1e-6 * $spent / ($steps / 10)}]
            set spent 0
        }
    }
    set median [lindex [lsort -real $parts] 5]
    puts "{\"program\": \"OpenSees [version], $name\", \"seconds_per_step\": $median, \"peak_m\": $peak}"
}
