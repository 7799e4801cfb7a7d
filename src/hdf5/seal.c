/* A checksum in front of a file: see seal.h. */
#include "hdf5/seal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char words[] = "yoke: CRC-64/XZ of all bytes after these %d is %016llx\n";
static const char hdf5[8] = "\x89HDF\r\n\x1a\n";

uint64_t yk_crc64(uint64_t crc, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t table[256];

    for (uint64_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
    }
    crc = ~crc;
    for (size_t i = 0; i < size; i++)
        crc = table[(crc ^ p[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

/* The block as it must be for the rest of the file, which is read to its end. */
static void make_block(FILE *in, char block[YK_SEAL_BYTES])
{
    char piece[1 << 16];
    uint64_t crc = 0;
    size_t got;

    while ((got = fread(piece, 1, sizeof piece, in)) > 0)
        crc = yk_crc64(crc, piece, got);
    memset(block, 0, YK_SEAL_BYTES);
    snprintf(block, YK_SEAL_BYTES, words, YK_SEAL_BYTES, (unsigned long long)crc);
}

enum yk_status yk_seal_put(const char *path, struct yk_err *err)
{
    FILE *file = fopen(path, "r+");
    char block[YK_SEAL_BYTES];
    bool good = file && fseek(file, YK_SEAL_BYTES, SEEK_SET) == 0;

    if (good) {
        make_block(file, block);
        good = !ferror(file) && fseek(file, 0, SEEK_SET) == 0 && fwrite(block, sizeof block, 1, file) == 1;
    }
    if (file && fclose(file))
        good = false;
    return good ? YK_OK : yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
}

enum yk_status yk_seal_look(const char *path, enum yk_seal *seal, struct yk_err *err)
{
    FILE *in = fopen(path, "r");
    char there[YK_SEAL_BYTES] = "", wanted[YK_SEAL_BYTES];

    if (!in)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    const size_t got = fread(there, 1, sizeof there, in);
    *seal = YK_SEAL_BROKEN;
    if (got >= sizeof hdf5 && memcmp(there, hdf5, sizeof hdf5) == 0) {
        *seal = YK_SEAL_ABSENT;
    } else if (got == sizeof there) {
        make_block(in, wanted);
        if (!ferror(in) && memcmp(there, wanted, sizeof there) == 0)
            *seal = YK_SEAL_WHOLE;
    }
    fclose(in);
    return YK_OK;
}
