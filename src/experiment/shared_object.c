/* Is a shared object complete? All that its ELF headers name must lie within the file (System V ABI, chapter 4:
 * segments in the program headers, and the section headers, which linkers put at the end). */
#include "experiment/shared_object.h"
#include <yoke/file.h>

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Do `length` bytes from `offset` lie within the file? */
static bool lies_within(uint64_t size, uint64_t offset, uint64_t length)
{
    return offset <= size && length <= size - offset;
}

static bool segments_are_there(int fd, uint64_t size, const ElfW(Ehdr) * header)
{
    for (size_t i = 0; i < header->e_phnum; i++) {
        const off_t at = (off_t)(header->e_phoff + i * sizeof(ElfW(Phdr)));
        ElfW(Phdr) segment;

        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return false;
        if (segment.p_type == PT_LOAD && !lies_within(size, segment.p_offset, segment.p_filesz))
            return false;
    }
    return true;
}

static bool is_whole(int fd, uint64_t size)
{
    ElfW(Ehdr) header;
    const ssize_t got = pread(fd, &header, sizeof header, 0);

    if (got >= SELFMAG && memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return true; /* not ELF at all */
    return got == sizeof header && lies_within(size, header.e_shoff, (uint64_t)header.e_shnum * header.e_shentsize) &&
           lies_within(size, header.e_phoff, (uint64_t)header.e_phnum * sizeof(ElfW(Phdr))) &&
           segments_are_there(fd, size, &header);
}

enum yk_status yk_shared_object_check(const char *path, struct yk_err *err)
{
    enum yk_status st = yk_file_check(path, err);
    struct stat about;
    int fd;

    if (st)
        return st;
    if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    if (fstat(fd, &about) != 0)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "%s", strerror(errno));
    else if (!is_whole(fd, (uint64_t)about.st_size))
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                        "the file is truncated after %lld bytes; build or copy it again", (long long)about.st_size);
    close(fd);
    return st;
}
