/* The private struct of the backend `comedi`: the reader of the file fills the map. */
#ifndef YOKE_COMEDI_H
#define YOKE_COMEDI_H

#include "rig/message.h"

/* Kinds of points, in the order of a tick within writing and within reading. */
enum yk_comedi_place { YK_COMEDI_OUTPUT, YK_COMEDI_INPUT, YK_COMEDI_DIGITAL };

struct yk_comedi_point {
    const char *name; /* "a1.command" */
    struct yk_where where;
    enum yk_comedi_place place;
    int channel, subdevice, range, reference; /* subdevice -1: the first of its kind */
    bool writes;
    size_t index;       /* of the value in a COMMAND or READING; of a digital line: of the line */
    double least, most; /* a command may reach these [V]; both 0: not known */

    /* private: voltage = step x count + lowest, by the range of the card */
    double step, lowest, last; /* last: highest count */
    bool ends_at_zero;         /* a count of 0 is the end of the range, too: not that of a unipolar one */
    char beyond[128];          /* what to say at the end of its range */
};

struct yk_comedi_rig {
    char *device;
    struct yk_comedi_point *points; /* malloc'd, in any order */
    size_t count;
    struct yk_comedi_card *card; /* private */
};
extern const struct yk_rig_ops yk_rig_comedi;

#endif
