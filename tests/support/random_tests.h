/* Random hybrid tests: sound ones, and ones with a single cause of error, whose size is chosen by what the sound test
 * demands. A seed always gives the same test. */
#ifndef YOKE_RANDOM_TESTS_H
#define YOKE_RANDOM_TESTS_H

#include <stdint.h>

enum { RANDOM_SETTINGS = 3 };
struct random_test {
    char text[3000];                /* the experiment file of a sound test */
    char name[160];                 /* in a few words */
    double stroke, speed, force;    /* that the sound test demands of its actuator */
    const char *cause;              /* as `yoke explain` calls it; "none" */
    char set[RANDOM_SETTINGS][160]; /* settings that spoil it; "": no more */
    char rig[RANDOM_SETTINGS][160]; /* settings of a real rig, a few per cent off its model */
};
/* A sound test, whose verdict is good; with a cause that is so large that it is not; with one of any size. */
enum random_how { RANDOM_SOUND, RANDOM_SPOILED, RANDOM_OF_ANY_SIZE };
void random_test(uint64_t seed, enum random_how how, struct random_test *t);

#endif
