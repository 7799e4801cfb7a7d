/* Values of compiled expressions: a stack machine without heap, locks or calls that block. A memory begins with a mark
 * that it has seen its first sample. */
#include "code.h"

#include <math.h>
#include <string.h>

enum { SEEN, HELD, SUM };

size_t expression_operands(enum op op)
{
    return op <= OP_CHANNEL ? 0 : op < OP_ADD ? 1 : op < OP_CLAMP ? 2 : 3;
}

size_t expression_room(const struct instruction *i)
{
    switch (i->op) {
    case OP_DERIVATIVE:
    case OP_PEAK:
    case OP_FIRST:
        return 2;
    case OP_INTEGRAL:
    case OP_RMS:
    case OP_MEAN:
        return 3;
    case OP_LOWPASS:
        return 5;
    case OP_DELAY:
        return 2 + i->number;
    default:
        return 0;
    }
}

/* Butterworth of order 2 by the bilinear transform; at rest on its first sample. m: seen, x1, x2, y1, y2. */
YK_RT static double low_pass(const struct instruction *i, double x, double *m)
{
    const double K = tan(i->value), d = 1 + M_SQRT2 * K + K * K, b = K * K / d;

    if (m[SEEN] == 0) {
        m[SEEN] = 1;
        m[1] = m[2] = m[3] = m[4] = x;
    }
    const double y = b * (x + 2 * m[1] + m[2]) - 2 * (K * K - 1) / d * m[3] - (1 - M_SQRT2 * K + K * K) / d * m[4];
    m[2] = m[1];
    m[1] = x;
    m[4] = m[3];
    m[3] = y;
    return y;
}

/* m: seen, place of the oldest sample, the samples. */
YK_RT static double delayed(const struct instruction *i, double x, double *m)
{
    if (i->number == 0)
        return x;
    if (m[SEEN] == 0) {
        m[SEEN] = 1;
        for (size_t k = 0; k < i->number; k++)
            m[2 + k] = x;
    }
    const size_t at = (size_t)m[1];
    const double y = m[2 + at];
    m[2 + at] = x;
    m[1] = (double)((at + 1) % i->number);
    return y;
}

YK_RT static double remember(const struct instruction *i, double x, double *m, double step)
{
    const bool first = m[SEEN] == 0;
    const double old = m[HELD];

    switch (i->op) {
    case OP_LOWPASS:
        return low_pass(i, x, m);
    case OP_DELAY:
        return delayed(i, x, m);
    case OP_DERIVATIVE:
        m[SEEN] = 1;
        m[HELD] = x;
        return first ? 0 : (x - old) / step;
    case OP_INTEGRAL:
        m[SEEN] = 1;
        m[HELD] = x;
        m[SUM] += first ? 0 : step * (old + x) / 2;
        return m[SUM];
    case OP_PEAK:
        m[SEEN] = 1;
        m[HELD] = first || fabs(x) > old ? fabs(x) : old;
        return m[HELD];
    case OP_FIRST:
        m[HELD] = first ? x : old;
        m[SEEN] = 1;
        return m[HELD];
    default: /* rms, mean */
        m[SEEN] += 1;
        m[SUM] += i->op == OP_RMS ? x * x : x;
        return i->op == OP_RMS ? sqrt(m[SUM] / m[SEEN]) : m[SUM] / m[SEEN];
    }
}

YK_RT static double one(enum op op, double x)
{
    switch (op) {
    case OP_NEGATE:
        return -x;
    case OP_NOT:
        return x == 0;
    case OP_ABS:
        return fabs(x);
    case OP_SQRT:
        return sqrt(x);
    case OP_EXP:
        return exp(x);
    case OP_LOG:
        return log(x);
    case OP_LOG10:
        return log10(x);
    case OP_SIN:
        return sin(x);
    case OP_COS:
        return cos(x);
    case OP_TAN:
        return tan(x);
    case OP_ASIN:
        return asin(x);
    case OP_ACOS:
        return acos(x);
    case OP_ATAN:
        return atan(x);
    case OP_SIGN:
        return x > 0 ? 1 : x < 0 ? -1 : x;
    case OP_FLOOR:
        return floor(x);
    default:
        return ceil(x);
    }
}

YK_RT static double two(enum op op, double x, double y)
{
    switch (op) {
    case OP_ADD:
        return x + y;
    case OP_SUBTRACT:
        return x - y;
    case OP_MULTIPLY:
        return x * y;
    case OP_DIVIDE:
        return x / y;
    case OP_POWER:
        return pow(x, y);
    case OP_LESS:
        return x < y;
    case OP_LESS_EQUAL:
        return x <= y;
    case OP_GREATER:
        return x > y;
    case OP_GREATER_EQUAL:
        return x >= y;
    case OP_EQUAL:
        return x == y;
    case OP_NOT_EQUAL:
        return x != y;
    case OP_AND:
        return x != 0 && y != 0;
    case OP_OR:
        return x != 0 || y != 0;
    case OP_ATAN2:
        return atan2(x, y);
    case OP_HYPOT:
        return hypot(x, y);
    case OP_MIN:
        return isnan(x) || x < y ? x : y;
    default:
        return isnan(x) || x > y ? x : y;
    }
}

YK_RT static double three(enum op op, double x, double y, double z)
{
    if (op == OP_IF)
        return x != 0 ? y : z;
    return x < y ? y : x > z ? z : x;
}

YK_RT static double run(const struct instruction *code, size_t count, const double *row, double *memory, double step)
{
    double stack[MOST_STACK] = {0};
    size_t top = 0;

    for (size_t k = 0; k < count; k++) {
        const struct instruction *i = &code[k];
        const size_t operands = expression_operands(i->op);
        double *x = stack + top - operands;

        if (i->op == OP_NUMBER)
            *x = i->value;
        else if (i->op == OP_CHANNEL)
            *x = row[i->number];
        else if (operands == 3)
            *x = three(i->op, x[0], x[1], x[2]);
        else if (operands == 2)
            *x = two(i->op, x[0], x[1]);
        else if (i->op >= OP_DERIVATIVE)
            *x = remember(i, x[0], memory + i->at, step);
        else
            *x = one(i->op, x[0]);
        top += 1 - operands;
    }
    return stack[0];
}

double expression_fold(const struct instruction *code, size_t count)
{
    return run(code, count, NULL, NULL, 0);
}

double yk_expression_value(const struct yk_expression *e, const double *row, double *memory)
{
    const double y = run(e->code, e->count, row, memory, e->step_s);

    return e->factor == 1 ? y : y / e->factor;
}

size_t yk_expression_memory(const struct yk_expression *e)
{
    return e->memory;
}

void yk_expression_rest(const struct yk_expression *e, double *memory)
{
    memset(memory, 0, e->memory * sizeof *memory);
}

const char *yk_expression_unit(const struct yk_expression *e)
{
    return e->unit;
}

size_t yk_expression_channels(const struct yk_expression *e, size_t *channels, size_t room)
{
    size_t found = 0;

    for (size_t k = 0; k < e->count; k++) {
        bool known = e->code[k].op != OP_CHANNEL;

        for (size_t j = 0; j < k && !known; j++)
            known = e->code[j].op == OP_CHANNEL && e->code[j].number == e->code[k].number;
        if (!known && found < room)
            channels[found] = e->code[k].number;
        found += !known;
    }
    return found;
}
