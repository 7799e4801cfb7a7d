/* A checksum in front of a file. HDF5 can leave the first bytes of a file to its user (a user block): they hold, as
 * text, the checksum of the rest. It is verified before HDF5 reads the file. */
#ifndef YOKE_SEAL_H
#define YOKE_SEAL_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/file.h>

enum { YK_SEAL_BYTES = 512 }; /* the smallest that HDF5 allows */

enum yk_seal {
    YK_SEAL_WHOLE,  /* the checksum is right                                */
    YK_SEAL_ABSENT, /* HDF5 begins at once: a file without a checksum       */
    YK_SEAL_BROKEN, /* anything else                                        */
};

/* Writes the user block of a file that is closed. */
enum yk_status yk_seal_put(const char *path, struct yk_err *err);
enum yk_status yk_seal_look(const char *path, enum yk_seal *seal, struct yk_err *err);

#endif
