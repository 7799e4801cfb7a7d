/* A named block of memory that processes share (/dev/shm/yoke-<name>). Its owner made it and holds a lock on it, which
 * the kernel releases when the owner ends in any way: a block without a lock is a remnant, and is replaced. Only the
 * holder of the lock may remove the name.
 *
 * Access to a truncated block (ftruncate) raises SIGBUS. Programs that use blocks call yk_segment_mend from their
 * SIGBUS handler; the memory is then private and zero, and yk_segment_is_cut returns true. */
#ifndef YOKE_SEGMENT_H
#define YOKE_SEGMENT_H

#include <stdbool.h>
#include <yoke/status.h>

struct yk_segment {
    void *at;
    size_t size;
    int fd;
    bool owned;
    struct yk_segment_spare *spare;
    char path[96]; /* as for shm_open */
};

/* May a block have this name? */
enum yk_status yk_segment_check_name(const char *name, struct yk_err *err);
/* Is there something of this name that belongs to another user? Anybody can make it, in a folder that all share. */
bool yk_segment_is_anothers(const char *name);
/* Zeroed, touched and owned. `mode`: who else may open it (0600: the same user; 0644: anybody may read). */
enum yk_status yk_segment_create(struct yk_segment *s, const char *name, size_t size, unsigned mode,
                                 struct yk_err *err);
/* Opens a block of another process, at least `size` bytes. Refused if anybody but its user could write to it. Writing
 * needs the same user, and no read permission for others. */
enum yk_status yk_segment_open(struct yk_segment *s, const char *name, size_t size, bool writable, struct yk_err *err);
bool yk_segment_has_owner(const struct yk_segment *s);
/* Is the user of this process also the one of the block? */
bool yk_segment_is_mine(const struct yk_segment *s);
/* Was it truncated while it was in use? Its contents are then private. */
bool yk_segment_is_cut(const struct yk_segment *s) YK_RT;
/* The owner also removes the name. */
void yk_segment_close(struct yk_segment *s);

/* For a handler of SIGBUS (async-signal-safe): maps private memory over a truncated block. False: the address lies in
 * no block. */
bool yk_segment_mend(const void *address);
/* Removes the blocks of this user whose owners are gone; returns how many. */
int yk_segment_sweep(void);

#endif
