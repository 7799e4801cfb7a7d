/* A checksum in front of a file. HDF5 leaves the first bytes of a file to its user where it is asked to (a user block):
 * there stands, in words, the checksum of all the rest. It is verified before HDF5 sees anything of the file. */
#ifndef YOKE_SEAL_H
#define YOKE_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

enum { YK_SEAL_BYTES = 512 }; /* the least that HDF5 offers */

enum yk_seal {
    YK_SEAL_WHOLE,  /* the checksum is right                                */
    YK_SEAL_ABSENT, /* HDF5 begins at once: a file without a checksum       */
    YK_SEAL_BROKEN, /* anything else                                        */
};

/* CRC-64/XZ (polynomial of ECMA-182); `crc` is 0, or what the bytes before gave. */
uint64_t yk_crc64(uint64_t crc, const void *bytes, size_t size);
/* Writes the user block of a file that is closed. */
enum yk_status yk_seal_put(const char *path, struct yk_err *err);
enum yk_status yk_seal_look(const char *path, enum yk_seal *seal, struct yk_err *err);

#endif
