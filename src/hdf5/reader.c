/* HDF5 files of strangers: see reader.h. */
#include "hdf5/reader.h"

#include "base/apart.h"
#include "hdf5/h5.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ATTEMPTS_BESIDE_A_WRITER = 26, /* the pauses add up to 2^26 ns = 67 ms             */
    PIECE_BYTES = 4 << 20,         /* that are sent at once, or one row                */
    MOST_PACKED = 1100,            /* zlib makes a thousand bytes of one, and no more  */
    WORDS = 256,
};
static const size_t memory_bytes = (size_t)1 << 30;
static const double request_s = 1.2, byte_s = 1e-7; /* processor time of an answer */

enum what { FIND, GROUP, READ };

struct request {
    enum what what;
    char name[2 * YK_H5_NAME];
    uint64_t number;
    struct yk_h5_part part;
};

struct reply {
    enum yk_status status;
    char words[WORDS]; /* of a failure */
    struct yk_h5_object object;
    char name[YK_H5_NAME];
    uint64_t bytes; /* that follow */
};

/* ---- the child: opening ---------------------------------------------------------------------------------------- */

/* Does a recorder hold its lock on the file? */
static bool being_written(const char *path)
{
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool held = fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;

    if (fd >= 0)
        close(fd);
    return held;
}

/* First as a reader beside a writer, which is also how a killed writer's file opens. A file that another tool has
 * rewritten may only open plainly. The last try ignores the mark that a writer without SWMR leaves when it dies; the
 * file itself is not changed.
 *
 * Beside a writer, HDF5 reads a piece again whose checksum is wrong, since it may be half written, and doubles the
 * pause before each attempt, from 1 ns on; its own 100 attempts would take longer than the world has been there. If
 * nobody writes, a wrong checksum is damage and is reported at once. */
static hid_t open_file(const char *path)
{
    hid_t access = yk_h5_access(), file;

    H5Pset_metadata_read_attempts(access, being_written(path) ? ATTEMPTS_BESIDE_A_WRITER : 1);
    file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (file < 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0 && !being_written(path)) {
        H5Pset(access, "clear_status_flags", &(hbool_t){true});
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    if (file >= 0)
        yk_h5_forget();
    return file;
}

/* The one object that is open, since most requests are about the same as the one before. */
struct open_object {
    char name[2 * YK_H5_NAME];
    struct yk_h5_object is;
    H5T_cset_t letters; /* of texts */
    hid_t id, space;    /* -1: not open */
    bool attribute;
};

struct child {
    const char *path;
    hid_t file;
    struct open_object open;
};

static enum yk_status refuse(struct reply *r, const char *name, const char *words)
{
    r->status = YK_E_INPUT;
    snprintf(r->words, sizeof r->words, "'%.60s' %s", name, words);
    return r->status;
}

/* Every part of "group/name" must be a hard link: a soft or external one leads elsewhere. YK_H5_ABSENT: there is none;
 * YK_H5_GROUP: there is something. */
static enum yk_h5_kind follow(hid_t file, const char *name, struct reply *r)
{
    char part[2 * YK_H5_NAME];
    H5L_info_t link;

    for (const char *end = name; *end; end += *end == '/') {
        end += strcspn(end, "/");
        snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return YK_H5_ABSENT;
        if (H5Lget_info(file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
            refuse(r, part, "is a link to somewhere else, which is not followed");
            return YK_H5_ABSENT;
        }
    }
    return YK_H5_GROUP;
}

/* Numbers as every machine has them, in either order of bytes; texts of fixed length. */
static enum yk_h5_kind kind_of(hid_t type, uint64_t *size)
{
    const hid_t integers[] = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U8LE,  H5T_STD_U16LE,
                              H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I8BE,  H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE,
                              H5T_STD_U8BE,  H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE};
    const hid_t reals[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};

    *size = 0;
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        *size = H5Tget_size(type);
        return *size > 0 && *size <= YK_H5_TEXT_MOST ? YK_H5_TEXTS : YK_H5_ABSENT;
    }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (H5Tequal(type, integers[i]) > 0)
            return YK_H5_INTEGERS;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (H5Tequal(type, reals[i]) > 0)
            return YK_H5_REALS;
    return YK_H5_ABSENT;
}

