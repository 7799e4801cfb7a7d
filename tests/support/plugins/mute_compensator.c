/* A compensator that cannot predict. */
#define NAME    "mute"
#define SIZE    sizeof(struct bad)
#define PREDICT NULL
#define SETTING YK_REAL(struct bad, gain, YK_NUMBER, 1, 0, 2, "")
#include "bad_compensator.h"
