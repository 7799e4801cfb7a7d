/* Chains that are compared in the benchmark of real-time hybrid simulation.
 *
 * Its plant is 25 ms late at low frequency; the inverse of the nominal one is 0.99254 + 24.889e-3 s + 106.62e-6 s^2 +
 * 385.64e-9 s^3 + ... Predictors that look ahead by the whole delay use targets some milliseconds apart, since a delay
 * of a hundred samples cannot be seen in the last four of them. Adaptive ones start from a delay of 15 ms, not from the
 * right one. `0.35 ms` of lead of the model-based ones makes up for the hold of the command and for most of the sample
 * by which the force is late. */
#include "ranking.h"

#define MODEL "coefficients: [0.99254158, 24.889389e-3, 106.62321e-6, 385.63919e-9]"

const struct yk_rths_entry yk_rths_entries[] = {
    {"none", "{ compensator: { kind: none } }", "the target itself is commanded"},
    {"sample",
     "{ compensator: { kind: phase-lead }, controller: { kind: pi, K: 2, Ti: 21.0526315789 ms, rule: trapezoid } }",
     "sample controller of the problem: phase lead and PI"},
    {"pi", "{ controller: { kind: pi, K: 2, Ti: 21.0526315789 ms, rule: trapezoid } }", "PI alone"},
    {"inverse", "{ compensator: { kind: inverse, delay: 24 ms } }", "inverse of a lag of first order"},
    {"lagrange", "{ compensator: { kind: lagrange, order: 2, delay: 24 ms, apart: 8 ms } }", "polynomial of order 2"},
    {"lagrange-3", "{ compensator: { kind: lagrange, order: 3, delay: 24 ms, apart: 12 ms } }",
     "polynomial of order 3"},
    {"velocity", "{ compensator: { kind: velocity, order: 3, delay: 24 ms } }",
     "last two targets with their velocities"},
    {"linear-acceleration", "{ compensator: { kind: linear-acceleration, delay: 24 ms } }",
     "last state with its acceleration"},
    {"explicit-newmark", "{ compensator: { kind: explicit-newmark, delay: 24 ms } }",
     "last state with constant acceleration"},
    {"lagrange-newton",
     "{ compensator: { kind: lagrange, order: 2, delay: 15 ms, apart: 8 ms }, estimator: { kind: newton-desired } }",
     "polynomial of order 2, delay estimated"},
    {"inverse-darby", "{ compensator: { kind: inverse, delay: 15 ms }, estimator: { kind: darby } }",
     "inverse of a lag of first order, delay estimated"},
    {"model-inverse",
     "{ compensator: { kind: model-inverse, frequency: 15.41 Hz, damping: 1.2053, delay: 25.25 ms, apart: 1 ms } }",
     "inverse of a lag of second order"},
    {"adaptive-inverse",
     "{ controller: { kind: adaptive-inverse, gain: 1.0075, T1: 12 ms, T2: 12 ms, dead_time: 1 ms, filter: 1 ms } }",
     "filter of 64 taps, learnt by least mean squares"},
    {"ats", "{ compensator: { kind: ats, delay: 15 ms, apart: 4 ms, window: 250 } }", "adaptive time series"},
    {"cats", "{ compensator: { kind: cats, delay: 15 ms, apart: 2 ms, rate: 10 } }",
     "conditional adaptive time series"},
    {"amb", "{ compensator: { kind: amb, delay: 15 ms, apart: 4 ms, gain: 0.01 } }", "adaptive model-based"},
    {"feed-forward-2",
     "{ compensator: { kind: feed-forward, delay: 0.35 ms, apart: 0.5 ms, coefficients: [0.99254158, 24.889389e-3, "
     "106.62321e-6] } }",
     "inverse of second order, fixed"},
    {"feed-forward", "{ compensator: { kind: feed-forward, delay: 0.24 ms, apart: 0.5 ms, " MODEL " } }",
     "inverse of third order, fixed"},
    {"feed-forward-blind", "{ compensator: { kind: feed-forward, delay: 15 ms, apart: 1 ms, adapt: rls, spread: 4 } }",
     "inverse of third order, learnt from nothing"},
    {"feed-forward-rls",
     "{ compensator: { kind: feed-forward, delay: 0.35 ms, apart: 0.5 ms, adapt: rls, " MODEL " } }",
     "inverse of third order, adapted by recursive least squares"},
    {0},
};
