/* Answers of a linear hybrid loop to a push at each tick, see loop_answers.h. Units: N, m, s.
 *
 * The samples Y_k = C A^(k-1) B are arranged in a Hankel matrix whose rows and columns are spread from one cycle to a
 * quarter of the lowest period, to identify fast and slow motions. */
#include "analyze/loop_answers.h"

#include "linalg/blas.h"
#include "transfer/station.h"
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUSH_SPEED 1e-3  /* m/s: a push is what this speed makes in a tick */
#define SHAPES     1e-12 /* relative to the largest command; below this it is rounding */
#define WEAKEST    1e-11 /* relative to the strongest motion; below this it is rounding */
#define UNLIKE     1e-7  /* of the largest sample: a realised process that differs by more is not used */
enum {
    HIDDEN_STATES = 30,     /* beyond those of the structure, at first */
    DOUBLINGS = 2,          /* of the samples, while they do not tell the process */
    REST_CYCLES = 8,        /* before a push: histories are filled, special first steps are over */
    MOST_SAMPLES = 4000000, /* numbers */
    MOST_STATES = 160,
    BLOCKS = 16,          /* of rows and columns with answers of the rig, at least */
    SPARE = 10,           /* order of a mixed matrix beyond the states that are expected */
    MOST_RIG_SHAPES = 200 /* pushes at the rig appear in its answers tick by tick */
};

/* ---- answers to a push at each tick ---- */

struct samples {
    size_t cycles;
    double *Y;         /* outputs x cycles x inputs: of a push, of a cycle */
    size_t rows, cols; /* blocks of the Hankel matrix */
    size_t *row, *col; /* cycles they begin with */
};

/* Room for a push: of commands, of the rig, and the answers of both. */
struct pushed {
    double *commands, *made, *rig, *seen;
};

static bool pushed_open(struct pushed *p, const struct yk_loop_answers *l, size_t cycles)
{
    const size_t places = l->rig ? l->rig->pushes : 0, numbers = l->rig ? l->rig->numbers : 0;

    p->commands = yk_doubles(l->ports * (1 + cycles) + l->ticks * places + cycles * l->ticks * numbers + 1);
    p->made = p->commands ? p->commands + l->ports : NULL;
    p->rig = p->commands ? p->made + l->ports * cycles : NULL;
    p->seen = p->commands ? p->rig + l->ticks * places : NULL;
    return p->commands != NULL;
}

static enum yk_status make_steps(struct yk_state *m, long count, struct yk_budget *budget)
{
    enum yk_status st = YK_OK;

    for (long i = 0; i < count && !st; i++)
        st = yk_decay_step(m, budget);
    return st;
}

static long steps_of_cycle(const struct yk_model *model)
{
    return model->coupling ? model->coupling->cycle_steps : 1;
}

static long rest_steps(const struct yk_model *model)
{
    const long cycle = steps_of_cycle(model), start = model->coupling ? model->coupling->start_steps : 0;

    return cycle * (REST_CYCLES + (start + cycle - 1) / cycle);
}

/* From rest, whatever came before. */
static enum yk_status rest(struct yk_state *m, const double *zero, struct yk_budget *budget)
{
    enum yk_status st;

    yk_station_probe(m->station, NULL);
    st = yk_state_start_from(m, zero, zero);
    return st ? st : make_steps(m, rest_steps(m->model), budget);
}

static enum yk_status count_ticks(struct yk_loop_answers *l, struct yk_state *m, const double *zero,
                                  struct yk_budget *budget)
{
    struct yk_delay_probe probe = {0};
    enum yk_status st = rest(m, zero, budget);

    if (!st) {
        yk_station_probe(m->station, &probe);
        st = make_steps(m, steps_of_cycle(m->model), budget);
        yk_station_probe(m->station, NULL);
    }
    l->ports = probe.made;
    l->ticks = l->ports / l->actuators;
    l->cycle_s = m->dt * (double)steps_of_cycle(m->model);
    return st;
}

/* Answers of the rig beside the commands, all cycles of a push: into the outputs behind the commands. */
static void take_ports(const struct yk_loop_answers *l, const struct samples *s, const double *seen, double amount,
                       double *to)
{
    for (size_t c = 0; c < s->cycles; c++)
        for (size_t t = 0; t < l->ticks; t++)
            l->rig->answer(l->rig, seen + (c * l->ticks + t) * l->rig->numbers,
                           to + c * l->outputs + l->ports + t * l->rig->answers);
    for (size_t c = 0; c < s->cycles; c++)
        for (size_t i = l->ports; i < l->outputs; i++)
            to[c * l->outputs + i] /= amount;
}

