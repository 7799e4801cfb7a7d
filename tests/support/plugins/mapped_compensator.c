/* A compensator with a setting that only the reader knows how to read. */
#define NAME    "mapped"
#define SIZE    sizeof(struct bad)
#define PREDICT predict
#define SETTING YK_NODE("table", "map", 0, "")
#include "bad_compensator.h"
