/* Any bytes as the SII of a slave: reading it ends, and what is found fits into the tables. */
#include "fuzz.h"

#include <yoke/ethercat_sii.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t words = size / 2;
    uint8_t *copy = malloc(2 * words + 1);
    struct yk_ec_sii *s = malloc(sizeof *s);

    fuzz_check(copy && s);
    memcpy(copy, data, 2 * words);
    for (size_t have = 0, need;
         (need = yk_ec_sii_needed(copy, have)) > have && need <= words;) { /* as a master reads it */
        fuzz_check(need <= YK_EC_SII_WORDS);
        have = need;
    }
    if (yk_ec_sii_decode(copy, words, s)) {
        fuzz_check(s->sm_count <= YK_EC_SM_MOST && s->pdo_count <= YK_EC_SII_PDOS &&
                   s->entry_count <= YK_EC_SII_ENTRIES);
        fuzz_check(strlen(s->name) < sizeof s->name && strlen(s->order) < sizeof s->order);
        for (size_t i = 0; i < s->pdo_count; i++)
            fuzz_check(s->pdos[i].first + s->pdos[i].count <= s->entry_count);
        for (size_t i = 0; i < s->entry_count; i++)
            fuzz_check(*yk_ec_entry_format(&s->entries[i]).text);
    }
    free(copy);
    free(s);
    return 0;
}
