/* A compensator whose settings have no room. */
#define NAME    "sizeless"
#define SIZE    0
#define PREDICT predict
#define SETTING YK_REAL(struct bad, gain, YK_NUMBER, 1, 0, 2, "")
#include "bad_compensator.h"
