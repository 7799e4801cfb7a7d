/* Any bytes are either an archive that is unpacked into its folder and nowhere else, or are refused with a message. */
#include "fuzz.h"

#include "base/scratch.h"
#include "fmi/archive.h"

#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[YK_SCRATCH_PATH], inside[YK_SCRATCH_PATH + 16], file[YK_SCRATCH_PATH + 16];
    struct yk_err err = {0};
    struct stat about;
    FILE *out;

    if (!*folder && yk_scratch_make(folder, &err))
        return 0;
    snprintf(file, sizeof file, "%s/x.fmu", folder);
    snprintf(inside, sizeof inside, "%s/inside", folder);
    mkdir(inside, 0700);
    if (!(out = fopen(file, "wb")))
        return 0;
    fwrite(data, 1, size, out);
    fclose(out);
    if (yk_archive_unpack(file, inside, &err))
        fuzz_check(err.wording[0] != 0);
    yk_scratch_remove(inside);
    fuzz_check(stat(inside, &about) != 0 && stat(file, &about) == 0);
    return 0;
}
