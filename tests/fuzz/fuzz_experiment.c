/* Any text, read as an experiment, becomes something that can be set up, or is refused with a message and no remains.
 * Nothing is run: a few bytes can ask for a run of years. */
#include "fuzz.h"

#include "state/state.h"

#include <ctype.h>

/* Data files lie in a folder that does not exist; a name that starts at the root could leave it. */
static bool names_a_root(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] == '/' && (i == 0 || !isalnum(data[i - 1])))
            return true;
    return false;
}

static void set_up(const struct yk_model *e)
{
    const struct yk_system *system = e->assembly->system;
    struct yk_state motion;
    struct yk_err err = {0};

    fuzz_check(e->steps >= 1 && e->time.step > 0 && e->title && (system || e->coupling));
    if (!system || system->n > 50)
        return;
    fuzz_check(yk_matrix_is_finite(&system->M) && yk_all_finite(system->n, system->u0));
    if (yk_state_open(&motion, e, 0, &err)) {
        fuzz_check(err.wording[0] != 0);
        return;
    }
    yk_state_start(&motion);
    yk_state_close(&motion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_model *e = NULL;
    struct yk_err err = {0};

    if (names_a_root(data, size))
        return 0;
    struct yk_text text = fuzz_text(data, size);
    enum yk_status st = yk_model_parse(&e, "/no/such/folder/fuzz.yaml", text.data, size, NULL, 0, &err);
    fuzz_check(st ? err.wording[0] != 0 && !e : e != NULL);
    if (e)
        set_up(e);
    yk_model_close(e);
    yk_text_free(&text);
    return 0;
}
