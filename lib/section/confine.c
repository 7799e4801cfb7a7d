/* Confined concrete by Mander, Priestley and Park (1988); strength under unequal pressures by the surface of Elwi and
 * Murray (1979), as fitted there. Formulas in MPa where they have units; magnitudes outside, compression positive. */
#include <yoke/cross_section.h>

#include <math.h>

enum { PASSES = 400 };
#define MPA 1e6

double yk_confined_surface(double fco, double fl1, double fl2)
{
    const double s1 = -fmin(fl1, fl2), s2 = -fmax(fl1, fl2);
    double fcc = fco;

    for (int pass = 0; pass < PASSES; pass++) {
        const double s3 = -fcc, so = (s1 + s2 + s3) / 3;
        const double to = sqrt((s1 - s2) * (s1 - s2) + (s2 - s3) * (s2 - s3) + (s3 - s1) * (s3 - s1)) / 3;
        const double ct = (s1 - so) / (sqrt(2) * to), x = so / fco;
        const double t = 0.069232 - 0.661091 * x - 0.049350 * x * x, c = 0.122965 - 1.150502 * x - 0.315545 * x * x;
        const double D = 4 * (c * c - t * t) * ct * ct, tc = 2 * t - c;
        const double R = c * (D / (2 * ct) + tc * sqrt(D + 5 * t * t - 4 * t * c)) / (D + tc * tc);
        const double next = -((s1 + s2) / 2 - sqrt(4.5 * (fco * R) * (fco * R) - 0.75 * (s1 - s2) * (s1 - s2)));
        const double change = (next - fcc) / 2;

        fcc += change;
        if (fabs(change) <= 1e-13 * fcc)
            break;
    }
    return fcc;
}

double yk_confined_strength(double fco, double fl1, double fl2)
{
    if (fabs(fl1 - fl2) <= 1e-12 * fco)
        return fco * (-1.254 + 2.254 * sqrt(1 + 7.94 * fl1 / fco) - 2 * fl1 / fco);
    return yk_confined_surface(fco, fl1, fl2);
}

double yk_confined_stress(const struct yk_confined *c, double strain)
{
    const double x = strain / c->ecc, r = c->Ec / (c->Ec - c->fcc / c->ecc);

    return c->fcc * x * r / (r - 1 + pow(x, r));
}

static enum yk_status check(const struct yk_confine *c, struct yk_err *err)
{
    const double clear = c->spacing - c->hoop;

    if (!(c->fco > 0 && c->eco > 0 && c->fyh > 0 && c->esu > 0 && c->hoop > 0 && c->spacing > 0))
        return yk_fail(err, YK_E_RANGE, "confine: fc, ec, fyh, esu, hoop and spacing must be above 0");
    if (!(c->rho_cc >= 0 && c->rho_cc < 1))
        return yk_fail(err, YK_E_RANGE, "confine: bars make %g of the core; 0 to 1 (excluded) is possible", c->rho_cc);
    if (!(clear > 0))
        return yk_fail(err, YK_E_RANGE, "confine: spacing = %g m is not above the diameter of the hoop, %g m",
                       c->spacing, c->hoop);
    if (c->circular ? !(c->ds > 0) : !(c->by > 0 && c->bz > 0 && c->legs_y > 0 && c->legs_z > 0 && c->clear2 >= 0))
        return yk_fail(err, YK_E_RANGE, "confine: the core needs %s",
                       c->circular ? "a diameter ds above 0" : "sides and legs above 0");
    return YK_OK;
}

enum yk_status yk_confine(const struct yk_confine *c, struct yk_confined *out, struct yk_err *err)
{
    const double leg = M_PI / 4 * c->hoop * c->hoop, clear = c->spacing - c->hoop;
    const enum yk_status st = check(c, err);

    *out = (struct yk_confined){0};
    if (st)
        return st;
    if (c->circular) {
        const double part = 1 - clear / (2 * c->ds);

        out->ke = (c->spiral ? part : part * part) / (1 - c->rho_cc);
        out->rho_s = 4 * leg / (c->ds * c->spacing);
        out->fly = out->flz = out->ke * out->rho_s * c->fyh / 2;
    } else {
        const double rho_y = c->legs_y * leg / (c->bz * c->spacing), rho_z = c->legs_z * leg / (c->by * c->spacing);

        out->ke = (1 - c->clear2 / (6 * c->by * c->bz)) * (1 - clear / (2 * c->by)) * (1 - clear / (2 * c->bz)) /
                  (1 - c->rho_cc);
        out->rho_s = rho_y + rho_z;
        out->fly = out->ke * rho_y * c->fyh;
        out->flz = out->ke * rho_z * c->fyh;
    }
    if (!(out->ke > 0))
        return yk_fail(err, YK_E_RANGE, "confine: the hoops are too far apart to confine anything (ke = %g)", out->ke);
    out->fcc = yk_confined_strength(c->fco, out->fly, out->flz);
    out->ecc = c->eco * (1 + 5 * (out->fcc / c->fco - 1));
    out->Ec = 5000 * sqrt(c->fco / MPA) * MPA;
    out->E0 = 2 * out->fcc / out->ecc;
    out->ecu = 0.004 + 1.4 * out->rho_s * c->fyh * c->esu / out->fcc;
    out->fu = yk_confined_stress(out, out->ecu);
    return YK_OK;
}
