/* Causes that limit a test, as far as its verdict tells them. docs/explain.md. */
#include <yoke/page.h>

#include <string.h>

static const struct {
    const char *criterion;
    struct yk_cause cause;
} causes[] = {
    {"force", {"saturation", "an actuator has too little force"}},
    {"stroke", {"saturation", "an actuator has too little stroke"}},
    {"speed", {"saturation", "an actuator is not fast enough"}},
    {"valve", {"saturation", "valve or motor of an actuator are too small"}},
    {"lag", {"delay", "delay or lead of an actuator is left after compensation"}},
    {"gain", {"delay", "the amplitude of an actuator is not that of its target"}},
    {"delay", {"delay", "the delay that is left is near to the one that makes the loop unstable"}},
    {"lead", {"delay", "the compensated delay is a large part of the period of the motion"}},
    {"sign", {"sensors", "a reading has the wrong sign"}},
    {"force_noise", {"sensors", "a measured force is noisy"}},
    {"displacement_noise", {"sensors", "a measured displacement is noisy, or coarse"}},
    {"step", {"step", "the time step is too long for the motion"}},
    {"estimate", {"estimate", "the estimate is not that of the specimen, or a unit is wrong"}},
    {"gaps", {"coupling", "the substructures do not stay together"}},
    {"deadlines", {"deadlines", "the computer was late"}},
    {"held", {"deadlines", "readings of the rig were missing"}},
};

const struct yk_cause *yk_cause_of(const char *criterion)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strcmp(causes[i].criterion, criterion) == 0)
            return &causes[i].cause;
    return NULL;
}