static enum yk_status push(const struct yk_loop_answers *l, struct yk_state *m, const double *zero, size_t input,
                           const struct samples *s, struct pushed *work, struct yk_budget *budget)
{
    const bool of_command = input < l->ports;
    const size_t place = of_command ? 0 : (input - l->ports) % l->rig->places,
                 tick = of_command ? 0 : (input - l->ports) / l->rig->places;
    const double amount = of_command ? PUSH_SPEED * l->cycle_s / (double)l->ticks : l->rig->amount[place];
    double *to = s->Y + input * s->cycles * l->outputs;
    struct yk_delay_probe probe = {
        .push = work->commands, .pushes = l->ports, .commands = work->made, .room = s->cycles * l->ports};
    struct yk_rig_probe rig = {.push = work->rig, .answers = work->seen, .room = s->cycles * l->ticks};
    enum yk_status st = rest(m, zero, budget);

    if (st)
        return st;
    memset(work->commands, 0, l->ports * sizeof *work->commands);
    if (of_command)
        work->commands[input] = amount;
    if (l->rig) {
        memset(work->rig, 0, l->ticks * l->rig->pushes * sizeof *work->rig);
        if (!of_command)
            work->rig[tick * l->rig->pushes + l->rig->place[place]] = amount;
        rig.pushed = l->ticks;
        l->rig->attach(l->rig, m, &rig);
    }
    yk_station_probe(m->station, &probe);
    st = make_steps(m, (long)s->cycles * steps_of_cycle(m->model), budget);
    yk_station_probe(m->station, NULL);
    if (l->rig)
        l->rig->attach(l->rig, m, NULL);
    for (size_t c = 0; c < s->cycles; c++)
        for (size_t i = 0; i < l->ports; i++)
            to[c * l->outputs + i] = work->made[c * l->ports + i] / amount;
    if (l->rig)
        take_ports(l, s, work->seen, amount, to);
    return st;
}

/* Sizes of outputs differ, as their units do: the largest answer of each group becomes 1. */
static void scale_outputs(struct yk_loop_answers *l, const struct samples *s)
{
    const size_t groups = l->rig ? l->rig->answers : 0;

    for (size_t g = 0; g < groups + 1; g++) {
        double most = 0;

        for (int pass = 0; pass < 2; pass++)
            for (size_t k = 0; k < l->inputs * s->cycles; k++)
                for (size_t i = g ? l->ports + g - 1 : 0; i < (g ? l->outputs : l->ports); i += g ? groups : 1)
                    if (pass == 0)
                        most = fmax(most, fabs(s->Y[i + k * l->outputs]));
                    else
                        s->Y[i + k * l->outputs] /= most > 0 ? most : 1;
        for (size_t i = g ? l->ports + g - 1 : 0; i < (g ? l->outputs : l->ports); i += g ? groups : 1)
            l->size[i] = most > 0 ? most : 1;
    }
}

/* Pushes at places of the rig count by what they do. */
static void scale_inputs(struct yk_loop_answers *l, const struct samples *s)
{
    for (size_t place = 0; l->rig && place < l->rig->places + 1; place++) {
        double most = 0;

        for (int pass = 0; pass < 2; pass++)
            for (size_t k = place ? l->ports + place - 1 : 0; k < (place ? l->inputs : l->ports);
                 k += place ? l->rig->places : 1)
                for (size_t i = 0; i < s->cycles * l->outputs; i++)
                    if (pass == 0)
                        most = fmax(most, fabs(s->Y[i + k * s->cycles * l->outputs]));
                    else
                        s->Y[i + k * s->cycles * l->outputs] /= most > 0 ? most : 1;
        for (size_t k = place ? l->ports + place - 1 : 0; k < (place ? l->inputs : l->ports);
             k += place ? l->rig->places : 1)
            l->weight[k] = most > 0 ? most : 1;
    }
}

/* ---- shapes ---- */

static double square(size_t n, const double *x)
{
    return yk_dot(n, x, x);
}

