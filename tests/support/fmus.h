/* FMUs for the tests, packed from the objects of tests/support/fmus and a description made here. */
#ifndef YOKE_TEST_FMUS_H
#define YOKE_TEST_FMUS_H

#include <stddef.h>

struct fmu_variable {
    const char *name;
    int vr;
    const char *causality, *unit, *start; /* NULL: not given */
    int derivative_of;                    /* FMI 2: position from 1 of the state; 0: none */
    int size;                             /* FMI 3: 0 for a scalar */
};

enum { FMU_COSIMULATION = 1, FMU_EXCHANGE = 2 };
struct fmu_spec {
    const char *name;  /* of the object: "absorber" is absorber2.so or absorber3.so */
    int version;       /* 2 or 3 */
    int interfaces;    /* FMU_COSIMULATION | FMU_EXCHANGE */
    const char *flags; /* further attributes of the interfaces */
    const char *token; /* NULL: "{name}" */
    int indicators;
    struct fmu_variable variables[16];
};
/* Packs NAME.fmu at the path. */
void make_fmu(const char *path, const struct fmu_spec *spec);
/* The description alone, malloc'd. */
char *fmu_description_text(const struct fmu_spec *spec);

/* The FMUs that several tests use, and their flags. */
#define SAVES2 "canGetAndSetFMUstate='true' canHandleVariableCommunicationStepSize='true'"
#define SAVES3 "canGetAndSetFMUState='true' canHandleVariableCommunicationStepSize='true'"
extern const struct fmu_spec fmu_absorber2, fmu_absorber_exchange, fmu_absorber3, fmu_spring2, fmu_pi, fmu_ramp,
    fmu_lag, fmu_bouncer, fmu_bouc_wen, fmu_oscillator;

#endif
