/* Gives a fuzz target the files that are named, once. So every build compiles the targets and runs their seeds; with
 * libFuzzer, `make fuzz` goes on from there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        FILE *in = fopen(names[i], "rb");
        uint8_t *data = malloc(1 << 20);

        if (!in || !data) {
            fprintf(stderr, "%s cannot be read\n", names[i]);
            return 1;
        }
        const size_t size = fread(data, 1, 1 << 20, in);
        uint8_t *exact = realloc(data, size ? size : 1); /* one byte too far is noticed */

        fclose(in);
        LLVMFuzzerTestOneInput(exact ? exact : data, size);
        free(exact ? exact : data);
    }
    return count > 1 ? 0 : 1;
}