/* A form that is known, and no more values than the file can hold. */
static bool check_extent(const struct child *c, const char *name, hid_t type, bool packed, struct open_object *o,
                         struct reply *r)
{
    const H5S_class_t class = H5Sget_simple_extent_type(o->space);
    const uint64_t value = H5Tget_size(type);
    hsize_t extent[H5S_MAX_RANK] = {0};
    uint64_t values = 1;
    struct stat file;

    o->is.rank = class == H5S_SCALAR ? 0 : H5Sget_simple_extent_ndims(o->space);
    if ((class != H5S_SCALAR && class != H5S_SIMPLE) || o->is.rank < 0 || o->is.rank > YK_H5_RANK ||
        H5Sget_simple_extent_dims(o->space, extent, NULL) != o->is.rank || value == 0)
        return refuse(r, name, "has a form that is not read"), false;
    for (int k = 0; k < o->is.rank; k++) {
        o->is.extent[k] = extent[k];
        values = extent[k] > 0 && values > UINT64_MAX / extent[k] ? UINT64_MAX : values * extent[k];
    }
    /* after the extent was read: a file that is being written grows */
    if (stat(c->path, &file) == 0 && values > (uint64_t)file.st_size / value * (packed ? MOST_PACKED : 1))
        return refuse(r, name, "claims more values than the file can hold"), false;
    return true;
}

/* Are the data of a set in this file? Packed: by a filter. */
static bool check_storage(hid_t set, const char *name, bool *packed, struct reply *r)
{
    hid_t create = H5Dget_create_plist(set);
    const bool inside = H5Pget_external_count(create) == 0 && H5Pget_layout(create) != H5D_VIRTUAL;

    *packed = H5Pget_nfilters(create) > 0;
    H5Pclose(create);
    return inside || (refuse(r, name, "has its data in another file, which is not read"), false);
}

static void forget(struct open_object *o)
{
    if (o->space >= 0)
        H5Sclose(o->space);
    if (o->id >= 0 && o->attribute)
        H5Aclose(o->id);
    else if (o->id >= 0)
        H5Dclose(o->id);
    *o = (struct open_object){.id = -1, .space = -1};
}

