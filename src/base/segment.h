/* A named block of memory that processes share (/dev/shm/yoke-<name>). Its owner made it and holds a lock on it, which
 * the kernel lets go when the owner ends in whatever way: a block that nobody owns is a remnant, and is replaced. */
#ifndef YOKE_SEGMENT_H
#define YOKE_SEGMENT_H

#include <stdbool.h>
#include <yoke/status.h>

struct yk_segment {
    void *at;
    size_t size;
    int fd;
    bool owned;
    char path[96]; /* as shm_open has it */
};

/* Zeroed, touched and owned. `mode`: who else may open it (0600: the same user; 0644: anybody may read). */
enum yk_status yk_segment_create(struct yk_segment *s, const char *name, size_t size, unsigned mode,
                                 struct yk_err *err);
/* Of another process, at least `size` bytes. */
enum yk_status yk_segment_open(struct yk_segment *s, const char *name, size_t size, bool writable, struct yk_err *err);
bool yk_segment_has_owner(const struct yk_segment *s);
/* The owner also removes the name. */
void yk_segment_close(struct yk_segment *s);

#endif
