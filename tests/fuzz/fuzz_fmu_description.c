/* Any bytes are either the description of an FMU that keeps the rules or are refused with a message. */
#include "fuzz.h"

#include "fmi/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_fmu_description d;
    struct yk_err err = {0};
    const enum yk_status st = yk_fmu_describe(&d, (const char *)data, size, "x.fmu:modelDescription.xml", &err);

    fuzz_check(st ? err.wording[0] != 0 && !d.variables && !d.token : d.version == 2 || d.version == 3);
    for (size_t i = 0; !st && i < d.variable_count; i++) {
        double factor, offset;
        bool assumed;
        size_t element;

        fuzz_check(d.variables[i].name[0] && yk_fmu_variable(&d, d.variables[i].name, &element));
        (void)yk_fmu_unit_of(&d, &d.variables[i], YK_FORCE, &factor, &offset, &assumed, &err);
    }
    for (size_t k = 0; !st && k < d.derivative_count; k++)
        fuzz_check(yk_fmu_state(&d, k) != NULL);
    if (!st)
        yk_fmu_description_free(&d);
    return 0;
}