/* The next shape is the command of a cycle with the largest rest; returns its norm. R is what is left of Y. */
static double next_shape(const struct yk_loop_answers *l, const double *R, size_t vectors, double *u)
{
    const size_t n = l->outputs;
    double most = 0;
    size_t best = 0;

    for (size_t k = 0; k < vectors; k++) {
        const double now = square(n, R + k * n);

        if (now > most) {
            most = now;
            best = k;
        }
    }
    memcpy(u, R + best * n, n * sizeof *u);
    return sqrt(most);
}

/* Y becomes coordinates of the shapes, `shapes` for each of its vectors. */
static bool find_shapes(struct yk_loop_answers *l, struct samples *s)
{
    const size_t n = l->outputs, vectors = l->inputs * s->cycles, limit = l->rig ? MOST_RIG_SHAPES : YK_MOST_SHAPES,
                 most = n < limit ? n : limit;
    double *R = malloc(vectors * n * sizeof *R), first = 0, left = 0;

    l->shapes = 0;
    if (!R || !(l->U = yk_doubles(n * (most + 1)))) {
        free(R);
        return false;
    }
    memcpy(R, s->Y, vectors * n * sizeof *R);
    for (;;) {
        double *u = l->U + l->shapes * n;

        left = next_shape(l, R, vectors, u);
        first = l->shapes ? first : left;
        if (!(left > SHAPES * first) || l->shapes == most)
            break;
        for (size_t i = 0; i < l->shapes; i++) { /* again, against rounding */
            const double part = yk_dot(n, l->U + i * n, u);

            for (size_t a = 0; a < n; a++)
                u[a] -= part * l->U[a + i * n];
        }
        const double norm = sqrt(square(n, u));

        for (size_t a = 0; a < n; a++)
            u[a] /= norm;
        for (size_t k = 0; k < vectors; k++) {
            const double part = yk_dot(n, u, R + k * n);

            for (size_t a = 0; a < n; a++)
                R[a + k * n] -= part * u[a];
        }
        l->shapes++;
    }
    for (size_t k = 0; k < vectors; k++) /* R has room for the coordinates */
        for (size_t i = 0; i < l->shapes; i++)
            R[i + k * l->shapes] = yk_dot(n, l->U + i * n, s->Y + k * n);
    memcpy(s->Y, R, vectors * l->shapes * sizeof *R);
    free(R);
    return !(left > SHAPES * first) && l->shapes > 0;
}

/* Coordinates of the answer to a push, `cycle` later. */
static const double *sample(const struct yk_loop_answers *l, const struct samples *s, size_t port, size_t cycle)
{
    return s->Y + (port * s->cycles + cycle) * l->shapes;
}

/* ---- the realised process ---- */

/* `count` numbers from 0 to at most `span`: one by one, then in a geometric series. */
static void spread(size_t count, size_t span, size_t *at)
{
    for (size_t k = 0; k < count; k++) {
        const size_t wish = (size_t)lround(pow((double)span, (double)k / (double)(count > 1 ? count - 1 : 1)));

        at[k] = k == 0 ? 0 : wish > at[k - 1] + 1 && k < span ? wish : at[k - 1] + 1;
    }
}

/* The columns of a Hankel matrix that begins with sample `shift` are mixed into as many as it has rows: the same
 * mixture for every shift. */
static void fill_mixed(const struct yk_loop_answers *l, const struct samples *s, size_t shift, double *H)
{
    const size_t r = l->shapes, n = r * s->rows;
    uint64_t seed = 7;

    memset(H, 0, n * n * sizeof *H);
    for (size_t c = 0; c < s->cols; c++)
        for (size_t port = 0; port < l->inputs; port++)
            for (size_t j = 0; j < n; j++) {
                const double weight = yk_draw(&seed);

                for (size_t b = 0; b < s->rows; b++) {
                    const double *y = sample(l, s, port, s->row[b] + s->col[c] + shift);

                    for (size_t i = 0; i < r; i++)
                        H[b * r + i + j * n] += weight * y[i];
                }
            }
}

