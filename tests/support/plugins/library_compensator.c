/* A compensator with a setting that is called like the key of every plugin. */
#define NAME    "library"
#define SIZE    sizeof(struct bad)
#define PREDICT predict
#define SETTING YK_TEXT(struct bad, library, 0, "")
#include "bad_compensator.h"
