/* Zip archives, through minizip. */
#include "fmi/archive.h"
#include "base/scratch.h"

#include <yoke/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef YOKE_FMI

#include <minizip/unzip.h>
#include <minizip/zip.h>

#define MOST_BYTES  ((uint64_t)2 << 30)
#define SWELLS_FROM ((uint64_t)16 << 20) /* entries below this size may be compressed as well as they like */

enum { MOST_ENTRIES = 10000, LONGEST_NAME = 400, BLOCK = 65536, MOST_SWELLING = 200, STORED = 0, DEFLATED = 8 };

const char *yk_fmu_missing(void)
{
    return NULL;
}

/* ---- reading ---- */

struct reading {
    unzFile zip;
    const char *path, *folder;
    uint64_t total;
};

static enum yk_status refuse(const struct reading *r, struct yk_err *err, const char *name, const char *why)
{
    char shown[81];
    size_t n = 0;

    for (; n < sizeof shown - 1 && name[n]; n++)
        shown[n] = (char)(name[n] < ' ' || name[n] > '~' ? '?' : name[n]);
    shown[n] = 0;
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->path), "the archive is refused: entry '%s' %s", shown, why);
}

/* A relative name that stays in the folder. */
static bool is_harmless(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\') || strlen(name) >= LONGEST_NAME)
        return false;
    for (const char *part = name; part; part = strchr(part, '/'), part = part ? part + 1 : NULL) {
        const size_t length = strcspn(part, "/");

        if ((length == 0 && part[0]) || (length == 2 && strncmp(part, "..", 2) == 0))
            return false;
    }
    return true;
}

static enum yk_status check_entry(struct reading *r, const char *name, const unz_file_info64 *info, struct yk_err *err)
{
    const bool unix_made = info->version >> 8 == 3;
    const unsigned kind = unix_made ? (unsigned)(info->external_fa >> 16) & S_IFMT : 0;

    if (info->size_filename >= LONGEST_NAME || strlen(name) != info->size_filename || !is_harmless(name))
        return refuse(r, err, name, "has a name that is empty, too long, absolute, or leads outside the archive");
    if (kind && kind != S_IFREG && kind != S_IFDIR)
        return refuse(r, err, name, "is a link or a device");
    if (info->flag & 1)
        return refuse(r, err, name, "is encrypted");
    if (info->compression_method != STORED && info->compression_method != DEFLATED)
        return refuse(r, err, name, "is neither stored nor deflated");
    if (info->uncompressed_size > MOST_BYTES || (r->total += info->uncompressed_size) > MOST_BYTES)
        return refuse(r, err, name, "takes the archive beyond 2 GiB");
    if (info->uncompressed_size > SWELLS_FROM &&
        info->uncompressed_size / MOST_SWELLING > (uint64_t)info->compressed_size)
        return refuse(r, err, name, "would grow to more than 200 times its size in the archive");
    return YK_OK;
}

/* The folders above a file. */
static bool make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool failed = mkdir(path, 0700) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed)
            return false;
    }
    return true;
}

static enum yk_status copy_entry(struct reading *r, const char *name, uint64_t size, struct yk_err *err)
{
    unsigned char block[BLOCK]; /* not of the thread: a library that is loaded late has little room for these */
    char path[YK_SCRATCH_PATH + LONGEST_NAME];
    uint64_t written = 0;
    int fd, got = 0;
    enum yk_status st = YK_OK;

    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    if (!make_folders(path, strlen(r->folder) + 1))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be made: %s", strerror(errno));
    if (path[strlen(path) - 1] == '/')
        return YK_OK;
    if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700)) < 0)
        return errno == EEXIST ? refuse(r, err, name, "is there twice")
                               : yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    if (unzOpenCurrentFile(r->zip) != UNZ_OK)
        st = refuse(r, err, name, "cannot be read");
    while (!st && (got = unzReadCurrentFile(r->zip, block, BLOCK)) > 0) {
        written += (uint64_t)got;
        if (written > size)
            st = refuse(r, err, name, "is larger than it says");
        else if (write(fd, block, (size_t)got) != got)
            st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    }
    if (!st && (got < 0 || written != size))
        st = refuse(r, err, name, "is damaged");
    if (unzCloseCurrentFile(r->zip) != UNZ_OK && !st)
        st = refuse(r, err, name, "is damaged: its checksum is wrong");
    close(fd);
    return st;
}

static bool is_wanted(const char *name)
{
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return strcmp(name, "modelDescription.xml") == 0 || strncmp(name, "binaries/", 9) == 0 ||
           strncmp(name, "resources/", 10) == 0;
}

