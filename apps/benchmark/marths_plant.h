/* The two actuators of the multi-axial benchmark and the chains that are made from their model. */
#ifndef YOKE_BENCHMARK_MARTHS_PLANT_H
#define YOKE_BENCHMARK_MARTHS_PLANT_H

#include "marths.h"
#include <yoke/transfer_matrix.h>

enum { YK_MARTHS_STATES = 8, YK_MARTHS_ORDER = 4 };

/* H_ij = N_ij(s)/D_j(s): coefficients by falling powers, numerators of the second power at most. */
struct yk_marths_model {
    double N[2][2][3], D[2][YK_MARTHS_ORDER + 1];
};
struct yk_marths_model yk_marths_model(const struct yk_marths_plant *plant);
struct yk_realisation yk_marths_realise(const struct yk_marths_model *model);

/* The section `transfer` of an entry, in one line; false: there is no such entry. */
bool yk_marths_write_chain(const char *name, FILE *out);
/* Has the entry no plant: does every actuator follow its command at once? */
bool yk_marths_is_perfect(const char *name);

#endif