/* A, B, C from the first singular triplets of the Hankel matrix H0 and from H1 (n x n each). */
static void project(struct yk_loop_answers *l, const struct samples *s, size_t n, const double *U, const double *S,
                    const double *Vt, const double *H1, double *work)
{
    const size_t k = l->states, r = l->shapes;

    for (size_t j = 0; j < k; j++) {
        memset(work, 0, n * sizeof *work);
        for (size_t a = 0; a < n; a++)
            for (size_t i = 0; i < n; i++)
                work[i] += H1[i + a * n] * Vt[j + a * n];
        for (size_t i = 0; i < k; i++)
            l->A[i + j * k] = yk_dot(n, U + i * n, work) / sqrt(S[i] * S[j]);
        for (size_t i = 0; i < r; i++)
            l->C[i + j * r] = U[i + j * n] * sqrt(S[j]);
    }
    for (size_t port = 0; port < l->inputs; port++) {
        for (size_t b = 0; b < s->rows; b++)
            memcpy(work + b * r, sample(l, s, port, s->row[b] + 1), r * sizeof *work);
        for (size_t i = 0; i < k; i++)
            l->B[i + port * k] = yk_dot(n, U + i * n, work) / sqrt(S[i]);
    }
}

/* ---- with answers of the rig ---- */

/* Pushes at the rig show in its answers tick by tick, and a delay keeps them for some cycles: many outputs, and many
 * cycles in a row. The rows of the Hankel matrix are mixed, too, H = L [Y] R with as many rows and columns as there may
 * be states. */
struct mixed {
    double *L; /* order x shapes rows */
    double *stack, *left;
    double *first; /* shapes x order: the first block of rows, without L */
};

static void stack_samples(const struct yk_loop_answers *l, const struct samples *s, size_t port, size_t from,
                          const struct mixed *x, size_t order)
{
    const size_t r = l->shapes, long_one = r * s->rows;

    for (size_t b = 0; b < s->rows; b++)
        memcpy(x->stack + b * r, sample(l, s, port, s->row[b] + from), r * sizeof *x->stack);
    for (size_t i = 0; i < order; i++)
        x->left[i] = yk_dot(long_one, x->L + i * long_one, x->stack);
}

static void fill_projected(const struct yk_loop_answers *l, const struct samples *s, size_t shift, size_t order,
                           const struct mixed *x, double *H)
{
    const size_t r = l->shapes;
    uint64_t seed = 7;

    memset(H, 0, order * order * sizeof *H);
    memset(x->first, 0, r * order * sizeof *x->first);
    for (size_t c = 0; c < s->cols; c++)
        for (size_t port = 0; port < l->inputs; port++) {
            stack_samples(l, s, port, s->col[c] + shift, x, order);
            for (size_t j = 0; j < order; j++) {
                const double weight = yk_draw(&seed);

                yk_add_scaled(order, weight, x->left, H + j * order);
                yk_add_scaled(r, weight, x->stack, x->first + j * r);
            }
        }
}

/* A, B, C; `first` belongs to H0. */
static void project_mixed(struct yk_loop_answers *l, const struct samples *s, size_t order, const double *U,
                          const double *S, const double *Vt, const double *H1, const struct mixed *x, double *work)
{
    const size_t k = l->states, r = l->shapes;

    for (size_t j = 0; j < k; j++) {
        memset(work, 0, order * sizeof *work);
        memset(l->C + j * r, 0, r * sizeof *l->C);
        for (size_t a = 0; a < order; a++) {
            yk_add_scaled(order, Vt[j + a * order], H1 + a * order, work);
            yk_add_scaled(r, Vt[j + a * order] / sqrt(S[j]), x->first + a * r, l->C + j * r);
        }
        for (size_t i = 0; i < k; i++)
            l->A[i + j * k] = yk_dot(order, U + i * order, work) / sqrt(S[i] * S[j]);
    }
    for (size_t port = 0; port < l->inputs; port++) {
        stack_samples(l, s, port, 1, x, order);
        for (size_t i = 0; i < k; i++)
            l->B[i + port * k] = yk_dot(order, U + i * order, x->left) / sqrt(S[i]);
    }
}