static enum yk_status unpack(struct reading *r, struct yk_err *err)
{
    unz_global_info64 about;
    enum yk_status st = YK_OK;

    if (unzGetGlobalInfo64(r->zip, &about) != UNZ_OK)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->path), "the archive is damaged");
    if (about.number_entry > MOST_ENTRIES)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->path), "the archive has %llu entries; at most %d are read",
                          (unsigned long long)about.number_entry, MOST_ENTRIES);
    for (int at = unzGoToFirstFile(r->zip); !st && at == UNZ_OK; at = unzGoToNextFile(r->zip)) {
        char name[LONGEST_NAME + 1] = "";
        unz_file_info64 info = {0};

        if (unzGetCurrentFileInfo64(r->zip, &info, name, sizeof name - 1, NULL, 0, NULL, 0) != UNZ_OK)
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->path), "the archive is damaged");
        if (!(st = check_entry(r, name, &info, err)) && is_wanted(name))
            st = copy_entry(r, name, info.uncompressed_size, err);
    }
    return st;
}

enum yk_status yk_archive_unpack(const char *path, const char *folder, struct yk_err *err)
{
    struct reading r = {.path = path, .folder = folder};
    enum yk_status st = yk_file_check(path, err);

    if (st)
        return st;
    if (!(r.zip = unzOpen64(path)))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "this is no FMU: not a zip archive, or a damaged one");
    st = unpack(&r, err);
    unzClose(r.zip);
    return st;
}

/* ---- writing ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct yk_archive_entry *)a)->name, ((const struct yk_archive_entry *)b)->name);
}

static bool pack_entry(zipFile zip, const struct yk_archive_entry *e, time_t date)
{
    struct tm tm = {0};
    zip_fileinfo info = {.external_fa = (uLong)(S_IFREG | 0644) << 16};
    enum { MADE_BY_UNIX = 3 << 8 | 20, MEMORY_LEVEL = 8 };

    gmtime_r(&date, &tm);
    info.tmz_date.tm_sec = (uInt)tm.tm_sec;
    info.tmz_date.tm_min = (uInt)tm.tm_min;
    info.tmz_date.tm_hour = (uInt)tm.tm_hour;
    info.tmz_date.tm_mday = (uInt)tm.tm_mday;
    info.tmz_date.tm_mon = (uInt)tm.tm_mon;
    info.tmz_date.tm_year = tm.tm_year < 80 ? 1980 : (uInt)(tm.tm_year + 1900);
    if (zipOpenNewFileInZip4(zip, e->name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, Z_DEFAULT_COMPRESSION, 0,
                             -MAX_WBITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY, NULL, 0, MADE_BY_UNIX, 0) != ZIP_OK)
        return false;
    for (size_t at = 0; at < e->size;) {
        const size_t part = e->size - at < BLOCK ? e->size - at : BLOCK;

        if (zipWriteInFileInZip(zip, (const char *)e->bytes + at, (unsigned)part) != ZIP_OK)
            return false;
        at += part;
    }
    return zipCloseFileInZip(zip) == ZIP_OK;
}

enum yk_status yk_archive_pack(const char *path, struct yk_archive_entry *entries, size_t count, time_t date,
                               struct yk_err *err)
{
    const size_t length = strlen(path) + 6;
    char *part = malloc(length);
    zipFile zip;
    bool good;

    if (!part)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    snprintf(part, length, "%s.part", path);
    const int fd = yk_file_create(part); /* so that the library finds a file of ours and follows no link */

    if (fd >= 0)
        close(fd);
    qsort(entries, count, sizeof *entries, by_name);
    zip = fd >= 0 ? zipOpen64(part, APPEND_STATUS_CREATE) : NULL;
    good = zip != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = pack_entry(zip, &entries[i], date);
    if (zip)
        good = zipClose(zip, NULL) == ZIP_OK && good;
    if (!good || rename(part, path) != 0) {
        const int code = errno;

        unlink(part);
        free(part);
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(code));
    }
    free(part);
    return YK_OK;
}

#else

const char *yk_fmu_missing(void)
{
    return "this build has no FMI: minizip or expat was missing (Debian: libminizip-dev, libexpat1-dev)";
}

enum yk_status yk_archive_unpack(const char *path, const char *folder, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(path), "%s", yk_fmu_missing());
}

enum yk_status yk_archive_pack(const char *path, struct yk_archive_entry *entries, size_t count, time_t date,
                               struct yk_err *err)
{
    return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(path), "%s", yk_fmu_missing());
}

#endif
