/* Shared by the files of `yoke plot`: main.c, source.c, panels.c and draw.c. */
#ifndef YOKE_PLOT_H
#define YOKE_PLOT_H

#include <yoke/command.h>
#include <yoke/expression.h>
#include <yoke/figure.h>
#include <yoke/logger.h>
#include <yoke/recording.h>

extern const struct yk_command command_plot;

enum { PLOT_RUNS = 16, PLOT_CHANNELS = 64, PLOT_PANELS = 20, PLOT_UNITS = 16 };

/* Request from the command line. */
struct plot_request {
    const char *x, *output, *title, *from_text, *to_text, *unit_text, *compare, *width_text;
    const char *columns; /* of the files of loggers */
    struct yk_text_list y, xy;
    double from, to; /* s */
    bool fine, ticks, spectrum, list, sizing, profile;
    char *unit_words;
    const char *units[PLOT_UNITS]; /* of display */
    size_t unit_count;
};

/* A channel of a recording, between the two instants. */
struct plot_curve {
    const struct yk_channel *channel;
    int index;
    double *values;
    struct yk_expression *expression; /* computed from other channels; NULL: it is one itself */
    struct yk_channel *own;           /* its name and unit */
    double *memory;
};

/* One recording: the time, then what is shown. */
struct plot_source {
    char *path, *label;
    struct yk_recording *recording; /* NULL: the file of a logger, */
    int stream;
    struct yk_log log;         /* read here, */
    struct yk_channel *logged; /* and its channels: the time, then its columns */
    size_t count, rows;
    struct plot_curve curves[1 + 2 * PLOT_CHANNELS];
};

/* How a panel shows its channels. */
enum plot_view {
    PLOT_OVER_TIME,
    PLOT_OVER_X,        /* the first channel is the horizontal axis */
    PLOT_AS_SPECTRUM,   /* their amplitudes over the frequency */
    PLOT_AS_DIFFERENCE, /* the first minus the second */
    PLOT_AS_DEVIATION   /* of each run from the last one, which they are compared with */
};

struct plot_panel {
    enum plot_view view;
    size_t count;
    const char *names[PLOT_CHANNELS];
};

struct plot_page {
    size_t count, columns;
    struct plot_panel panels[PLOT_PANELS];
    char *words; /* of the command line, cut into names */
};

/* Opens the recording that a word means; an exit code. */
int plot_open(struct plot_source *s, const char *word, const struct plot_request *q);
void plot_close(struct plot_source *s);
size_t plot_channels(const struct plot_source *s);
const struct yk_channel *plot_channel(const struct plot_source *s, size_t i);
int plot_find(const struct plot_source *s, const char *name); /* -1: there is none */
/* The curve of a channel, which will be read; NULL after a message. */
struct plot_curve *plot_pick(struct plot_source *s, const char *name);
/* The curve that was picked. */
const struct plot_curve *plot_curve_of(const struct plot_source *s, const char *name);
/* Reads the time and all curves that were picked; an exit code. */
int plot_read(struct plot_source *s, const struct plot_request *q);
/* Largest size of each channel of the recording (malloc'd); NULL after a message. */
double *plot_peaks(struct plot_source *s, const struct plot_request *q);
/* Prints the channels of a recording with their words and units. */
void plot_list(const struct plot_source *s);

/* The panels that the command line names; an exit code. */
int plot_name_panels(const struct plot_request *q, struct plot_page *page);
/* The panels that show the most of a run. All runs have the channels of these; an exit code. */
int plot_choose_panels(const struct plot_request *q, struct plot_source *sources, size_t runs, struct plot_page *page);

/* Draws the page; an exit code. The last of the runs is the one that others are compared with if there is a compare. */
int plot_draw(const struct plot_request *q, const struct plot_page *page, const struct plot_source *sources,
              size_t runs);

/* Force over speed of the actuators of a recording; an exit code. */
int plot_sizing(const struct plot_request *q, const char *word);

/* Peaks of a run of a frame over its height. Returns the exit code. */
int plot_profile(const struct plot_request *q, const char *word);

#endif
