/* Rows of a method's table for functions that stand in its own file under the usual names. */
#ifndef YOKE_OWN_H
#define YOKE_OWN_H

#define YK_OWN_PREPARATION .layout = layout, .init = init, .fini = fini, .start = start
#define YK_OWN_PHASE       .coarse = coarse, .fine_target = fine_target, .fine_absorb = fine_absorb, .sync = sync
#define YK_OWN_STATE       .state = state, .resume = resume

#endif
