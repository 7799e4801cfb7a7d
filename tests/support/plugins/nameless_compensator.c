/* A compensator without a name. */
#define NAME    NULL
#define SIZE    sizeof(struct bad)
#define PREDICT predict
#define SETTING YK_REAL(struct bad, gain, YK_NUMBER, 1, 0, 2, "")
#include "bad_compensator.h"
