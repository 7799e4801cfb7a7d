/* Modal damping: C = sum_i 2 zeta_i w_i (M phi_i) (M phi_i)^T with mass-normalised modes phi_i of (K, M). */
#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum yk_status yk_modal_damping(const struct yk_matrix *M, const struct yk_matrix *K, const double *ratio, size_t count,
                                struct yk_matrix *C, struct yk_err *err)
{
    const size_t n = M->rows;
    double *w2 = malloc(n * sizeof *w2), *phi = malloc(n * n * sizeof *phi), *Mphi = malloc(n * sizeof *Mphi);
    enum yk_status st = YK_E_MEMORY;

    if (!w2 || !phi || !Mphi)
        yk_fail(err, st, "out of memory for the modes of %zu degrees of freedom", n);
    else if (!(st = yk_eigen_symmetric(K, M, n, w2, phi, err)) && !(st = yk_matrix_init(C, YK_DENSE, n, n, err)))
        for (size_t m = 0; m < n; m++) {
            const double c = 2 * ratio[m < count ? m : count - 1] * sqrt(fmax(w2[m], 0));

            memset(Mphi, 0, n * sizeof *Mphi);
            yk_matrix_add_product(M, 1, phi + m * n, Mphi);
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < n; i++)
                    C->x[i + j * n] += c * Mphi[i] * Mphi[j];
        }
    free(w2);
    free(phi);
    free(Mphi);
    return st;
}