/* The one function that opens objects. An absent one, and a group, is no failure and is not open afterwards. */
static void open_object(struct child *c, const char *name, struct reply *r)
{
    struct open_object *o = &c->open;
    H5O_info_t about;
    bool packed = false;
    hid_t type;

    if (strcmp(o->name, name) == 0 && o->id >= 0)
        return;
    forget(o);
    o->attribute = !strchr(name, '/') && H5Aexists(c->file, name) > 0;
    if (!o->attribute) {
        if (follow(c->file, name, r) == YK_H5_ABSENT ||
            H5Oget_info_by_name2(c->file, name, &about, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
            return;
        if (about.type == H5O_TYPE_GROUP) {
            o->is.kind = YK_H5_GROUP;
            return;
        }
        if (about.type != H5O_TYPE_DATASET) {
            refuse(r, name, "is not a data set");
            return;
        }
    }
    o->id = o->attribute ? H5Aopen(c->file, name, H5P_DEFAULT) : H5Dopen2(c->file, name, H5P_DEFAULT);
    o->space = o->attribute ? H5Aget_space(o->id) : H5Dget_space(o->id);
    type = o->attribute ? H5Aget_type(o->id) : H5Dget_type(o->id);
    if ((o->is.kind = kind_of(type, &o->is.size)) == YK_H5_ABSENT && !*yk_h5_reason())
        refuse(r, name, "is neither numbers nor texts of fixed length");
    if (o->is.kind == YK_H5_TEXTS)
        o->letters = H5Tget_cset(type);
    if (!r->status && (o->attribute || check_storage(o->id, name, &packed, r)))
        check_extent(c, name, type, packed, o, r);
    H5Tclose(type);
    snprintf(o->name, sizeof o->name, "%s", name);
    if (r->status || *yk_h5_reason())
        forget(o);
}

/* ---- the child: reading ---------------------------------------------------------------------------------------- */

static hid_t memory_type(const struct yk_h5_part *part, H5T_cset_t letters)
{
    hid_t type;

    if (part->type != YK_H5_TEXT)
        return H5Tcopy(part->type == YK_H5_DOUBLE  ? H5T_NATIVE_DOUBLE
                       : part->type == YK_H5_INT64 ? H5T_NATIVE_INT64
                                                   : H5T_NATIVE_UINT64);
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, part->size);
    H5Tset_cset(type, letters); /* HDF5 converts none */
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

/* Bytes of one row in memory; 0: of another kind or size, or rows that are not there. */
static uint64_t row_bytes(const struct yk_h5_object *is, const struct yk_h5_part *part)
{
    const uint64_t rows = is->rank > 0 ? is->extent[0] : 1, columns = is->rank > 1 ? is->extent[1] : 1;
    const uint64_t value = part->type == YK_H5_TEXT ? part->size : sizeof(double);
    const bool fits = part->type == YK_H5_TEXT     ? is->kind == YK_H5_TEXTS
                      : part->type == YK_H5_DOUBLE ? is->kind == YK_H5_REALS || is->kind == YK_H5_INTEGERS
                                                   : is->kind == YK_H5_INTEGERS;

    if (!fits || part->columns != columns || part->first > rows || part->count > rows - part->first || value == 0 ||
        value > YK_H5_TEXT_MOST || columns == 0 || columns > ((uint64_t)1 << 40) / value)
        return 0;
    return value * columns;
}

/* The one function that reads them. NULL after a failure. */
static void *read_object(const struct open_object *o, const struct yk_h5_part *part, struct reply *r)
{
    const uint64_t row = row_bytes(&o->is, part);
    const hsize_t start[YK_H5_RANK] = {part->first, 0}, block[YK_H5_RANK] = {part->count, part->columns};
    hid_t type, memory;
    void *data;
    herr_t good;

    if (!row || part->count > SIZE_MAX / row ||
        (o->attribute &&
         (part->first || part->count * part->columns != (uint64_t)H5Sget_simple_extent_npoints(o->space))))
        return refuse(r, o->name, "is of another kind or size than expected"), NULL;
    if (!(data = calloc(part->count, row))) {
        r->status = YK_E_MEMORY;
        snprintf(r->words, sizeof r->words, "out of memory");
        return NULL;
    }
    type = memory_type(part, o->letters);
    if (o->attribute) {
        good = H5Aread(o->id, type, data);
    } else if (o->is.rank == 0) {
        good = H5Dread(o->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    } else {
        memory = H5Screate_simple(o->is.rank, block, NULL);
        H5Sselect_hyperslab(o->space, H5S_SELECT_SET, start, NULL, block, NULL);
        good = H5Dread(o->id, type, memory, o->space, H5P_DEFAULT, data);
        H5Sclose(memory);
    }
    H5Tclose(type);
    if (good >= 0 && !*yk_h5_reason()) {
        r->bytes = part->count * row;
        return data;
    }
    free(data);
    return NULL;
}

/* ---- the child: groups and requests ---------------------------------------------------------------------------- */

struct count {
    uint64_t left;
    char *name;
};

static herr_t count_group(hid_t root, const char *name, const H5L_info_t *link, void *self)
{
    struct count *c = self;
    H5O_info_t object;

    if (link->type != H5L_TYPE_HARD)
        return 0;
    if (H5Oget_info_by_name2(root, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        return -1;
    if (object.type != H5O_TYPE_GROUP || c->left-- > 0)
        return 0;
    if (strlen(name) >= YK_H5_NAME)
        return -1;
    strcpy(c->name, name);
    return 1;
}

static void name_group(hid_t file, uint64_t number, struct reply *r)
{
    struct count count = {number, r->name};
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT), create = H5Gget_create_plist(root);
    unsigned order = 0;

    H5Pget_link_creation_order(create, &order);
    H5Pclose(create);
    H5Gclose(root);
    if (H5Literate(file, (order & H5P_CRT_ORDER_TRACKED) ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, NULL,
                   count_group, &count) < 0)
        refuse(r, "/", "cannot be listed");
}

/* A failure of HDF5 that nothing else has explained. */
static void note_reason(struct reply *r)
{
    if (!*yk_h5_reason() || r->status)
        return;
    r->status = YK_E_IO;
    snprintf(r->words, sizeof r->words, "%s", yk_h5_reason());
}

static double spends_s(const struct yk_h5_part *part)
{
    const uint64_t value = part->type == YK_H5_TEXT ? part->size : sizeof(double);

    return request_s + byte_s * (double)part->count * (double)part->columns * (double)value;
}

/* The data that go with the reply, malloc'd, or NULL. */
static void *find_answer(struct child *c, const struct request *q, struct reply *r)
{
    void *data = NULL;

    yk_h5_forget();
    *r = (struct reply){0};
    if (q->what == GROUP) {
        name_group(c->file, q->number, r);
    } else {
        open_object(c, q->name, r);
        note_reason(r);
        r->object = c->open.is;
        if (q->what == READ && !r->status && c->open.id < 0)
            refuse(r, q->name, "is not there");
        if (q->what == READ && !r->status)
            data = read_object(&c->open, &q->part, r);
    }
    note_reason(r);
    return data;
}

static bool answer(struct child *c, struct request *q, int channel)
{
    struct reply r;
    bool sent;

    yk_apart_spend(spends_s(&q->part));
    q->name[sizeof q->name - 1] = 0;
    void *data = find_answer(c, q, &r);
    sent = yk_apart_send(channel, &r, sizeof r) && yk_apart_send(channel, data, r.bytes);
    free(data);
    return sent;
}

/* After the file is open, no other can be: neither storage elsewhere nor a filter that would have to be loaded. */
static void serve(void *self, int channel)
{
    struct child c = {.path = self, .open = {.id = -1, .space = -1}};
    struct request q;
    struct reply r = {0};

    yk_apart_spend(request_s);
    yk_h5_listen();
    c.file = open_file(c.path);
    note_reason(&r);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
    if (!yk_apart_send(channel, &r, sizeof r) || c.file < 0)
        return;
    while (yk_apart_receive(channel, &q, sizeof q, INFINITY) && answer(&c, &q, channel))
        ;
}

/* ---- the caller ------------------------------------------------------------------------------------------------ */

struct yk_h5_file {
    struct yk_apart_server reader;
    struct child *here;   /* of a file of our own: in this process; NULL: in the child */
    pthread_mutex_t lock; /* one request at a time */
    char *path;
};

/* Replies of the child are checked as strictly as a file: it may be under a stranger's control. */
static enum yk_status take_reply(struct yk_h5_file *f, struct reply *r, double cpu_s, struct yk_err *err)
{
    if (!f->here && !yk_apart_receive(f->reader.channel, r, sizeof *r, YK_APART_WAIT_S + 2 * cpu_s))
        return yk_apart_fail(&f->reader, cpu_s, err);
    r->words[sizeof r->words - 1] = 0;
    r->name[sizeof r->name - 1] = 0;
    if (r->status == YK_OK && r->object.rank >= 0 && r->object.rank <= YK_H5_RANK &&
        (unsigned)r->object.kind < YK_H5_KINDS)
        return YK_OK;
    return yk_fail(err, r->status == YK_E_IO || r->status == YK_E_MEMORY ? r->status : YK_E_INPUT, "%s",
                   *r->words ? r->words : "HDF5 does not say why");
}

static enum yk_status ask_here(struct yk_h5_file *f, const struct request *q, struct reply *r, void *to, uint64_t bytes,
                               struct yk_err *err)
{
    yk_h5_enter();
    void *data = find_answer(f->here, q, r);
    yk_h5_leave();
    enum yk_status st = take_reply(f, r, 0, err);

    if (!st && r->bytes == bytes && bytes > 0)
        memcpy(to, data, bytes);
    else if (!st && r->bytes != bytes)
        st = yk_fail(err, YK_E_INPUT, "HDF5 read another number of bytes");
    free(data);
    return st;
}

static enum yk_status ask(struct yk_h5_file *f, const struct request *q, struct reply *r, void *to, uint64_t bytes,
                          struct yk_err *err)
{
    const double cpu_s = spends_s(&q->part);
    enum yk_status st;

    pthread_mutex_lock(&f->lock);
    if (f->here)
        st = ask_here(f, q, r, to, bytes, err);
    else if (f->reader.channel < 0)
        st = yk_fail(err, YK_E_INPUT, "its reader has ended");
    else if (!yk_apart_send(f->reader.channel, q, sizeof *q) ||
             (!(st = take_reply(f, r, cpu_s, err)) &&
              (r->bytes != bytes || !yk_apart_receive(f->reader.channel, to, bytes, YK_APART_WAIT_S))))
        st = yk_apart_fail(&f->reader, cpu_s, err);
    pthread_mutex_unlock(&f->lock);
    return st;
}

static enum yk_status open_here(struct yk_h5_file *f, struct reply *r, struct yk_err *err)
{
    if (!(f->here = calloc(1, sizeof *f->here)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    *f->here = (struct child){.path = f->path, .open = {.id = -1, .space = -1}};
    *r = (struct reply){0};
    yk_h5_enter();
    f->here->file = open_file(f->path);
    note_reason(r);
    yk_h5_leave();
    return YK_OK;
}

enum yk_status yk_h5_open(struct yk_h5_file **file, const char *path, bool own, struct yk_err *err)
{
    struct yk_h5_file *f = calloc(1, sizeof *f);
    struct reply r;
    enum yk_status st;

    *file = NULL;
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    pthread_mutex_init(&f->lock, NULL);
    if (own) {
        st = open_here(f, &r, err);
    } else {
        yk_h5_enter(); /* nobody is inside HDF5 while the process is copied */
        st = yk_apart_start(&f->reader, serve, f->path, memory_bytes, err);
        yk_h5_leave();
    }
    if (!st)
        st = take_reply(f, &r, request_s, err);
    if (st)
        yk_h5_close(f);
    else
        *file = f;
    return st;
}

void yk_h5_close(struct yk_h5_file *f)
{
    if (!f)
        return;
    if (f->here) {
        yk_h5_enter();
        forget(&f->here->open);
        if (f->here->file >= 0)
            H5Fclose(f->here->file);
        yk_h5_leave();
        free(f->here);
    } else {
        yk_apart_stop(&f->reader);
    }
    pthread_mutex_destroy(&f->lock);
    free(f->path);
    free(f);
}

enum yk_status yk_h5_find(struct yk_h5_file *f, const char *name, struct yk_h5_object *object, struct yk_err *err)
{
    struct request q = {.what = FIND};
    struct reply r;
    enum yk_status st;

    snprintf(q.name, sizeof q.name, "%s", name);
    st = ask(f, &q, &r, NULL, 0, err);
    *object = (struct yk_h5_object){0};
    if (!st)
        *object = r.object;
    return st;
}

enum yk_status yk_h5_group(struct yk_h5_file *f, uint64_t number, char name[YK_H5_NAME], struct yk_err *err)
{
    const struct request q = {.what = GROUP, .number = number};
    struct reply r;
    const enum yk_status st = ask(f, &q, &r, NULL, 0, err);

    snprintf(name, YK_H5_NAME, "%s", st ? "" : r.name);
    return st;
}

enum yk_status yk_h5_read(struct yk_h5_file *f, const char *name, const struct yk_h5_part *part, void *to,
                          struct yk_err *err)
{
    const uint64_t value = part->type == YK_H5_TEXT ? part->size : sizeof(double), row = value * part->columns;
    const uint64_t at_once = row < PIECE_BYTES ? PIECE_BYTES / (row ? row : 1) : 1;
    struct request q = {.what = READ, .part = *part};
    struct reply r;
    enum yk_status st = YK_OK;

    snprintf(q.name, sizeof q.name, "%s", name);
    for (uint64_t done = 0; done < part->count && !st; done += q.part.count) {
        q.part.first = part->first + done;
        q.part.count = part->count - done < at_once ? part->count - done : at_once;
        st = ask(f, &q, &r, (char *)to + done * row, q.part.count * row, err);
    }
    return st;
}
