/* Compiled expressions: postfix code for a stack machine. */
#ifndef YOKE_EXPRESSION_CODE_H
#define YOKE_EXPRESSION_CODE_H

#include <yoke/expression.h>

enum { MOST_CODE = 256, MOST_STACK = 32, MOST_DELAY = 1000000 };

enum op {
    OP_NUMBER,
    OP_CHANNEL,
    /* one operand */
    OP_NEGATE,
    OP_NOT,
    OP_ABS,
    OP_SQRT,
    OP_EXP,
    OP_LOG,
    OP_LOG10,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SIGN,
    OP_FLOOR,
    OP_CEIL,
    /* one operand and a memory */
    OP_DERIVATIVE,
    OP_INTEGRAL,
    OP_LOWPASS,
    OP_DELAY,
    OP_PEAK,
    OP_RMS,
    OP_MEAN,
    OP_FIRST,
    /* two operands */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_ATAN2,
    OP_HYPOT,
    OP_MIN,
    OP_MAX,
    /* three */
    OP_CLAMP,
    OP_IF
};

struct instruction {
    enum op op;
    double value;  /* of a number; cut-off times pi times step of a low pass */
    size_t number; /* of a channel; samples of a delay */
    size_t at;     /* memory */
};

struct yk_expression {
    struct instruction code[MOST_CODE];
    size_t count, memory;
    double step_s, factor; /* factor: SI for one of the unit of the result */
    char unit[64];
};

/* Operands that an operation takes, and doubles of memory that it needs. */
size_t expression_operands(enum op op);
size_t expression_room(const struct instruction *i);
/* Runs code without memory on numbers alone, to fold constants. */
double expression_fold(const struct instruction *code, size_t count);

#endif
