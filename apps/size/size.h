/* Shared by the files of `yoke check --size`. */
#ifndef SIZE_SIZE_H
#define SIZE_SIZE_H

#include "options.h"

#include <yoke/sizing.h>
#include <yoke/yoke.h>

enum { SIZE_ACTUATORS = YK_SIZING_PICTURES, SIZE_SETTINGS = 9 * SIZE_ACTUATORS, SIZE_TEXT = 400 };

/* An actuator of the test. */
struct sized {
    char name[48];
    double *x, *force;
    struct yk_motion_asked asked;
    struct yk_asked_peaks peaks;
    double frequency_Hz;               /* about which it moves */
    const struct yk_actuator_row *row; /* NULL: none carries it */
    struct yk_actuator_needed needed;
    double moved_kg;                           /* of the specimen and its fixture, with the piston */
    struct json_t *sheet;                      /* what follows from its data sheet; NULL: none */
    double measured_delay_s[2], measured_gain; /* at that frequency and at the bandwidth; gain at the bandwidth */
};
struct sizing {
    const struct size_words *words;
    struct yk_model *model;
    size_t count;
    struct sized of[SIZE_ACTUATORS];
    struct yk_actuator_table table;
    struct json_t *verdict; /* of the rehearsal with the proposed ones; NULL: none was made */
};

/* Demand of the test with ideal actuators. */
enum yk_status size_ask(struct sizing *s, struct yk_err *err);
/* Chooses from the table, and goes on to larger ones while the rehearsal names a capacity. */
enum yk_status size_choose(struct sizing *s, struct yk_err *err);
/* "{ kind: hydraulic, area: ... }", with the mass of the specimen if there is any. */
void size_plant_text(const struct sized *of, char *text, size_t size);

#endif