/* Does the process answer a mixture of pushes as the loop did, in all cycles, whether they were used or not? */
static bool is_alike(const struct yk_loop_answers *l, const struct samples *s)
{
    const size_t k = l->states, r = l->shapes;
    double *x = yk_doubles(2 * k), *next = x + k, worst = 0, largest = 0;
    uint64_t seed = 3;

    if (!x)
        return false;
    for (size_t c = 1; c < s->cycles; c++) {
        uint64_t same = seed;

        for (size_t port = 0; port < l->inputs && c == 1; port++) {
            const double weight = yk_draw(&same);

            for (size_t i = 0; i < k; i++)
                x[i] += weight * l->B[i + port * k];
        }
        for (size_t i = 0; i < r; i++) {
            double y = 0, told = 0;

            same = seed;
            for (size_t port = 0; port < l->inputs; port++)
                y += yk_draw(&same) * sample(l, s, port, c)[i];
            for (size_t j = 0; j < k; j++)
                told += l->C[i + j * r] * x[j];
            worst = fmax(worst, fabs(y - told));
            largest = fmax(largest, fabs(y));
        }
        memset(next, 0, k * sizeof *next);
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < k; i++)
                next[i] += l->A[i + j * k] * x[j];
        memcpy(x, next, k * sizeof *x);
    }
    free(x);
    return worst <= UNLIKE * largest;
}

/* False in *told: there are more motions than the samples can tell, or they are told badly. */
static enum yk_status realise(struct yk_loop_answers *l, const struct samples *s, bool *told, struct yk_err *err)
{
    const size_t n = l->shapes * s->rows, most = n <= MOST_STATES ? n - 1 : MOST_STATES;
    double *H = yk_doubles(4 * n * n + 2 * n), *H1 = H + n * n, *U = H1 + n * n, *Vt = U + n * n, *S = Vt + n * n;
    enum yk_status st;

    l->A = yk_doubles(most * (most + l->inputs + l->shapes));
    if (!H || !l->A) {
        free(H);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    }
    fill_mixed(l, s, 1, H);
    fill_mixed(l, s, 2, H1);
    if (!(st = yk_svd(n, H, U, S, Vt, err))) {
        while (l->states < n && S[l->states] > WEAKEST * S[0])
            l->states++;
        if (l->states > 0 && l->states <= most) {
            l->B = l->A + l->states * l->states;
            l->C = l->B + l->states * l->inputs;
            project(l, s, n, U, S, Vt, H1, S + n);
            *told = is_alike(l, s);
        }
    }
    free(H);
    return st;
}

static bool mixed_open(struct mixed *x, const struct yk_loop_answers *l, const struct samples *s, size_t order)
{
    const size_t long_one = l->shapes * s->rows;
    uint64_t seed = 17;

    if (!(x->L = yk_doubles(order * long_one + long_one + order + l->shapes * order)))
        return false;
    x->stack = x->L + order * long_one;
    x->left = x->stack + long_one;
    x->first = x->left + order;
    for (size_t i = 0; i < order * long_one; i++)
        x->L[i] = yk_draw(&seed);
    return true;
}

/* As realise. */
static enum yk_status realise_mixed(struct yk_loop_answers *l, const struct samples *s, size_t order, bool *told,
                                    struct yk_err *err)
{
    const size_t n = order;
    double *H = yk_doubles(4 * n * n + 2 * n), *H1 = H + n * n, *U = H1 + n * n, *Vt = U + n * n, *S = Vt + n * n;
    struct mixed x = {0};
    enum yk_status st;

    l->A = yk_doubles(n * (n + l->inputs + l->shapes));
    if (!H || !l->A || !mixed_open(&x, l, s, n)) {
        free(H);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    }
    fill_projected(l, s, 2, n, &x, H1);
    fill_projected(l, s, 1, n, &x, H);
    if (!(st = yk_svd(n, H, U, S, Vt, err))) {
        while (l->states < n && S[l->states] > WEAKEST * S[0])
            l->states++;
        if (l->states > 0 && l->states < n) {
            l->B = l->A + l->states * l->states;
            l->C = l->B + l->states * l->inputs;
            project_mixed(l, s, n, U, S, Vt, H1, &x, S + n);
            *told = is_alike(l, s);
        }
    }
    free(x.L);
    free(H);
    return st;
}

