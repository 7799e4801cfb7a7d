/* HDF5 files that somebody else may have made. They are read in a process of their own (base/apart.h): a file that
 * breaks the library ends that process, and the caller gets a message.
 *
 * One function opens objects and one reads them (reader.c). An object is an attribute of the file, or a data set that
 * hard links lead to. Its data are in the file itself: no external storage, no virtual data set, no link elsewhere. Its
 * type is a usual number or a text of fixed length, and it claims no more bytes than the file can hold. Nothing else in
 * the program reads with HDF5; `tests/e2e/one_place.sh` shows it. */
#ifndef YOKE_H5_READER_H
#define YOKE_H5_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <yoke/status.h>

struct yk_h5_file; /* opaque: owns a process */

enum yk_h5_kind { YK_H5_ABSENT, YK_H5_INTEGERS, YK_H5_REALS, YK_H5_TEXTS, YK_H5_GROUP, YK_H5_KINDS };

enum { YK_H5_RANK = 2, YK_H5_NAME = 256, YK_H5_TEXT_MOST = 64 << 20 };

struct yk_h5_object {
    enum yk_h5_kind kind;
    uint64_t size; /* bytes of one text, without a final zero; 0: numbers */
    int rank;      /* 0: a single value                                   */
    uint64_t extent[YK_H5_RANK];
};

/* `own`: this user's program has just written the file, so it is read in this process. Messages of all three are the
 * words of HDF5 or of the check, with no place: the caller knows what the file should be. After a failure of the
 * process itself they begin with "its reader". */
enum yk_status yk_h5_open(struct yk_h5_file **file, const char *path, bool own, struct yk_err *err);
void yk_h5_close(struct yk_h5_file *file);

/* Kind of the object `name`: an attribute of the file, or a data set or group, "name" or "group/name". An absent one is
 * no error.
 */
enum yk_status yk_h5_find(struct yk_h5_file *file, const char *name, struct yk_h5_object *object, struct yk_err *err);
/* Name of the group with this number, in the order of creation if the file has kept it; *name is "" after the last. */
enum yk_status yk_h5_group(struct yk_h5_file *file, uint64_t number, char name[YK_H5_NAME], struct yk_err *err);

/* Types of values in memory. */
enum yk_h5_type { YK_H5_DOUBLE, YK_H5_INT64, YK_H5_UINT64, YK_H5_TEXT };
struct yk_h5_part {
    enum yk_h5_type type;
    uint64_t size;         /* of one text in memory, zeros behind it; a longer one is cut */
    uint64_t first, count; /* rows: of the first dimension; a single value is one row     */
    uint64_t columns;      /* values of a row that there is room for                      */
};
/* Copies `count * columns` values to `to`. Refuses an object of another kind or with another number of columns. */
enum yk_status yk_h5_read(struct yk_h5_file *file, const char *name, const struct yk_h5_part *part, void *to,
                          struct yk_err *err);

#endif
