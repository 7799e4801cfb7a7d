/* The file under a recording that is being written, as HDF5 sees it: a disk that never fails. */
#ifndef YOKE_RECORD_DISK_H
#define YOKE_RECORD_DISK_H

#include <hdf5.h>
#include <stdbool.h>

struct yk_disk {
    int fd;    /* open for reading and writing; not closed with the HDF5 file */
    int error; /* errno of the first failed write; from then on the file does not change any more */

    /* private */
    haddr_t allocated, reserved; /* bytes that HDF5 has given out; for which the file system has promised room */
};

/* Makes files that are created with `access` live in `disk`, which must outlive them. Between yk_h5_enter and leave. */
void yk_disk_use(hid_t access, struct yk_disk *disk);
/* Reserves room for the file to grow by this many bytes; false: impossible, and nothing has changed. True also if the
 * file system cannot reserve. */
bool yk_disk_reserve(struct yk_disk *disk, size_t bytes);
/* Releases reserved room that was not used. */
void yk_disk_release(struct yk_disk *disk);

#endif
