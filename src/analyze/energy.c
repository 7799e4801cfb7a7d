/* The energy account along a run. */
#include <yoke/analyze.h>

enum yk_status yk_energy_history(const struct yk_experiment *e, size_t count, struct yk_energy_sample *samples,
                                 struct yk_err *err)
{
    struct yk_system *system = e->assembly.system;
    struct yk_energy energy = {0};
    struct yk_domain domain;
    double start = 0;
    enum yk_status st = yk_experiment_domain(e, 0, &domain, err);

    if (st)
        return st;
    st = yk_domain_start(&domain, system->u0, system->v0);
    for (size_t i = 0; !st;) {
        const double t = (double)domain.step * e->time.step;
        struct yk_kinematics k;

        yk_domain_now(&domain, &k);
        yk_load_set_at(e->load_set, t, domain.f);
        system->ops->account(system->self, domain.f, k.u, k.v, &energy);
        if (domain.step == 0)
            start = energy.kinetic + energy.stored;
        for (; i < count && domain.step >= (long)((double)i / (double)(count - 1) * (double)e->steps + 0.5); i++)
            samples[i] =
                (struct yk_energy_sample){t,
                                          energy.kinetic,
                                          energy.stored,
                                          energy.dissipated,
                                          energy.work,
                                          energy.kinetic + energy.stored + energy.dissipated - energy.work - start};
        if (domain.step == e->steps)
            break;
        if ((st = yk_domain_step(&domain)))
            yk_fail(err, st, "%s: the motion diverged at step %ld", e->path, domain.step);
    }
    yk_domain_destroy(&domain);
    return st;
}
