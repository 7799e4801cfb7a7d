/* The file under a recording that is being written, as HDF5 sees it: a disk that never fails. */
#ifndef YOKE_RECORD_DISK_H
#define YOKE_RECORD_DISK_H

#include <hdf5.h>

struct yk_disk {
    int fd;    /* open for reading and writing; not closed with the HDF5 file */
    int error; /* errno of the first failed write; from then on the file does not change any more */
};

/* Makes files that are created with `access` live in `disk`, which must outlive them. Between yk_h5_enter and leave. */
void yk_disk_use(hid_t access, struct yk_disk *disk);

#endif
