/* A guard for what is constant: memory that a thread takes from the heap between guard_begin and guard_end comes from
 * pages of its own, which are read-only from guard_end to guard_release. Prepare a plan in between, and any later write
 * to its matrices, factors, tables, start values, names, or to the state that motions are copied from is a segmentation
 * fault. Memory that other threads take is not guarded, nor is what the C library or the loader keeps elsewhere. */
#ifndef YOKE_TEST_GUARD_H
#define YOKE_TEST_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* False where the heap belongs to a sanitizer, or the C library is not glibc: nothing is guarded then. */
bool guard_works(void);
void guard_begin(void);
/* Returns how many bytes are read-only now. */
size_t guard_end(void);
/* Everything may be written again; before what was prepared is destroyed. */
void guard_release(void);
bool guard_holds(const void *memory);

/* Every test program: models that it opens (yk_model_open, _read, _vary, _on_rig, _create, _complete) are guarded from
 * then on until yk_model_close, by wrapped functions (guard_models.c). YOKE_GUARD=off in the environment switches that
 * off. Of two threads that open models at the same time, one has its model guarded. */

/* The pages taken since guard_begin, for guard_open. */
struct guard_part {
    size_t from, to;
};
struct guard_part guard_seal(void); /* as guard_end */
void guard_open(struct guard_part part);
bool guard_is_on(void);     /* of this thread: between guard_begin and guard_end */
void guard_switch(bool on); /* within these two: memory that is taken while it is off may be written */

/* For the heap functions of trap.c. NULL: not guarded, take it elsewhere. */
void *guard_take(size_t alignment, size_t size);
size_t guard_size(const void *memory);

#endif