/* Blocks of rows and columns for `states`, as far as the samples reach. */
static bool choose_blocks(const struct yk_loop_answers *l, struct samples *s, size_t states)
{
    const size_t span = s->cycles - 3, wide = 2 * span / 3;

    s->rows = (states + l->shapes - 1) / l->shapes;
    s->cols = (states + l->inputs - 1) / l->inputs + 2;
    if (l->rig) {
        s->rows = s->rows > BLOCKS ? s->rows : BLOCKS;
        s->cols = s->cols > BLOCKS ? s->cols : BLOCKS;
    }
    if (s->rows > wide + 1)
        s->rows = wide + 1;
    if (s->cols > span - wide + 1)
        s->cols = span - wide + 1;
    if (!(s->row = malloc((s->rows + s->cols) * sizeof *s->row)))
        return false;
    s->col = s->row + s->rows;
    spread(s->rows, wide, s->row);
    spread(s->cols, span - wide, s->col);
    return true;
}

static bool keep_direct(struct yk_loop_answers *l, const struct samples *s)
{
    const size_t r = l->shapes;

    if (!(l->D = yk_doubles(r * l->inputs)))
        return false;
    for (size_t port = 0; port < l->inputs; port++)
        memcpy(l->D + port * r, sample(l, s, port, 0), r * sizeof *l->D);
    return true;
}

static enum yk_status take(struct yk_loop_answers *l, struct yk_state *m, const struct yk_watched *how,
                           const double *zero, size_t states, bool *told, struct yk_err *err)
{
    const double quarter = M_PI / (2 * how->omega * l->cycle_s);
    const size_t wide = (size_t)fmax(quarter, (double)states / (double)l->actuators) + 1;
    struct samples s = {.cycles = wide + wide / 2 + 4};
    struct pushed work = {0};
    enum yk_status st = YK_OK;

    if ((double)s.cycles * (double)l->inputs * (double)l->outputs > MOST_SAMPLES)
        return YK_OK;
    s.Y = yk_doubles(s.cycles * l->inputs * l->outputs);
    if (!s.Y || !pushed_open(&work, l, s.cycles))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    for (size_t input = 0; input < l->inputs && !st; input++)
        st = push(l, m, zero, input, &s, &work, how->budget);
    if (!st && l->rig) {
        scale_outputs(l, &s);
        scale_inputs(l, &s);
    }
    if (!st && find_shapes(l, &s) && choose_blocks(l, &s, states) && keep_direct(l, &s))
        st = l->rig ? realise_mixed(l, &s, states + SPARE, told, err) : realise(l, &s, told, err);
    free(s.row);
    free(work.commands);
    free(s.Y);
    return st;
}

void yk_loop_answers_free(struct yk_loop_answers *l)
{
    free(l->U);
    free(l->D);
    free(l->A);
    free(l->size);
    *l = (struct yk_loop_answers){0};
}

/* Numbers of inputs and outputs, once the ticks are known. */
static bool size_up(struct yk_loop_answers *l, const struct yk_rig_places *rig)
{
    l->rig = rig;
    l->inputs = l->ports + (rig ? l->ticks * rig->places : 0);
    l->outputs = l->ports + (rig ? l->ticks * rig->answers : 0);
    l->size = yk_doubles(l->inputs + l->outputs + 1);
    l->weight = l->size ? l->size + l->outputs : NULL;
    for (size_t i = 0; l->size && i < l->inputs + l->outputs; i++)
        l->size[i] = 1;
    return l->size != NULL;
}

enum yk_status yk_loop_answers_take_with(struct yk_loop_answers *l, struct yk_state *m, const struct yk_watched *how,
                                         const struct yk_rig_places *rig, bool *told, struct yk_err *err)
{
    const struct yk_system *whole = m->assembly->system;
    double *zero = yk_doubles(whole->n);
    size_t states = 2 * whole->n + HIDDEN_STATES;
    enum yk_status st = YK_OK;

    *told = false;
    *l = (struct yk_loop_answers){0};
    if (!zero)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int i = 0; i <= DOUBLINGS && !st && !*told; i++, states *= 2) {
        yk_loop_answers_free(l);
        l->actuators = yk_station_count(m->station);
        if (!(st = count_ticks(l, m, zero, how->budget)) && l->ticks > 0)
            st =
                size_up(l, rig) ? take(l, m, how, zero, states, told, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    free(zero);
    return st == YK_E_DIVERGED ? YK_OK : st;
}

enum yk_status yk_loop_answers_take(struct yk_loop_answers *l, struct yk_state *m, const struct yk_watched *how,
                                    bool *told, struct yk_err *err)
{
    return yk_loop_answers_take_with(l, m, how, NULL, told, err);
}
