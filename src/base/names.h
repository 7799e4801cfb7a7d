/* Places of names in a growing table, by hashing: files name thousands of degrees of freedom thousands of times. */
#ifndef YOKE_BASE_NAMES_H
#define YOKE_BASE_NAMES_H

#include <stddef.h>

/* Index of one table; all zeros to begin with. Names may be added at the end of the table at any time. After any other
 * change of it, call yk_names_free. */
struct yk_names {
    size_t *slots; /* 1 + place of a name, 0: free     */
    size_t room;   /* slots, a power of two            */
    size_t known;  /* names of the table that are here */
};

/* The first place of the name among `count`, or -1. The pointers to the names lie `stride` bytes apart. Without memory
 * for the index the table itself is searched. */
long yk_names_find(struct yk_names *index, const void *names, size_t stride, size_t count, const char *name);
void yk_names_free(struct yk_names *index);

#endif
