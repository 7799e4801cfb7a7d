/* HDF5 file driver over a file descriptor.
 *
 * HDF5 1.10 does not survive a failed write: it tries again at every close and at exit, and then reads freed memory. So
 * this driver reports success in any case. After the first failure it writes nothing more, which leaves the file as a
 * SIGKILL at that moment would have, and it keeps the reason for the recorder. */
#include "record/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct disk_file {
    H5FD_t common; /* HDF5's own part, which must come first */
    struct yk_disk *disk;
    haddr_t allocated, size; /* end of what HDF5 has given out; end of the file */
};

/* HDF5 may open twice, first without and then with leave to create; the file is there already and empty. */
static H5FD_t *open_disk(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    struct yk_disk *const *disk = H5Pget_driver_info(access);
    struct disk_file *file = calloc(1, sizeof *file);
    struct stat there;

    if (!disk || !file || fstat((*disk)->fd, &there)) {
        free(file);
        return NULL;
    }
    file->disk = *disk;
    file->size = (haddr_t)there.st_size;
    return &file->common;
}

static herr_t close_disk(H5FD_t *self)
{
    free(self);
    return 0;
}

static herr_t query(const H5FD_t *self, unsigned long *features)
{
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t get_allocated(const H5FD_t *self, H5FD_mem_t type)
{
    return ((const struct disk_file *)self)->allocated;
}

static herr_t set_allocated(H5FD_t *self, H5FD_mem_t type, haddr_t end)
{
    struct disk_file *file = (struct disk_file *)self;

    file->allocated = file->disk->allocated = end;
    return 0;
}

static haddr_t get_size(const H5FD_t *self, H5FD_mem_t type)
{
    return ((const struct disk_file *)self)->size;
}

/* Beyond the end of the file there are zeros. */
static herr_t read_disk(H5FD_t *self, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *buffer)
{
    struct disk_file *file = (struct disk_file *)self;
    char *to = buffer;

    while (size > 0) {
        ssize_t n = pread(file->disk->fd, to, size, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0) {
            memset(to, 0, size);
            break;
        }
        to += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t write_disk(H5FD_t *self, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *buffer)
{
    struct disk_file *file = (struct disk_file *)self;
    const char *from = buffer;
    const haddr_t end = at + size;

    while (size > 0 && !file->disk->error) {
        ssize_t n = pwrite(file->disk->fd, from, size, (off_t)at);

        if (n > 0) {
            from += n;
            at += (haddr_t)n;
            size -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            file->disk->error = n ? errno : EIO;
        }
    }
    if (file->size < end)
        file->size = end;
    return 0;
}

/* Makes the file as long as HDF5 believes it is. */
static herr_t truncate_disk(H5FD_t *self, hid_t transfer, hbool_t closing)
{
    struct disk_file *file = (struct disk_file *)self;

    if (file->size != file->allocated && !file->disk->error && ftruncate(file->disk->fd, (off_t)file->allocated))
        file->disk->error = errno;
    file->size = file->allocated;
    return 0;
}

/* The recorder has its own lock; but only in a file that can be locked does HDF5 mark that it is being written. */
static herr_t lock_disk(H5FD_t *self, hbool_t exclusive)
{
    return 0;
}

static herr_t unlock_disk(H5FD_t *self)
{
    return 0;
}

static const H5FD_class_t driver_class = {
    .name = "yoke-disk",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct yk_disk *),
    .open = open_disk,
    .close = close_disk,
    .query = query,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_size,
    .read = read_disk,
    .write = write_disk,
    .truncate = truncate_disk,
    .lock = lock_disk,
    .unlock = unlock_disk,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

void yk_disk_use(hid_t access, struct yk_disk *disk)
{
    static hid_t driver = -1; /* of the process, like all HDF5 identifiers */

    if (driver < 0 || H5Iget_type(driver) != H5I_VFL)
        driver = H5FDregister(&driver_class);
    H5Pset_driver(access, driver, &disk);
}

bool yk_disk_reserve(struct yk_disk *disk, size_t bytes)
{
    const haddr_t end = disk->allocated + bytes;
    struct rlimit most;

    if (end <= disk->reserved)
        return true;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && end > most.rlim_cur)
        return errno = EFBIG, false;
    if (fallocate(disk->fd, FALLOC_FL_KEEP_SIZE, (off_t)disk->reserved, (off_t)(end - disk->reserved)) &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return false;
    disk->reserved = end;
    return true;
}

void yk_disk_release(struct yk_disk *disk)
{
    struct stat there;

    if (disk->reserved > 0 && fstat(disk->fd, &there) == 0 && ftruncate(disk->fd, there.st_size) == 0)
        disk->reserved = 0;
}
